"""What all commands share: their common options, progress, the notice of compilation."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any


def add_command(
    commands: Any, name: str, run: Any, summary: str, example: str
) -> argparse.ArgumentParser:
    """Adds a command with the options of every command; ``run(options)`` returns its exit code."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=summary, epilog=f"example:\n  {example}"
    )
    command.add_argument("--json", action="store_true", help="print JSON for programs")
    command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    command.set_defaults(run=run)
    return command


def add_dir(command: argparse.ArgumentParser) -> None:
    """Adds ``--dir``, the folder of tables."""
    command.add_argument(
        "--dir", metavar="D", help="folder of tables (default: $ZERMELO_TABLES or the data folder)"
    )


def in_plies(plies: int | None) -> str:
    """``"1 ply"``, ``"27 plies"``."""
    return "1 ply" if plies == 1 else f"{plies} plies"


def print_json(value: Any) -> None:
    """One JSON document a line on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


def announce_compilation() -> None:
    """Says once on standard error that kernels are being compiled."""
    from zermelo import jit

    jit.announce(lambda: print("compiling kernels (once on this machine) …", file=sys.stderr))
