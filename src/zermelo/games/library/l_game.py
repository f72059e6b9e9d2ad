"""The L game of Edward de Bono.

On a board of four by four each player has one piece of four squares shaped like an L, and there
are two neutral pieces of one square. In his turn a player must put his L onto another place, turned
and flipped at will, and may then move one neutral piece to any empty square. Whoever cannot move
his L loses.
"""

from __future__ import annotations

from zermelo.games.library.tic_tac_toe import moved, symmetries

Position = tuple[int, int, int]

FULL = 0xFFFF


SYMMETRIES = list(symmetries(4, 4))
PLACES = sorted(
    {
        moved(0b0001_0001_0011 << 4 * y + x, image)
        for y in range(2)
        for x in range(3)
        for image in SYMMETRIES
    }
)
"""The 48 placements of an L."""


class LGame:
    """Positions are the bit sets (L of the mover, L of the opponent, neutral pieces).

    ``symmetry`` solves one position of each class under turning and flipping the board.
    """

    def __init__(self, symmetry: bool = True) -> None:
        if symmetry:
            self.images: dict[int, list[int]] = {}
            self.canonical = self._canonical

    def initial(self) -> Position:
        return 0b0000_0100_0100_0110, 0b0110_0010_0010_0000, 0b1000_0000_0000_0001

    def moves(self, position: Position) -> list[Position]:
        mine, theirs, neutral = position
        found = []
        low = neutral & -neutral
        for place in PLACES:
            if place != mine and not place & (theirs | neutral):
                free = FULL & ~(place | theirs | neutral)
                empty = [1 << i for i in range(16) if free >> i & 1]
                found.append((theirs, place, neutral))
                found += [(theirs, place, low | to) for to in empty]
                found += [(theirs, place, neutral ^ low | to) for to in empty]
        return found

    def outcome(self, position: Position) -> int | None:
        mine, theirs, neutral = position
        taken = theirs | neutral
        return None if any(p != mine and not p & taken for p in PLACES) else -1

    def _images(self, squares: int) -> list[int]:
        if squares not in self.images:
            self.images[squares] = [moved(squares, image) for image in SYMMETRIES]
        return self.images[squares]

    def _canonical(self, position: Position) -> Position:
        return min(zip(*map(self._images, position), strict=True))

    def show(self, position: Position) -> str:
        mine, theirs, neutral = position
        signs = [
            "o" if mine >> i & 1 else "x" if theirs >> i & 1 else "*" if neutral >> i & 1 else "."
            for i in range(16)
        ]
        return "\n".join(" ".join(signs[i : i + 4]) for i in (0, 4, 8, 12))

    def name_move(self, position: Position, to: Position) -> str:
        start, end = position[2] & ~to[2], to[2] & ~position[2]
        neutral = f" {_squares(start)}-{_squares(end)}" if start else ""
        return f"L {_squares(to[1])}{neutral}"


def _squares(cells: int) -> str:
    return "".join(f"{chr(97 + i % 4)}{4 - i // 4}" for i in range(16) if cells >> i & 1)
