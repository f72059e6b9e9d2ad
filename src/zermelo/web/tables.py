"""Which tables there are, and the census of one, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from zermelo.errors import LimitError, MissingTableError, TableError
from zermelo.tables.census import Census
from zermelo.tables.folder import command
from zermelo.tables.material import Material
from zermelo.tables.sides import sides
from zermelo.tables.solving import Solver, report_of
from zermelo.tables.table import SUFFIX, file_name
from zermelo.tables.tablebase import SMALL
from zermelo.web.standard import Json


def listing(folder: Path) -> Json:
    """All tables of a folder with what their headers say; damaged files apart."""
    tables, damaged = [], []
    for path in sorted(folder.glob(f"K*vK*{SUFFIX}")):
        try:
            tables.append(_entry(path, path.stat().st_mtime_ns))
        except TableError as error:
            damaged.append({"file": path.name, "error": str(error)})
    tables.sort(key=lambda entry: (entry["men"], entry["material"]))
    return {"tables": tables, "damaged": damaged}


@lru_cache(4096)
def _entry(path: Path, _changed: int) -> Json:
    report = report_of(path)
    material = report.material
    return {
        "material": str(material),
        "men": material.men,
        "bytes": report.size,
        "checksum": f"{report.check:08x}",
        "longest": max(summary.longest_plies for summary in report.summaries),
        **{
            colour: {"wins": side.wins, "draws": side.draws, "losses": side.losses}
            for colour, side in zip(
                ("white", "black"), sides(material, report.summaries), strict=True
            )
        },
    }


def counted(folder: Path, material: Material) -> Json:
    """The census of a table; keys as ``zermelo census --json`` has them.

    Raises MissingTableError, and LimitError for tables that take too long to count here.
    """
    if material.men > SMALL:
        raise LimitError(
            f"{material}: {material.men} men, and only tables of up to {SMALL} are counted here; "
            f"count it with: {command(f'census {material}', folder)}"
        )
    path = folder / file_name(material)
    if material.halves and not path.exists():
        raise MissingTableError(
            f"{material}: no table in {folder}; "
            f"make it with: {command(f'solve {material}', folder)}"
        )
    return _counted(folder, material, path.stat().st_mtime_ns if material.halves else 0)


@lru_cache(64)
def _counted(folder: Path, material: Material, _changed: int) -> Json:
    census = Census(material, Solver(folder).half)
    return {
        "material": str(material),
        "orbits": {turn: census.totals(turn)._asdict() for turn in census.turns},
        "mutual_zugzwangs": census.zugzwangs._asdict(),
        "histogram": [asdict(row) for row in census.rows],
    }
