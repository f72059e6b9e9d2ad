"""How fast mates are found: nodes, processor time, and ratios to a reference solver in C.

    python benchmarks/mates.py            keys of the problems in tests/data, by length
    python benchmarks/mates.py --long     long mates by proof numbers

Reference times are processor seconds of Popeye for the keys alone, on another machine of
about this speed. Kernels are compiled before the clock starts; one thread.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path

import chess

from zermelo.board.position import encode
from zermelo.problems.engine import Engine, TimeLimitError

DATA = Path(__file__).parents[1] / "tests" / "data"
PATIENCE = 10.0
"""Seconds for a long mate."""


def rows(name: str) -> Iterator[tuple[chess.Board, int, float]]:
    """Diagram, number of moves, and the reference's seconds (0 if not measured)."""
    with (DATA / name).open() as file:
        for row in csv.DictReader(file):
            yield chess.Board(row["position"]), int(row["moves"]), float(row.get("seconds") or 0)


def keys(engine: Engine, name: str) -> None:
    """Prints a line for each length of problem."""
    problems = list(rows(name))
    print(f"{name:20s}   number       nodes   seconds   reference   ratio")
    for n in sorted({n for _, n, _ in problems}):
        group = [row for row in problems if row[1] == n]
        before, spent = engine.nodes, 0.0
        for board, _, _ in group:
            engine.forget()
            start = time.process_time()
            engine.keys(encode(board), n)
            spent += time.process_time() - start
        reference = sum(seconds for _, _, seconds in group)
        compared = f"{reference:9.2f} s {reference / spent:6.1f}x" if reference else ""
        nodes = engine.nodes - before
        print(f"  mate in {n:2d}           {len(group):6d} {nodes:11,d} {spent:7.2f} s {compared}")


def long_mates(engine: Engine) -> None:
    """Prints how many are proven, and the slowest."""
    proven, times = 0, []
    for board, n, _ in rows("long_mates.csv"):
        engine.forget()
        start = time.process_time()
        try:
            proven += engine.prove(encode(board), n, deadline=time.monotonic() + PATIENCE)
        except TimeLimitError:
            print(f"  not in {PATIENCE:.0f} s: mate in {n}, {board.fen()}")
        times.append(time.process_time() - start)
    print(f"{proven} of {len(times)} proven in {sum(times):.1f} s, slowest {max(times):.1f} s")


def main() -> None:
    """Runs one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="long mates by proof numbers")
    options = parser.parse_args()
    engine = Engine()
    engine.keys(encode(chess.Board()), 3)
    if options.long:
        engine.prove(encode(chess.Board()), 4)
        long_mates(engine)
    else:
        keys(engine, "book_mates.csv")
        keys(engine, "problem_keys.csv")


if __name__ == "__main__":
    main()
