"""Reads positions as people write them: FEN, EPD and the piece lists of composers.

A piece list names the men of both sides and, if Black or a right matters, the rest of a FEN::

    white Kh5 Rb5 Ph3 / black Kb8 Pa7        words or a stroke part the sides
    Kg1 Ra1,d1 f2 g2 / Kg8 f7 g7 h7  b       squares alone are pawns, b: Black to move
    Ke1 Re2 kd5  w                           no parting: small letters are black

A knight may be N or S.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import chess

from zermelo.errors import InputError

_PLACEMENT = re.compile(r"\w*(?:/\w*){2,}")  # two strokes or more: meant as a FEN
_MEN = re.compile(r"([KQRBNSPkqrbnsp]?)((?:[a-h][1-8],?)+)")
_TOKEN = re.compile(r"/|[^\s/]+")
_OPERATION = re.compile(  # the opcodes of the EPD standard, or a bare stipulation
    r"(?<!\S)(?:#\s*\d|(?:ac[dns]|[abps]m|[cv]\d|ce|d[mr]|eco|fmvn|hmvc|id|nic|noop|pv|rc)\s)"
)
_MATE_IN = re.compile(r"#\s*(\d+)|(?<!\S)dm\s+(\d+)")

_FORMS = "give a FEN or a piece list such as 'Ke1 Re2 / kd5 w'"


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of a file of problems: the position as written and the mate asked for, if any."""

    board: chess.Board
    fen: str
    n: int | None
    where: str


def read_board(text: str) -> chess.Board:
    """The position that a FEN (one to six fields) or a piece list describes.

    Whether it is a possible one is not asked here. Raises InputError if it cannot be read.
    """
    words = text.split()
    if not words:
        raise InputError(f"the position is empty; {_FORMS}")
    if _PLACEMENT.fullmatch(words[0]):
        return _read_fen(text.strip(), words)
    return _read_men(text.strip())


def _read_fen(text: str, fields: list[str]) -> chess.Board:
    if len(fields) > 6:
        raise InputError(f"{text}: {len(fields)} fields where a FEN has at most six")
    try:
        return chess.Board(" ".join(fields))
    except ValueError as error:
        raise InputError(f"{text}: not a FEN ({str(error).partition(': ')[0]})") from None


def _read_men(text: str) -> chess.Board:
    board = chess.Board(None)
    sides, rest = _parted(text)
    for colour, token in sides:
        _place(board, colour, token, text)
    if not sides:
        raise InputError(f"{text}: no men; {_FORMS}")
    try:
        board.set_fen(f"{board.board_fen()} {' '.join(rest)}".rstrip())
    except ValueError:
        raise InputError(f"{text}: {' '.join(rest)!r} does not end a piece list") from None
    return board


def _parted(text: str) -> tuple[list[tuple[bool | None, str]], list[str]]:
    """The men of a piece list with their colour (None: by letter), and the rest of a FEN."""
    tokens = _TOKEN.findall(text)
    colour: bool | None = chess.WHITE if "/" in tokens else None
    men: list[tuple[bool | None, str]] = []
    for index, token in enumerate(tokens):
        word = token.lower().rstrip(":,")
        following = tokens[index + 1].lower() if index + 1 < len(tokens) else ""
        if token in ("w", "b"):
            return men, tokens[index:]
        if word in ("white", "black"):
            if following == "to":
                return men, [word[0]]
            colour = word == "white"
        elif token == "/":
            colour = chess.BLACK
        else:
            men.append((colour, token))
    return men, []


def _place(board: chess.Board, colour: bool | None, token: str, text: str) -> None:
    token = token.rstrip(",;")
    groups = _MEN.findall(token)
    if not groups or "".join(letter + squares for letter, squares in groups) != token:
        raise InputError(f"{text}: {token!r} is not a man on a square; {_FORMS}")
    for letter, squares in groups:
        if colour is None and not letter:
            raise InputError(f"{text}: is the pawn {squares} white or black? part the sides with /")
        side = letter.isupper() if colour is None else colour
        kind = chess.PIECE_SYMBOLS.index((letter or "p").lower().replace("s", "n"))
        for name in re.findall("[a-h][1-8]", squares):
            square = chess.parse_square(name)
            if board.piece_at(square):
                raise InputError(f"{text}: two men on {name}")
            board.set_piece_at(square, chess.Piece(kind, side))


def entries(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that say something, each with its number: not the empty ones, nor ``#`` and a note.

    White space around them is gone.
    """
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text


def read_problem(text: str, where: str = "") -> Problem:
    """One problem: ``FEN bm #3;``, ``FEN dm 3;`` or the position alone. Raises InputError.

    A FEN has one to six fields; a piece list does as well.
    """
    operations = _OPERATION.search(text)
    position = text[: operations.start() if operations else None].rstrip(" \t;")
    asked = _MATE_IN.search(text, len(position))
    n = int(asked[1] or asked[2]) if asked else None
    board, written = read_board(position), " ".join(position.split())
    fen = written if "/" in written.split()[0] else board.fen(en_passant="fen")
    return Problem(board, fen, n, where)


def read_problems(lines: Iterable[str], name: str) -> Iterator[Problem]:
    """The problems of a file, one a line. Raises InputError with the number of the line."""
    for number, text in entries(lines):
        where = f"{name}:{number}"
        try:
            yield read_problem(text, where)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
