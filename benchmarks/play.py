"""How fast the UCI engine is there and answers from tables.

    python benchmarks/play.py [--dir TABLES] [--positions 200]

Makes the tables that it needs. Prints medians and the worst: milliseconds from the start to uciok,
and from go to bestmove once a first answer has been given, as a client measures them.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import chess

from placed import placed
from zermelo.tables.tablebase import Tablebase

MATERIALS = ("KQvK", "KRvK", "KPvK", "KBNvK", "KBBvK", "KQvKR", "KRvKN", "KRvKB", "KQvKP", "KPvKP")


@contextmanager
def engine(folder: str | None) -> Iterator[subprocess.Popen[str]]:
    """A running engine that is told to quit at the end."""
    command = [sys.executable, "-m", "zermelo", "uci", *(["--dir", folder] if folder else [])]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        yield process
        process.communicate("quit\n")


def ask(process: subprocess.Popen[str], question: str, answer: str) -> float:
    """Milliseconds until a line that begins with the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    begun = time.perf_counter()
    process.stdin.write(f"{question}\n")
    while not process.stdout.readline().startswith(answer):
        pass
    return 1000 * (time.perf_counter() - begun)


def position(material: str, source: random.Random) -> chess.Board:
    """A legal position at random."""
    while not (board := placed(material, source)).is_valid():
        pass
    return board


def show(what: str, milliseconds: list[float]) -> None:
    """One line."""
    median = statistics.median(milliseconds)
    print(f"{what:<28} median {median:7.1f} ms   worst {max(milliseconds):7.1f} ms")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    parser.add_argument("--positions", type=int, default=200)
    options = parser.parse_args()
    source = random.Random(1)
    boards = [position(material, source) for material in MATERIALS]
    with Tablebase(options.dir) as tables:
        for board in boards:
            tables.value(board)
    starts = []
    for _ in range(11):
        begun = time.perf_counter()
        with engine(options.dir) as process:
            ask(process, "uci", "uciok")
            starts.append(1000 * (time.perf_counter() - begun))
    show("start to uciok", starts)
    with engine(options.dir) as process:
        for board in boards:
            ask(process, f"position fen {board.fen()}\ngo movetime 600000", "bestmove")
        answers = []
        for number in range(options.positions):
            board = position(MATERIALS[number % len(MATERIALS)], source)
            question = f"position fen {board.fen()}\ngo movetime 60000"
            answers.append(ask(process, question, "bestmove"))
    show("table answers", answers)


if __name__ == "__main__":
    main()
