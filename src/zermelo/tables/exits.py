"""Which moves lead out of a slice, and where: the plan by which `crossing` is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from zermelo.tables.crossing import Cells, Pass, Target, captures, doubles, pushes
from zermelo.tables.layout import layout
from zermelo.tables.material import Half, ordered

Levels = Callable[[Half, bool], Cells]
"""Gives the levels of a finished half: ``lost`` if the second argument is true, else ``win``."""
Call = tuple[Callable[..., object], tuple[object, ...]]


class Man(NamedTuple):
    """A man of a half: its place in the order of men, its side and its letter."""

    number: int
    attacks: bool
    letter: str


class Exit(NamedTuple):
    """All moves of one kind out of a slice.

    by_attacker: who moves; child: the half they lead to, perhaps the same; source: which man here
    stands for each man there; victim, pawn: the numbers of the man taken and of the pawn that
    promotes or steps, 0 for none; double: whether the pawn makes a double step; passant: (half,
    source) of its capture en passant, None where no pawn can.
    """

    by_attacker: bool
    child: Half
    source: list[int]
    victim: int = 0
    pawn: int = 0
    double: bool = False
    passant: tuple[Half, list[int]] | None = None

    def reads(self, half: Half) -> list[tuple[Half, bool]]:
        """The finished halves other than ``half`` that it looks into, and whether for ``lost``."""
        found = [(self.child, self.by_attacker)]
        if self.passant:
            found.append((self.passant[0], not self.by_attacker))
        return [one for one in found if one[0] != half]

    def call(self, half: Half, make: Pass, levels: Levels, here: Pass | None = None) -> Call:
        """The kernel and its arguments after the words.

        here: the part of the half itself to which a pawn moves; without it ``make`` has all parts.
        """
        own = here or make

        def target(to: Half, source: list[int], lost: bool) -> Target:
            first = 0
            if to == half:
                cells, first = own.lost if lost else own.win, own.first
            else:
                cells = levels(to, lost)
            cells = widened(cells, make.lost.dtype)
            return Target(layout(to), cells, np.array(source, np.uint8), first)

        to = target(self.child, self.source, self.by_attacker)
        if self.double:
            taken = target(*self.passant, not self.by_attacker) if self.passant else to
            return doubles, (self.pawn, to, taken)
        if self.victim:
            return captures, (self.victim, self.pawn, to)
        return pushes, (self.pawn, self.child != half, to)


def widened(cells: Cells, dtype: np.dtype[Any]) -> Cells:
    """Levels as a wider dtype has them: stalemate and "never" are its own two greatest numbers."""
    if cells.dtype == dtype:
        return cells
    wide = cells.astype(dtype)
    wide[cells >= np.iinfo(cells.dtype).max - 1] += np.iinfo(dtype).max - np.iinfo(cells.dtype).max
    return wide


def men_of(half: Half) -> list[Man]:
    """The men of a half in the layout's order, without the defending king."""
    sides = ((True, half.attacker), (False, half.defender))
    found = [(True, "K")]
    for pawns in (False, True):
        found += [(side, m) for side, men in sides for m in men if (m == "P") is pawns]
    return [Man(number, *man) for number, man in enumerate(found)]


def _arranged(men: list[Man]) -> tuple[Half, list[int]]:
    """The half that some men make up, and which of them stand where in its order."""
    attacker, defender = (
        ordered("".join(m.letter for m in men if m.attacks is side and m.letter != "K"))
        for side in (True, False)
    )
    half = Half(attacker, defender)
    rest = list(men)
    source = []
    for wanted in men_of(half):
        man = next(m for m in rest if m[1:] == wanted[1:])
        rest.remove(man)
        source.append(man.number)
    return half, source


def exits(half: Half, by_attacker: bool) -> Iterator[Exit]:
    """Every kind of move of one side that leaves the material."""
    men = men_of(half)
    pawns = [m for m in men if m.attacks is by_attacker and m.letter == "P"]
    victims = [m for m in men if m.attacks is not by_attacker and m.letter != "K"]
    for victim in victims:
        left = [m for m in men if m is not victim]
        yield Exit(by_attacker, *_arranged(left), victim=victim.number)
    for taken in (0, *(victim.number for victim in victims)):
        for pawn in pawns:
            for letter in "QRBN":
                left = [
                    m._replace(letter=letter) if m is pawn else m
                    for m in men
                    if not taken or m.number != taken
                ]
                yield Exit(by_attacker, *_arranged(left), victim=taken, pawn=pawn.number)


def steps(half: Half, by_attacker: bool) -> Iterator[Exit]:
    """Every kind of pawn move of one side that stays in the material, leading to another slice."""
    men = men_of(half)
    same = [m.number for m in men]
    opposed = any(m.letter == "P" and m.attacks is not by_attacker for m in men)
    for pawn in men:
        if pawn.letter == "P" and pawn.attacks is by_attacker:
            yield Exit(by_attacker, half, same, pawn=pawn.number)
            passant = _arranged([m for m in men if m is not pawn]) if opposed else None
            yield Exit(by_attacker, half, same, pawn=pawn.number, double=True, passant=passant)
