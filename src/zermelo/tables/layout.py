"""Position <-> (word, lane): how the positions of one half of a table are numbered.

A cell is one position of the men; its value depends on who is to move. The **men of a half** are
listed as: attacking king, the attacker's pieces, the defender's pieces, the attacker's pawns, the
defender's pawns, defending king; pieces of a side strongest first. The attacker's pawns go up.

    cell = word * 64 + square of the defending king
    word = slice * words + (king * 64 + first piece) * 64 + second piece …

Without pawns there is one slice, and the attacking king is folded into the triangle a1-d1-d4 (10
squares, ``words`` = 10 * 64^pieces). With pawns each placement of them is a slice, placements that
the left-right mirror or like pawns make equal being one, and the king has all 64 squares. Slices
are sorted by the steps that their pawns have left: a pawn's move leads to an earlier slice.

Several cells may be the same position: like pieces swapped, and mirrored twins where the folded
men stand on the axis of a symmetry. ``locate`` always gives the same one of them, the *canonical*
one; kernels fill all, files keep only canonical ones.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import Int, inlined, kernel
from zermelo.tables.geometry import KINDS, apply, fold
from zermelo.tables.material import Half

LOWER = np.uint64(0x0080C0E0F0F8FCFE)
"""Squares strictly below the diagonal a1-h8."""
DIAGONAL = np.uint64(0x8040201008040201)
LEFT = np.uint64(0x0F0F0F0F0F0F0F0F)
"""Files a to d."""
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Layout(NamedTuple):
    """The numbering of one half, as arrays for the kernels.

    kinds:     uint8[k], kind of each piece (index into KINDS), the attacker's first.
    attackers: how many of the k pieces are the attacker's.
    strides:   uint64[k], weight of each piece's square in the word.
    king_squares: uint8[10 or 64], king index -> square; king_stride: its weight.
    king_index:   uint8[64], square -> king index after folding; king_fold: uint8[64], the symmetry.
    pawns:     uint8[S, p], squares of the pawns of each slice, the attacker's first.
    attacking_pawns: how many of the p pawns are the attacker's.
    slice_of:  int32[48^p], placement (each pawn a digit 0 = a2 … 47 = h7, the first the highest)
               -> 2 * slice + 1 if it must be mirrored, or -1.
    mirror:    uint8[S], whether the mirror maps the slice to itself.
    words:     words of a slice.
    """

    kinds: NDArray[np.uint8]
    attackers: int
    strides: NDArray[np.uint64]
    king_squares: NDArray[np.uint8]
    king_stride: int
    king_index: NDArray[np.uint8]
    king_fold: NDArray[np.uint8]
    pawns: NDArray[np.uint8]
    attacking_pawns: int
    slice_of: NDArray[np.int32]
    mirror: NDArray[np.uint8]
    words: int

    @property
    def slices(self) -> int:
        """How many slices there are."""
        return len(self.pawns)

    @property
    def cells(self) -> int:
        """How many cells there are in all."""
        return self.slices * self.words * 64


def _pieces(men: str) -> str:
    return men.replace("P", "")


def pushes_left(pawns: tuple[int, ...], own: int) -> int:
    """How many single steps the pawns can make before the last promotes; ``own`` of them go up."""
    ranks = [square >> 3 for square in pawns]
    return sum(7 - rank for rank in ranks[:own]) + sum(ranks[own:])


def _placements(own: int, other: int, flip: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """(whether all pawns stand apart, key) of each placement in the order of ``slice_of``.

    Keys sort by the steps left, then by the squares after the flip, those of like pawns ascending:
    six bits a square, the last pawn's lowest.
    """
    count = own + other
    squares = np.indices((48,) * count, np.uint8).reshape(count, 48**count) + np.uint8(8)
    apart = np.ones(48**count, np.bool_)
    for one, two in combinations(squares, 2):
        apart &= one != two
    key = np.zeros(48**count, np.int64)
    for up, pawns in ((7, squares[:own]), (0, squares[own:])):
        for ranks in pawns >> np.uint8(3):
            key += abs(up - ranks.astype(np.int64))
    squares ^= np.uint8(flip)
    for pawns in (squares[:own], squares[own:]):
        for row in np.sort(pawns, axis=0):
            key = key << 6 | row
    return apart, key


def _slices(own: int, other: int) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8]]:
    """(pawns, slice_of, mirror) for so many pawns of the attacker and of the defender."""
    apart, plain = _placements(own, other, 0)
    mirrored = _placements(own, other, 7)[1]
    keys, numbers = np.unique(np.minimum(plain, mirrored)[apart], return_inverse=True)
    slice_of = np.full(len(apart), -1, np.int32)
    slice_of[apart] = 2 * numbers + (mirrored < plain)[apart]
    mirror = np.zeros(len(keys), np.uint8)
    mirror[numbers] = (plain == mirrored)[apart]
    shifts = np.arange(6 * (own + other - 1), -1, -6)
    return (keys[:, None] >> shifts & 63).astype(np.uint8), slice_of, mirror


@cache
def layout(half: Half) -> Layout:
    """The numbering of a half."""
    attacker, defender = _pieces(half.attacker), _pieces(half.defender)
    pieces = attacker + defender
    squares = range(64) if half.pawns else [s for s in range(64) if fold(s) == 0]
    folds = [0 if half.pawns else fold(s) for s in range(64)]
    own, other = half.attacker.count("P"), half.defender.count("P")
    pawns, slice_of, mirror = _slices(own, other)
    return Layout(
        kinds=np.array([KINDS.index(piece) for piece in pieces], np.uint8),
        attackers=len(attacker),
        strides=np.array([64 ** (len(pieces) - 1 - i) for i in range(len(pieces))], np.uint64),
        king_squares=np.array(squares, np.uint8),
        king_stride=64 ** len(pieces),
        king_index=np.array([list(squares).index(apply(folds[s], s)) for s in range(64)], np.uint8),
        king_fold=np.array(folds, np.uint8),
        pawns=pawns,
        attacking_pawns=own,
        slice_of=slice_of,
        mirror=mirror,
        words=len(squares) * 64 ** len(pieces),
    )


@inlined
def number(
    maps: NDArray[np.uint8],
    king_index: NDArray[np.uint8],
    king_fold: NDArray[np.uint8],
    slice_of: NDArray[np.int32],
    words: Int,
    k: int,
    p: int,
    men: NDArray[np.uint8],
) -> tuple[np.int64, np.int64]:
    """``place`` for inner loops, which do better not to hand a whole layout from call to call."""
    slice_number, symmetry = np.int64(0), np.int64(king_fold[men[0]])
    if p:
        code = np.int64(0)
        for i in range(1 + k, 1 + k + p):
            code = code * 48 + np.int64(men[i]) - 8
        found = np.int64(slice_of[code])
        slice_number, symmetry = found >> 1, found & 1
    word = np.int64(king_index[maps[symmetry, men[0]]])
    for i in range(k):
        word = word << 6 | np.int64(maps[symmetry, men[1 + i]])
    return slice_number * words + word, symmetry


@kernel
def read(
    king_squares: NDArray[np.uint8],
    pawns: NDArray[np.uint8],
    words: Int,
    k: int,
    word: Int,
    men: NDArray[np.uint8],
) -> None:
    """``unplace`` for inner loops."""
    rest = word
    if pawns.shape[1]:
        slice_number = word // words
        rest = word - slice_number * words
        for i in range(pawns.shape[1]):
            men[1 + k + i] = pawns[slice_number, i]
    for i in range(k):
        men[k - i] = rest & 63
        rest >>= 6
    men[0] = king_squares[rest]


@inlined
def place(
    lay: Layout, maps: NDArray[np.uint8], men: NDArray[np.uint8]
) -> tuple[np.int64, np.int64]:
    """(word, symmetry) of men in the order of a half; the symmetry takes real squares to lanes.

    ``men`` is uint8[2 + k + p]; the defending king is not looked at, like pieces are not sorted,
    and twins by symmetry not told apart: any of the equal words.
    """
    k, p = len(lay.kinds), lay.pawns.shape[1]
    return number(maps, lay.king_index, lay.king_fold, lay.slice_of, lay.words, k, p, men)


@kernel
def unplace(lay: Layout, word: Int, men: NDArray[np.uint8]) -> None:
    """Writes the men of a word, without the defending king, into ``men``; undoes ``place``."""
    read(lay.king_squares, lay.pawns, lay.words, len(lay.kinds), word, men)


@inlined
def _sort_like(lay: Layout, men: NDArray[np.uint8]) -> None:
    """Sorts the squares of like pieces of one side, in place."""
    for i in range(1, len(lay.kinds)):
        j = i
        while (
            j > 0
            and j != lay.attackers
            and lay.kinds[j] == lay.kinds[j - 1]
            and men[1 + j] < men[j]
        ):
            men[1 + j], men[j] = men[j], men[1 + j]
            j -= 1


@inlined
def _move_all(lay: Layout, maps: NDArray[np.uint8], symmetry: Int, men: NDArray[np.uint8]) -> None:
    for i in range(len(men)):
        men[i] = maps[symmetry, men[i]]
    _sort_like(lay, men)


@inlined
def locate(lay: Layout, maps: NDArray[np.uint8], men: NDArray[np.uint8]) -> np.int64:
    """The canonical cell of men in the order of a half.

    ``men``, uint8[2 + k + p], is changed: its squares become those of that cell.
    """
    word, symmetry = place(lay, maps, men)
    _move_all(lay, maps, symmetry, men)
    word = place(lay, maps, men)[0]
    file, rank = men[-1] & 7, men[-1] >> 3
    if lay.pawns.shape[1]:
        if lay.mirror[word // lay.words] and file > 3:
            _move_all(lay, maps, 1, men)
            word = place(lay, maps, men)[0]
    elif men[0] & 7 == men[0] >> 3 and rank >= file:
        # The swap of files and ranks keeps the attacking king: of the twins, the one with the
        # defending king below the diagonal, or with both kings on it, the smaller word.
        _move_all(lay, maps, 4, men)
        twin = place(lay, maps, men)[0]
        if rank > file or twin < word:
            word = twin
        else:
            _move_all(lay, maps, 4, men)
    return word * 64 + np.int64(men[-1])


@kernel
def canonical(lay: Layout, maps: NDArray[np.uint8], word: Int, men: NDArray[np.uint8]) -> np.uint64:
    """The lanes of a word that are canonical cells; ``men``, uint8[2 + k + p], is scratch."""
    unplace(lay, word, men)
    for i in range(1, len(lay.kinds)):
        like = i != lay.attackers and lay.kinds[i] == lay.kinds[i - 1]
        if like and men[1 + i] < men[i]:
            return np.uint64(0)
    if lay.pawns.shape[1]:
        return LEFT if lay.mirror[word // lay.words] else ALL
    if men[0] & 7 != men[0] >> 3:
        return ALL
    men[-1] = men[0]
    _move_all(lay, maps, 4, men)
    return LOWER if place(lay, maps, men)[0] < word else LOWER | DIAGONAL
