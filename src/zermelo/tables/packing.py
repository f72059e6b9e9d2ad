"""From a solved half to its file: what the half comes to, and its cells in chunks.

A chunk holds the levels of 256 words lane by lane, so that neighbours in it differ by the square of
one man: half as long again when compressed word by word. Cells that mean nothing (twins of others,
positions that cannot occur) repeat the level before them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import Int, borrow, inlined, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Men
from zermelo.tables.geometry import Geometry, geometry
from zermelo.tables.layout import Layout, canonical, layout, unplace
from zermelo.tables.restore import sheltered
from zermelo.tables.retrograde import Solved
from zermelo.tables.table import CHUNK, CHUNK_WORDS, Levels, Summary

BATCH = 64
"""Chunks that are packed at a time: 1 MiB of them."""


@inlined
def _meaning(geo: Geometry, lay: Layout, word: Int, men: Men) -> np.uint64:
    """The canonical lanes of a word that can occur with the defender to move."""
    lanes = canonical(lay, geo.maps, word, men)
    if lanes == EMPTY:
        return EMPTY
    unplace(lay, word, men)
    return lanes & sheltered(geo, lay, men)


@kernel
def _pack(geo: Geometry, lay: Layout, lost: Cells, first: Int, chunks: Levels) -> None:
    """Fills chunks uint8[n, 64, CHUNK_WORDS] from word ``first`` on."""
    geo, lay, lost = borrow(geo), borrow(lay), borrow(lost)
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    lanes = np.empty(CHUNK_WORDS, np.uint64)
    level = lost[first, 0]
    for chunk in chunks:
        for i in range(CHUNK_WORDS):
            word = first + i
            lanes[i] = _meaning(geo, lay, word, men) if word < len(lost) else EMPTY
        for lane in range(64):
            for i in range(CHUNK_WORDS):
                if (lanes[i] >> np.uint64(lane)) & ONE:
                    level = lost[first + i, lane]
                chunk[lane, i] = level
        first += CHUNK_WORDS


@kernel
def _add(
    cells: Cells, word: Int, lanes: np.uint64, lowest: Int, none: Int, sums: NDArray[np.int64]
) -> None:
    """Adds some lanes of a word to ``sums``: legal, decided, longest, example.

    A level below ``lowest`` is none: the position cannot occur.
    """
    legal, decided, longest = np.int64(0), np.int64(0), np.int64(-1)
    # Without a branch this becomes vector instructions.
    for lane in range(64):
        level = np.int64(cells[word, lane])
        inside = ((lanes >> np.uint64(lane)) & ONE != EMPTY) & (level >= lowest)
        counts = inside & (level < none - 1)
        legal += inside
        decided += counts
        longest = max(longest, level if counts else np.int64(-1))
    sums[0] += legal
    sums[1] += decided
    if longest > sums[2]:
        sums[2] = longest
        for lane in range(63, -1, -1):
            if cells[word, lane] == longest and (lanes >> np.uint64(lane)) & ONE:
                sums[3] = word * 64 + lane


@kernel
def _tally(
    geo: Geometry,
    lay: Layout,
    lost: Cells,
    win: Cells,
    first: Int,
    last: Int,
    none: Int,
    sums: NDArray[np.int64],
) -> None:
    """Adds words first to last to ``sums``, int64[2, 4]: the last four columns of each side.

    Row 0 is the defender to move, row 1 the attacker; columns legal, decided, longest, example.
    """
    geo, lay, lost, win = borrow(geo), borrow(lay), borrow(lost), borrow(win)
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    for word in range(first, last):
        lanes = canonical(lay, geo.maps, word, men)
        if lanes != EMPTY:
            _add(lost, word, _meaning(geo, lay, word, men), 0, none, sums[0])
            _add(win, word, lanes, 1, none, sums[1])


def summarize(solved: Solved) -> Summary:
    """Counts a half; positions that symmetry makes equal count once."""
    geo, lay = geometry(), layout(solved.half)
    bounds = np.linspace(0, len(solved.lost), 17).astype(int).tolist()
    win = solved.win

    def part(i: int) -> NDArray[np.int64]:
        sums = np.zeros((2, 4), np.int64)
        sums[:, 2:] = -1
        _tally(geo, lay, solved.lost, win, bounds[i], bounds[i + 1], solved.none, sums)
        return sums

    with ThreadPoolExecutor() as pool:
        parts = np.array(list(pool.map(part, range(16))))
    counts = parts[:, :, :2].sum(axis=0)
    # The first part with the greatest level has the first example.
    best = parts[:, :, 2].argmax(axis=0)
    longest = [np.maximum(parts[best[side], side, 2:], 0) for side in (0, 1)]
    material = solved.half.material
    attacker = int(solved.half.attacker != material.strong)
    width = solved.lost.itemsize
    return Summary(
        attacker, width, lay.cells, *(int(n) for s in (0, 1) for n in (*counts[s], *longest[s]))
    )


def chunks(solved: Solved, tick: Callable[[float], None]) -> Iterator[Levels]:
    """The chunks of a half, some at a time, ``[n, CHUNK]``."""
    geo, lay = geometry(), layout(solved.half)
    words = len(solved.lost)

    def pack(first: int) -> Levels:
        count = min(BATCH, -(-(words - first) // CHUNK_WORDS))
        packed = np.empty((count, 64, CHUNK_WORDS), solved.lost.dtype)
        _pack(geo, lay, solved.lost, first, packed)
        return packed.reshape(count, CHUNK)

    step = BATCH * CHUNK_WORDS
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, words, threads * step):
            # No more at a time than there are threads: a large half must not be held twice.
            end = min(start + threads * step, words)
            yield from pool.map(pack, range(start, end, step))
            tick(end / words)
