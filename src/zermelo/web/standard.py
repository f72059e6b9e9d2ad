"""The answers of ``/standard`` and ``/standard/mainline``, field by field as clients know them.

Distances are plies with a sign: positive where the side to move wins, negative where it loses, 0
for a draw and for the mated side, which ``category`` tells apart. Those of a move belong to the
position after it and to the side that is then to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import chess

from zermelo.tables.boards import men
from zermelo.tables.material import Half, without
from zermelo.tables.tablebase import RankedMove
from zermelo.values import DRAW, MATED, Outcome, Value

Json: TypeAlias = dict[str, Any]

_ZEROED_BY_MATE = -1
"""The distance to zeroing of a mated side, by convention."""


def answer(board: chess.Board, moves: Sequence[RankedMove]) -> Json:
    """A position and its moves, which come ranked best first from the tables."""
    value = value_of(board, moves)
    return {**_position(board, value), "moves": [_move(board, move) for move in moves]}


def mainline(board: chess.Board, value: Value, line: Sequence[RankedMove]) -> Json:
    """Best play by both sides to the mate; none where the position is drawn."""
    steps, after = [], board.copy(stack=False)
    for move in line:
        after.push(move.move)
        names = {"uci": move.move.uci(), "san": move.san}
        steps.append({**names, **_distances(after, following(move))})
    winner = None
    if value.outcome is not Outcome.DRAW:
        winner = "w" if (value.outcome is Outcome.WIN) == board.turn else "b"
    return {**_distances(board, value), "winner": winner, "mainline": steps}


def value_of(board: chess.Board, moves: Sequence[RankedMove]) -> Value:
    """The value of a position whose moves are ranked: that of the best, or how the game ended."""
    if moves:
        return moves[0].value
    return MATED if board.is_check() else DRAW


def following(move: RankedMove) -> Value:
    """The value of the position after a move for the side that is then to move."""
    if move.value.plies is None:
        return move.value
    return Value(move.value.outcome.opposite, move.value.plies - 1)


def signed(value: Value) -> int:
    """Plies with the sign of the outcome."""
    return value.outcome * (value.plies or 0)


def _move(board: chess.Board, move: RankedMove) -> Json:
    zeroing = board.is_zeroing(move.move)
    board.push(move.move)
    position = _position(board, following(move))
    board.pop()
    return {"uci": move.move.uci(), "san": move.san, "zeroing": zeroing, **position}


def _position(board: chess.Board, value: Value) -> Json:
    drawn = value == DRAW
    return {
        "category": value.outcome.word,
        **_distances(board, value),
        "checkmate": value == MATED,
        "stalemate": drawn and board.is_stalemate(),
        "insufficient_material": drawn and board.is_insufficient_material(),
        "variant_win": False,
        "variant_loss": False,
    }


def _distances(board: chess.Board, value: Value) -> Json:
    zeroing = _zeroing(board, value)
    return {
        "dtz": zeroing,
        "precise_dtz": zeroing,
        "dtm": signed(value),
        "dtc": None,
        "dtw": None,
    }


def _zeroing(board: chess.Board, value: Value) -> int | None:
    """Plies to a capture, a pawn's move or mate, where the distance to mate says as much.

    It does where no capture or pawn's move can come before the mate: a lone king faces men whose
    loss would leave a draw.
    """
    if value == DRAW:
        return 0
    if value == MATED:
        return _ZEROED_BY_MATE
    winner = board.turn == (value.outcome is Outcome.WIN)
    if board.occupied_co[not winner].bit_count() == 1 and _needs_all(men(board, winner)):
        return signed(value)
    return 1 if value.plies == 1 else None


@cache
def _needs_all(own: str) -> bool:
    """Whether men, none a pawn, cannot mate a lone king any more once one of them is lost."""
    return "P" not in own and all(Half(without(own, man), "").hopeless for man in own)
