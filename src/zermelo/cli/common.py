"""What all commands share: their common options, progress, the notice of compilation."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.tables.material import Material
    from zermelo.tables.reach import Child


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


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Adds ``--address`` and ``--workers``, the cluster of ``--engine ray``."""
    command.add_argument(
        "--address", metavar="A", help="the cluster: host:port, or auto (default: one started here)"
    )
    command.add_argument(
        "--workers", type=int, metavar="N", help="how many processors of the cluster to use (all)"
    )


def refuse(options: argparse.Namespace, why: str, *names: str) -> None:
    """Raises InputError that says why if one of the options named, as in ``no-build``, is there."""
    for name in names:
        value = getattr(options, name.replace("-", "_"))
        if value is not None and value is not False:
            raise InputError(f"--{name}: {why}")


def lines_of(name: str, errors: str = "replace") -> AbstractContextManager[TextIO]:
    """The lines of an input file, or of standard input for ``-``.

    Bytes that are no text become marks that no position has: that line is bad, not all of them.
    With ``errors="strict"`` they raise UnicodeDecodeError.
    """
    if name == "-":
        return nullcontext(sys.stdin)
    try:
        return Path(name).open(encoding="utf-8-sig", errors=errors)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None


def folder_of(options: argparse.Namespace) -> Path:
    """The folder of tables that a command works on."""
    from zermelo.tables.folder import default_folder

    return Path(options.dir) if options.dir else default_folder()


def in_plies(plies: int | None) -> str:
    """``"1 ply"``, ``"27 plies"``."""
    return "1 ply" if plies == 1 else f"{plies} plies"


def print_json(value: Any) -> None:
    """One JSON document a line on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")


def announce_compilation() -> None:
    """Says once on standard error that kernels are being compiled, and if that will not be kept."""
    from zermelo import jit

    if not jit.cacheable(jit.cache_root()):
        print(
            f"{jit.cache_root()}: cannot be written, so kernels are compiled at every run; "
            "name another folder in $ZERMELO_CACHE",
            file=sys.stderr,
        )
    jit.announce(lambda words: print(f"{words} …", file=sys.stderr))


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, if that is a terminal; yields what moves it (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def halves(options: argparse.Namespace, materials: list[Material]) -> Child:
    """Gives the halves of tables in the folder, small ones that are missing made first.

    Raises MissingTableError where one of these tables, or one that they lead to, is missing.
    """
    announce_compilation()
    from zermelo.tables.material import with_children
    from zermelo.tables.solving import Solver
    from zermelo.tables.tablebase import Tablebase

    with Tablebase(options.dir, tell=lambda text: print(text, file=sys.stderr)) as tablebase:
        for material in with_children(materials):
            tablebase.table(material)
        return Solver(tablebase.folder).half
