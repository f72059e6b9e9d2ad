"""Hexapawn: pawns alone on a small board.

Each player has a row of pawns on his own edge. A pawn steps straight forward onto an empty square
or captures one square diagonally forward. Whoever reaches the far edge wins, and so does whoever
leaves the opponent without a move.
"""

from __future__ import annotations

from zermelo.games.library.options import whole

Position = tuple[int, int, int]


class Hexapawn:
    """Positions are (pawns going up, pawns going down, +1 or -1 to move); pawns are bit sets."""

    def __init__(self, rows: int = 3, columns: int = 3) -> None:
        self.rows = whole("rows", rows, 2, 16)
        self.columns = whole("columns", columns, 1, 16)
        self.bottom = (1 << columns) - 1
        self.top = self.bottom << (rows - 1) * columns
        self.ways = {turn: [self._ways(i, turn) for i in range(rows * columns)] for turn in (1, -1)}

    def _ways(self, cell: int, turn: int) -> tuple[int, int, list[int]]:
        """A square's bit, the one ahead (0 at the edge), those diagonally ahead."""
        row, column = divmod(cell, self.columns)
        if not 0 <= row + turn < self.rows:
            return 1 << cell, 0, []
        ahead = 1 << cell + turn * self.columns
        sides = [ahead >> 1] if column else []
        return 1 << cell, ahead, sides + ([ahead << 1] if column + 1 < self.columns else [])

    def initial(self) -> Position:
        return self.bottom, self.top, 1

    def mover(self, position: Position) -> int:
        return position[2]

    def moves(self, position: Position) -> list[Position]:
        up, down, turn = position
        mine, theirs = (up, down) if turn > 0 else (down, up)
        found = []
        for pawn, ahead, sides in self.ways[turn]:
            if mine & pawn:
                steps = [] if (mine | theirs) & ahead or not ahead else [ahead]
                steps += [side for side in sides if theirs & side]
                found += [(mine & ~pawn | to, theirs & ~to) for to in steps]
        return [(m, t, -1) if turn > 0 else (t, m, 1) for m, t in found]

    def outcome(self, position: Position) -> int | None:
        up, down, turn = position
        arrived = down & self.bottom if turn > 0 else up & self.top
        return -1 if arrived or not self.moves(position) else None

    def show(self, position: Position) -> str:
        up, down, _ = position
        rows = []
        for row in reversed(range(self.rows)):
            cells = [1 << row * self.columns + c for c in range(self.columns)]
            rows.append(" ".join("^" if c & up else "v" if c & down else "." for c in cells))
        return "\n".join(rows)

    def name_move(self, position: Position, to: Position) -> str:
        mine = 0 if position[2] > 0 else 1
        start, end = position[mine] & ~to[mine], to[mine] & ~position[mine]
        sign = "x" if position[1 - mine] & end else "-"
        return f"{self._square(start)}{sign}{self._square(end)}"

    def _square(self, cell: int) -> str:
        row, column = divmod(cell.bit_length() - 1, self.columns)
        return f"{chr(97 + column)}{row + 1}"
