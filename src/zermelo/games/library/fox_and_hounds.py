"""Fox and hounds: a fox tries to break through a line of hounds.

On the dark squares of an n by n board (n even) the n / 2 hounds stand on the top row, the fox in
the bottom row. The fox moves first, one square diagonally in any direction; a hound moves one
square diagonally downward. The fox wins on the top row or when no hound can move; the hounds win
when the fox cannot move.
"""

from __future__ import annotations

from zermelo.games.library.options import whole

Position = tuple[int, tuple[int, ...], int]


class FoxAndHounds:
    """Positions are (fox, hounds in order, +1 fox or -1 hounds to move); a square is y * n + x."""

    def __init__(self, size: int = 6, start: int = 2) -> None:
        self.size = whole("size", size, 2, 16, even=True)
        self.start = whole("start", start, 0, size - 2, even=True)
        self.up = [self._diagonals(cell, 1) for cell in range(size * size)]
        self.down = [self._diagonals(cell, -1) for cell in range(size * size)]

    def _diagonals(self, cell: int, dy: int) -> list[int]:
        y, x = divmod(cell, self.size)
        v = y + dy
        return [v * self.size + u for u in (x - 1, x + 1) if 0 <= u < self.size > v >= 0]

    def initial(self) -> Position:
        n = self.size
        return self.start, tuple(n * (n - 1) + x for x in range(1, n, 2)), 1

    def mover(self, position: Position) -> int:
        return position[2]

    def moves(self, position: Position) -> list[Position]:
        fox, hounds, turn = position
        if turn > 0:
            ways = self.up[fox] + self.down[fox]
            return [(to, hounds, -1) for to in ways if to not in hounds]
        return [
            (fox, tuple(sorted([*(h for h in hounds if h != hound), to])), 1)
            for hound in hounds
            for to in self.down[hound]
            if to != fox and to not in hounds
        ]

    def outcome(self, position: Position) -> int | None:
        fox, _, turn = position
        if fox >= self.size * (self.size - 1):
            return turn
        return None if self.moves(position) else -1

    def show(self, position: Position) -> str:
        n = self.size
        cells = ["H" if i in position[1] else "." for i in range(n * n)]
        cells[position[0]] = "f"
        return "\n".join(" ".join(cells[n * y : n * y + n]) for y in reversed(range(n)))

    def name_move(self, position: Position, to: Position) -> str:
        if position[2] > 0:
            return f"{self._square(position[0])}-{self._square(to[0])}"
        (start,), (end,) = set(position[1]) - set(to[1]), set(to[1]) - set(position[1])
        return f"{self._square(start)}-{self._square(end)}"

    def _square(self, cell: int) -> str:
        y, x = divmod(cell, self.size)
        return f"{chr(97 + x)}{y + 1}"
