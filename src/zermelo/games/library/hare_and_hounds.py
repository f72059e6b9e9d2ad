"""Hare and hounds: three hounds try to shut in one hare.

The board has eleven points: three rows of three and one point at either end,

      b1-b2-b3
     / |\\ | /| \\
    a--c1-c2-c3--e
     \\ |/ | \\| /
      d1-d2-d3

The hounds start on a, b1 and d1, the hare on e, and the hare moves first. The hare goes along any
line, the hounds along any line but never back to the left. The hounds win when the hare cannot
move; the hare wins when all hounds are to the right of him, and the hounds lose when they cannot
move.
"""

from __future__ import annotations

Position = tuple[int, tuple[int, ...], int]

COLUMN = (0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4)
LINES = (
    (1, 2, 3), (0, 2, 4, 5), (0, 1, 3, 5), (0, 2, 5, 6), (1, 5, 7), (1, 2, 3, 4, 6, 7, 8, 9),
    (3, 5, 9), (4, 5, 8, 10), (5, 7, 9, 10), (5, 6, 8, 10), (7, 8, 9),
)  # fmt: skip
NAMES = ("a", "b1", "c1", "d1", "b2", "c2", "d2", "b3", "c3", "d3", "e")


class HareAndHounds:
    """Positions are (hare, hounds in order, +1 hare or -1 hounds to move); points 0 to 10."""

    def initial(self) -> Position:
        return 10, (0, 1, 3), 1

    def mover(self, position: Position) -> int:
        return position[2]

    def moves(self, position: Position) -> list[Position]:
        hare, hounds, turn = position
        if turn > 0:
            return [(to, hounds, -1) for to in LINES[hare] if to not in hounds]
        found = []
        for hound in hounds:
            rest = [other for other in hounds if other != hound]
            for to in LINES[hound]:
                if COLUMN[to] >= COLUMN[hound] and to != hare and to not in rest:
                    found.append((hare, tuple(sorted([*rest, to])), 1))
        return found

    def outcome(self, position: Position) -> int | None:
        hare, hounds, turn = position
        if all(COLUMN[hare] < COLUMN[hound] for hound in hounds):
            return turn
        return None if self.moves(position) else -1

    def show(self, position: Position) -> str:
        cells = ["." if i not in position[1] else "H" for i in range(11)]
        cells[position[0]] = "r"
        return "  {1} {4} {7}\n{0} {2} {5} {8} {10}\n  {3} {6} {9}".format(*cells)

    def name_move(self, position: Position, to: Position) -> str:
        if position[2] > 0:
            return f"{NAMES[position[0]]}-{NAMES[to[0]]}"
        (start,), (end,) = set(position[1]) - set(to[1]), set(to[1]) - set(position[1])
        return f"{NAMES[start]}-{NAMES[end]}"
