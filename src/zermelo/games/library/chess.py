"""Chess as a game on a graph: from any position on, or all positions of a small ending.

The rules of chess without the fifty-move rule; endless repetition is a draw by the model. The
game ends with checkmate, stalemate, and where neither side has more than a bishop or a knight.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from zermelo.board.bits import ZERO, bit
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.position import OTHER, OWN, PAWN, WHITE, WORDS, Board, checkers, encode, make
from zermelo.errors import InputError
from zermelo.games.library import chess_text
from zermelo.jit import kernel

Position = bytes
"""The eleven words of ``zermelo.board.position``."""

KINDS = "PNBRQK"
VALUES = (1, 3, 3, 5, 9, 0)
ORDERS = ("plain", "captures", "engine")
MOST_MEN = 3


@kernel
def _expand(position: Any, moves: Any, out: Any) -> tuple[int, bool]:
    """Writes the positions after all legal moves; (how many, whether the mover is in check)."""
    count = int(generate(position, moves))
    for i in range(count):
        make(position, moves[i], out[i])
    return count, checkers(position) != ZERO


@kernel
def _threats(out: Any, count: int, moves: Any, replies: Any, checks: Any) -> None:
    """How many replies each position allows, and whether it is check."""
    for i in range(count):
        replies[i] = generate(out[i], moves)
        checks[i] = checkers(out[i]) != ZERO


@kernel
def _place(kinds: Any, own: Any, number: int, white: bool, flipped: Any, out: Any) -> bool:
    """Sets the men on the squares that are the digits of ``number``; whether that is legal."""
    out[:] = ZERO
    for i in range(kinds.size):
        square = bit(np.uint64(number & 63))
        number >>= 6
        if (out[OWN] | out[OTHER]) & square:
            return False
        if kinds[i] == PAWN and square & np.uint64(0xFF00_0000_0000_00FF):
            return False
        out[kinds[i]] |= square
        out[OWN if own[i] else OTHER] |= square
    out[WHITE] = np.uint64(white)
    flipped[:] = out
    flipped[OWN], flipped[OTHER] = out[OTHER], out[OWN]
    flipped[WHITE] = np.uint64(not white)
    return checkers(flipped) == ZERO


class Chess:
    """The game from one position on; ``order`` is one of ORDERS, for searches."""

    def __init__(self, board: Board, order: str = "plain") -> None:
        if order not in ORDERS:
            raise InputError(f"order {order!r}: not one of {', '.join(ORDERS)}")
        self.start = encode(board).tobytes()
        self._moves = np.zeros(MOST_MOVES, np.uint64)
        self._out = np.zeros((MOST_MOVES, WORDS), np.uint64)
        self._replies = np.zeros(MOST_MOVES, np.uint64)
        self._checks = np.zeros(MOST_MOVES, np.bool_)
        self._seen: tuple[Position, list[Position], bool] = (b"", [], False)
        if order != "plain":
            keys = {"captures": self._by_captures, "engine": self._by_promise}
            self.order = keys[order]

    def initial(self) -> Position:
        return self.start

    def _expanded(self, position: Position) -> tuple[list[Position], bool]:
        """The positions after all moves, and whether the mover is in check; the last is kept."""
        if self._seen[0] != position:
            words = np.frombuffer(position, np.uint64)
            count, check = _expand(words, self._moves, self._out)
            written = self._out[:count].tobytes()
            size = 8 * WORDS
            after = [written[i : i + size] for i in range(0, len(written), size)]
            self._seen = position, after, check
        return self._seen[1], self._seen[2]

    def mover(self, position: Position) -> int:
        return 1 if position[8 * int(WHITE)] else -1

    def moves(self, position: Position) -> list[Position]:
        return list(self._expanded(position)[0])

    def outcome(self, position: Position) -> int | None:
        after, check = self._expanded(position)
        if not after:
            return -1 if check else 0
        return 0 if _dead(position) else None

    def _by_captures(self, position: Position, moves: list[Position]) -> list[Position]:
        """What takes most comes first."""
        return sorted(moves, key=_material)

    def _by_promise(self, position: Position, moves: list[Position]) -> list[Position]:
        """Checks first, then what takes most, then what leaves the fewest replies."""
        count = len(moves)
        out = np.frombuffer(b"".join(moves), np.uint64).reshape(count, WORDS)
        _threats(out, count, self._moves, self._replies, self._checks)
        keys = [(not self._checks[i], _material(moves[i]), self._replies[i]) for i in range(count)]
        return [moves[i] for i in sorted(range(count), key=keys.__getitem__)]

    def show(self, position: Position) -> str:
        return chess_text.diagram(struct.unpack(f"<{WORDS}Q", position))

    def name_move(self, position: Position, to: Position) -> str:
        return chess_text.san(
            struct.unpack(f"<{WORDS}Q", position), struct.unpack(f"<{WORDS}Q", to)
        )


def _material(position: Position) -> int:
    """What the side to move has more than the other, in pawns."""
    words = struct.unpack(f"<{WORDS}Q", position)
    own, other = words[int(OWN)], words[int(OTHER)]
    return sum(
        value * ((words[kind] & own).bit_count() - (words[kind] & other).bit_count())
        for kind, value in enumerate(VALUES)
    )


def _dead(position: Position) -> bool:
    """Two kings alone, or with one bishop or knight."""
    pawns, knights, bishops, rooks, queens = struct.unpack_from("<5Q", position)
    return not (pawns | rooks | queens) and (knights | bishops).bit_count() <= 1


class ChessEnding(Chess):
    """All legal positions of a material of up to three men, such as KRvK, with either to move."""

    def __init__(self, material: str = "KRvK") -> None:
        sides = material.upper().split("V")
        men = [(letter, side == sides[0]) for side in sides for letter in side]
        if len(sides) != 2 or not all(
            side.count("K") == 1 and set(side) <= set(KINDS) for side in sides
        ):
            raise InputError(f"material {material!r}: write it like KRvK, one king a side")
        if len(men) > MOST_MEN:
            raise InputError(
                f"material {material}: {len(men)} men; a game here has {MOST_MEN} at most, "
                f"'zermelo solve {material}' makes its table"
            )
        self.kinds = np.array([KINDS.index(letter) for letter, _ in men], np.uint64)
        self.white = np.array([white for _, white in men])
        first = next(iter(self.positions()))
        super().__init__(chess_text.board(struct.unpack(f"<{WORDS}Q", first)))

    def positions(self) -> Iterator[Position]:
        out, flipped = np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64)
        for white in (True, False):
            own = self.white == white
            for number in range(64**self.kinds.size):
                if _place(self.kinds, own, number, white, flipped, out):
                    yield out.tobytes()
