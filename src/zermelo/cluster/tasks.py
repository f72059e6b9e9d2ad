"""What one worker does of a table: a block of a half without pawns, or a slice of one with pawns.

Plain functions of arrays: they know nothing of Ray, remember nothing between calls and change none
of their arguments, so a task that was lost is done again by another worker.
"""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from zermelo.tables import due
from zermelo.tables.blocks import Cut, begin, making_block, new_block, newly, wins_of
from zermelo.tables.crossing import Cells
from zermelo.tables.exits import Exit, steps
from zermelo.tables.exits import exits as exits_of
from zermelo.tables.journal import Newly, spread_out
from zermelo.tables.layout import Layout, layout
from zermelo.tables.levels import advance, solve_slices
from zermelo.tables.material import Half
from zermelo.tables.packing import Sums, tally
from zermelo.tables.retrograde import making, space
from zermelo.tables.work import Near, Work, front

State = NDArray[np.uint8]
"""What of a `Work` outlives a level, packed: its sets travel far, and are mostly runs."""

KEPT = ("won", "open", "barred", "last", "latest")
"""The arrays of a `Work` that outlive a level, as they follow each other in a `State`."""


class Exits(NamedTuple):
    """The exits of a block: pieces of `due.packed` one after the other, uint8[n].

    places: (where a piece begins, where it ends) by side (0 the attacker's) and level.
    """

    places: dict[tuple[int, int], tuple[int, int]]
    pieces: NDArray[np.uint8]


class Levels(NamedTuple):
    """``lost`` and ``win``, [words, 64], of a finished slice."""

    lost: Cells
    win: Cells


class Did(NamedTuple):
    """What a task says of itself: whether anything changed, how many words or slices it found,
    bytes of its arguments and results, where it ran and its greatest memory in bytes."""

    fresh: bool
    number: int
    moved: int
    node: str
    process: int
    memory: int


def _did(fresh: bool, number: int, *moved: Sequence[Any]) -> Did:
    size = sum(getattr(array, "nbytes", 0) for arrays in moved for array in arrays)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Did(fresh, number, size, socket.gethostname(), os.getpid(), peak)


def local(array: Any) -> Any:
    """The same memory as an array that kernels take for one of this process.

    Arrays from the object store may not be written, which to Numba is another type: all kernels
    would be compiled again for it. None of them writes to what it is only to read.
    """
    return np.asarray(_Writable(array))


class _Writable:
    def __init__(self, array: NDArray[Any]) -> None:
        address, _ = array.__array_interface__["data"]
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


Needed = Sequence[tuple[Half, bool]]
"""Finished halves whose levels follow, and whether ``lost`` or ``win`` of each."""


def _finished(needed: Needed, levels: Sequence[Cells]) -> Callable[[Half, bool], Cells]:
    known = dict(zip(needed, map(local, levels), strict=True))
    return lambda half, lost: known[half, lost]


def enter(
    cut: Cut, number: int, dtype: str, needed: Needed, *finished: Cells
) -> tuple[State, Exits, Newly, Newly, list[int], Did]:
    """(state, exits, stalemates, mates, levels at which exits fall due, did) of a block."""
    lost, win = np.zeros((2, cut.words, 64), dtype)
    make, work = making_block(cut, number, lost, win), new_block(cut, number, lost.dtype)
    after = front(layout(cut.half), cut.rows)
    stuck = begin(cut, make, work, after, _finished(needed, finished))
    state, exits, found = _state(work), _packed(win, lost), newly(after)
    levels = sorted({level for _, level in exits.places})
    did = _did(bool(len(found.words)), len(found.words), [state], exits, stuck, found)
    return state, exits, stuck, found, levels, did


def _packed(*sides: Cells) -> Exits:
    places: dict[tuple[int, int], tuple[int, int]] = {}
    pieces, end = [], 0
    for side, cells in enumerate(sides):
        for level, piece in due.packed(cells):
            places[side, level] = end, end + len(piece)
            pieces.append(piece)
            end += len(piece)
    return Exits(places, np.frombuffer(b"".join(pieces), np.uint8))


def _state(work: Work) -> State:
    data = b"".join(getattr(work, name).tobytes() for name in KEPT)
    packed = zstandard.ZstdCompressor(level=due.FAST).compress(data)
    return np.frombuffer(packed, np.uint8)


def _work(cut: Cut, number: int, dtype: str, state: State) -> Work:
    work = new_block(cut, number, np.dtype(dtype))
    data = zstandard.ZstdDecompressor().decompress(state.tobytes())
    at = 0
    for array in (getattr(work, name) for name in KEPT):
        array[...] = np.frombuffer(data, array.dtype, array.size, at).reshape(array.shape)
        at += array.nbytes
    return work


def _near(cut: Cut, numbers: Sequence[int], fronts: Sequence[Newly]) -> Near:
    """What some blocks lost at the level before."""
    room = front(layout(cut.half), max(len(numbers), 1) * cut.rows)
    slots = np.full(cut.blocks, -1, np.int64)
    for place, (number, found) in enumerate(zip(numbers, fronts, strict=True)):
        slots[number] = place
        spread_out(local(found.words), local(found.lanes), place * cut.words, room)
    return Near(*room, slots, cut.rows.bit_length() - 1)


def step(
    cut: Cut,
    number: int,
    level: int,
    dtype: str,
    state: State,
    exits: Exits,
    numbers: Sequence[int],
    *fronts: Newly,
) -> tuple[State | None, Newly, Did]:
    """(state, newly lost, did) of a block after a level; no state where nothing has changed.

    numbers, fronts: the blocks in reach that lost something at the level before, and what.
    """
    work = _work(cut, number, dtype, state)
    barred = work.barred.copy()
    win, lost = np.zeros((2, cut.words, 64), dtype)
    for side, cells in enumerate((win, lost)):
        if (side, level) in exits.places:
            begins, ends = exits.places[side, level]
            due.enter(exits.pieces[begins:ends].tobytes(), level, cells, work.due[side])
    make = making_block(cut, number, lost, win)
    after = front(layout(cut.half), cut.rows)
    count = advance(make, work, _near(cut, numbers, fronts), after, 0, level)
    found = newly(after)
    fresh = bool(count or work.fresh.any() or not np.array_equal(work.barred, barred))
    new = _state(work) if fresh else None
    moved = [array for front in fronts for array in front]
    return new, found, _did(fresh, len(found.words), [state, new], moved, found)


def conclude(cut: Cut, number: int, state: State, dtype: str) -> Sums:
    """What the attacker's positions of a block come to."""
    return wins_of(cut, number, np.dtype(dtype), _work(cut, number, dtype, state))


def slice_after(lay: Layout, number: int, move: Exit) -> int:
    """The slice to which a pawn's step leads from a slice, or -1 if it cannot make it there."""
    pawns = lay.pawns[number].tolist()
    which = move.pawn - 1 - len(lay.kinds)
    from_home = pawns[which] >> 3 == (1 if move.by_attacker else 6)
    step = 16 if move.double else 8
    pawns[which] += step if move.by_attacker else -step
    if not 8 <= pawns[which] < 56 or (move.double and not from_home):
        return -1
    code = 0
    for square in pawns:
        code = code * 48 + square - 8
    return int(lay.slice_of[code]) >> 1


def solve_slice(
    half: Half,
    number: int,
    dtype: str,
    needed: Needed,
    numbers: Sequence[int],
    *others: Any,
) -> tuple[Levels | None, Sums | None, Did]:
    """(levels, what the attacker's positions come to, did) of a slice; nothing if too deep.

    others: the levels of the finished halves, and then `Levels` of the slices, to which moves lead.
    """
    lay = layout(half)
    finished = _finished(needed, others[: len(needed)])
    slices: dict[int, Levels] = dict(zip(numbers, others[len(needed) :], strict=True))
    first, last = number * lay.words, (number + 1) * lay.words
    make = making(half, np.zeros((lay.words, 64), dtype), np.empty((lay.words, 64), dtype))
    make = make._replace(first=first)
    make.win.fill(make.none)
    for move in [*exits_of(half, True), *exits_of(half, False)]:
        kernel, arguments = move.call(half, make, finished)
        kernel(make, first, last, *arguments)
    for move in [*steps(half, True), *steps(half, False)]:
        to = slice_after(lay, number, move)
        if to >= 0:
            here = making(half, *map(local, slices[to]))._replace(first=to * lay.words)
            kernel, arguments = move.call(half, make, finished, here)
            kernel(make, first, last, *arguments)
    fits = solve_slices(make, *space(lay, make.lost.dtype), number, number + 1)
    moved = [array for levels in slices.values() for array in levels]
    if not fits:
        return None, None, _did(False, 0, moved)
    sums = tally(half, lambda a, b: make.win[a - first : b - first], range(first, last), wins=True)
    found = Levels(make.lost, make.win)
    return found, sums, _did(True, 1, found, moved)
