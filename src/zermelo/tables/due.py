"""The exits of blocks in a file, by the level at which they fall due: each is read once.

A block has as many exits as cells, but at one level few of them matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from zermelo.jit import Int, kernel
from zermelo.tables.crossing import Cells, mark
from zermelo.tables.journal import Newly
from zermelo.tables.layout import ALL
from zermelo.tables.scratch import Scratch
from zermelo.tables.work import Words, lanes_at, next_due

FAST = 1
"""The level of compression, which must not take longer than the exits took to find."""


@kernel
def by_level(cells: Cells, none: Int) -> tuple[NDArray[np.int64], NDArray[np.uint32], Words]:
    """(starts, words, lanes): the words with exits due at level n, and which lanes of them, stand
    from ``starts[n]`` to ``starts[n + 1]``. 0, ``none`` and stalemate, ``none - 1``, are no exits.
    """
    counts = np.zeros(none, np.int64)
    for word in range(len(cells)):
        level = np.int64(next_due(cells, word, ALL, 0, none))
        while level < none - 1:
            counts[level] += 1
            level = np.int64(next_due(cells, word, ALL, level, none))
    starts = np.zeros(none + 1, np.int64)
    for i in range(none):
        starts[i + 1] = starts[i] + counts[i]
    words, lanes = np.empty(starts[none], np.uint32), np.empty(starts[none], np.uint64)
    ends = starts.copy()
    for word in range(len(cells)):
        level = np.int64(next_due(cells, word, ALL, 0, none))
        while level < none - 1:
            words[ends[level]], lanes[ends[level]] = word, lanes_at(cells, word, level)
            ends[level] += 1
            level = np.int64(next_due(cells, word, ALL, level, none))
    return starts, words, lanes


@kernel
def _enter(cells: Cells, due: Cells, words: NDArray[np.uint32], lanes: Words, level: Int) -> None:
    width = due.shape[1]
    for i in range(len(words)):
        word = np.int64(words[i])
        mark(cells, word, lanes[i], level)
        due[word // width, word % width] = level


@kernel
def _clear(cells: Cells, words: NDArray[np.uint32]) -> None:
    for i in range(len(words)):
        cells[np.int64(words[i])] = 0


def packed(cells: Cells) -> Iterator[tuple[int, bytes]]:
    """(level, piece) for each level at which exits of one side of a block fall due."""
    starts, words, lanes = by_level(cells, int(np.iinfo(cells.dtype).max))
    packer = zstandard.ZstdCompressor(level=FAST)
    for level in np.flatnonzero(np.diff(starts)).tolist():
        part = slice(starts[level], starts[level + 1])
        yield level, packer.compress(Newly(words[part], lanes[part]).to_bytes())


def enter(piece: bytes, level: int, cells: Cells, due: Cells) -> NDArray[np.uint32]:
    """Writes what falls due at a level into cells that are zero, and into ``due`` of a `Work`.

    Returns the words that it wrote into.
    """
    found = Newly.from_bytes(zstandard.ZstdDecompressor().decompress(piece))
    _enter(cells, due, *found, level)
    return found.words


class Due:
    """The exits of some blocks in a scratch file, each by block, side (0 the attacker's), level."""

    def __init__(self, folder: Path) -> None:
        self._scratch = Scratch(folder)
        self._places: dict[tuple[int, int, int], tuple[int, int]] = {}

    def write(self, block: int, side: int, cells: Cells) -> None:
        """Keeps the exits of one side of a block."""
        for level, piece in packed(cells):
            self._places[block, side, level] = self._scratch.append(piece)

    def some(self, block: int, level: int) -> bool:
        """Whether exits of a block fall due at a level."""
        return any((block, side, level) in self._places for side in (0, 1))

    @contextmanager
    def entered(self, block: int, level: int, cells: Cells, due: Cells) -> Iterator[None]:
        """Writes what falls due at a level into ``cells``, [2, words, 64] of zeros, and ``due``.

        At the end of the context the cells are zero again.
        """
        words = {}
        for side in (0, 1):
            place = self._places.get((block, side, level))
            if place:
                piece = self._scratch.read(*place)
                words[side] = enter(piece, level, cells[side], due[side])
        yield
        for side, written in words.items():
            _clear(cells[side], written)
