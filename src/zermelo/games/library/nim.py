"""Nim: heaps of counters.

A player takes any number of counters, at least one, from one heap. Whoever takes the last counter
wins (misère: loses).
"""

from __future__ import annotations

from collections.abc import Iterable

from zermelo.games.library.options import whole

Position = tuple[int, ...]


class Nim:
    """Positions are the sizes of the heaps, in ascending order, empty ones left out."""

    def __init__(self, heaps: Iterable[int] = (3, 4, 5), misere: bool = False) -> None:
        self.heaps = tuple(whole("heaps", heap, 0, 1000) for heap in heaps)
        self.misere = misere

    def initial(self) -> Position:
        return tuple(sorted(heap for heap in self.heaps if heap))

    def moves(self, position: Position) -> list[Position]:
        found = []
        for i, heap in enumerate(position):
            rest = position[:i] + position[i + 1 :]
            found += [tuple(sorted((*rest, left) if left else rest)) for left in range(heap)]
        return found

    def outcome(self, position: Position) -> int | None:
        if position:
            return None
        return 1 if self.misere else -1

    def show(self, position: Position) -> str:
        return " ".join(map(str, position)) or "(empty)"

    def name_move(self, position: Position, to: Position) -> str:
        before, after = list(position), list(to)
        for heap in to:
            if heap in before:
                before.remove(heap)
                after.remove(heap)
        return f"{before[0]} to {after[0] if after else 0}"
