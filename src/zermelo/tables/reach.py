"""Where the moves of one side of a half lead: the arrays from which `judge` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zermelo.board.bits import Words
from zermelo.tables.geometry import KINDS, KING, geometry
from zermelo.tables.layout import Layout, layout
from zermelo.tables.material import Half, ordered, without
from zermelo.tables.survey import (
    ATTACKER,
    DEFENDER,
    PAWN,
    Cast,
    cast_of,
    men_of,
)

Cells = NDArray[Any]
Men = NDArray[np.uint8]
Levels = NDArray[np.int64]

HERE = 0
"""The number of the half itself among its children."""
NOTHING = -1
"""In ``links``: such a move leads to a half in which nobody is ever mated, or there is none."""


class Finished(Protocol):
    """A half of a table in memory, as ``retrograde.Solved`` is."""

    @property
    def lost(self) -> Cells:
        """Levels with the defender to move."""

    @property
    def win(self) -> Cells:
        """Levels with the attacker to move."""

    @property
    def none(self) -> int:
        """The level that stands for "never"."""


Child = Callable[[Half], Finished]


class Reach(NamedTuple):
    """Everything that the moves of one side of a half can lead to.

    own:    [words, 64], the half's own ``lost`` if the attacker moves, else its ``win``.
    pool:   the same of each of c children, one after the other.
    shapes: int64[1 + c, 4], of the half itself and of each child: its pieces, its pawns, where its
            part of ``slice_of`` and where its part of ``pool`` begin.
    slice_of: int32, their ``Layout.slice_of``, one after the other.
    links:  int64[5, 7], child by promotion (index into KINDS, or 4: none) and by kind of the man
            taken (or 6: none).
    slots:  int64[5, 7], the place of the promoted man in the child's order of men.
    passant: the child of an answer en passant to this side's double push; its values are those
            with this side to move.
    kings, folds: uint8[2, 64], ``Layout.king_index`` and ``king_fold`` without and with pawns.
    none:   the level that stands for "never"; ``none - 1`` in ``lost`` is stalemate.
    """

    lay: Layout
    cast: Cast
    maps: NDArray[np.uint8]
    side: int
    own: Cells
    pool: Cells
    shapes: NDArray[np.int64]
    slice_of: NDArray[np.int32]
    links: NDArray[np.int64]
    slots: NDArray[np.int64]
    passant: int
    kings: NDArray[np.uint8]
    folds: NDArray[np.uint8]
    none: int


class Scratch(NamedTuple):
    """What a kernel writes on, for m men.

    men, after, there: uint8[m], a position and two others; goals: uint64[m], of its men.
    starts, symmetries: int64[m, 64], where a move of each man to each square leads, whatever the
            lane: a word or, for a capture, where in ``pool`` its row begins.
    odd:    uint64[m], the squares to which a pawn's move is neither.
    """

    men: Men
    after: Men
    there: Men
    goals: Words
    starts: NDArray[np.int64]
    symmetries: NDArray[np.int64]
    odd: Words


def scratch(half: Half) -> Scratch:
    """Scratch for one thread."""
    count = half.men
    men, after, there = np.zeros((3, count), np.uint8)
    goals, odd = np.zeros((2, count), np.uint64)
    starts, symmetries = np.zeros((2, count, 64), np.int64)
    return Scratch(men, after, there, goals, starts, symmetries, odd)


def _after(half: Half, side: int, taken: str, promoted: str) -> Half:
    mover, other = half.attacker, without(half.defender, taken)
    if side == DEFENDER:
        mover, other = half.defender, without(half.attacker, taken)
    if promoted:
        mover = ordered(without(mover, "P") + promoted)
    return Half(mover, other) if side == ATTACKER else Half(other, mover)


def _widened(cells: Cells, dtype: DTypeLike) -> Cells:
    """Levels in a wider type, "never" and stalemate kept."""
    if cells.dtype == dtype:
        return cells.reshape(-1)
    lift = np.iinfo(dtype).max - np.iinfo(cells.dtype).max
    wide = cells.astype(dtype)
    return np.where(cells >= np.iinfo(cells.dtype).max - 1, wide + lift, wide).reshape(-1)


class _Children:
    """Collects children, each once, as the arrays of a ``Reach``; the first is the half itself."""

    def __init__(self, half: Half, child: Child, dtype: DTypeLike) -> None:
        self.child, self.dtype = child, dtype
        self.numbers: dict[tuple[Half, bool], int] = {}
        lay = layout(half)
        self.shapes = [(len(lay.kinds), half.pawns, 0, 0)]
        self.slice_of = [lay.slice_of]
        self.pool: list[Cells] = [np.zeros(0, dtype)]
        self.codes, self.cells = len(lay.slice_of), 0

    def number(self, half: Half, lost: bool) -> int:
        """The number of a child of which ``lost``, or else ``win``, is read."""
        if half.hopeless:
            return NOTHING
        if (half, lost) not in self.numbers:
            self.numbers[half, lost] = len(self.shapes)
            lay, solved = layout(half), self.child(half)
            self.shapes.append((len(lay.kinds), half.pawns, self.codes, self.cells))
            self.slice_of.append(lay.slice_of)
            self.pool.append(_widened(solved.lost if lost else solved.win, self.dtype))
            self.codes += len(lay.slice_of)
            self.cells += lay.cells
        return self.numbers[half, lost]


def reach_of(half: Half, side: int, own: Cells, child: Child) -> Reach:
    """Prepares to look up the moves of one side of a half; ``child`` gives the halves reached."""
    children = _Children(half, child, own.dtype)
    links = np.full((5, 7), NOTHING, np.int64)
    slots = np.zeros((5, 7), np.int64)
    mover, other = half.attacker, half.defender
    if side == DEFENDER:
        mover, other = other, mover
    letters = KINDS[:KING]
    for promotion in range(5):
        promoted = letters[promotion] if promotion < KING else ""
        if promoted and "P" not in mover:
            continue
        for taken in dict.fromkeys(other if not promoted else other.replace("P", "")):
            kind = PAWN if taken == "P" else letters.index(taken)
            after = _after(half, side, taken, promoted)
            links[promotion, kind] = children.number(after, side == ATTACKER)
            slots[promotion, kind] = _slot(after, side, promoted)
        if promoted:
            after = _after(half, side, "", promoted)
            links[promotion, 6] = children.number(after, side == ATTACKER)
            slots[promotion, 6] = _slot(after, side, promoted)
    passant = NOTHING
    if "P" in mover and "P" in other:
        passant = children.number(_after(half, 1 - side, "P", ""), side == DEFENDER)
    plain, pawned = layout(Half("", "")), layout(Half("P", ""))
    return Reach(
        layout(half),
        cast_of(half),
        geometry().maps,
        side,
        own,
        np.concatenate(children.pool),
        np.array(children.shapes, np.int64),
        np.concatenate(children.slice_of),
        links,
        slots,
        passant,
        np.stack([plain.king_index, pawned.king_index]),
        np.stack([plain.king_fold, pawned.king_fold]),
        int(np.iinfo(own.dtype).max),
    )


def _slot(half: Half, side: int, promoted: str) -> int:
    return men_of(half).index((promoted, side)) if promoted else 0
