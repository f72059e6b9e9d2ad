"""How fast tables are made and probed: processor time, positions a second, ratios to python-chess.

    python benchmarks/tables.py [MATERIAL …] [--syzygy FOLDER] [--gaviota FOLDER]

Kernels are compiled, and python-chess's tables opened, before the clock starts. Making is process
time of all threads; probing is of one thread but in the batch, which is wall time on all.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy
import numpy as np

from zermelo.tables.material import Half, Material
from zermelo.tables.retrograde import solve_half
from zermelo.tables.solving import Solver, solve
from zermelo.tables.tablebase import Tablebase

POSITIONS = 2000
BATCH = 1_000_000
ROUNDS = 5


def positions(material: Material, count: int) -> list[chess.Board]:
    """Legal positions with White to move, the attacker of the first half."""
    rng = random.Random(0)
    letters = f"K{material.strong}" + f"K{material.weak}".lower()
    found: list[chess.Board] = []
    while len(found) < count:
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid():
            found.append(board)
    return found


def seconds(task: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The median of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        start = clock()
        task()
        taken.append(clock() - start)
    return statistics.median(taken)


def each(probe: Callable[[chess.Board], object], boards: list[chess.Board]) -> float:
    """Microseconds a position, the second time round: with everything in memory."""
    for board in boards:
        probe(board)
    return seconds(lambda: [probe(board) for board in boards]) / len(boards) * 1e6


def cold(folder: Path, boards: list[chess.Board]) -> float:
    """Milliseconds of the first probe after the files were opened."""
    taken = []
    for board in boards[:50]:
        with Tablebase(folder, "none") as tablebase:
            tablebase.value(chess.Board("8/8/8/3k4/8/8/8/4K3 w - - 0 1"))
            start = time.process_time()
            tablebase.value(board)
            taken.append(time.process_time() - start)
    return statistics.median(taken) * 1e3


def batch(tablebase: Tablebase, material: Material, boards: list[chess.Board]) -> float:
    """Positions a second in one call, half of them with each side to move."""
    rows, turns = [], []
    for board in boards:
        for turn in (True, False):
            board.turn = turn
            if board.is_valid():
                men = sorted(board.piece_map().items())
                order = "K" + material.strong + ("K" + material.weak).lower()
                squares = {letter: [s for s, p in men if p.symbol() == letter] for letter in order}
                rows.append([squares[letter].pop() for letter in order])
                turns.append(turn)
        board.turn = True
    repeat = -(-BATCH // len(rows))
    pieces, turn = np.tile(np.array(rows, np.uint8), (repeat, 1)), np.tile(turns, repeat)
    tablebase.values(str(material), pieces, turn)
    wall = seconds(lambda: tablebase.values(str(material), pieces, turn), time.perf_counter)
    return len(pieces) / wall


def make(material: Material, folder: Path) -> None:
    """Prints what solving takes without files, and with them."""
    list(solve([material], folder))
    solver = Solver(folder)
    for half in (Half(material.strong, material.weak), Half(material.weak, material.strong)):
        if not half.hopeless:
            solver.half(half)
    bare = seconds(lambda: [solve_half(half, solver.half) for half in material.halves])
    whole = seconds(lambda: list(solve([material], folder, force=True)))
    size = (folder / f"{material}.ztb").stat().st_size
    print(f"{material}: solving {bare:.3f} s, with the file {whole:.3f} s, {size / 1e3:,.0f} kB")


def probe(material: Material, folder: Path, options: argparse.Namespace) -> None:
    """Prints what probing takes, and ratios to python-chess's."""
    boards = positions(material, POSITIONS)
    with Tablebase(folder) as tablebase:
        value, moves = each(tablebase.value, boards), each(tablebase.moves, boards[:200])
        rate = batch(tablebase, material, boards)
    print(
        f"{material}: value {value:.1f} µs, all moves ranked {moves:.0f} µs, "
        f"cold {cold(folder, boards):.2f} ms, batch {rate / 1e6:.2f} million positions a second"
    )
    if options.syzygy:
        with chess.syzygy.open_tablebase(options.syzygy) as other:
            compare("Syzygy win or draw", each(other.get_wdl, boards), value)
            compare("Syzygy distance", each(other.get_dtz, boards), value)
    if options.gaviota and material.men == 3:
        with chess.gaviota.open_tablebase(options.gaviota) as other:
            compare("Gaviota distance", each(other.get_dtm, boards), value)


def compare(name: str, other: float, own: float) -> None:
    """Prints a ratio."""
    print(f"  python-chess, {name}: {other:.1f} µs, {other / own:.1f} times as long")


def main() -> None:
    """Measures the materials that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("material", nargs="*", default=["KRvK", "KBNvK", "KQvKR", "KPvKP"])
    parser.add_argument("--syzygy", metavar="FOLDER")
    parser.add_argument("--gaviota", metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        for text in options.material:
            material = Material.parse(text)
            make(material, Path(made))
            probe(material, Path(made), options)


if __name__ == "__main__":
    main()
