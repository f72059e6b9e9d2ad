"""The words that all solvers share: the outcome of a position and its distance."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Outcome(IntEnum):
    """The result under perfect play for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @property
    def opposite(self) -> Outcome:
        """The same result as the other side sees it."""
        return Outcome(-self)

    @property
    def word(self) -> str:
        """``"loss"``, ``"draw"`` or ``"win"``, as JSON has it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Value:
    """Outcome for the side to move and the distance to the end in plies; a draw has none.

    Raises ValueError where the two contradict each other: a draw with a distance, a win or a
    loss without one, a win in an even or a loss in an odd number of plies is allowed only to
    games whose turns do not alternate, so parity is not checked here.
    """

    outcome: Outcome
    plies: int | None = None

    def __post_init__(self) -> None:
        if (self.plies is None) != (self.outcome is Outcome.DRAW):
            raise ValueError(f"{self.outcome.word} with plies={self.plies}")
        if self.plies is not None and self.plies < 0:
            raise ValueError(f"plies={self.plies} is negative")

    @property
    def moves(self) -> int | None:
        """Distance in moves of the winner: a win in p plies takes (p+1)//2, a loss p//2."""
        if self.plies is None:
            return None
        return (self.plies + (self.outcome is Outcome.WIN)) // 2

    @property
    def before(self) -> Value:
        """The value of a move that leads here, for the player who makes it; turns alternate."""
        if self.plies is None:
            return self
        return Value(self.outcome.opposite, self.plies + 1)

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts best first for the side to move: short wins, draws, long losses."""
        plies = self.plies or 0
        return (-self.outcome, plies if self.outcome is Outcome.WIN else -plies)


DRAW = Value(Outcome.DRAW)
MATED = Value(Outcome.LOSS, 0)
