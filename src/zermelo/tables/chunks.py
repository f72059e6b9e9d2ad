"""Walks over the words of a half on all processors, a chunk at a time, in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

CHUNK = 1 << 11
"""Words that a thread takes at a time."""


def in_chunks(
    words: int, task: Callable[[int, int], Result], size: int = CHUNK
) -> Iterator[tuple[int, Result]]:
    """(words done, ``task(first, last)``) of each chunk in order; few run ahead of the reader."""
    threads = os.cpu_count() or 1
    waiting: deque[tuple[int, Future[Result]]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for first in range(0, words, size):
            last = min(first + size, words)
            waiting.append((last, pool.submit(task, first, last)))
            if len(waiting) > 2 * threads:
                done, future = waiting.popleft()
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()
    finally:
        pool.shutdown(cancel_futures=True)
