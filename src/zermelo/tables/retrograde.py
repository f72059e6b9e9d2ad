"""Makes one half of a table: every position's distance to mate, from nothing but its children."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import groupby
from typing import Any

import numpy as np

from zermelo.tables.crossing import Cells, Pass
from zermelo.tables.exits import Exit, exits, steps
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import layout, pushes_left
from zermelo.tables.levels import advance, finish, solve_slices
from zermelo.tables.material import Half
from zermelo.tables.restore import complete, wins_inside
from zermelo.tables.start import prepare, start
from zermelo.tables.work import Work, workspace

SERIAL = 1 << 15
"""Up to so many words one thread is faster than waking a second."""

Child = Callable[[Half], "Solved"]
Tick = Callable[[float], None]
"""Told how much of a half is done, from 0 to 1."""


class Solved:
    """One half of a table in memory.

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
    def none(self) -> int:
        """The level that stands for "never"."""
        return int(np.iinfo(self.lost.dtype).max)

    @cached_property
    def win(self) -> Cells:
        """See the class."""
        make = _making(self.half, self.lost, np.empty_like(self.lost))
        with Threads() as threads:
            threads.over_words(make, wins_inside)
            _cross(make, self.half, exits(self.half, True), self._child, threads)
            _cross(make, self.half, steps(self.half, True), self._child, threads)
        return make.win


class Threads:
    """Runs a kernel over parts of the work, on as many threads as there are processors."""

    def __init__(self) -> None:
        self.count = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def each(self, task: Callable[[int], object], count: int, *, serial: bool) -> list[object]:
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


def _making(half: Half, lost: Cells, win: Cells) -> Pass:
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
        known = cache(child)
        for move in group:
            kernel, arguments = move.call(half, make, known)
            threads.over_words(make, kernel, *arguments, words=words)


def _by_child(move: Exit) -> tuple[str, bool]:
    return str(move.child), move.by_attacker


def _solve_whole(make: Pass, threads: Threads, tick: Tick) -> None:
    """Solves a half without pawns: its one slice, the attacking kings in parallel."""
    kings = len(make.lay.king_squares)
    work = workspace(make.lay, make.lost.dtype)
    if threads.count == 1 or make.lay.words <= SERIAL * 2:
        _require_room(solve_slices(make, work, 0, 1))
        return

    def all_kings(kernel: Callable[..., object], *arguments: object) -> None:
        threads.each(lambda king: kernel(make, work, 0, king, *arguments), kings, serial=False)

    all_kings(prepare)
    all_kings(start)
    level = 0
    while work.tally[level & 1].any() or level < work.last.max():
        level += 1
        _require_room(level < make.none - 1)
        all_kings(advance, level)
        # How many levels there will be is not known; most tables have some dozens.
        tick(1 - 1 / (1 + level / 16))
    all_kings(finish)


def _solve_by_slices(make: Pass, half: Half, child: Child, threads: Threads, tick: Tick) -> None:
    """Solves a half with pawns: slices whose pawns have as many steps left in parallel."""
    lay = make.lay
    moves = [*steps(half, True), *steps(half, False)]
    left = [pushes_left(tuple(row), lay.attacking_pawns) for row in lay.pawns.tolist()]
    spaces = [workspace(lay, make.lost.dtype) for _ in range(threads.count)]
    for _, group in groupby(range(lay.slices), key=left.__getitem__):
        numbers = list(group)
        first, last = numbers[0], numbers[-1] + 1
        _cross(make, half, moves, child, threads, (first * lay.words, last * lay.words))
        _share_slices(make, spaces, threads, first, last)
        tick(last / lay.slices)


def _share_slices(make: Pass, spaces: list[Work], threads: Threads, first: int, last: int) -> None:
    free = list(spaces)

    def solve(part: int) -> None:
        space = free.pop()
        _require_room(solve_slices(make, space, bounds[part], bounds[part + 1]))
        free.append(space)

    parts = min(last - first, 8 * threads.count)
    bounds = np.linspace(first, last, parts + 1).astype(int).tolist()
    threads.each(solve, parts, serial=(last - first) * make.lay.words <= SERIAL)


def solve_half(half: Half, child: Child, *, tick: Tick = lambda done: None) -> Solved:
    """Solves one half; ``child`` gives the finished halves that its moves lead to.

    A cell is one byte, or two where some position takes more than 506 plies.
    """
    try:
        return _attempt(half, child, np.dtype(np.uint8), tick)
    except _TooDeepError:
        return _attempt(half, child, np.dtype(np.uint16), tick)


class _TooDeepError(Exception):
    """Some level does not fit into a cell."""


def _require_room(fits: bool) -> None:
    if not fits:
        raise _TooDeepError


def _attempt(half: Half, child: Child, dtype: np.dtype[Any], tick: Tick) -> Solved:
    lay = layout(half)
    lost = np.zeros((lay.slices * lay.words, 64), dtype)
    make = _making(half, lost, np.full_like(lost, np.iinfo(dtype).max))
    with Threads() as threads:
        _cross(make, half, [*exits(half, True), *exits(half, False)], child, threads)
        if half.pawns:
            _solve_by_slices(make, half, child, threads, tick)
        else:
            _solve_whole(make, threads, tick)
    return Solved(half, lost, child, make.win)


def restore(half: Half, lost: Cells, child: Child) -> Solved:
    """A half from its canonical cells, ``lost`` as files keep it; fills in the others in place."""
    make = _making(half, lost, lost)
    with Threads() as threads:
        threads.over_words(make, complete)
    return Solved(half, lost, child)
