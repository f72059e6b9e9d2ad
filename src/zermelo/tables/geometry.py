"""Lines, jumps and symmetries of the board as constant arrays for the kernels.

Squares, sets of squares and symmetries are numbered as in `board.bits`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import kernel

KINDS = "QRBNK"
"""Letters of the kinds that move along ``rays``; a kind is an index into this string."""

KING = 4
END = 64
"""Ends a ray: no square."""

_ROOK = [(1, 0), (-1, 0), (0, 1), (0, -1)]
_BISHOP = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
_KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
_STEPS = [
    (_ROOK + _BISHOP, 7),
    (_ROOK, 7),
    (_BISHOP, 7),
    (_KNIGHT, 1),
    (_ROOK + _BISHOP, 1),
]


class Geometry(NamedTuple):
    """Constant arrays of the board.

    rays:    uint8[5, 64, 8, 8], squares of each ray of a kind from a square, ended by END.
    targets: uint64[5, 64], the same as a set.
    between: uint64[64, 64], the squares strictly between two on a line, else none.
    pawns:   uint64[2, 64], what a pawn attacks: the attacker's (up), the defender's (down).
    maps:    uint8[8, 64], where each symmetry takes a square.
    """

    rays: NDArray[np.uint8]
    targets: NDArray[np.uint64]
    between: NDArray[np.uint64]
    pawns: NDArray[np.uint64]
    maps: NDArray[np.uint8]


def _bit(square: int) -> np.uint64:
    return np.uint64(1 << square)


def apply(symmetry: int, square: int) -> int:
    """Where a symmetry takes a square."""
    if symmetry & 1:
        square ^= 7
    if symmetry & 2:
        square ^= 56
    if symmetry & 4:
        square = square >> 3 | (square & 7) << 3
    return square


def fold(square: int) -> int:
    """The symmetry that takes a square into the triangle a1-d1-d4."""
    symmetry = (square & 7 > 3) | (square >> 3 > 3) << 1
    moved = apply(symmetry, square)
    return symmetry | (moved >> 3 > moved & 7) << 2


@cache
def geometry() -> Geometry:
    """The constant arrays, made once."""
    rays = np.full((5, 64, 8, 8), END, np.uint8)
    targets = np.zeros((5, 64), np.uint64)
    between = np.zeros((64, 64), np.uint64)
    pawns = np.zeros((2, 64), np.uint64)
    for square in range(64):
        file, rank = square & 7, square >> 3
        for kind, (steps, reach) in enumerate(_STEPS):
            for direction, (df, dr) in enumerate(steps):
                passed = np.uint64(0)
                for step in range(1, reach + 1):
                    f, r = file + step * df, rank + step * dr
                    if not (0 <= f < 8 and 0 <= r < 8):
                        break
                    target = 8 * r + f
                    rays[kind, square, direction, step - 1] = target
                    targets[kind, square] |= _bit(target)
                    between[square, target] |= passed
                    passed |= _bit(target)
        for side, up in enumerate((1, -1)):
            for df in (-1, 1):
                if 0 <= file + df < 8 and 0 <= rank + up < 8:
                    pawns[side, square] |= _bit(8 * (rank + up) + file + df)
    maps = np.array([[apply(g, s) for s in range(64)] for g in range(8)], np.uint8)
    return Geometry(rays, targets, between, pawns, maps)


_1 = np.uint64(1)
_8 = np.uint64(8)
_NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)


@kernel
def neighbours(word: np.uint64) -> np.uint64:
    """The squares that a king reaches from any square of a set (some may lie in the set)."""
    row = ((word << _1) & _NOT_A) | ((word >> _1) & _NOT_H)
    return row | ((row | word) << _8) | ((row | word) >> _8)
