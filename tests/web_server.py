"""A real server in a thread, for clients that speak HTTP themselves."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
import uvicorn

from zermelo.web.app import make_app
from zermelo.web.service import Settings


class Client(requests.Session):
    """Asks one server."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address

    def request(self, method: str, path: str, **options: Any) -> requests.Response:  # type: ignore[override]
        return super().request(method, self.address + path, timeout=120, **options)


@contextmanager
def asking(tables: Path, **settings: object) -> Iterator[Client]:
    """A client of a server of these tables."""
    with served(tables, **settings) as address, Client(address) as client:
        yield client


@contextmanager
def served(tables: Path, **settings: object) -> Iterator[str]:
    """The address of a server of these tables, which stops when the context ends."""
    app = make_app(Settings(folder=tables, **settings))  # type: ignore[arg-type]
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
