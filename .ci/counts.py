"""Compares the census of tables with published counts.

    python .ci/counts.py FACTS [--tables FOLDER]

All materials of up to four men are counted, their tables made where they are missing; of five men,
those whose tables are in the folder. Ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

from zermelo.tables.census import LABELLED, Census
from zermelo.tables.material import Material, all_materials
from zermelo.tables.solving import Solver
from zermelo.tables.table import file_name
from zermelo.tables.tablebase import Tablebase, default_folder

Histogram = dict[tuple[str, str, int], int]


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


def check_five_men(facts: Path, solver: Solver) -> int:
    """Longest mates and labelled totals of five men; how many rows differ."""
    wrong, absent = 0, set()
    known: dict[Material, Census] = {}
    for row in table(facts / "five_men.csv"):
        material = Material.parse(row["material"])
        if not (solver.folder / file_name(material)).exists():
            absent.add(str(material))
            continue
        if material not in known:
            known = {material: Census(material, solver.half)}
        differences = list(compare_five_men(row, known[material]))
        wrong += bool(differences)
        print(row["material"], "; ".join(differences) or "equal", flush=True)
    if absent:
        print(f"five men: {len(absent)} tables are not there: {' '.join(sorted(absent))}")
    return wrong


def compare_five_men(row: dict[str, str], census: Census) -> list[str]:
    """What differs in one row; in a row such as KBvKBB White has the weaker side."""
    turned = row["material"] != str(census.material)
    turn = {"wtm": "b", "btm": "w"} if turned else {"wtm": "w", "btm": "b"}
    found = []
    longest = row["max_dtm_plies_side_to_move_is_first"]
    plies = [r.plies for r in census.rows if (r.turn, r.outcome) == (turn["wtm"], "win")]
    if longest and int(longest) != max(plies, default=0):
        found.append(f"longest {max(plies, default=0)}, should be {longest}")
    for side, ours in turn.items():
        totals = census.totals(ours, LABELLED)
        for name, count in (("wins", totals.won), ("draws", totals.drawn), ("losses", totals.lost)):
            stated = row[f"syzygy_{name}_{side}"]
            if stated:
                cursed = row.get(f"syzygy_cursed_{name}_{side}") or "0"
                expected = int(stated) + int(cursed)
                if count != expected:
                    found.append(f"{side} {name} {count:,}, should be {expected:,}")
    return found


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
    wrong += check_five_men(options.facts, solver)
    print("counts: all equal" if not wrong else f"counts: {wrong} DIFFERENT")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
