"""Games and positions as text: PGN with SetUp, FEN and comments, EPD with dm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import chess
import chess.pgn

from zermelo.values import Outcome, Value


def distance(value: Value) -> str:
    """``mate in 5``, ``mated in 4``, ``mate``, ``draw``: what a move or position is worth."""
    if value.outcome is Outcome.DRAW:
        return "draw"
    if value.outcome is Outcome.WIN:
        return "mate" if value.plies == 1 else f"mate in {value.moves}"
    return f"mated in {value.moves}" if value.plies else "mated"


def game(
    board: chess.Board,
    moves: Iterable[tuple[chess.Move, str]],
    headers: Mapping[str, str],
    comment: str = "",
) -> str:
    """A game from a position, each move with its comment; ``Result`` is ``*`` if not given."""
    record = chess.pgn.Game()
    record.headers.update(headers)
    record.setup(board)
    record.comment = comment
    node: chess.pgn.GameNode = record
    for move, text in moves:
        node = node.add_variation(move, comment=text)
    return str(record)


def epd(board: chess.Board, value: Value) -> str:
    """The position as EPD, with ``dm`` in moves if the side to move mates."""
    if value.outcome is Outcome.WIN and value.moves is not None:
        return board.epd(dm=value.moves)
    return board.epd()
