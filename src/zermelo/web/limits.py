"""What keeps one user from starving the others: bounded queues, and turns for heavy work."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import ClassVar, ParamSpec, TypeVar

from zermelo.errors import ZermeloError

P = ParamSpec("P")
R = TypeVar("R")

BODY = 1 << 16
"""Bytes of a request's body."""
PATIENCE = 10
"""Seconds in which a body must have come."""
CONNECTIONS = 900
"""Connections at a time; more are turned away."""
POSITION = 200
"""Characters of a position."""
SECONDS = 10
"""The longest that a search for a mate may take."""


class BusyError(ZermeloError):
    """Too much is asked at once; the same request will do a little later."""

    http_status: ClassVar[int] = 429


class Desk:
    """Threads that serve requests in turn; at most ``each`` of one client's may wait at a time.

    With ``single`` only one request of a client is worked on at a time.
    """

    def __init__(self, name: str, threads: int, each: int, most: int, single: bool) -> None:
        self._pool: Executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._each, self._most, self._single = each, most, single
        self._waiting: Counter[str] = Counter()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def run(self, client: str, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Does the work in a thread; raises BusyError where too much is waiting."""
        if self._waiting[client] >= self._each or self._waiting.total() >= self._most:
            raise BusyError("too many requests at once; ask again in a moment")
        self._waiting[client] += 1
        try:
            if not self._single:
                return await self._submit(work, *args, **kwargs)
            async with self._turns[client]:
                return await self._submit(work, *args, **kwargs)
        finally:
            self._waiting[client] -= 1
            if not self._waiting[client]:
                del self._waiting[client]
                self._turns.pop(client, None)

    async def _submit(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: work(*args, **kwargs))

    def begin(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> None:
        """Does some work of the server's own, for which nobody waits."""
        self._pool.submit(work, *args, **kwargs)

    def close(self) -> None:
        """Lets running work end and drops what waits."""
        self._pool.shutdown(wait=False, cancel_futures=True)
