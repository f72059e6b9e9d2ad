"""Chopsticks, the finger game.

Each player starts with one finger up on either hand. A turn taps an enemy hand with an own hand,
both of them live: the fingers of the tapping hand are added to the tapped one, which is dead at
five and more (option: counts on modulo five, dead at exactly five). Or, if splitting is allowed,
it moves fingers from one own hand to the other, which may empty the one or revive the other, but
not bring it to five or leave the same two numbers. Whoever has no live hand loses.
"""

from __future__ import annotations

Hands = tuple[int, int]
Position = tuple[Hands, Hands]


class Chopsticks:
    """Positions are (hands of the mover, hands of the opponent), each sorted; 0 is a dead hand."""

    def __init__(self, modulo: bool = False, split: bool = True) -> None:
        self.modulo, self.split = modulo, split

    def initial(self) -> Position:
        return (1, 1), (1, 1)

    def _sum(self, a: int, b: int) -> int:
        return (a + b) % 5 if self.modulo else (a + b if a + b < 5 else 0)

    def moves(self, position: Position) -> list[Position]:
        mine, (a, b) = position
        found = []
        for tap in mine:
            if tap and a:
                found.append((_hands(self._sum(a, tap), b), mine))
            if tap and b:
                found.append((_hands(a, self._sum(b, tap)), mine))
        if self.split:
            total = sum(mine)
            for low in range(total // 2 + 1):
                if total - low < 5 and (low, total - low) != mine:
                    found.append(((a, b), (low, total - low)))
        return found

    def outcome(self, position: Position) -> int | None:
        if not any(position[0]):
            return -1
        return 1 if not any(position[1]) else None

    def show(self, position: Position) -> str:
        return "mover {}-{}   opponent {}-{}".format(*position[0], *position[1])

    def name_move(self, position: Position, to: Position) -> str:
        if to[1] != position[0]:
            return "split {}-{}".format(*to[1])
        return "tap to {}-{}".format(*to[0])


def _hands(a: int, b: int) -> Hands:
    return (a, b) if a <= b else (b, a)
