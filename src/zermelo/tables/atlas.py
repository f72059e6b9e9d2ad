"""The halves that are being probed, as arrays: which there are, and how their cells are read.

Chunks are copied into one array, the arena, when they are first wanted: a kernel that misses one
notes its number and answers UNKNOWN; the caller reads what was noted and asks again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import ONE, Word, Words
from zermelo.jit import Int, borrow, inlined
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
"""In the place of a half's first chunk: nobody is ever mated, no chunk is needed."""

MOST_MEN = 16

DIAGONAL_KINGS = sum(1 << i for i in (0, 4, 7, 9))
"""Which of the ten squares of the folded king lie on the diagonal: a1, b2, c3, d4."""

_SLOTS = 1024
_PRIME = np.uint64(1021)


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
        place = signature(half) % int(_PRIME)
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
def find(atlas: Atlas, key: Word) -> Int:
    """The number of the half with a signature, or -1."""
    place = key % _PRIME
    while atlas.places[place] >= 0:
        if atlas.keys[atlas.places[place]] == key:
            return np.int64(atlas.places[place])
        place = (place + ONE) & np.uint64(_SLOTS - 1)
    return np.int64(-1)


@inlined
def layout_of(atlas: Atlas, half: Int) -> Layout:
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
def note(notes: NDArray[np.int64], what: Int) -> bool:
    """Notes a chunk, or as ``~signature`` a half; the first entry counts the notes."""
    count = notes[0] + 1
    if count == len(notes):
        return False
    notes[count] = what
    notes[0] = count
    return True


@inlined
def fetch(atlas: Atlas, half: Int, word: Int, lane: Int, notes: NDArray[np.int64]) -> Int:
    """The level of a canonical cell with the defender to move."""
    shape = borrow(atlas.shape[half])
    chunk = shape[FIRST] + word // CHUNK_WORDS
    start = atlas.slots[chunk]
    if start < 0:
        if start == ABSENT and note(notes, chunk):
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
def lone(atlas: Atlas, half: Int, word: Int) -> bool:
    """Whether all placements in a word have but one cell: no like pieces, none on an axis."""
    shape = borrow(atlas.shape[half])
    if shape[LIKE]:
        return False
    if shape[PAWNS]:
        return atlas.mirror[shape[SLICES] + word // (np.int64(64) << 6 * shape[PIECES])] == 0
    king = word >> 6 * shape[PIECES]
    return not (DIAGONAL_KINGS >> king) & 1


@inlined
def read(atlas: Atlas, half: Int, men: NDArray[np.uint8], notes: NDArray[np.int64]) -> Int:
    """The level of men in the order of a half with the defender to move; may change ``men``."""
    lay, maps, own = layout_of(atlas, half), borrow(atlas.maps), borrow(men)
    word, symmetry = place(lay, maps, own)
    lane = np.int64(maps[symmetry, own[-1]])
    if not lone(atlas, half, word):
        cell = locate(lay, maps, own)
        word, lane = cell >> 6, cell & 63
    return np.int64(fetch(atlas, half, word, lane, notes))
