"""A half without pawns cut into blocks that stand alone: what goes through files and networks.

A block is the rows that share the attacking king and, with six men, the square of the attacker's
first piece: 2 MB of bits. It is solved by the level step of `levels` like any other rows, but its
arrays hold nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from zermelo.board.bits import popcount
from zermelo.jit import Int, kernel
from zermelo.tables.crossing import Cells, Pass
from zermelo.tables.exits import Levels, exits, steps
from zermelo.tables.geometry import END, KING, Geometry, geometry
from zermelo.tables.journal import Newly, at_level, collect
from zermelo.tables.layout import Layout, canonical, layout
from zermelo.tables.material import Half
from zermelo.tables.packing import Sums
from zermelo.tables.retrograde import Child, levels_of
from zermelo.tables.start import prepare, start
from zermelo.tables.work import Front, Words, Work, block, width_of

ROWS = 1 << 12
"""Rows of a block, 2 MB of bits, before it is cut by squares of its first piece."""


class Cut(NamedTuple):
    """How a half is cut: into ``blocks`` blocks of ``rows`` rows, ``parts`` for each king."""

    half: Half
    blocks: int
    rows: int
    parts: int

    @property
    def words(self) -> int:
        """Words of a block."""
        return self.rows * width_of(layout(self.half))


def cut(half: Half) -> Cut:
    """Cuts a half."""
    lay = layout(half)
    kings, parts = len(lay.king_squares), 1
    rows = lay.words // width_of(lay) // kings
    # The first of two pieces or more is the attacker's, so the defender never leaves a block.
    while rows // parts > ROWS and parts < 64 and len(lay.kinds) > 1 and lay.attackers:
        parts *= 2
    return Cut(half, kings * parts, rows // parts, parts)


def reach(cut: Cut) -> list[list[int]]:
    """For each block the blocks into which the attacker's moves lead, itself among them."""
    lay, geo, size = layout(cut.half), geometry(), 64 // cut.parts
    found = []
    for number in range(cut.blocks):
        king, part = divmod(number, cut.parts)
        own = range(part * size, (part + 1) * size)
        to = {number}
        if cut.parts > 1:
            squares = geo.rays[lay.kinds[0], own.start : own.stop].ravel().tolist()
            to.update(king * cut.parts + square // size for square in squares if square != END)
        for square in geo.rays[KING, lay.king_squares[king], :, 0].tolist():
            if square != END:
                turn = geo.maps[lay.king_fold[square]].tolist()
                there = int(lay.king_index[turn[square]]) * cut.parts
                to.update(there + turn[first] // size for first in own)
        found.append(sorted(to))
    return found


def needed(half: Half) -> list[tuple[Half, bool]]:
    """The finished halves that its moves look into, each once, and whether for ``lost``."""
    moves = [*exits(half, True), *exits(half, False), *steps(half, True), *steps(half, False)]
    return list(dict.fromkeys(one for move in moves for one in move.reads(half)))


def gathered(half: Half, child: Child) -> dict[tuple[Half, bool], Cells]:
    """The levels of all finished halves that its moves look into, in memory."""
    return {(to, lost): levels_of(child, to, lost) for to, lost in needed(half)}


def exits_type(levels: Iterable[Cells]) -> np.dtype[Any]:
    """The type of the levels at which exits fall due: the widest of those read."""
    return np.result_type(np.uint8, *(cells.dtype for cells in levels))


def making_block(cut: Cut, number: int, lost: Cells, win: Cells) -> Pass:
    """What the kernels need of one block, whose exits these arrays hold or will hold."""
    none = int(np.iinfo(lost.dtype).max)
    men = np.empty((3, cut.half.men), np.uint8)
    first = number * cut.words
    return Pass(geometry(), layout(cut.half), lost, win, none, men, first, record=False)


def new_block(cut: Cut, number: int, dtype: np.dtype[Any]) -> Work:
    """A block before anything of it is known."""
    return block(layout(cut.half), number * cut.rows, cut.rows, dtype)


def begin(cut: Cut, make: Pass, work: Work, after: Front, levels: Levels) -> Newly:
    """Finds the exits of a block and its level 0; returns the stalemates, mates are in ``after``.

    The exits stand in ``make.lost``, which must be zero, and ``make.win``.
    """
    make.win.fill(make.none)
    for move in [*exits(cut.half, True), *exits(cut.half, False)]:
        kernel, arguments = move.call(cut.half, make, levels)
        kernel(make, make.first, make.first + cut.words, *arguments)
    prepare(make, work, 0)
    start(make, work, after, 0)
    return Newly(*at_level(make.lost, make.none - 1))


def newly(after: Front) -> Newly:
    """What a front holds."""
    return Newly(*collect(after))


@kernel
def _count(
    geo: Geometry, lay: Layout, won: Words, impossible: Words, first: Int, work: Work
) -> tuple[Int, Int]:
    """(legal, won) canonical positions of the attacker, in words from ``first`` on."""
    legal, decided = np.int64(0), np.int64(0)
    width = won.shape[1]
    for own in range(len(won)):
        for j in range(width):
            lanes = canonical(lay, geo.maps, first + own * width + j, work.men)
            lanes &= ~impossible[own, j]
            legal += np.int64(popcount(lanes))
            decided += np.int64(popcount(lanes & won[own, j]))
    return legal, decided


def wins_of(cut: Cut, number: int, dtype: np.dtype[Any], work: Work) -> Sums:
    """What the attacker's positions of a block come to once it is solved."""
    nothing = np.zeros((0, 64), dtype)
    make, again = making_block(cut, number, nothing, nothing), new_block(cut, number, dtype)
    prepare(make, again, 0)
    legal, won = _count(make.geo, make.lay, work.won, again.won, make.first, again)
    return Sums(int(legal), int(won), int(work.latest[0]), int(work.latest[1]))


def total(sums: list[Sums]) -> Sums:
    """What all blocks come to together."""
    longest = max(one.longest for one in sums)
    example = min(one.example for one in sums if one.longest == longest)
    return Sums(sum(one.legal for one in sums), sum(one.decided for one in sums), longest, example)
