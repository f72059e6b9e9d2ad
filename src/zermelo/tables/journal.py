"""What is lost at which level, written down as it is found: the levels of a half in a file.

A solver that keeps sets and no levels adds what is newly lost, block by block and level by level;
from that the levels of any block are put together when its table is written.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import Int, kernel
from zermelo.tables.crossing import EMPTY, Cells, mark
from zermelo.tables.packing import joined
from zermelo.tables.scratch import Scratch
from zermelo.tables.work import Front, Words, lanes_at

STALEMATE = -1
"""In place of a level: the defender is stalemated."""
HELD = 4
"""Blocks whose levels are held, for a chunk may need two and each thread has its own."""


class Newly(NamedTuple):
    """Some positions of a block: words uint32[n], counted from its first, and lanes uint64[n]."""

    words: NDArray[np.uint32]
    lanes: Words

    def to_bytes(self) -> bytes:
        """As files have them: the lanes, then the words."""
        return self.lanes.tobytes() + self.words.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Newly:
        """Undoes ``to_bytes``."""
        count = len(data) // 12
        lanes = np.frombuffer(data, np.uint64, count)
        return cls(np.frombuffer(data, np.uint32, count, lanes.nbytes), lanes)


@kernel
def collect(front: Front) -> tuple[NDArray[np.uint32], Words]:
    """The words of a front that are not empty, as the two arrays of `Newly`."""
    width, count = front.rows.shape[1], 0
    for row in range(len(front.rows)):
        if front.changed[row]:
            for j in range(width):
                count += front.rows[row, j] != EMPTY
    words, lanes, n = np.empty(count, np.uint32), np.empty(count, np.uint64), 0
    for row in range(len(front.rows)):
        if front.changed[row]:
            for j in range(width):
                if front.rows[row, j] != EMPTY:
                    words[n], lanes[n] = row * width + j, front.rows[row, j]
                    n += 1
    return words, lanes


@kernel
def at_level(cells: Cells, level: Int) -> tuple[NDArray[np.uint32], Words]:
    """The cells that hold a level, as the two arrays of `Newly`."""
    found = np.zeros(len(cells), np.uint64)
    count = 0
    for word in range(len(cells)):
        found[word] = lanes_at(cells, word, level)
        count += found[word] != EMPTY
    words, lanes, n = np.empty(count, np.uint32), np.empty(count, np.uint64), 0
    for word in range(len(cells)):
        if found[word] != EMPTY:
            words[n], lanes[n] = word, found[word]
            n += 1
    return words, lanes


@kernel
def spread_out(words: NDArray[np.uint32], lanes: Words, slot: Int, front: Front) -> None:
    """Writes positions of a block into a front with room for several; undoes ``collect``."""
    width = front.rows.shape[1]
    for i in range(len(words)):
        word = slot + np.int64(words[i])
        row = word // width
        if not front.changed[row]:
            front.changed[row] = 1
            front.rows[row] = EMPTY
        front.rows[row, word % width] = lanes[i]


@kernel
def _mark_all(cells: Cells, words: NDArray[np.uint32], lanes: Words, level: Int) -> None:
    for i in range(len(words)):
        mark(cells, np.int64(words[i]), lanes[i], level)


class Journal:
    """An open journal of some blocks of ``words`` words each; raises TableError as `Scratch` does.

    A piece is what one block lost at one level.
    """

    def __init__(self, folder: Path, blocks: int, words: int) -> None:
        self.words = words
        self._scratch = Scratch(folder)
        self._entries: list[list[tuple[int, int, int]]] = [[] for _ in range(blocks)]
        self._lock = Lock()
        self._held: OrderedDict[int, Cells] = OrderedDict()

    @property
    def bytes(self) -> int:
        """Length of the file."""
        return self._scratch.bytes

    def add(self, block: int, level: int, newly: Newly) -> None:
        """Writes down what a block lost at a level."""
        if len(newly.words):
            piece = self._scratch.append(newly.to_bytes())
            self._entries[block].append((level, *piece))

    def _block(self, block: int, dtype: np.dtype[Any]) -> Cells:
        none = int(np.iinfo(dtype).max)
        cells = np.full((self.words, 64), none, dtype)
        for level, at, length in self._entries[block]:
            found = Newly.from_bytes(self._scratch.read(at, length))
            _mark_all(cells, *found, none - 1 if level == STALEMATE else level)
        return cells

    def _hold(self, block: int, dtype: np.dtype[Any]) -> Cells:
        if block not in self._held:
            self._held[block] = self._block(block, dtype)
            if len(self._held) > HELD:
                self._held.popitem(last=False)
        return self._held[block]

    def cells(self, first: int, last: int, dtype: np.dtype[Any]) -> Cells:
        """The levels of words first to last of the half, ``[words, 64]``."""
        with self._lock:
            return joined(first, last, self.words, lambda block: self._hold(block, dtype))
