"""A half without pawns cut into blocks that stand alone: what goes through files and networks.

A block is the rows that share the attacking king and, from six men on, the square of the attacker's
first piece: 2 MB of bits. It is solved by the level step of `levels` like any other rows, but its
arrays hold nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zermelo.board.bits import popcount
from zermelo.jit import Int, kernel
from zermelo.tables.crossing import Cells, Pass
from zermelo.tables.exits import exits
from zermelo.tables.geometry import END, KING, Geometry, geometry
from zermelo.tables.journal import Newly, at_level, collect
from zermelo.tables.layout import Layout, canonical, layout
from zermelo.tables.material import Half
from zermelo.tables.packing import Sums
from zermelo.tables.retrograde import Child, Solved
from zermelo.tables.start import prepare, start
from zermelo.tables.work import Front, Words, Work, block, width_of

ROWS = 1 << 12
"""Rows that a block may have before it is cut by its first piece: 2 MB of bits, as with six men."""


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
    kings, rows = len(lay.king_squares), lay.words // width_of(lay)
    # The first of two pieces or more is the attacker's, so the defender never leaves a block.
    parts = 64 if rows // kings > ROWS and len(lay.kinds) > 1 and lay.attackers else 1
    return Cut(half, kings * parts, rows // (kings * parts), parts)


def reach(cut: Cut) -> list[list[int]]:
    """For each block the blocks into which the attacker's moves lead, itself among them."""
    lay, geo = layout(cut.half), geometry()
    found = []
    for number in range(cut.blocks):
        king, first = divmod(number, cut.parts)
        to = {number}
        if cut.parts > 1:
            squares = geo.rays[lay.kinds[0], first].ravel().tolist()
            to.update(king * cut.parts + square for square in squares if square != END)
        for square in geo.rays[KING, lay.king_squares[king], :, 0].tolist():
            if square != END:
                turn = geo.maps[lay.king_fold[square]]
                there = int(lay.king_index[turn[square]]) * cut.parts
                to.add(there + (int(turn[first]) if cut.parts > 1 else 0))
        found.append(sorted(to))
    return found


def gathered(half: Half, child: Child) -> Child:
    """All halves to which moves lead, in memory with the levels that the moves need."""
    known: dict[Half, Solved] = {}
    for move in [*exits(half, True), *exits(half, False)]:
        if move.child not in known:
            known[move.child] = child(move.child)
        if not move.by_attacker:
            _ = known[move.child].win  # computed when first asked for, here by all threads
    return known.__getitem__


def exits_type(half: Half, child: Child) -> np.dtype[Any]:
    """The type of the levels at which exits fall due: the widest of the children's."""
    types = [child(move.child).dtype for side in (True, False) for move in exits(half, side)]
    return np.result_type(np.uint8, *types)


def making_block(cut: Cut, number: int, lost: Cells, win: Cells) -> Pass:
    """What the kernels need of one block, whose exits these arrays hold or will hold."""
    none = int(np.iinfo(lost.dtype).max)
    men = np.empty((3, cut.half.men), np.uint8)
    first = number * cut.words
    return Pass(geometry(), layout(cut.half), lost, win, none, men, first, record=False)


def new_block(cut: Cut, number: int, dtype: np.dtype[Any]) -> Work:
    """A block before anything of it is known."""
    return block(layout(cut.half), number * cut.rows, cut.rows, dtype)


def begin(cut: Cut, make: Pass, work: Work, after: Front, child: Child) -> Newly:
    """Finds the exits of a block and its level 0; returns the stalemates, mates are in ``after``.

    The exits stand in ``make.lost`` and ``make.win``, which must be zero.
    """
    moves = [list(exits(cut.half, side)) for side in (True, False)]
    # Zero stands for "no exit" as well as ``none`` does, and a file of zeros takes no room.
    if moves[0]:
        make.win.fill(make.none)
    for move in moves[0] + moves[1]:
        kernel, arguments = move.call(cut.half, make, child)
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


def wins_of(cut: Cut, make: Pass, work: Work) -> Sums:
    """What the attacker's positions of a block come to once it is solved."""
    again = new_block(cut, make.first // cut.words, make.lost.dtype)
    prepare(make, again, 0)
    legal, won = _count(make.geo, make.lay, work.won, again.won, make.first, again)
    return Sums(int(legal), int(won), int(work.latest[0]), int(work.latest[1]))


def total(sums: list[Sums]) -> Sums:
    """What all blocks come to together."""
    longest = max(one.longest for one in sums)
    example = min(one.example for one in sums if one.longest == longest)
    return Sums(sum(one.legal for one in sums), sum(one.decided for one in sums), longest, example)
