"""Backward induction: every position that a game can reach, solved exactly in O(V + E).

Positions are explored in Python and numbered; the numbers and arcs are solved in Numba. Decided
positions wait in a queue, first in first out, so that each is decided at its exact distance: a win
by the first losing successor found, a loss by the last winning one.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from zermelo.errors import InputError, LimitError
from zermelo.games.graph import Game, Rules
from zermelo.games.room import demand
from zermelo.jit import kernel

P = TypeVar("P", bound=Hashable)

OPEN = 2
"""What ``ends`` holds for a position in which the game goes on."""

PER_POSITION, PER_ARC = 33, 5
"""Bytes that solving takes besides what exploring has filled."""
STEP = 1 << 17
"""Positions and arcs between two looks at the memory."""

Progress = Callable[[int, int], None]
"""Told the numbers of positions and of arcs found so far."""


class Explored(Generic[P]):
    """All positions from the start on, numbered in the order of their discovery.

    ``ends`` int8[V] is the result for the player to move, or OPEN; the arcs of position i go to
    ``targets`` int32[E] from ``offsets`` int64[V+1] [i] to [i+1], each target once; ``same``
    bool[E] marks arcs on which the player does not change, and is empty where turns alternate.
    """

    def __init__(self, rules: Rules[P], limit: int, progress: Progress | None) -> None:
        self.rules = rules
        self.index: dict[P, int] = {}
        for start in rules.starts():
            if self.index.setdefault(start, len(self.index)) >= limit:
                raise self._too_many(limit)
        self.positions: list[P] = list(self.index)
        ends, offsets, targets = array("b"), array("q", [0]), array("i")
        self._walk(ends, offsets, targets, limit, progress)
        self.ends = np.frombuffer(ends, np.int8)
        self.offsets = np.frombuffer(offsets, np.int64)
        self.targets = np.frombuffer(targets, np.int32) if targets else np.zeros(0, np.int32)
        self.same = self._same()

    def _walk(
        self,
        ends: array[int],
        offsets: array[int],
        targets: array[int],
        limit: int,
        progress: Progress | None,
    ) -> None:
        result, children, positions = self.rules.result, self.rules.children, self.positions
        number = self.index.setdefault
        fresh, due = len(positions), STEP
        for position in positions:
            end = result(position)
            if end is None:
                ends.append(OPEN)
                for child in children(position):
                    target = number(child, fresh)
                    if target == fresh:
                        positions.append(child)
                        fresh += 1
                    targets.append(target)
            else:
                ends.append(end)
            offsets.append(len(targets))
            if fresh > limit:
                raise self._too_many(limit)
            if fresh + len(targets) >= due:
                due = fresh + len(targets) + STEP
                if progress is not None:
                    progress(fresh, len(targets))
                self._demand_room(fresh, len(targets))

    def _too_many(self, limit: int) -> LimitError:
        return LimitError(
            f"{self.rules.name}: {len(self.index):,} positions and more to come, against a limit "
            f"of {limit:,}; raise it, or search for a proof (wintree)"
        )

    def _demand_room(self, positions: int, arcs: int) -> None:
        """Raises LimitError unless there is memory to go on, and to solve what is there.

        The dictionary grows by a jump to twice its size, the old one being kept meanwhile.
        """
        solving = PER_POSITION * positions + PER_ARC * arcs
        demand(
            self.rules.name,
            solving + 2 * sys.getsizeof(self.index),
            f"after {positions:,} positions and {arcs:,} moves, with more to come, it",
            "search for a proof (wintree), or take a smaller game",
        )

    def _same(self) -> npt.NDArray[np.bool_]:
        if self.rules.mover is None:
            return np.zeros(0, np.bool_)
        turn = np.fromiter(map(self.rules.turn, self.positions), np.int8, len(self.positions))
        same = np.repeat(turn, np.diff(self.offsets)) == turn[self.targets]
        return same if same.any() else np.zeros(0, np.bool_)


def explore(
    game: Game[P], limit: int = 20_000_000, progress: Progress | None = None
) -> Explored[P]:
    """Finds all positions that the game can reach.

    Raises InputError for a game that breaks its protocol and LimitError above ``limit`` positions
    or where the memory does not suffice.
    """
    return Explored(Rules(game), limit, progress)


@kernel
def _reversed(offsets: Any, targets: Any, same: Any) -> Any:
    """The arcs by their heads: (offsets, sources, same), as a counting sort."""
    size = offsets.size - 1
    starts = np.zeros(size + 1, np.int64)
    for target in targets:
        starts[target + 1] += 1
    for i in range(size):
        starts[i + 1] += starts[i]
    fill = starts[:size].copy()
    sources = np.empty(targets.size, np.int32)
    turned = np.empty(same.size, np.bool_)
    for source in range(size):
        for arc in range(offsets[source], offsets[source + 1]):
            slot = fill[targets[arc]]
            fill[targets[arc]] = slot + 1
            sources[slot] = source
            if same.size:
                turned[slot] = same[arc]
    return starts, sources, turned


@kernel
def _worklist(ends: Any, offsets: Any, starts: Any, sources: Any, same: Any) -> Any:
    """(outcome int8[V], plies int32[V]) by a first-in-first-out queue of decided positions."""
    size = ends.size
    outcome = np.zeros(size, np.int8)
    plies = np.zeros(size, np.int32)
    remaining = np.empty(size, np.int32)
    queue = np.empty(size, np.int32)
    tail = 0
    for i in range(size):
        remaining[i] = offsets[i + 1] - offsets[i]
        if ends[i] == 1 or ends[i] == -1:
            outcome[i] = ends[i]
            queue[tail] = i
            tail += 1
    head = 0
    while head < tail:
        decided = queue[head]
        head += 1
        for arc in range(starts[decided], starts[decided + 1]):
            source = sources[arc]
            if outcome[source]:
                continue
            seen = -outcome[decided]
            if same.size and same[arc]:
                seen = outcome[decided]
            if seen < 0:
                remaining[source] -= 1
                if remaining[source]:
                    continue
            outcome[source] = seen
            plies[source] = plies[decided] + 1
            queue[tail] = source
            tail += 1
    return outcome, plies


def solve_arrays(
    ends: npt.NDArray[np.int8],
    offsets: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int32],
    same: npt.NDArray[np.bool_] | None = None,
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Outcome int8[V] for the player to move and plies int32[V] (0 for draws) of a CSR graph.

    ``ends`` int8[V] is -1, 0 or 1 at a sink and OPEN elsewhere; ``same`` bool[E] marks the arcs
    that do not change the player. Arcs must be distinct. Raises InputError for a dead end.
    """
    stuck = np.flatnonzero((np.diff(offsets) == 0) & (ends == OPEN))
    if stuck.size:
        raise InputError(f"position {stuck[0]}: no move and no result; give it one")
    kept = np.zeros(0, np.bool_) if same is None else same
    starts, sources, turned = _reversed(offsets, targets, kept)
    outcome, plies = _worklist(ends, offsets, starts, sources, turned)
    return outcome, plies
