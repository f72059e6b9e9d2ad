"""What ``zermelo mate`` prints and writes: solutions, illegal diagrams, the diagram as SVG."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import print_json
from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.problems.reading import Problem
    from zermelo.problems.tree import Solution


def print_solution(
    options: argparse.Namespace, problem: Problem, solution: Solution, found: dict[str, int]
) -> None:
    """Prints a solution in the form asked for; ``found`` is added to its JSON."""
    if options.json:
        from zermelo.problems.export import summary, to_json

        document = (summary if options.keys_only else to_json)(solution, problem.fen)
        print_json({**document, **found})
    elif options.pgn:
        from zermelo.problems.export import to_pgn

        print(to_pgn(solution))
    else:
        from zermelo.problems.long_notation import long_text
        from zermelo.problems.notation import headline, text

        if options.file:
            print(problem.fen)
        print(f"{headline(solution)}\n\n{long_text(solution)}" if options.long else text(solution))
    sys.stdout.flush()


def print_illegal(options: argparse.Namespace, problem: Problem, reasons: list[str]) -> None:
    """Prints that no move can be made in a diagram, and why."""
    if options.json:
        _print_bare(problem, "illegal", [f"illegal: {reason}" for reason in reasons])
    else:
        print(f"{problem.fen}\nillegal: {'; '.join(reasons)}")


def print_bad(options: argparse.Namespace, number: int, text: str, error: InputError) -> None:
    """Prints that a line of a file cannot be solved, and why."""
    if options.json:
        print_json({"fen": text, "line": number, "error": str(error)})
        sys.stdout.flush()
    else:
        print(f"zermelo mate: {options.file}:{number}: {error}", file=sys.stderr)


def print_undecided(options: argparse.Namespace, problem: Problem, none: int, why: str) -> None:
    """Prints up to which length there is proven to be no mate, and why no more is known."""
    if options.json:
        _print_bare(problem, None, [why], no_mate_in=none)
    else:
        proven = f"proven: no mate in {none}; longer ones" if none else "mates"
        print(f"{problem.fen}\n{proven} are undecided: {why}")
    sys.stdout.flush()


def _print_bare(problem: Problem, verdict: str | None, reasons: list[str], **found: int) -> None:
    """The JSON of a problem for which there is no solution to show."""
    print_json(
        {
            "fen": problem.fen,
            "n": problem.n,
            "keys": [],
            "shortest": None,
            "verdict": verdict,
            "reasons": reasons,
            "nodes": 0,
            "seconds": 0.0,
            **found,
        }
    )


def progress(what: str) -> Any:
    """A spinner on standard error, if that is a terminal, while something is worked out."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(f"{what} …")


def write_svg(path: Path, board: Any) -> None:
    """Writes the diagram beside its file and renames it. Raises TableError if it cannot."""
    from zermelo.problems.export import to_svg
    from zermelo.writing import write

    write(path, to_svg(board))
