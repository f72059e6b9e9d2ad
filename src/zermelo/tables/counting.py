"""Counts one half of a table in a single walk over its canonical cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.board.bits import ONE, ZERO, Word, bit, lsb
from zermelo.jit import Int, borrow, kernel
from zermelo.tables.judge import escapes
from zermelo.tables.layout import Layout, canonical, layout, locate, unplace
from zermelo.tables.material import Half
from zermelo.tables.reach import Cells, Men, Reach, Scratch
from zermelo.tables.survey import (
    ATTACKER,
    DEFENDER,
    IMPOSSIBLE,
    PAWN,
    attacks,
    men_of,
    survey,
)

_DIAGONAL_SWAP = 4


class Opposite(NamedTuple):
    """The other half of the material, in which attacker and defender change places.

    lay, lost: its layout and levels; exists: whether there is one (else there are no levels).
    none: the level in it that stands for "never".
    source: uint8[m], for each man in its order the same man's place here.
    """

    lay: Layout
    lost: Cells
    exists: bool
    none: int
    source: Men


def opposite_of(half: Half, lost: Cells | None) -> Opposite:
    """The other half as seen from one; ``lost`` is None if nobody can be mated in it."""
    other = Half(half.defender, half.attacker)
    here = men_of(half)
    source, used = [], set()
    for letter, side in men_of(other):
        place = next(i for i, man in enumerate(here) if man == (letter, 1 - side) and i not in used)
        used.add(place)
        source.append(place)
    cells = np.zeros((0, 64), np.uint8) if lost is None else lost
    none = int(np.iinfo(cells.dtype).max)
    return Opposite(layout(other), cells, lost is not None, none, np.array(source, np.uint8))


class Sums(NamedTuple):
    """The counts of a half; the columns of each count are orbits, raw positions, labelled orbits.

    Raw positions stand on the real board, every mirror image for itself; labelled orbits tell like
    men apart.

    counts:   int64[2, none + 1, 3] by side to move (attacker, defender) and level.
    examples: int64[2, none + 1], the first cell of each, or -1.
    draws:    int64[3, 3], drawn with the attacker to move: all; no man of his attacked; every move
              allows stalemate or a capture that holds.
    example:  int64[1], the first drawn cell, attacker to move, or -1.
    lists:    int64[3, n] of cells, ends: int64[3], how many there are in each:
              0, 1: the defender to move loses and the attacker to move draws (0) or loses (1).
              2: drawn, attacker to move; every quiet move allows an escape, others are to be seen.
    """

    counts: NDArray[np.int64]
    examples: NDArray[np.int64]
    draws: NDArray[np.int64]
    example: NDArray[np.int64]
    lists: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def empty(cls, none: int, room: int) -> Sums:
        """Nothing counted yet; the lists hold ``room`` cells each."""
        return cls(
            np.zeros((2, none + 1, 3), np.int64),
            np.full((2, none + 1), -1, np.int64),
            np.zeros((3, 3), np.int64),
            np.full(1, -1, np.int64),
            np.empty((3, room), np.int64),
            np.zeros(3, np.int64),
        )


@kernel
def weights(reach: Reach, men: Men, alike: Int) -> tuple[Int, Int]:
    """(raw positions, labelled orbits) of the orbit of a position.

    ``alike`` is in how many ways like men can change places. Only a swap of files and ranks can
    leave a position as it is, with both kings on the diagonal.
    """
    if reach.lay.pawns.shape[1]:
        return np.int64(2), np.int64(alike)
    count = len(men)
    still, same = 0, 0
    for i in range(count):
        swapped = reach.maps[_DIAGONAL_SWAP, men[i]]
        still += swapped == men[i]
        for j in range(count):
            like = reach.cast.kinds[i] == reach.cast.kinds[j]
            same += like and reach.cast.sides[i] == reach.cast.sides[j] and men[j] == swapped
    if same < count:
        return np.int64(8), np.int64(alike)
    return np.int64(4), np.int64(alike if still == count else alike // 2)


def weights_of(reach: Reach, men: list[int], alike: int) -> NDArray[np.int64]:
    """(orbits, raw positions, labelled orbits) of one position, int64[3]."""
    return np.array([1, *weights(reach, np.array(men, np.uint8), alike)], np.int64)


@kernel
def lost_level(opposite: Opposite, maps: NDArray[np.uint8], men: Men, there: Men) -> Int:
    """How soon the attacker, to move, is mated as the defender of the other half; -1 for never."""
    if not opposite.exists:
        return -1
    for i in range(len(men)):
        there[i] = men[opposite.source[i]] ^ 56
    cell = locate(opposite.lay, maps, there)
    level = np.int64(opposite.lost[cell >> 6, cell & 63])
    return level if level < opposite.none - 1 else -1


@kernel
def _attacked(reach: Reach, men: Men, occupied: Word) -> np.uint64:
    """The attacker's men that the defender attacks, the king left out."""
    seen, targets = ZERO, ZERO
    for i in range(1, len(men)):
        if reach.cast.sides[i] == ATTACKER:
            targets |= bit(np.uint64(men[i]))
        else:
            seen |= attacks(reach.cast.kinds[i], DEFENDER, men[i], occupied)
    return seen & targets


@kernel
def _pressed(reach: Reach, work: Scratch, other: Scratch, occupied: np.uint64) -> tuple[bool, bool]:
    """(whether every quiet move of the attacker allows an escape, whether there are other moves).

    Double pushes are not quiet here, for the answer en passant is a capture too.
    """
    men, moved = work.men, other.men
    survey(reach.cast, men, ATTACKER, work.goals)
    for i in range(len(men)):
        moved[i] = men[i]
    loud = False
    for man in range(len(men)):
        goals = work.goals[man]
        while goals:
            square = lsb(goals)
            goals &= goals - ONE
            goal = np.int64(square)
            pawn = reach.cast.kinds[man] == PAWN
            if bit(square) & occupied or (pawn and (goal > 55 or goal - men[man] == 16)):
                loud = True
                continue
            moved[man] = goal
            if not escapes(reach, other):
                return False, loud
        moved[man] = men[man]
    return True, loud


@kernel
def _note(lists: NDArray[np.int64], ends: NDArray[np.int64], which: Int, cell: Int) -> None:
    lists[which, ends[which]] = cell
    ends[which] += 1


@kernel
def _walk(
    reach: Reach,
    lost: Cells,
    opposite: Opposite,
    alike: Int,
    work: Scratch,
    other: Scratch,
    first: Int,
    last: Int,
    sums: Sums,
) -> None:
    """Counts words first to last; ``reach`` is the defender's."""
    lay, none, men = reach.lay, reach.none, work.men
    for word in range(first, last):
        lanes = canonical(lay, reach.maps, word, men)
        unplace(lay, word, men)
        while lanes:
            lane = lsb(lanes)
            lanes &= lanes - ONE
            men[-1] = lane
            cell = np.int64(word) * 64 + np.int64(lane)
            level = np.int64(reach.own[word, lane])
            legal = survey(reach.cast, men, DEFENDER, work.goals) != IMPOSSIBLE
            if not legal and level == 0:
                continue
            weight = (np.int64(1), *weights(reach, men, alike))
            down = np.int64(lost[word, lane])
            if legal:
                _add(sums.counts[1, down], weight)
                if sums.examples[1, down] < 0:
                    sums.examples[1, down] = cell
            if level == 0:
                continue
            _add(sums.counts[0, level], weight)
            if sums.examples[0, level] < 0:
                sums.examples[0, level] = cell
            if level != none:
                continue
            beaten = lost_level(opposite, reach.maps, men, other.men) >= 0
            if legal and down < none - 1:
                _note(sums.lists, sums.ends, 1 if beaten else 0, cell)
            if not beaten:
                _count_draw(reach, work, other, cell, weight, sums)


@kernel
def _add(counts: NDArray[np.int64], weight: tuple[Int, Int, Int]) -> None:
    for i in range(3):
        counts[i] += weight[i]


@kernel
def _count_draw(
    reach: Reach,
    work: Scratch,
    other: Scratch,
    cell: Int,
    weight: tuple[Int, Int, Int],
    sums: Sums,
) -> None:
    """Counts a position drawn with the attacker to move."""
    occupied = ZERO
    for i in range(len(work.men)):
        occupied |= bit(np.uint64(work.men[i]))
    _add(sums.draws[0], weight)
    if sums.example[0] < 0:
        sums.example[0] = cell
    if _attacked(reach, work.men, occupied) == ZERO:
        _add(sums.draws[1], weight)
    pressed, loud = _pressed(reach, work, other, occupied)
    if pressed and loud:
        _note(sums.lists, sums.ends, 2, cell)
    elif pressed:
        _add(sums.draws[2], weight)


@kernel
def tally(
    reach: Reach,
    lost: Cells,
    opposite: Opposite,
    alike: Int,
    work: Scratch,
    other: Scratch,
    first: Int,
    last: Int,
    sums: Sums,
) -> None:
    _walk(
        borrow(reach),
        borrow(lost),
        Opposite(
            opposite.lay,
            borrow(opposite.lost),
            opposite.exists,
            opposite.none,
            borrow(opposite.source),
        ),
        alike,
        borrow(work),
        borrow(other),
        first,
        last,
        sums,
    )
