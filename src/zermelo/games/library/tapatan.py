"""Tapatan, three men's morris and nine holes: three stones each on a board of three by three.

Players in turn place their three stones on empty points, then move one stone at a time along a
line to a neighbouring empty point (nine holes: to any empty point). Three in a row win, at any
time; a player without a move loses. Tapatan's lines are rows, columns and both diagonals; three
men's morris, as here, has rows and columns only.
"""

from __future__ import annotations

Position = tuple[int, int]

STRAIGHT = (0b000000111, 0b000111000, 0b111000000, 0b001001001, 0b010010010, 0b100100100)
DIAGONALS = (0b100010001, 0b001010100)


class Tapatan:
    """Positions are the bit sets (stones of the mover, stones of the opponent)."""

    def __init__(self, diagonals: bool = True, fly: bool = False) -> None:
        self.lines = STRAIGHT + (DIAGONALS if diagonals else ())
        self.fly = fly
        self.near = [self._near(point, diagonals) for point in range(9)]

    def _near(self, point: int, diagonals: bool) -> int:
        y, x = divmod(point, 3)
        found = 0
        for other in range(9):
            v, u = divmod(other, 3)
            straight = abs(x - u) + abs(y - v) == 1
            slanted = abs(x - u) == abs(y - v) == 1 and 4 in (point, other)
            found |= (straight or (diagonals and slanted)) << other
        return found

    def initial(self) -> Position:
        return 0, 0

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        empty = 0b111111111 & ~(mine | theirs)
        points = [1 << i for i in range(9)]
        if mine.bit_count() < 3:
            return [(theirs, mine | to) for to in points if empty & to]
        found = []
        for i, stone in enumerate(points):
            if mine & stone:
                free = empty if self.fly else empty & self.near[i]
                found += [(theirs, mine ^ stone | to) for to in points if free & to]
        return found

    def outcome(self, position: Position) -> int | None:
        if any(position[1] & line == line for line in self.lines):
            return -1
        return None if self.moves(position) else -1

    def show(self, position: Position) -> str:
        mine, theirs = position
        cells = ["o" if mine >> i & 1 else "x" if theirs >> i & 1 else "." for i in range(9)]
        return "\n".join(" ".join(cells[i : i + 3]) for i in (0, 3, 6))

    def name_move(self, position: Position, to: Position) -> str:
        start, end = position[0] & ~to[1], to[1] & ~position[0]
        square = _square(end)
        return f"{_square(start)}-{square}" if start else square


def _square(point: int) -> str:
    y, x = divmod(point.bit_length() - 1, 3)
    return f"{chr(97 + x)}{3 - y}"
