"""Checks printed solutions and proofs move by move with python-chess, and with nothing else.

Nothing here knows how an engine searches. An adviser may say which move to look at first, so that
a proof need not be searched for; a wrong advice can make a check fail, but never succeed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import chess

from zermelo.problems.tree import Attack, Effect, Solution, Variation


class Adviser(Protocol):
    """Knows good moves; ``n`` is how many moves the attacker has left."""

    def mating(self, board: chess.Board, n: int) -> str | None:
        """A move that mates in n, the attacker to move."""

    def saving(self, board: chess.Board, n: int) -> str | None:
        """A move after which there is no mate in n, the defender to move."""


class Checker:
    """Checks claims; what holds is remembered by position."""

    def __init__(self, adviser: Adviser) -> None:
        self.adviser = adviser
        self._known: dict[tuple[object, int, bool], bool] = {}
        self._walked: set[tuple[int, object, int]] = set()

    def faults(self, solution: Solution, *, others: bool = True) -> list[str]:
        """What is wrong with a solution; empty if it is right.

        With ``others`` every first move that is no key is shown to fail too.
        """
        return list(self._solution(solution, others))

    def _solution(self, solution: Solution, others: bool) -> Iterator[str]:
        board = chess.Board(solution.fen)
        if solution.postkey:
            yield from self._play(board, solution.keys[0], solution.n, [])
            return
        for key in solution.keys:
            if key.refutations:
                yield f"key {key.move}: has refutations"
            yield from self._attack(board, key, solution.n, [])
        for attempt in solution.tries:
            yield from self._attack(board, attempt, solution.n, [])
        if solution.set_play:
            board.push(chess.Move.null())
            yield from self._variations(board, solution.set_play, solution.n, ["set"])
            board.pop()
        if others:
            keys = {key.move for key in solution.keys}
            for move in board.legal_moves:
                if move.uci() not in keys and not self._fails(board, move, solution.n):
                    yield f"{move.uci()}: not among the keys, but not refuted"

    def _attack(self, board: chess.Board, attack: Attack, n: int, line: list[str]) -> Iterator[str]:
        """Faults of a move that should mate in n or fewer, but for its refutations."""
        here = [*line, attack.move]
        move = _legal(board, attack.move)
        if move is None:
            yield f"{' '.join(here)}: illegal"
            return
        if not 1 <= attack.mate_in <= n:
            yield f"{' '.join(here)}: claims mate in {attack.mate_in} of {n}"
        board.push(move)
        yield from self._play(board, attack, attack.mate_in, here)
        board.pop()

    def _play(self, there: chess.Board, attack: Attack, n: int, line: list[str]) -> Iterator[str]:
        """Faults of the play after a move, the defender to move."""
        mark = (id(attack), there._transposition_key(), n)
        if mark in self._walked:
            return
        self._walked.add(mark)
        where = " ".join(line) or "after the key"
        if attack.effect is not _effect(there, attack):
            yield f"{where}: is not {attack.effect.value}"
            return
        if attack.effect in (Effect.MATE, Effect.STALEMATE):
            return
        if not attack.grown:
            if not self._mated(there, n - 1):
                yield f"{where}: does not mate in {n}"
            return
        if attack.threats:
            there.push(chess.Move.null())
            for threat in attack.threats:
                yield from self._attack(there, threat, n - 1, [*line, "--"])
            there.pop()
        yield from self._variations(there, attack.variations, n, line)
        yield from self._coverage(there, attack, n, line)

    def _variations(
        self, there: chess.Board, variations: Sequence[Variation], n: int, line: list[str]
    ) -> Iterator[str]:
        for variation in variations:
            defence = _legal(there, variation.defence)
            here = [*line, variation.defence]
            if defence is None:
                yield f"{' '.join(here)}: illegal"
                continue
            if len({answer.mate_in for answer in variation.answers}) != 1:
                yield f"{' '.join(here)}: the answers do not mate equally soon"
            there.push(defence)
            for answer in variation.answers:
                yield from self._attack(there, answer, n - 1, here)
            there.pop()

    def _coverage(
        self, there: chess.Board, attack: Attack, n: int, line: list[str]
    ) -> Iterator[str]:
        """Defences without an answer: refutations must save, others must meet a mate."""
        listed = {variation.defence for variation in attack.variations}
        legal = {move.uci() for move in there.legal_moves}
        for name in attack.refutations:
            here = " ".join([*line, name])
            if name not in legal or name in listed:
                yield f"{here}: no refutation"
            elif not self._holds(there, name, n - 1):
                yield f"{here}: does not refute"
        for name in sorted(legal - listed - set(attack.refutations)):
            there.push(chess.Move.from_uci(name))
            if not attack.threats or not self._mates(there, n - 1):
                yield f"{' '.join([*line, name])}: not answered"
            there.pop()

    def _fails(self, board: chess.Board, move: chess.Move, n: int) -> bool:
        """Whether a first move is no key."""
        board.push(move)
        try:
            return not board.is_checkmate() and self._saved(board, n - 1)
        finally:
            board.pop()

    def _holds(self, there: chess.Board, defence: str, n: int) -> bool:
        there.push(chess.Move.from_uci(defence))
        try:
            return self._escapes(there, n)
        finally:
            there.pop()

    def _mates(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move mates in n: the advised move against every defence."""
        return self._remember(board, n, True)

    def _escapes(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move cannot mate in n: an advised defence against every move."""
        return self._remember(board, n, False)

    def _remember(self, board: chess.Board, n: int, mates: bool) -> bool:
        mark = (board._transposition_key(), n, mates)
        if mark not in self._known:
            self._known[mark] = (
                self._proves_mate(board, n) if mates else self._proves_none(board, n)
            )
        return self._known[mark]

    def _proves_mate(self, board: chess.Board, n: int) -> bool:
        move = _legal(board, self.adviser.mating(board, n)) if n else None
        if move is None:
            return False
        board.push(move)
        try:
            return self._mated(board, n - 1)
        finally:
            board.pop()

    def _mated(self, there: chess.Board, n: int) -> bool:
        """Whether the side to move is mated in n whatever it does."""
        defences = list(there.legal_moves)
        if not defences:
            return there.is_check()
        for defence in defences:
            there.push(defence)
            mates = self._mates(there, n)
            there.pop()
            if not mates:
                return False
        return True

    def _proves_none(self, board: chess.Board, n: int) -> bool:
        for move in list(board.legal_moves) if n else []:
            if n == 1 and not board.gives_check(move):
                continue
            board.push(move)
            saved = not board.is_checkmate() and (n == 1 or self._saved(board, n - 1))
            board.pop()
            if not saved:
                return False
        return True

    def _saved(self, there: chess.Board, n: int) -> bool:
        """Whether the side to move, not mated, can avoid mate in n more moves."""
        if there.is_stalemate() or n == 0:
            return True
        move = _legal(there, self.adviser.saving(there, n))
        return move is not None and self._holds(there, move.uci(), n)


def _legal(board: chess.Board, name: str | None) -> chess.Move | None:
    """The legal move with a name in UCI; None if there is none."""
    try:
        return board.parse_uci(name) if name else None
    except ValueError:
        return None


def _effect(there: chess.Board, attack: Attack) -> Effect:
    if there.is_checkmate():
        return Effect.MATE
    if there.is_stalemate():
        return Effect.STALEMATE
    if there.is_check():
        return Effect.CHECK
    if not attack.grown:
        return Effect.QUIET
    return Effect.THREAT if attack.threats else Effect.ZUGZWANG
