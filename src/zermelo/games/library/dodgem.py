"""Dodgem: two rows of cars that must cross each other's way.

On an n by n board the first player's n - 1 cars stand on the left edge, all but its lowest square,
and drive right, up or down; the second player's stand on the bottom edge, all but its leftmost
square, and drive up, left or right. No car drives backward or onto another. The first player's
cars leave over the right edge, the second's over the top. Whoever has all cars off first wins; a
player who cannot move wins too, for he was unfairly shut in (option: loses).
"""

from __future__ import annotations

from zermelo.games.library.options import whole

Position = tuple[int, int, int]


class Dodgem:
    """Positions are (cars of the first player, cars of the second, +1 or -1 to move), bit sets."""

    def __init__(self, size: int = 3, stuck_wins: bool = True) -> None:
        self.size = whole("size", size, 2, 16)
        self.stuck = 1 if stuck_wins else -1
        cells = range(size * size)
        self.steps = {1: [self._steps(i, True) for i in cells]}
        self.steps[-1] = [self._steps(i, False) for i in cells]

    def _steps(self, cell: int, first: bool) -> tuple[int, list[int]]:
        """A square's bit and the bits of the squares one step on; 0 stands for off the board."""
        n = self.size
        y, x = divmod(cell, n)
        ways = [(1, 0), (0, 1), (0, -1)] if first else [(0, 1), (-1, 0), (1, 0)]
        found = []
        for dx, dy in ways:
            u, v = x + dx, y + dy
            if 0 <= u < n and 0 <= v < n:
                found.append(1 << v * n + u)
            elif (u == n) if first else (v == n):
                found.append(0)
        return 1 << cell, found

    def initial(self) -> Position:
        n = self.size
        return sum(1 << n * y for y in range(1, n)), sum(1 << x for x in range(1, n)), 1

    def mover(self, position: Position) -> int:
        return position[2]

    def moves(self, position: Position) -> list[Position]:
        first, second, turn = position
        taken = first | second
        found = []
        if turn > 0:
            for cell, steps in self.steps[1]:
                if first & cell:
                    rest = first ^ cell
                    found += [(rest | to, second, -1) for to in steps if not taken & to]
        else:
            for cell, steps in self.steps[-1]:
                if second & cell:
                    rest = second ^ cell
                    found += [(first, rest | to, 1) for to in steps if not taken & to]
        return found

    def outcome(self, position: Position) -> int | None:
        first, second, turn = position
        if not (second if turn > 0 else first):
            return -1
        cars, taken = (first if turn > 0 else second), first | second
        for cell, steps in self.steps[turn]:
            if cars & cell:
                for to in steps:
                    if not taken & to:
                        return None
        return self.stuck

    def show(self, position: Position) -> str:
        first, second, _ = position
        rows = []
        for y in reversed(range(self.size)):
            cells = [1 << self.size * y + x for x in range(self.size)]
            rows.append(" ".join(">" if c & first else "^" if c & second else "." for c in cells))
        return "\n".join(rows)

    def name_move(self, position: Position, to: Position) -> str:
        side = 0 if position[2] > 0 else 1
        start, end = position[side] & ~to[side], to[side] & ~position[side]
        return f"{self._square(start)}-{self._square(end)}"

    def _square(self, cell: int) -> str:
        if not cell:
            return "off"
        y, x = divmod(cell.bit_length() - 1, self.size)
        return f"{chr(97 + x)}{y + 1}"
