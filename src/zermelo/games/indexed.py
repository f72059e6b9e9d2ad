"""Games that number their own positions: no dictionary, and no stored arcs with predecessors.

The game's functions are compiled by Numba (``zermelo.jit.kernel`` or ``numba.njit``) and are told
nothing but a position's number. Turns alternate; outcomes are for the player to move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from zermelo.errors import InputError, LimitError
from zermelo.games.induction import OPEN, PER_ARC, PER_POSITION, solve_arrays
from zermelo.games.room import demand
from zermelo.jit import borrow, generic
from zermelo.values import Outcome, Value

ABSENT = 3
"""What ``outcome`` says of a number that stands for no position."""

Progress = Callable[[str, int], None]
"""Told the stage and a count: of plies, or of positions found."""

LONGEST = 65535


class IndexedGame(Protocol):
    """A game on the numbers 0 to size - 1.

    ``successors(i, out)`` writes the numbers that the moves lead to into ``out`` int64[degree],
    each once, and returns how many there are; ``predecessors``, if there is one, likewise those
    of all open positions that lead to i. It may also write numbers of positions that have ended.
    """

    size: int
    start: int
    degree: int

    def outcome(self, i: int) -> int:
        """-1, 0 or 1 where the game has ended, OPEN (2) while it goes on, ABSENT (3)."""

    def successors(self, i: int, out: Any) -> int:
        """Writes where the moves lead; returns how many."""


class SolvedIndexed:
    """Outcome int8[size] (ABSENT where there is no position) and plies uint16[size] (0: draw)."""

    def __init__(
        self, game: Any, outcome: npt.NDArray[np.int8], plies: npt.NDArray[np.uint16]
    ) -> None:
        self.game, self.outcome, self.plies = game, outcome, plies

    def count(self, outcome: Outcome, first: int = 0, stop: int | None = None) -> int:
        """How many positions from number ``first`` to before ``stop`` have this outcome."""
        return int(np.count_nonzero(self.outcome[first:stop] == outcome))

    @property
    def positions(self) -> int:
        """How many numbers stand for positions."""
        return int(np.count_nonzero(self.outcome != ABSENT))

    def longest(self, first: int = 0, stop: int | None = None) -> int:
        """The longest distance in plies among the numbers from ``first`` to before ``stop``."""
        return int(self.plies[first:stop].max())

    def value(self, number: int | None = None) -> Value:
        """The value of a position (default: the start) for the player to move."""
        number = self.game.start if number is None else number
        outcome = int(self.outcome[number])
        if outcome == ABSENT:
            raise InputError(f"number {number}: stands for no position")
        return Value(Outcome(outcome), int(self.plies[number]) if outcome else None)

    def moves(self, number: int | None = None) -> list[tuple[int, Value]]:
        """Where the moves lead with their values for the mover, best first."""
        number = self.game.start if number is None else number
        if self.game.outcome(number) != OPEN:
            return []
        out = np.empty(self.game.degree, np.int64)
        targets = out[: self.game.successors(number, out)]
        moves = [(int(target), self.value(int(target)).before) for target in targets]
        return sorted(moves, key=lambda move: move[1].rank)


@generic
def ends(outcome: Any, first: int, state: Any) -> None:
    """Writes the outcomes of the numbers from ``first`` on."""
    for place in range(state.size):
        state[place] = outcome(first + place)


@generic
def settle(
    place: int,
    first: int,
    result: int,
    count: int,
    level: int,
    successors: Any,
    state: Any,
    plies: Any,
    left: Any,
    scratch: Any,
) -> int:
    """Tells the position ``first + place`` that ``count`` successors have a result at a level.

    ``left`` holds how many successors of an open position are not won yet, 0 before the first.
    Returns 1 if the position is decided by this, else 0.
    """
    if state[place] != OPEN:
        return 0
    if result > 0:
        if left[place] == 0:
            left[place] = successors(first + place, scratch)
        left[place] -= count
        if left[place]:
            return 0
    state[place] = -result
    plies[place] = level + 1
    return 1


@generic
def step(
    level: int,
    begin: int,
    stop: int,
    first: int,
    own: bool,
    successors: Any,
    predecessors: Any,
    state: Any,
    plies: Any,
    left: Any,
    scratch: Any,
    found: Any,
    outbox: Any,
) -> tuple[int, int, int]:
    """From the positions decided at ``level`` decides those before them.

    The arrays hold the numbers from ``first`` on, of which places ``begin`` to before ``stop`` are
    looked at. Predecessors elsewhere are put into ``outbox`` as number * 2 + (the successor is
    won); those in the arrays are settled if ``own``. Returns (place reached, notices in the outbox,
    decided): it stops where the outbox might overflow.
    """
    state, plies, left = borrow(state), borrow(plies), borrow(left)
    scratch, found, outbox = borrow(scratch), borrow(found), borrow(outbox)
    notices, decided = 0, 0
    for place in range(begin, stop):
        result = state[place]
        if plies[place] != level or (result != 1 and result != -1):
            continue
        if notices + found.size > outbox.size:
            return place, notices, decided
        for k in range(predecessors(first + place, found)):
            before = found[k] - first
            if before < 0 or before >= state.size:
                outbox[notices] = found[k] * 2 + (result > 0)
                notices += 1
            elif own:
                decided += settle(
                    before, first, result, 1, level, successors, state, plies, left, scratch
                )
    return stop, notices, decided


@generic
def _reach(
    start: int, outcome: Any, successors: Any, state: Any, queue: Any, out: Any
) -> tuple[int, int]:
    """Numbers of the positions reached from the start into ``queue``; (how many, arcs)."""
    state[start] = outcome(start)
    queue[0] = start
    head, tail, arcs = 0, 1, 0
    while head < tail:
        i = queue[head]
        head += 1
        if state[i] != OPEN:
            continue
        count = successors(i, out)
        arcs += count
        for k in range(count):
            target = out[k]
            if state[target] == ABSENT:
                state[target] = outcome(target)
                queue[tail] = target
                tail += 1
    return tail, arcs


@generic
def _arcs(
    successors: Any, state: Any, order: Any, number: Any, offsets: Any, targets: Any, out: Any
) -> None:
    """The CSR arrays of the positions in ``order``; ``number`` maps a number to its place there."""
    fill = 0
    for place in range(order.size):
        i = order[place]
        if state[i] == OPEN:
            for k in range(successors(i, out)):
                targets[fill] = number[out[k]]
                fill += 1
        offsets[place + 1] = fill


def require(game: Any, *names: str) -> None:
    """Raises InputError for a game without these attributes."""
    for name in names:
        if getattr(game, name, None) is None:
            raise InputError(f"{type(game).__name__}: no {name}; an indexed game needs it")


def solve_indexed(
    game: Any, everywhere: bool = True, progress: Progress | None = None
) -> SolvedIndexed:
    """Solves a game that numbers its positions.

    ``everywhere`` solves all numbers, else only those reached from the start; without
    ``predecessors`` only the latter can be done, and the arcs are stored. Raises InputError for a
    dead end and LimitError for a distance above 65,535 plies, or if the memory does not suffice.
    """
    require(game, "size", "start", "degree", "outcome", "successors")
    forward = getattr(game, "predecessors", None) is None
    _demand_room(game, forward, everywhere)
    state = np.full(game.size, ABSENT, np.int8)
    plies = np.zeros(game.size, np.uint16)
    if forward:
        _forward(game, state, plies, progress)
        return SolvedIndexed(game, state, plies)
    ends(game.outcome, 0, state)
    _backward(game, state, plies, progress)
    if not everywhere:
        reached = np.full(game.size, ABSENT, np.int8)
        queue = np.empty(game.size, np.int64)
        out = np.empty(game.degree, np.int64)
        _reach(game.start, game.outcome, game.successors, reached, queue, out)
        state[reached == ABSENT] = ABSENT
        plies[reached == ABSENT] = 0
    state[state == OPEN] = Outcome.DRAW
    return SolvedIndexed(game, state, plies)


def _demand_room(game: Any, forward: bool, everywhere: bool) -> None:
    """Raises LimitError unless there is memory for the arrays that have a place for each number."""
    outcome, plies, left = 1, 2, 1 if game.degree < 256 else 4
    order = reached = 0
    if forward:
        order, left = 4 + 4, 0
    elif not everywhere:
        reached = 1 + 8
    each = outcome + plies + left + order + reached
    name = type(game).__name__
    demand(name, each * game.size, f"a game of {game.size:,} numbers", "take a smaller one")


def counters(game: Any, count: int) -> npt.NDArray[Any]:
    """Zeros that can hold the number of successors of so many positions."""
    return np.zeros(count, np.uint8 if game.degree < 256 else np.uint32)


def too_long(game: Any) -> LimitError:
    """What to raise where a distance does not fit into the arrays."""
    return LimitError(f"{type(game).__name__}: a distance above {LONGEST:,} plies, the limit")


def astray(game: Any) -> InputError:
    """What to raise where a predecessor is no number of the game."""
    return InputError(f"{type(game).__name__}: predecessors are not below size, {game.size:,}")


def _backward(game: Any, state: Any, plies: Any, progress: Progress | None) -> None:
    left = counters(game, game.size)
    scratch, found, outbox = (np.empty(game.degree, np.int64) for _ in range(3))
    functions, arrays = (game.successors, game.predecessors), (state, plies, left)
    for level in range(LONGEST):
        if progress is not None:
            progress("plies", level)
        _, notices, decided = step(
            level, 0, game.size, 0, True, *functions, *arrays, scratch, found, outbox
        )
        if notices:
            raise astray(game)
        if not decided:
            return
    raise too_long(game)


def _forward(game: Any, state: Any, plies: Any, progress: Progress | None) -> None:
    order = np.empty(game.size, np.int32)
    out = np.empty(game.degree, np.int64)
    reached, arcs = _reach(game.start, game.outcome, game.successors, state, order, out)
    if progress is not None:
        progress("positions", reached)
    demand(
        type(game).__name__,
        PER_POSITION * reached + (PER_ARC + 4) * arcs,
        f"solving {reached:,} positions with {arcs:,} moves",
        "take a smaller game",
    )
    order = order[:reached]
    number = np.empty(game.size, np.int32)
    number[order] = np.arange(reached, dtype=np.int32)
    offsets, targets = np.zeros(reached + 1, np.int64), np.empty(arcs, np.int32)
    _arcs(game.successors, state, order, number, offsets, targets, out)
    outcome, distance = solve_arrays(state[order], offsets, targets)
    if distance.max() > LONGEST:
        raise too_long(game)
    state[order] = outcome
    plies[order] = distance
