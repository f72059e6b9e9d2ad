"""What a table comes to: how many positions are won, drawn, lost, and in how many plies.

Positions that symmetry makes equal, and like men that change places, count once (an *orbit*); no
position has en passant rights. Material with the same men on both sides has only White to move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.tables.chunks import in_chunks
from zermelo.tables.counting import Sums, opposite_of, tally, weights_of
from zermelo.tables.fens import fen, letters_of, men_at
from zermelo.tables.material import Half, Material
from zermelo.tables.pressure import Pressure
from zermelo.tables.reach import Child, reach_of, scratch
from zermelo.tables.survey import DEFENDER, men_of
from zermelo.values import Outcome

Tick = Callable[[int, int], None]

ORBITS, RAW, LABELLED = 0, 1, 2
"""Columns of counts: orbits; positions on the real board; orbits with like men told apart."""


@dataclass(frozen=True, slots=True)
class Row:
    """How many positions have one value; a draw's plies are 0 and mean nothing."""

    material: str
    turn: str
    outcome: str
    plies: int
    count: int
    example: str


class Zugzwangs(NamedTuple):
    """FENs of mutual zugzwangs with White to move.

    w_draws: White would draw, Black would lose. w_loses: White would lose, Black would draw.
    full_point: whoever is to move loses.
    """

    w_draws: list[str]
    w_loses: list[str]
    full_point: list[str]


class Draws(NamedTuple):
    """Drawn positions of a side that can win, to move: orbits and raw positions of each.

    at_once: every move allows stalemate or a capture after which the win is gone. unattacked: no
    man of the side is attacked (its king left out).
    """

    drawn: tuple[int, int]
    at_once: tuple[int, int]
    unattacked: tuple[int, int]


class Totals(NamedTuple):
    """Positions with one side to move."""

    legal: int
    won: int
    drawn: int
    lost: int


@dataclass(frozen=True)
class HalfCount:
    """A half counted: see ``counting.Sums`` for counts and examples.

    draws: at level "never", attacker to move. zugzwangs: cells where the attacker, to move, draws;
    and where he loses.
    """

    half: Half
    counts: NDArray[np.int64]
    examples: NDArray[np.int64]
    draws: Draws
    drawn_example: int
    zugzwangs: tuple[list[int], list[int]]

    @property
    def never(self) -> int:
        """The level of positions that are not decided in this half; one less is stalemate."""
        return self.counts.shape[1] - 1


def count_half(half: Half, child: Child, tick: Tick = lambda done, total: None) -> HalfCount:
    """Counts one half in a single walk."""
    solved = child(half)
    other = Half(half.defender, half.attacker)
    opposite = opposite_of(half, None if other.hopeless else child(other).lost)
    reach = reach_of(half, DEFENDER, solved.win, child)
    alike = prod(factorial(count) for count in Counter(men_of(half)[1:-1]).values())
    words = len(solved.lost)

    def walk(first: int, last: int) -> Sums:
        sums = Sums.empty(reach.none, (last - first) * 64)
        tally(reach, solved.lost, opposite, alike, scratch(half), scratch(half), first, last, sums)
        return sums

    total = Sums.empty(reach.none, 0)
    lists: tuple[list[int], list[int], list[int]] = ([], [], [])
    for done, sums in in_chunks(words, walk):
        for whole, part in ((total.counts, sums.counts), (total.draws, sums.draws)):
            whole += part
        for whole, part in ((total.examples, sums.examples), (total.example, sums.example)):
            np.copyto(whole, part, where=whole < 0)
        for cells, part, end in zip(lists, sums.lists, sums.ends, strict=True):
            cells += part[:end].tolist()
        tick(done, words)
    pressure = Pressure(half, solved, child)
    drawn, unattacked, at_once = total.draws
    for cell in lists[2]:
        if pressure.drawn_at_once(cell, quiet=False):
            at_once += weights_of(reach, men_at(half, cell), alike)
    draws = Draws(*((int(n[ORBITS]), int(n[RAW])) for n in (drawn, at_once, unattacked)))
    zugzwangs = (lists[0], lists[1])
    return HalfCount(half, total.counts, total.examples, draws, int(total.example[0]), zugzwangs)


class Census:
    """The census of a material; ``child`` gives its halves and those that moves lead to.

    ``tick`` is told how many words are counted of how many.
    """

    def __init__(self, material: Material, child: Child, tick: Tick = lambda d, t: None) -> None:
        self.material = material
        strong = Half(material.strong, material.weak)
        halves = material.halves or (strong,)
        self._counts: dict[str, HalfCount] = {}
        for number, half in enumerate(halves):

            def told(done: int, total: int, before: int = number) -> None:
                tick(before * total + done, len(halves) * total)

            self._counts["w" if half == strong else "b"] = count_half(half, child, told)
        if material.symmetric:
            self._counts["b"] = self._counts["w"]

    @property
    def turns(self) -> str:
        """The sides to move that differ: both, or White where the men are the same."""
        return "w" if self.material.symmetric else "wb"

    def _winning(self, turn: str) -> HalfCount | None:
        """The half in which the side to move attacks."""
        return self._counts.get(turn)

    def _losing(self, turn: str) -> HalfCount | None:
        """The half in which the side to move defends."""
        return self._counts.get("b" if turn == "w" else "w")

    def totals(self, turn: str, column: int = ORBITS) -> Totals:
        """Positions with a side to move, in a column of counts."""
        won = lost = legal = 0
        if winning := self._winning(turn):
            won = int(winning.counts[0, : winning.never, column].sum())
            legal = int(winning.counts[0, :, column].sum())
        if losing := self._losing(turn):
            lost = int(losing.counts[1, : losing.never - 1, column].sum())
            legal = int(losing.counts[1, :, column].sum())
        return Totals(legal, won, legal - won - lost, lost)

    @cached_property
    def rows(self) -> list[Row]:
        """The histogram: by side to move, outcome and plies."""
        return [row for turn in self.turns for row in self._rows(turn)]

    def _rows(self, turn: str) -> Iterator[Row]:
        if losing := self._losing(turn):
            for level in range(losing.never - 1):
                yield from self._row(losing, turn, 1, level)
        if drawn := self.totals(turn).drawn:
            yield self._make(turn, Outcome.DRAW, 0, drawn, self._drawn_example(turn))
        if winning := self._winning(turn):
            for level in range(1, winning.never - 1):
                yield from self._row(winning, turn, 0, level)

    def _row(self, count: HalfCount, turn: str, side: int, level: int) -> Iterator[Row]:
        number = int(count.counts[side, level, ORBITS])
        if number:
            outcome, plies = (Outcome.LOSS, 2 * level) if side else (Outcome.WIN, 2 * level - 1)
            example = self._fen(count, int(count.examples[side, level]), turn, side == 0)
            yield self._make(turn, outcome, plies, number, example)

    def _make(self, turn: str, outcome: Outcome, plies: int, count: int, example: str) -> Row:
        return Row(str(self.material), turn, outcome.word, plies, count, example)

    def _fen(self, count: HalfCount, cell: int, turn: str, attacks: bool) -> str:
        """The FEN of a cell of a half in which the side to move attacks, or not."""
        white = (turn == "w") == attacks
        return fen(letters_of(count.half, white), men_at(count.half, cell), white, turn)

    def _drawn_example(self, turn: str) -> str:
        if winning := self._winning(turn):
            return self._fen(winning, winning.drawn_example, turn, True)
        losing = self._losing(turn)
        assert losing is not None, "one half at least was counted"
        cells = [int(losing.examples[1, level]) for level in (losing.never, losing.never - 1)]
        return self._fen(losing, next(cell for cell in cells if cell >= 0), turn, False)

    def draws(self, turn: str) -> Draws | None:
        """Kinds of drawn positions with a side to move; None for a side that can never win."""
        winning = self._winning(turn)
        return winning.draws if winning and not winning.half.hopeless else None

    @cached_property
    def zugzwangs(self) -> Zugzwangs:
        """All mutual zugzwangs."""
        white, black = self._counts.get("w"), self._counts.get("b")

        def fens(count: HalfCount | None, kind: int, attacks: bool) -> list[str]:
            return (
                [self._fen(count, cell, "w", attacks) for cell in count.zugzwangs[kind]]
                if count
                else []
            )

        return Zugzwangs(fens(white, 0, True), fens(black, 0, False), fens(white, 1, True))
