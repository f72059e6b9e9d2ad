"""Makes one half of a table in memory: every distance to mate, from nothing but its children."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial
from itertools import groupby
from typing import Any, TypeVar

import numpy as np

from zermelo.jit import Int
from zermelo.tables.crossing import Cells, Pass
from zermelo.tables.exits import Exit, exits, steps
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import Layout, layout, pushes_left
from zermelo.tables.levels import advance, finish, solve_slices
from zermelo.tables.material import Half
from zermelo.tables.packing import Sums, tally
from zermelo.tables.restore import complete, wins_inside
from zermelo.tables.start import prepare, start
from zermelo.tables.work import Front, Near, Work, block, front, whole, width_of

SERIAL = 1 << 15
"""Up to so many words one thread is faster than waking a second."""

Child = Callable[[Half], "Solved"]
Tick = Callable[[float], None]
"""Told how much of a half is done, from 0 to 1."""
Room = Callable[[tuple[int, int], np.dtype[Any]], Cells]
"""Gives an array of a shape and type, whatever it holds: in memory, or mapped to a file."""
Result = TypeVar("Result")


class Solved:
    """One half of a table in memory, or mapped into it.

    lost: uint8[words, 64], defender to move: n where it is mated in 2n plies, ``none - 1`` in
        stalemate, ``none`` where it is not lost or cannot occur (``none`` is the dtype's maximum).
    win: the same shape, attacker to move: n where it mates in 2n-1 plies, 0 where the position
        cannot occur, ``none`` where it does not win. Computed from ``lost`` when first asked for.
    """

    def __init__(self, half: Half, lost: Cells, child: Child, win: Cells | None = None) -> None:
        self.half = half
        self.lost = lost
        self._child = child
        if win is not None:
            self.win = win

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a level."""
        return self.lost.dtype

    @property
    def none(self) -> int:
        """The level that stands for "never"."""
        return int(np.iinfo(self.lost.dtype).max)

    @cached_property
    def win(self) -> Cells:
        """See the class."""
        make = making(self.half, self.lost, np.empty_like(self.lost))
        with Threads() as threads:
            threads.over_words(make, wins_inside)
            _cross(make, self.half, exits(self.half, True), self._child, threads)
            _cross(make, self.half, steps(self.half, True), self._child, threads)
        return make.win

    def cells(self, first: int, last: int) -> Cells:
        """``lost`` in words first to last."""
        return self.lost[first:last]

    def wins(self) -> Sums:
        """What the attacker's positions come to."""
        return tally(self.half, lambda a, b: self.win[a:b], range(len(self.win)), wins=True)


class Threads:
    """Runs a kernel over parts of the work, on as many threads as there are processors."""

    def __init__(self) -> None:
        self.count = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def each(
        self, task: Callable[[int], Result], count: int, *, serial: bool = False
    ) -> list[Result]:
        """Calls ``task`` with 0 … count-1, one after the other or shared among the threads."""
        return list((map if serial else self._pool.map)(task, range(count)))

    def over_words(
        self,
        make: Pass,
        kernel: Callable[..., object],
        *arguments: object,
        words: tuple[int, int] | None = None,
    ) -> None:
        """Calls ``kernel(make, first, last, *arguments)`` over all words, or a range of them."""
        first, last = words or (0, len(make.lost))
        serial = self.count == 1 or last - first <= SERIAL
        bounds = np.linspace(first, last, 2 if serial else 8 * self.count + 1).astype(int).tolist()

        def part(i: int) -> None:
            mine = make._replace(men=np.empty_like(make.men))
            kernel(mine, bounds[i], bounds[i + 1], *arguments)

        self.each(part, len(bounds) - 1, serial=serial)


def making(half: Half, lost: Cells, win: Cells) -> Pass:
    """What the kernels need to make a half in these arrays."""
    none = int(np.iinfo(lost.dtype).max)
    return Pass(geometry(), layout(half), lost, win, none, np.empty((3, half.men), np.uint8))


def _cross(
    make: Pass,
    half: Half,
    moves: Iterable[Exit],
    child: Child,
    threads: Threads,
    words: tuple[int, int] | None = None,
) -> None:
    # Moves to one child stand together, so that a large one is in memory only once, and not for
    # longer than it is needed.
    for _, group in groupby(sorted(moves, key=_by_child), key=_by_child):
        known = cache(partial(levels_of, child))
        for move in group:
            kernel, arguments = move.call(half, make, known)
            threads.over_words(make, kernel, *arguments, words=words)
            del arguments  # with the child's levels in it, while the next child is read


def levels_of(child: Child, half: Half, lost: bool) -> Cells:
    """One side's levels of a finished half; those of the other side are not kept."""
    solved = child(half)
    return solved.lost if lost else solved.win


def _by_child(move: Exit) -> tuple[str, bool]:
    return str(move.child), move.by_attacker


def count_levels(
    counts: Sequence[Int],
    last: int,
    step: Callable[[int], Sequence[Int]],
    none: int,
    tick: Tick,
) -> None:
    """Goes from level to level while something changes, or an exit is still to fall due.

    counts: what changed at level 0 in each block; last: the last level of an exit; step: does one
    level and returns what changed. Raises TooDeepError where levels reach ``none - 1``.
    """
    level = 0
    while any(counts) or level < last:
        level += 1
        require_room(level < none - 1)
        counts = step(level)
        # How many levels there will be is not known; most tables have some dozens.
        tick(1 - 1 / (1 + level / 16))


def _solve_whole(make: Pass, threads: Threads, tick: Tick) -> None:
    """Solves a half without pawns: its one slice, the attacking kings as blocks in parallel."""
    lay, dtype = make.lay, make.lost.dtype
    if threads.count == 1 or lay.words <= SERIAL * 2:
        require_room(solve_slices(make, *space(lay, dtype), 0, 1))
        return
    kings, rows = len(lay.king_squares), lay.words // width_of(lay)
    fronts = front(lay, rows), front(lay, rows)
    each = rows // kings
    blocks = [block(lay, king * each, each, dtype) for king in range(kings)]
    newly = [in_parts(one, each) for one in fronts]
    threads.each(lambda king: prepare(make, blocks[king], 0), kings)
    counts = threads.each(lambda king: start(make, blocks[king], newly[0][king], 0), kings)

    def step(level: int) -> Sequence[Int]:
        near, after = whole(fronts[(level - 1) & 1]), newly[level & 1]
        return threads.each(
            lambda king: advance(make, blocks[king], near, after[king], 0, level), kings
        )

    last = max(int(one.last[0]) for one in blocks)
    count_levels(counts, last, step, make.none, tick)
    threads.each(lambda king: finish(make, blocks[king], 0), kings)


def in_parts(whole: Front, rows: int) -> list[Front]:
    """A front in blocks of so many rows."""
    firsts = range(0, len(whole.rows), rows)
    return [
        Front(whole.rows[first : first + rows], whole.changed[first : first + rows])
        for first in firsts
    ]


def _solve_by_slices(make: Pass, half: Half, child: Child, threads: Threads, tick: Tick) -> None:
    """Solves a half with pawns: slices whose pawns have as many steps left in parallel."""
    lay = make.lay
    moves = [*steps(half, True), *steps(half, False)]
    left = [pushes_left(tuple(row), lay.attacking_pawns) for row in lay.pawns.tolist()]
    spaces = [space(lay, make.lost.dtype) for _ in range(threads.count)]
    for _, group in groupby(range(lay.slices), key=left.__getitem__):
        numbers = list(group)
        first, last = numbers[0], numbers[-1] + 1
        _cross(make, half, moves, child, threads, (first * lay.words, last * lay.words))
        _share_slices(make, spaces, threads, first, last)
        tick(last / lay.slices)


Space = tuple[Work, Near, Near]
"""What `solve_slices` writes on."""


def space(lay: Layout, dtype: np.dtype[Any]) -> Space:
    """Room for any one slice of a layout at a time."""
    rows = lay.words // width_of(lay)
    return block(lay, 0, rows, dtype), whole(front(lay, rows)), whole(front(lay, rows))


def _share_slices(make: Pass, spaces: list[Space], threads: Threads, first: int, last: int) -> None:
    free = list(spaces)

    def solve(part: int) -> None:
        space = free.pop()
        require_room(solve_slices(make, *space, bounds[part], bounds[part + 1]))
        free.append(space)

    parts = min(last - first, 8 * threads.count)
    bounds = np.linspace(first, last, parts + 1).astype(int).tolist()
    threads.each(solve, parts, serial=(last - first) * make.lay.words <= SERIAL)


def in_memory(shape: tuple[int, int], dtype: np.dtype[Any]) -> Cells:
    """Room in memory."""
    return np.empty(shape, dtype)


def solve_half(
    half: Half, child: Child, *, tick: Tick = lambda done: None, room: Room = in_memory
) -> Solved:
    """Solves one half; ``child`` gives the finished halves that its moves lead to.

    A cell is one byte, or two where some position takes more than 506 plies.
    """
    try:
        return _attempt(half, child, np.dtype(np.uint8), tick, room)
    except TooDeepError:
        return _attempt(half, child, np.dtype(np.uint16), tick, room)


class TooDeepError(Exception):
    """Some level does not fit into a cell."""


def level_type(level: int) -> np.dtype[Any]:
    """The type of cells for levels up to one that may be tried in vain."""
    return np.dtype(np.uint8 if level < np.iinfo(np.uint8).max - 1 else np.uint16)


def require_room(fits: bool) -> None:
    """Raises TooDeepError where levels do not fit into their cells."""
    if not fits:
        raise TooDeepError


def _attempt(
    half: Half, child: Child, dtype: np.dtype[Any], tick: Tick, room: Room = in_memory
) -> Solved:
    lay = layout(half)
    lost, win = (room((lay.slices * lay.words, 64), dtype) for _ in range(2))
    make = making(half, lost, win)
    with Threads() as threads:
        # The defender's moves need a child's wins, so that both its sides are in memory: the wins
        # made here take none before the attacker's.
        lost.fill(0)
        _cross(make, half, exits(half, False), child, threads)
        win.fill(make.none)
        _cross(make, half, exits(half, True), child, threads)
        if half.pawns:
            _solve_by_slices(make, half, child, threads, tick)
        else:
            _solve_whole(make, threads, tick)
    return Solved(half, lost, child, make.win)


def restore(half: Half, lost: Cells, child: Child) -> Solved:
    """A half from its canonical cells, ``lost`` as files keep it; fills in the others in place."""
    make = making(half, lost, lost)
    with Threads() as threads:
        threads.over_words(make, complete)
    return Solved(half, lost, child)
