"""What an engine says about a position: a line, and what it is worth."""

from __future__ import annotations

from typing import NamedTuple

import chess

from zermelo.values import Outcome, Value


class Answer(NamedTuple):
    """A line of best play from a position, its first move the answer; empty if the game is over.

    value: the exact value, None where only a guess is known; then ``centipawns`` is the guess, as
    the side to move sees it. depth: plies. notes: what the user should know.
    """

    line: tuple[chess.Move, ...]
    value: Value | None
    centipawns: int = 0
    depth: int = 1
    notes: tuple[str, ...] = ()

    @property
    def move(self) -> chess.Move | None:
        """The move to play."""
        return self.line[0] if self.line else None

    @property
    def score(self) -> str:
        """The score as UCI writes it: mates in moves, negative for the side that is mated."""
        if self.value is None or self.value.outcome is Outcome.DRAW:
            return f"cp {self.centipawns if self.value is None else 0}"
        return f"mate {int(self.value.outcome) * (self.value.moves or 0)}"
