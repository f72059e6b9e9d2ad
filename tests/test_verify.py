"""The check of whole tables, and that it finds what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from finished import finished
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import canonical, layout, unplace
from zermelo.tables.material import Half, Material, all_materials
from zermelo.tables.retrograde import restore
from zermelo.tables.survey import ATTACKER, DEFENDER
from zermelo.tables.verify import check_half

PAWNLESS = [material for material in all_materials(4) if not material.pawns]
LEGAL = {"KQvK": 18_081 + 28_056, "KBNvK": 1_359_578 + 1_707_888, "KRvKR": 2 * 1_347_906}
PAWNS = {"KPvK": 81_664 + 84_012, "KPvKP": 2 * 3_718_044, "KPvKN": 9_685_770, "KPPvK": 3_719_043}
"""Legal positions."""


@pytest.mark.parametrize("material", PAWNLESS, ids=str)
def test_every_pawnless_table_of_three_and_four_men(material: Material) -> None:
    for half in material.halves:
        checked = check_half(half, finished(half), finished)
        assert checked.fault is None
        if str(material) in LEGAL:
            assert checked.positions == LEGAL[str(material)]


@pytest.mark.parametrize("attacker", ["", "B", "N"])
def test_halves_without_any_mate(attacker: str) -> None:
    half = Half(attacker, "")
    assert check_half(half, finished(half), finished).fault is None


@pytest.mark.parametrize("name", PAWNS)
def test_pawns(name: str) -> None:
    for half in Material.parse(name).halves:
        assert check_half(half, finished(half), finished) == (PAWNS[name], None)


@pytest.mark.parametrize("side", [ATTACKER, DEFENDER])
@pytest.mark.parametrize(
    ("attacker", "defender"),
    [("QQ", ""), ("R", "B"), ("P", "N"), ("R", "P"), ("P", "P"), ("PP", ""), ("B", "")],
)
def test_one_changed_byte(attacker: str, defender: str, side: int) -> None:
    """Of random cells one is changed by one; positions that cannot occur are no exception."""
    half, random = Half(attacker, defender), np.random.default_rng(1)
    solved = finished(half)
    arrays = (solved.win, solved.lost)
    for cell in random.integers(arrays[side].size, size=6).tolist():
        at = cell >> 6, cell & 63
        for step in (1, -1):
            changed = [arrays[0], arrays[1]]
            changed[side] = arrays[side].copy()
            changed[side][at] = (int(arrays[side][at]) + step) % 256
            wrong = type(solved)(half, changed[1], finished, changed[0])
            assert check_half(half, wrong, finished).fault is not None


def _canonical_cells(half: Half, level: int) -> Iterator[int]:
    lay, men = layout(half), np.zeros(half.men, np.uint8)
    for cell in np.flatnonzero(finished(half).lost.reshape(-1) == level).tolist():
        if int(canonical(lay, geometry().maps, cell >> 6, men)) >> (cell & 63) & 1:
            yield cell


@pytest.mark.parametrize(("level", "wrong"), [(0, 1), (5, 4), (5, 6), (5, 255), (255, 9), (254, 0)])
def test_one_wrong_cell(level: int, wrong: int) -> None:
    """A cell of a file is changed and its half restored: its own check or its children's fails."""
    half = Half("R", "")
    lay = layout(half)
    cells = [cell for cell in _canonical_cells(half, level) if _possible(half, cell)]
    for cell in cells[:: max(1, len(cells) // 3)][:3]:
        lost = finished(half).lost.copy()
        lost[cell >> 6, cell & 63] = wrong
        fault = check_half(half, restore(half, lost, finished), finished).fault
        assert fault is not None
        assert fault.half == half
        assert fault.stored != fault.right
        if fault.side == DEFENDER:
            assert lay.cells > fault.cell >= 0


def _possible(half: Half, cell: int) -> bool:
    """Whether the defender can be to move in a cell, by the distance of the kings."""
    men = np.zeros(half.men, np.uint8)
    unplace(layout(half), cell >> 6, men)
    men[-1] = cell & 63
    squares = men.tolist()
    apart = max(
        abs((squares[0] & 7) - (squares[-1] & 7)), abs((squares[0] >> 3) - (squares[-1] >> 3))
    )
    return len(set(squares)) == len(squares) and apart > 1


def test_a_wrong_win_is_named() -> None:
    half = Half("Q", "")
    solved = finished(half)
    win = solved.win.copy()
    cell = int(np.flatnonzero(win.reshape(-1) == 3)[0])
    win[cell >> 6, cell & 63] = 4
    wrong = type(solved)(half, solved.lost, finished, win)
    fault = check_half(half, wrong, finished).fault
    assert fault is not None
    assert (fault.side, fault.cell, fault.stored, fault.right) == (ATTACKER, cell, 4, 3)
