"""The command line: parse, call, print; nothing else. One file for each family of commands."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from zermelo import __version__
from zermelo.errors import INTERRUPTED, LimitError, TableError, ZermeloError

FAMILIES: tuple[str, ...] = (
    "tables",
    "probe",
    "reports",
    "find",
    "board",
    "games",
    "problems",
    "play",
    "web",
)
"""Modules of this package with a function ``register(subparsers)``."""

EPILOG = """\
exit codes: 0 done · 2 bad input, or none (no such file) · 3 a table is missing
            4 a file is damaged or cannot be written, or a check failed
            5 too large for this machine or a limit · 130 interrupted
"""


_UNKNOWN = re.compile(r"argument COMMAND: invalid choice: '(.*?)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line and exits with 2; an option must be written out in full."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **options,
        )

    def error(self, message: str) -> NoReturn:
        if unknown := _UNKNOWN.match(message):
            names = re.findall(r"\w+", unknown[2])
            near = get_close_matches(unknown[1], names, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            message = f"no command {unknown[1]!r}; {hint}"
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = Parser(
        prog="zermelo",
        description="Solves games of perfect information exactly and plays without a mistake.",
        epilog=EPILOG,
    )
    top.add_argument("-V", "--version", action="version", version=f"zermelo {__version__}")
    commands = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for family in FAMILIES:
        import_module(f"zermelo.cli.{family}").register(commands)
    return top


def _drop_output() -> None:
    """Lets what could not be written go, or Python would try once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: list[str] | None = None) -> int:
    """Runs one command and returns its exit code; errors become one line on standard error."""
    options = parser().parse_args(argv)
    try:
        code: int = options.run(options) or 0
        sys.stdout.flush()
    except ZermeloError as error:
        if options.debug:
            raise
        print(f"zermelo {options.command}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"zermelo {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        if options.debug:
            raise
        print(f"zermelo {options.command}: out of memory; this is too large here", file=sys.stderr)
        return LimitError.exit_code
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing is wrong, and nothing more can be said.
        sys.stderr.close()
        return 0
    except OSError as error:
        if options.debug or error.errno != errno.ENOSPC:
            raise
        print(f"zermelo {options.command}: output: no space is left", file=sys.stderr)
        _drop_output()
        return TableError.exit_code
    return code


def program(argv: list[str] | None = None) -> int:
    """``zermelo`` as a process of its own; Ctrl-C ends it in one line, whatever it is about."""
    from zermelo.cli.interrupts import Interrupts

    interrupts = Interrupts()
    try:
        code = main(argv)
    except (Exception, KeyboardInterrupt):
        if not interrupts.pressed:
            raise
        # Before there was a command, or in an import that reports it as a fault of its own.
        print("zermelo: interrupted", file=sys.stderr)
        code = INTERRUPTED
    if interrupts.pressed:
        interrupts.leave(code)
    return code
