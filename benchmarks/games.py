"""How fast games are solved: states and arcs a second, and ratios to OpenSpiel's value iteration.

    python benchmarks/games.py            dodgem, the worklist, ratios to OpenSpiel
    python benchmarks/games.py --teeko    also teeko, 75.7 million positions to move from

Processor seconds of one process; kernels are compiled before the clock starts. The ratios need
``pip install 'zermelo[openspiel]' cvxpy``; both sides
start from a game and end with all values. OpenSpiel takes minutes over connect four.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from zermelo.games.indexed import solve_indexed
from zermelo.games.induction import solve_arrays
from zermelo.games.library.connect_four import ConnectFour
from zermelo.games.library.dodgem import Dodgem
from zermelo.games.library.dodgem_indexed import IndexedDodgem
from zermelo.games.library.hare_and_hounds import HareAndHounds
from zermelo.games.library.teeko import Teeko
from zermelo.games.library.tic_tac_toe import TicTacToe
from zermelo.games.solution import solve_game
from zermelo.games.wintree import win_tree

ROUNDS = 3


def seconds(work: Callable[[], Any]) -> float:
    """The median of processor seconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def dodgem() -> None:
    """The same 393,900 positions as a Python class, as arrays, and numbered."""
    solve_game(Dodgem(3))
    explored = solve_game(Dodgem(4)).explored
    arrays = explored.ends, explored.offsets, explored.targets
    whole = seconds(lambda: solve_game(Dodgem(4)))
    solving = seconds(lambda: solve_arrays(*arrays, explored.same))
    numbered = IndexedDodgem(4)
    solve_indexed(numbered)
    indexed = seconds(lambda: solve_indexed(numbered))
    print(
        f"dodgem 4x4   class {whole:.2f} s, of which solving {solving:.3f} s   "
        f"numbered {indexed:.3f} s   {explored.targets.size / solving / 1e6:.0f} million arcs/s"
    )


def worklist(size: int = 3_000_000, degree: int = 5) -> None:
    """A random graph too large for the caches."""
    rng = np.random.default_rng(0)
    ends = np.where(rng.random(size) < 0.1, rng.integers(-1, 2, size), 2).astype(np.int8)
    degrees = np.where(ends == 2, degree, 0)
    offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    targets = rng.integers(0, size, int(offsets[-1])).astype(np.int32)
    spent = seconds(lambda: solve_arrays(ends, offsets, targets))
    print(
        f"random graph of {targets.size:,} arcs   {targets.size / spent / 1e6:.0f} million arcs/s "
        "(sorting the arcs by their heads included)"
    )


def openspiel() -> None:
    """States a second against OpenSpiel's value iteration, from the rules to all values."""
    import pyspiel
    from open_spiel.python.algorithms import value_iteration

    pairs = (
        ("tic-tac-toe", TicTacToe, "tic_tac_toe"),
        ("connect four 4x4", ConnectFour, "connect_four(rows=4,columns=4)"),
    )
    for name, made, theirs in pairs:
        states = len(solve_game(made()).positions)
        ours = seconds(lambda made=made: solve_game(made()))
        begin = time.process_time()
        value_iteration.value_iteration(pyspiel.load_game(theirs), depth_limit=-1, threshold=1e-6)
        other = time.process_time() - begin
        print(
            f"{name:17} {states / ours:10,.0f} states/s   "
            f"OpenSpiel {states / other:8,.0f} states/s   ratio {other / ours:.1f}"
        )


def visits() -> None:
    """How much of a game proof search looks at."""
    for made in (ConnectFour, HareAndHounds):
        counts = [win_tree(made(), player).visits for player in (1, -1)]
        print(f"WinTree on {made.__name__}: visits {counts[0]:,} and {counts[1]:,}")


def teeko() -> None:
    """Numbered, with predecessors: no stored arcs."""
    game = Teeko()
    begin, wall = time.process_time(), time.perf_counter()
    solve_indexed(game)
    spent, waited = time.process_time() - begin, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"teeko   {game.size:,} numbers   {spent:.1f} s of processor, {waited:.1f} s   "
        f"{memory:,} MB"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--teeko", action="store_true", help="also solve teeko")
    options = parser.parse_args()
    if options.teeko:
        teeko()
    dodgem()
    worklist()
    visits()
    openspiel()
