"""Two classic encodings of the endings king and two pieces against king: one byte a position.

A position is a whole number: the squares (a1 = 0 … h8 = 63) of, from the low bits up, the black
king, the weaker piece, the stronger piece and the white king, six bits each.

**25-bit values** add bit 24, the side to move (0 White). The byte is 51 where the position cannot
occur or Black holds; else, with White to move, the number of moves to mate minus one, with Black to
move the number of moves that Black can hold out, 0 if mated. White moves to a position of equal
value, Black to one that is one smaller.

**24-bit answers** are those of White to move. Moves are numbered from 1 by slot: those of the
weaker piece first, then the stronger piece's, then the king's, each man's targets on the empty
board in ascending order. With S slots in all the byte is 0 where the position cannot occur,
1 … S the lowest number of a best move, S+1 where Black is checkmated, S+2 drawn; S+3, unsolved,
is in no finished file.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import ONE, Words, bit, lsb, popcount
from zermelo.errors import InputError
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.chunks import in_chunks
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import Layout, layout, place
from zermelo.tables.material import Half, Material
from zermelo.tables.reach import Cells, Men, Scratch, scratch
from zermelo.tables.survey import ATTACKER, DEFENDER, IMPOSSIBLE, Cast, cast_of, survey

Bytes = NDArray[np.uint8]

HOLDS = 51
"""In 25-bit values: impossible, or Black holds."""

ROWS = 1 << 18
"""Placements of White's men; each is a row of 64 codes, one for each square of the black king."""

_HALF = Half("QQ", "")
"""A half with as many men as all that can be encoded, for scratch."""


class Encoder(NamedTuple):
    """What the kernels read: a half's numbering and men, and how its moves are numbered.

    lost:   uint8[words, 64], as in ``retrograde.Solved``.
    before: uint8[3], moves numbered before those of the king, the stronger, the weaker piece.
    slots:  S, how many moves are numbered in all.
    """

    lay: Layout
    cast: Cast
    maps: NDArray[np.uint8]
    targets: Words
    lost: Cells
    before: NDArray[np.uint8]
    slots: int


def encodable(material: Material) -> Half:
    """The half of a material that the encodings cover; raises InputError for any other."""
    if material.weak or material.pawns or len(material.strong) != 2:
        raise InputError(
            f"{material}: the classic encodings are for a king and two pieces against a king, "
            "as in KBNvK; export other tables with --format csv or parquet"
        )
    return Half(material.strong, "")


def encoder(half: Half, lost: Cells) -> Encoder:
    """Prepares to encode a half."""
    cast, targets = cast_of(half), geometry().targets
    king, strong, weak = (int(np.bitwise_count(targets[kind]).max()) for kind in cast.kinds[:3])
    return Encoder(
        layout(half),
        cast,
        geometry().maps,
        targets,
        lost,
        np.array([weak + strong, weak, 0], np.uint8),
        weak + strong + king,
    )


@kernel
def _set_up(code: Encoder, row: Int, work: Scratch) -> None:
    """Writes White's men of a row, and where each of their moves leads whatever Black's square."""
    men = work.men
    men[0], men[1], men[2] = row >> 12, row >> 6 & 63, row & 63
    for man in range(3):
        start = men[man]
        rest = code.targets[code.cast.kinds[man], start]
        while rest:
            goal = lsb(rest)
            rest &= rest - ONE
            men[man] = goal
            work.starts[man, goal], work.symmetries[man, goal] = place(code.lay, code.maps, men)
        men[man] = start


@kernel
def _level(code: Encoder, men: Men) -> Int:
    """How soon Black, to move, is mated; some level where the position cannot occur."""
    word, symmetry = place(code.lay, code.maps, men)
    return np.int64(code.lost[word, code.maps[symmetry, men[3]]])


@kernel
def _best(code: Encoder, work: Scratch) -> tuple[Int, Int]:
    """(number of White's best move, the level that it leads to), or (0, 254) if none wins."""
    found, least = np.int64(0), np.int64(254)
    for man in (2, 1, 0):
        rest = work.goals[man]
        while rest:
            goal = lsb(rest)
            rest &= rest - ONE
            lane = code.maps[work.symmetries[man, goal], work.men[3]]
            level = np.int64(code.lost[work.starts[man, goal], lane])
            if level < least:
                least = level
                targets = code.targets[code.cast.kinds[man], work.men[man]]
                below = popcount(targets & (bit(goal) - ONE))
                found = np.int64(code.before[man]) + np.int64(below) + 1
    return found, least


@kernel
def _answer(code: Encoder, work: Scratch) -> Int:
    """The 24-bit answer of a position with White to move."""
    if survey(code.cast, work.men, ATTACKER, work.goals) != IMPOSSIBLE:
        found = _best(code, work)[0]
        return found if found else code.slots + 2
    if (
        survey(code.cast, work.men, DEFENDER, work.goals) != IMPOSSIBLE
        and _level(code, work.men) == 0
    ):
        return code.slots + 1
    return np.int64(0)


@kernel
def _white_value(code: Encoder, work: Scratch) -> Int:
    """The 25-bit value of a position with White to move."""
    if survey(code.cast, work.men, ATTACKER, work.goals) == IMPOSSIBLE:
        return HOLDS
    found, level = _best(code, work)
    return level if found else HOLDS


@kernel
def _black_value(code: Encoder, work: Scratch) -> Int:
    """The 25-bit value of a position with Black to move."""
    if survey(code.cast, work.men, DEFENDER, work.goals) == IMPOSSIBLE:
        return HOLDS
    level = np.int64(_level(code, work.men))
    return level if level < 254 else HOLDS


@kernel
def _write_answers(code: Encoder, work: Scratch, first: Int, last: Int, out: Bytes) -> None:
    code, work = borrow(code), borrow(work)
    for row in range(first, last):
        _set_up(code, row, work)
        for square in range(64):
            work.men[3] = square
            out[(row - first) * 64 + square] = _answer(code, work)


@kernel
def _write_values(
    code: Encoder, work: Scratch, first: Int, last: Int, white: Bytes, black: Bytes
) -> None:
    code, work = borrow(code), borrow(work)
    for row in range(first, last):
        _set_up(code, row, work)
        for square in range(64):
            work.men[3] = square
            white[(row - first) * 64 + square] = _white_value(code, work)
            black[(row - first) * 64 + square] = _black_value(code, work)


def answers_of(code: Encoder, first: int = 0, last: int = ROWS) -> Bytes:
    """The 24-bit answers of rows first to last, uint8[64 * rows]."""

    def write(start: int, end: int) -> Bytes:
        part = np.empty((end - start) * 64, np.uint8)
        _write_answers(code, scratch(_HALF), first + start, first + end, part)
        return part

    return np.concatenate([part for _, part in in_chunks(last - first, write)])


def values_of(code: Encoder) -> Bytes:
    """All 25-bit values, uint8[2^25]."""
    values = np.empty((2, ROWS * 64), np.uint8)

    def write(first: int, last: int) -> None:
        white, black = values[:, first * 64 : last * 64]
        _write_values(code, scratch(_HALF), first, last, white, black)

    for _ in in_chunks(ROWS, write):
        pass
    return values.reshape(-1)
