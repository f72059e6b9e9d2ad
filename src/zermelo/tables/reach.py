"""Where the moves of one side of a half lead: the arrays from which `judge` reads."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
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
    Cast,
    cast_of,
    men_of,
)

Cells = NDArray[Any]
Men = NDArray[np.uint8]

HERE = 0
"""The number of the half itself among its children."""
NOTHING = -1
"""In ``links``: such a move leads to a half in which nobody is ever mated, or there is none."""
_VICTIMS = (*KINDS, "P", "")
"""The columns of ``links``."""


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
    pool:   [rows, 64], the same of each of c children, one after the other.
    shapes: int64[1 + c, 5], of the half itself and of each child: its pieces, its pawns, where its
            part of ``slice_of`` and where its part of ``pool`` begin, and the promoted man if only
            the words in which it stands on its last rank are there, else 0.
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
    starts, symmetries: int64[m, 64], the words to which each man's moves to each square lead,
            whatever the lane.
    """

    men: Men
    after: Men
    there: Men
    goals: Words
    starts: NDArray[np.int64]
    symmetries: NDArray[np.int64]


def scratch(half: Half) -> Scratch:
    """Scratch for one thread."""
    men, after, there = np.zeros((3, half.men), np.uint8)
    starts, symmetries = np.zeros((2, half.men, 64), np.int64)
    return Scratch(men, after, there, np.zeros(half.men, np.uint64), starts, symmetries)


def _after(half: Half, side: int, taken: str, promoted: str) -> Half:
    mover, other = half.attacker, without(half.defender, taken)
    if side == DEFENDER:
        mover, other = half.defender, without(half.attacker, taken)
    if promoted:
        mover = ordered(without(mover, "P") + promoted)
    return Half(mover, other) if side == ATTACKER else Half(other, mover)


def _copy(cells: Cells, out: Cells) -> None:
    """Writes levels into an array of the same or a wider type, "never" and stalemate kept."""
    out[:] = cells
    lift = np.iinfo(out.dtype).max - np.iinfo(cells.dtype).max
    if lift:
        out[cells >= np.iinfo(cells.dtype).max - 1] += lift


class _Part(NamedTuple):
    """A child of which ``lost``, or else ``win``, is read.

    cut: the promoted man, if there are pawns left: then the words in which it stands on ``rank``
    are all that is needed, an eighth of what may be larger than the half itself.
    """

    half: Half
    lost: bool
    cut: int
    rank: int

    def shape(self) -> tuple[int, ...]:
        """Of its rows: words before the promoted man, files, words behind it."""
        lay = layout(self.half)
        rows = lay.slices * lay.words
        if not self.cut:
            return 1, 1, rows
        behind = 64 ** (len(lay.kinds) - self.cut)
        return rows // behind // 64, 8, behind

    def read(self, child: Child, out: Cells) -> None:
        """Writes its rows, [n, 64]."""
        solved = child(self.half)
        cells = solved.lost if self.lost else solved.win
        before, files, behind = self.shape()
        if self.cut:
            cells = cells.reshape(before, 8, files, behind, 64)[:, self.rank]
        _copy(cells, out.reshape(cells.shape))


class _Children:
    """Collects children, each once, as the arrays of a ``Reach``; the first is the half itself."""

    def __init__(self, half: Half) -> None:
        lay = layout(half)
        self.parts: list[_Part] = []
        self.shapes = [(len(lay.kinds), half.pawns, 0, 0, 0)]
        self.slice_of = [lay.slice_of]
        self.codes, self.rows = len(lay.slice_of), 0

    def number(self, half: Half, lost: bool, promoted: int = 0, rank: int = 0) -> int:
        """The number of a child; ``promoted`` is the man that always stands on a rank, or 0."""
        if half.hopeless:
            return NOTHING
        part = _Part(half, lost, promoted if half.pawns else 0, rank)
        if part not in self.parts:
            lay = layout(half)
            self.parts.append(part)
            self.shapes.append((len(lay.kinds), half.pawns, self.codes, self.rows, part.cut))
            self.slice_of.append(lay.slice_of)
            self.codes += len(lay.slice_of)
            self.rows += prod(part.shape())
        return 1 + self.parts.index(part)

    def pool(self, child: Child, dtype: DTypeLike) -> Cells:
        """All parts; no child is in memory longer than it is copied."""
        pool = np.empty((self.rows, 64), dtype)
        for part, shape in zip(self.parts, self.shapes[1:], strict=True):
            part.read(child, pool[shape[3] : shape[3] + prod(part.shape())])
        return pool


def reach_of(half: Half, side: int, own: Cells, child: Child) -> Reach:
    """Prepares to look up the moves of one side of a half; ``child`` gives the halves reached."""
    children = _Children(half)
    rank = 7 if side == ATTACKER else 0
    links = np.full((5, 7), NOTHING, np.int64)
    slots = np.zeros((5, 7), np.int64)
    mover, other = half.attacker, half.defender
    if side == DEFENDER:
        mover, other = other, mover
    for promotion, promoted in enumerate((*KINDS[:KING], "")):
        if promoted and "P" not in mover:
            continue
        victims = [*other.replace("P", ""), ""] if promoted else [*other]
        for taken in dict.fromkeys(victims):
            kind, after = _VICTIMS.index(taken), _after(half, side, taken, promoted)
            slot = slots[promotion, kind] = _slot(after, side, promoted)
            links[promotion, kind] = children.number(after, side == ATTACKER, slot, rank)
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
        children.pool(child, own.dtype),
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
