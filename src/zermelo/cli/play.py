"""``zermelo uci`` is an engine for chess interfaces, ``zermelo play`` a trainer."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from zermelo.cli.common import add_command, add_dir


def register(commands: Any) -> None:
    """Adds the commands."""
    uci = add_command(
        commands,
        "uci",
        _uci,
        "play in a chess interface (UCI protocol)",
        "zermelo uci --dir tables",
    )
    uci.add_argument("--syzygy", metavar="D", help="folder of Syzygy files, as option SyzygyPath")
    add_dir(uci)


def _uci(options: argparse.Namespace) -> int:
    from zermelo.play.thinker import Settings
    from zermelo.play.uci import Uci

    def write(line: str) -> None:
        print(line, flush=True)

    protocol = Uci(write, Settings(options.dir, options.syzygy))
    # Bytes, for an interface may send anything.
    protocol.run(line.decode("utf-8", "replace") for line in sys.stdin.buffer)
    if protocol.busy:
        # Python would wait for a thread that compiles kernels; nothing is left to be lost.
        os._exit(0)
    return 0
