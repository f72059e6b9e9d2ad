"""One worker's part of a game: a range of numbers, solved level by level with the other workers.

A level: each block of the range is *expanded* into packets for the other workers, each worker
*applies* what the others sent, and when all have, the level is *sealed* with a checkpoint. Every
step can be asked for again without harm, so that after a loss the level is simply repeated: what
was applied is passed over, and the same packets come out of the same positions.

Nothing here knows of Ray.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard

from zermelo.cluster.keeper import Checkpoint
from zermelo.cluster.packets import LONGEST_NUMBER, apply, busy, changes, pack, replay
from zermelo.games.indexed import astray, counters, ends, require, step
from zermelo.games.induction import OPEN
from zermelo.values import Outcome

Bytes = npt.NDArray[np.uint8]
Packet = list[Bytes]
"""Notices of one block for one worker."""

OUTBOX = 1 << 21
"""Notices that are gathered before they are sorted and packed."""

PART = 1 << 24
"""Bytes of a part of a checkpoint."""

BYTES = 5
"""Memory of a position in a worker: outcome 1, plies 2, successors left 1, and a copy of that 1."""

BASE = 400_000_000
"""Memory of a worker without any positions, most of it Python, Numba and its scratch."""


class Standing(NamedTuple):
    """What a worker has done so far: see ``progress.Line``."""

    process: int
    blocks: int
    moved: int
    saved: int
    memory: int


class Shard:
    """The numbers ``bounds[worker]`` to before ``bounds[worker + 1]`` of a game.

    ``make()`` makes the game; ``block`` is how many numbers are expanded at a time.
    """

    def __init__(
        self, make: Callable[[], Any], bounds: list[int], worker: int, block: int = 1 << 22
    ) -> None:
        self.game = game = make()
        require(game, "size", "start", "degree", "outcome", "successors", "predecessors")
        self.bounds, self.worker, self.block = bounds, worker, block
        self.first, stop = bounds[worker], bounds[worker + 1]
        self.size = stop - self.first
        self.state = np.empty(self.size, np.int8)
        self.plies = np.zeros(self.size, np.uint16)
        self.left = counters(game, self.size)
        self.kept = self.left.copy()
        self.scratch, self.found = np.empty(game.degree, np.int64), np.empty(game.degree, np.int64)
        room = max(OUTBOX, game.degree)
        self.outbox = np.empty(room, np.int64)
        self.packed = np.empty(max(PART, LONGEST_NUMBER * room), np.uint8)
        self.done, self.logged = 0, 0
        self.expanded: set[int] = set()
        self.applied: set[tuple[int, int]] = set()
        self.last: Checkpoint | None = None
        self.blocks, self.moved, self.saved = 0, 0, 0
        ends(game.outcome, self.first, self.state)

    def standing(self) -> Standing:
        """What this worker has done so far."""
        return Standing(os.getpid(), self.blocks, self.moved, self.saved, _resident())

    def expand(self, level: int, block: int) -> list[Packet]:
        """Passes on what was decided at a level in a block: a packet for each worker.

        What stays inside the range is settled at once, and never travels.
        """
        begin = block * self.block
        stop = min(begin + self.block, self.size)
        own = level == self.done and block not in self.expanded
        packets: list[Packet] = [[] for _ in self.bounds[1:]]
        while begin < stop:
            begin, notices, _ = step(
                level,
                begin,
                stop,
                self.first,
                own,
                self.game.successors,
                self.game.predecessors,
                self.state,
                self.plies,
                self.left,
                self.scratch,
                self.found,
                self.outbox,
            )
            if notices:
                self._pack(self.outbox[:notices], packets)
        if own:
            self.expanded.add(block)
        self.blocks += 1
        return packets

    def _pack(self, keys: npt.NDArray[np.int64], packets: list[Packet]) -> None:
        keys.sort()
        if keys[0] < 0 or keys[-1] >= 2 * self.bounds[-1]:
            raise astray(self.game)
        places = np.searchsorted(keys, [2 * bound for bound in self.bounds])
        for worker, packet in enumerate(packets):
            part = keys[places[worker] : places[worker + 1]]
            if part.size:
                used = pack(part, self.bounds[worker], self.packed)
                packet.append(self.packed[:used].copy())
                self.moved += used

    def apply(self, level: int, sources: list[tuple[int, int]], *packets: Packet) -> Standing:
        """Settles what the packets say; ``sources`` are the (worker, block) that each is from."""
        for source, packet in zip(sources, packets, strict=True):
            if level < self.done or source in self.applied:
                continue
            for data in packet:
                apply(
                    data,
                    level,
                    self.first,
                    self.game.successors,
                    self.state,
                    self.plies,
                    self.left,
                    self.scratch,
                )
            self.applied.add(source)
        return self.standing()

    def seal(self, level: int, whole: bool = False) -> tuple[list[int], Standing, Checkpoint]:
        """Ends a level: (blocks in which the next one begins, standing, checkpoint).

        The checkpoint is whole if so demanded, or once the changes have grown beyond a state.
        """
        if level == self.done:
            parts = list(self._changes(level))
            self.done += 1
            self.expanded.clear()
            self.applied.clear()
            self.logged += sum(part.nbytes for part in parts)
            self.last = Checkpoint(self.done, False, parts)
        if self.last is None or whole or self.logged > self.size:
            self.last = Checkpoint(self.done, True, list(self._squeezed()))
            self.logged = 0
        self.saved += sum(len(part) for part in self.last.parts)
        return self.busy(), self.standing(), self.last

    def _changes(self, level: int) -> Iterator[Bytes]:
        begin = 0
        while begin < self.size:
            begin, used = changes(
                level, begin, self.state, self.plies, self.left, self.kept, self.packed
            )
            if used:
                yield self.packed[:used].copy()

    def busy(self) -> list[int]:
        """The blocks with positions decided at the level that comes next."""
        starts = range(0, self.size, self.block)
        return [
            number
            for number, at in enumerate(starts)
            if busy(self.done, self.state[at : at + self.block], self.plies[at : at + self.block])
        ]

    def _arrays(self) -> Iterator[Bytes]:
        for array in (self.state, self.plies, self.left):
            flat = array.view(np.uint8)
            for at in range(0, flat.size, PART):
                yield flat[at : at + PART]

    def _squeezed(self) -> Iterator[bytes]:
        press = zstandard.ZstdCompressor(level=1)
        return (press.compress(part.data) for part in self._arrays())

    def restore(self, checkpoints: list[Checkpoint]) -> int:
        """Takes over a lost worker's state, from a whole checkpoint or none on; levels done."""
        for checkpoint in checkpoints:
            if not checkpoint.whole and checkpoint.done != self.done + 1:
                raise RuntimeError(
                    f"no checkpoint between {self.done} and {checkpoint.done} levels"
                )
            if checkpoint.whole:
                unpress = zstandard.ZstdDecompressor()
                for part, data in zip(self._arrays(), checkpoint.parts, strict=True):
                    part[:] = np.frombuffer(unpress.decompress(data), np.uint8)
                self.logged = 0
            else:
                for data in checkpoint.parts:
                    changed = np.frombuffer(data, np.uint8)
                    replay(changed, self.done, self.state, self.plies, self.left)
                    self.logged += len(data)
            self.done = checkpoint.done
        self.kept[:] = self.left
        return self.done

    def count(self, outcome: int, first: int, stop: int) -> int:
        """How many of its numbers from ``first`` to before ``stop`` have an outcome at the end."""
        part = self.state[self._range(first, stop)]
        found = np.count_nonzero(part == outcome)
        return int(found + (np.count_nonzero(part == OPEN) if outcome == Outcome.DRAW else 0))

    def longest(self, first: int, stop: int) -> int:
        """The longest distance of its numbers from ``first`` to before ``stop``."""
        return int(self.plies[self._range(first, stop)].max(initial=0))

    def _range(self, first: int, stop: int) -> slice:
        return slice(max(first - self.first, 0), max(stop - self.first, 0))

    def values(self, first: int, stop: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint16]]:
        """(outcome, plies) of its numbers from ``first`` to before ``stop``."""
        part = self._range(first, stop)
        outcome = self.state[part].copy()
        outcome[outcome == OPEN] = Outcome.DRAW
        return outcome, self.plies[part].copy()


def _resident() -> int:
    """Bytes that this process has in memory; the most it had where the system does not say."""
    statm = Path("/proc/self/statm")
    if statm.is_file():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
