"""``zermelo uci`` is an engine for chess interfaces, ``zermelo play`` a trainer."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from zermelo.cli.common import add_command, add_dir, refuse
from zermelo.errors import INTERRUPTED


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
    play = add_command(
        commands,
        "play",
        _play,
        "train against the tables, which defend to the utmost",
        "zermelo play KBNvK --mate-in 12\n  zermelo play positions.epd --random --pgn games.pgn",
    )
    play.add_argument(
        "position", nargs="*", help="a material, a FEN or piece list, or a file of positions (EPD)"
    )
    play.add_argument("--mate-in", type=int, metavar="N", help="begin at mate in N")
    play.add_argument("--draw", action="store_true", help="begin with a draw that can be lost")
    play.add_argument("--random", action="store_true", help="take a file's positions at random")
    play.add_argument("--seed", type=int, metavar="S", help="repeat what was random")
    play.add_argument(
        "--side", choices=("white", "black"), help="your side (White is the stronger)"
    )
    play.add_argument("--resume", action="store_true", help="go on with the game that was kept")
    play.add_argument("--plain", action="store_true", help="letters instead of Unicode's chessmen")
    play.add_argument("--pgn", metavar="F", help="write the games, with comments, to F")
    play.add_argument("--epd", metavar="F", help="write where they began, with dm, to F")
    add_dir(play)


def _play(options: argparse.Namespace) -> int:
    from zermelo.cli import trainer

    return trainer.play(options)


def _uci(options: argparse.Namespace) -> int:
    refuse(options, "an engine speaks UCI and nothing else", "json")
    from zermelo.play.thinker import Settings
    from zermelo.play.uci import Uci

    def write(line: str) -> None:
        try:
            print(line, flush=True)
        except BrokenPipeError:
            # The interface is gone: nobody can say quit any more.
            os._exit(0)

    protocol = Uci(write, Settings(options.dir, options.syzygy))
    code = 0
    try:
        # Bytes, for an interface may send anything.
        protocol.run(line.decode("utf-8", "replace") for line in sys.stdin.buffer)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if protocol.busy:
        # Python would wait for a thread that compiles kernels; nothing is left to be lost.
        os._exit(code)
    return code


def engine() -> int:
    """``zermelo-uci``, for interfaces that start a program without arguments."""
    from zermelo.cli import program

    return program(["uci", *sys.argv[1:]])
