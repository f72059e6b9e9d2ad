"""Perft: how many sequences of legal moves there are, the usual check of a move generator."""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, Words
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.position import WORDS, make
from zermelo.jit import borrow, kernel


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
    positions = np.zeros((depth + 1, WORDS), dtype=np.uint64)
    positions[depth] = position
    moves = np.zeros((depth + 1, MOST_MOVES), dtype=np.uint64)
    return int(_start(positions, moves, np.uint64(depth)))
