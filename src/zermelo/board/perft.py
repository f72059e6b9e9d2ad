"""Perft: how many sequences of legal moves there are, the usual check of a move generator."""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, Words
from zermelo.board.moves import MOST_MOVES, generate, legal_moves
from zermelo.board.position import WORDS, make, moved
from zermelo.jit import borrow, kernel

INTERRUPTIBLE = 5
"""Deeper walks return to Python now and then, so that Ctrl-C ends them."""


@kernel
def _walk(positions: Words, moves: Words, depth: Word) -> Word:
    count = generate(positions[depth], moves[depth])
    if depth == ONE:
        return count
    total = ZERO
    for index in range(count):
        make(positions[depth], moves[depth, index], positions[depth - ONE])
        total += _walk(positions, moves, depth - ONE)
    return total


@kernel
def _start(positions: Words, moves: Words, depth: Word) -> Word:
    return _walk(borrow(positions), borrow(moves), depth)


def perft(position: Words, depth: int) -> int:
    """Number of sequences of ``depth`` legal moves; the last of them are counted, not made."""
    if depth == 0:
        return 1
    if depth > INTERRUPTIBLE:
        return sum(perft(moved(position, move), depth - 1) for move in legal_moves(position))
    positions = np.zeros((depth + 1, WORDS), dtype=np.uint64)
    positions[depth] = position
    moves = np.zeros((depth + 1, MOST_MOVES), dtype=np.uint64)
    return int(_start(positions, moves, np.uint64(depth)))
