"""Compares probing with other programs' tables and with positions that broke other programs.

    python .ci/facts.py FOLDER [--tables FOLDER] [--positions N]

FOLDER has Syzygy and Gaviota tables of three and four men and bug_positions.csv. Tables are made
for the occasion, or where they are missing in a folder that is named. Says what it has compared,
and ends with 1 at the first difference.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy

from zermelo.errors import MissingTableError
from zermelo.tables.boards import material_of
from zermelo.tables.material import Material, all_materials
from zermelo.tables.solving import solve
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Value


def boards(material: Material, count: int) -> Iterator[chess.Board]:
    """Legal positions of a material at random, the colours as well; some with en passant."""
    rng = random.Random(str(material))
    letters = f"K{material.strong}" + f"K{material.weak}".lower()
    while count:
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if rng.random() < 0.5:
            board = board.mirror()
        board.turn = rng.random() < 0.5
        if material.pawns > 1 and rng.random() < 0.5:
            board.ep_square = rng.randrange(8) + (40 if board.turn else 16)
        if board.is_valid():
            count -= 1
            yield board


def say(text: str) -> None:
    print(f"facts: {text}", flush=True)


def differs(board: chess.Board, other: object, ours: Value) -> str:
    return f"{board.fen()}: {other}, but zermelo says {ours.outcome.word} {ours.plies}"


def syzygy(folder: Path, tables: Path, count: int, name: str) -> str | None:
    """The first position of a material of which Syzygy says something else."""
    with chess.syzygy.open_tablebase(str(folder)) as other, Tablebase(tables) as own:
        for board in boards(Material.parse(name), count):
            wdl, value = other.probe_wdl(board), own.value(board)
            # The fifty-move rule does not exist for us: cursed wins are wins.
            if (wdl > 0) - (wdl < 0) != value.outcome:
                return differs(board, f"Syzygy says {wdl}", value)
    return None


def gaviota(folder: Path, tables: Path, count: int, name: str) -> str | None:
    """The first position of a material of which Gaviota gives another distance."""
    with chess.gaviota.open_tablebase(str(folder)) as other, Tablebase(tables) as own:
        for board in boards(Material.parse(name), count):
            dtm, value = other.probe_dtm(board), own.value(board)
            wanted = int(value.outcome) * value.plies if value.plies else 0
            if dtm != wanted:
                return differs(board, f"Gaviota says {dtm}", value)
    return None


def bugs(folder: Path, tables: Path) -> str | None:
    """The first position that broke another program and is judged wrongly here.

    The distance is compared where a distance to mate is known, else who wins.
    """
    with (folder / "bug_positions.csv").open(encoding="utf-8") as file:
        answers = {row["fen"]: row["right_answer"] for row in csv.DictReader(file)}
    compared, absent = 0, set()
    with Tablebase(tables) as own:
        for fen, answer in answers.items():
            board = chess.Board(fen)
            if board.castling_rights or len(board.piece_map()) > 5:
                continue
            plies, sign = (re.search(rf"DT[{m}] [+]?(-?\d+)", answer) for m in ("M", "MZ"))
            assert sign, answer
            try:
                value = own.value(board)
            except MissingTableError:
                absent.add(str(material_of(board)))
                continue
            compared += 1
            if (value.outcome > 0) != (int(sign[1]) > 0) or not value.outcome:
                return differs(board, answer, value)
            if plies and value.plies != abs(int(plies[1])):
                return differs(board, answer, value)
    say(f"{compared} positions that broke other programs: the same values")
    if absent:
        say(f"more of them need tables that are not there: {' '.join(sorted(absent))}")
    return None


def five_men(tables: Path) -> str | None:
    """A position of five men with a published value that needs a table of its own."""
    list(solve([Material.parse("KBBvKN")], tables))
    with Tablebase(tables) as own:
        for fen, plies in (
            ("8/6B1/6B1/8/2K5/3nk3/8/8 b - - 0 1", 124),
            ("8/6B1/6B1/8/2K2n2/4k3/8/8 w - - 1 2", 123),
        ):
            value = own.value(chess.Board(fen))
            if value.plies != plies:
                return differs(chess.Board(fen), plies, value)
    say("KBBvKN: a loss in 124 plies with best play, as published")
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--positions", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        tables = options.tables or Path(made)
        start = time.perf_counter()
        names = [str(report.material) for report in solve(all_materials(4), tables)]
        say(f"{len(names)} tables of up to four men in {time.perf_counter() - start:.0f} s")
        threes = [name for name in names if Material.parse(name).men == 3]
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            for program, check, wanted in (
                ("Gaviota", partial(gaviota, options.folder / "gaviota"), threes),
                ("Syzygy", partial(syzygy, options.folder / "syzygy"), names),
            ):
                for name, fault in zip(
                    wanted, pool.map(partial(check, tables, options.positions), wanted), strict=True
                ):
                    if fault:
                        say(f"{name}: {fault}")
                        return 1
                    say(f"{name}: {options.positions:,} positions as {program} has them")
        for fault in (five_men(tables), bugs(options.folder, tables)):
            if fault:
                say(fault)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
