"""The dashboard: a line for each worker on a terminal's standard error, and a row of the JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Line:
    """One worker: its node and process, and what it has done, in blocks and bytes.

    moved: sent to other workers; saved: sent to the keeper of its checkpoints; memory: occupied
    now; restarts: how often it had to be replaced.
    """

    worker: int
    node: str = ""
    process: int = 0
    blocks: int = 0
    moved: int = 0
    saved: int = 0
    memory: int = 0
    restarts: int = 0


class Dashboard:
    """The lines of all workers and one above them; shown by ``shown``, else only kept."""

    def __init__(self, title: str, workers: int) -> None:
        self.title, self.detail = title, ""
        self.lines = [Line(worker) for worker in range(workers)]

    def tell(self, what: object, share: float) -> None:
        """Writes above the lines what is being done and how much of it is."""
        self.title, self.detail = str(what), f"{share:.0%}"

    def report(self) -> list[dict[str, Any]]:
        """A row for each worker, for ``--json``."""
        return [asdict(line) for line in self.lines]

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table("worker", "node", box=None, title=f"{self.title} {self.detail}".rstrip())
        table.title_justify = "left"
        for name in ("blocks", "moved", "saved", "memory", "restarts"):
            table.add_column(name, justify="right")
        for line in self.lines:
            table.add_row(
                str(line.worker),
                line.node,
                f"{line.blocks:,}",
                f"{line.moved / 1e6:,.1f} MB",
                f"{line.saved / 1e6:,.1f} MB",
                f"{line.memory / 1e6:,.0f} MB",
                str(line.restarts),
            )
        return table


@contextmanager
def shown(dashboard: Dashboard) -> Iterator[Dashboard]:
    """Shows a dashboard on standard error as it changes, if that is a terminal."""
    if not sys.stderr.isatty():
        yield dashboard
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live(dashboard, console=console, transient=True, redirect_stdout=sys.stdout.isatty()):
        yield dashboard
