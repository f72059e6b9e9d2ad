"""Quixo on three by three cubes.

A player takes a cube from the border that is blank or bears his own sign, and pushes it back,
bearing his sign, from the end of its row or column that it did not come from (a cube at one end
from the other, a cube in the middle from either, or across the board). Whoever has three own signs
in a row wins; a move that makes three of the opponent's loses, even if it makes three own ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.games.library.options import whole
from zermelo.games.library.tic_tac_toe import lines

Position = tuple[int, int]

Push = tuple[int, int, tuple[tuple[int, int], ...], int]


class Quixo:
    """Positions are the bit sets (cubes of the mover, cubes of the opponent)."""

    def __init__(self, size: int = 3) -> None:
        self.size = whole("size", size, 2, 8)
        self.lines = list(lines(size, size, size))
        self.pushes = [push for cell in range(size * size) for push in self._pushes(cell)]

    def _pushes(self, cell: int) -> Iterator[Push]:
        """(bit taken, cells that stay, cells that shift as bits from and to, bit pushed in)."""
        n = self.size
        y, x = divmod(cell, n)
        if 0 < x < n - 1 and 0 < y < n - 1:
            return
        row = [y * n + u for u in range(n)]
        column = [v * n + x for v in range(n)]
        for line in (row, row[::-1], column, column[::-1]):
            at = line.index(cell)
            if at < n - 1:
                moved = line[at:]
                shifts = tuple((1 << moved[i + 1], 1 << moved[i]) for i in range(len(moved) - 1))
                stay = (1 << n * n) - 1 & ~sum(1 << c for c in moved)
                yield 1 << cell, stay, shifts, 1 << moved[-1]

    def initial(self) -> Position:
        return 0, 0

    def moves(self, position: Position) -> list[Position]:
        theirs = position[1]
        return [self._push(position, push) for push in self.pushes if not theirs & push[0]]

    def _push(self, position: Position, push: Push) -> Position:
        mine, theirs = position
        _, stay, shifts, end = push
        own, other = mine & stay | end, theirs & stay
        for start, to in shifts:
            own |= to if mine & start else 0
            other |= to if theirs & start else 0
        return other, own

    def outcome(self, position: Position) -> int | None:
        for cubes, result in zip(position, (1, -1), strict=True):
            if any(cubes & line == line for line in self.lines):
                return result
        return None

    def show(self, position: Position) -> str:
        mine, theirs = position
        n = self.size
        cells = ["o" if mine >> i & 1 else "x" if theirs >> i & 1 else "." for i in range(n * n)]
        return "\n".join(" ".join(cells[n * y : n * y + n]) for y in range(n))

    def name_move(self, position: Position, to: Position) -> str:
        pushes = [push for push in self.pushes if not position[1] & push[0]]
        push = next(push for push in pushes if self._push(position, push) == to)
        return f"{self._square(push[0])}-{self._square(push[3])}"

    def _square(self, cell: int) -> str:
        y, x = divmod(cell.bit_length() - 1, self.size)
        return f"{chr(97 + x)}{self.size - y}"
