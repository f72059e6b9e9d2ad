"""The numbering of positions: symmetries, twins, and the way back."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from zermelo.board.bits import map_square
from zermelo.tables.geometry import apply, fold, geometry
from zermelo.tables.layout import (
    ALL,
    Layout,
    canonical,
    layout,
    locate,
    place,
    pushes_left,
    unplace,
)
from zermelo.tables.material import Half

HALVES = [
    Half("Q", ""),
    Half("BN", ""),
    Half("NN", "N"),
    Half("B", "BB"),
    Half("P", ""),
    Half("P", "P"),
    Half("RP", "R"),
    Half("N", "PP"),
]


def _men(lay: Layout, chance: random.Random) -> list[int]:
    """Random squares for the men of a half, no two alike."""
    k, p = len(lay.kinds), lay.pawns.shape[1]
    while True:
        men = [chance.randrange(64) for _ in range(2 + k + p)]
        men[1 + k : -1] = [chance.randrange(8, 56) for _ in range(p)]
        if len(set(men)) == len(men):
            return men


def test_symmetries_are_those_of_the_board() -> None:
    for symmetry in range(8):
        mapped = [int(map_square(np.uint64(symmetry), np.uint64(s))) for s in range(64)]
        assert mapped == [apply(symmetry, s) for s in range(64)]
    assert {apply(fold(s), s) for s in range(64)} == {0, 1, 2, 3, 9, 10, 11, 18, 19, 27}


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_twins_have_one_cell_and_it_leads_back(half: Half) -> None:
    lay, maps = layout(half), geometry().maps
    symmetries = (0, 1) if half.pawns else range(8)
    chance = random.Random(2)
    for _ in range(300):
        men = _men(lay, chance)
        cells = {
            int(locate(lay, maps, np.array([apply(g, s) for s in men], np.uint8)))
            for g in symmetries
        }
        assert len(cells) == 1
        word, lane = divmod(cells.pop(), 64)
        back = np.empty(len(men), np.uint8)
        unplace(lay, word, back)
        assert int(place(lay, maps, back)[0]) == word
        back[-1] = lane
        assert int(canonical(lay, maps, word, back.copy())) >> lane & 1
        assert int(locate(lay, maps, back)) == word * 64 + lane


def test_each_orbit_has_one_canonical_cell() -> None:
    """Raw placements of kings and two knights, all kept apart, against the canonical cells."""
    half = Half("NN", "")
    lay, maps = layout(half), geometry().maps
    kept = 0
    men = np.empty(4, np.uint8)
    for word in range(lay.words):
        unplace(lay, word, men)
        taken = {int(square) for square in men[:3]}
        if len(taken) == 3:
            lanes = int(canonical(lay, maps, word, men))
            kept += (lanes & ~sum(1 << square for square in taken)).bit_count()
    chance, found = random.Random(3), 0
    for _ in range(2000):
        # Burnside by sampling would be inexact: count the orbits' sizes of random placements.
        squares = chance.sample(range(64), 4)
        images = {
            (apply(g, squares[0]), *sorted(apply(g, s) for s in squares[1:3]), apply(g, squares[3]))
            for g in range(8)
        }
        found += len(images) == 8
    assert found > 1900
    fixed = 8 * 7 * (6 * 5 // 2) + 8 * 7 * (56 // 2)  # all on the diagonal, or a swapped pair
    assert kept * 8 == 64 * 63 * 62 * 61 // 2 + 2 * fixed


def test_slices_are_sorted_by_the_steps_left() -> None:
    lay = layout(Half("P", "P"))
    left = [(7 - (own >> 3)) + (other >> 3) for own, other in lay.pawns.tolist()]
    assert left == sorted(left)
    assert lay.slices == 48 * 47 // 2
    assert int(ALL) == 2**64 - 1


@pytest.mark.parametrize(
    "half", [Half("Q", ""), Half("P", ""), Half("", "PP"), Half("P", "P"), Half("PP", "P")], ids=str
)
def test_every_placement_of_pawns_has_its_slice(half: Half) -> None:
    lay, own = layout(half), len(half.attacker.replace("Q", ""))
    rows = [tuple(row) for row in lay.pawns.tolist()]
    assert rows == sorted(set(rows), key=lambda row: (pushes_left(row, own), row))
    for code, squares in enumerate(product(range(8, 56), repeat=half.pawns)):
        found = int(lay.slice_of[code])
        if len(set(squares)) < len(squares):
            assert found == -1
            continue
        plain, mirrored = (
            (*sorted(s ^ flip for s in squares[:own]), *sorted(s ^ flip for s in squares[own:]))
            for flip in (0, 7)
        )
        assert rows[found >> 1] == min(plain, mirrored)
        assert found & 1 == (mirrored < plain)
        assert lay.mirror[found >> 1] == (plain == mirrored)


def test_four_pawns() -> None:
    lay = layout(Half("PP", "PP"))
    apart = 48 * 47 // 2 * (46 * 45 // 2)
    # The mirror keeps those whose pawns stand opposite each other, in pairs.
    assert lay.slices == (apart + 24 * 23) // 2
    assert (lay.slice_of >= 0).sum() == 4 * apart
