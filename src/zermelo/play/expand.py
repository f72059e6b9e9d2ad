"""All moves of a position at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import Word, Words
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.position import WORDS, make
from zermelo.jit import kernel


@kernel
def _expand(position: Words, moves: Words, out: Words) -> Word:
    count = np.uint64(generate(position, moves))
    for index in range(count):
        make(position, moves[index], out[index])
    return count


def expand(position: Words) -> tuple[list[int], NDArray[np.uint64]]:
    """The legal moves of a position, and the positions uint64[n, 11] that they lead to."""
    moves = np.empty(MOST_MOVES, np.uint64)
    out = np.empty((MOST_MOVES, WORDS), np.uint64)
    count = int(_expand(position, moves, out))
    return moves[:count].tolist(), out[:count]
