"""Is it mate, and is there a mate in one?

Both are asked so often that they are answered without a list of moves: only checks are looked at,
and of these only such as leave no flight that nothing could cover.
"""

from __future__ import annotations

import numpy as np

from zermelo.board.attacks import RAYS, bishop, king, knight, line, pawn_sides, pawns, rook
from zermelo.board.bits import EIGHT, ONE, RANK_1, RANK_8, SIXTEEN, ZERO, Word, Words, bit, lsb, msb
from zermelo.board.moves import castling_moves, en_passant, king_moves, passing, pawn_moves, pins
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
    becomes,
    destination,
    encode_move,
    make,
    mover,
    origin,
)
from zermelo.jit import kernel

RANK_4 = np.uint64(0xFF00_0000)
RANK_5 = np.uint64(0xFF_0000_0000)
LIST = np.uint64(64)
"""Where ``mate_in_one`` begins its list of moves; attacks of the man on square s stand at s."""


@kernel
def movers(position: Words, square: Word, occupied: Word) -> Word:
    """Own men except the king that could move to a square, pins and en passant aside."""
    target = bit(square)
    white = position[WHITE] != ZERO
    queens = position[QUEEN]
    men = (
        (knight(square) & position[KNIGHT])
        | (bishop(square, occupied) & (position[BISHOP] | queens))
        | (rook(square, occupied) & (position[ROOK] | queens))
    )
    if target & position[OTHER]:
        men |= pawns(not white, target) & position[PAWN]
    else:
        behind = target >> EIGHT if white else target << EIGHT
        men |= behind & position[PAWN]
        if not behind & occupied:
            far = (target & RANK_4) >> SIXTEEN if white else (target & RANK_5) << SIXTEEN
            men |= far & position[PAWN]
    return men & position[OWN]


@kernel
def has_flight(position: Words) -> bool:
    """Whether the king of the side to move has a legal move by one square."""
    own = position[OWN]
    square = lsb(position[KING] & own)
    occupied = (own | position[OTHER]) ^ bit(square)
    rest = king(square) & ~own
    while rest:
        if not attackers(position, lsb(rest), occupied):
            return True
        rest &= rest - ONE
    return False


@kernel
def is_mate(position: Words) -> bool:
    """Whether the side to move is checkmated."""
    pinned, checking, ending = pins(position)
    if not checking:
        return False
    own = position[OWN]
    occupied = own | position[OTHER]
    # A pinned man can never end a check: its line meets the checking line only at the king.
    free = ~(pinned | position[KING])
    rest = ending
    while rest:
        if movers(position, lsb(rest), occupied) & free:
            return False
        rest &= rest - ONE
    return not has_flight(position) and not (position[PASSED] and passing(position))


@kernel
def screens(position: Words, square: Word) -> Word:
    """Men of either colour that stand alone between an own slider and a square."""
    own = position[OWN]
    occupied = own | position[OTHER]
    found = ZERO
    for index in range(4):
        sliders = own & ((position[ROOK] if index < 2 else position[BISHOP]) | position[QUEEN])
        for upward in range(2):
            seen = sliders & RAYS[index, square, upward]
            if seen:
                slider = lsb(seen) if upward else msb(seen)
                men = RAYS[index, square, upward] & RAYS[index, slider, 1 - upward] & occupied
                if men & (men - ONE) == ZERO:
                    found |= men
    return found


@kernel
def line_through(one: Word, other: Word) -> Word:
    """All squares of the line through two squares, without the first; empty if there is none."""
    for index in range(4):
        squares = line(np.uint64(index), one)
        if squares & bit(other):
            return squares
    return ZERO


@kernel
def reach(kind: Word, square: Word, occupied: Word) -> Word:
    """Squares that a knight, bishop, rook or queen attacks."""
    if kind == KNIGHT:
        return knight(square)
    squares = ZERO
    if kind != ROOK:
        squares = bishop(square, occupied)
    if kind != BISHOP:
        squares |= rook(square, occupied)
    return squares


@kernel
def mate_in_one(position: Words, after: Words, room: Words) -> Word:
    """A move that mates, or 0; ``after`` (a position) and ``room`` (for moves) are overwritten."""
    own, other = position[OWN], position[OTHER]
    occupied = own | other
    square, target = lsb(position[KING] & own), lsb(position[KING] & other)
    white = position[WHITE] != ZERO
    pinned, checking, ending = pins(position)
    screen = screens(position, target) & own
    without = occupied ^ bit(target)
    west, east = pawn_sides(white, position[PAWN] & own)
    guarded = west | east | king(square)
    twice, sliding = west & east | (west | east) & king(square), ZERO
    for index in range(1, 5):
        kind = np.uint64(index)
        rest = own & position[kind]
        while rest:
            start = lsb(rest)
            squares = reach(kind, start, without)
            room[start] = squares
            twice |= guarded & squares
            guarded |= squares
            if kind != KNIGHT:
                sliding |= squares
            rest &= rest - ONE
    around = king(target)
    diagonal, straight = bishop(target, occupied), rook(target, occupied)

    for index in range(1, 5 if ending else 1):
        kind = np.uint64(index)
        if kind == KNIGHT:
            checks = knight(target)
        else:
            checks = ZERO if kind == ROOK else diagonal
            checks |= ZERO if kind == BISHOP else straight
        checks &= ending
        rest = own & position[kind]
        while rest:
            start = lsb(rest)
            one = bit(start)
            rest ^= one
            targets = room[start] & ~own & checks
            if one & screen:
                targets |= room[start] & ~(own | line_through(target, start)) & ending
            if targets and one & pinned:
                targets &= line_through(square, start)
            while targets:
                goal = lsb(targets)
                targets &= targets - ONE
                flights = around & (~other | bit(goal)) & ~(twice | guarded & ~room[start])
                if flights:
                    flights &= ~reach(kind, goal, (without ^ one) | bit(goal))
                    # A man that leaves may open lines of sliders that see it.
                    if flights and (not one & sliding or flights & ~reach(QUEEN, start, ZERO)):
                        continue
                move = encode_move(start, goal, kind, kind)
                make(position, move, after)
                if is_mate(after):
                    return move

    count = LIST
    if ending:
        men = position[PAWN] & own
        checks = (pawns(not white, bit(target)) | RANK_1 | RANK_8) & ending
        behind = (
            checks >> EIGHT | checks >> SIXTEEN if white else checks << EIGHT | checks << SIXTEEN
        )
        near = men & (behind | pawns(not white, checks & other)) & ~(pinned | screen)
        if near:
            count = pawn_moves(position, near, checks, room, count)
        rest = men & (pinned | screen)
        while rest:
            start = lsb(rest)
            allowed = ending if bit(start) & screen else checks
            if bit(start) & pinned:
                allowed &= line_through(square, start)
            count = pawn_moves(position, bit(start), allowed, room, count)
            rest &= rest - ONE
        if position[PASSED]:
            count = en_passant(position, room, count)
        if not checking and position[CASTLING] & own:
            count = castling_moves(position, square, room, count)
    if bit(square) & screen:
        count = king_moves(position, square, room, count)
    for index in range(LIST, count):
        move = room[index]
        start, goal, kind = origin(move), destination(move), becomes(move)
        one = bit(start)
        if mover(move) == PAWN and bit(goal) != position[PASSED]:
            flights = around & (~other | bit(goal)) & ~(twice | guarded & ~pawns(white, one))
            if kind == PAWN:
                flights &= ~pawns(white, bit(goal))
            else:
                flights &= ~reach(kind, goal, (without ^ one) | bit(goal))
            if flights and (not one & sliding or flights & ~reach(QUEEN, start, ZERO)):
                continue
        make(position, move, after)
        if is_mate(after):
            return move
    return ZERO
