"""``zermelo serve``: the web board and the HTTP API."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path
from typing import Any

from zermelo.cli.common import add_command, add_dir, announce_compilation
from zermelo.errors import InputError


def register(commands: Any) -> None:
    """Adds ``zermelo serve``."""
    serve = add_command(
        commands,
        "serve",
        _serve,
        "show the web board and answer programs over HTTP",
        "zermelo serve --open",
    )
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (this machine's)")
    serve.add_argument("--port", type=int, default=9000, help="port to listen on (0: any free one)")
    serve.add_argument("--open", action="store_true", help="open the page in your browser")
    serve.add_argument("--read-only", action="store_true", help="never make a table")
    serve.add_argument(
        "--cache", type=int, default=20_000, metavar="N", help="answers to keep (0: none)"
    )
    add_dir(serve)


def _serve(options: argparse.Namespace) -> int:
    if options.cache < 0:
        raise InputError(f"--cache {options.cache}: must not be negative")
    if not 0 <= options.port < 1 << 16:
        raise InputError(f"--port {options.port}: a port is a number from 0 to 65535")
    listening = _listen(options.host, options.port)
    with listening:
        announce_compilation()
        try:
            from zermelo.web.server import serve
            from zermelo.web.service import Settings
        except ModuleNotFoundError as error:
            raise InputError(
                f"{error.name} is missing; install it, where zermelo's README lies, with: "
                "pip install '.[web]'"
            ) from None
        settings = Settings(
            folder=Path(options.dir) if options.dir else None,
            read_only=options.read_only,
            cache=options.cache,
        )
        serve(settings, listening, browse=options.open, quiet=options.json)
    return 0


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError):
        raise InputError(f"--host {host} --port {port}: no such address") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise InputError(
            f"{host}:{port}: cannot listen there ({error.strerror}); choose another with --port"
        ) from None
    return listening
