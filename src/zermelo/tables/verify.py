"""Checks a table: every position's value must be the best of those that its moves lead to.

Level by level this has only one solution, so a table that passes is right if its children are.
Every position is visited once for each side to move; its moves come from `survey`, not from the
generator. Twins of a canonical cell must hold the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, lsb
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.chunks import in_chunks
from zermelo.tables.fens import fen, letters_of, men_at
from zermelo.tables.judge import row_levels
from zermelo.tables.layout import canonical, locate, unplace
from zermelo.tables.material import Half, Material
from zermelo.tables.reach import (
    Cells,
    Child,
    Finished,
    Levels,
    Reach,
    Scratch,
    reach_of,
)
from zermelo.tables.reach import scratch as new_scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, IMPOSSIBLE, survey
from zermelo.values import DRAW, Outcome, Value

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
def _twin_levels(
    reach: Reach, work: Scratch, word: Int, lanes: Word, stored: Cells, levels: Levels
) -> None:
    """Writes the levels that cells of a word should have as twins of canonical ones."""
    lay, men = reach.lay, work.men
    unplace(lay, word, men)
    while lanes:
        lane = lsb(lanes)
        lanes &= lanes - ONE
        men[-1] = lane
        work.after[:] = men
        cell = locate(lay, reach.maps, work.after)
        levels[lane] = stored[cell >> 6, cell & 63]
        if (
            levels[lane] != stored[word, lane]
            and survey(reach.cast, men, reach.side, work.goals) == IMPOSSIBLE
        ):
            levels[lane] = -1


@kernel
def _first_wrong(
    reach: Reach, work: Scratch, stored: Cells, first: Int, last: Int
) -> tuple[Int, Int, Int]:
    """(positions judged, first wrong cell or -1, its right level) in words first to last."""
    levels = np.empty(64, np.int64)
    return _scan(borrow(reach), borrow(work), borrow(stored), first, last, borrow(levels))


@kernel
def _scan(
    reach: Reach, work: Scratch, stored: Cells, first: Int, last: Int, levels: Levels
) -> tuple[Int, Int, Int]:
    seen = np.int64(0)
    for word in range(first, last):
        lanes = canonical(reach.lay, reach.maps, word, work.men)
        row_levels(reach, work, word, lanes, levels)
        _twin_levels(reach, work, word, ~lanes, stored, levels)
        for lane in range(64):
            right, is_twin = levels[lane], (lanes >> np.uint64(lane)) & ONE == ZERO
            if right < 0:
                if is_twin or reach.side == DEFENDER:
                    continue
                right = 0
            elif not is_twin:
                seen += 1
            if right != stored[word, lane]:
                return seen, np.int64(word) * 64 + lane, np.int64(right)
    return seen, np.int64(-1), np.int64(0)


def _pass(
    solved: Finished, half: Half, side: int, child: Child, tick: Tick
) -> Iterator[tuple[int, Fault | None]]:
    """(positions, fault) of each chunk of one side's positions, in order."""
    own, stored = solved.lost, solved.win
    if side == DEFENDER:
        own, stored = stored, own
    reach = reach_of(half, side, own, child)

    def check(first: int, last: int) -> tuple[int, Fault | None]:
        seen, cell, right = _first_wrong(reach, new_scratch(half), stored, first, last)
        if cell < 0:
            return int(seen), None
        level = int(stored[cell >> 6, cell & 63])
        return int(seen), Fault(half, side, int(cell), level, int(right), reach.none)

    for done, found in in_chunks(len(own), check):
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
