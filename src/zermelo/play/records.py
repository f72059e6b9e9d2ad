"""What the trainer keeps between sessions: records for each material, and the unfinished game."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from zermelo.errors import TableError
from zermelo.play.trainer import Summary


def default_file() -> Path:
    """``trainer.json`` in the platform's data folder."""
    return user_data_path("zermelo") / "trainer.json"


@dataclass
class Record:
    """Games of one material and goal: played, successes in all, in a row now and at most.

    best_accuracy: percent, of games without hints and without moves taken back.
    """

    played: int = 0
    succeeded: int = 0
    streak: int = 0
    longest_streak: int = 0
    best_accuracy: int = 0

    def add(self, summary: Summary) -> None:
        """Counts a game; a success with help ends no streak and adds to none."""
        helped = summary.hints > 0 or summary.undone > 0
        self.played += 1
        self.succeeded += summary.succeeded
        if not summary.succeeded:
            self.streak = 0
        elif not helped:
            self.streak += 1
            self.longest_streak = max(self.longest_streak, self.streak)
            self.best_accuracy = max(self.best_accuracy, summary.accuracy)


class Records:
    """The file of records; written beside and renamed, so that it is never half there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.game: dict[str, Any] | None = None
        """The unfinished game, as ``Trainer.state`` gives it."""
        self._records: dict[str, Record] = {}
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            self.game = data["game"]
            self._records = {name: Record(**row) for name, row in data["records"].items()}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise TableError(f"{path}: not a file of the trainer; move it away") from None

    def __getitem__(self, name: str) -> Record:
        """The record of a material and goal."""
        return self._records.setdefault(name, Record())

    def save(self) -> None:
        """Writes the file; raises TableError where that is impossible."""
        rows = {name: asdict(record) for name, record in sorted(self._records.items())}
        text = json.dumps({"game": self.game, "records": rows}, indent=1)
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(text + "\n", encoding="utf-8")
            beside.replace(self.path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise TableError(f"{self.path}: cannot be written ({error.strerror})") from None
