"""The solution of a mate problem as plain data: moves in UCI, lengths in the attacker's moves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Effect(Enum):
    """What a move of the attacker does to the defender."""

    MATE = "mate"
    CHECK = "check"
    THREAT = "threat"
    ZUGZWANG = "zugzwang"
    STALEMATE = "stalemate"
    QUIET = "quiet"
    """Not a check; whether it threatens has not been asked."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A move of the attacker and the play after it.

    ``mate_in`` counts the attacker's moves to mate, this one included, against every defence but
    the ``refutations``. ``threats`` are what would follow if the defender could pass. The play
    after a move that is not ``grown`` has not been worked out. ``move`` is empty where the play
    begins after a key that is not in the diagram's moves.
    """

    move: str
    mate_in: int
    effect: Effect
    threats: tuple[Attack, ...] = ()
    variations: tuple[Variation, ...] = ()
    refutations: tuple[str, ...] = ()
    grown: bool = True


@dataclass(frozen=True, slots=True)
class Variation:
    """A defence and all answers that mate soonest; more than one is a dual."""

    defence: str
    answers: tuple[Attack, ...]


class Verdict(Enum):
    """What an editor says about a problem."""

    SOUND = "sound"
    COOKED = "cooked"
    SHORT = "short"
    NONE = "none"
    FLAWED = "flawed"
    ILLEGAL = "illegal"


@dataclass(frozen=True, slots=True)
class Dual:
    """Two or more continuations where an author wants one.

    ``line`` are the moves that lead there in UCI, a threat preceded by ``--``; ``moves`` the
    continuations. It is minor where it stands in a threat, at the mating move, or where the moves
    differ only in the promoted man.
    """

    line: tuple[str, ...]
    moves: tuple[str, ...]
    before_mate: bool
    in_threat: bool
    promotion: bool

    @property
    def minor(self) -> bool:
        """Whether a problem may have it and be sound."""
        return self.in_threat or self.promotion or not self.before_mate

    @property
    def grade(self) -> str:
        """The gravest first: ``variation``, ``mating move``, ``threat``, ``promotion``."""
        if self.promotion:
            return "promotion"
        if self.in_threat:
            return "threat"
        return "variation" if self.before_mate else "mating move"


@dataclass(frozen=True, slots=True)
class Solution:
    """What a mate problem comes to.

    ``keys`` are all first moves that force mate in ``n`` or fewer; ``tries`` fail to few enough
    defences; ``set_play`` is what the attacker would answer if the defender were to move in the
    diagram. ``reasons`` say what is wrong, ``notes`` what was assumed. ``nodes`` are the positions
    that the engine searched. If time ran out it is not ``complete``: it holds what was proven, and
    a verdict only if the keys were.
    """

    fen: str
    n: int
    keys: tuple[Attack, ...]
    tries: tuple[Attack, ...]
    set_play: tuple[Variation, ...]
    verdict: Verdict | None
    reasons: tuple[str, ...]
    duals: tuple[Dual, ...]
    notes: tuple[str, ...]
    complete: bool
    nodes: int
    seconds: float

    @property
    def shortest(self) -> int | None:
        """The fewest moves to a forced mate; None if there is none in ``n`` or no verdict."""
        if self.verdict is None:
            return None
        return min((key.mate_in for key in self.keys if not key.refutations), default=None)

    @property
    def postkey(self) -> bool:
        """Whether the diagram stands after the key; the only one of ``keys`` is then no move."""
        return bool(self.keys) and not self.keys[0].move
