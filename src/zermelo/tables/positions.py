"""The positions of a table, block by block, with what each is worth and its numbers of moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import ONE, lsb
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.chunks import in_chunks
from zermelo.tables.counting import Opposite, lost_level, opposite_of
from zermelo.tables.fens import fen, letters_of
from zermelo.tables.judge import count_moves
from zermelo.tables.layout import canonical, unplace
from zermelo.tables.material import Half, Material
from zermelo.tables.reach import Cells, Child, Reach, Scratch, reach_of, scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, IMPOSSIBLE, survey

CHUNK = 256
"""Words whose positions are in memory at a time, for each thread."""
ANY = -1
"""In place of a level: all."""

OUTCOME, PLIES, LEGAL, WINNING = range(4)
"""Columns of ``Block.facts``."""


class Block(NamedTuple):
    """Positions of some words.

    men: uint8[n, m], in the order of ``layout``.
    facts: int64[n, 4]: outcome, plies, legal moves, winning moves.
    """

    men: NDArray[np.uint8]
    facts: NDArray[np.int64]


@kernel
def _count(reach: Reach, first: Int, last: Int, work: Scratch) -> Int:
    """How many positions words first to last have."""
    reach, work = borrow(reach), borrow(work)
    count = 0
    for word in range(first, last):
        lanes = canonical(reach.lay, reach.maps, word, work.men)
        unplace(reach.lay, word, work.men)
        while lanes:
            lane = lsb(lanes)
            lanes &= lanes - ONE
            work.men[-1] = lane
            count += survey(reach.cast, work.men, reach.side, work.goals) != IMPOSSIBLE
    return count


@kernel
def _write(
    reach: Reach,
    stored: Cells,
    opposite: Opposite,
    wanted: NDArray[np.int64],
    whole: bool,
    level: Int,
    first: Int,
    last: Int,
    work: Scratch,
    men: NDArray[np.uint8],
    facts: NDArray[np.int64],
) -> Int:
    """Writes positions of words first to last: the whole, or those with the wanted numbers.

    wanted: int64[w], ascending, numbers among the positions of these words. Of these only the ones
    that are stored at a level are written; ANY for all. Returns how many were written.
    """
    reach, work = borrow(reach), borrow(work)
    attacking = reach.side == ATTACKER
    count, number = 0, 0
    for word in range(first, last):
        lanes = canonical(reach.lay, reach.maps, word, work.men)
        unplace(reach.lay, word, work.men)
        while lanes:
            lane = lsb(lanes)
            lanes &= lanes - ONE
            found = np.int64(stored[word, lane])
            if level != ANY and level != found:
                continue
            work.men[-1] = lane
            if survey(reach.cast, work.men, reach.side, work.goals) == IMPOSSIBLE:
                continue
            number += 1
            if not whole and (count == len(wanted) or wanted[count] != number - 1):
                continue
            men[count] = work.men
            facts[count, 0], facts[count, 1] = 0, -1
            if found < reach.none - 1:
                facts[count, 0] = 1 if attacking else -1
                facts[count, 1] = 2 * found - 1 if attacking else 2 * found
            elif attacking:
                beaten = lost_level(opposite, reach.maps, work.men, work.there)
                if beaten >= 0:
                    facts[count, 0], facts[count, 1] = -1, 2 * beaten
            facts[count, 2], facts[count, 3] = count_moves(reach, work)
            count += 1
    return count


class Walk:
    """All positions of a material with one side to move.

    They are read from the half in which that side attacks (``attacking``) or from the other one, in
    which a win cannot be told from a draw; ``turn`` is w or b, White having the men named first.
    """

    def __init__(self, material: Material, turn: str, attacking: bool, child: Child) -> None:
        own, other = material.strong, material.weak
        if turn == "b":
            own, other = other, own
        self.turn = turn
        self.half = Half(own, other) if attacking else Half(other, own)
        self.white_attacks = (turn == "w") == attacking
        against = Half(self.half.defender, self.half.attacker)
        solved = child(self.half)
        self.words = len(solved.lost)
        self._stored = solved.win if attacking else solved.lost
        cells = solved.lost if attacking else solved.win
        self._reach = reach_of(self.half, ATTACKER if attacking else DEFENDER, cells, child)
        self._opposite = opposite_of(self.half, None if against.hopeless else child(against).lost)

    @classmethod
    def complete(cls, material: Material, turn: str, child: Child) -> Walk:
        """The walk that tells all outcomes."""
        sides = (material.strong, material.weak)
        own, other = sides if turn == "w" else sides[::-1]
        attacking = not Half(own, other).hopeless or Half(other, own).hopeless
        return cls(material, turn, attacking, child)

    def counts(self) -> Iterator[tuple[int, int]]:
        """(words done, positions) of each chunk."""
        return in_chunks(
            self.words, lambda a, b: int(_count(self._reach, a, b, scratch(self.half))), CHUNK
        )

    def block(
        self, first: int, last: int, wanted: NDArray[np.int64] | None = None, level: int = ANY
    ) -> Block:
        """The positions of some words, or those with wanted numbers, or those at a level."""
        room = (last - first) * 64 if wanted is None else len(wanted)
        men, facts = np.empty((room, self.half.men), np.uint8), np.empty((room, 4), np.int64)
        numbers = np.empty(0, np.int64) if wanted is None else wanted
        count = int(
            _write(
                self._reach,
                self._stored,
                self._opposite,
                numbers,
                wanted is None,
                level,
                first,
                last,
                scratch(self.half),
                men,
                facts,
            )
        )
        return Block(men[:count], facts[:count])

    def fens(self, block: Block) -> Iterator[str]:
        """The FENs of a block."""
        letters = letters_of(self.half, self.white_attacks)
        for squares in block.men.tolist():
            yield fen(letters, squares, self.white_attacks, self.turn)
