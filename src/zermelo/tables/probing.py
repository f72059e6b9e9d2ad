"""Looks values up: from a position to the cells that answer it, in kernels.

A level is what a cell holds: lost at level n is mated in 2n plies, won at level n mates in 2n - 1.
Files hold only positions with the defender to move and without en passant rights, so a win is one
more than the least level after any of the attacker's moves, and a position with en passant is
judged by playing the capture.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zermelo.board.attacks import bishop, king, knight, pawns, rook
from zermelo.board.bits import ONE, RANK_1, RANK_8, ZERO, Word, Words, bit, lsb, popcount
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.position import (
    BISHOP,
    KING,
    KNIGHT,
    OTHER,
    OWN,
    PASSED,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    WORDS,
    becomes,
    destination,
    make,
    mover,
    origin,
)
from zermelo.jit import Int, borrow, inlined, kernel
from zermelo.tables.atlas import (
    FIRST,
    HOPELESS,
    MOST_MEN,
    NONE,
    PIECES,
    UNKNOWN,
    Atlas,
    fetch,
    find,
    layout_of,
    lone,
    note,
    read,
)
from zermelo.tables.layout import place

DEPTH = 16
"""Positions that one probe may nest: the root, and two more for each capture en passant."""
NOTES = 1 << 14
_FOUR = np.uint64(4)


@inlined
def _signature(position: Words, attacking: bool) -> Word:
    attacker = position[OWN] if attacking else position[OTHER]
    defender = position[OTHER] if attacking else position[OWN]
    number = ZERO
    for men in (defender, attacker):
        for kind in (PAWN, KNIGHT, BISHOP, ROOK, QUEEN):
            number = number << _FOUR | popcount(men & position[kind])
    return number


@inlined
def _write(men: NDArray[np.uint8], count: Int, squares: Word, turn: Word) -> Int:
    while squares:
        men[count] = lsb(squares) ^ turn
        count += 1
        squares &= squares - ONE
    return count


@inlined
def _men(position: Words, attacking: bool, men: NDArray[np.uint8]) -> Int:
    """Writes the squares of all men in the order of a half, and returns how many there are."""
    attacker = position[OWN] if attacking else position[OTHER]
    defender = position[OTHER] if attacking else position[OWN]
    turn = ZERO if (position[WHITE] == ONE) == attacking else np.uint64(56)
    count = _write(men, 0, attacker & position[KING], turn)
    for side in (attacker, defender):
        for kind in (QUEEN, ROOK, BISHOP, KNIGHT):
            count = _write(men, count, side & position[kind], turn)
    count = _write(men, count, attacker & position[PAWN], turn)
    count = _write(men, count, defender & position[PAWN], turn)
    return _write(men, count, defender & position[KING], turn)


@kernel
def _takes_in_passing(position: Words, move: Word) -> bool:
    return mover(move) == PAWN and bit(destination(move)) == position[PASSED]


@kernel
def _ordinary(position: Words, moves: Words, total: Int) -> Int:
    """How many moves are not captures en passant."""
    count = 0
    for i in range(total):
        count += not _takes_in_passing(position, moves[i])
    return count


@kernel
def _level(
    atlas: Atlas,
    position: Words,
    attacking: bool,
    words: Words,
    scratch: NDArray[np.uint8],
    depth: Int,
    notes: NDArray[np.int64],
) -> Int:
    """The level at which the side to move wins (attacking) or is lost, or NONE, or UNKNOWN.

    words: uint64[DEPTH, WORDS + MOST_MOVES], scratch: uint8[DEPTH, 2, MOST_MEN].
    """
    atlas, position, notes = borrow(atlas), borrow(position), borrow(notes)
    key = _signature(position, attacking)
    half = find(atlas, key)
    if half < 0:
        note(notes, ~np.int64(key))
        return UNKNOWN
    if atlas.shape[half, FIRST] == HOPELESS:
        return NONE
    men, moved = borrow(scratch[depth, 0]), borrow(scratch[depth, 1])
    count = _men(position, attacking, men)
    best = np.int64(NONE)
    if not attacking:
        best = np.int64(read(atlas, half, men[:count], notes))
        if not position[PASSED] or best == UNKNOWN:
            return best
    child, moves = borrow(words[depth, :WORDS]), borrow(words[depth, WORDS:])
    total = np.int64(generate(position, moves))
    if not attacking:
        ordinary = _ordinary(position, moves, total)
        if ordinary == total or (ordinary and best == NONE):
            return best
        # With no move but captures en passant, the cell calls it mate or stalemate: it is neither.
        best = best if ordinary else np.int64(0)
    turn = ZERO if position[WHITE] else np.uint64(56)
    maps = atlas.maps
    word, symmetry = place(layout_of(atlas, half), maps, borrow(men[:count]))
    lane = np.int64(maps[symmetry, men[count - 1]])
    alone = attacking and lone(atlas, half, word)
    pieces = atlas.shape[half, PIECES]
    turned, unknown = not attacking, False
    for i in range(total):
        move = moves[i]
        kind, start, target = mover(move), origin(move), destination(move)
        passing = _takes_in_passing(position, move)
        if not attacking:
            if passing:
                make(position, move, child)
                level = np.int64(_level(atlas, child, turned, words, scratch, depth + 1, notes))
                if level == NONE:
                    return NONE
                unknown |= level == UNKNOWN
                best = max(best, level)
            continue
        jump = kind == PAWN and start ^ target == np.uint64(16)
        if kind != becomes(move) or bit(target) & position[OTHER] or passing or jump:
            make(position, move, child)
            level = np.int64(_level(atlas, child, turned, words, scratch, depth + 1, notes))
        else:
            left, reached = np.uint8(start ^ turn), np.uint8(target ^ turn)
            man = 0
            while men[man] != left:
                man += 1
            if alone and 0 < man <= pieces:
                step = np.int64(maps[symmetry, reached]) - np.int64(maps[symmetry, left])
                there = word + (step << 6 * (pieces - man))
                level = np.int64(fetch(atlas, half, there, lane, notes))
            else:
                for j in range(count):
                    moved[j] = men[j]
                moved[man] = reached
                level = np.int64(read(atlas, half, moved[:count], notes))
        unknown |= level == UNKNOWN
        if level >= 0 and (best == NONE or level + 1 < best):
            best = level + 1
    return UNKNOWN if unknown else best


@kernel
def _probe(
    atlas: Atlas,
    positions: Words,
    levels: NDArray[np.int32],
    words: Words,
    scratch: NDArray[np.uint8],
    notes: NDArray[np.int64],
) -> None:
    # Not a literal: that would be a type of its own, whose recursion the disk cache loses.
    root = np.int64(0)
    for i in range(len(positions)):
        for attacking in (False, True):
            if levels[i, int(attacking)] != UNKNOWN:
                continue
            level: Int = np.int64(NONE)
            if not attacking or levels[i, 0] < 0:
                level = _level(atlas, positions[i], attacking, words, scratch, root, notes)
            levels[i, int(attacking)] = level


@kernel
def _probe_borrowed(
    atlas: Atlas,
    positions: Words,
    levels: NDArray[np.int32],
    words: Words,
    scratch: NDArray[np.uint8],
    notes: NDArray[np.int64],
) -> None:
    _probe(
        borrow(atlas),
        borrow(positions),
        borrow(levels),
        borrow(words),
        borrow(scratch),
        borrow(notes),
    )


def probe(atlas: Atlas, positions: Words, levels: NDArray[np.int32]) -> list[int]:
    """Fills in the UNKNOWN levels of positions as far as chunks are in memory.

    positions: uint64[n, 11]; levels: int32[n, 2], at which the side to move is lost and wins.
    Returns the chunks that were missed, and as ``~signature`` the halves.
    """
    words = np.empty((DEPTH, WORDS + MOST_MOVES), np.uint64)
    scratch = np.empty((DEPTH, 2, MOST_MEN), np.uint8)
    notes = np.empty(NOTES, np.int64)
    notes[0] = 0
    _probe_borrowed(atlas, positions, levels, words, scratch, notes)
    missed: list[int] = notes[1 : 1 + notes[0]].tolist()
    return missed


@kernel
def set_up(
    kinds: NDArray[np.int64],
    white: NDArray[np.bool_],
    squares: NDArray[np.uint8],
    turn: NDArray[np.bool_],
    positions: Words,
) -> Int:
    """Writes positions from the squares of their men; the first row that cannot occur, or -1.

    kinds: int64[k], 0 pawn … 5 king; white: bool[k]; squares: uint8[n, k]; turn: bool[n], whether
    White is to move; positions: uint64[n, 11], zero.
    """
    for i in range(len(squares)):
        position = positions[i]
        for j in range(len(kinds)):
            if squares[i, j] > 63:
                return i
            man = bit(np.uint64(squares[i, j]))
            if (position[OWN] | position[OTHER]) & man:
                return i
            position[kinds[j]] |= man
            position[OWN if white[j] == turn[i] else OTHER] |= man
        position[WHITE] = ONE if turn[i] else ZERO
        if position[PAWN] & (RANK_1 | RANK_8) or _exposed(position):
            return i
    return -1


@kernel
def _exposed(position: Words) -> bool:
    """Whether the king of the side that is not to move is attacked."""
    square = lsb(position[KING] & position[OTHER])
    occupied = position[OWN] | position[OTHER]
    queens = position[QUEEN]
    return bool(
        position[OWN]
        & (
            (pawns(position[WHITE] == ZERO, bit(square)) & position[PAWN])
            | (knight(square) & position[KNIGHT])
            | (king(square) & position[KING])
            | (bishop(square, occupied) & (position[BISHOP] | queens))
            | (rook(square, occupied) & (position[ROOK] | queens))
        )
    )
