"""The level step: 64 positions a word, one bit for each square of the defending king.

For one slice, with the levels of `crossing` already in its bytes:

    prepare  what can occur
    start    level 0: mated, stalemated, and when exits fall due
    advance  level n of one attacking king: the attacker's positions won at n, those with a move to
             one lost at n-1; then the defender's lost at n, all of whose moves lead into won ones
    finish   what is left over

Words that differ only in the square of the last piece form a row of J = 64 words (J = 1 where there
is no piece but kings and pawns). A move of any other man takes a whole row to a whole row, so the
inner loops run over rows, and rows reached from no changed row are passed over. ``advance`` reads
what all kings lost at the previous level but writes only its own king's rows: kings can run in
parallel with one barrier a level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zermelo.jit import Int, borrow, kernel
from zermelo.tables.crossing import EMPTY, ONE, Cells, Men, Pass, mark, slide
from zermelo.tables.geometry import END, KING, neighbours, transform
from zermelo.tables.layout import ALL, Layout

Words = NDArray[np.uint64]


class Work(NamedTuple):
    """Scratch for one slice of R rows and K attacking kings.

    won:    uint64[R, J], attacker to move: won up to this level, or cannot occur.
    open:   uint64[R, J], defender to move: legal, not lost yet, not stalemate.
    barred: uint64[R, J], of those, lanes that still escape by an exit.
    lost:   uint64[2, R, J], newly lost at the even and the odd level of this and the last one, in
            rows marked by changed: uint8[2, R].
    fresh:  uint8[R], rows with positions won at this level.
    due:    uint8 or wider[2, R, J], the next level at which an exit of the attacker wins, and at
            which one of the defender fails.
    tally:  int64[2, K], changed rows of each king.
    last:   int64[K], the last level at which an exit of this king falls due.
    lanes, turned, gate: uint64[K, J], scratch of a row; gate is all ones between uses.
    """

    won: Words
    open: Words
    barred: Words
    lost: Words
    changed: NDArray[np.uint8]
    fresh: NDArray[np.uint8]
    due: Cells
    tally: NDArray[np.int64]
    last: NDArray[np.int64]
    lanes: Words
    turned: Words
    gate: Words


def workspace(lay: Layout, dtype: DTypeLike) -> Work:
    """Scratch for any slice of a layout."""
    width = 64 if len(lay.kinds) else 1
    rows, kings = lay.words // width, len(lay.king_squares)
    return Work(
        won=np.zeros((rows, width), np.uint64),
        open=np.zeros((rows, width), np.uint64),
        barred=np.zeros((rows, width), np.uint64),
        lost=np.zeros((2, rows, width), np.uint64),
        changed=np.zeros((2, rows), np.uint8),
        fresh=np.zeros(rows, np.uint8),
        due=np.zeros((2, rows, width), dtype),
        tally=np.zeros((2, kings), np.int64),
        last=np.zeros(kings, np.int64),
        lanes=np.zeros((kings, width), np.uint64),
        turned=np.zeros((kings, width), np.uint64),
        gate=np.full((kings, width), ALL),
    )


@kernel
def spread(digits: Int, k: int, fixed: np.uint64) -> np.uint64:
    """The squares of k pieces, the last digits of a number, and of fixed men; none if two meet."""
    squares = fixed
    for i in range(k):
        if squares == EMPTY:
            break
        bit = ONE << np.uint64((digits >> (6 * i)) & 63)
        if squares & bit:
            return EMPTY
        squares |= bit
    return squares


@kernel
def _fixed(make: Pass, base: Int, king: Int) -> np.uint64:
    """The squares of the attacking king and of the pawns of a slice, or none if two meet."""
    lay = make.lay
    squares = ONE << np.uint64(lay.king_squares[king])
    for pawn in lay.pawns[base // lay.words]:
        bit = ONE << np.uint64(pawn)
        if squares & bit:
            return EMPTY
        squares |= bit
    return squares


@kernel
def _next_due(cells: Cells, cell_row: Int, lanes: np.uint64, level: Int, none: Int) -> Int:
    """The least level above this one in some lanes of a row of cells; ``none`` if there is none."""
    least = np.int64(none)
    for j in range(64):
        found = np.int64(cells[cell_row, j])
        counts = (found > level) & (((lanes >> np.uint64(j)) & ONE) != EMPTY)
        least = min(least, found if counts else np.int64(none))
    return least


@kernel
def _at(cells: Cells, cell_row: Int, level: Int) -> np.uint64:
    """The lanes of a row of cells that hold a level."""
    lanes = EMPTY
    for j in range(64):
        lanes |= np.uint64(cells[cell_row, j] == level) << np.uint64(j)
    return lanes


@kernel
def prepare(make: Pass, work: Work, base: Int, king: Int) -> None:
    """What can occur: ``won`` becomes the attacker's impossible lanes, ``open`` the legal ones."""
    make, work = borrow(make), borrow(work)
    lay, geo = make.lay, make.geo
    k, attackers, kinds, rays = len(lay.kinds), lay.attackers, lay.kinds, geo.rays
    won, legal = work.won, work.open
    width = won.shape[1]
    origin = lay.king_squares[king]
    fixed = _fixed(make, base, king)
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
def _keep_stuck(
    rays: Cells,
    kinds: Men,
    attackers: int,
    won: Words,
    gate: Words,
    left: Words,
    row: Int,
    squares: np.uint64,
) -> None:
    """Drops from the lanes of a row those from which a move inside the slice leads out of ``won``.

    squares: those of all men of the row but the last piece; left: uint64[J], changed.
    """
    k, width = len(kinds), len(left)
    some = EMPTY
    for j in range(width):
        left[j] &= ~neighbours(~won[row, j])
        some |= left[j]
    for i in range(attackers, k - 1):
        shift = 6 * (k - 2 - i)
        origin = (row >> shift) & 63
        for direction in range(8):
            if some == EMPTY:
                return
            lanes = ALL
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                bit = ONE << np.uint64(square & 63)
                if square == END or squares & bit:
                    break
                there = row + ((np.int64(square) - origin) << shift)
                for j in range(width):
                    left[j] &= won[there, j] | ~(lanes & gate[j])
                # Further on this piece would jump the defending king, or the last piece.
                lanes &= ~bit
                gate[square] = EMPTY
            for step in range(8):
                square = rays[kinds[i], origin, direction, step]
                if square == END:
                    break
                gate[square] = ALL
        some = EMPTY
        for j in range(width):
            some |= left[j]
    if attackers < k and some:
        for j in range(width):
            for direction in range(8):
                lanes = left[j]
                for step in range(8):
                    square = rays[kinds[k - 1], j, direction, step]
                    bit = ONE << np.uint64(square & 63)
                    if square == END or squares & bit or lanes == EMPTY:
                        break
                    left[j] &= won[row, square] | ~lanes
                    lanes &= ~bit


@kernel
def start(make: Pass, work: Work, base: Int, king: Int) -> None:
    """Level 0: finds mates and stalemates, and when exits fall due."""
    make, work = borrow(make), borrow(work)
    lay, none, lost, win = make.lay, make.none, make.lost, make.win
    k, kinds, rays = len(lay.kinds), lay.kinds, make.geo.rays
    wons, opens, due = work.won, work.open, work.due
    width = wons.shape[1]
    stuck, gate = work.lanes[king], work.gate[king]
    fixed = _fixed(make, base, king)
    rows = lay.king_stride // width
    count, last = 0, np.int64(0)
    for row in range(king * rows, (king + 1) * rows):
        squares = spread(row, k - 1, fixed)
        for j in range(width):
            barred = opens[row, j] & ~_at(lost, base + row * width + j, 0)
            work.barred[row, j] = barred
            stuck[j] = opens[row, j] & ~barred
        if squares:
            _keep_stuck(rays, kinds, lay.attackers, wons, gate, stuck, row, squares)
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
            due[0, row, j] = _next_due(win, cell_row, ~won, 0, none) if highest else none
            due[1, row, j] = none
            if work.barred[row, j] & opens[row, j]:
                due[1, row, j] = _next_due(lost, cell_row, opens[row, j], 0, none)
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


@kernel
def _add_folded(
    maps: Cells, symmetry: Int, inverse: Int, lost: Words, there: Int, turned: Words, lanes: Words
) -> None:
    """Adds a row of another king, folded by a symmetry, to the lanes of a row."""
    width = len(lanes)
    for j in range(width):
        turned[j] = lost[there, maps[symmetry, j] if width > 1 else 0]
    # One symmetry after the other, so that each loop becomes vector instructions.
    for part in (1, 2, 4):
        if inverse & part:
            for j in range(width):
                turned[j] = transform(turned[j], part)
    for j in range(width):
        lanes[j] |= turned[j]


@kernel
def _win_rows(make: Pass, work: Work, base: Int, king: Int, level: Int) -> None:
    """Positions of one king that are won at a level."""
    geo, lay = make.geo, make.lay
    rays, maps, kinds = geo.rays, geo.maps, lay.kinds
    k, attackers = len(kinds), lay.attackers
    lost, changed = work.lost[(level - 1) & 1], work.changed[(level - 1) & 1]
    won, due, fresh = work.won, work.due[0], work.fresh
    width = won.shape[1]
    lanes, turned, gate = work.lanes[king], work.turned[king], work.gate[king]
    fixed = _fixed(make, base, king)
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
                path = ALL
                for step in range(8):
                    square = rays[kinds[i], origin, direction, step]
                    bit = ONE << np.uint64(square & 63)
                    if square == END or squares & bit:
                        break
                    there = row + ((np.int64(square) - origin) << shift)
                    if changed[there]:
                        hit = True
                        for j in range(width):
                            lanes[j] |= lost[there, j] & path & gate[j]
                    path &= ~bit
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
                    inverse = geo.inverse[symmetry]
                    _add_folded(maps, symmetry, inverse, lost, there, turned, lanes)
                else:
                    for j in range(width):
                        lanes[j] |= lost[there, j]
        if attackers == k and k > 0 and changed[row]:
            hit = True
            for j in range(width):
                unwon = ~won[row, j]
                for direction in range(8):
                    path = unwon
                    for step in range(8):
                        square = rays[kinds[k - 1], j, direction, step]
                        bit = ONE << np.uint64(square & 63)
                        if square == END or squares & bit or path == EMPTY:
                            break
                        lanes[j] |= lost[row, square] & path
                        path &= ~bit
        falling = False
        if exits_left:
            for j in range(width):
                falling |= due[row, j] == level
        if not hit and not falling:
            continue
        for j in range(width):
            cell_row = base + row * width + j
            if falling and due[row, j] == level:
                lanes[j] |= _at(make.win, cell_row, level)
                due[row, j] = _next_due(make.win, cell_row, ~won[row, j], level, make.none)
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
    fixed = _fixed(make, base, king)
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
                    barred[row, j] &= ~_at(make.lost, cell_row, level)
                    due[row, j] = _next_due(make.lost, cell_row, open_[row, j], level, make.none)
        if not doubtful:
            continue
        for j in range(width):
            left[j] = open_[row, j] & ~barred[row, j]
        _keep_stuck(rays, kinds, attackers, won, gate, left, row, squares)
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
def solve_slices(make: Pass, work: Work, first: Int, last: Int) -> None:
    """Solves slices first to last, each whole, their exits being known."""
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
            for king in range(kings):
                advance(make, work, base, king, level)
        for king in range(kings):
            finish(make, work, base, king)
