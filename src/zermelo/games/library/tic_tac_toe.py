"""Tic-tac-toe and its family, the m,n,k games.

On a board of m columns and n rows the players mark empty squares in turn; whoever first has k
marks in a row, column or diagonal wins (misère: loses), and a full board is a draw.
"""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.games.library.options import whole

Position = tuple[int, int]


class TicTacToe:
    """The m,n,k game; positions are the bit sets (marks of the mover, marks of the opponent).

    ``symmetry`` solves one position of each class under the board's turns and reflections.
    """

    def __init__(
        self, m: int = 3, n: int = 3, k: int = 3, misere: bool = False, symmetry: bool = False
    ) -> None:
        self.m, self.n = whole("m", m, 1, 16), whole("n", n, 1, 16)
        self.misere = misere
        self.cells = [1 << i for i in range(m * n)]
        self.full = (1 << m * n) - 1
        self.lines = list(lines(m, n, whole("k", k, 1, 16)))
        if symmetry:
            self.maps = list(symmetries(m, n))
            self.canonical = self._canonical

    def initial(self) -> Position:
        return 0, 0

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        taken = mine | theirs
        return [(theirs, mine | cell) for cell in self.cells if not taken & cell]

    def outcome(self, position: Position) -> int | None:
        mine, theirs = position
        if any(theirs & line == line for line in self.lines):
            return 1 if self.misere else -1
        return 0 if mine | theirs == self.full else None

    def _canonical(self, position: Position) -> Position:
        return min((moved(position[0], to), moved(position[1], to)) for to in self.maps)

    def show(self, position: Position) -> str:
        mine, theirs = position
        even = mine.bit_count() == theirs.bit_count()
        first, second = (mine, theirs) if even else (theirs, mine)
        rows = []
        for row in range(self.n):
            cells = self.cells[row * self.m : (row + 1) * self.m]
            rows.append(" ".join("X" if c & first else "O" if c & second else "." for c in cells))
        return "\n".join(rows)

    def name_move(self, position: Position, to: Position) -> str:
        cell = (to[0] | to[1]) & ~(position[0] | position[1])
        row, column = divmod(cell.bit_length() - 1, self.m)
        return f"{chr(97 + column)}{self.n - row}"


def lines(m: int, n: int, k: int) -> Iterator[int]:
    """All k squares in a row on a board of m columns and n rows, as bit sets."""
    for x in range(m):
        for y in range(n):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if 0 <= x + dx * (k - 1) < m and 0 <= y + dy * (k - 1) < n:
                    yield sum(1 << (y + dy * i) * m + x + dx * i for i in range(k))


def symmetries(m: int, n: int) -> Iterator[list[int]]:
    """The ways of turning and reflecting a board, as where each square goes."""
    for flip_x in (False, True):
        for flip_y in (False, True):
            squares = [
                (m - 1 - x if flip_x else x, n - 1 - y if flip_y else y)
                for y in range(n)
                for x in range(m)
            ]
            yield [y * m + x for x, y in squares]
            if m == n:
                yield [x * m + y for x, y in squares]


def moved(squares: int, to: list[int]) -> int:
    """A bit set after one of ``symmetries``."""
    return sum(1 << target for i, target in enumerate(to) if squares >> i & 1)
