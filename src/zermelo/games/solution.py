"""A solved game: the value of every position, the moves ranked, the strategies that follow."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from zermelo.errors import InputError
from zermelo.games.graph import Game
from zermelo.games.induction import OPEN, Explored, Progress, explore, solve_arrays
from zermelo.values import Outcome, Value

P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True)
class Move(Generic[P]):
    """A move: where it leads, and its value for the player who makes it."""

    to: P
    value: Value


class Solved(Generic[P]):
    """The exact value of every position that a game can reach.

    ``positions`` numbers them; ``outcome`` int8[V] and ``plies`` int32[V] (0 for draws) are for the
    player to move. ``explore_seconds`` and ``solve_seconds`` say where the time went.
    """

    def __init__(self, explored: Explored[P], explore_seconds: float = 0.0) -> None:
        self.explored = explored
        self.rules = explored.rules
        self.positions = explored.positions
        begin = time.perf_counter()
        self.outcome: npt.NDArray[np.int8]
        self.plies: npt.NDArray[np.int32]
        self.outcome, self.plies = solve_arrays(
            explored.ends, explored.offsets, explored.targets, explored.same
        )
        self.solve_seconds = time.perf_counter() - begin
        self.explore_seconds = explore_seconds

    @property
    def arcs(self) -> int:
        """How many moves there are in all, each target counted once for a position."""
        return self.explored.targets.size

    @property
    def max_plies(self) -> int:
        """The longest distance of a decided position, in plies."""
        return int(self.plies.max())

    def count(self, outcome: Outcome) -> int:
        """How many positions have this outcome for the player to move."""
        return int(np.count_nonzero(self.outcome == outcome))

    def number(self, position: P) -> int:
        """A position's number; raises InputError for one that the game cannot reach."""
        canonical = self.rules.canonical
        number = self.explored.index.get(canonical(position) if canonical else position)
        if number is None:
            raise InputError(
                f"position {position!r}: the game never reaches it; list it in positions()"
            )
        return number

    def _value(self, number: int) -> Value:
        outcome = Outcome(int(self.outcome[number]))
        return Value(outcome, int(self.plies[number]) if outcome else None)

    def value(self, position: P | None = None) -> Value:
        """The value of a position (default: the initial one) for the player to move."""
        return self._value(0 if position is None else self.number(position))

    def moves(self, position: P | None = None) -> list[Move[P]]:
        """All moves, best first, equals in the game's order; empty where the game has ended."""
        number = 0 if position is None else self.number(position)
        explored = self.explored
        moves = []
        for arc in range(explored.offsets[number], explored.offsets[number + 1]):
            target = int(explored.targets[arc])
            same = explored.same.size and explored.same[arc]
            value = self._value(target)
            moves.append(Move(self.positions[target], onward(value) if same else value.before))
        return sorted(moves, key=lambda move: move.value.rank)

    def ended(self, position: P) -> bool:
        """Whether the game is over in a position."""
        return bool(self.explored.ends[self.number(position)] != OPEN)

    def line(self, position: P | None = None, limit: int = 400) -> list[P]:
        """Best play from a position on: to the end, or until a drawn position comes again."""
        at = self.positions[0] if position is None else position
        line, seen = [at], {at}
        while len(line) <= limit and (moves := self.moves(at)):
            at = moves[0].to
            line.append(at)
            if at in seen:
                break
            seen.add(at)
        return line


def onward(value: Value) -> Value:
    """The value of a move after which the same player moves again, for that player."""
    return value if value.plies is None else Value(value.outcome, value.plies + 1)


def solve_game(
    game: Game[P] | Any, limit: int = 20_000_000, progress: Progress | None = None
) -> Solved[P]:
    """Solves a game: the exact outcome and distance of every position that it can reach.

    ``progress(positions, arcs)`` is called now and then while positions are explored. Raises
    InputError for a game that breaks its protocol, naming method and line, and LimitError above
    ``limit`` positions or where the memory does not suffice.
    """
    begin = time.perf_counter()
    explored: Explored[P] = explore(game, limit, progress)
    return Solved(explored, time.perf_counter() - begin)
