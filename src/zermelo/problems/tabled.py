"""The engine with endgame tables: questions about positions with few men are looked up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zermelo.board.bits import Words
from zermelo.board.moves import legal_moves
from zermelo.board.position import CASTLING, OTHER, OWN, moved
from zermelo.errors import MissingTableError
from zermelo.problems.engine import Engine
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome, Value

MOST_MEN = 5
"""Positions with more men are not looked for in the tables."""


class TabledEngine(Engine):
    """Answers as `Engine` does, from the tables where these have the position.

    Tables are asked about the positions of questions, not inside a search. Positions that may still
    castle, or whose table is missing, are searched.
    """

    def __init__(self, tablebase: Tablebase, *, hash_mb: int = 64, jobs: int = 1) -> None:
        super().__init__(hash_mb=hash_mb, jobs=jobs)
        self.tablebase = tablebase

    def _values(self, positions: list[Words]) -> list[Value] | None:
        """Values for the sides to move; None unless the tables have all of them."""
        for position in positions:
            men = int(position[OWN] | position[OTHER]).bit_count()
            if men > MOST_MEN or position[CASTLING]:
                return None
        try:
            return self.tablebase.judge(np.array(positions))
        except MissingTableError:
            return None

    def keys(
        self,
        position: Words,
        n: int,
        *,
        moves: Sequence[int] | None = None,
        deadline: float | None = None,
    ) -> list[tuple[int, int]]:
        """Every move that forces mate in at most n, with the length of the shortest such mate."""
        asked = legal_moves(position) if moves is None else moves
        values = self._values([moved(position, move) for move in asked]) if asked else []
        if values is None:
            return super().keys(position, n, moves=moves, deadline=deadline)
        lengths = [_mate_in(value.before) for value in values]
        return [(move, k) for move, k in zip(asked, lengths, strict=True) if k and k <= n]

    def mate_in(self, position: Words, n: int, *, deadline: float | None = None) -> int | None:
        """Length of the shortest mate in at most n moves, the attacker to move; None if none."""
        values = self._values([position])
        if values is None:
            return super().mate_in(position, n, deadline=deadline)
        length = _mate_in(values[0])
        return length if length and length <= n else None

    def prove(self, position: Words, n: int, *, deadline: float | None = None) -> bool:
        """Whether the side to move mates in at most n."""
        if self._values([position]) is None:
            return super().prove(position, n, deadline=deadline)
        return self.mate_in(position, n) is not None

    def refutations(
        self,
        position: Words,
        n: int,
        *,
        most: int | None = None,
        deadline: float | None = None,
    ) -> list[int]:
        """The defender's moves after which there is no mate in n; at most ``most`` of them."""
        moves = legal_moves(position)
        values = self._values([moved(position, move) for move in moves]) if moves else []
        if values is None:
            return super().refutations(position, n, most=most, deadline=deadline)
        lengths = [_mate_in(value) for value in values]
        return [m for m, k in zip(moves, lengths, strict=True) if not k or k > n][:most]

    def _step(self, position: Words, n: int, deadline: float | None) -> tuple[int, int]:
        length = self.mate_in(position, n) if self._values([position]) else None
        if length is None:
            return super()._step(position, n, deadline)
        return self.keys(position, length)[0][0], length


def _mate_in(value: Value) -> int | None:
    """In how many moves the side to move mates."""
    return value.moves if value.outcome is Outcome.WIN else None
