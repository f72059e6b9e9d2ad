"""From a solved half to its file: what the half comes to, and its cells in chunks.

A chunk holds the levels of 256 words lane by lane, so that neighbours in it differ by the square of
one man: half as long again when compressed word by word. Cells that mean nothing (twins of others,
positions that cannot occur) repeat the level before them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import Int, borrow, inlined, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Men
from zermelo.tables.geometry import Geometry, geometry
from zermelo.tables.layout import Layout, canonical, layout, unplace
from zermelo.tables.material import Half
from zermelo.tables.restore import sheltered
from zermelo.tables.table import CHUNK, CHUNK_WORDS, Levels, Summary

BATCH = 64
"""Chunks that are packed at a time: 1 MiB of them."""
TALLIED = 1 << 17
"""Words that a thread counts at a time."""


class Sums(NamedTuple):
    """Of one side's positions, equal ones counted once: legal ones, decided ones, the greatest
    level among these and the first cell that has it."""

    legal: int
    decided: int
    longest: int
    example: int


class Made(Protocol):
    """A half that is solved, wherever its levels are."""

    @property
    def half(self) -> Half:
        """Which."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its levels."""

    def cells(self, first: int, last: int) -> Cells:
        """``lost`` of `retrograde.Solved` in words first to last."""

    def wins(self) -> Sums:
        """What the attacker's positions come to."""


@inlined
def _meaning(geo: Geometry, lay: Layout, word: Int, men: Men) -> np.uint64:
    """The canonical lanes of a word that can occur with the defender to move."""
    lanes = canonical(lay, geo.maps, word, men)
    if lanes == EMPTY:
        return EMPTY
    unplace(lay, word, men)
    return lanes & sheltered(geo, lay, men)


@kernel
def _pack(geo: Geometry, lay: Layout, cells: Cells, first: Int, chunks: Levels) -> None:
    """Fills chunks uint8[n, 64, CHUNK_WORDS] from ``cells``, the words from ``first`` on."""
    geo, lay, cells = borrow(geo), borrow(lay), borrow(cells)
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    lanes = np.empty(CHUNK_WORDS, np.uint64)
    level, own = cells[0, 0], 0
    for chunk in chunks:
        for i in range(CHUNK_WORDS):
            inside = own + i < len(cells)
            lanes[i] = _meaning(geo, lay, first + own + i, men) if inside else EMPTY
        for lane in range(64):
            for i in range(CHUNK_WORDS):
                if (lanes[i] >> np.uint64(lane)) & ONE:
                    level = cells[own + i, lane]
                chunk[lane, i] = level
        own += CHUNK_WORDS


@kernel
def _add(
    levels: Cells, at: Int, lanes: np.uint64, lowest: Int, none: Int, sums: NDArray[np.int64]
) -> bool:
    """Adds some lanes of row ``at`` to legal, decided, longest; whether ``longest`` grew.

    A level below ``lowest`` is none: the position cannot occur.
    """
    legal, decided, longest = np.int64(0), np.int64(0), np.int64(-1)
    # Without a branch this becomes vector instructions.
    for lane in range(64):
        level = np.int64(levels[at, lane])
        inside = ((lanes >> np.uint64(lane)) & ONE != EMPTY) & (level >= lowest)
        counts = inside & (level < none - 1)
        legal += inside
        decided += counts
        longest = max(longest, level if counts else np.int64(-1))
    sums[0] += legal
    sums[1] += decided
    grew = longest > sums[2]
    sums[2] = max(longest, sums[2])
    return bool(grew)


@kernel
def _tally(
    geo: Geometry,
    lay: Layout,
    cells: Cells,
    first: Int,
    wins: bool,
    none: Int,
    sums: NDArray[np.int64],
) -> None:
    """Adds ``cells``, the words from ``first`` on, to ``sums``, int64[4], the columns of `Sums`."""
    geo, lay, cells = borrow(geo), borrow(lay), borrow(cells)
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    for at in range(len(cells)):
        lanes = canonical(lay, geo.maps, first + at, men)
        if lanes == EMPTY:
            continue
        if not wins:
            lanes = _meaning(geo, lay, first + at, men)
        if _add(cells, at, lanes, 1 if wins else 0, none, sums):
            for lane in range(63, -1, -1):
                if cells[at, lane] == sums[2] and (lanes >> np.uint64(lane)) & ONE:
                    sums[3] = (first + at) * 64 + lane


def tally(half: Half, read: Callable[[int, int], Cells], words: range, *, wins: bool) -> Sums:
    """What one side's positions in some words come to; ``read`` gives the levels of a range."""
    geo, lay = geometry(), layout(half)

    def part(first: int) -> NDArray[np.int64]:
        cells = read(first, min(first + TALLIED, words.stop))
        sums = np.array([0, 0, -1, -1], np.int64)
        _tally(geo, lay, cells, first, wins, np.iinfo(cells.dtype).max, sums)
        return sums

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = np.array(list(pool.map(part, range(words.start, words.stop, TALLIED))))
    # The first part with the greatest level has the first example.
    best = parts[parts[:, 2].argmax()]
    legal, decided = parts[:, :2].sum(axis=0)
    return Sums(int(legal), int(decided), max(int(best[2]), 0), max(int(best[3]), 0))


def joined(first: int, last: int, words: int, part: Callable[[int], Cells]) -> Cells:
    """Levels of words first to last from parts of so many words each; ``part`` gives one."""
    parts = []
    for number in range(first // words, (last - 1) // words + 1):
        begin = number * words
        parts.append(part(number)[max(first - begin, 0) : last - begin])
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def summarize(made: Made) -> Summary:
    """Counts a half; positions that symmetry makes equal count once."""
    lay = layout(made.half)
    losses = tally(made.half, made.cells, range(lay.cells // 64), wins=False)
    attacker = int(made.half.attacker != made.half.material.strong)
    return Summary(attacker, made.dtype.itemsize, lay.cells, *losses, *made.wins())


def chunks(made: Made, tick: Callable[[float], None]) -> Iterator[Levels]:
    """The chunks of a half, some at a time, ``[n, CHUNK]``."""
    geo, lay = geometry(), layout(made.half)
    words = lay.cells // 64

    def pack(first: int) -> Levels:
        cells = made.cells(first, min(first + BATCH * CHUNK_WORDS, words))
        packed = np.empty((-(-len(cells) // CHUNK_WORDS), 64, CHUNK_WORDS), made.dtype)
        _pack(geo, lay, cells, first, packed)
        return packed.reshape(len(packed), CHUNK)

    step = BATCH * CHUNK_WORDS
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, words, threads * step):
            # No more at a time than there are threads: a large half must not be held twice.
            end = min(start + threads * step, words)
            yield from pool.map(pack, range(start, end, step))
            tick(end / words)
