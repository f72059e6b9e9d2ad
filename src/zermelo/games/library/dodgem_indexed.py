"""Dodgem with numbered positions: the rules of ``dodgem`` as kernels.

A position's number is (first * S + second) * 2 + turn, where first and second number the sets of
at most n - 1 squares in ascending order of their bit sets, S of them, and turn is 0 for the first
player.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from zermelo.games.indexed import ABSENT
from zermelo.games.induction import OPEN
from zermelo.games.library.dodgem import Dodgem
from zermelo.games.library.options import whole
from zermelo.jit import kernel


class IndexedDodgem:
    """The game as ``solve_indexed`` takes it; ``number`` finds the number of a Dodgem position."""

    def __init__(self, size: int = 4, stuck_wins: bool = True) -> None:
        whole("size", size, 2, 5)
        self.rank, self.count, self.outcome, self.successors = _kernels(size, stuck_wins)
        self.size = 2 * self.count**2
        self.degree = 3 * (size - 1)
        self.start = self.number(Dodgem(size).initial())

    def number(self, position: tuple[int, int, int]) -> int:
        """The number of a position of ``Dodgem``."""
        first, second, turn = position
        return int((self.rank[first] * self.count + self.rank[second]) * 2 + (turn < 0))


def _steps(game: Dodgem, size: int) -> Any:
    """int64[2, n², 4]: for each player and square how many steps there are, then their bits."""
    steps = np.zeros((2, size * size, 4), np.int64)
    for row, player in enumerate((1, -1)):
        for square, (_, found) in enumerate(game.steps[player]):
            steps[row, square, 0] = len(found)
            steps[row, square, 1 : 1 + len(found)] = found
    return steps


@cache
def _kernels(size: int, stuck_wins: bool) -> tuple[Any, int, Any, Any]:
    """(rank of each set of squares, number of sets, outcome, successors); compiled once a size."""
    squares, stuck = size * size, 1 if stuck_wins else -1
    sets = np.array([s for s in range(1 << squares) if s.bit_count() < size], np.int64)
    count = sets.size
    rank = np.zeros(1 << squares, np.int64)
    rank[sets] = np.arange(count)
    steps = _steps(Dodgem(size), size)

    @kernel
    def successors(i: int, out: Any) -> int:
        turn = i & 1
        first, second = sets[(i >> 1) // count], sets[(i >> 1) % count]
        mine, taken, found = (second if turn else first), first | second, 0
        for square in range(squares):
            if mine >> square & 1:
                for k in range(1, steps[turn, square, 0] + 1):
                    to = steps[turn, square, k]
                    if not taken & to:
                        after = rank[mine ^ (1 << square) | to]
                        pair = rank[first] * count + after if turn else after * count + rank[second]
                        out[found] = 2 * pair + 1 - turn
                        found += 1
        return found

    @kernel
    def outcome(i: int) -> int:
        turn = i & 1
        first, second = sets[(i >> 1) // count], sets[(i >> 1) % count]
        mine, theirs, taken = (
            (second, first, first | second) if turn else (first, second, first | second)
        )
        if first & second or not mine:
            return ABSENT
        if not theirs:
            return -1
        for square in range(squares):
            if mine >> square & 1:
                for k in range(1, steps[turn, square, 0] + 1):
                    if not taken & steps[turn, square, k]:
                        return OPEN
        return stuck

    return rank, count, outcome, successors
