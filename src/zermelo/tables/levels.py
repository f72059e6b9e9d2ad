"""The level step: 64 positions a word, one bit for each square of the defending king.

A slice is cut into **blocks** of rows: all of it, those of one attacking king, or those of one
attacking king and some squares of the attacker's first piece. With the levels of `crossing` already
in the bytes of a block and level 0 found by `start`:

    advance  level n: the attacker's positions won at n, those with a move to one lost at n-1; then
             the defender's lost at n, all of whose moves lead into won ones
    finish   what is left over

A step reads what other blocks lost at the level before and writes only its own rows: blocks can be
done in any order, by any thread or machine, with one barrier a level. Rows that are reached from no
changed row are passed over.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import DIAGONAL, LEFT_RIGHT, TOP_BOTTOM, inverse, map_word
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Pass, mark
from zermelo.tables.geometry import END, KING
from zermelo.tables.layout import ALL, canonical
from zermelo.tables.start import prepare, start
from zermelo.tables.work import (
    Front,
    Near,
    Words,
    Work,
    fixed_squares,
    keep_stuck,
    lanes_at,
    next_due,
    place_near,
    spread,
)


@kernel
def _add_folded(
    maps: Cells, symmetry: Int, rows: Words, at: Int, turned: Words, lanes: Words
) -> None:
    """Adds a row of another king, folded by a symmetry, to the lanes of a row."""
    width = len(lanes)
    for j in range(width):
        turned[j] = rows[at, maps[symmetry, j] if width > 1 else 0]
    # One symmetry after the other, so that each loop becomes vector instructions.
    back = inverse(np.uint64(symmetry))
    for part in (LEFT_RIGHT, TOP_BOTTOM, DIAGONAL):
        if back & part:
            for j in range(width):
                turned[j] = map_word(part, turned[j])
    for j in range(width):
        lanes[j] |= turned[j]


@kernel
def _king_moves(make: Pass, near: Near, king: Int, row: Int, turned: Words, lanes: Words) -> bool:
    """Adds to the lanes of a row those from which the attacking king moves into ``near``."""
    lay, maps = make.lay, make.geo.maps
    k, hit = len(lay.kinds), False
    for step in range(8):
        square = make.geo.rays[KING, lay.king_squares[king], step, 0]
        if square == END:
            continue
        symmetry = lay.king_fold[square]
        there = np.int64(lay.king_index[maps[symmetry, square]])
        for shift in range(6 * (k - 2), -1, -6):
            there = there << 6 | np.int64(maps[symmetry, (row >> shift) & 63])
        at = place_near(near, there)
        if at >= 0 and near.changed[at]:
            hit = True
            if symmetry:
                _add_folded(maps, symmetry, near.rows, at, turned, lanes)
            else:
                for j in range(len(lanes)):
                    lanes[j] |= near.rows[at, j]
    return hit


@kernel
def _piece_moves(
    make: Pass, near: Near, row: Int, squares: np.uint64, gate: Words, lanes: Words
) -> bool:
    """The same of the attacker's pieces but the last one of the row.

    The defending king needs no mask where it would stand in the way of a ray: it would be in check
    with the attacker to move, so those lanes have been in ``won`` from the start.
    """
    lay, rays, kinds = make.lay, make.geo.rays, make.lay.kinds
    k, hit = len(kinds), False
    for i in range(min(lay.attackers, k - 1)):
        shift = 6 * (k - 2 - i)
        origin = (row >> shift) & 63
        for direction in range(8):
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                if square == END or (squares >> np.uint64(square)) & ONE:
                    break
                at = place_near(near, row + ((np.int64(square) - origin) << shift))
                if at >= 0 and near.changed[at]:
                    hit = True
                    for j in range(len(lanes)):
                        lanes[j] |= near.rows[at, j] & gate[j]
                gate[square] = EMPTY
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                if square == END:
                    break
                gate[square] = ALL
    return hit


@kernel
def _last_piece_moves(
    make: Pass, near: Near, row: Int, won: Words, own: Int, squares: np.uint64, lanes: Words
) -> bool:
    """The same of the last piece, if it is the attacker's: its moves stay in the row."""
    rays, kind = make.geo.rays, make.lay.kinds[len(make.lay.kinds) - 1]
    at = place_near(near, row)
    if at < 0 or not near.changed[at]:
        return False
    for j in range(len(lanes)):
        if won[own, j] == ALL:
            continue
        for direction in range(8):
            for step in range(8):
                square = rays[kind, j, direction, step]
                if square == END or (squares >> np.uint64(square)) & ONE:
                    break
                lanes[j] |= near.rows[at, square]
    return True


@kernel
def _note_latest(make: Pass, work: Work, word: Int, found: np.uint64, level: Int) -> None:
    """Notes the first canonical cell that is won at a level, unless one is noted already."""
    if work.latest[0] < level:
        found &= canonical(make.lay, make.geo.maps, word, work.men)
        for lane in range(64):
            if (found >> np.uint64(lane)) & ONE:
                work.latest[0], work.latest[1] = level, np.int64(word) * 64 + lane
                break


@kernel
def _win_rows(
    make: Pass, work: Work, near: Near, base: Int, king: Int, first: Int, last: Int, level: Int
) -> None:
    """Positions in rows first to last, of one attacking king, that are won at a level."""
    lay = make.lay
    k, attackers = len(lay.kinds), lay.attackers
    won, due, fresh = work.won, work.due[0], work.fresh
    width = won.shape[1]
    lanes, turned, gate = work.lanes, work.turned, work.gate
    fixed = fixed_squares(make, base, king)
    exits_left = level <= work.last[0]
    for row in range(first, last):
        own = row - work.first
        fresh[own] = 0
        unwon = EMPTY
        for j in range(width):
            unwon |= ~won[own, j]
            lanes[j] = EMPTY
        if unwon == EMPTY:
            continue
        squares = spread(row, k - 1, fixed)
        hit = _piece_moves(make, near, row, squares, gate, lanes)
        hit |= _king_moves(make, near, king, row, turned, lanes)
        if attackers == k and k > 0:
            hit |= _last_piece_moves(make, near, row, won, own, squares, lanes)
        falling = False
        if exits_left:
            for j in range(width):
                falling |= due[own, j] == level
        if not hit and not falling:
            continue
        for j in range(width):
            cell_row = base - make.first + row * width + j
            if falling and due[own, j] == level:
                lanes[j] |= lanes_at(make.win, cell_row, level)
                due[own, j] = next_due(make.win, cell_row, ~won[own, j], level, make.none)
            found = lanes[j] & ~won[own, j]
            if found:
                fresh[own] = 1
                won[own, j] |= found
                if make.record:
                    mark(make.win, cell_row, found, level)
                else:
                    _note_latest(make, work, base + row * width + j, found, level)


@kernel
def _lose_rows(
    make: Pass, work: Work, after: Front, base: Int, king: Int, first: Int, last: Int, level: Int
) -> np.int64:
    """Positions in rows first to last, of one attacking king, that are lost at a level."""
    lay, rays, kinds = make.lay, make.geo.rays, make.lay.kinds
    k, attackers = len(kinds), lay.attackers
    lost, changed = after.rows, after.changed
    won, open_, barred, due, fresh = work.won, work.open, work.barred, work.due[1], work.fresh
    width = won.shape[1]
    left, gate = work.lanes, work.gate
    fixed = fixed_squares(make, base, king)
    exits_left = level <= work.last[0]
    count = np.int64(0)
    for row in range(first, last):
        own = row - work.first
        changed[own] = 0
        squares = spread(row, k - 1, fixed)
        if squares == EMPTY:
            continue
        doubtful = fresh[own] != 0
        for i in range(attackers, k - 1):
            shift = 6 * (k - 2 - i)
            origin = (row >> shift) & 63
            for direction in range(8):
                for step in range(8):
                    square = rays[kinds[i], origin, direction, step]
                    if square == END or (squares >> np.uint64(square)) & ONE:
                        break
                    doubtful |= fresh[own + ((np.int64(square) - origin) << shift)] != 0
        if exits_left:
            for j in range(width):
                if due[own, j] == level:
                    cell_row = base - make.first + row * width + j
                    doubtful = True
                    barred[own, j] &= ~lanes_at(make.lost, cell_row, level)
                    due[own, j] = next_due(make.lost, cell_row, open_[own, j], level, make.none)
        if not doubtful:
            continue
        for j in range(width):
            left[j] = open_[own, j] & ~barred[own, j]
        keep_stuck(rays, kinds, attackers, won, gate, left, row, work.first, squares)
        some = EMPTY
        for j in range(width):
            some |= left[j]
        if some == EMPTY:
            continue
        changed[own] = 1
        count += np.int64(1)
        for j in range(width):
            lost[own, j] = left[j]
            open_[own, j] &= ~left[j]
            if make.record:
                mark(make.lost, base - make.first + row * width + j, left[j], level)
    return count


@kernel
def advance(make: Pass, work: Work, near: Near, after: Front, base: Int, level: Int) -> np.int64:
    """One level of one block; returns how many of its rows have newly lost positions."""
    make, work, near, after = borrow(make), borrow(work), borrow(near), borrow(after)
    per_king = make.lay.king_stride // work.won.shape[1]
    begin, end = work.first, work.first + len(work.won)
    count = np.int64(0)
    for king in range(begin // per_king, (end - 1) // per_king + 1):
        first, last = max(begin, king * per_king), min(end, (king + 1) * per_king)
        _win_rows(make, work, near, base, king, first, last, level)
        count += _lose_rows(make, work, after, base, king, first, last, level)
    return count


@kernel
def finish(make: Pass, work: Work, base: Int) -> None:
    """What is still open at the end is never lost."""
    make, work = borrow(make), borrow(work)
    width = work.open.shape[1]
    for own in range(len(work.open)):
        for j in range(width):
            cell_row = base - make.first + (work.first + own) * width + j
            mark(make.lost, cell_row, work.open[own, j], make.none)


@kernel
def solve_slices(make: Pass, work: Work, before: Near, after: Near, first: Int, last: Int) -> bool:
    """Solves slices first to last, each whole and in one block, their exits being known.

    before, after: room for what is newly lost at one level and at the next. Returns whether the
    levels fitted into the numbers below ``none - 1``.
    """
    make, work, before, after = borrow(make), borrow(work), borrow(before), borrow(after)
    for number in range(first, last):
        base = number * make.lay.words
        prepare(make, work, base)
        count = start(make, work, Front(before.rows, before.changed), base)
        level = 0
        while count > 0 or level < work.last[0]:
            level += 1
            if level >= make.none - 1:
                return False
            count = advance(make, work, before, Front(after.rows, after.changed), base, level)
            before, after = after, before
        finish(make, work, base)
    return True
