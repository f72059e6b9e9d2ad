"""Plays White's bishop and knight against a random Black from 24-bit answers: FILE FEN."""

import random
import sys
from pathlib import Path

import chess

answers, board = Path(sys.argv[1]).read_bytes(), chess.Board(sys.argv[2])
while len(board.piece_map()) == 4 and (moves := list(board.legal_moves)):
    men = (chess.KNIGHT, chess.BISHOP, chess.KING)
    knight, bishop, king = squares = [board.pieces(man, chess.WHITE).pop() for man in men]
    answer = answers[king << 18 | bishop << 12 | knight << 6 | board.king(chess.BLACK)]
    if board.turn and 0 < answer < 30:
        man, alone = (answer > 8) + (answer > 21), chess.Board(None)
        alone.set_piece_at(squares[man], chess.Piece(men[man], chess.WHITE))
        targets = list(alone.attacks(squares[man]))
        moves = [chess.Move(squares[man], targets[answer - (1, 9, 22)[man]])]
    board.push(random.choice(moves))
print(chess.Board(sys.argv[2]).variation_san(board.move_stack))
