"""The hash table of proven bounds: for a position "mate in <= a" and "no mate in <= b".

Both are facts about the position, so entries never grow old and one table serves all threads and
all questions. An entry is two words, ``uint64[2 * entries]``: facts, and the position's key mixed
with the facts, so that an entry which two threads wrote at once is not believed by either.
Facts: a move that mates in a (bits 0-17), a (18-25, 0 unknown), b (26-33).
"""

from __future__ import annotations

import numpy as np

from zermelo.board.bits import ONE, ZERO, Word, Words
from zermelo.board.position import WORDS
from zermelo.jit import kernel

HALF = np.uint64(32)
MULTIPLIERS: Words = np.array(
    [[pow(6364136223846793005, 2 * i + j + 3, 1 << 64) for j in range(2)] for i in range(WORDS)],
    dtype=np.uint64,
)
"""[11, 2]: odd numbers without a pattern for `key`, powers of Knuth's multiplier."""
MOVE_MASK = np.uint64((1 << 18) - 1)
MOST_MOVES = 255
"""The longest mate that fits into an entry, in moves."""


def new_table(megabytes: int) -> Words:
    """An empty table, the largest power of two of entries that fits; at least 2^10."""
    entries = 1 << max(10, (megabytes << 16).bit_length() - 1)
    return np.zeros(2 * entries, dtype=np.uint64)


@kernel
def key(position: Words) -> Word:
    """A hash of all that matters in a position: each word mixed by itself, so that they overlap."""
    mixed = ZERO
    for index in range(WORDS):
        word = position[index] * MULTIPLIERS[index, ZERO]
        mixed += (word ^ word >> HALF) * MULTIPLIERS[index, ONE]
    mixed = (mixed ^ mixed >> HALF) * MULTIPLIERS[ZERO, ONE]
    return mixed ^ mixed >> HALF


@kernel
def facts(move: Word, mate: Word, none: Word) -> Word:
    """The facts of an entry: a move, the length of the mate that it forces, and no mate within."""
    return move | mate << np.uint64(18) | none << np.uint64(26)


@kernel
def move_of(entry: Word) -> Word:
    """The move that mates, or 0."""
    return entry & MOVE_MASK


@kernel
def mate_of(entry: Word) -> Word:
    """The number of moves in which there is a mate, or 0 if none is known."""
    return entry >> np.uint64(18) & np.uint64(255)


@kernel
def none_of(entry: Word) -> Word:
    """The number of moves in which there is no mate."""
    return entry >> np.uint64(26) & np.uint64(255)


@kernel
def slot_of(table: Words, mixed: Word) -> Word:
    """Index of the first of the two entries that may hold a key."""
    return (mixed << ONE & np.uint64(len(table) - 1)) & ~np.uint64(3)


@kernel
def look_up(table: Words, mixed: Word) -> Word:
    """The facts known about the position with a key; 0 if there are none."""
    slot = slot_of(table, mixed)
    for index in range(2):
        entry = table[slot + np.uint64(2 * index + 1)]
        if table[slot + np.uint64(2 * index)] ^ entry == mixed:
            return entry
    return ZERO


@kernel
def store(table: Words, mixed: Word, entry: Word) -> None:
    """Keeps facts: in the first place if they are about longer mates, else in the second."""
    slot = slot_of(table, mixed)
    old = table[slot + ONE]
    if table[slot] ^ old != mixed and max(mate_of(old), none_of(old)) > max(
        mate_of(entry), none_of(entry)
    ):
        slot += np.uint64(2)
    table[slot] = mixed ^ entry
    table[slot + ONE] = entry
