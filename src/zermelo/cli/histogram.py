"""How many positions there are at each distance, as bars of characters or as a picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING

from zermelo.errors import InputError
from zermelo.writing import beside, check_place

if TYPE_CHECKING:
    from zermelo.tables.census import Row

WIDTH = 48
"""Characters of the longest bar."""
MOST_BARS = 32
_EIGHTHS = " ▏▎▍▌▋▊▉"
_COLOURS = {"w": "White", "b": "Black"}


def _decided(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.outcome != "draw":
            found[row.turn, row.outcome].append(row)
    return found


def bars(rows: list[Row]) -> Iterator[str]:
    """Bars on a logarithmic scale, several distances together where there are many."""
    groups = _decided(rows)
    if not groups:
        return
    top = log10(max(row.count for row in rows) + 1)
    for (turn, outcome), group in groups.items():
        verb = "wins" if outcome == "win" else "loses"
        yield f"{_COLOURS[turn]} to move {verb} in plies (bars on a logarithmic scale)"
        first, last = group[0].plies, group[-1].plies
        span = 2 * -(-((last - first) // 2 + 1) // MOST_BARS)
        for low in range(first, last + 1, span):
            count = sum(row.count for row in group if low <= row.plies < low + span)
            high = min(low + span - 2, last)
            name = str(low) if high == low else f"{low}–{high}"
            yield f"  {name:>7} {count:>13,} {_bar(log10(count + 1) / top)}".rstrip()


def _bar(share: float) -> str:
    eighths = min(round(share * WIDTH * 8), WIDTH * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def check_plot(path: Path) -> None:
    """Raises InputError or TableError if no histogram can be drawn into a file."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"--plot {path}: the name must end in .png or .svg")
    if not find_spec("matplotlib"):
        raise InputError("--plot: matplotlib is missing; install it with: pip install matplotlib")
    check_place(path)


def plot(material: str, rows: list[Row], path: Path) -> None:
    """Draws the histogram into a PNG or SVG file, by its name."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for (turn, outcome), group in _decided(rows).items():
        verb = "wins" if outcome == "win" else "loses"
        axes.plot(
            [row.plies for row in group],
            [row.count for row in group],
            marker=".",
            label=f"{_COLOURS[turn]} to move {verb}",
        )
    axes.set(yscale="log", xlabel="distance to mate in plies", ylabel="positions", title=material)
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend()
    with beside(path) as part:
        figure.savefig(part, format=path.suffix[1:].lower(), dpi=150)
