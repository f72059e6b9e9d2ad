"""Keeps the checkpoints of workers, away from them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Checkpoint(NamedTuple):
    """A worker's state after so many levels: whole, or what changed at the last of them."""

    done: int
    whole: bool
    parts: list[Any]


class Keeper:
    """The checkpoints of some workers, one after the other from the last whole one on."""

    def __init__(self) -> None:
        self.kept: dict[int, list[Checkpoint]] = {}

    def keep(self, worker: int, checkpoint: Checkpoint) -> int:
        """Adds a checkpoint, unless it is there already; returns the levels done."""
        kept = self.kept.setdefault(worker, [])
        if checkpoint.whole:
            kept.clear()
        elif kept and kept[-1].done >= checkpoint.done:
            return kept[-1].done
        # A copy: what Ray hands over is its own, and stays in its store as long as it is used.
        kept.append(checkpoint._replace(parts=[bytes(part) for part in checkpoint.parts]))
        return checkpoint.done

    def checkpoints(self, worker: int) -> list[Checkpoint]:
        """What a new worker needs to take the place of a lost one."""
        return self.kept.get(worker, [])

    def present(self) -> bool:
        """Answers that it is there."""
        return True
