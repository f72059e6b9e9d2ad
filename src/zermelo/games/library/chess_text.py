"""Reads the words of ``zermelo.board.position`` back for people: diagrams and SAN."""

from __future__ import annotations

from collections.abc import Sequence

import chess


def board(words: Sequence[int]) -> chess.Board:
    """The python-chess board of a position: six kinds, own men, other men, turn, castling, e.p."""
    pawns, knights, bishops, rooks, queens, kings, own, other, white, castling, passed = words
    made = chess.Board(None)
    made.pawns, made.knights, made.bishops = pawns, knights, bishops
    made.rooks, made.queens, made.kings = rooks, queens, kings
    made.turn = bool(white)
    made.occupied_co[made.turn], made.occupied_co[not made.turn] = own, other
    made.occupied = own | other
    made.castling_rights = castling
    made.ep_square = passed.bit_length() - 1 if passed else None
    return made


def diagram(words: Sequence[int]) -> str:
    """The diagram and the FEN."""
    made = board(words)
    return f"{made}\n{made.fen()}"


def san(words: Sequence[int], after: Sequence[int]) -> str:
    """The SAN of the move from one position to another."""
    start, end = board(words), board(after)
    for move in start.legal_moves:
        start.push(move)
        same = start.board_fen() == end.board_fen()
        start.pop()
        if same:
            return start.san(move)
    raise ValueError(f"{start.fen()}: no move to {end.fen()}")
