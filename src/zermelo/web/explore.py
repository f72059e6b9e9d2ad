"""What the explorer shows: a position in words, its moves by result, the perfect line."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from starlette.requests import Request
from starlette.responses import Response

from zermelo.play import pgn
from zermelo.tables.boards import check, material_of
from zermelo.tables.tablebase import RankedMove, may_be_drawn
from zermelo.values import MATED, Outcome, Value
from zermelo.web.api import answered
from zermelo.web.service import client_of, encoded, position_of, service_of
from zermelo.web.standard import Json, following, value_of

_RESULTS = {True: "1-0", False: "0-1", None: "1/2-1/2"}


async def position_route(request: Request) -> Response:
    """``GET /position?fen=``: the position for a page, whether it is in a table or not."""
    board, service = position_of(request), service_of(request)
    check(board)
    moves = await service.moves(client_of(request), board)
    return answered(encoded(described(board, moves)))


async def line_route(request: Request) -> Response:
    """``GET /line?fen=``: the perfect line for a page, and as PGN."""
    board, service, client = position_of(request), service_of(request), client_of(request)
    moves = await service.moves(client, board)
    value = value_of(board, moves)
    line, after = [], board.copy(stack=False)
    while moves and value.plies:
        line.append(moves[0])
        after.push(moves[0].move)
        moves = await service.moves(client, after)
    return answered(encoded({"moves": _steps(board, line), "pgn": line_pgn(board, value, line)}))


def described(board: chess.Board, moves: Sequence[RankedMove]) -> Json:
    """A position with everything that the page says about it; values are the mover's."""
    value = value_of(board, moves)
    king = board.king(board.turn)
    return {
        "fen": board.fen(en_passant="fen"),
        "material": str(material_of(board)),
        "turn": "w" if board.turn else "b",
        "outcome": value.outcome.word,
        "plies": value.plies,
        "headline": headline(board, value),
        "note": _note(board, value),
        "check": chess.square_name(king) if king is not None and board.is_check() else None,
        "moves": [
            {
                "uci": move.move.uci(),
                "san": move.san,
                "outcome": move.value.outcome.word,
                "plies": move.value.plies,
                "words": pgn.distance(move.value),
                "fen": _after(board, move.move),
            }
            for move in moves
        ],
    }


def headline(board: chess.Board, value: Value) -> str:
    """The result in one short sentence: ``White mates in 33``."""
    if value == MATED:
        return f"Checkmate: {_side(not board.turn)} has won"
    if value.outcome is Outcome.DRAW:
        if board.is_insufficient_material():
            return "Draw: nobody can mate"
        return "Stalemate: a draw" if not any(board.legal_moves) else "Draw"
    winner = board.turn == (value.outcome is Outcome.WIN)
    return f"{_side(winner)} mates in {value.moves}"


def line_pgn(board: chess.Board, value: Value, line: Sequence[RankedMove]) -> str:
    """A line of best play as a PGN game, each move with its distance."""
    won = None
    if value.outcome is not Outcome.DRAW:
        won = board.turn == (value.outcome is Outcome.WIN)
    headers = {"Event": "Perfect play", "White": "zermelo", "Black": "zermelo"}
    headers["Result"] = _RESULTS[won]
    return pgn.game(board, [(move.move, pgn.distance(move.value)) for move in line], headers)


def _note(board: chess.Board, value: Value) -> str:
    if value.plies is None:
        return ""
    note = f"{value.plies} plies" if value.plies != 1 else "1 ply"
    if may_be_drawn(board, value):
        note += "; the fifty-move rule may come first"
    return note


def _steps(board: chess.Board, line: Sequence[RankedMove]) -> list[Json]:
    steps: list[Json] = []
    after = board.copy(stack=False)
    for move in line:
        number = f"{after.fullmove_number}." if after.turn else ""
        if not steps and not after.turn:
            number = f"{after.fullmove_number}…"
        after.push(move.move)
        value = following(move)
        steps.append(
            {
                "uci": move.move.uci(),
                "text": number + move.san,
                "fen": after.fen(en_passant="fen"),
                "plies": value.plies,
            }
        )
    return steps


def _after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    fen = board.fen(en_passant="fen")
    board.pop()
    return fen


def _side(colour: chess.Color) -> str:
    return chess.COLOR_NAMES[colour].capitalize()
