"""Level 0: what can occur, what is mate and stalemate, and when exits fall due."""

from __future__ import annotations

import numpy as np

from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import EMPTY, ONE, Pass, mark, slide
from zermelo.tables.geometry import KING
from zermelo.tables.layout import ALL
from zermelo.tables.work import Front, Work, fixed_squares, keep_stuck, lanes_at, next_due, spread


@kernel
def prepare(make: Pass, work: Work, base: Int) -> None:
    """What can occur: ``won`` becomes the attacker's impossible lanes, ``open`` the legal ones."""
    make, work = borrow(make), borrow(work)
    lay = make.lay
    width = work.won.shape[1]
    begin, end = work.first * width, (work.first + len(work.won)) * width
    for king in range(begin // lay.king_stride, (end - 1) // lay.king_stride + 1):
        first, last = king * lay.king_stride, (king + 1) * lay.king_stride
        _prepare_words(make, work, base, king, max(begin, first), min(end, last))


@kernel
def _prepare_words(make: Pass, work: Work, base: Int, king: Int, first: Int, last: Int) -> None:
    """Words first to last of a slice, all of one attacking king."""
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
    for word in range(first, last):
        row, j = word // width - work.first, word % width
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
def start(make: Pass, work: Work, after: Front, base: Int) -> np.int64:
    """Level 0: finds mates and stalemates, and when exits fall due.

    Returns the number of rows with mates, which stand in ``after``.
    """
    make, work, after = borrow(make), borrow(work), borrow(after)
    lay = make.lay
    width = work.won.shape[1]
    per_king = lay.king_stride // width
    begin, end = work.first, work.first + len(work.won)
    work.last[0] = 0
    work.latest[:] = 0
    count = np.int64(0)
    for king in range(begin // per_king, (end - 1) // per_king + 1):
        first, last = king * per_king, (king + 1) * per_king
        count += _start_rows(make, work, after, base, king, max(begin, first), min(end, last))
    return count


@kernel
def _start_rows(
    make: Pass, work: Work, after: Front, base: Int, king: Int, first: Int, last: Int
) -> np.int64:
    """Rows first to last of a slice, all of one attacking king."""
    lay, none, lost, win = make.lay, make.none, make.lost, make.win
    k, kinds, rays = len(lay.kinds), lay.kinds, make.geo.rays
    wons, opens, due = work.won, work.open, work.due
    width = wons.shape[1]
    stuck, gate = work.lanes, work.gate
    fixed = fixed_squares(make, base, king)
    count, latest = np.int64(0), np.int64(work.last[0])
    for row in range(first, last):
        own = row - work.first
        squares = spread(row, k - 1, fixed)
        for j in range(width):
            cell_row = base - make.first + row * width + j
            barred = opens[own, j] & ~lanes_at(lost, cell_row, 0)
            work.barred[own, j] = barred
            stuck[j] = opens[own, j] & ~barred
        if squares:
            keep_stuck(rays, kinds, lay.attackers, wons, gate, stuck, row, work.first, squares)
        mated = EMPTY
        for j in range(width):
            cell_row = base - make.first + row * width + j
            won = wons[own, j]
            if make.record:
                mark(win, cell_row, won, 0)
                mark(lost, cell_row, ~opens[own, j], none)
            mark(lost, cell_row, stuck[j] & ~won, none - 1)
            opens[own, j] &= ~stuck[j]
            after.rows[own, j] = stuck[j] & won
            mated |= stuck[j] & won
            highest = np.int64(0)
            for lane in range(64):
                level = np.int64(win[cell_row, lane])
                highest = max(highest, level if level < none else np.int64(0))
            due[0, own, j] = next_due(win, cell_row, ~won, 0, none) if highest else none
            due[1, own, j] = none
            if work.barred[own, j] & opens[own, j]:
                due[1, own, j] = next_due(lost, cell_row, opens[own, j], 0, none)
                for lane in range(64):
                    level = np.int64(lost[cell_row, lane])
                    highest = max(highest, level if level < none - 1 else np.int64(0))
            latest = max(latest, highest)
        work.fresh[own] = 0
        after.changed[own] = mated != EMPTY
        count += np.int64(mated != EMPTY)
    work.last[0] = latest
    return count
