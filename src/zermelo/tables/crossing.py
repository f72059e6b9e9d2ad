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

from zermelo.jit import Int, kernel
from zermelo.tables.geometry import KING, Geometry
from zermelo.tables.layout import Layout, place, unplace

Cells = NDArray[Any]
Men = NDArray[np.uint8]

ONE = np.uint64(1)
EMPTY = np.uint64(0)


class Target(NamedTuple):
    """Where a kind of move leads: a layout, its cells, and which man stands for which.

    cells:  uint8[words, 64], ``lost`` for a move of the attacker, ``win`` for one of the defender.
    source: uint8[m], for each man there (without the defending king) its index here.
    """

    lay: Layout
    cells: Cells
    source: Men


class Pass(NamedTuple):
    """The half being made: its arrays and numbers.

    lost, win: [words, 64], see above; none: the level that stands for "never".
    """

    geo: Geometry
    lay: Layout
    lost: Cells
    win: Cells
    none: int


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
def reach(geo: Geometry, lay: Layout, men: Men, squares: np.uint64, man: Int) -> np.uint64:
    """The squares that a man attacks, the defending king not in the way."""
    k = len(lay.kinds)
    origin = men[man]
    if man > k and man < len(men) - 1:
        taken: np.uint64 = geo.pawns[0 if man <= k + lay.attacking_pawns else 1, origin]
        return taken
    kind = np.uint8(KING) if man == 0 or man > k else lay.kinds[man - 1]
    seen = EMPTY
    for direction in range(8):
        for step in range(8):
            square = geo.rays[kind, origin, direction, step]
            if square == 64:
                break
            bit = ONE << np.uint64(square)
            seen |= bit
            if squares & bit:
                break
    return seen


@kernel
def attacked(geo: Geometry, lay: Layout, men: Men, squares: np.uint64) -> np.uint64:
    """The squares that the attacker's men attack, the defending king transparent to none of them.

    A slider's ray runs over the other men only: where it passes the defending king's own lane, that
    king is the one attacked.
    """
    seen = EMPTY
    for man in range(len(men) - 1):
        if attacks_of(lay, man):
            seen |= reach(geo, lay, men, squares, man)
    return seen


@kernel
def mark(row: Cells, lanes: np.uint64, level: Int) -> None:
    """Writes a level into some lanes of a row."""
    for base in range(0, 64, 8):
        some = lanes >> np.uint64(base)
        if some & np.uint64(255):
            for j in range(8):
                if (some >> np.uint64(j)) & ONE:
                    row[base + j] = level


@kernel
def _sees(geo: Geometry, lay: Layout, men: Men, squares: np.uint64, man: Int, square: Int) -> bool:
    return bool((reach(geo, lay, men, squares, man) >> np.uint64(square)) & ONE)


@kernel
def target_word(geo: Geometry, target: Target, men: Men, there: Men) -> tuple[np.int64, np.int64]:
    """(word, symmetry) of men in a target's numbering; ``there`` is scratch."""
    for j in range(len(target.source)):
        there[j] = men[target.source[j]]
    return place(target.lay, geo.maps, there)


@kernel
def attacker_gains(
    row: Cells, there: Cells, lanes: Men, symmetry: Int, shut: np.uint64, none: Int
) -> None:
    """Takes the attacker's move to a row of ``lost`` into a row of ``win``, but in shut lanes."""
    for j in range(64):
        level = there[lanes[j]] if symmetry else there[j]
        if level < none - 1 and level + 1 < row[j] and not (shut >> np.uint64(j)) & ONE:
            row[j] = level + 1


@kernel
def _defender_gains(row: Cells, there: Cells, lanes: Men, symmetry: Int, shut: np.uint64) -> None:
    """Takes the defender's move to a row of ``win`` into a row of ``lost``, but in shut lanes."""
    for j in range(64):
        level = there[lanes[j]] if symmetry else there[j]
        if level > row[j] and not (shut >> np.uint64(j)) & ONE:
            row[j] = level


@kernel
def _king_takes(make: Pass, word: Int, square: Int, level: Int) -> None:
    """The defending king takes a man on a square, from wherever it can."""
    reached = make.geo.targets[KING, square]
    for lane in range(64):
        if (reached >> np.uint64(lane)) & ONE and level > make.lost[word, lane]:
            make.lost[word, lane] = level


@kernel
def captures(make: Pass, first: Int, last: Int, victim: Int, promoting: Int, to: Target) -> None:
    """All captures of one man, in words first to last: those that promote one pawn, or the others.

    ``promoting`` is that pawn, or 0.
    """
    geo, lay = make.geo, make.lay
    k = len(lay.kinds)
    size = 2 + k + lay.pawns.shape[1]
    men, after, there = np.empty(size, np.uint8), np.empty(size, np.uint8), np.empty(size, np.uint8)
    by_attacker = not attacks_of(lay, victim)
    for word in range(first, last):
        unplace(lay, word, men)
        squares = occupied(men)
        if squares == EMPTY:
            continue
        goal = men[victim]
        last_rank = goal < 8 or goal > 55
        for man in range(size):
            pawn = man > k and man < size - 1
            if attacks_of(lay, man) != by_attacker or (promoting > 0) != (pawn and last_rank):
                continue
            if promoting > 0 and man != promoting:
                continue
            if man < size - 1 and not _sees(geo, lay, men, squares, man, goal):
                continue
            after[:] = men
            after[man] = goal
            row, symmetry = target_word(geo, to, after, there)
            if man == size - 1:
                _king_takes(make, word, goal, to.cells[row, geo.maps[symmetry, goal]])
                continue
            shut = geo.between[men[man], goal]
            lanes = geo.maps[symmetry]
            if by_attacker:
                attacker_gains(make.win[word], to.cells[row], lanes, symmetry, shut, make.none)
            else:
                _defender_gains(make.lost[word], to.cells[row], lanes, symmetry, shut)


@kernel
def pushes(make: Pass, first: Int, last: Int, pawn: Int, promoting: bool, to: Target) -> None:
    """All single steps of one pawn, in words first to last: those that promote, or the others."""
    geo, lay = make.geo, make.lay
    size = 2 + len(lay.kinds) + lay.pawns.shape[1]
    men, there = np.empty(size, np.uint8), np.empty(size, np.uint8)
    by_attacker = attacks_of(lay, pawn)
    for word in range(first, last):
        unplace(lay, word, men)
        squares = occupied(men)
        goal = men[pawn] + 8 if by_attacker else men[pawn] - 8
        if squares == EMPTY or (goal < 8 or goal > 55) != promoting:
            continue
        if (squares >> np.uint64(goal)) & ONE:
            continue
        men[pawn] = goal
        row, symmetry = target_word(geo, to, men, there)
        lanes = geo.maps[symmetry]
        # The lane of the target square needs no shutting: there the target cannot occur.
        if by_attacker:
            attacker_gains(make.win[word], to.cells[row], lanes, symmetry, EMPTY, make.none)
        else:
            _defender_gains(make.lost[word], to.cells[row], lanes, symmetry, EMPTY)


@kernel
def _after_attackers_double(value: Cells, stored: Cells, none: Int) -> None:
    """Merges the values of en passant captures (or -1: none legal) into those of a double push.

    value: int64[64], the greatest level among legal captures; becomes the level of the position
    with the right to capture, as ``lost`` has it. stored: its row of ``lost``, in the same lanes.
    """
    for j in range(64):
        level = np.int64(stored[j])
        if value[j] < 0 or level == none:
            value[j] = level
        elif level < none - 1:
            value[j] = max(level, value[j])


@kernel
def doubles(make: Pass, first: Int, last: Int, pawn: Int, to: Target, taken: Target) -> None:
    """All double steps of one pawn, in words first to last; ``taken`` is where en passant leads."""
    geo, lay, none = make.geo, make.lay, make.none
    k = len(lay.kinds)
    size = 2 + k + lay.pawns.shape[1]
    men, after, there = np.empty(size, np.uint8), np.empty(size, np.uint8), np.empty(size, np.uint8)
    levels = np.empty(64, np.int64)
    plain = np.empty(64, np.int64)
    by_attacker = attacks_of(lay, pawn)
    for word in range(first, last):
        unplace(lay, word, men)
        squares = occupied(men)
        origin = np.int64(men[pawn])
        if squares == EMPTY or origin >> 3 != (1 if by_attacker else 6):
            continue
        crossed = origin + 8 if by_attacker else origin - 8
        goal = 2 * crossed - origin
        if squares & ((ONE << np.uint64(crossed)) | (ONE << np.uint64(goal))):
            continue
        shut = ONE << np.uint64(crossed)
        men[pawn] = goal
        row, symmetry = target_word(geo, to, men, there)
        for j in range(64):
            plain[j] = to.cells[row, geo.maps[symmetry, j]]
            levels[j] = -1
        for man in range(1 + k, size - 1):
            beside = np.int64(men[man])
            if attacks_of(lay, man) == by_attacker or abs(beside - goal) != 1:
                continue
            if beside >> 3 != goal >> 3:
                continue
            after[:] = men
            after[man] = crossed
            row, symmetry = target_word(geo, taken, after, there)
            for j in range(64):
                level = np.int64(taken.cells[row, geo.maps[symmetry, j]])
                if by_attacker and level > 0:
                    levels[j] = max(levels[j], level)
                elif not by_attacker and level < none - 1 and (levels[j] < 0 or level < levels[j]):
                    levels[j] = level
        if by_attacker:
            _after_attackers_double(levels, plain, none)
            attacker_gains(make.win[word], levels, geo.maps[0], 0, shut, none)
        else:
            for j in range(64):
                # A target that cannot occur (0) is no move; en passant shortens the attacker's win.
                if levels[j] >= 0 and plain[j] > levels[j] + 1:
                    plain[j] = levels[j] + 1
            _defender_gains(make.lost[word], plain, geo.maps[0], 0, shut)
