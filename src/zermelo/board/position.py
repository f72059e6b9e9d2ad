"""A position as eleven words, what attacks what in it, and how a move changes it.

    0-5   pawns, knights, bishops, rooks, queens, kings of both colours
    6, 7  the men of the side to move, the men of the other side
    8     1 if White is to move, else 0
    9     rooks that may still castle (a set out of a1, h1, a8, h8)
    10    the square behind a pawn that has just moved two steps, if a pawn stands ready to take it

Arrays of positions are ``uint64[n, 11]``; a kernel takes one position, ``uint64[11]``. A move is
one number: from-square in bits 0-5, to-square in bits 6-11, kind of the man that moves in bits
12-14 (0 pawn ... 5 king), kind that it becomes in bits 15-17 (another only when a pawn promotes).
Castling is the king's move by two squares.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from zermelo.board.attacks import bishop, king, knight, pawns, rook
from zermelo.board.bits import (
    EIGHT,
    ONE,
    SEVEN,
    SIXTY_THREE,
    ZERO,
    Word,
    Words,
    bit,
    lsb,
    mirror_top_bottom,
)
from zermelo.jit import kernel

WORDS = 11
"""Length of a position."""

PAWN = np.uint64(0)
KNIGHT = np.uint64(1)
BISHOP = np.uint64(2)
ROOK = np.uint64(3)
QUEEN = np.uint64(4)
KING = np.uint64(5)
OWN = np.uint64(6)
OTHER = np.uint64(7)
WHITE = np.uint64(8)
CASTLING = np.uint64(9)
PASSED = np.uint64(10)

LETTERS = "pnbrqk"
"""The kinds 0-5 as FEN and UCI write them."""


class Board(Protocol):
    """What a position is read from: the attributes that python-chess's Board has."""

    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    occupied_co: list[int]
    turn: bool
    ep_square: int | None

    def clean_castling_rights(self) -> int:
        """The rooks that may castle, as a set of squares."""


def encode(board: Board) -> Words:
    """The position of a ``chess.Board`` with one king a side and standard castling."""
    position = np.zeros(WORDS, dtype=np.uint64)
    position[:6] = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    position[OWN] = board.occupied_co[board.turn]
    position[OTHER] = board.occupied_co[not board.turn]
    position[WHITE] = board.turn
    position[CASTLING] = board.clean_castling_rights()
    if board.ep_square is not None:
        passed = bit(np.uint64(board.ep_square))
        if pawns(not board.turn, passed) & position[PAWN] & position[OWN]:
            position[PASSED] = passed
    return position


def uci(move: int) -> str:
    """A move as UCI writes it: ``e2e4``, ``e7e8q``, castling ``e1g1``."""
    move = int(move)
    squares = "".join("abcdefgh"[s & 7] + "12345678"[s >> 3] for s in (move & 63, move >> 6 & 63))
    kind, becomes = move >> 12 & 7, move >> 15 & 7
    return squares + (LETTERS[becomes] if becomes != kind else "")


@kernel
def encode_move(start: Word, target: Word, kind: Word, becomes: Word) -> Word:
    """The number of a move."""
    return start | target << np.uint64(6) | kind << np.uint64(12) | becomes << np.uint64(15)


@kernel
def origin(move: Word) -> Word:
    """From-square of a move."""
    return move & SIXTY_THREE


@kernel
def destination(move: Word) -> Word:
    """To-square of a move."""
    return move >> np.uint64(6) & SIXTY_THREE


@kernel
def mover(move: Word) -> Word:
    """Kind of the man that moves."""
    return move >> np.uint64(12) & SEVEN


@kernel
def becomes(move: Word) -> Word:
    """Kind of that man after the move."""
    return move >> np.uint64(15) & SEVEN


@kernel
def attackers(position: Words, square: Word, occupied: Word) -> Word:
    """The other side's men that attack a square when these squares are occupied."""
    queens = position[QUEEN]
    return position[OTHER] & (
        (pawns(position[WHITE] != ZERO, bit(square)) & position[PAWN])
        | (knight(square) & position[KNIGHT])
        | (king(square) & position[KING])
        | (bishop(square, occupied) & (position[BISHOP] | queens))
        | (rook(square, occupied) & (position[ROOK] | queens))
    )


@kernel
def checkers(position: Words) -> Word:
    """The men that give check to the side to move."""
    square = lsb(position[KING] & position[OWN])
    return attackers(position, square, position[OWN] | position[OTHER])


@kernel
def make(position: Words, move: Word, out: Words) -> None:
    """Writes into ``out``, another array, the position after a legal move."""
    start, target = bit(origin(move)), bit(destination(move))
    kind = mover(move)
    own = (position[OWN] ^ start) | target
    other = position[OTHER] & ~target
    for index in range(6):
        out[index] = position[index] & ~(start | target)
    out[becomes(move)] |= target
    castling = position[CASTLING] & ~(start | target)
    passed = ZERO
    if kind == PAWN:
        white = position[WHITE] != ZERO
        if target == position[PASSED]:
            captured = target >> EIGHT if white else target << EIGHT
            out[PAWN] ^= captured
            other ^= captured
        elif target == start << np.uint64(16) or target == start >> np.uint64(16):
            behind = start << EIGHT if white else start >> EIGHT
            if pawns(white, behind) & out[PAWN] & other:
                passed = behind
    elif kind == KING:
        castling &= ~position[OWN]
        # A king that jumps over a square castles: the rook goes to that square.
        if target == start << np.uint64(2):
            jump = target << ONE | start << ONE
            out[ROOK] ^= jump
            own ^= jump
        elif target == start >> np.uint64(2):
            jump = target >> np.uint64(2) | start >> ONE
            out[ROOK] ^= jump
            own ^= jump
    out[OWN] = other
    out[OTHER] = own
    out[WHITE] = position[WHITE] ^ ONE
    out[CASTLING] = castling
    out[PASSED] = passed


@kernel
def make_pass(position: Words, out: Words) -> None:
    """Writes into ``out``, another array, the position with the other side to move instead."""
    for index in range(WORDS):
        out[index] = position[index]
    out[OWN] = position[OTHER]
    out[OTHER] = position[OWN]
    out[WHITE] = position[WHITE] ^ ONE
    out[PASSED] = ZERO


def moved(position: Words, move: int) -> Words:
    """The position after a legal move, as a new array."""
    out = np.empty(WORDS, dtype=np.uint64)
    make(position, np.uint64(move), out)
    return out


def passed(position: Words) -> Words:
    """The position after a move that is left out, as a new array."""
    out = np.empty(WORDS, dtype=np.uint64)
    make_pass(position, out)
    return out


@kernel
def mirror(position: Words, out: Words) -> None:
    """Writes into ``out`` the same position with the colours changed and the board turned over."""
    for index in range(WORDS):
        out[index] = mirror_top_bottom(position[index])
    out[WHITE] = position[WHITE] ^ ONE
