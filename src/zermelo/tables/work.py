"""Scratch for the solution of one slice, and the small kernels that read and narrow it.

Words that differ only in the square of the last piece form a row of J = 64 words (J = 1 where there
is no piece but kings and pawns). A move of any other man takes a whole row to a whole row, so inner
loops run over rows and become vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zermelo.jit import Int, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Men, Pass
from zermelo.tables.geometry import END, neighbours
from zermelo.tables.layout import ALL, Layout

Words = NDArray[np.uint64]


class Work(NamedTuple):
    """Scratch for one slice of R rows and K attacking kings.

    won:    uint64[R, J], attacker to move: won up to this level, or cannot occur.
    open:   uint64[R, J], defender to move: legal, not lost yet, not stalemate.
    barred: uint64[R, J], of those, lanes that still escape by an exit.
    lost:   uint64[2, R, J], newly lost at the even and the odd level of this and the last one, in
            rows marked by changed: uint8[2, R].
    fresh:  uint8[R], rows with positions won at this level.
    due:    uint8 or wider[2, R, J], the next level at which an exit of the attacker wins, and at
            which one of the defender fails.
    tally:  int64[2, K], changed rows of each king.
    last:   int64[K], the last level at which an exit of this king falls due.
    lanes, turned, gate: uint64[K, J], scratch of a row; gate is all ones between uses.
    """

    won: Words
    open: Words
    barred: Words
    lost: Words
    changed: NDArray[np.uint8]
    fresh: NDArray[np.uint8]
    due: Cells
    tally: NDArray[np.int64]
    last: NDArray[np.int64]
    lanes: Words
    turned: Words
    gate: Words


def workspace(lay: Layout, dtype: DTypeLike) -> Work:
    """Scratch for any slice of a layout."""
    width = 64 if len(lay.kinds) else 1
    rows, kings = lay.words // width, len(lay.king_squares)
    return Work(
        won=np.zeros((rows, width), np.uint64),
        open=np.zeros((rows, width), np.uint64),
        barred=np.zeros((rows, width), np.uint64),
        lost=np.zeros((2, rows, width), np.uint64),
        changed=np.zeros((2, rows), np.uint8),
        fresh=np.zeros(rows, np.uint8),
        due=np.zeros((2, rows, width), dtype),
        tally=np.zeros((2, kings), np.int64),
        last=np.zeros(kings, np.int64),
        lanes=np.zeros((kings, width), np.uint64),
        turned=np.zeros((kings, width), np.uint64),
        gate=np.full((kings, width), ALL),
    )


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
    squares: np.uint64,
) -> None:
    """Drops from the lanes of a row those from which a move inside the slice leads out of ``won``.

    squares: those of all men of the row but the last piece; left: uint64[J], changed.
    """
    k, width = len(kinds), len(left)
    some = EMPTY
    for j in range(width):
        left[j] &= ~neighbours(~won[row, j])
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
                there = row + ((np.int64(square) - origin) << shift)
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
                    left[j] &= won[row, square] | ~lanes
                    lanes &= ~bit
