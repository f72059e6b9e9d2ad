"""Who works where: the workers, the keepers of their checkpoints, and who replaces the lost.

Checkpoints of a worker are kept on the node after its own, in a ring of all nodes that are alive.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from zermelo import __version__
from zermelo.cluster.connection import (
    Cluster,
    Node,
    SilentError,
    WorkerLostError,
    gigabytes,
    here,
)
from zermelo.cluster.keeper import Keeper
from zermelo.cluster.progress import Dashboard
from zermelo.cluster.shard import Shard
from zermelo.errors import InputError, LimitError

SIGNS = "signs"
"""Calls of this group a worker answers beside its work, in a thread of their own."""

IDLE = 0.05
"""The share of a processor below which all workers together do nothing but wait."""


class Worker(Shard):
    """A shard in a process of its own, somewhere on the cluster."""

    def introduce(self) -> tuple[str, str]:
        """(its version of zermelo, the id of its node)."""
        return __version__, here()

    def present(self) -> float:
        """Answers that it is there: the seconds of processor time that it has had so far."""
        return time.process_time()


class Crew:
    """One worker for each range of ``bounds``, with ``share`` bytes of memory each."""

    patience: float = 120
    """Seconds in which a worker must give a sign, and a node must have room for a new one."""

    def __init__(
        self,
        cluster: Cluster,
        make: Callable[[], Any],
        bounds: list[int],
        block: int,
        share: int,
        board: Dashboard,
    ) -> None:
        self.cluster, self.ray, self.board = cluster, cluster.ray, board
        self.make, self.bounds, self.block, self.share = make, bounds, block, share
        self.keepers: dict[str, Any] = {}
        self.suspect = False
        # Ray looks for free processors itself, and a cluster that grows when asked grows.
        self.workers = [
            self._hire(worker, num_cpus=1, memory=share, scheduling_strategy="SPREAD")
            for worker in range(len(bounds) - 1)
        ]
        self.homes = [""] * len(self.workers)
        self.keeper_of = [""] * len(self.workers)
        self.unkept = [False] * len(self.workers)
        """Workers of whom no checkpoint is kept: their next one has to be whole."""
        for worker, actor in enumerate(self.workers):
            self._welcome(worker, actor)
        self._appoint()

    def _hire(self, worker: int, **options: Any) -> Any:
        made = self.ray.remote(concurrency_groups={SIGNS: 1})(Worker)
        return made.options(max_restarts=0, **options).remote(
            self.make, self.bounds, worker, self.block
        )

    def _welcome(self, worker: int, actor: Any) -> None:
        version, self.homes[worker] = self.cluster.get(actor.introduce.remote())
        if version != __version__:
            raise InputError(
                f"node {self.homes[worker]}: it has zermelo {version}; install {__version__} there"
            )
        addresses = {node.id: node.address for node in self.cluster.nodes}
        self.board.lines[worker].node = addresses.get(self.homes[worker], "")

    def _on(self, node: str) -> Any:
        strategies = self.ray.util.scheduling_strategies
        return strategies.NodeAffinitySchedulingStrategy(node, soft=False)

    def _appoint(self) -> None:
        """Gives each worker a keeper on another node, if there is another."""
        ring = [node.id for node in self.cluster.nodes]
        for worker, home in enumerate(self.homes):
            kept = self.keeper_of[worker]
            if kept in self.keepers and (kept != home or len(ring) == 1):
                continue
            place = ring[(ring.index(home) + 1) % len(ring)] if home in ring else ring[0]
            if place not in self.keepers:
                self.keepers[place] = (
                    self.ray.remote(Keeper)
                    .options(num_cpus=0, scheduling_strategy=self._on(place))
                    .remote()
                )
            self.unkept[worker] = True
            self.keeper_of[worker] = place

    def keeper(self, worker: int) -> Any:
        """The actor that keeps the checkpoints of a worker."""
        return self.keepers[self.keeper_of[worker]]

    def wait(self, references: Any) -> Any:
        """What workers and keepers answer, however long they work.

        Raises WorkerLostError if one of them gives no sign, or nobody is doing anything.
        """
        worked = -math.inf
        while True:
            try:
                return self.cluster.get(references, self.patience)
            except SilentError as silence:
                before, worked = worked, self._worked()
                if worked - before < self.patience * IDLE:
                    raise WorkerLostError(f"{silence}, and nobody works") from silence

    def _worked(self) -> float:
        """Processor time of all workers; raises WorkerLostError if one or a keeper is silent."""
        self.cluster.get([k.present.remote() for k in self.keepers.values()], self.patience)
        signs = [_sign(actor).remote() for actor in self.workers]
        return sum(self.cluster.get(signs, self.patience))

    def mend(self, level: int) -> None:
        """Replaces who does not answer, if somebody is missed; all have done so many levels then.

        Raises LimitError if there is no room for a new worker, or nothing to begin it from.
        """
        if not self.suspect:
            return
        self.keepers = {n: k for n, k in self.keepers.items() if self._answers(k.present)}
        self.keeper_of = [node if node in self.keepers else "" for node in self.keeper_of]
        for worker, actor in enumerate(self.workers):
            if self._answers(_sign(actor)):
                continue
            self.ray.kill(actor)
            self.homes[worker] = ""
            self.board.lines[worker].restarts += 1
            self.workers[worker] = actor = self._hire(
                worker, num_cpus=0, scheduling_strategy=self._on(self._place())
            )
            self._welcome(worker, actor)
            kept = self.keepers.get(self.keeper_of[worker])
            state = kept.checkpoints.remote(worker) if kept and not self.unkept[worker] else []
            if self.cluster.get(actor.restore.remote(state)) < level:
                raise LimitError(
                    f"worker {worker}: lost together with its checkpoints at level {level}; "
                    "begin again with more nodes"
                )
        self._appoint()
        self.suspect = False

    def _answers(self, method: Any) -> bool:
        try:
            self.cluster.get(method.remote(), self.patience)
        except WorkerLostError:
            return False
        return True

    def _place(self) -> str:
        """The node with the most processors to spare and memory for a worker; waits for one."""
        waited = 0
        while True:
            nodes = self.cluster.nodes
            roomy = [node for node in nodes if self._room(node) > 0]
            if roomy:
                return max(roomy, key=lambda node: (self._spare(node), self._room(node))).id
            if waited >= self.patience:
                raise LimitError(
                    f"a worker was lost, and none of {len(nodes)} nodes has "
                    f"{gigabytes(self.share)} of memory for a new one; add a node"
                )
            time.sleep(1)
            waited += 1

    def _spare(self, node: Node) -> int:
        return node.processors - self.homes.count(node.id)

    def _room(self, node: Node) -> int:
        """How many workers more the memory of a node can hold."""
        return node.memory // self.share - self.homes.count(node.id)


def _sign(actor: Any) -> Any:
    return actor.present.options(concurrency_group=SIGNS)
