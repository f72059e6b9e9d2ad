"""The legal moves of a position.

Pins and checks are found by looking from the king along its four lines. A pinned man may move
only on the line that pins it, and when there is a check only to the squares that end it; so every
move that is written is legal, without making it. King's moves and en passant, which takes two men
off a line, are tested by looking at the king's square afterwards.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.attacks import RAYS, bishop, king, knight, line, pawn_sides, pawns, rook
from zermelo.board.bits import (
    EIGHT,
    FULL,
    NINE,
    ONE,
    RANK_1,
    RANK_8,
    SEVEN,
    SIXTEEN,
    SIXTY_THREE,
    ZERO,
    Word,
    Words,
    bit,
    lsb,
    msb,
)
from zermelo.board.position import (
    BISHOP,
    CASTLING,
    KING,
    KNIGHT,
    OTHER,
    OWN,
    PASSED,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    attackers,
    encode_move,
)
from zermelo.jit import kernel

MOST_MOVES = 256
"""Room for the moves of any position (218 is the most known)."""

RANK_3 = np.uint64(0x0000_0000_00FF_0000)
RANK_6 = np.uint64(0x0000_FF00_0000_0000)


@kernel
def pins(position: Words) -> tuple[Word, Word, Word]:
    """Own pinned men, men that give check, and the squares where a check is ended.

    The last is the full board without a check, empty in double check, else the checking man
    and the squares between it and the king.
    """
    own, other = position[OWN], position[OTHER]
    occupied = own | other
    square = lsb(position[KING] & own)
    queens = position[QUEEN]
    leapers = other & (
        (pawns(position[WHITE] != ZERO, bit(square)) & position[PAWN])
        | (knight(square) & position[KNIGHT])
    )
    pinned, checking, ending = ZERO, leapers, FULL
    if leapers:
        ending = leapers if leapers & (leapers - ONE) == ZERO else ZERO
    for index in range(4):
        sliders = other & ((position[ROOK] if index < 2 else position[BISHOP]) | queens)
        for upward in range(2):
            seen = sliders & RAYS[index, square, upward]
            if seen:
                attacker = lsb(seen) if upward else msb(seen)
                between = RAYS[index, square, upward] & RAYS[index, attacker, 1 - upward]
                men = between & occupied
                if men == ZERO:
                    checking |= bit(attacker)
                    ending &= between | bit(attacker)
                elif men & (men - ONE) == ZERO:
                    pinned |= men & own
    return pinned, checking, ending


@kernel
def _write(moves: Words, count: Word, start: Word, targets: Word, kind: Word) -> Word:
    """Appends the moves of one man, not a pawn, and returns the new count."""
    base = encode_move(start, ZERO, kind, kind)
    while targets:
        moves[count] = base | lsb(targets) << np.uint64(6)
        count += ONE
        targets &= targets - ONE
    return count


@kernel
def _write_pawns(moves: Words, count: Word, targets: Word, step: Word) -> Word:
    """Appends pawn moves to ``targets``, each from ``step`` squares (modulo 64) before it."""
    while targets:
        target = lsb(targets)
        start = (target - step) & SIXTY_THREE
        if bit(target) & (RANK_1 | RANK_8):
            for kind in range(4, 0, -1):
                moves[count] = encode_move(start, target, PAWN, np.uint64(kind))
                count += ONE
        else:
            moves[count] = encode_move(start, target, PAWN, PAWN)
            count += ONE
        targets &= targets - ONE
    return count


@kernel
def pawn_moves(position: Words, men: Word, allowed: Word, moves: Words, count: Word) -> Word:
    """Appends the moves of some pawns to allowed squares, without en passant."""
    other = position[OTHER]
    empty = ~(position[OWN] | other)
    white = position[WHITE] != ZERO
    west, east = pawn_sides(white, men)
    if white:
        once = men << EIGHT & empty
        twice = (once & RANK_3) << EIGHT & empty
        ahead, jump, left, right = EIGHT, SIXTEEN, SEVEN, NINE
    else:
        once = men >> EIGHT & empty
        twice = (once & RANK_6) >> EIGHT & empty
        ahead, jump, left, right = ZERO - EIGHT, ZERO - SIXTEEN, ZERO - NINE, ZERO - SEVEN
    count = _write_pawns(moves, count, west & other & allowed, left)
    count = _write_pawns(moves, count, east & other & allowed, right)
    count = _write_pawns(moves, count, once & allowed, ahead)
    return _write_pawns(moves, count, twice & allowed, jump)


@kernel
def _moves_of(position: Words, men: Word, allowed: Word, moves: Words, count: Word) -> Word:
    """Appends the moves of some men, the king excepted, to allowed squares."""
    occupied = position[OWN] | position[OTHER]
    allowed &= ~position[OWN]
    if men & position[PAWN]:
        count = pawn_moves(position, men & position[PAWN], allowed, moves, count)
    rest = men & position[KNIGHT]
    while rest:
        start = lsb(rest)
        count = _write(moves, count, start, knight(start) & allowed, KNIGHT)
        rest &= rest - ONE
    queens = position[QUEEN]
    rest = men & (position[BISHOP] | queens)
    while rest:
        start = lsb(rest)
        kind = QUEEN if queens & bit(start) else BISHOP
        count = _write(moves, count, start, bishop(start, occupied) & allowed, kind)
        rest &= rest - ONE
    rest = men & (position[ROOK] | queens)
    while rest:
        start = lsb(rest)
        kind = QUEEN if queens & bit(start) else ROOK
        count = _write(moves, count, start, rook(start, occupied) & allowed, kind)
        rest &= rest - ONE
    return count


@kernel
def passing(position: Words) -> Word:
    """Pawns that may legally take the pawn that has just moved two steps."""
    passed = position[PASSED]
    white = position[WHITE] != ZERO
    captured = passed >> EIGHT if white else passed << EIGHT
    square = lsb(position[KING] & position[OWN])
    rest = pawns(not white, passed) & position[PAWN] & position[OWN]
    legal = ZERO
    while rest:
        start = rest & (ZERO - rest)
        rest ^= start
        occupied = (position[OWN] | position[OTHER]) ^ start ^ captured ^ passed
        if not attackers(position, square, occupied) & ~captured:
            legal |= start
    return legal


@kernel
def en_passant(position: Words, moves: Words, count: Word) -> Word:
    """Appends the legal captures of a pawn that has just moved two steps."""
    rest = passing(position)
    while rest:
        moves[count] = encode_move(lsb(rest), lsb(position[PASSED]), PAWN, PAWN)
        count += ONE
        rest &= rest - ONE
    return count


@kernel
def castling_moves(position: Words, square: Word, moves: Words, count: Word) -> Word:
    """Appends castling for a king that is not in check."""
    occupied = position[OWN] | position[OTHER]
    rest = position[CASTLING] & position[OWN]
    while rest:
        corner = lsb(rest)
        rest &= rest - ONE
        if corner > square:
            empty, step = RAYS[1, square, 1] & RAYS[1, corner, 0], ONE
        else:
            empty, step = RAYS[1, square, 0] & RAYS[1, corner, 1], FULL
        if not empty & occupied and not (
            attackers(position, square + step, occupied)
            or attackers(position, square + step + step, occupied)
        ):
            moves[count] = encode_move(square, square + step + step, KING, KING)
            count += ONE
    return count


@kernel
def king_moves(position: Words, square: Word, moves: Words, count: Word) -> Word:
    """Appends the king's moves by one square."""
    occupied = (position[OWN] | position[OTHER]) ^ bit(square)
    rest = king(square) & ~position[OWN]
    while rest:
        target = lsb(rest)
        if not attackers(position, target, occupied):
            moves[count] = encode_move(square, target, KING, KING)
            count += ONE
        rest &= rest - ONE
    return count


@kernel
def generate(position: Words, moves: Words) -> Word:
    """Writes all legal moves into ``moves``, ``uint64[MOST_MOVES]``, and returns their number."""
    own = position[OWN]
    square = lsb(position[KING] & own)
    pinned, checking, ending = pins(position)
    count = king_moves(position, square, moves, ZERO)
    if ending == ZERO:
        return count
    if not checking and position[CASTLING] & own:
        count = castling_moves(position, square, moves, count)
    if position[PASSED]:
        count = en_passant(position, moves, count)
    for index in range(5):
        men, allowed = own & ~pinned, ending
        if index < 4:
            on_line = line(np.uint64(index), square)
            men, allowed = pinned & on_line, ending & on_line
        if men:
            count = _moves_of(position, men, allowed, moves, count)
    return count


def legal_moves(position: Words) -> list[int]:
    """All legal moves of a position, for plain Python."""
    moves = np.zeros(MOST_MOVES, dtype=np.uint64)
    count = generate(position, moves)
    return [int(move) for move in moves[:count]]
