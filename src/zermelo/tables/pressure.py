"""Whether a drawn position is drawn at once: every move allows stalemate or a capture that holds.

The walk of `counting` judges quiet moves; here every kind of move can be judged, also captures,
promotions and double pushes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from zermelo.jit import kernel
from zermelo.tables.fens import men_at
from zermelo.tables.geometry import geometry
from zermelo.tables.judge import escapes
from zermelo.tables.layout import layout, locate
from zermelo.tables.material import Half
from zermelo.tables.reach import Child, Finished, Men, Reach, Scratch, reach_of, scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, cast_of, in_check, men_of, survey

Man = tuple[str, int, int]
"""(letter, side, square)."""


@kernel
def _escapes_at(reach: Reach, work: Scratch, men: Men) -> bool:
    work.men[:] = men
    return escapes(reach, work)


def _arranged(men: list[Man]) -> tuple[Half, Men]:
    """The half that some men make up, and their squares in its order."""
    sides = [
        "".join(sorted((m for m, of, _ in men if of == side and m != "K"), key="QRBNP".index))
        for side in (ATTACKER, DEFENDER)
    ]
    half, rest = Half(*sides), list(men)
    squares = []
    for wanted in men_of(half):
        man = next(man for man in rest if man[:2] == wanted)
        rest.remove(man)
        squares.append(man[2])
    return half, np.array(squares, np.uint8)


class Pressure:
    """Judges drawn positions of a half; ``child`` gives the halves that moves lead to."""

    def __init__(self, half: Half, solved: Finished, child: Child) -> None:
        self._half = half
        self._solved = solved
        self._other = child
        self._reaches: dict[Half, Reach] = {}

    def _child(self, half: Half) -> Finished:
        return self._solved if half == self._half else self._other(half)

    def _reach(self, half: Half) -> Reach:
        if half not in self._reaches:
            self._reaches[half] = reach_of(half, DEFENDER, self._child(half).win, self._child)
        return self._reaches[half]

    def drawn_at_once(self, cell: int, quiet: bool = True) -> bool:
        """Whether every move from a drawn cell, attacker to move, allows an escape.

        ``quiet`` is False if that is known of the quiet moves.
        """
        return all(self._answered(men, pawn) for men, pawn in self._moves(cell, quiet))

    def _moves(self, cell: int, quiet: bool) -> Iterator[tuple[list[Man], Man | None]]:
        """The men after each move; the pawn if it has made a double step."""
        squares = np.array(men_at(self._half, cell), np.uint8)
        goals = np.zeros(len(squares), np.uint64)
        survey(cast_of(self._half), squares, ATTACKER, goals)
        men = [
            (*man, square) for man, square in zip(men_of(self._half), squares.tolist(), strict=True)
        ]
        for man, targets in zip(men, goals.tolist(), strict=True):
            for goal in (square for square in range(64) if targets >> square & 1):
                rest = [other for other in men if other != man and other[2] != goal]
                double = man[0] == "P" and goal - man[2] == 16
                if man[0] == "P" and goal > 55:
                    for letter in "QRBN":
                        yield [*rest, (letter, ATTACKER, goal)], None
                elif quiet or double or len(rest) < len(men) - 1:
                    moved = (man[0], ATTACKER, goal)
                    yield [*rest, moved], moved if double else None

    def _answered(self, men: list[Man], pawn: Man | None) -> bool:
        half, squares = _arranged(men)
        reach, work = self._reach(half), scratch(half)
        passing = list(self._passing(men, pawn)) if pawn else []
        if any(passing):
            return True
        escape = _escapes_at(reach, work, squares)
        # What looks like stalemate is none if a capture en passant is legal.
        return escape and (not passing or bool(work.goals.any()))

    def _passing(self, men: list[Man], pawn: Man) -> Iterator[bool]:
        """For each legal capture en passant of a pawn whether it holds."""
        goal = pawn[2]
        for beside, step in product(men, (-1, 1)):
            if (
                beside[:2] == ("P", DEFENDER)
                and beside[2] == goal + step
                and goal >> 3 == beside[2] >> 3
            ):
                rest = [man for man in men if man not in (pawn, beside)]
                half, squares = _arranged([*rest, ("P", DEFENDER, goal - 8)])
                if not in_check(cast_of(half), squares, DEFENDER, -1):
                    lay = layout(half)
                    cell = int(locate(lay, geometry().maps, squares))
                    solved = self._child(half)
                    yield half.hopeless or int(solved.win[cell >> 6, cell & 63]) == solved.none
