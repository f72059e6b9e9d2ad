"""From what a file keeps back to whole arrays: twins filled in, the attacker's wins computed."""

from __future__ import annotations

import numpy as np

from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import (
    EMPTY,
    ONE,
    Men,
    Pass,
    gains,
    mark,
    occupied,
    slide,
)
from zermelo.tables.geometry import KING, Geometry
from zermelo.tables.layout import ALL, Layout, canonical, locate, place, unplace


@kernel
def sheltered(geo: Geometry, lay: Layout, men: Men) -> np.uint64:
    """The lanes of a word that can occur with the defender to move.

    Nobody stands on another, and the attacking king is in no check: no man attacks it, or the
    defending king itself stands between.
    """
    squares = occupied(men)
    if squares == EMPTY:
        return EMPTY
    king, k = men[0], len(lay.kinds)
    at = ONE << np.uint64(king)
    lanes: np.uint64 = ~(squares | geo.targets[KING, king])
    for man in range(1 + lay.attackers, 1 + k):
        if slide(geo.rays, lay.kinds[man - 1], men[man], squares) & at:
            lanes &= geo.between[men[man], king]
    for man in range(1 + k + lay.attacking_pawns, len(men) - 1):
        if geo.pawns[1, men[man]] & at:
            lanes = EMPTY
    return lanes


@kernel
def complete(make: Pass, first: Int, last: Int) -> None:
    """Copies each canonical cell of ``lost`` to its twins, in words first to last.

    What cannot occur becomes ``none``: files hold anything there.
    """
    make = borrow(make)
    geo, lay = make.geo, make.lay
    men, twin = make.men[0], make.men[1]
    for word in range(first, last):
        lanes = canonical(lay, geo.maps, word, men)
        unplace(lay, word, men)
        possible = sheltered(geo, lay, men)
        if lanes != ALL and possible != EMPTY:
            for lane in range(64):
                if not (lanes >> np.uint64(lane)) & ONE:
                    twin[:] = men
                    twin[-1] = lane
                    cell = locate(lay, geo.maps, twin)
                    make.lost[word, lane] = make.lost[cell >> 6, cell & 63]
        mark(make.lost, word, ~possible, make.none)


@kernel
def wins_inside(make: Pass, first: Int, last: Int) -> None:
    """Writes ``win`` from ``lost``, for moves inside a slice only, in words first to last."""
    make = borrow(make)
    geo, lay, none = make.geo, make.lay, make.none
    k = len(lay.kinds)
    men, after = make.men[0], make.men[1]
    for word in range(first, last):
        unplace(lay, word, men)
        squares = occupied(men)
        if squares == EMPTY:
            mark(make.win, word, ALL, 0)
            continue
        mark(make.win, word, ALL, none)
        impossible = squares
        for pawn in range(lay.attacking_pawns):
            impossible |= geo.pawns[0, men[1 + k + pawn]]
        for man in range(1 + lay.attackers):
            origin = men[man]
            kind: Int = KING if man == 0 else np.int64(lay.kinds[man - 1])
            impossible |= slide(geo.rays, kind, origin, squares)
            after[:] = men
            for direction in range(8):
                shut = EMPTY
                for step in range(8):
                    square = geo.rays[kind, origin, direction, step]
                    if square == 64 or (squares >> np.uint64(square)) & ONE:
                        break
                    after[man] = square
                    to, symmetry = place(lay, geo.maps, after)
                    gains(make.win, word, make.lost, to, geo.maps, symmetry, shut, True, none)
                    shut |= ONE << np.uint64(square)
        mark(make.win, word, impossible, 0)
