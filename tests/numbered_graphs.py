"""Random graphs as games that number their positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zermelo.jit import kernel


class Graph:
    """A random graph as a game of numbers: positions end, are absent, or have up to five moves."""

    def __init__(self, size: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        ends = rng.choice([-1, 0, 1, 3, 2], size, p=[0.1, 0.04, 0.04, 0.02, 0.8]).astype(np.int8)
        ends[0] = 2
        there = np.flatnonzero(ends != 3)
        moves: list[list[int]] = [
            sorted(set(rng.choice(there, rng.integers(1, 6)).tolist())) if end == 2 else []
            for end in ends
        ]
        back: list[list[int]] = [[] for _ in range(size)]
        for i, targets in enumerate(moves):
            for target in targets:
                back[target].append(i)
        self.size, self.start = size, 0
        self.degree = max(map(len, [*moves, *back]))
        forward, backward = _rows(moves), _rows(back)

        @kernel
        def outcome(i: int) -> int:
            return int(ends[i])

        self.outcome = outcome
        self.successors, self.predecessors = _reader(*forward), _reader(*backward)


def _rows(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, lists)])
    return offsets, np.array([i for row in lists for i in row], np.int64)


def _reader(offsets: np.ndarray, targets: np.ndarray) -> Callable[[int, Any], int]:
    @kernel
    def read(i: int, out: np.ndarray) -> int:
        count = 0
        for k in range(offsets[i], offsets[i + 1]):
            out[count] = targets[k]
            count += 1
        return count

    return read
