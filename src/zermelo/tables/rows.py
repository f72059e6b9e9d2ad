"""Judges all 64 positions of a word at once: the level that each should have.

They differ in the square of the defending king alone. A move of any other man takes the whole row
of 64 levels to a row, but for the lanes in which that king stands in its way; a move of the king
takes lanes to their neighbours. So the levels of all moves are gathered by maxima of rows, which
are vector instructions. The attacker looks for the least level: his are turned upside down.

Which positions cannot occur is found by the attacks of ``board``, once for each word. There ``win``
must be 0 and ``lost`` must be "never", so that no move into check is ever the best one. Only of
halves without levels, in which nobody is mated, the moves into check are sorted out here.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from zermelo.board.bits import FULL, ONE, ZERO, Word, Words, bit, lsb
from zermelo.jit import Int, inlined, kernel
from zermelo.tables.geometry import KING
from zermelo.tables.judge import LAST_RANKS, answered, double, exchange
from zermelo.tables.layout import number, read
from zermelo.tables.material import Half
from zermelo.tables.reach import NOTHING, Cells, Men, Reach, Scratch, scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, PAWN, attacks, cast_of, pawn_goals


class Sheet(NamedTuple):
    """What one thread needs to judge words; all cells have the dtype of the levels.

    work:  for the moves that are looked at one by one.
    best:  [64], of each lane the best level so far, upside down for the attacker; 0: no move yet.
    flip:  [1], what turns levels upside down: all ones for the attacker, else 0.
    clear: [64, 64, 64], by start, goal and lane: all ones where a king on that lane does not stand
           between, else 0.
    files: [2, 64], by lane: all ones but on the a-file, and but on the h-file.
    near, wide: [66] and [80], a row with an empty lane, or rank, before and behind.
    """

    work: Scratch
    best: Cells
    flip: Cells
    clear: Cells
    files: Cells
    near: Cells
    wide: Cells


@cache
def _masks(dtype: DTypeLike) -> tuple[Cells, Cells]:
    none = np.iinfo(dtype).max
    lanes = np.arange(64, dtype=np.uint64)
    blocked = cast_of(Half("", "")).between[:, :, None] >> lanes & ONE
    files = np.stack([lanes % 8 > 0, lanes % 8 < 7])
    return np.where(blocked, 0, none).astype(dtype), np.where(files, none, 0).astype(dtype)


def sheet(half: Half, reach: Reach) -> Sheet:
    """A sheet for one thread."""
    dtype = reach.own.dtype
    flip = reach.none if reach.side == ATTACKER else 0
    return Sheet(
        scratch(half),
        np.zeros(64, dtype),
        np.full(1, flip, dtype),
        *_masks(dtype),
        np.zeros(66, dtype),
        np.zeros(80, dtype),
    )


@kernel
def _attacked(kinds: Men, sides: Men, men: Men, side: Int, occupied: Word, gone: Int) -> np.uint64:
    """The squares that a side attacks without one of its men, the defending king not in the way."""
    seen = ZERO
    for i in range(len(men) - 1):
        if sides[i] == side and i != gone:
            seen |= attacks(kinds[i], side, men[i], occupied)
    return seen


@inlined
def _in_check_unless_between(
    kinds: Men, sides: Men, between: Words, men: Men, occupied: Word
) -> np.uint64:
    """The lanes where the defender checks the attacking king: all but those between them."""
    home, lanes = bit(np.uint64(men[0])), ZERO
    for i in range(1, len(men) - 1):
        if sides[i] == DEFENDER and attacks(kinds[i], DEFENDER, men[i], occupied) & home:
            lanes |= ~between[men[i], men[0]]
    return lanes


@inlined
def _take(
    best: Cells, flip: Word, clear: Cells, start: Int, goal: Int, cells: Cells, row: Int
) -> None:
    """Takes a move to a row of ``cells`` into ``best``, in the lanes where nothing is between."""
    for j in range(64):
        best[j] = max(best[j], (cells[row, j] ^ flip) & clear[start, goal, j])


@inlined
def _take_turned(
    best: Cells,
    flip: Word,
    clear: Cells,
    start: Int,
    goal: Int,
    cells: Cells,
    row: Int,
    maps: Men,
    symmetry: Int,
) -> None:
    """The same where a symmetry turns the lanes of the row."""
    for j in range(64):
        best[j] = max(best[j], (cells[row, maps[symmetry, j]] ^ flip) & clear[start, goal, j])


@kernel
def _king_to(best: Cells, goal: Int, level: Int) -> None:
    """Takes the defending king's moves to one square into ``best``."""
    lanes = attacks(KING, DEFENDER, goal, ZERO)
    while lanes:
        lane = lsb(lanes)
        lanes &= lanes - ONE
        best[lane] = max(np.int64(best[lane]), np.int64(level))


@kernel
def _into_nothing(reach: Reach, to: Sheet, man: Int, goal: Int, occupied: Word) -> None:
    """Takes a move of the defender into ``best`` after which nobody is ever mated."""
    men, king, cast = to.work.men, len(to.work.men) - 1, reach.cast
    there = bit(np.uint64(goal))
    gone = -1
    for i in range(king):
        if i != man and men[i] == goal:
            gone = i
    left = (occupied if man == king else occupied ^ bit(np.uint64(men[man]))) & ~there
    # A man on the goal shuts lines, a king only the square itself.
    full = left if man == king else left | there
    safe = ~(_attacked(cast.kinds, cast.sides, men, ATTACKER, full, gone) | full)
    if man == king:
        if safe & there:
            _king_to(to.best, goal, reach.none)
        return
    for j in range(64):
        if safe >> np.uint64(j) & ONE and to.clear[men[man], goal, j]:
            to.best[j] = reach.none


@kernel
def _leave(reach: Reach, to: Sheet, man: Int, goal: Int, promotion: Int, occupied: Word) -> None:
    """Takes a capture, a promotion, or both into ``best``."""
    work, best = to.work, to.best
    row, symmetry = exchange(reach, work, man, goal, promotion)
    king, start, flip = len(work.men) - 1, np.int64(work.men[man]), to.flip[0]
    if row == NOTHING:
        if reach.side == DEFENDER:
            _into_nothing(reach, to, man, goal, occupied)
    elif man == king:
        _king_to(best, goal, reach.pool[row, reach.maps[symmetry, goal]])
    elif symmetry:
        _take_turned(best, flip, to.clear, start, goal, reach.pool, row, reach.maps, symmetry)
    else:
        _take(best, flip, to.clear, start, goal, reach.pool, row)


@kernel
def _push_twice(reach: Reach, to: Sheet, man: Int, goal: Int) -> None:
    """Takes a double push that may be answered en passant into ``best``, lane by lane."""
    men, king = to.work.men, len(to.work.men) - 1
    for j in range(64):
        men[king] = j
        level = np.uint64(double(reach, to.work, man, goal))
        value = (level ^ np.uint64(to.flip[0])) & np.uint64(to.clear[men[man], goal, j])
        to.best[j] = max(np.uint64(to.best[j]), value)


@kernel
def _odd(reach: Reach, to: Sheet, man: Int, goal: Int, there: Word, occupied: Word) -> None:
    """Takes a pawn's promotion or double push, or any capture, into ``best``."""
    if reach.cast.kinds[man] == PAWN and there & LAST_RANKS:
        for promotion in range(KING):
            _leave(reach, to, man, goal, promotion, occupied)
    elif there & occupied:
        _leave(reach, to, man, goal, KING, occupied)
    else:
        _push_twice(reach, to, man, goal)


@kernel
def _take_moves(reach: Reach, to: Sheet, word: Int, occupied: Word, shut: Word) -> None:
    """Takes all moves but the defending king's, to no square that is shut, into ``best``."""
    # Each look into a tuple counts references: the inner loops have arrays of their own.
    lay, side, own, maps = reach.lay, reach.side, reach.own, reach.maps
    kinds, sides, strides, slice_of = reach.cast.kinds, reach.cast.sides, lay.strides, lay.slice_of
    index, fold, words = lay.king_index, lay.king_fold, lay.words
    k, p = len(lay.kinds), lay.pawns.shape[1]
    best, flip, clear, men, after = to.best, to.flip[0], to.clear, to.work.men, to.work.after
    for man in range(len(men) - 1):
        if sides[man] != side:
            continue
        kind, start = np.int64(kinds[man]), np.int64(men[man])
        here = bit(np.uint64(start))
        goals = attacks(kind, side, start, occupied)
        odd = occupied
        if kind == PAWN:
            goals = pawn_goals(side, here, occupied, occupied ^ shut, goals)
            odd |= LAST_RANKS | answered(reach, men, start)
        goals &= ~shut
        while goals:
            there = goals & (ZERO - goals)
            goal = np.int64(lsb(goals))
            goals ^= there
            if there & odd:
                _odd(reach, to, man, goal, there, occupied)
            elif kind < KING:
                row = np.int64(word) + (goal - start) * np.int64(strides[man - 1])
                _take(best, flip, clear, start, goal, own, row)
            else:
                after[:] = men
                after[man] = goal
                row, symmetry = number(maps, index, fold, slice_of, words, k, p, after)
                if symmetry:
                    _take_turned(best, flip, clear, start, goal, own, row, maps, symmetry)
                else:
                    _take(best, flip, clear, start, goal, own, row)


@kernel
def _take_king(reach: Reach, to: Sheet, own: Cells, word: Int, occupied: Word, shut: Word) -> None:
    """Takes the defending king's moves, captures on no square that is shut, into ``best``."""
    best, near, wide, files, king = to.best, to.near, to.wide, to.files, len(reach.cast.kinds) - 1
    for j in range(64):
        near[1 + j] = own[word, j]
    for j in range(64):
        beside = max(near[j] & files[0, j], near[2 + j] & files[1, j])
        best[j] = max(best[j], beside)
        wide[8 + j] = max(near[1 + j], beside)
    for j in range(64):
        best[j] = max(best[j], max(wide[j], wide[16 + j]))
    takes = occupied ^ shut
    while takes:
        goal = np.int64(lsb(takes))
        takes &= takes - ONE
        _leave(reach, to, king, goal, KING, occupied)


@kernel
def word_levels(reach: Reach, to: Sheet, word: Int) -> np.uint64:
    """Writes what the positions of a word should hold into ``best``; returns the possible lanes."""
    men, best, none, lay = to.work.men, to.best, np.uint64(reach.none), reach.lay
    kinds, sides = reach.cast.kinds, reach.cast.sides
    read(lay.king_squares, lay.pawns, lay.words, len(lay.kinds), word, men)
    occupied, shut = ZERO, bit(np.uint64(men[0]))
    possible, seen = FULL, ZERO
    for i in range(len(men) - 1):
        square = bit(np.uint64(men[i]))
        if occupied & square:
            possible = ZERO
        occupied |= square
        if sides[i] == reach.side:
            shut |= square
    best[:] = 0
    if possible:
        seen = _attacked(kinds, sides, men, ATTACKER, occupied, -1)
        if reach.side == ATTACKER:
            possible = ~(occupied | seen)
        else:
            possible = ~(
                occupied
                | attacks(KING, ATTACKER, men[0], occupied)
                | _in_check_unless_between(kinds, sides, reach.cast.between, men, occupied)
            )
    if possible:
        _take_moves(reach, to, word, occupied, shut)
        if reach.side == DEFENDER:
            _take_king(reach, to, reach.own, word, occupied, shut)
    _conclude(best, reach.side == ATTACKER, possible, seen, none)
    return possible


@kernel
def _conclude(best: Cells, attacking: bool, possible: Word, checked: Word, none: Word) -> None:
    """Turns the best values of all moves into levels; ``checked`` is where the king is attacked."""
    if attacking:
        for j in range(64):
            level = none - np.uint64(best[j])
            level = level + ONE if level < none - ONE else none
            best[j] = level if possible >> np.uint64(j) & ONE else ZERO
    else:
        for j in range(64):
            stuck = ZERO if checked >> np.uint64(j) & ONE else none - ONE
            level = np.uint64(best[j]) if best[j] else stuck
            best[j] = level if possible >> np.uint64(j) & ONE else none
