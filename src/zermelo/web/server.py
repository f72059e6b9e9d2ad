"""Runs the application with uvicorn until it is told to stop."""

from __future__ import annotations

import json
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from zermelo.web import limits
from zermelo.web.app import make_app
from zermelo.web.service import Settings

_GRACE = 3
"""Seconds that open requests have to end."""


class _Server(uvicorn.Server):
    """Stops on Ctrl-C or SIGTERM and leaves it to its caller what to do then."""

    interrupted = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        def stop(number: int, frame: FrameType | None) -> None:
            self.interrupted |= number == signal.SIGINT
            self.handle_exit(number, frame)

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(settings: Settings, listening: socket.socket, *, browse: bool, quiet: bool) -> None:
    """Serves on a socket that is bound; ``browse`` opens the page, ``quiet`` tells it as JSON."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    url = f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
    config = uvicorn.Config(
        make_app(settings),
        server_header=False,
        timeout_keep_alive=15,
        limit_concurrency=limits.CONNECTIONS,
        timeout_graceful_shutdown=_GRACE,
        log_config=_LOGGING,
    )
    listening.listen(config.backlog)
    print(json.dumps({"url": url}) if quiet else f"zermelo is at {url} (Ctrl-C stops it)")
    sys.stdout.flush()
    if browse:
        webbrowser.open(url)
    server = _Server(config)
    server.run(sockets=[listening])
    if server.interrupted:
        raise KeyboardInterrupt


_LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(levelname)s: %(message)s"},
        "access": {
            "()": "uvicorn.logging.AccessFormatter",
            "format": '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s',
            "use_colors": False,
        },
    },
    "handlers": {
        "plain": {"class": "logging.StreamHandler", "formatter": "plain"},
        "access": {"class": "logging.StreamHandler", "formatter": "access"},
    },
    "loggers": {
        "uvicorn": {"handlers": ["plain"], "level": "WARNING", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
    },
}
