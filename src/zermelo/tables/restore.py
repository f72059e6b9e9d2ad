"""From what a file keeps back to whole arrays: twins filled in, the attacker's wins computed."""

from __future__ import annotations

import numpy as np

from zermelo.jit import Int, kernel
from zermelo.tables.crossing import (
    EMPTY,
    ONE,
    Pass,
    attacked,
    attacker_gains,
    mark,
    occupied,
)
from zermelo.tables.geometry import KING
from zermelo.tables.layout import ALL, canonical, locate, place, unplace


@kernel
def complete(make: Pass, first: Int, last: Int) -> None:
    """Copies each canonical cell of ``lost`` to its twins, in words first to last."""
    geo, lay = make.geo, make.lay
    size = 2 + len(lay.kinds) + lay.pawns.shape[1]
    men, twin = np.empty(size, np.uint8), np.empty(size, np.uint8)
    for word in range(first, last):
        lanes = canonical(lay, geo.maps, word, men)
        if lanes == ALL:
            continue
        unplace(lay, word, men)
        if occupied(men) == EMPTY:
            make.lost[word, :] = make.none
            continue
        for lane in range(64):
            if not (lanes >> np.uint64(lane)) & ONE:
                twin[:] = men
                twin[-1] = lane
                cell = locate(lay, geo.maps, twin)
                make.lost[word, lane] = make.lost[cell >> 6, cell & 63]


@kernel
def wins_inside(make: Pass, first: Int, last: Int) -> None:
    """Writes ``win`` from ``lost``, for moves inside a slice only, in words first to last."""
    geo, lay, none = make.geo, make.lay, make.none
    size = 2 + len(lay.kinds) + lay.pawns.shape[1]
    men, after = np.empty(size, np.uint8), np.empty(size, np.uint8)
    for word in range(first, last):
        unplace(lay, word, men)
        squares = occupied(men)
        row = make.win[word]
        if squares == EMPTY:
            row[:] = 0
            continue
        row[:] = none
        for man in range(1 + lay.attackers):
            origin = men[man]
            kind = np.uint8(KING) if man == 0 else lay.kinds[man - 1]
            after[:] = men
            for direction in range(8):
                shut = EMPTY
                for step in range(8):
                    square = geo.rays[kind, origin, direction, step]
                    if square == 64 or (squares >> np.uint64(square)) & ONE:
                        break
                    after[man] = square
                    to, symmetry = place(lay, geo.maps, after)
                    lanes = geo.maps[symmetry]
                    attacker_gains(row, make.lost[to], lanes, symmetry, shut, none)
                    shut |= ONE << np.uint64(square)
        mark(row, squares | attacked(geo, lay, men, squares), 0)
