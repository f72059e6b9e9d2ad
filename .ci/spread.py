"""Positions of a table spread over all of its distances, the rare ones as well as the many."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import ONE
from zermelo.jit import Int, kernel
from zermelo.tables.crossing import Cells
from zermelo.tables.fens import fen, letters_of, men_at
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import Layout, canonical, layout
from zermelo.tables.material import Half
from zermelo.tables.table import CHUNK_WORDS, Table

ROOM = 1 << 30
"""Numbers of cells that are kept, as many of each level, of which many cannot occur."""


@kernel
def keep(
    lay: Layout,
    maps: NDArray[np.uint8],
    cells: Cells,
    first: Int,
    state: NDArray[np.uint64],
    counts: NDArray[np.int64],
    kept: NDArray[np.int64],
) -> None:
    """Takes the canonical cells of a chunk, [64, words], into a reservoir for each level.

    counts: int64[levels], cells seen; kept: int64[levels, n], cells; state: uint64[1], random.
    """
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    size = np.int64(kept.shape[1])
    words = min(np.int64(cells.shape[1]), np.int64(lay.words * len(lay.pawns) - first))
    for i in range(words):
        lanes = canonical(lay, maps, first + i, men)
        for lane in range(64):
            if not (lanes >> np.uint64(lane)) & ONE:
                continue
            level = np.int64(cells[lane, i])
            place = counts[level]
            counts[level] += 1
            if place >= size:
                # Xorshift, after Marsaglia.
                state[0] ^= state[0] << np.uint64(13)
                state[0] ^= state[0] >> np.uint64(7)
                state[0] ^= state[0] << np.uint64(17)
                place = np.int64(state[0] >> np.uint64(1)) % counts[level]
            if place < size:
                kept[level, place] = (first + i) * 64 + lane


def cells_by_level(table: Table, half: Half) -> list[NDArray[np.int64]]:
    """Random cells of every level that a half has."""
    summary, lay, maps = table.summary(half), layout(half), geometry().maps
    levels = 1 << 8 * summary.width
    each = ROOM // levels
    counts, kept = np.zeros(levels, np.int64), np.zeros((levels, each), np.int64)
    state = np.array([1913], np.uint64)
    for number in range(summary.chunks):
        cells = np.frombuffer(table.chunk(half, number), f"<u{summary.width}").reshape(64, -1)
        keep(lay, maps, cells, number * CHUNK_WORDS, state, counts, kept)
    return [kept[level, : min(each, counts[level])] for level in np.flatnonzero(counts)]


def boards(table: Table, count: int) -> list[chess.Board]:
    """Up to so many legal positions with the defender to move, as many of each level as there are.

    They are in the order of their cells: neighbours read the same chunks.
    """
    levels = [
        (half, iter(random.Random(1913).sample(cells.tolist(), len(cells))))
        for half in table.halves
        for cells in cells_by_level(table, half)
    ]
    found: list[tuple[str, int, chess.Board]] = []
    while levels and len(found) < count:
        for level in list(levels):
            white = len(found) % 2 == 0
            cell, board = next(_legal(*level, white), (0, None))
            if board is None:
                levels.remove(level)
            else:
                found.append((str(level[0]), cell, board))
    found.sort(key=lambda one: one[:2])
    return [board for _, _, board in found[:count]]


def _legal(half: Half, cells: Iterator[int], white: bool) -> Iterator[tuple[int, chess.Board]]:
    """The positions of some cells that can occur, the attacker White or Black."""
    letters = letters_of(half, white)
    for cell in cells:
        board = chess.Board(fen(letters, men_at(half, cell), white, "b" if white else "w"))
        if board.is_valid() and len(board.piece_map()) == half.men:
            yield cell, board
