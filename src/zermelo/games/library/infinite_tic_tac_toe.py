"""Infinite tic-tac-toe: only three marks a player stay on the board.

As in tic-tac-toe, but a player who has three marks loses the oldest one as he makes the next,
which may take the vanishing mark's own square. Three in a row, counted after that, win.
"""

from __future__ import annotations

from zermelo.games.library.tic_tac_toe import lines

Position = tuple[tuple[int, ...], tuple[int, ...]]


class InfiniteTicTacToe:
    """Positions are (marks of the mover, marks of the opponent), squares 0 to 8, oldest first."""

    def __init__(self) -> None:
        self.lines = {frozenset(i for i in range(9) if line >> i & 1) for line in lines(3, 3, 3)}

    def initial(self) -> Position:
        return (), ()

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        kept = mine[-2:]
        return [(theirs, (*kept, cell)) for cell in range(9) if cell not in kept + theirs]

    def outcome(self, position: Position) -> int | None:
        return -1 if frozenset(position[1]) in self.lines else None

    def show(self, position: Position) -> str:
        mine, theirs = position
        cells = ["."] * 9
        for marks, sign in ((mine, "o"), (theirs, "x")):
            for age, cell in enumerate(reversed(marks), 1):
                cells[cell] = f"{sign}{age}"
        return "\n".join(" ".join(f"{c:2}" for c in cells[i : i + 3]).rstrip() for i in (0, 3, 6))

    def name_move(self, position: Position, to: Position) -> str:
        y, x = divmod(to[1][-1], 3)
        return f"{chr(97 + x)}{3 - y}"
