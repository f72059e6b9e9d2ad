"""Mu torere, the Maori game on an eight-pointed star.

Eight points form a ring around a centre. Each player has four stones, at the start on neighbouring
points of the ring; the centre is empty. A move takes a stone to the empty place: from ring to
neighbouring ring point, from the centre to the ring, or from the ring to the centre if an enemy
stone is next to it (option: always). Whoever cannot move loses.
"""

from __future__ import annotations

Position = tuple[int, int]

RING = (1 << 8) - 1
CENTRE = 1 << 8


class MuTorere:
    """Positions are the bit sets (stones of the mover, of the opponent); bit 8 is the centre.

    ``symmetry`` solves one position of each class under the ring's turns and reflections.
    """

    def __init__(self, restricted: bool = True, symmetry: bool = False) -> None:
        self.restricted = restricted
        if symmetry:
            self.canonical = self._canonical

    def initial(self) -> Position:
        return 0b00001111, 0b11110000

    def moves(self, position: Position) -> list[Position]:
        mine, theirs = position
        empty = (RING | CENTRE) & ~(mine | theirs)
        if empty == CENTRE:
            stones = [1 << i for i in range(8) if mine >> i & 1]
            if self.restricted:
                stones = [stone for stone in stones if _beside(stone) & theirs]
        else:
            stones = [s for s in (1 << i for i in range(9)) if (_beside(empty) | CENTRE) & mine & s]
        return [(theirs, mine ^ stone | empty) for stone in stones]

    def outcome(self, position: Position) -> int | None:
        return None if self.moves(position) else -1

    def _canonical(self, position: Position) -> Position:
        images = []
        for turn in range(8):
            turned = _turn(position[0], turn), _turn(position[1], turn)
            images += [turned, (_mirror(turned[0]), _mirror(turned[1]))]
        return min(images)

    def show(self, position: Position) -> str:
        cells = [
            "o" if position[0] >> i & 1 else "x" if position[1] >> i & 1 else "." for i in range(9)
        ]
        return "  {0}\n{7}   {1}\n{6} {8} {2}\n{5}   {3}\n  {4}".format(*cells)

    def name_move(self, position: Position, to: Position) -> str:
        start, end = position[0] & ~to[1], to[1] & ~position[0]
        return f"{start.bit_length()}-{end.bit_length()}"


def _beside(point: int) -> int:
    """The two ring points next to a ring point."""
    return (point << 1 | point >> 1 | point << 7 | point >> 7) & RING


def _turn(stones: int, by: int) -> int:
    ring = stones & RING
    return (ring << by | ring >> 8 - by) & RING | stones & CENTRE


def _mirror(stones: int) -> int:
    return sum(1 << 7 - i for i in range(8) if stones >> i & 1) | stones & CENTRE
