"""Missing tables made in the background, by a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from zermelo.errors import TableError
from zermelo.tables.material import Material


class Builder:
    """Runs ``zermelo solve``, one process for each material; ``close`` interrupts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: dict[Material, subprocess.Popen[str]] = {}

    def start(self, material: Material) -> None:
        """Begins to make a table, unless that has been tried before."""
        if material not in self._running:
            command = [sys.executable, "-m", "zermelo", "solve", str(material)]
            self._running[material] = subprocess.Popen(
                [*command, "--dir", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )

    def busy(self, material: Material) -> bool:
        """Whether the table is being made; raises TableError if that failed."""
        process = self._running[material]
        code = process.poll()
        if code:
            said = process.stderr.read().strip().splitlines() if process.stderr else []
            raise TableError(said[-1] if said else f"{material}: solving it ended with {code}")
        return code is None

    def close(self) -> None:
        """Interrupts what is still running; it removes its unfinished files itself."""
        running = [process for process in self._running.values() if process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGINT)
        for process in running:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
        for process in self._running.values():
            if process.stderr:
                process.stderr.close()
        self._running.clear()
