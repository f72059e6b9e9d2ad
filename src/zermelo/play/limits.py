"""How long an engine may think: the words of ``go``, and the clock of one search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

DEFAULT_SECONDS = 5.0
"""For a ``go`` that says nothing."""
OVERHEAD = 0.03
"""Seconds kept back for what lies between the engine's answer and the interface's clock."""
LEAST = 0.005
MOVES_TO_GO = 30
_NUMBERS = frozenset(
    "wtime btime winc binc movestogo depth nodes mate movetime".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Limits:
    """What ``go`` said; times in seconds, None where it said nothing.

    mate: moves; depth: plies; nodes: positions. clock and increment are those of the side to move.
    moves: the moves to choose from in UCI, all if empty. held: the answer waits for ``stop``, or
    for ``ponderhit``.
    """

    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None
    clock: float | None = None
    increment: float = 0.0
    movestogo: int | None = None
    moves: tuple[str, ...] = ()
    infinite: bool = False
    ponder: bool = False

    @property
    def held(self) -> bool:
        """Whether an answer must wait for another command."""
        return self.infinite or self.ponder

    @property
    def seconds(self) -> float | None:
        """How long to think; None if something else says when to stop."""
        if self.movetime is not None:
            return max(LEAST, self.movetime - OVERHEAD)
        if self.clock is not None:
            share = self.clock / min(self.movestogo or MOVES_TO_GO, MOVES_TO_GO)
            wanted = share + 0.75 * self.increment
            return max(LEAST, min(wanted, 0.5 * self.clock) - OVERHEAD)
        if self.infinite or not (self.mate is self.depth is self.nodes is None):
            return None
        return DEFAULT_SECONDS


def parse_go(words: Sequence[str], white: bool) -> Limits:
    """Reads the words after ``go`` for the side to move; what makes no sense is ignored."""
    numbers: dict[str, int] = {}
    moves: list[str] = []
    flags: set[str] = set()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _NUMBERS and rest:
            try:
                numbers[word] = int(rest[0])
            except ValueError:
                continue
            del rest[0]
        elif word in ("infinite", "ponder"):
            flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in _NUMBERS | {"infinite", "ponder"}:
                moves.append(rest.pop(0))
    side = "w" if white else "b"
    clock = numbers.get(f"{side}time")
    return Limits(
        mate=_positive(numbers, "mate"),
        depth=_positive(numbers, "depth"),
        nodes=_positive(numbers, "nodes"),
        movetime=numbers["movetime"] / 1000 if "movetime" in numbers else None,
        clock=None if clock is None else max(clock, 0) / 1000,
        increment=max(numbers.get(f"{side}inc", 0), 0) / 1000,
        movestogo=_positive(numbers, "movestogo"),
        moves=tuple(moves),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
    )


def _positive(numbers: dict[str, int], word: str) -> int | None:
    return max(1, numbers[word]) if word in numbers else None


@dataclass
class Clock:
    """The time of one search; other threads stop it."""

    limits: Limits
    started: float = field(default_factory=time.monotonic)
    stopped: Event = field(default_factory=Event)
    released: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        if not self.limits.held:
            self.released.set()

    def stop(self) -> None:
        """The answer is wanted now."""
        self.stopped.set()
        self.released.set()

    def hit(self) -> None:
        """The move pondered on was played: from now on the time counts."""
        if self.limits.ponder and not self.limits.infinite:
            self.started = time.monotonic()
            self.released.set()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that remain; infinite without a limit of time."""
        if self.stopped.is_set():
            return 0.0
        seconds = self.limits.seconds
        if seconds is None or not self.released.is_set():
            return float("inf")
        return max(0.0, seconds - self.elapsed)

    def over(self, nodes: int) -> bool:
        """Whether to stop after so many nodes."""
        return self.left == 0.0 or (self.limits.nodes is not None and nodes >= self.limits.nodes)
