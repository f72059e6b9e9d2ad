"""The level step: 64 positions a word, one bit for each square of the defending king.

For one slice, with the levels of `crossing` already in its bytes:

    start    level 0: mated, stalemated, and which words have exits falling due at later levels
    advance  level n: attacker's positions won at n, by going back from those lost at n-1, then the
             defender's lost at n: those in doubt all of whose moves lead into won ones

Each level touches only what changed: a newly lost set is pushed back along the attacker's moves
into ``won``; every newly won set raises doubts along the defender's moves; only doubtful lanes are
examined. ``advance`` reads the previous level's lists of all kings but writes only words of its own
attacking king, so that kings can run in parallel with one barrier a level.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from zermelo.jit import Int, kernel
from zermelo.tables.crossing import (
    EMPTY,
    ONE,
    Cells,
    Men,
    Pass,
    attacked,
    attacks_of,
    mark,
    occupied,
    reach,
)
from zermelo.tables.geometry import KING, Geometry, neighbours, transform
from zermelo.tables.layout import ALL, Layout, unplace


class Work(NamedTuple):
    """Scratch for one slice of W words and K attacking kings.

    won:    uint64[W], attacker to move: won up to this level, or cannot occur.
    open:   uint64[W], defender to move: legal, has a move, not lost yet.
    barred: uint64[W], of those, lanes that still escape by an exit.
    fresh:  uint64[W], won at this level; doubt: uint64[W], with a move into fresh.
    due:    uint8 or wider[2, W], the next level at which an exit of the attacker wins, one of the
            defender fails.
    lost_words: uint32[2, W], lost_sets: uint64[2, W], lost_count: int64[2, K]: lists of what was
            lost at this and the previous level, each king's in its own part.
    fresh_words, doubt_words: uint32[W], fresh_count, doubt_count: int64[K], lists likewise.
    last:   int64[K], the last level at which an exit of this king falls due.
    """

    won: NDArray[np.uint64]
    open: NDArray[np.uint64]
    barred: NDArray[np.uint64]
    fresh: NDArray[np.uint64]
    doubt: NDArray[np.uint64]
    due: Cells
    lost_words: NDArray[np.uint32]
    lost_sets: NDArray[np.uint64]
    lost_count: NDArray[np.int64]
    fresh_words: NDArray[np.uint32]
    fresh_count: NDArray[np.int64]
    doubt_words: NDArray[np.uint32]
    doubt_count: NDArray[np.int64]
    last: NDArray[np.int64]


def workspace(lay: Layout, dtype: DTypeLike) -> Work:
    """Scratch for any slice of a layout."""
    words, kings = lay.words, len(lay.king_squares)
    return Work(
        won=np.zeros(words, np.uint64),
        open=np.zeros(words, np.uint64),
        barred=np.zeros(words, np.uint64),
        fresh=np.zeros(words, np.uint64),
        doubt=np.zeros(words, np.uint64),
        due=np.zeros((2, words), dtype),
        lost_words=np.zeros((2, words), np.uint32),
        lost_sets=np.zeros((2, words), np.uint64),
        lost_count=np.zeros((2, kings), np.int64),
        fresh_words=np.zeros(words, np.uint32),
        fresh_count=np.zeros(kings, np.int64),
        doubt_words=np.zeros(words, np.uint32),
        doubt_count=np.zeros(kings, np.int64),
        last=np.zeros(kings, np.int64),
    )


@kernel
def sheltered(geo: Geometry, lay: Layout, men: Men, squares: np.uint64) -> np.uint64:
    """The lanes in which the attacking king is not in check: by its distance, or by interposing."""
    king = men[0]
    lanes: np.uint64 = ~(squares | geo.targets[KING, king])
    for man in range(1, len(men) - 1):
        if not attacks_of(lay, man) and (
            (reach(geo, lay, men, squares, man) >> np.uint64(king)) & ONE
        ):
            lanes &= geo.between[men[man], king]
    return lanes


@kernel
def escapes(
    geo: Geometry,
    lay: Layout,
    men: Men,
    squares: np.uint64,
    won: Cells,
    word: Int,
    lanes: np.uint64,
) -> np.uint64:
    """Those of the lanes from which a move inside the slice leads out of ``won``."""
    left = lanes & ~neighbours(~won[word])
    for i in range(lay.attackers, len(lay.kinds)):
        origin = men[1 + i]
        stride = lay.strides[i]
        for direction in range(8):
            path = ALL
            for step in range(8):
                square = geo.rays[lay.kinds[i], origin, direction, step]
                if square == 64 or left == EMPTY:
                    break
                bit = ONE << np.uint64(square)
                if squares & bit:
                    break
                target = np.uint64(word) + (np.uint64(square) - np.uint64(origin)) * stride
                left &= ~(path & ~won[target])
                path &= ~bit
    return lanes & ~left


@kernel
def _next_due(row: Cells, lanes: np.uint64, level: Int, none: Int) -> Int:
    """The least level above this one in some lanes of a row; ``none`` if there is none."""
    least = none
    for j in range(64):
        if row[j] > level and row[j] < least and (lanes >> np.uint64(j)) & ONE:
            least = np.int64(row[j])
    return least


@kernel
def _at(row: Cells, level: Int) -> np.uint64:
    """The lanes of a row that hold a level."""
    lanes = EMPTY
    for j in range(64):
        if row[j] == level:
            lanes |= ONE << np.uint64(j)
    return lanes


@kernel
def prepare(make: Pass, work: Work, base: Int, king: Int) -> None:
    """What can occur: ``won`` becomes the attacker's impossible lanes, ``open`` the legal ones."""
    geo, lay = make.geo, make.lay
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    work.last[king] = 0
    work.lost_count[:, king] = 0
    work.fresh_count[king] = 0
    work.doubt_count[king] = 0
    for word in range(king * lay.king_stride, (king + 1) * lay.king_stride):
        unplace(lay, base + word, men)
        squares = occupied(men)
        work.fresh[word] = EMPTY
        work.doubt[word] = EMPTY
        if squares == EMPTY:
            work.won[word], work.open[word] = ALL, EMPTY
        else:
            work.won[word] = squares | attacked(geo, lay, men, squares)
            work.open[word] = sheltered(geo, lay, men, squares)


@kernel
def start(make: Pass, work: Work, base: Int, king: Int) -> None:
    """Level 0: finds mates and stalemates, and when exits fall due."""
    geo, lay, none = make.geo, make.lay, make.none
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    first = king * lay.king_stride
    count = 0
    for word in range(first, first + lay.king_stride):
        legal, won = work.open[word], work.won[word]
        lost_row, win_row = make.lost[base + word], make.win[base + word]
        mark(win_row, won, 0)
        barred = legal & ~_at(lost_row, 0)
        work.barred[word] = barred
        stuck = legal & ~barred
        if stuck:
            unplace(lay, base + word, men)
            stuck &= ~escapes(geo, lay, men, occupied(men), work.won, word, stuck)
        mark(lost_row, ~legal, none)
        mark(lost_row, stuck & ~won, none - 1)
        work.open[word] = legal & ~stuck
        if stuck & won:
            work.lost_words[0, first + count] = word
            work.lost_sets[0, first + count] = stuck & won
            count += 1
        work.due[0, word] = _next_due(win_row, ~won, 0, none)
        work.due[1, word] = _next_due(lost_row, work.open[word], 0, none)
        for side in range(2):
            row = win_row if side == 0 else lost_row
            if work.due[side, word] < none:
                for j in range(64):
                    if row[j] < none - 1:
                        work.last[king] = max(work.last[king], np.int64(row[j]))
    work.lost_count[0, king] = count


@kernel
def _win(work: Work, king: Int, first: Int, word: Int, lanes: np.uint64) -> None:
    """Adds lanes of a word to those won at this level."""
    lanes &= ~work.won[word]
    if lanes:
        if work.fresh[word] == EMPTY:
            work.fresh_words[first + work.fresh_count[king]] = word
            work.fresh_count[king] += 1
        work.fresh[word] |= lanes
        work.won[word] |= lanes


@kernel
def _doubt(work: Work, king: Int, first: Int, word: Int, lanes: np.uint64) -> None:
    """Adds lanes of a word to those to be examined at this level."""
    lanes &= work.open[word]
    if lanes:
        if work.doubt[word] == EMPTY:
            work.doubt_words[first + work.doubt_count[king]] = word
            work.doubt_count[king] += 1
        work.doubt[word] |= lanes


@kernel
def _win_by_pieces(make: Pass, work: Work, base: Int, king: Int, side: Int, men: Men) -> None:
    """Goes back from what was lost at the previous level along the moves of the pieces."""
    geo, lay = make.geo, make.lay
    first = king * lay.king_stride
    for entry in range(first, first + work.lost_count[side, king]):
        word = np.int64(work.lost_words[side, entry])
        unplace(lay, base + word, men)
        squares = occupied(men)
        for i in range(lay.attackers):
            origin = men[1 + i]
            for direction in range(8):
                lanes = work.lost_sets[side, entry]
                for step in range(8):
                    square = geo.rays[lay.kinds[i], origin, direction, step]
                    if square == 64:
                        break
                    bit = ONE << np.uint64(square)
                    if squares & bit:
                        break
                    shift = (np.int64(square) - np.int64(origin)) * np.int64(lay.strides[i])
                    _win(work, king, first, word + shift, lanes)
                    # Beyond this square the defending king would stand in the piece's way.
                    lanes &= ~bit


@kernel
def _win_by_king(make: Pass, work: Work, king: Int, side: Int) -> None:
    """Goes back likewise along the moves of the attacking king, folded back by symmetry."""
    geo, lay = make.geo, make.lay
    first = king * lay.king_stride
    for step in range(8):
        square = geo.rays[KING, lay.king_squares[king], step, 0]
        if square == 64:
            continue
        symmetry = geo.inverse[lay.king_fold[square]]
        there = np.int64(lay.king_index[geo.maps[lay.king_fold[square], square]])
        start_of_list = there * lay.king_stride
        for entry in range(start_of_list, start_of_list + work.lost_count[side, there]):
            rest = np.int64(work.lost_words[side, entry]) - start_of_list
            word: Int = first + rest
            lanes = work.lost_sets[side, entry]
            if symmetry:
                word = first
                for i in range(len(lay.kinds)):
                    stride = np.int64(lay.strides[i])
                    word += np.int64(geo.maps[symmetry, (rest // stride) & 63]) * stride
                lanes = transform(lanes, symmetry)
            _win(work, king, first, word, lanes)


@kernel
def _raise_doubts(make: Pass, work: Work, base: Int, king: Int, level: Int, men: Men) -> None:
    """Writes what was won at this level and goes back from it along the defender's moves."""
    geo, lay = make.geo, make.lay
    first = king * lay.king_stride
    pieces = len(lay.kinds) > lay.attackers
    for entry in range(first, first + work.fresh_count[king]):
        word = np.int64(work.fresh_words[entry])
        fresh = work.fresh[word]
        work.fresh[word] = EMPTY
        mark(make.win[base + word], fresh, level)
        _doubt(work, king, first, word, neighbours(fresh))
        if not pieces:
            continue
        unplace(lay, base + word, men)
        squares = occupied(men)
        for i in range(lay.attackers, len(lay.kinds)):
            origin = men[1 + i]
            for direction in range(8):
                lanes = fresh
                for step in range(8):
                    square = geo.rays[lay.kinds[i], origin, direction, step]
                    if square == 64:
                        break
                    bit = ONE << np.uint64(square)
                    if squares & bit:
                        break
                    shift = (np.int64(square) - np.int64(origin)) * np.int64(lay.strides[i])
                    _doubt(work, king, first, word + shift, lanes)
                    lanes &= ~bit
    work.fresh_count[king] = 0


@kernel
def _settle_doubts(make: Pass, work: Work, base: Int, king: Int, level: Int, men: Men) -> None:
    """Examines the doubtful lanes; those without an escape are lost at this level."""
    geo, lay = make.geo, make.lay
    first = king * lay.king_stride
    count = 0
    for entry in range(first, first + work.doubt_count[king]):
        word = np.int64(work.doubt_words[entry])
        lanes = work.doubt[word] & work.open[word] & ~work.barred[word]
        work.doubt[word] = EMPTY
        lanes &= ~neighbours(~work.won[word])
        if lanes == EMPTY:
            continue
        if len(lay.kinds) > lay.attackers:
            unplace(lay, base + word, men)
            lanes &= ~escapes(geo, lay, men, occupied(men), work.won, word, lanes)
            if lanes == EMPTY:
                continue
        work.open[word] &= ~lanes
        mark(make.lost[base + word], lanes, level)
        work.lost_words[level & 1, first + count] = word
        work.lost_sets[level & 1, first + count] = lanes
        count += 1
    work.doubt_count[king] = 0
    work.lost_count[level & 1, king] = count


@kernel
def advance(make: Pass, work: Work, base: Int, king: Int, level: Int) -> None:
    """One level of one attacking king."""
    lay, none = make.lay, make.none
    men = np.empty(2 + len(lay.kinds) + lay.pawns.shape[1], np.uint8)
    first = king * lay.king_stride
    side = (level - 1) & 1
    _win_by_pieces(make, work, base, king, side, men)
    _win_by_king(make, work, king, side)
    due = level <= work.last[king]
    if due:
        for word in range(first, first + lay.king_stride):
            if work.due[0, word] == level:
                row = make.win[base + word]
                _win(work, king, first, word, _at(row, level))
                work.due[0, word] = _next_due(row, ~work.won[word], level, none)
    _raise_doubts(make, work, base, king, level, men)
    if due:
        for word in range(first, first + lay.king_stride):
            if work.due[1, word] == level:
                row = make.lost[base + word]
                fallen = _at(row, level) & work.barred[word]
                work.barred[word] &= ~fallen
                _doubt(work, king, first, word, fallen)
                work.due[1, word] = _next_due(row, work.open[word], level, none)
    _settle_doubts(make, work, base, king, level, men)


@kernel
def finish(make: Pass, work: Work, base: Int, king: Int) -> None:
    """What is still open at the end is never lost."""
    lay = make.lay
    for word in range(king * lay.king_stride, (king + 1) * lay.king_stride):
        mark(make.lost[base + word], work.open[word], make.none)


@kernel
def solve_slices(make: Pass, work: Work, first: Int, last: Int) -> int:
    """Solves slices first to last, each whole, their exits being known; returns the last level."""
    kings = len(make.lay.king_squares)
    highest = 0
    for number in range(first, last):
        base = number * make.lay.words
        for king in range(kings):
            prepare(make, work, base, king)
        for king in range(kings):
            start(make, work, base, king)
        level = 0
        end = work.last.max()
        while work.lost_count[level & 1].sum() > 0 or level < end:
            level += 1
            for king in range(kings):
                advance(make, work, base, king, level)
        for king in range(kings):
            finish(make, work, base, king)
        highest = max(highest, level)
    return highest
