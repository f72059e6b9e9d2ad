"""From the men of a half to a FEN: whose colours they have, and which way the board is turned."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from zermelo.tables.layout import layout, unplace
from zermelo.tables.material import Half
from zermelo.tables.survey import ATTACKER, men_of

_EMPTY = re.compile("1+")


def men_at(half: Half, cell: int) -> list[int]:
    """The squares of the men in a cell, in the order of ``layout``."""
    men = np.zeros(half.men, np.uint8)
    unplace(layout(half), cell >> 6, men)
    men[-1] = cell & 63
    found: list[int] = men.tolist()
    return found


def letters_of(half: Half, white_attacks: bool) -> list[str]:
    """The letter of each man of a half as a FEN has it, in the order of ``layout``."""
    return [
        letter if (side == ATTACKER) == white_attacks else letter.lower()
        for letter, side in men_of(half)
    ]


def fen(letters: Iterable[str], squares: Iterable[int], white_attacks: bool, turn: str) -> str:
    """The FEN of men on squares of a half, whose attacker's pawns go up, with ``turn`` w or b."""
    flip = 56 if white_attacks else 0
    board = ["1"] * 64
    for letter, square in zip(letters, squares, strict=True):
        board[square ^ flip] = letter
    ranks = "/".join("".join(board[start : start + 8]) for start in range(0, 64, 8))
    return f"{_EMPTY.sub(_length, ranks)} {turn} - - 0 1"


def _length(run: re.Match[str]) -> str:
    return str(len(run[0]))
