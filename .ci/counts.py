"""Compares the census of tables with published counts.

    python .ci/counts.py FACTS [--tables FOLDER]

All materials of up to four men are counted, their tables made where they are missing. Of five men
the tables that are in the folder are asked what they say of themselves. Ends with 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, product
from math import factorial, prod
from pathlib import Path

import chess

from zermelo.tables.census import Census
from zermelo.tables.material import Half, Material, all_materials
from zermelo.tables.sides import sides
from zermelo.tables.solving import Solver
from zermelo.tables.table import Table, file_name
from zermelo.tables.tablebase import Tablebase, default_folder

Histogram = dict[tuple[str, str, int], int]
Totals = Counter[tuple[str, int]]
"""Positions by side to move and outcome."""


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check_counts(facts: Path, solver: Solver) -> int:
    """Histograms, totals and mutual zugzwangs of three and four men; how many materials differ."""
    histograms: dict[str, Histogram] = defaultdict(dict)
    for row in table(facts / "dtm_histograms.csv"):
        plies = 0 if row["outcome"] == "draw" else int(row["plies"])
        histograms[row["material"]][row["turn"], row["outcome"], plies] = int(row["count"])
    wrong = 0
    for row in table(facts / "census.csv"):
        census = Census(Material.parse(row["material"]), solver.half)
        found = {(r.turn, r.outcome, r.plies): r.count for r in census.rows}
        white, black = census.totals("w"), census.totals("b")
        counts = [*white, *black, *map(len, census.zugzwangs)]
        names = ("legal_wtm", "w_win", "w_draw", "w_loss", "legal_btm", "b_win", "b_draw", "b_loss")
        zugzwangs = ("mz_wtm_draw_btm_loses", "mz_wtm_loses_btm_draws", "mz_full_point")
        same = found == histograms[row["material"]]
        same &= counts == [int(row[name]) for name in (*names, *zugzwangs)]
        wrong += not same
        print(row["material"], "equal" if same else "DIFFERENT", flush=True)
    return wrong


def check_five_men(facts: Path, tablebase: Tablebase) -> int:
    """Longest mates and labelled totals of five men; how many rows differ.

    Published totals tell like men apart, what a table says of itself does not.
    """
    wrong, absent = 0, set()
    known: dict[Material, Totals] = {}
    for row in table(facts / "five_men.csv"):
        material = Material.parse(row["material"])
        if not (tablebase.folder / file_name(material)).exists():
            absent.add(str(material))
            continue
        if material not in known:
            known[material] = labelled(material, tablebase)
        differences = list(compare_five_men(row, tablebase.table(material), known[material]))
        wrong += bool(differences)
        print(row["material"], "; ".join(differences) or "equal", flush=True)
    if absent:
        print(f"five men: {len(absent)} tables are not there: {' '.join(sorted(absent))}")
    return wrong


def labelled(material: Material, tablebase: Tablebase) -> Totals:
    """Positions by side to move and outcome, like men told apart."""
    men = Counter(material.strong + material.weak.lower())
    alike = prod(factorial(count) for count in men.values())
    found: Totals = Counter()
    for turn, side in zip("wb", sides(material, tablebase.table(material).summaries), strict=True):
        counts = ((1, side.wins), (0, side.draws), (-1, side.losses))
        found.update({(turn, outcome): alike * count for outcome, count in counts})
    if not material.pawns:
        for board in crossed(material):
            found["wb"[not board.turn], int(tablebase.value(board).outcome)] -= alike // 2
    return found


def crossed(material: Material) -> Iterator[chess.Board]:
    """Positions of five men, up to symmetry, that a swap of files and ranks leaves as they are,
    only that two like men have changed places: both orders of these are one labelled position.
    """
    letters = material.strong + material.weak.lower()
    for pair in sorted({letter for letter in letters if letters.count(letter) > 1}):
        third = letters.replace(pair, "", 2)
        for squares in product(range(0, 36, 9), range(0, 64, 9), range(0, 64, 9)):
            for file, rank in combinations(range(8), 2):
                board = chess.Board(None)
                places = (*squares, 8 * rank + file, 8 * file + rank)
                for letter, square in zip(f"Kk{third}{pair}{pair}", places, strict=True):
                    board.set_piece_at(square, chess.Piece.from_symbol(letter))
                for board.turn in chess.COLORS:
                    if len(set(squares)) == 3 and not board.was_into_check():
                        yield board


def compare_five_men(row: dict[str, str], own: Table, totals: Totals) -> Iterator[str]:
    """What differs in one row; in a row such as KBvKBB White has the weaker side."""
    strong, weak = own.material.strong, own.material.weak
    turned = row["material"] != str(own.material)
    half = Half(weak, strong) if turned else Half(strong, weak)
    longest = row["max_dtm_plies_side_to_move_is_first"]
    plies = 0 if half.hopeless else max(0, 2 * own.summary(half).mover_longest - 1)
    if longest and int(longest) != plies:
        yield f"longest {plies}, should be {longest}"
    for side, turn in (("wtm", "wb"[turned]), ("btm", "bw"[turned])):
        for name, outcome in (("wins", 1), ("draws", 0), ("losses", -1)):
            stated, count = row[f"syzygy_{name}_{side}"], totals[turn, outcome]
            # Without the fifty-move rule cursed wins are wins, and those against them losses.
            expected = int(stated or 0) + int(row.get(f"syzygy_cursed_{name}_{side}") or 0)
            if stated and count != expected:
                yield f"{side} {name} {count:,}, should be {expected:,}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("facts", type=Path)
    parser.add_argument("--tables", type=Path, default=default_folder())
    options = parser.parse_args()
    with Tablebase(options.tables, tell=print) as tablebase:
        for material in all_materials(4):
            tablebase.table(material)
    solver = Solver(options.tables)
    wrong = check_counts(options.facts, solver)
    with Tablebase(options.tables) as tablebase:
        wrong += check_five_men(options.facts, tablebase)
    print("counts: all equal" if not wrong else f"counts: {wrong} DIFFERENT")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
