"""Which tables of a folder have been checked, so that a check of all can be resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from zermelo.errors import TableError
from zermelo.tables.material import Material, order
from zermelo.tables.table import Table, file_name

NAME = "verified.jsonl"
"""One JSON object a line: material, checksum of the file that was checked, positions, seconds."""


class Ledger:
    """The tables of a folder that have passed, each with the checksum that it had then.

    Raises TableError if the list in the folder is damaged or cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / NAME
        self._entries: dict[str, dict[str, Any]] = {}
        if self._path.exists():
            try:
                lines = self._path.read_text(encoding="utf-8").splitlines()
                self._entries = {entry["material"]: entry for entry in map(json.loads, lines)}
            except (ValueError, TypeError, KeyError):
                raise TableError(
                    f"{self._path}: damaged; remove it to check all tables again"
                ) from None

    def _checksum(self, material: Material) -> str:
        with Table(self.folder / file_name(material)) as table:
            return f"{table.check:08x}"

    def unchecked(self) -> list[Material]:
        """The tables in the folder that have not passed as they are now, smallest first."""
        materials = [Material.parse(path.stem) for path in self.folder.glob("K*vK*.ztb")]
        return [
            material
            for material in sorted(materials, key=order)
            if self._entries.get(str(material), {}).get("checksum") != self._checksum(material)
        ]

    def note(self, material: Material, positions: int, seconds: float) -> None:
        """Adds a table that has passed; one that needs no file is not noted."""
        if not material.halves:
            return
        self._entries[str(material)] = {
            "material": str(material),
            "checksum": self._checksum(material),
            "positions": positions,
            "seconds": round(seconds, 3),
        }
        lines = "".join(json.dumps(entry) + "\n" for entry in self._entries.values())
        part = self._path.with_suffix(".part")
        try:
            part.write_text(lines, encoding="utf-8")
            part.replace(self._path)
        except OSError as error:
            raise TableError(f"{self._path}: cannot be written ({error.strerror})") from None
