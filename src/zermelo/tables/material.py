"""Material such as KBNvK: its normal form, and what captures and promotions lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from zermelo.errors import InputError

STRENGTH = "QRBNP"
"""The men besides the king, strongest first: the order in which a side's men are written."""

_PATTERN = re.compile(r"K([QRBNP]*)V?K([QRBNP]*)")


def ordered(men: str) -> str:
    """The men of a side, strongest first."""
    return "".join(sorted(men, key=STRENGTH.index))


def without(men: str, man: str) -> str:
    """The men of a side after the loss of one."""
    return men.replace(man, "", 1)


def _rank(men: str) -> tuple[int, list[int]]:
    return (-len(men), [STRENGTH.index(man) for man in men])


@dataclass(frozen=True, slots=True)
class Half:
    """The half of a table in which one side tries to mate: the attacker's men and the defender's.

    Kings are not written. Halves know no colours: that of Black attacking is the same as that of
    White attacking with the same men, the board turned over so that the attacker's pawns go up.
    """

    attacker: str
    defender: str

    def __str__(self) -> str:
        return f"K{self.attacker} against K{self.defender}"

    @property
    def men(self) -> int:
        """How many men stand on the board, kings included."""
        return 2 + len(self.attacker) + len(self.defender)

    @property
    def pawns(self) -> int:
        """How many of them are pawns."""
        return (self.attacker + self.defender).count("P")

    @property
    def hopeless(self) -> bool:
        """Whether no position at all is mate, by the attacker's lack of men."""
        return self.attacker == "" or (self.attacker in ("B", "N") and self.defender == "")

    @property
    def material(self) -> Material:
        """The table that holds this half."""
        return Material.of(self.attacker, self.defender)

    def children(self) -> Iterator[Half]:
        """The other halves into which one move leads: captures, promotions, and both at once."""
        seen = {self}
        for attacker, defender in (
            *_changes(self.attacker, self.defender),
            *((a, d) for d, a in _changes(self.defender, self.attacker)),
        ):
            child = Half(attacker, defender)
            if child not in seen:
                seen.add(child)
                yield child


def _changes(mover: str, other: str) -> Iterator[tuple[str, str]]:
    """(men of the mover, men of the other) after each capture, promotion, or both."""
    after_capture = [without(other, victim) for victim in dict.fromkeys(other)]
    for rest in after_capture:
        yield mover, rest
    if "P" in mover:
        for piece in "QRBN":
            promoted = ordered(without(mover, "P") + piece)
            for rest in (other, *after_capture):
                yield promoted, rest


@dataclass(frozen=True, slots=True)
class Material:
    """The men of both sides in normal form: more men first, then the stronger by QRBNP.

    ``strong`` and ``weak`` hold each side's men without the king, strongest first.
    """

    strong: str
    weak: str

    @classmethod
    def of(cls, one: str, other: str) -> Material:
        """The material of two sides' men, in whatever order they are given."""
        sides = sorted((ordered(one), ordered(other)), key=_rank)
        return cls(*sides)

    @classmethod
    def parse(cls, text: str) -> Material:
        """Reads ``KBNvK``, ``knnkp`` and the like; raises InputError for anything else."""
        found = _PATTERN.fullmatch(text.strip().upper())
        if not found:
            raise InputError(
                f"{text}: no material; write both sides' men from the king, as in KBNvK"
            )
        return cls.of(*found.groups())

    def __str__(self) -> str:
        return f"K{self.strong}vK{self.weak}"

    @property
    def men(self) -> int:
        """How many men stand on the board, kings included."""
        return 2 + len(self.strong) + len(self.weak)

    @property
    def pawns(self) -> int:
        """How many of them are pawns."""
        return (self.strong + self.weak).count("P")

    @property
    def symmetric(self) -> bool:
        """Whether both sides have the same men, so that one half says all."""
        return self.strong == self.weak

    @property
    def halves(self) -> tuple[Half, ...]:
        """The halves that a file of this material holds: those in which a mate exists."""
        both = dict.fromkeys((Half(self.strong, self.weak), Half(self.weak, self.strong)))
        return tuple(half for half in both if not half.hopeless)

    def children(self) -> list[Material]:
        """The tables into which one move leads, smallest first, those without a file left out."""
        found = {child.material for half in self.halves for child in half.children()}
        return sorted((m for m in found - {self} if m.halves), key=order)


def order(material: Material) -> tuple[int, int, str]:
    """Sorts materials so that every one comes after all that its moves lead to."""
    return (material.men, material.pawns, str(material))


def with_children(materials: list[Material]) -> list[Material]:
    """These materials and all that they lead to, each after what it needs."""
    found: set[Material] = set()
    todo = [material for material in materials if material.halves]
    while todo:
        material = todo.pop()
        if material not in found:
            found.add(material)
            todo += material.children()
    return sorted(found, key=order)


def all_materials(men: int) -> list[Material]:
    """Every material of three to ``men`` men that has a table, smallest first."""
    found = {
        Material.of("".join(one), "".join(other))
        for total in range(1, men - 1)
        for size in range(total + 1)
        for one in combinations_with_replacement(STRENGTH, size)
        for other in combinations_with_replacement(STRENGTH, total - size)
    }
    return sorted((material for material in found if material.halves), key=order)
