"""Files in the classic encodings of `encoding`: written, read back, and asked about a position."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import zstandard

from zermelo.errors import InputError, TableError
from zermelo.tables.boards import men
from zermelo.tables.encoding import (
    HOLDS,
    ROWS,
    Bytes,
    answers_of,
    encodable,
    encoder,
    values_of,
)
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import layout
from zermelo.tables.material import Half, Material
from zermelo.tables.reach import Finished
from zermelo.tables.survey import cast_of
from zermelo.values import DRAW, Outcome, Value

MAGIC = b"zermelo answers\0"
_HEAD = struct.Struct("<16s16s")  # magic, material
"""The compressed file: this head, then in zstd the levels ``lost`` of the half, lane by lane."""

ANSWERS, VALUES = 64 * ROWS, 128 * ROWS
"""Lengths of the plain files in bytes."""


def values25(half: Half, solved: Finished) -> Bytes:
    """The 25-bit values, 33,554,432 bytes."""
    return values_of(encoder(half, solved.lost))


def answers24(half: Half, solved: Finished) -> Bytes:
    """The 24-bit answers, 16,777,216 bytes."""
    return answers_of(encoder(half, solved.lost))


def compressed(half: Half, solved: Finished) -> bytes:
    """The 24-bit answers in less than 2 MiB: what they are derived from, Black's distances."""
    cells = np.ascontiguousarray(solved.lost.T).tobytes()
    packed: bytes = zstandard.ZstdCompressor(level=19).compress(cells)
    return _HEAD.pack(MAGIC, str(half.material).encode("ascii")) + packed


class Answer(NamedTuple):
    """What a file says of a position with the outcome for the side to move.

    plies: from a file of values, None for a draw; ``move``: from one of answers, where White wins.
    """

    material: Material
    outcome: Outcome
    plies: int | None
    move: chess.Move | None

    @property
    def value(self) -> Value | None:
        """Outcome and distance; None for a win of which only the move is known."""
        if self.outcome is not Outcome.DRAW and self.plies is None:
            return None
        return Value(self.outcome, self.plies)


class Codes:
    """A file of values or of answers, plain or compressed.

    material: None where neither the file nor its name tells it. Raises InputError for a file that
    cannot be read, TableError for one that is neither or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from None
        self.material = _named(path)
        if data.startswith(MAGIC):
            data = self._expanded(data)
        if len(data) not in (ANSWERS, VALUES):
            raise TableError(
                f"{path}: {len(data):,} bytes long, where answers24 has {ANSWERS:,} "
                f"and values25 {VALUES:,}; write it again with zermelo export"
            )
        self.bytes: Bytes = np.frombuffer(data, np.uint8)

    @property
    def values(self) -> bool:
        """Whether it holds values, not answers."""
        return len(self.bytes) == VALUES

    def _expanded(self, data: bytes) -> bytes:
        """The plain answers that a compressed file stands for."""
        try:
            _, name = _HEAD.unpack_from(data)
            self.material = Material.parse(name.rstrip(b"\0").decode("ascii"))
            half = encodable(self.material)
            cells = zstandard.ZstdDecompressor().decompress(
                data[_HEAD.size :], max_output_size=layout(half).cells
            )
            lost = np.ascontiguousarray(np.frombuffer(cells, np.uint8).reshape(64, -1).T)
            if lost.size != layout(half).cells:
                raise ValueError(f"{lost.size} cells")
        except (struct.error, UnicodeDecodeError, ValueError, zstandard.ZstdError) as error:
            raise TableError(
                f"{self.path}: damaged ({error}); write it again with zermelo export"
            ) from None
        return answers_of(encoder(half, lost)).tobytes()

    def ask(self, board: chess.Board) -> Answer:
        """What the file says of a position; raises InputError if it is not about that."""
        if not men(board, chess.WHITE):
            answer = self.ask(board.mirror())
            return answer._replace(move=answer.move and _mirrored(answer.move))
        material = Material.of(men(board, chess.WHITE), men(board, chess.BLACK))
        half = encodable(material)
        if self.material not in (None, material):
            raise InputError(f"{board.fen()}: {material}, but {self.path} is about {self.material}")
        code = _code(half, board)
        if self.values:
            return self._value(material, board, int(self.bytes[code | (not board.turn) << 24]))
        if not board.turn:
            raise InputError(f"{board.fen()}: answers are for the side with the pieces to move")
        number = int(self.bytes[code])
        move = _move(half, code, number)
        return Answer(material, Outcome.WIN if move else Outcome.DRAW, None, move)

    def moves(self, board: chess.Board) -> list[tuple[chess.Move, Value | None]]:
        """Legal moves with their values for the side to move, best first.

        A file of answers gives only its best move, without a value, or none.
        """
        if not self.values:
            move = self.ask(board).move
            return [(move, None)] if move else []
        found = []
        for move in board.legal_moves:
            takes = board.is_capture(move)
            board.push(move)
            value = self._after_capture(board) if takes else self.ask(board).value
            board.pop()
            found.append((move, value and value.before))
        return sorted(found, key=lambda pair: (pair[1] is None, pair[1].rank if pair[1] else ()))

    @staticmethod
    def _after_capture(board: chess.Board) -> Value | None:
        """The file says nothing of the man that is left, but some draw whatever their place."""
        rest = men(board, chess.WHITE) + men(board, chess.BLACK)
        return DRAW if Half(rest, "").hopeless else None

    def _value(self, material: Material, board: chess.Board, byte: int) -> Answer:
        if byte == HOLDS:
            return Answer(material, Outcome.DRAW, None, None)
        if board.turn:
            return Answer(material, Outcome.WIN, 2 * byte + 1, None)
        return Answer(material, Outcome.LOSS, 2 * byte, None)


def _named(path: Path) -> Material | None:
    try:
        return Material.parse(path.name.split(".")[0])
    except InputError:
        return None


def _mirrored(move: chess.Move) -> chess.Move:
    return chess.Move(move.from_square ^ 56, move.to_square ^ 56)


def _code(half: Half, board: chess.Board) -> int:
    """The code of a position, without the side to move."""
    squares = [
        square
        for letter in ("K", *dict.fromkeys(half.attacker))
        for square in board.pieces(chess.Piece.from_symbol(letter).piece_type, chess.WHITE)
    ]
    code = 0
    for square in (*squares, board.king(chess.BLACK)):
        code = code << 6 | int(square or 0)
    return code


def _move(half: Half, code: int, number: int) -> chess.Move | None:
    """The move with a number in a position, or None if no move has it."""
    used = 0
    for man, shift in ((2, 6), (1, 12), (0, 18)):
        start = code >> shift & 63
        targets = geometry().targets[cast_of(half).kinds[man]]
        goals = [square for square in range(64) if int(targets[start]) >> square & 1]
        if 0 < number - used <= len(goals):
            return chess.Move(start, goals[number - used - 1])
        used += int(np.bitwise_count(targets).max())
    return None
