"""Looks values up: from a position to the cells that answer it, in kernels.

A level is what a cell holds: lost at level n is mated in 2n plies, won at level n mates in 2n - 1.
Files hold only positions with the defender to move and without en passant rights, so a win is one
more than the least level after any of the attacker's moves, and a position with en passant is
judged by playing the capture.

Chunks are copied into one array, the arena, when they are first wanted: a kernel that misses one
notes its number and answers UNKNOWN; the caller reads what was noted and asks again.
"""

from __future__ import annotations

from typing import NamedTuple

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
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import Layout, layout, locate, place
from zermelo.tables.material import STRENGTH, Half
from zermelo.tables.table import CHUNK_WORDS

NONE = -1
"""No level: not lost, or not won."""
UNKNOWN = -2
"""A chunk or a half is missing; it has been noted."""
ABSENT = -1
NOTED = -2
HOPELESS = -1

MOST_MEN = 16
DEPTH = 16
"""Positions that one probe may nest: the root, and two more for each capture en passant."""

DIAGONAL_KINGS = sum(1 << i for i in (0, 4, 7, 9))
"""Which of the ten squares of the folded king lie on the diagonal: a1, b2, c3, d4."""

NOTES = 1 << 14
_SLOTS = 1024
_FIBONACCI = np.uint64(0x9E3779B97F4A7C15)
_BITS = np.uint64(54)
_FOUR = np.uint64(4)


class Atlas(NamedTuple):
    """The halves that can be probed and their chunks in memory, as arrays for the kernels.

    places: int16[1024], hash table from the signature of a half to its number; keys: uint64[H].
    kinds:  uint8[H, 16], pieces as in Layout; shape: int64[H, 10], the columns below.
    strides: uint64[8], 64^7 … 1.  king_index, king_fold: uint8[2, 64], without and with pawns.
    slice_of, mirror: those of all arrangements of pawns, one after the other.
    slots:  int64[chunks], where in the arena a chunk begins, else ABSENT or NOTED.
    arena:  uint8[bytes].
    maps:   uint8[8, 64], the symmetries.
    """

    places: NDArray[np.int16]
    keys: Words
    kinds: NDArray[np.uint8]
    shape: NDArray[np.int64]
    strides: Words
    king_index: NDArray[np.uint8]
    king_fold: NDArray[np.uint8]
    slice_of: NDArray[np.int32]
    mirror: NDArray[np.uint8]
    slots: NDArray[np.int64]
    arena: NDArray[np.uint8]
    maps: NDArray[np.uint8]


PIECES, ATTACKERS, PAWNS, PLACEMENTS, PLACEMENTS_END, SLICES, SLICES_END = range(7)
FIRST, WIDTH, LIKE = 7, 8, 9


class Source(NamedTuple):
    """Where a half's levels are: the first of its chunks (HOPELESS if it needs none), the width."""

    half: Half
    first: int
    width: int


def signature(half: Half) -> int:
    """The men of both sides as a number: four bits for each kind, the attacker's QRBNP lowest."""
    counts = [men.count(kind) for men in (half.attacker, half.defender) for kind in STRENGTH]
    return sum(count << 4 * i for i, count in enumerate(counts))


def half_of(signature: int) -> Half:
    """The half with a signature."""
    counts = [signature >> 4 * i & 15 for i in range(2 * len(STRENGTH))]
    sides = counts[: len(STRENGTH)], counts[len(STRENGTH) :]
    return Half(*("".join(k * n for k, n in zip(STRENGTH, side, strict=True)) for side in sides))


def atlas(sources: list[Source], slots: NDArray[np.int64], arena: NDArray[np.uint8]) -> Atlas:
    """The arrays for some halves."""
    count = len(sources)
    places = np.full(_SLOTS, -1, np.int16)
    keys = np.zeros(count, np.uint64)
    kinds = np.zeros((count, MOST_MEN), np.uint8)
    shape = np.zeros((count, 10), np.int64)
    pawns: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    slice_of: list[NDArray[np.int32]] = []
    mirror: list[NDArray[np.uint8]] = []
    for number, source in enumerate(sources):
        half = source.half
        keys[number] = signature(half)
        place = signature(half) * int(_FIBONACCI) % 2**64 >> int(_BITS)
        while places[place] >= 0:
            place = (place + 1) % _SLOTS
        places[place] = number
        shape[number, FIRST] = source.first
        if source.first == HOPELESS:
            continue
        lay = layout(half)
        arrangement = (lay.attacking_pawns, half.pawns)
        if arrangement not in pawns:
            start, first = sum(map(len, slice_of)), sum(map(len, mirror))
            ends = (start + len(lay.slice_of), first + len(lay.mirror))
            pawns[arrangement] = (start, ends[0], first, ends[1])
            slice_of.append(lay.slice_of)
            mirror.append(lay.mirror)
        kinds[number, : len(lay.kinds)] = lay.kinds
        shape[number, :PLACEMENTS] = len(lay.kinds), lay.attackers, half.pawns
        shape[number, PLACEMENTS:FIRST] = pawns[arrangement]
        shape[number, WIDTH] = source.width
        shape[number, LIKE] = any(
            side.count(piece) > 1 for side in (half.attacker, half.defender) for piece in "QRBN"
        )
    bare = [layout(Half("Q", "")), layout(Half("P", ""))]
    return Atlas(
        places=places,
        keys=keys,
        kinds=kinds,
        shape=shape,
        strides=np.array([64**i for i in range(7, -1, -1)], np.uint64),
        king_index=np.array([lay.king_index for lay in bare]),
        king_fold=np.array([lay.king_fold for lay in bare]),
        slice_of=np.concatenate([*slice_of, np.empty(0, np.int32)]),
        mirror=np.concatenate([*mirror, np.empty(0, np.uint8)]),
        slots=slots,
        arena=arena,
        maps=geometry().maps,
    )


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
def _find(atlas: Atlas, key: Word) -> Int:
    """The number of the half with a signature, or -1."""
    place = key * _FIBONACCI >> _BITS
    while atlas.places[place] >= 0:
        if atlas.keys[atlas.places[place]] == key:
            return np.int64(atlas.places[place])
        place = (place + ONE) & np.uint64(_SLOTS - 1)
    return np.int64(-1)


@inlined
def _layout(atlas: Atlas, half: Int) -> Layout:
    """The layout of a half, put together from the arrays that all share."""
    shape = borrow(atlas.shape[half])
    k, p = shape[PIECES], shape[PAWNS]
    variant = 1 if p else 0
    return Layout(
        borrow(atlas.kinds[half, :k]),
        shape[ATTACKERS],
        borrow(atlas.strides[8 - k :]),
        borrow(atlas.king_index[variant, :0]),
        np.int64(1) << 6 * k,
        borrow(atlas.king_index[variant]),
        borrow(atlas.king_fold[variant]),
        borrow(atlas.king_index[:, :p]),
        0,
        borrow(atlas.slice_of[shape[PLACEMENTS] : shape[PLACEMENTS_END]]),
        borrow(atlas.mirror[shape[SLICES] : shape[SLICES_END]]),
        np.int64(64 if p else 10) << 6 * k,
    )


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


@inlined
def _note(notes: NDArray[np.int64], what: Int) -> bool:
    """Notes a chunk, or as ``~signature`` a half; the first entry counts the notes."""
    count = notes[0] + 1
    if count == len(notes):
        return False
    notes[count] = what
    notes[0] = count
    return True


@inlined
def _fetch(atlas: Atlas, half: Int, word: Int, lane: Int, notes: NDArray[np.int64]) -> Int:
    """The level of a canonical cell with the defender to move."""
    shape = borrow(atlas.shape[half])
    chunk = shape[FIRST] + word // CHUNK_WORDS
    start = atlas.slots[chunk]
    if start < 0:
        if start == ABSENT and _note(notes, chunk):
            atlas.slots[chunk] = NOTED
        return UNKNOWN
    cell = lane * CHUNK_WORDS + word % CHUNK_WORDS
    if shape[WIDTH] == 1:
        level = np.int64(atlas.arena[start + cell])
        return NONE if level >= 254 else level
    start += 2 * cell
    level = np.int64(atlas.arena[start]) | np.int64(atlas.arena[start + 1]) << 8
    return NONE if level >= 65534 else level


@inlined
def _lone(atlas: Atlas, half: Int, word: Int) -> bool:
    """Whether all placements in a word have but one cell: no like pieces, none on an axis."""
    shape = borrow(atlas.shape[half])
    if shape[LIKE]:
        return False
    if shape[PAWNS]:
        return atlas.mirror[shape[SLICES] + word // (np.int64(64) << 6 * shape[PIECES])] == 0
    king = word >> 6 * shape[PIECES]
    return not (DIAGONAL_KINGS >> king) & 1


@inlined
def _read(atlas: Atlas, half: Int, men: NDArray[np.uint8], notes: NDArray[np.int64]) -> Int:
    """The level of men in the order of a half with the defender to move; may change ``men``."""
    lay, maps, own = _layout(atlas, half), borrow(atlas.maps), borrow(men)
    word, symmetry = place(lay, maps, own)
    lane = np.int64(maps[symmetry, own[-1]])
    if not _lone(atlas, half, word):
        cell = locate(lay, maps, own)
        word, lane = cell >> 6, cell & 63
    return np.int64(_fetch(atlas, half, word, lane, notes))


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
    key = _signature(position, attacking)
    half = _find(atlas, key)
    if half < 0:
        _note(notes, ~np.int64(key))
        return UNKNOWN
    if atlas.shape[half, FIRST] == HOPELESS:
        return NONE
    men, moved = scratch[depth, 0], scratch[depth, 1]
    count = _men(position, attacking, men)
    best = np.int64(NONE)
    if not attacking:
        best = np.int64(_read(atlas, half, men[:count], notes))
        if not position[PASSED] or best == UNKNOWN:
            return best
    child, moves = words[depth, :WORDS], words[depth, WORDS:]
    total = np.int64(generate(position, moves))
    if not attacking:
        ordinary = _ordinary(position, moves, total)
        if ordinary == total or (ordinary and best == NONE):
            return best
        # With no move but captures en passant, the cell calls it mate or stalemate: it is neither.
        best = best if ordinary else np.int64(0)
    turn = ZERO if position[WHITE] else np.uint64(56)
    maps = borrow(atlas.maps)
    word, symmetry = place(_layout(atlas, half), maps, borrow(men[:count]))
    lane = np.int64(maps[symmetry, men[count - 1]])
    lone = attacking and _lone(atlas, half, word)
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
            if lone and 0 < man <= pieces:
                step = np.int64(maps[symmetry, reached]) - np.int64(maps[symmetry, left])
                there = word + (step << 6 * (pieces - man))
                level = np.int64(_fetch(atlas, half, there, lane, notes))
            else:
                moved[:count] = men[:count]
                moved[man] = reached
                level = np.int64(_read(atlas, half, moved[:count], notes))
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
