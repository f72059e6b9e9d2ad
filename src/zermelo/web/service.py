"""What the routes share: the tables, the threads that read them, and the answers kept."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import chess
from starlette.requests import Request

from zermelo.errors import InputError
from zermelo.problems.reading import read_board
from zermelo.problems.tree import Solution
from zermelo.tables.folder import default_folder
from zermelo.tables.tablebase import RankedMove, Tablebase
from zermelo.web import limits
from zermelo.web.building import Builder
from zermelo.web.limits import Desk

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Settings:
    """How a server behaves.

    folder: of tables, None for the usual one. read_only: nothing is ever made. cache: answers of
    ``/standard`` that are kept, 0 for none.
    """

    folder: Path | None = None
    read_only: bool = False
    cache: int = 20_000


class Cache(Generic[K, V]):
    """The last ``most`` values used."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """A value that is kept, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        """Keeps a value, and lets the one go that was not used for longest."""
        if self._most:
            self._kept[key] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


class Service:
    """One server's tables and workers.

    Table answers take a thread that does nothing else. Everything that may take long (a census, a
    mate search, a game) goes through ``heavy``, one of a client's at a time.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.folder or default_folder()
        self.tablebase = Tablebase(self.folder, build="none", memory=1 << 28)
        self.answers: Cache[str, bytes] = Cache(settings.cache)
        self.probes = Desk("probe", threads=1, each=256, most=2048, single=False)
        self.heavy = Desk("heavy", threads=2, each=8, most=64, single=True)
        self.builder = Builder(self.folder)
        self.solutions: Cache[Hashable, Solution] = Cache(256)
        self._stops: set[Callable[[], None]] = set()

    def warm(self) -> None:
        """Has the kernels compiled or loaded before the first request needs them."""
        self.probes.begin(self.tablebase.moves, chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1"))

    async def moves(self, client: str, board: chess.Board) -> list[RankedMove]:
        """The ranked moves of a position."""
        return await self.probes.run(client, self.tablebase.moves, board)

    async def probe(self, client: str, work: Callable[[], V]) -> V:
        """Does some short work on the tables."""
        return await self.probes.run(client, work)

    @contextmanager
    def stoppable(self, stop: Callable[[], None]) -> Iterator[None]:
        """While this is open, closing the service calls ``stop``."""
        self._stops.add(stop)
        try:
            yield
        finally:
            self._stops.discard(stop)

    def close(self) -> None:
        """Stops the workers and closes the tables."""
        for stop in list(self._stops):
            stop()
        self.builder.close()
        self.heavy.close()
        self.probes.close()
        self.tablebase.close()


def service_of(request: Request) -> Service:
    """The service of a request's server."""
    service: Service = request.app.state.service
    return service


def client_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""


def position_text(request: Request, name: str = "fen") -> str:
    """The position that a request asks about as it is written, underscores as spaces."""
    text = request.query_params.get(name, "").replace("_", " ").strip()
    if not text:
        raise InputError(f"{name}: missing; add ?{name}= and a position as FEN or piece list")
    if len(text) > limits.POSITION:
        raise InputError(f"{name}: {len(text)} characters where at most {limits.POSITION} will do")
    return text


def position_of(request: Request) -> chess.Board:
    """The position that a request asks about."""
    return read_board(position_text(request))


def number_of(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A whole number among a request's parameters; raises InputError outside least to most."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and least <= int(text[:9]) <= most):
        raise InputError(f"{name}={text[:20]}: write a whole number from {least} to {most}")
    return int(text[:9])


def encoded(value: Any) -> bytes:
    """A value as JSON; half a surrogate pair, which a request may hold, becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace")
