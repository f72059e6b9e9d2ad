"""Tables on a cluster: the scheduler of block steps and slices over Ray tasks.

What the tasks of `tasks` return stays in Ray's object store, near the worker that made it, spilled
to disk when memory is short; the driver hears only what was newly lost and keeps it in a journal.
A level is one round of tasks. Ray does a task again whose worker died, and makes again what was
lost with a node, from what led to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from zermelo.cluster import tasks
from zermelo.cluster.connection import Cluster, gigabytes
from zermelo.cluster.progress import Dashboard
from zermelo.cluster.tasks import Did, Levels, slice_after
from zermelo.errors import LimitError
from zermelo.tables.blocks import cut, exits_type, gathered, needed, reach, total
from zermelo.tables.crossing import Cells
from zermelo.tables.exits import steps
from zermelo.tables.journal import STALEMATE, Journal, Newly
from zermelo.tables.layout import Layout, layout, pushes_left
from zermelo.tables.material import Half, Material
from zermelo.tables.needs import Needs, cells, check_room
from zermelo.tables.packing import Made, Sums, joined
from zermelo.tables.retrograde import (
    Child,
    Tick,
    TooDeepError,
    count_levels,
    require_room,
)
from zermelo.tables.solving import Engine
from zermelo.tables.streamed import ENTRY, Journaled

Ref = Any
"""A reference to an object in Ray's store."""


class Remote:
    """The tasks of `tasks` as Ray knows them, and the dashboard that hears what they did."""

    def __init__(self, cluster: Cluster, dashboard: Dashboard) -> None:
        self.ray = cluster.ray
        self.dashboard = dashboard
        self._lines: dict[tuple[str, int], int] = {}

    def task(self, function: Callable[..., Any], results: int) -> Callable[..., Any]:
        """A function that calls another on some worker and gives references to its results."""
        made = self.ray.remote(num_cpus=1, max_retries=-1, num_returns=results)(function)
        call: Callable[..., Any] = made.remote
        return call

    def hear(self, did: Did) -> None:
        """Adds what a task did to the line of its worker."""
        lines = self.dashboard.lines
        worker = did.node, did.process
        if worker not in self._lines:
            # One more than there are lines stands in for one that is gone.
            self._lines[worker] = len(self._lines) % len(lines)
            lines[self._lines[worker]].restarts += len(self._lines) > len(lines)
        line = lines[self._lines[worker]]
        line.node = did.node
        line.blocks += 1
        line.moved += did.moved
        line.memory = did.memory

    def as_done(self, references: dict[Ref, int]) -> Iterator[tuple[int, Did]]:
        """(number, what its task did) of each task as it ends."""
        waiting = list(references)
        while waiting:
            (done, *_), waiting = self.ray.wait(waiting, num_returns=1)
            did = Did(*self.ray.get(done))
            self.hear(did)
            yield references[done], did


class _Blocks:
    """A half without pawns on its way: references to its blocks' states and exits."""

    def __init__(self, remote: Remote, half: Half, folder: Path) -> None:
        self.remote, self.half, self.cut = remote, half, cut(half)
        self.reach = reach(self.cut)
        self.journal = Journal(folder, self.cut.blocks, self.cut.words)
        self.states: list[Ref] = [None] * self.cut.blocks
        self.exits: list[Ref] = [None] * self.cut.blocks
        self.fronts: dict[int, Ref] = {}
        self.dtype = np.dtype(np.uint8)
        self.due: list[set[int]] = [set() for _ in range(self.cut.blocks)]
        self.level = 0
        self._step = remote.task(tasks.step, 3)

    def enter(self, finished: dict[tuple[Half, bool], Cells], tick: Tick) -> None:
        """Finds exits and level 0 of all blocks."""
        self.dtype = exits_type(finished.values())
        needed, levels = list(finished), [self.remote.ray.put(one) for one in finished.values()]
        call = self.remote.task(tasks.enter, 6)
        results = [
            call(self.cut, number, self.dtype.name, needed, *levels)
            for number in range(self.cut.blocks)
        ]
        ended = self.remote.as_done({row[5]: number for number, row in enumerate(results)})
        for done, (number, did) in enumerate(ended, 1):
            self.states[number], self.exits[number], stuck, mates, due, _ = results[number]
            self.due[number] = set(self.remote.ray.get(due))
            self.journal.add(number, STALEMATE, Newly(*self.remote.ray.get(stuck)))
            self._note(number, mates, did.fresh)
            tick(done / self.cut.blocks)

    def _note(self, number: int, found: Ref, some: bool) -> None:
        if some:
            self.fronts[number] = found
            self.journal.add(number, self.level, Newly(*self.remote.ray.get(found)))

    def solve(self, tick: Tick) -> Journaled:
        """Goes through all levels."""
        none = int(np.iinfo(np.uint16).max)
        last = max(max(levels, default=0) for levels in self.due)
        count_levels([len(self.fronts)], last, self._round, none, tick)
        call = self.remote.task(tasks.conclude, 1)
        sums = [call(self.cut, n, state, self.dtype.name) for n, state in enumerate(self.states)]
        wins = total([Sums(*one) for one in self.remote.ray.get(sums)])
        return Journaled(self.half, self.journal, self.level, wins)

    def _round(self, level: int) -> list[int]:
        before, self.fronts, self.level = self.fronts, {}, level
        results = {}
        for number in range(self.cut.blocks):
            near = [to for to in self.reach[number] if to in before]
            if near or level in self.due[number]:
                results[number] = self._step(
                    self.cut,
                    number,
                    level,
                    self.dtype.name,
                    self.states[number],
                    self.exits[number],
                    near,
                    *(before[to] for to in near),
                )
        for number, did in self.remote.as_done({row[2]: n for n, row in results.items()}):
            state, found, _ = results.pop(number)
            if did.fresh:
                self.states[number] = state
            self._note(number, found, did.number > 0)
        return [len(self.fronts)]


class _Slices:
    """A half with pawns on its way: references to the levels of its slices."""

    def __init__(self, remote: Remote, half: Half, dtype: np.dtype[Any]) -> None:
        self.remote, self.half, self.dtype = remote, half, dtype
        self.lay: Layout = layout(half)
        self.levels: list[Ref] = [None] * self.lay.slices
        self._wins: list[Ref] = [None] * self.lay.slices
        self._moves = [*steps(half, True), *steps(half, False)]

    def solve(self, child: Child, tick: Tick) -> None:
        """Solves slices whose pawns have as many steps left in one round after the other."""
        lay, done = self.lay, 0
        finished = gathered(self.half, child)
        needed, levels = list(finished), [self.remote.ray.put(one) for one in finished.values()]
        del finished
        call = self.remote.task(tasks.solve_slice, 3)
        left = [pushes_left(tuple(row), lay.attacking_pawns) for row in lay.pawns.tolist()]
        for _, group in groupby(range(lay.slices), key=left.__getitem__):
            results = {}
            for number in group:
                to = sorted({slice_after(lay, number, move) for move in self._moves} - {-1})
                others = [self.levels[one] for one in to]
                results[number] = call(
                    self.half, number, self.dtype.name, needed, to, *levels, *others
                )
            for number, did in self.remote.as_done({row[2]: n for n, row in results.items()}):
                require_room(did.fresh)
                self.levels[number], self._wins[number], _ = results[number]
                done += 1
                tick(done / lay.slices)

    def cells(self, first: int, last: int) -> Cells:
        """The defender's levels in words first to last."""
        return joined(first, last, self.lay.words, self._lost)

    def _lost(self, number: int) -> Cells:
        lost: Cells = tasks.local(Levels(*self.remote.ray.get(self.levels[number])).lost)
        return lost

    def wins(self) -> Sums:
        """What the attacker's positions come to."""
        return total([Sums(*one) for one in self.remote.ray.get(self._wins)])


def _solve_slices(remote: Remote, half: Half, child: Child, tick: Tick) -> Made:
    try:
        solved = _Slices(remote, half, np.dtype(np.uint8))
        solved.solve(child, tick)
    except TooDeepError:
        solved = _Slices(remote, half, np.dtype(np.uint16))
        solved.solve(child, tick)
    return solved


def _solve_blocks(remote: Remote, half: Half, child: Child, folder: Path, tick: Tick) -> Made:
    blocks = _Blocks(remote, half, folder)
    blocks.enter(gathered(half, child), lambda part: tick(ENTRY * part))
    return blocks.solve(lambda part: tick(ENTRY + (1 - ENTRY) * part))


def cluster_engine(cluster: Cluster, folder: Path, dashboard: Dashboard) -> Engine:
    """The engine that makes halves on a cluster; the journal is a file of the folder.

    Its check raises LimitError where the cluster's memory is too small.
    """
    remote = Remote(cluster, dashboard)

    def solve(half: Half, child: Child, tick: Tick) -> Made:
        if half.pawns:
            return _solve_slices(remote, half, child, tick)
        return _solve_blocks(remote, half, child, folder, tick)

    return Engine(solve, partial(_check, cluster))


TASK_PER_WORD = 512
"""Bytes of a task: both levels of a word's lanes, the sets of its block and of those in reach."""


def _check(cluster: Cluster, materials: list[Material], folder: Path) -> Needs:
    """What tables take here; that the cluster has room for their children and its tasks."""
    nodes = cluster.nodes
    store = sum(node.store for node in nodes)
    for material in materials:
        for half in material.halves:
            children = sum(cells(child) for child, _ in needed(half))
            if children > store:
                raise LimitError(
                    f"{material}: what its moves lead to needs {gigabytes(children)} of object "
                    f"store; the cluster has {gigabytes(store)} on {len(nodes)} "
                    f"node{'s' * (len(nodes) != 1)}; add nodes"
                )
            unit = layout(half).words if half.pawns else cut(half).words
            cluster.demand(cluster.workers * TASK_PER_WORD * unit, str(material))
    return check_room(materials, folder, lambda half: False)
