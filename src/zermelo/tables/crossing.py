"""Moves out of a slice: captures, promotions and pawn moves, all of which lead to finished values.

Before a slice is solved these moves are summed up, one byte a cell:

    win[cell]   attacker to move: the least level at which such a move wins, else ``none``
    lost[cell]  defender to move: the greatest level among its legal ones, 0 if there are none;
                until that level the defender has an escape

A position is lost at level n if it is mated in 2n plies, and won at level n if it mates in 2n-1.
In a finished ``win`` 0 marks a cell that cannot occur: a move to it is not legal. In a finished
``lost`` ``none - 1`` marks stalemate, which matters to double pushes: en passant may undo it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.jit import Int, borrow, kernel
from zermelo.tables.geometry import END, KING, Geometry
from zermelo.tables.layout import Layout, number, place, read, unplace

Cells = NDArray[Any]
Men = NDArray[np.uint8]

ONE = np.uint64(1)
EMPTY = np.uint64(0)


class Target(NamedTuple):
    """Where a kind of move leads: a layout, its cells, and which man stands for which.

    cells:  uint8[words, 64], ``lost`` for a move of the attacker, ``win`` for one of the defender.
    source: uint8[m], for each man there (without the defending king) its index here.
    first:  the word with which ``cells`` begin.
    """

    lay: Layout
    cells: Cells
    source: Men
    first: int = 0


class Pass(NamedTuple):
    """The half being made: its arrays and numbers.

    lost, win: [words, 64], see above, from word ``first`` on; none: the level that stands for
    "never"; men: scratch, uint8[3, men of the half], one for each thread; record: whether the
    solution writes levels into these arrays, or only reads them.
    """

    geo: Geometry
    lay: Layout
    lost: Cells
    win: Cells
    none: int
    men: Men
    first: int = 0
    record: bool = True


@kernel
def occupied(men: Men) -> np.uint64:
    """The squares of all men but the defending king, or none if two share a square."""
    squares = EMPTY
    for i in range(len(men) - 1):
        bit = ONE << np.uint64(men[i])
        if squares & bit:
            return EMPTY
        squares |= bit
    return squares


@kernel
def attacks_of(lay: Layout, man: Int) -> bool:
    """Whether a man is the attacker's."""
    k = len(lay.kinds)
    return bool(man <= lay.attackers or k < man <= k + lay.attacking_pawns)


@kernel
def slide(rays: Cells, kind: Int, origin: Int, squares: np.uint64) -> np.uint64:
    """The squares that a piece attacks, the defending king not in the way."""
    seen = EMPTY
    for direction in range(8):
        for step in range(8):
            square = rays[kind, origin, direction, step]
            if square == END:
                break
            bit = ONE << np.uint64(square)
            seen |= bit
            if squares & bit:
                break
    return seen


@kernel
def mark(cells: Cells, row: Int, lanes: np.uint64, level: Int) -> None:
    """Writes a level into some lanes of a row."""
    for j in range(64):
        # Written whether changed or not: without a branch this becomes a few vector instructions.
        cells[row, j] = level if (lanes >> np.uint64(j)) & ONE else cells[row, j]


@kernel
def _gain(old: Int, level: Int, by_attacker: bool, shut: bool, none: Int) -> Int:
    """What is better: the level known so far for the mover, or a move to one of this level."""
    if by_attacker:
        return level + 1 if (level < none - 1) & (level + 1 < old) & (not shut) else old
    return level if (level > old) & (not shut) else old


@kernel
def gains(
    known: Cells,
    word: Int,
    cells: Cells,
    row: Int,
    lanes: Cells,
    symmetry: Int,
    shut: np.uint64,
    by_attacker: bool,
    none: Int,
) -> None:
    """Takes the moves from a word to a row of cells into ``known``, but in shut lanes.

    known: ``win`` for moves of the attacker, else ``lost``; lanes: the maps of all symmetries.
    """
    if symmetry:
        for j in range(64):
            closed = ((shut >> np.uint64(j)) & ONE) != EMPTY
            level = cells[row, lanes[symmetry, j]]
            known[word, j] = _gain(known[word, j], level, by_attacker, closed, none)
    elif by_attacker:
        for j in range(64):
            closed = ((shut >> np.uint64(j)) & ONE) != EMPTY
            known[word, j] = _gain(known[word, j], cells[row, j], True, closed, none)
    else:
        for j in range(64):
            closed = ((shut >> np.uint64(j)) & ONE) != EMPTY
            known[word, j] = _gain(known[word, j], cells[row, j], False, closed, none)


@kernel
def _steps_left(lay: Layout, word: Int, pawn: Int, by_attacker: bool) -> Int:
    """How many single steps a pawn of a word can make, its promotion the last."""
    rank = np.int64(lay.pawns[word // lay.words, pawn - 1 - len(lay.kinds)]) >> 3
    return 7 - rank if by_attacker else rank


@kernel
def captures(make: Pass, first: Int, last: Int, victim: Int, promoting: Int, to: Target) -> None:
    """All captures of one man, in words first to last: those that promote one pawn, or the others.

    ``promoting`` is that pawn, or 0.
    """
    make, to = borrow(make), borrow(to)
    geo, lay, none, lost = make.geo, make.lay, make.none, make.lost
    rays, targets, between, maps = geo.rays, geo.targets, geo.between, geo.maps
    kinds, k, size = lay.kinds, len(lay.kinds), make.men.shape[1]
    men, there, source = make.men[0], make.men[1], to.source
    there_k, there_p = len(to.lay.kinds), to.lay.pawns.shape[1]
    by_attacker = not attacks_of(lay, victim)
    known = make.win if by_attacker else lost
    pawn_targets = geo.pawns[0 if by_attacker else 1]
    movers = make.men[2]
    count = 0
    for man in range(size):
        if attacks_of(lay, man) == by_attacker and (promoting == 0 or man == promoting):
            movers[count] = man
            count += 1
    for word in range(first, last):
        if promoting > 0 and _steps_left(lay, word, promoting, by_attacker) > 1:
            continue
        read(lay.king_squares, lay.pawns, lay.words, k, word, men)
        squares = occupied(men)
        if squares == EMPTY:
            continue
        own = word - make.first
        goal = men[victim]
        last_rank = goal < 8 or goal > 55
        for i in range(count):
            man = movers[i]
            origin = men[man]
            shut = EMPTY
            if man < size - 1:
                if man > k:
                    if last_rank != (promoting > 0):
                        continue
                    seen = pawn_targets[origin]
                else:
                    seen = targets[KING if man == 0 else kinds[man - 1], origin]
                    shut = between[origin, goal]
                if not (seen >> np.uint64(goal)) & ONE or shut & squares:
                    continue
            men[man] = goal
            for j in range(len(source)):
                there[j] = men[source[j]]
            men[man] = origin
            row, symmetry = number(
                maps,
                to.lay.king_index,
                to.lay.king_fold,
                to.lay.slice_of,
                to.lay.words,
                there_k,
                there_p,
                there,
            )
            if man < size - 1:
                gains(known, own, to.cells, row, maps, symmetry, shut, by_attacker, none)
                continue
            level = to.cells[row, maps[symmetry, goal]]
            for direction in range(8):
                lane = rays[KING, goal, direction, 0]
                if lane != END and level > lost[own, lane]:
                    lost[own, lane] = level


@kernel
def _target_word(geo: Geometry, to: Target, men: Men, there: Men) -> tuple[np.int64, np.int64]:
    """(word, symmetry) of men in a target's numbering; ``there`` is scratch."""
    for j in range(len(to.source)):
        there[j] = men[to.source[j]]
    return place(to.lay, geo.maps, there)


@kernel
def pushes(make: Pass, first: Int, last: Int, pawn: Int, promoting: bool, to: Target) -> None:
    """All single steps of one pawn, in words first to last: those that promote, or the others."""
    make, to = borrow(make), borrow(to)
    geo, lay = make.geo, make.lay
    men, there = make.men[0], make.men[1]
    by_attacker = attacks_of(lay, pawn)
    known = make.win if by_attacker else make.lost
    for word in range(first, last):
        if (_steps_left(lay, word, pawn, by_attacker) == 1) != promoting:
            continue
        read(lay.king_squares, lay.pawns, lay.words, len(lay.kinds), word, men)
        squares = occupied(men)
        goal = men[pawn] + 8 if by_attacker else men[pawn] - 8
        if squares == EMPTY or (squares >> np.uint64(goal)) & ONE:
            continue
        men[pawn] = goal
        row, symmetry = _target_word(geo, to, men, there)
        row -= to.first
        # The lane of the target square needs no shutting: there the target cannot occur.
        own = word - make.first
        gains(known, own, to.cells, row, geo.maps, symmetry, EMPTY, by_attacker, make.none)


@kernel
def with_passant(plain: Int, taken: Int, by_attacker: bool, none: Int) -> Int:
    """The level after a double push, from that without and that of the capture en passant.

    taken: of the captures that are legal the best for their side, or -1 if there is none.
    """
    if taken < 0 or (plain == none if by_attacker else plain == 0):
        return plain  # no capture, or the push itself is not legal or wins nothing
    if by_attacker:
        return taken if plain == none - 1 else max(plain, taken)
    return min(plain, taken + 1)


@kernel
def doubles(make: Pass, first: Int, last: Int, pawn: Int, to: Target, taken: Target) -> None:
    """All double steps of one pawn, in words first to last; ``taken`` is where en passant leads."""
    make, to, taken = borrow(make), borrow(to), borrow(taken)
    geo, lay, none = make.geo, make.lay, make.none
    k = len(lay.kinds)
    size = 2 + k + lay.pawns.shape[1]
    men, moved, there = make.men[0], make.men[1], make.men[2]
    by_attacker = attacks_of(lay, pawn)
    known = make.win if by_attacker else make.lost
    for word in range(first, last):
        if _steps_left(lay, word, pawn, by_attacker) != 6:
            continue
        unplace(lay, word, men)
        squares = occupied(men)
        own = word - make.first
        origin = np.int64(men[pawn])
        crossed = origin + 8 if by_attacker else origin - 8
        goal = 2 * crossed - origin
        blocks = (ONE << np.uint64(crossed)) | (ONE << np.uint64(goal))
        if squares == EMPTY or squares & blocks:
            continue
        men[pawn] = goal
        row, symmetry = _target_word(geo, to, men, there)
        row -= to.first
        row_left = row_right = np.int64(-1)
        turn_left = turn_right = np.int64(0)
        for man in range(1 + k, size - 1):
            beside = np.int64(men[man])
            if attacks_of(lay, man) == by_attacker or beside >> 3 != goal >> 3:
                continue
            if abs(beside - goal) == 1:
                moved[:] = men
                moved[man] = crossed
                if beside < goal:
                    row_left, turn_left = _target_word(geo, taken, moved, there)
                else:
                    row_right, turn_right = _target_word(geo, taken, moved, there)
        for j in range(64):
            if j == crossed:
                continue
            best = np.int64(-1)
            for found, turn in ((row_left, turn_left), (row_right, turn_right)):
                if found >= 0:
                    level = np.int64(taken.cells[found, geo.maps[turn, j]])
                    if by_attacker and level > 0:
                        best = max(best, level)
                    elif not by_attacker and level < none - 1 and (best < 0 or level < best):
                        best = level
            plain = np.int64(to.cells[row, geo.maps[symmetry, j]])
            after = with_passant(plain, best, by_attacker, none)
            known[own, j] = _gain(known[own, j], after, by_attacker, False, none)
