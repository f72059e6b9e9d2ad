"""The level step: 64 positions a word, one bit for each square of the defending king.

For one slice, with the levels of `crossing` already in its bytes and level 0 found by `start`:

    advance  level n of one attacking king: the attacker's positions won at n, those with a move to
             one lost at n-1; then the defender's lost at n, all of whose moves lead into won ones
    finish   what is left over

Rows of words that are reached from no changed row are passed over. ``advance`` reads what all kings
lost at the previous level but writes only its own king's rows: kings can run in parallel with one
barrier a level.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import DIAGONAL, LEFT_RIGHT, TOP_BOTTOM, inverse, map_word
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Pass, mark
from zermelo.tables.geometry import END, KING
from zermelo.tables.layout import ALL
from zermelo.tables.start import prepare, start
from zermelo.tables.work import (
    Words,
    Work,
    fixed_squares,
    keep_stuck,
    lanes_at,
    next_due,
    spread,
)


@kernel
def _add_folded(
    maps: Cells, symmetry: Int, lost: Words, there: Int, turned: Words, lanes: Words
) -> None:
    """Adds a row of another king, folded by a symmetry, to the lanes of a row."""
    width = len(lanes)
    for j in range(width):
        turned[j] = lost[there, maps[symmetry, j] if width > 1 else 0]
    # One symmetry after the other, so that each loop becomes vector instructions.
    back = inverse(np.uint64(symmetry))
    for part in (LEFT_RIGHT, TOP_BOTTOM, DIAGONAL):
        if back & part:
            for j in range(width):
                turned[j] = map_word(part, turned[j])
    for j in range(width):
        lanes[j] |= turned[j]


@kernel
def _win_rows(make: Pass, work: Work, base: Int, king: Int, level: Int) -> None:
    """Positions of one king that are won at a level.

    The defending king needs no mask where it would stand in the way of a ray: it would be in check
    with the attacker to move, so those lanes have been in ``won`` from the start.
    """
    geo, lay = make.geo, make.lay
    rays, maps, kinds = geo.rays, geo.maps, lay.kinds
    k, attackers = len(kinds), lay.attackers
    lost, changed = work.lost[(level - 1) & 1], work.changed[(level - 1) & 1]
    won, due, fresh = work.won, work.due[0], work.fresh
    width = won.shape[1]
    lanes, turned, gate = work.lanes[king], work.turned[king], work.gate[king]
    fixed = fixed_squares(make, base, king)
    rows = lay.king_stride // width
    exits_left = level <= work.last[king]
    for row in range(king * rows, (king + 1) * rows):
        fresh[row] = 0
        unwon = EMPTY
        for j in range(width):
            unwon |= ~won[row, j]
            lanes[j] = EMPTY
        if unwon == EMPTY:
            continue
        squares = spread(row, k - 1, fixed)
        hit = False
        for i in range(min(attackers, k - 1)):
            shift = 6 * (k - 2 - i)
            origin = (row >> shift) & 63
            for direction in range(8):
                for step in range(8):
                    square = rays[kinds[i], origin, direction, step]
                    if square == END or (squares >> np.uint64(square)) & ONE:
                        break
                    there = row + ((np.int64(square) - origin) << shift)
                    if changed[there]:
                        hit = True
                        for j in range(width):
                            lanes[j] |= lost[there, j] & gate[j]
                    gate[square] = EMPTY
                for step in range(8):
                    square = rays[kinds[i], origin, direction, step]
                    if square == END:
                        break
                    gate[square] = ALL
        for step in range(8):
            square = rays[KING, lay.king_squares[king], step, 0]
            if square == END:
                continue
            symmetry = lay.king_fold[square]
            there = np.int64(lay.king_index[maps[symmetry, square]])
            for shift in range(6 * (k - 2), -1, -6):
                there = there << 6 | np.int64(maps[symmetry, (row >> shift) & 63])
            if changed[there]:
                hit = True
                if symmetry:
                    _add_folded(maps, symmetry, lost, there, turned, lanes)
                else:
                    for j in range(width):
                        lanes[j] |= lost[there, j]
        if attackers == k and k > 0 and changed[row]:
            hit = True
            for j in range(width):
                if won[row, j] == ALL:
                    continue
                for direction in range(8):
                    for step in range(8):
                        square = rays[kinds[k - 1], j, direction, step]
                        if square == END or (squares >> np.uint64(square)) & ONE:
                            break
                        lanes[j] |= lost[row, square]
        falling = False
        if exits_left:
            for j in range(width):
                falling |= due[row, j] == level
        if not hit and not falling:
            continue
        for j in range(width):
            cell_row = base + row * width + j
            if falling and due[row, j] == level:
                lanes[j] |= lanes_at(make.win, cell_row, level)
                due[row, j] = next_due(make.win, cell_row, ~won[row, j], level, make.none)
            found = lanes[j] & ~won[row, j]
            if found:
                fresh[row] = 1
                won[row, j] |= found
                mark(make.win, cell_row, found, level)


@kernel
def _lose_rows(make: Pass, work: Work, base: Int, king: Int, level: Int) -> None:
    """Positions of one king that are lost at a level."""
    lay, rays, kinds = make.lay, make.geo.rays, make.lay.kinds
    k, attackers = len(kinds), lay.attackers
    lost, changed = work.lost[level & 1], work.changed[level & 1]
    won, open_, barred, due, fresh = work.won, work.open, work.barred, work.due[1], work.fresh
    width = won.shape[1]
    left, gate = work.lanes[king], work.gate[king]
    fixed = fixed_squares(make, base, king)
    rows = lay.king_stride // width
    exits_left = level <= work.last[king]
    count = 0
    for row in range(king * rows, (king + 1) * rows):
        changed[row] = 0
        squares = spread(row, k - 1, fixed)
        if squares == EMPTY:
            continue
        doubtful = fresh[row] != 0
        for i in range(attackers, k - 1):
            shift = 6 * (k - 2 - i)
            origin = (row >> shift) & 63
            for direction in range(8):
                for step in range(8):
                    square = rays[kinds[i], origin, direction, step]
                    if square == END or (squares >> np.uint64(square)) & ONE:
                        break
                    doubtful |= fresh[row + ((np.int64(square) - origin) << shift)] != 0
        if exits_left:
            for j in range(width):
                if due[row, j] == level:
                    cell_row = base + row * width + j
                    doubtful = True
                    barred[row, j] &= ~lanes_at(make.lost, cell_row, level)
                    due[row, j] = next_due(make.lost, cell_row, open_[row, j], level, make.none)
        if not doubtful:
            continue
        for j in range(width):
            left[j] = open_[row, j] & ~barred[row, j]
        keep_stuck(rays, kinds, attackers, won, gate, left, row, squares)
        some = EMPTY
        for j in range(width):
            some |= left[j]
        if some == EMPTY:
            continue
        changed[row] = 1
        count += 1
        for j in range(width):
            lost[row, j] = left[j]
            open_[row, j] &= ~left[j]
            mark(make.lost, base + row * width + j, left[j], level)
    work.tally[level & 1, king] = count


@kernel
def advance(make: Pass, work: Work, base: Int, king: Int, level: Int) -> None:
    """One level of one attacking king."""
    make, work = borrow(make), borrow(work)
    _win_rows(make, work, base, king, level)
    _lose_rows(make, work, base, king, level)


@kernel
def finish(make: Pass, work: Work, base: Int, king: Int) -> None:
    """What is still open at the end is never lost."""
    make, work = borrow(make), borrow(work)
    width = work.open.shape[1]
    rows = make.lay.king_stride // width
    for row in range(king * rows, (king + 1) * rows):
        for j in range(width):
            mark(make.lost, base + row * width + j, work.open[row, j], make.none)


@kernel
def solve_slices(make: Pass, work: Work, first: Int, last: Int) -> bool:
    """Solves slices first to last, each whole, their exits being known.

    Returns whether the levels fitted into the numbers below ``none - 1``.
    """
    make, work = borrow(make), borrow(work)
    kings = len(make.lay.king_squares)
    for number in range(first, last):
        base = number * make.lay.words
        for king in range(kings):
            prepare(make, work, base, king)
        for king in range(kings):
            start(make, work, base, king)
        level = 0
        while work.tally[level & 1].sum() > 0 or level < work.last.max():
            level += 1
            if level >= make.none - 1:
                return False
            for king in range(kings):
                advance(make, work, base, king, level)
        for king in range(kings):
            finish(make, work, base, king)
    return True
