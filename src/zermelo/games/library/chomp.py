"""Chomp: a bar of chocolate whose first square is poisoned.

In turn the players choose a square and eat it with all squares below it and to its right. Whoever
has to eat the poisoned square in the upper left corner loses.
"""

from __future__ import annotations

from zermelo.games.library.options import whole

Position = tuple[int, ...]


class Chomp:
    """Positions are the lengths of the rows that are left, from the top."""

    def __init__(self, rows: int = 3, columns: int = 4) -> None:
        self.rows = whole("rows", rows, 1, 16)
        self.columns = whole("columns", columns, 1, 16)

    def initial(self) -> Position:
        return (self.columns,) * self.rows

    def moves(self, position: Position) -> list[Position]:
        found = []
        for row, length in enumerate(position):
            for column in range(length):
                left = (*position[:row], *(min(r, column) for r in position[row:]))
                found.append(tuple(r for r in left if r))
        return found

    def outcome(self, position: Position) -> int | None:
        return None if position else 1

    def show(self, position: Position) -> str:
        rows = ["#" * length for length in position]
        return "\n".join(["!" + rows[0][1:], *rows[1:]]) if rows else "(eaten)"

    def name_move(self, position: Position, to: Position) -> str:
        after = (*to, *(0,) * (len(position) - len(to)))
        row = next(r for r, length in enumerate(position) if after[r] < length)
        return f"{chr(97 + after[row])}{row + 1}"
