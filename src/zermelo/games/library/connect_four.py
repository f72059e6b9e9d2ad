"""Connect four on boards of any size.

Players in turn drop a disc into a column, where it falls onto the lowest empty cell; whoever first
has four in a row, column or diagonal wins, and a full board is a draw.
"""

from __future__ import annotations

from zermelo.games.library.options import whole

Position = tuple[int, int]


class ConnectFour:
    """Positions are the bit sets (discs of the mover, discs of the opponent).

    Column c has the bits from c * (height + 1) up; its last bit stays empty, so that shifted lines
    do not run from one column into the next.
    """

    def __init__(self, width: int = 4, height: int = 4) -> None:
        self.width = whole("width", width, 1, 16)
        self.height = whole("height", height, 1, 16)
        step = height + 1
        self.bottoms = [1 << c * step for c in range(width)]
        self.columns = [((1 << height) - 1) << c * step for c in range(width)]
        self.full = sum(self.columns)
        self.shifts = (1, step, step - 1, step + 1)

    def initial(self) -> Position:
        return 0, 0

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        taken = mine | theirs
        found = []
        for bottom, column in zip(self.bottoms, self.columns, strict=True):
            if cell := (taken + bottom) & column & ~taken:
                found.append((theirs, mine | cell))
        return found

    def outcome(self, position: Position) -> int | None:
        mine, theirs = position
        for shift in self.shifts:
            pairs = theirs & theirs >> shift
            if pairs & pairs >> 2 * shift:
                return -1
        return 0 if mine | theirs == self.full else None

    def show(self, position: Position) -> str:
        even = position[0].bit_count() == position[1].bit_count()
        first, second = position if even else position[::-1]
        rows = []
        for y in reversed(range(self.height)):
            cells = [bottom << y for bottom in self.bottoms]
            rows.append(" ".join("X" if c & first else "O" if c & second else "." for c in cells))
        return "\n".join(rows)

    def name_move(self, position: Position, to: Position) -> str:
        cell = (to[0] | to[1]) & ~(position[0] | position[1])
        return chr(97 + (cell.bit_length() - 1) // (self.height + 1))
