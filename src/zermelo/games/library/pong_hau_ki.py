"""Pong hau k'i: two stones each on five points.

The points are the corners of a square and its centre; lines join the centre to all corners and
the corners along three sides, the top side being open. A player moves one stone along a line to
the empty point; whoever cannot move loses. At the start the first player has the two lower
corners, the second the two upper ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

Position = tuple[int, int]

LINES = {0: (2, 3), 1: (2, 4), 2: (0, 1, 3, 4), 3: (0, 2, 4), 4: (1, 2, 3)}
"""0 and 1 are the upper corners, 2 the centre, 3 and 4 the lower corners."""


class PongHauKi:
    """Positions are the bit sets (stones of the mover, stones of the opponent).

    ``everywhere`` also solves all 30 placements of the stones, reached or not.
    """

    def __init__(self, everywhere: bool = False) -> None:
        self.everywhere = everywhere

    def initial(self) -> Position:
        return 0b11000, 0b00011

    def positions(self) -> Iterator[Position]:
        pairs = [1 << a | 1 << b for a, b in combinations(range(5), 2)] if self.everywhere else []
        return ((a, b) for a in pairs for b in pairs if not a & b)

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        empty = (0b11111 & ~(mine | theirs)).bit_length() - 1
        near = [1 << point for point in LINES[empty] if mine >> point & 1]
        return [(theirs, mine ^ point | 1 << empty) for point in near]

    def outcome(self, position: Position) -> int | None:
        return None if self.moves(position) else -1

    def show(self, position: Position) -> str:
        stones = [
            "o" if position[0] >> i & 1 else "x" if position[1] >> i & 1 else "." for i in LINES
        ]
        return "{}   {}\n|\\ /|\n| {} |\n|/ \\|\n{}---{}".format(*stones)

    def name_move(self, position: Position, to: Position) -> str:
        start, end = position[0] & ~to[1], to[1] & ~position[0]
        return f"{start.bit_length()}-{end.bit_length()}"
