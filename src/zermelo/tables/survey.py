"""The legal moves of one position of a half, man by man on the real occupied squares.

This is the path by which tables are checked and counted. It shares no rule with the generator: its
attacks are those of ``board``, and it looks at one position at a time where the generator handles
64 kings at once. Men stand in the order of ``layout``; the attacker's pawns go up.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.board.attacks import RAYS, bishop, king, knight, pawns, queen, rook
from zermelo.board.bits import FULL, ONE, ZERO, Word, Words, bit
from zermelo.jit import Int, kernel
from zermelo.tables.geometry import KINDS, KING
from zermelo.tables.material import Half

PAWN = len(KINDS)
"""Kind of a pawn, after those of ``KINDS``."""

ATTACKER, DEFENDER = 0, 1
IMPOSSIBLE, QUIET, CHECK = -1, 0, 1

_RANK_2 = np.uint64(0xFF00)
_RANK_7 = np.uint64(0x00FF_0000_0000_0000)
_EIGHT, _SIXTEEN = np.uint64(8), np.uint64(16)


class Cast(NamedTuple):
    """Who the m men of a half are, and the lines of the board.

    kinds:   uint8[m], index into KINDS or PAWN.
    sides:   uint8[m], ATTACKER or DEFENDER.
    between: uint64[64, 64], the squares strictly between two on a line, else none.
    lines:   uint64[3, 64], what a queen, rook, bishop attacks on the empty board.
    """

    kinds: NDArray[np.uint8]
    sides: NDArray[np.uint8]
    between: Words
    lines: Words


@cache
def _board() -> tuple[Words, Words]:
    between = np.zeros((64, 64), np.uint64)
    for line in range(4):
        for square in range(64):
            for other in range(64):
                if int(RAYS[line, square, 1]) >> other & 1:
                    between[square, other] = RAYS[line, square, 1] & RAYS[line, other, 0]
                    between[other, square] = between[square, other]
    lines = RAYS[:, :, 0] | RAYS[:, :, 1]
    rooks, bishops = lines[0] | lines[1], lines[2] | lines[3]
    return between, np.stack([rooks | bishops, rooks, bishops])


@cache
def men_of(half: Half) -> tuple[tuple[str, int], ...]:
    """(letter, side) of each man of a half, in the order of ``layout``."""
    men = [("K", ATTACKER)]
    for letters in (KINDS, "P"):
        for side, own in ((ATTACKER, half.attacker), (DEFENDER, half.defender)):
            men += [(man, side) for man in own if man in letters]
    return (*men, ("K", DEFENDER))


@cache
def cast_of(half: Half) -> Cast:
    """The men of a half for the kernels."""
    men = men_of(half)
    kinds = [PAWN if letter == "P" else KINDS.index(letter) for letter, _ in men]
    return Cast(np.array(kinds, np.uint8), np.array([side for _, side in men], np.uint8), *_board())


@kernel
def attacks(kind: Int, side: Int, square: Int, occupied: Word) -> Word:
    """The squares that a man attacks."""
    at = np.uint64(square)
    if kind == PAWN:
        return pawns(side == ATTACKER, bit(at))
    if kind == KING:
        return king(at)
    if kind == 0:
        return queen(at, occupied)
    if kind == 1:
        return rook(at, occupied)
    if kind == 2:
        return bishop(at, occupied)
    return knight(at)


@kernel
def pawn_goals(side: Int, start: Word, occupied: Word, other: Word, seen: Word) -> Word:
    """Where a pawn may go that attacks the squares ``seen``, pins and checks aside."""
    empty = ~occupied
    if side == ATTACKER:
        once = start << _EIGHT & empty
        twice = (once << _EIGHT & empty) if start & _RANK_2 else ZERO
    else:
        once = start >> _EIGHT & empty
        twice = (once >> _EIGHT & empty) if start & _RANK_7 else ZERO
    return once | twice | (seen & other)


@kernel
def _pin(cast: Cast, men: NDArray[np.uint8], side: Int, goals: Words, man: Word, on: Word) -> None:
    """Holds the man of a side that stands on a square to some squares."""
    for i in range(len(men)):
        if cast.sides[i] == side and bit(np.uint64(men[i])) == man:
            goals[i] &= on


@kernel
def survey(cast: Cast, men: NDArray[np.uint8], side: Int, goals: Words) -> Int:
    """Whether a position with a side to move is IMPOSSIBLE, QUIET or CHECK, and its moves.

    Writes into ``goals``, uint64[m], where each man of that side may go, en passant left out. For
    an impossible position (two men on one square, the side not to move in check) that is undefined.
    """
    last = len(men) - 1
    occupied, own = ZERO, ZERO
    for i in range(last + 1):
        square = bit(np.uint64(men[i]))
        if occupied & square:
            return IMPOSSIBLE
        occupied |= square
        if cast.sides[i] == side:
            own |= square
    home, target = (men[0], men[last]) if side == ATTACKER else (men[last], men[0])
    own_king, enemy_king = bit(np.uint64(home)), bit(np.uint64(target))
    other = occupied ^ own
    for i in range(last + 1):
        if cast.sides[i] == side:
            seen = attacks(cast.kinds[i], side, men[i], occupied)
            if seen & enemy_king:
                return IMPOSSIBLE
            if cast.kinds[i] == PAWN:
                goals[i] = pawn_goals(side, bit(np.uint64(men[i])), occupied, other, seen)
            else:
                goals[i] = seen & ~own
        else:
            goals[i] = ZERO
    danger, ending, state = ZERO, FULL, QUIET
    hollow = occupied ^ own_king
    for j in range(last + 1):
        if cast.sides[j] == side:
            continue
        kind, square = cast.kinds[j], men[j]
        seen = attacks(kind, 1 - side, square, hollow)
        danger |= seen
        line = cast.between[square, home]
        if seen & own_king:
            state = CHECK
            ending &= line | bit(np.uint64(square))
        elif kind < 3 and cast.lines[kind, square] & own_king:
            shield = line & occupied
            if shield & (shield - ONE) == ZERO and shield & own:
                _pin(cast, men, side, goals, shield, line | bit(np.uint64(square)))
    for i in range(last + 1):
        if cast.kinds[i] == KING:
            goals[i] &= ~danger
        else:
            goals[i] &= ending
    return state


@kernel
def in_check(cast: Cast, men: NDArray[np.uint8], side: Int, without: Int) -> bool:
    """Whether the king of a side is attacked, one man (or -1: none) being off the board."""
    last = len(men) - 1
    home = bit(np.uint64(men[0] if side == ATTACKER else men[last]))
    occupied = ZERO
    for i in range(last + 1):
        if i != without:
            occupied |= bit(np.uint64(men[i]))
    danger = ZERO
    for i in range(last + 1):
        if i != without and cast.sides[i] != side:
            danger |= attacks(cast.kinds[i], 1 - side, men[i], occupied)
    return danger & home != ZERO
