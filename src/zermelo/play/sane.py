"""A sane move where nothing is known: a shallow search for material, in plain Python.

It needs no kernel, so that a move is there before anything has been compiled. Its scores are
guesses, never claims: no score of it is that of a mate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import chess

MATE = 30_000
WORTH = {chess.PAWN: 100, chess.KNIGHT: 320, chess.BISHOP: 330, chess.ROOK: 500, chess.QUEEN: 900}
DEEPEST = 4
"""Plies of the last iteration, captures aside."""
CENTRE = tuple(
    14 - abs(2 * chess.square_file(s) - 7) - abs(2 * chess.square_rank(s) - 7)
    for s in chess.SQUARES
)
"""How near a square is to the middle, 0 to 12."""


class OutOfTimeError(Exception):
    """The search was told to stop."""


def evaluate(board: chess.Board) -> int:
    """Material and a little sense of direction, in centipawns for the side to move.

    Pawns want to advance, minor pieces want the middle, and whoever is ahead drives the other king
    to the edge, which is what finishes games that nobody defends.
    """
    material = [0, 0]
    for kind, worth in WORTH.items():
        for colour in chess.COLORS:
            squares = board.pieces_mask(kind, colour)
            material[colour] += worth * squares.bit_count()
            for square in chess.scan_forward(squares):
                if kind == chess.PAWN:
                    rank = chess.square_rank(square) if colour else 7 - chess.square_rank(square)
                    material[colour] += rank**3 // 6
                elif kind in (chess.KNIGHT, chess.BISHOP):
                    material[colour] += 2 * CENTRE[square]
    score = material[chess.WHITE] - material[chess.BLACK]
    if abs(score) >= 300:
        strong = score > 0
        king, target = board.king(strong), board.king(not strong)
        assert king is not None
        assert target is not None
        drive = 60 - 5 * CENTRE[target] - 6 * chess.square_manhattan_distance(king, target)
        score += drive if strong else -drive
    return score if board.turn else -score


def allows_mate_in_one(board: chess.Board, move: chess.Move) -> bool:
    """Whether the other side mates at once after a move."""
    board.push(move)
    try:
        return any(_mates(board, reply) for reply in board.legal_moves)
    finally:
        board.pop()


def _mates(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    board.push(move)
    mated = board.is_checkmate()
    board.pop()
    return mated


class Searcher:
    """One search; counts its nodes, and stops when ``over(nodes)`` says so."""

    def __init__(self, board: chess.Board, over: Callable[[int], bool]) -> None:
        self.board = board.copy()
        self.over = over
        self.nodes = 0

    def deepen(
        self, moves: Sequence[chess.Move], deepest: int = DEEPEST
    ) -> Iterator[list[tuple[int, chess.Move]]]:
        """After each depth the moves with their scores, best first; the first depth always."""
        ranking = [(0, move) for move in moves]
        for depth in range(1, deepest + 1):
            try:
                ranking = [(self._score(move, depth), move) for _, move in ranking]
            except OutOfTimeError:
                return
            ranking.sort(key=lambda pair: -pair[0])
            yield ranking
            if len(moves) == 1:
                return

    def _score(self, move: chess.Move, depth: int) -> int:
        board = self.board
        size = len(board.move_stack)
        board.push(move)
        try:
            if board.is_repetition(2) or board.halfmove_clock >= 100:
                return 0
            return -self._negamax(depth - 1, -MATE, MATE, 1, depth > 1)
        finally:
            while len(board.move_stack) > size:
                board.pop()

    def _visit(self, timed: bool) -> None:
        self.nodes += 1
        if timed and self.nodes % 64 == 0 and self.over(self.nodes):
            raise OutOfTimeError

    def _negamax(self, depth: int, alpha: int, beta: int, ply: int, timed: bool) -> int:
        self._visit(timed)
        board = self.board
        moves = list(board.legal_moves)
        if not moves:
            return ply - MATE if board.is_check() else 0
        if board.is_insufficient_material():
            return 0
        if depth <= 0:
            return self._quiet(alpha, beta, timed)
        for move in sorted(moves, key=board.is_capture, reverse=True):
            board.push(move)
            score = -self._negamax(depth - 1, -beta, -alpha, ply + 1, timed)
            board.pop()
            if score >= beta:
                return score
            alpha = max(alpha, score)
        return alpha

    def _quiet(self, alpha: int, beta: int, timed: bool) -> int:
        """Captures only, until none helps."""
        self._visit(timed)
        board = self.board
        alpha = max(alpha, evaluate(board))
        if alpha >= beta:
            return alpha
        captures = sorted(board.generate_legal_captures(), key=self._gain, reverse=True)
        for move in captures:
            board.push(move)
            score = -self._quiet(-beta, -alpha, timed)
            board.pop()
            if score >= beta:
                return score
            alpha = max(alpha, score)
        return alpha

    def _gain(self, move: chess.Move) -> int:
        taken = self.board.piece_type_at(move.to_square) or chess.PAWN
        mover = self.board.piece_type_at(move.from_square) or chess.KING
        return 10 * WORTH.get(taken, 0) - WORTH.get(mover, 1000)
