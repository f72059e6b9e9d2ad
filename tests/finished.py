"""Halves solved once for all tests that need them."""

from __future__ import annotations

from functools import cache

import chess
import numpy as np

from zermelo.tables.geometry import geometry
from zermelo.tables.layout import layout, locate
from zermelo.tables.material import STRENGTH, Half
from zermelo.tables.retrograde import Solved, solve_half
from zermelo.tables.survey import ATTACKER, men_of


@cache
def finished(half: Half) -> Solved:
    """A half, solved in memory after those that its moves lead to."""
    return solve_half(half, finished)


def wins(board: chess.Board) -> bool:
    """Whether the side to move wins; the position has no en passant rights."""
    return _level(board, board.turn, "win") < 254


def loses(board: chess.Board) -> bool:
    """Whether the side to move loses; the position has no en passant rights."""
    return _level(board, not board.turn, "lost") < 254


def _level(board: chess.Board, attacker: chess.Color, side: str) -> int:
    if attacker == chess.BLACK:
        board = board.mirror()
    men = {
        colour: "".join(sorted(letters.replace("K", ""), key=STRENGTH.index))
        for colour, letters in (
            (c, "".join(p.symbol().upper() for p in board.piece_map().values() if p.color == c))
            for c in chess.COLORS
        )
    }
    half = Half(men[chess.WHITE], men[chess.BLACK])
    rest = {square: board.piece_at(square) for square in board.piece_map()}
    squares = []
    for letter, of in men_of(half):
        wanted = chess.Piece.from_symbol(letter if of == ATTACKER else letter.lower())
        squares.append(next(square for square, piece in rest.items() if piece == wanted))
        del rest[squares[-1]]
    cell = int(locate(layout(half), geometry().maps, np.array(squares, np.uint8)))
    return int(getattr(finished(half), side)[cell >> 6, cell & 63])
