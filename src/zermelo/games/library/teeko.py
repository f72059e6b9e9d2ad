"""Teeko, the large example of a game that numbers its positions.

On a board of five by five the two players in turn place four stones each, then move one stone at a
time to a neighbouring empty square, diagonals included. Whoever has his four stones in a row or on
a square of two by two wins (advanced: on the corners of a square of any size).

Numbers. The positions with t stones on the board come one after another, t = 0 to 8; ``drops`` of
them are those of the placing phase (t < 8). Within them a position is ``mine * S + theirs``: the
rank of the mover's stones among all sets of so many squares, and the rank of the opponent's stones
among the sets of the squares left over, S of them. A set's rank is the sum of C(square, j) over its
squares in ascending order, j = 1, 2, …
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np

from zermelo.games.indexed import ABSENT
from zermelo.games.induction import OPEN
from zermelo.jit import kernel

SIDE = 5
SQUARES = SIDE * SIDE
LOW = 12
"""Squares in the lower part of a set, ranked by table."""

MOVER = np.array([t // 2 for t in range(9)])
"""Stones of the player to move with t stones on the board."""

BLOCK = np.array([comb(SQUARES - t // 2, t - t // 2) for t in range(9)])
FIRST = np.cumsum([0, *(comb(SQUARES, t // 2) * int(BLOCK[t]) for t in range(9))])

SETS = [
    np.array(sorted(sum(1 << s for s in c) for c in combinations(range(SQUARES), k)), np.int64)
    for k in range(5)
]
STARTS = np.cumsum([0, *(sets.size for sets in SETS)])
ALL_SETS = np.concatenate(SETS)
"""The sets of 0 to 4 squares by size and rank: ascending bit sets are in the order of ranks."""


def _partial(bits: int, below: int) -> list[list[int]]:
    """For each set of ``bits`` squares from ``below`` up: its part of the rank after c squares."""
    table = []
    for squares in range(1 << bits):
        held = [s + below for s in range(bits) if squares >> s & 1]
        table.append([sum(comb(s, c + j) for j, s in enumerate(held, 1)) for c in range(5)])
    return table


RANK_LOW = np.array(_partial(LOW, 0), np.int64)[:, 0].copy()
RANK_HIGH = np.array(_partial(SQUARES - LOW, LOW), np.int64)
COUNT = np.array([s.bit_count() for s in range(1 << LOW)], np.int64)
NEAR = np.array(
    [
        sum(
            1 << o
            for o in range(SQUARES)
            if o != s and abs(o % SIDE - s % SIDE) <= 1 and abs(o // SIDE - s // SIDE) <= 1
        )
        for s in range(SQUARES)
    ],
    np.int64,
)


def goals(advanced: bool) -> list[int]:
    """The winning sets of four squares: 44, or 58 in the advanced game."""
    found = set()
    for s in range(SQUARES):
        y, x = divmod(s, SIDE)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            if 0 <= x + 3 * dx < SIDE and y + 3 * dy < SIDE:
                found.add(sum(1 << s + i * (dy * SIDE + dx) for i in range(4)))
        for d in range(1, SIDE if advanced else 2):
            if x + d < SIDE and y + d < SIDE:
                found.add(1 << s | 1 << s + d | 1 << s + d * SIDE | 1 << s + d * (SIDE + 1))
    return sorted(found)


@kernel
def _rank(squares: int) -> int:
    low = squares & (1 << LOW) - 1
    return RANK_LOW[low] + RANK_HIGH[squares >> LOW, COUNT[low]]


@kernel
def _stones(i: int) -> int:
    t = 0
    while i >= FIRST[t + 1]:
        t += 1
    return t


@kernel
def _sets(i: int, t: int) -> tuple[int, int]:
    """The bit sets (stones of the mover, stones of the opponent)."""
    rest = i - FIRST[t]
    mine = ALL_SETS[STARTS[MOVER[t]] + rest // BLOCK[t]]
    theirs = ALL_SETS[STARTS[t - MOVER[t]] + rest % BLOCK[t]]
    held = mine
    while held:
        bit = held & -held
        held ^= bit
        below = theirs & (bit - 1)
        theirs = (theirs ^ below) << 1 | below
    return mine, theirs


@kernel
def _number(mine: int, theirs: int, t: int) -> int:
    held = mine
    while held:
        bit = held & -held
        held ^= bit
        below = theirs & (bit - 1)
        theirs = (theirs ^ below) >> 1 | below
        held >>= 1
    return FIRST[t] + _rank(mine) * BLOCK[t] + _rank(theirs)


@kernel
def successors(i: int, out: Any) -> int:
    """The drops of a stone, or the moves of the mover's stones."""
    t = _stones(i)
    mine, theirs = _sets(i, t)
    empty = (1 << SQUARES) - 1 & ~(mine | theirs)
    found = 0
    if t < 8:
        while empty:
            to = empty & -empty
            empty ^= to
            out[found] = _number(theirs, mine | to, t + 1)
            found += 1
        return found
    for s in range(SQUARES):
        if mine >> s & 1:
            free = empty & NEAR[s]
            while free:
                to = free & -free
                free ^= to
                out[found] = _number(theirs, mine ^ (1 << s) | to, t)
                found += 1
    return found


@kernel
def predecessors(i: int, out: Any) -> int:
    """The opponent's last stone taken up again, or moved back."""
    t = _stones(i)
    mine, theirs = _sets(i, t)
    empty = (1 << SQUARES) - 1 & ~(mine | theirs)
    found = 0
    for s in range(SQUARES):
        if theirs >> s & 1:
            before = theirs ^ (1 << s)
            out[found] = _number(before, mine, t - 1)
            found += 1
            free = empty & NEAR[s] if t == 8 else 0
            while free:
                to = free & -free
                free ^= to
                out[found] = _number(before | to, mine, t)
                found += 1
    return found


@cache
def _outcome(advanced: bool) -> Any:
    goal = np.zeros(SETS[4].size, np.bool_)
    goal[np.searchsorted(SETS[4], goals(advanced))] = True

    @kernel
    def outcome(i: int) -> int:
        t = _stones(i)
        if t < 7:
            return OPEN
        if t == 8 and goal[(i - FIRST[t]) // BLOCK[t]]:
            return ABSENT
        return -1 if goal[_rank(_sets(i, t)[1])] else OPEN

    return outcome


class Teeko:
    """The game as ``solve_indexed`` takes it: numbers below ``drops`` are of the placing phase."""

    start = 0
    size = int(FIRST[9])
    drops = int(FIRST[8])
    degree = 40
    sections: ClassVar = {"placing": (0, drops), "moving": (drops, size)}
    successors = staticmethod(successors)
    predecessors = staticmethod(predecessors)

    def __init__(self, advanced: bool = False) -> None:
        self.outcome = _outcome(advanced)

    def show(self, number: int) -> str:
        """The board; ``o`` is to move, ``x`` the opponent."""
        mine, theirs = _sets(number, _stones(number))
        signs = ["o" if mine >> s & 1 else "x" if theirs >> s & 1 else "." for s in range(SQUARES)]
        return "\n".join(" ".join(signs[y : y + SIDE]) for y in range(0, SQUARES, SIDE))
