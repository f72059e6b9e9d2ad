"""Between python-chess's boards and the men of a half."""

from __future__ import annotations

import chess
import numpy as np

from zermelo.errors import InputError
from zermelo.tables.exits import men_of
from zermelo.tables.layout import layout, unplace
from zermelo.tables.material import Half, Material

_FAULTS = {
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.STATUS_INVALID_EP_SQUARE: "the en passant square is impossible",
}


def men(board: chess.Board, colour: chess.Color) -> str:
    """The men of a side without the king, strongest first."""
    kinds = ((board.queens, "Q"), (board.rooks, "R"), (board.bishops, "B"), (board.knights, "N"))
    own = board.occupied_co[colour]
    return "".join(
        letter * (mask & own).bit_count() for mask, letter in (*kinds, (board.pawns, "P"))
    )


def material_of(board: chess.Board) -> Material:
    """The material on a board."""
    return Material.of(men(board, chess.WHITE), men(board, chess.BLACK))


def check(board: chess.Board) -> None:
    """Raises InputError for a position that cannot occur or that tables do not answer."""
    # The whole status costs more than the probe: first what nearly every board passes.
    white, black = board.occupied_co[True], board.occupied_co[False]
    kings = board.kings
    if not (
        (kings & white).bit_count() == 1 == (kings & black).bit_count()
        and not board.castling_rights
        and not board.pawns & chess.BB_BACKRANKS
        and board.ep_square is None
        and not board.was_into_check()
    ):
        _explain(board)


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """A legal move written in SAN or UCI; raises InputError for anything else."""
    for parse in (board.parse_san, board.parse_uci):
        try:
            # Both read a null move as well, which is none.
            if move := parse(text.strip()):
                return move
        except ValueError:
            continue
    raise InputError(f"{text}: not a legal move in {board.fen(en_passant='fen')}")


def _explain(board: chess.Board) -> None:
    fen = board.fen(en_passant="fen")
    status = board.status()
    for fault, words in _FAULTS.items():
        if status & fault:
            raise InputError(f"{fen}: {words}")
    if board.ep_square is not None and status & chess.STATUS_IMPOSSIBLE_CHECK:
        # No double step can have left such a check behind.
        raise InputError(f"{fen}: the en passant square is impossible")
    if board.castling_rights:
        raise InputError(
            f"{fen}: has castling rights ({board.castling_xfen()}), "
            "which tables do not know; write - in their place if castling is out of the question"
        )


def board_at(half: Half, cell: int, attacker: chess.Color, turn: chess.Color) -> chess.Board:
    """The position of a cell, with the attacker of the half White or Black."""
    squares = np.zeros(half.men, np.uint8)
    unplace(layout(half), cell >> 6, squares)
    squares[-1] = cell & 63
    board = chess.Board(None)
    for man in men_of(half):
        _put(board, int(squares[man.number]), man.letter, attacker if man.attacks else not attacker)
    _put(board, int(squares[-1]), "K", not attacker)
    board.turn = turn
    return board if attacker == chess.WHITE else _turned(board)


def _put(board: chess.Board, square: int, letter: str, colour: chess.Color) -> None:
    kind = chess.Piece.from_symbol(letter).piece_type
    board.set_piece_at(square, chess.Piece(kind, colour))


def _turned(board: chess.Board) -> chess.Board:
    turned = board.transform(chess.flip_vertical)
    turned.turn = board.turn
    return turned
