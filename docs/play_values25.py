"""Plays bishop and knight against king, both sides, from 25-bit values: FILE FEN."""

import sys
from pathlib import Path

import chess


def value(board: chess.Board, *moves: chess.Move) -> int:
    code = 1 - board.turn ^ len(moves)
    men = {move.from_square: move.to_square for move in moves}
    for kind, colour in ((chess.KING, 1), (chess.BISHOP, 1), (chess.KNIGHT, 1), (chess.KING, 0)):
        code = code << 6 | men.get(square := board.pieces(kind, bool(colour)).pop(), square)
    return values[code]


values, board = Path(sys.argv[1]).read_bytes(), chess.Board(sys.argv[2])
while value(board) < 51 and (moves := list(board.legal_moves)):
    board.push(next(m for m in moves if value(board, m) == value(board) - (not board.turn)))
print(chess.Board(sys.argv[2]).variation_san(board.move_stack))
