"""Checks a table: every position's value must be the best of those that its moves lead to.

Level by level this has only one solution, so a table that passes is right if its children are.
Every cell is judged once for each side to move, twins of canonical ones by their own moves. `rows`
and `judge` know these, not the generator; positions that cannot occur must say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from zermelo.board.bits import ZERO, popcount
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.chunks import in_chunks
from zermelo.tables.fens import fen, letters_of, men_at
from zermelo.tables.layout import canonical
from zermelo.tables.material import Half, Material
from zermelo.tables.reach import Cells, Child, Finished, Reach, reach_of
from zermelo.tables.rows import Sheet, sheet, word_levels
from zermelo.tables.survey import ATTACKER, DEFENDER
from zermelo.values import DRAW, Outcome, Value

CHUNK = 1 << 13
"""Words that a thread checks at a time."""

Tick = Callable[[int, int], None]
"""Told how many words are done of how many."""


class Fault(NamedTuple):
    """A wrong cell of a half: its levels as stored and as its moves demand.

    side: ATTACKER or DEFENDER, who is to move; none: the level that stands for "never".
    """

    half: Half
    side: int
    cell: int
    stored: int
    right: int
    none: int


class Checked(NamedTuple):
    """The result of a check: how many positions were looked at, the first that is wrong if any."""

    positions: int
    fault: Fault | None


@kernel
def _scan(reach: Reach, to: Sheet, stored: Cells, first: Int, last: Int) -> tuple[Int, Int, Int]:
    """(positions judged, first wrong cell or -1, its right level) in words first to last."""
    reach, to, stored = borrow(reach), borrow(to), borrow(stored)
    positions = ZERO
    for word in range(first, last):
        lanes = canonical(reach.lay, reach.maps, word, to.work.men)
        positions += popcount(word_levels(reach, to, word) & lanes)
        wrong = False
        for lane in range(64):
            wrong |= to.best[lane] != stored[word, lane]
        for lane in range(64 if wrong else 0):
            if to.best[lane] != stored[word, lane]:
                return np.int64(positions), np.int64(word) * 64 + lane, np.int64(to.best[lane])
    return np.int64(positions), np.int64(-1), np.int64(0)


def _pass(
    solved: Finished, half: Half, side: int, child: Child, tick: Tick
) -> Iterator[tuple[int, Fault | None]]:
    """(positions, fault) of each chunk of one side's positions, in order."""
    own, stored = solved.lost, solved.win
    if side == DEFENDER:
        own, stored = stored, own
    reach = reach_of(half, side, own, child)

    def check(first: int, last: int) -> tuple[int, Fault | None]:
        seen, cell, right = _scan(reach, sheet(half, reach), stored, first, last)
        if cell < 0:
            return int(seen), None
        level = int(stored[cell >> 6, cell & 63])
        return int(seen), Fault(half, side, int(cell), level, int(right), reach.none)

    for done, found in in_chunks(len(own), check, CHUNK):
        yield found
        tick(done, len(own))


def check_half(
    half: Half, solved: Finished, child: Child, tick: Tick = lambda done, total: None
) -> Checked:
    """Checks both sides' positions of a half; ``child`` gives the halves that moves lead to."""
    positions = 0
    for side in (ATTACKER, DEFENDER):

        def told(done: int, total: int, before: int = side) -> None:
            tick(before * total + done, 2 * total)

        for seen, fault in _pass(solved, half, side, child, told):
            positions += seen
            if fault:
                return Checked(positions, fault)
    return Checked(positions, None)


def check_material(
    material: Material, child: Child, tick: Tick = lambda done, total: None
) -> Checked:
    """Checks a whole table; where nobody can be mated the rules alone say so."""
    halves = material.halves or (Half(material.strong, material.weak),)
    positions = 0
    for number, half in enumerate(halves):

        def told(done: int, total: int, before: int = number) -> None:
            tick(before * total + done, len(halves) * total)

        checked = check_half(half, child(half), child, told)
        positions += checked.positions
        if checked.fault:
            return Checked(positions, checked.fault)
    return Checked(positions, None)


def said(material: Material, fault: Fault) -> tuple[str, Value | None, Value | None]:
    """(FEN, stored value, right value) of a wrong cell.

    A value is None where the cell says only that the side to move does not win in this half (the
    attacker) or does not lose in it (the defender).
    """
    white_attacks = fault.half == Half(material.strong, material.weak)
    turn = "w" if white_attacks == (fault.side == ATTACKER) else "b"
    letters = letters_of(fault.half, white_attacks)
    text = fen(letters, men_at(fault.half, fault.cell), white_attacks, turn)
    return text, _value(fault, fault.stored), _value(fault, fault.right)


def _value(fault: Fault, level: int) -> Value | None:
    if level == fault.none:
        return None
    if level == fault.none - 1:
        return DRAW
    if fault.side == DEFENDER:
        return Value(Outcome.LOSS, 2 * level)
    return Value(Outcome.WIN, 2 * level - 1) if level else None
