"""Writes a solved game: JSON, Graphviz, Parquet. Written beside and renamed, never half."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zermelo.errors import InputError
from zermelo.games.solution import Solved
from zermelo.values import Outcome
from zermelo.writing import beside, check_place

COLORS = {Outcome.WIN: "palegreen", Outcome.DRAW: "lightgrey", Outcome.LOSS: "lightsalmon"}


def export(solved: Solved[Any], name: str, path: str | Path) -> None:
    """Writes the game to ``path``; its ending, json, dot or parquet, says the format.

    All formats list each position's text, outcome for the player to move, plies (none for draws)
    and the numbers of the positions that its moves lead to; position 0 is the start. Raises
    InputError for another ending and TableError where the file cannot be written.
    """
    target = Path(path)
    writer = _writer(target)
    with beside(target) as part:
        writer(solved, name, part)


def check_export(path: str | Path) -> None:
    """Raises what ``export`` would, before there is a solved game."""
    _writer(Path(path))
    check_place(Path(path))


def _writer(target: Path) -> Callable[[Solved[Any], str, Path], None]:
    writers = {".json": _json, ".dot": _dot, ".parquet": _parquet}
    if target.suffix not in writers:
        raise InputError(f"file {target.name!r}: end it in .json, .dot or .parquet")
    if target.suffix == ".parquet" and not find_spec("pyarrow"):
        raise InputError("parquet: pyarrow is missing; install it with: pip install pyarrow")
    return writers[target.suffix]


def _targets(solved: Solved[Any], number: int) -> list[int]:
    explored = solved.explored
    arcs = slice(explored.offsets[number], explored.offsets[number + 1])
    return [int(target) for target in explored.targets[arcs]]


def _json(solved: Solved[Any], name: str, path: Path) -> None:
    rows = []
    for number, position in enumerate(solved.positions):
        value = solved.value(position)
        row = {"position": repr(position), "outcome": value.outcome.word, "plies": value.plies}
        rows.append({**row, "moves": _targets(solved, number)})
    text = json.dumps({"game": name, "start": 0, "positions": rows}, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def _dot(solved: Solved[Any], name: str, path: Path) -> None:
    lines = [f"digraph {json.dumps(name)} {{", '  node [shape=box, style=filled, fontname="mono"];']
    for number, position in enumerate(solved.positions):
        value = solved.value(position)
        plies = "" if value.plies is None else f" {value.plies}"
        label = f"{solved.rules.show(position)}\n{value.outcome.word}{plies}"
        lines.append(
            f"  {number} [label={json.dumps(label, ensure_ascii=False)}, "
            f"fillcolor={COLORS[value.outcome]}];"
        )
        lines += [f"  {number} -> {target};" for target in _targets(solved, number)]
    path.write_text("\n".join([*lines, "}", ""]), encoding="utf-8")


def _parquet(solved: Solved[Any], name: str, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    explored = solved.explored
    drawn = solved.outcome == Outcome.DRAW
    table = pyarrow.table(
        {
            "position": [repr(position) for position in solved.positions],
            "outcome": pyarrow.array(solved.outcome),
            "plies": pyarrow.array(solved.plies, mask=drawn),
            "moves": pyarrow.ListArray.from_arrays(
                pyarrow.array(explored.offsets.astype("int32")), pyarrow.array(explored.targets)
            ),
        }
    )
    parquet.write_table(table.replace_schema_metadata({"game": name}), path)
