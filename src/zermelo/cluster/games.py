"""Solves an indexed game on a Ray cluster, level by level.

Numbers are cut into equal ranges, one for each worker (``shard.py``). A level runs in rounds, one
block of every worker in each: the packets of a round are made while those of the round before are
applied, so no more than three rounds of packets exist. At its end each worker hands a checkpoint to
its keeper. If somebody is lost on the way, he is replaced (``crew.py``) and the level is repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from zermelo.cluster.connection import Cluster, WorkerLostError
from zermelo.cluster.crew import Crew
from zermelo.cluster.progress import Dashboard
from zermelo.cluster.shard import BASE, BYTES, Standing
from zermelo.errors import InputError, LimitError
from zermelo.games.indexed import ABSENT, LONGEST, Progress, SolvedIndexed, require, too_long
from zermelo.values import Outcome, Value

T = TypeVar("T")

BLOCK = 1 << 22
"""Numbers that are expanded at a time."""

STORE = 1 << 30
"""Bytes for packets on their way, where Ray is started for a game; what is more goes to disk."""

KEPT = 2
"""Bytes of checkpoints of a position, about the most there are."""

ATTEMPTS = 8
"""How often one level is begun again before the run gives up."""

GATHERED = 1 << 24
"""Positions whose values are fetched at a time."""


class ClusterGame:
    """An indexed game spread over workers; ``make()`` makes the game and is sent to each of them.

    Answers like ``SolvedIndexed`` once ``solve`` has returned, as long as the cluster is there.
    Raises InputError for a game without ``predecessors``, LimitError where memory is too small.
    """

    def __init__(
        self,
        cluster: Cluster,
        make: Callable[[], Any],
        board: Dashboard | None = None,
        block: int = BLOCK,
    ) -> None:
        self.cluster, self.game = cluster, make()
        size = _size(self.game)
        count = min(cluster.workers, size)
        self.bounds = [size * worker // count for worker in range(count + 1)]
        self.board = board or Dashboard(type(self.game).__name__, count)
        needed = size * (BYTES + KEPT) + count * BASE
        cluster.demand(needed, type(self.game).__name__)
        self.crew = Crew(cluster, make, self.bounds, block, needed // count, self.board)
        self.level = 0
        self.queues = self._insist(lambda: self._all("busy"))

    def solve(self, progress: Progress | None = None) -> None:
        """Solves all numbers. Raises LimitError for too long a distance, or too many losses."""
        while any(self.queues):
            if self.level >= LONGEST:
                raise too_long(self.game)
            if progress is not None:
                progress("plies", self.level)
            self.board.detail = f"{self.level} plies"
            self.queues = self._insist(self._advance)
            self.level += 1

    def _insist(self, work: Callable[[], T]) -> T:
        """Does work that may be repeated, again and again while workers are lost."""
        for attempt in range(ATTEMPTS):
            try:
                self.crew.mend(self.level)
                return work()
            except WorkerLostError as loss:
                self.crew.suspect, reason = True, str(loss)
                time.sleep(attempt)
        raise LimitError(f"level {self.level}: workers were lost {ATTEMPTS} times: {reason}")

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        workers = self.crew.workers
        return self.crew.wait([getattr(worker, method).remote(*arguments) for worker in workers])

    def _advance(self) -> list[list[int]]:
        """One level; the blocks in which the next one begins, for each worker."""
        made: dict[tuple[int, int], Any] = {}
        applied: list[list[Any]] = []
        for turn in range(max(map(len, self.queues))):
            # The next round is asked for first: workers make it while packets are on their way.
            ahead = self._expand(turn)
            if turn:
                applied.append(self._apply(made))
            if turn > 1:
                self._note(self.crew.wait(applied.pop(0)))
            made = ahead
        applied.append(self._apply(made))
        for standings in applied:
            self._note(self.crew.wait(standings))
        return self._seal()

    def _expand(self, turn: int) -> dict[tuple[int, int], Any]:
        """The packets of each (worker, block) of a round."""
        count = len(self.crew.workers)
        return {
            (worker, queue[turn]): self.crew.workers[worker]
            .expand.options(num_returns=count)
            .remote(self.level, queue[turn])
            for worker, queue in enumerate(self.queues)
            if turn < len(queue)
        }

    def _apply(self, made: dict[tuple[int, int], Any]) -> list[Any]:
        standings = []
        for target, worker in enumerate(self.crew.workers):
            others = {source: refs[target] for source, refs in made.items() if source[0] != target}
            standings.append(worker.apply.remote(self.level, list(others), *others.values()))
        return standings

    def _seal(self) -> list[list[int]]:
        queues, standings, kept = [], [], []
        for worker, actor in enumerate(self.crew.workers):
            queue, standing, checkpoint = actor.seal.options(num_returns=3).remote(
                self.level, self.crew.unkept[worker]
            )
            kept.append(self.crew.keeper(worker).keep.remote(worker, checkpoint))
            queues.append(queue)
            standings.append(standing)
        self.crew.wait(kept)
        self.crew.unkept = [False] * len(kept)
        self._note(self.crew.wait(standings))
        return self.crew.wait(queues)

    def _note(self, standings: list[Standing]) -> None:
        for line, standing in zip(self.board.lines, standings, strict=True):
            for name, value in standing._asdict().items():
                setattr(line, name, value)

    def count(self, outcome: Outcome, first: int = 0, stop: int | None = None) -> int:
        """How many positions from number ``first`` to before ``stop`` have this outcome."""
        return sum(self._ask("count", int(outcome), first, stop))

    def longest(self, first: int = 0, stop: int | None = None) -> int:
        """The longest distance in plies among the numbers from ``first`` to before ``stop``."""
        return max(self._ask("longest", first, stop))

    def value(self, number: int | None = None) -> Value:
        """The value of a position (default: the start) for the player to move."""
        number = self.game.start if number is None else number
        outcome, plies = next(self._values(number, number + 1))
        if outcome[0] == ABSENT:
            raise InputError(f"number {number}: stands for no position")
        return Value(Outcome(int(outcome[0])), int(plies[0]) if outcome[0] else None)

    def gather(self) -> SolvedIndexed:
        """All values here in this process: three bytes for each number."""
        outcome, plies = np.empty(self.bounds[-1], np.int8), np.empty(self.bounds[-1], np.uint16)
        at = 0
        for part, distances in self._values(0, self.bounds[-1]):
            outcome[at : at + part.size], plies[at : at + part.size] = part, distances
            at += part.size
        return SolvedIndexed(self.game, outcome, plies)

    def _ask(self, method: str, *arguments: Any) -> list[Any]:
        *given, stop = arguments
        stop = self.bounds[-1] if stop is None else stop
        return self._insist(lambda: self._all(method, *given, stop))

    def _values(self, first: int, stop: int) -> Iterator[tuple[Any, Any]]:
        for at in range(first, stop, GATHERED):
            parts = self._ask("values", at, min(at + GATHERED, stop))
            outcome, plies = zip(*parts, strict=True)
            yield np.concatenate(outcome), np.concatenate(plies)


def _size(game: Any) -> int:
    require(game, "size", "start", "degree", "outcome", "successors", "predecessors")
    return int(game.size)
