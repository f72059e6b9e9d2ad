"""Makes small missing tables in the background, one after the other."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zermelo.errors import LimitError, ZermeloError
from zermelo.tables.folder import command, made
from zermelo.tables.material import Material, with_children
from zermelo.tables.solving import solve
from zermelo.tables.tablebase import SMALL
from zermelo.web.limits import BusyError

_LOG = logging.getLogger("uvicorn.error")

_MOST = 16
"""Tables that may wait to be made."""


class _StoppedError(Exception):
    """The server is closing: the table that is being made is given up."""


@dataclass
class Job:
    """One table asked for: ``state`` is waiting, running, done or failed; ``progress`` 0 to 1."""

    material: Material
    state: str = "waiting"
    progress: float = 0.0
    now: str = ""
    error: str | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed")

    def json(self) -> dict[str, Any]:
        """The job for programs; ``now`` is the table that is being made, a smaller one at first."""
        return {
            "material": str(self.material),
            "state": self.state,
            "progress": round(self.progress, 3),
            "now": self.now,
            "error": self.error,
        }


class Builder:
    """The jobs of a folder of tables."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._jobs: dict[Material, Job] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="build")
        self._closing = threading.Event()

    def start(self, material: Material) -> Job:
        """Begins to make a table unless that is under way; raises LimitError if it is too large."""
        if material.men > SMALL:
            raise LimitError(
                f"{material}: {material.men} men, and only tables of up to {SMALL} are made here; "
                f"make it with: {command(f'solve {material}', self.folder)}"
            )
        job = self._jobs.get(material)
        if job and not job.over:
            return job
        if sum(not job.over for job in self._jobs.values()) >= _MOST:
            raise BusyError(f"{material}: {_MOST} tables are waiting to be made; ask again later")
        job = self._jobs[material] = Job(material)
        self._pool.submit(self._make, job)
        return job

    def jobs(self) -> list[Job]:
        """All jobs since the server started, the latest of each material."""
        return list(self._jobs.values())

    def job(self, material: Material) -> Job | None:
        """The latest job of a material."""
        return self._jobs.get(material)

    def _make(self, job: Job) -> None:
        order = with_children([job.material])

        def tick(material: Material, share: float) -> None:
            if self._closing.is_set():
                raise _StoppedError
            job.now = str(material)
            job.progress = (order.index(material) + share) / len(order)

        job.state = "running"
        try:
            for number, _ in enumerate(solve([job.material], made(self.folder), tick=tick), 1):
                job.progress = number / len(order)
        except _StoppedError:
            job.state, job.error = "failed", "the server was stopped"
        except ZermeloError as error:
            job.state, job.error = "failed", str(error)
        except Exception:
            job.state, job.error = "failed", "a fault in the program; see the server's messages"
            _LOG.exception("making %s", job.material)
        else:
            job.state, job.progress = "done", 1.0

    def close(self) -> None:
        """Gives up what is being made and what waits."""
        self._closing.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
