"""A block of rows while it is solved, and the small kernels that read and narrow it.

Words that differ only in the square of the last piece form a row of J = 64 words (J = 1 where there
is no piece but kings and pawns). A move of any other man takes a whole row to a whole row, so inner
loops run over rows and become vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zermelo.jit import Int, inlined, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Men, Pass
from zermelo.tables.geometry import END, neighbours
from zermelo.tables.layout import ALL, Layout

Words = NDArray[np.uint64]

WHOLE = 40
"""A shift that leaves any row of a slice in one block."""


class Front(NamedTuple):
    """Newly lost: rows uint64[r, J], of which those count that ``changed``, uint8[r], marks."""

    rows: Words
    changed: NDArray[np.uint8]


class Near(NamedTuple):
    """What was newly lost at the level before, as far as a block's moves reach.

    Row r of a slice is row ``slots[r >> shift] << shift | r & (1 << shift) - 1`` here; a negative
    slot, int64, stands for rows of which none is newly lost.
    """

    rows: Words
    changed: NDArray[np.uint8]
    slots: NDArray[np.int64]
    shift: int


class Work(NamedTuple):
    """A block while it is solved: r rows of a slice, from row ``first`` on.

    won:    uint64[r, J], attacker to move: won up to this level, or cannot occur.
    open:   uint64[r, J], defender to move: legal, not lost yet, not stalemate.
    barred: uint64[r, J], of those, lanes that still escape by an exit.
    fresh:  uint8[r], rows with positions won at this level.
    due:    uint8 or wider[2, r, J], the next level at which an exit of the attacker wins, and at
            which one of the defender fails.
    last:   int64[1], the last level at which an exit falls due.
    latest: int64[2], the last level at which a canonical position was won, and the first such cell.
    lanes, turned, gate: uint64[J], men: uint8[m], scratch; gate is all ones between uses.
    """

    first: int
    won: Words
    open: Words
    barred: Words
    fresh: NDArray[np.uint8]
    due: Cells
    last: NDArray[np.int64]
    latest: NDArray[np.int64]
    lanes: Words
    turned: Words
    gate: Words
    men: Men


def width_of(lay: Layout) -> int:
    """Words of a row."""
    return 64 if len(lay.kinds) else 1


def front(lay: Layout, rows: int) -> Front:
    """Room for what is newly lost in some rows."""
    return Front(np.zeros((rows, width_of(lay)), np.uint64), np.zeros(rows, np.uint8))


def whole(front: Front) -> Near:
    """All rows of a slice, as they stand."""
    return Near(*front, np.zeros(1, np.int64), WHOLE)


def block(lay: Layout, first: int, rows: int, dtype: DTypeLike) -> Work:
    """A block of some rows, with levels of a dtype in its exits."""
    width = width_of(lay)
    return Work(
        first=first,
        won=np.zeros((rows, width), np.uint64),
        open=np.zeros((rows, width), np.uint64),
        barred=np.zeros((rows, width), np.uint64),
        fresh=np.zeros(rows, np.uint8),
        due=np.zeros((2, rows, width), dtype),
        last=np.zeros(1, np.int64),
        latest=np.zeros(2, np.int64),
        lanes=np.zeros(width, np.uint64),
        turned=np.zeros(width, np.uint64),
        gate=np.full(width, ALL),
        men=np.zeros(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8),
    )


@inlined
def place_near(near: Near, row: Int) -> np.int64:
    """Where a row of the slice stands in ``near``, or a negative number."""
    slot = np.int64(near.slots[row >> near.shift])
    inside = np.int64(row) & ((np.int64(1) << near.shift) - 1)
    return slot if slot < 0 else (slot << near.shift) | inside


@kernel
def spread(digits: Int, k: int, fixed: np.uint64) -> np.uint64:
    """The squares of k pieces, the last digits of a number, and of fixed men; none if two meet."""
    squares = fixed
    for i in range(k):
        if squares == EMPTY:
            break
        bit = ONE << np.uint64((digits >> (6 * i)) & 63)
        if squares & bit:
            return EMPTY
        squares |= bit
    return squares


@kernel
def fixed_squares(make: Pass, base: Int, king: Int) -> np.uint64:
    """The squares of the attacking king and of the pawns of a slice, or none if two meet."""
    lay = make.lay
    squares = ONE << np.uint64(lay.king_squares[king])
    for pawn in lay.pawns[base // lay.words]:
        bit = ONE << np.uint64(pawn)
        if squares & bit:
            return EMPTY
        squares |= bit
    return squares


@kernel
def next_due(cells: Cells, cell_row: Int, lanes: np.uint64, level: Int, none: Int) -> Int:
    """The least level above this one in some lanes of a row of cells; ``none`` if there is none."""
    least = np.int64(none)
    for j in range(64):
        found = np.int64(cells[cell_row, j])
        counts = (found > level) & (((lanes >> np.uint64(j)) & ONE) != EMPTY)
        least = min(least, found if counts else np.int64(none))
    return least


@kernel
def lanes_at(cells: Cells, cell_row: Int, level: Int) -> np.uint64:
    """The lanes of a row of cells that hold a level."""
    lanes = EMPTY
    for j in range(64):
        lanes |= np.uint64(cells[cell_row, j] == level) << np.uint64(j)
    return lanes


@kernel
def keep_stuck(
    rays: Cells,
    kinds: Men,
    attackers: int,
    won: Words,
    gate: Words,
    left: Words,
    row: Int,
    first: Int,
    squares: np.uint64,
) -> None:
    """Drops from the lanes of a row those from which a move inside the slice leads out of ``won``.

    first: the row of the slice with which ``won`` begins; squares: those of all men of the row but
    the last piece; left: uint64[J], changed.
    """
    k, width = len(kinds), len(left)
    some = EMPTY
    for j in range(width):
        left[j] &= ~neighbours(~won[row - first, j])
        some |= left[j]
    for i in range(attackers, k - 1):
        shift = 6 * (k - 2 - i)
        origin = (row >> shift) & 63
        for direction in range(8):
            if some == EMPTY:
                return
            lanes = ALL
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                bit = ONE << np.uint64(square & 63)
                if square == END or squares & bit:
                    break
                there = row - first + ((np.int64(square) - origin) << shift)
                for j in range(width):
                    left[j] &= won[there, j] | ~(lanes & gate[j])
                # Further on this piece would jump the defending king, or the last piece.
                lanes &= ~bit
                gate[square] = EMPTY
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                if square == END:
                    break
                gate[square] = ALL
        some = EMPTY
        for j in range(width):
            some |= left[j]
    if attackers < k and some:
        for j in range(width):
            for direction in range(8):
                lanes = left[j]
                for step in range(8):
                    square = rays[kinds[k - 1], j, direction, step]
                    bit = ONE << np.uint64(square & 63)
                    if square == END or squares & bit or lanes == EMPTY:
                        break
                    left[j] &= won[row - first, square] | ~lanes
                    lanes &= ~bit
