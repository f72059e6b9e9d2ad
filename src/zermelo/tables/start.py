"""Level 0: what can occur, what is mate and stalemate, and when exits fall due."""

from __future__ import annotations

import numpy as np

from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import EMPTY, ONE, Pass, mark, slide
from zermelo.tables.geometry import KING
from zermelo.tables.layout import ALL
from zermelo.tables.work import Work, fixed_squares, keep_stuck, lanes_at, next_due, spread


@kernel
def prepare(make: Pass, work: Work, base: Int, king: Int) -> None:
    """What can occur: ``won`` becomes the attacker's impossible lanes, ``open`` the legal ones."""
    make, work = borrow(make), borrow(work)
    lay, geo = make.lay, make.geo
    k, attackers, kinds, rays = len(lay.kinds), lay.attackers, lay.kinds, geo.rays
    won, legal = work.won, work.open
    width = won.shape[1]
    origin = lay.king_squares[king]
    fixed = fixed_squares(make, base, king)
    near = geo.targets[KING, origin]
    # What king and pawns attack is the same in all words of a king.
    steady, checked = near, False
    for i in range(lay.pawns.shape[1]):
        pawn = lay.pawns[base // lay.words, i]
        if i < lay.attacking_pawns:
            steady |= geo.pawns[0, pawn]
        elif (geo.pawns[1, pawn] >> np.uint64(origin)) & ONE:
            checked = True
    for word in range(king * lay.king_stride, (king + 1) * lay.king_stride):
        row, j = word // width, word % width
        squares = spread(word, k, fixed)
        if squares == EMPTY:
            won[row, j], legal[row, j] = ALL, EMPTY
            continue
        seen, free = steady, EMPTY if checked else ~(squares | near)
        for i in range(k):
            square = (word >> (6 * (k - 1 - i))) & 63
            if i < attackers:
                seen |= slide(rays, kinds[i], square, squares)
            elif (geo.targets[kinds[i], square] >> np.uint64(origin)) & ONE:
                between = geo.between[square, origin]
                if not between & squares:
                    # A check, unless the defending king itself stands between.
                    free &= between
        won[row, j], legal[row, j] = squares | seen, free


@kernel
def start(make: Pass, work: Work, base: Int, king: Int) -> None:
    """Level 0: finds mates and stalemates, and when exits fall due."""
    make, work = borrow(make), borrow(work)
    lay, none, lost, win = make.lay, make.none, make.lost, make.win
    k, kinds, rays = len(lay.kinds), lay.kinds, make.geo.rays
    wons, opens, due = work.won, work.open, work.due
    width = wons.shape[1]
    stuck, gate = work.lanes[king], work.gate[king]
    fixed = fixed_squares(make, base, king)
    rows = lay.king_stride // width
    count, last = 0, np.int64(0)
    for row in range(king * rows, (king + 1) * rows):
        squares = spread(row, k - 1, fixed)
        for j in range(width):
            barred = opens[row, j] & ~lanes_at(lost, base + row * width + j, 0)
            work.barred[row, j] = barred
            stuck[j] = opens[row, j] & ~barred
        if squares:
            keep_stuck(rays, kinds, lay.attackers, wons, gate, stuck, row, squares)
        mated = EMPTY
        for j in range(width):
            cell_row = base + row * width + j
            won = wons[row, j]
            mark(win, cell_row, won, 0)
            mark(lost, cell_row, ~opens[row, j], none)
            mark(lost, cell_row, stuck[j] & ~won, none - 1)
            opens[row, j] &= ~stuck[j]
            work.lost[0, row, j] = stuck[j] & won
            mated |= stuck[j] & won
            highest = np.int64(0)
            for lane in range(64):
                level = np.int64(win[cell_row, lane])
                highest = max(highest, level if level < none else np.int64(0))
            due[0, row, j] = next_due(win, cell_row, ~won, 0, none) if highest else none
            due[1, row, j] = none
            if work.barred[row, j] & opens[row, j]:
                due[1, row, j] = next_due(lost, cell_row, opens[row, j], 0, none)
                for lane in range(64):
                    level = np.int64(lost[cell_row, lane])
                    highest = max(highest, level if level < none - 1 else np.int64(0))
            last = max(last, highest)
        work.fresh[row] = 0
        work.changed[0, row] = mated != EMPTY
        work.changed[1, row] = 0
        count += mated != EMPTY
    work.last[king] = last
    work.tally[0, king] = count
    work.tally[1, king] = 0
