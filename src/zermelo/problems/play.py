"""Works out the play of a mate problem by asking the engine: threats, variations, tries, set play.

Everything found is remembered by position, and since the men of a problem meet the same positions
again and again, most questions never reach the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from zermelo.board.bits import Words
from zermelo.board.moves import legal_moves
from zermelo.board.position import checkers, moved, passed, uci
from zermelo.problems.engine import Engine
from zermelo.problems.tree import Attack, Effect, Variation

Answers: TypeAlias = list[tuple[int, int]]
"""Moves of the attacker, each with the number of moves in which it mates."""

WHOLE = 1000
"""More moves than any tree is deep."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """Which threats and which defences belong to the solution.

    The threats are those that mate soonest, or with ``all_threats`` those of any length. A defence
    belongs if it defeats one of them, or with ``all_defeated`` only if it defeats them all.
    """

    all_threats: bool = False
    all_defeated: bool = False


class Play:
    """The play of one problem; lengths are the attacker's moves, the first one included.

    ``deadline`` is a value of ``time.monotonic()``; TimeLimitError is raised when it passes.
    """

    def __init__(
        self,
        engine: Engine,
        conventions: Conventions | None = None,
        *,
        depth: int = WHOLE,
        deadline: float | None = None,
    ) -> None:
        self.engine = engine
        self.conventions = conventions or Conventions()
        self.depth = depth
        self.deadline = deadline
        self._answers: dict[tuple[bytes, int], Answers] = {}
        self._after: dict[tuple[bytes, int, int], Attack] = {}

    def answers(self, position: Words, n: int) -> Answers:
        """All moves that mate soonest, if there is a mate in n; the attacker is to move."""
        known = (position.tobytes(), n)
        if known not in self._answers:
            self._answers[known] = self._soonest(position, n)
        return self._answers[known]

    def _soonest(self, position: Words, n: int) -> Answers:
        shortest = self.engine.mate_in(position, n, deadline=self.deadline)
        if shortest is None:
            return []
        return self.engine.keys(position, shortest, deadline=self.deadline)

    def threats(self, after: Words, n: int) -> Answers:
        """What mates in n if the side to move, which is not in check, could pass."""
        if n < 1:
            return []
        if self.conventions.all_threats:
            return self.engine.keys(passed(after), n, deadline=self.deadline)
        return self.answers(passed(after), n)

    def attack(self, position: Words, move: int, n: int, depth: int | None = None) -> Attack:
        """A move of the attacker that mates in n, or would but for some defences, and its play."""
        return self._attack(move, moved(position, move), n, self.depth if depth is None else depth)

    def after_key(self, after: Words, n: int) -> Attack:
        """The play of a mate in n whose key has been played: the defender is to move."""
        return self._play("", after, n, self.depth)

    def _attack(self, move: int, after: Words, n: int, depth: int) -> Attack:
        known = (after.tobytes(), n, depth)
        play = self._after.get(known)
        if play is None:
            play = self._after[known] = self._play(uci(move), after, n, depth)
        return play if play.move == uci(move) else replace(play, move=uci(move))

    def _play(self, move: str, after: Words, n: int, depth: int) -> Attack:
        defences = legal_moves(after)
        check = bool(checkers(after))
        if not defences:
            return Attack(move, n, Effect.MATE if check else Effect.STALEMATE)
        if depth < 1:
            return Attack(move, n, Effect.CHECK if check else Effect.QUIET, grown=False)
        threats = [] if check else self.threats(after, n - 1)
        effect = Effect.CHECK if check else Effect.THREAT if threats else Effect.ZUGZWANG
        passing = passed(after)
        grown = tuple(self.attack(passing, threat, k, depth - 1) for threat, k in threats)
        variations, refutations = [], []
        for defence, answers in self.replies(after, n - 1, threats):
            if answers:
                variations.append(self._variation(after, defence, answers, depth))
            else:
                refutations.append(uci(defence))
        return Attack(move, n, effect, grown, tuple(variations), tuple(refutations))

    def replies(self, after: Words, n: int, threats: Answers) -> Iterator[tuple[int, Answers]]:
        """The defences that belong to the solution, with the answers; without any: a refutation.

        A defence defeats a threat if the threatened move no longer mates in its time and no other
        mates sooner. With no threats every defence belongs.
        """
        for defence in legal_moves(after):
            child = moved(after, defence)
            failed = [k for threat, k in threats if not self._mates(child, threat, k)]
            if threats and not failed:
                continue
            answers = self.answers(child, n)
            soonest = min((k for _, k in answers), default=WHOLE)
            defeated = sum(k <= soonest for k in failed)
            if defeated == len(threats) or (defeated and not self.conventions.all_defeated):
                yield defence, answers

    def _mates(self, child: Words, move: int, n: int) -> bool:
        """Whether a move can be made and mates in n."""
        if move not in legal_moves(child):
            return False
        return bool(self.engine.keys(child, n, moves=[move], deadline=self.deadline))

    def _variation(self, after: Words, defence: int, answers: Answers, depth: int) -> Variation:
        child = moved(after, defence)
        return Variation(
            uci(defence), tuple(self.attack(child, answer, k, depth - 1) for answer, k in answers)
        )

    def tries(self, position: Words, n: int, keys: set[int], most: int) -> Iterator[Attack]:
        """First moves that would mate in n but for one to ``most`` defences, or for stalemate."""
        for move in legal_moves(position):
            if move in keys:
                continue
            after = moved(position, move)
            if not legal_moves(after):
                if not checkers(after):
                    yield Attack(uci(move), n, Effect.STALEMATE)
                continue
            refutations = self.engine.refutations(
                after, n - 1, most=most + 1, deadline=self.deadline
            )
            if len(refutations) <= most:
                yield self.attack(position, move, n)

    def set_play(self, position: Words, n: int) -> Iterator[Variation]:
        """What the attacker would answer if the defender were to move in the diagram."""
        if n < 2 or checkers(position):
            return
        waiting = passed(position)
        if checkers(waiting):
            return
        for defence, answers in self.replies(waiting, n - 1, []):
            if answers:
                yield self._variation(waiting, defence, answers, self.depth)
