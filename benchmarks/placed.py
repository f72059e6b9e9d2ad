"""Men of a material put on the board at random, for benchmarks to ask about."""

from __future__ import annotations

import random

import chess


def placed(material: str, source: random.Random) -> chess.Board:
    """Random squares and side to move; the position may not be legal."""
    white, _, black = material.partition("v")
    board = chess.Board(None)
    men = [chess.Piece.from_symbol(man) for man in white + black.lower()]
    for square, man in zip(source.sample(chess.SQUARES, len(men)), men, strict=True):
        board.set_piece_at(square, man)
    board.turn = source.random() < 0.5
    return board
