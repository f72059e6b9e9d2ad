"""Mate problems by brute force on python-chess: slow, short, and sharing nothing with zermelo.

Attacks are ``{move: (effect, threats, variations, refutations)}`` with moves in UCI, threats again
attacks and variations ``{defence: attacks}``.
"""

from __future__ import annotations

from typing import Any

import chess

Attacks = dict[str, tuple[str, Any, Any, list[str]]]


class Oracle:
    """Answers by trying every move; remembers positions."""

    def __init__(self) -> None:
        self.known: dict[Any, bool] = {}

    def mates(self, board: chess.Board, n: int) -> bool:
        """Whether the side to move can force mate in n moves."""
        if n < 1:
            return False
        key = (board._transposition_key(), n)
        if key not in self.known:
            checks = [move for move in board.legal_moves if board.gives_check(move)]
            quiet = [] if n == 1 else [move for move in board.legal_moves if move not in checks]
            self.known[key] = any(self.forces(board, move, n) for move in [*checks, *quiet])
        return self.known[key]

    def forces(self, board: chess.Board, move: chess.Move, n: int) -> bool:
        """Whether a move mates in n moves, itself included."""
        board.push(move)
        try:
            if n == 1:
                return board.is_checkmate()
            replies = list(board.legal_moves)
            if not replies:
                return board.is_check()
            return all(self._survives(board, reply, n - 1) for reply in replies)
        finally:
            board.pop()

    def key_length(self, board: chess.Board, move: chess.Move, n: int) -> int | None:
        """Moves in which a move mates, itself included, up to n."""
        return next((k for k in range(1, n + 1) if self.forces(board, move, k)), None)

    def _survives(self, board: chess.Board, reply: chess.Move, n: int) -> bool:
        board.push(reply)
        try:
            return self.mates(board, n)
        finally:
            board.pop()

    def length(self, board: chess.Board, n: int) -> int | None:
        """Moves to the shortest mate, up to n."""
        return next((k for k in range(1, n + 1) if self.mates(board, k)), None)

    def answers(self, board: chess.Board, n: int) -> dict[chess.Move, int]:
        """All moves that mate as soon as can be, in at most n moves."""
        k = self.length(board, n)
        if k is None:
            return {}
        return {move: k for move in board.legal_moves if self.forces(board, move, k)}

    def set_play(self, board: chess.Board, n: int) -> dict[str, Attacks]:
        """The set play of the diagram of a mate in n."""
        if board.is_check():
            return {}
        board.push(chess.Move.null())
        try:
            return self._variations(board, n - 1, {})[0]
        finally:
            board.pop()

    def attack(self, board: chess.Board, move: chess.Move, n: int) -> Attacks:
        """A move of the attacker with all its play, for a mate in n that it begins."""
        board.push(move)
        try:
            if board.is_checkmate():
                return {move.uci(): ("mate", {}, {}, [])}
            if board.is_stalemate():
                return {move.uci(): ("stalemate", {}, {}, [])}
            threats: dict[chess.Move, int] = {}
            shown: Attacks = {}
            effect = "check"
            if not board.is_check():
                board.push(chess.Move.null())
                threats = self.answers(board, n - 1)
                for threat, k in threats.items():
                    shown |= self.attack(board, threat, k)
                board.pop()
                effect = "threat" if threats else "zugzwang"
            variations, refutations = self._variations(board, n - 1, threats)
            return {move.uci(): (effect, shown, variations, refutations)}
        finally:
            board.pop()

    def _variations(
        self, board: chess.Board, n: int, threats: dict[chess.Move, int]
    ) -> tuple[dict[str, Attacks], list[str]]:
        variations: dict[str, Attacks] = {}
        refutations = []
        for defence in list(board.legal_moves):
            board.push(defence)
            answers = self.answers(board, n)
            if not answers:
                refutations.append(defence.uci())
            elif not threats or any(
                k <= min(answers.values())
                and not (board.is_legal(threat) and self.forces(board, threat, k))
                for threat, k in threats.items()
            ):
                variations[defence.uci()] = {}
                for answer, k in answers.items():
                    variations[defence.uci()] |= self.attack(board, answer, k)
            board.pop()
        return variations, refutations
