"""Replays moves of a solution, UCI or an empty string for a pass, on boards of python-chess."""

from __future__ import annotations

from collections.abc import Sequence

import chess

PASS = "--"
"""Stands for the defender's passing in the line that leads to a threat."""


def after(board: chess.Board, move: str) -> chess.Board:
    """The position after a move, a new board; ``--`` or an empty move passes."""
    following = board.copy(stack=False)
    following.push(chess.Move.from_uci(move) if move not in ("", PASS) else chess.Move.null())
    return following


def san(board: chess.Board, move: str) -> str:
    """A move in short algebraic notation."""
    return board.san(chess.Move.from_uci(move))


def numbered(board: chess.Board, line: Sequence[str]) -> list[str]:
    """The moves of a line, attacker first, as ``1.Ra6`` and ``bxa6``; a pass is ``…``.

    An empty first move is a key that was played before the diagram; the next is then ``1…bxa6``.
    """
    words: list[str] = []
    for index, move in enumerate(line):
        if not move:
            continue
        number = f"{index // 2 + 1}"
        prefix = f"{number}." if index % 2 == 0 else "" if words else f"{number}…"
        words.append(prefix + ("…" if move == PASS else san(board, move)))
        board = after(board, move)
    return words
