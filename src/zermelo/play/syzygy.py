"""Syzygy files, read by python-chess: wins and draws under the fifty-move rule.

Distances are those to the next capture or pawn move (DTZ). They may be one too small, so a win
counts as sure only if it leaves a ply to spare.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import chess
import chess.syzygy

from zermelo.errors import InputError
from zermelo.play.answer import Answer
from zermelo.values import DRAW, MATED, Value

SURE = 5_000
"""Centipawns of a win whose length is not known."""
FIFTY = 100
AFTER_ZEROING = {2: 1, 1: 101, 0: 0, -1: -101, -2: -1}
"""DTZ before a capture or pawn move, by what it leads to."""


class Class(IntEnum):
    """How good a move is under the fifty-move rule, best first."""

    WIN = 0
    LATE_WIN = 1
    DRAW = 2
    LATE_LOSS = 3
    LOSS = 4


class Graded(NamedTuple):
    """A move, its class, and its DTZ in plies, positive where the mover wins."""

    move: chess.Move
    grade: Class
    dtz: int


class Syzygy:
    """The files of one or more folders, their names separated as in ``PATH``."""

    def __init__(self, folders: str) -> None:
        self._files = chess.syzygy.Tablebase()
        for folder in folders.split(os.pathsep):
            if not Path(folder).is_dir():
                raise InputError(f"{folder}: not a folder; name the folder of the Syzygy files")
            self._files.add_directory(folder)

    def close(self) -> None:
        """Closes the files."""
        self._files.close()

    def grade(self, board: chess.Board, moves: Sequence[chess.Move]) -> list[Graded] | None:
        """The moves, best class first and in it the best DTZ; None where a file is missing."""
        try:
            graded = [self._grade(board.copy(), move) for move in moves]
        except KeyError:
            return None
        return sorted(graded, key=lambda g: (g.grade, g.dtz, g.move.uci()))

    def _grade(self, board: chess.Board, move: chess.Move) -> Graded:
        clock = board.halfmove_clock
        board.push(move)
        if board.is_checkmate():
            return Graded(move, Class.WIN, 0)
        if board.halfmove_clock == 0:
            dtz = AFTER_ZEROING[-self._files.probe_wdl(board)]
        else:
            dtz = -self._files.probe_dtz(board)
            dtz += (dtz > 0) - (dtz < 0)
        return Graded(move, _class(dtz, clock), dtz)

    def answer(self, board: chess.Board, moves: Sequence[chess.Move]) -> Answer | None:
        """The move that reaches the next capture or pawn move soonest, lost: latest."""
        if not moves:
            return Answer((), MATED if board.is_check() else DRAW)
        graded = self.grade(board, moves)
        if graded is None:
            return None
        move, grade, dtz = graded[0]
        value: Value | None = DRAW if grade is Class.DRAW else None
        centipawns = {Class.WIN: SURE - dtz, Class.LOSS: -SURE - dtz}.get(grade, 0)
        return Answer((move,), value, centipawns)


def _class(dtz: int, clock: int) -> Class:
    if dtz > 0:
        return Class.WIN if dtz + clock < FIFTY else Class.LATE_WIN
    if dtz < 0:
        return Class.LOSS if clock - dtz <= FIFTY else Class.LATE_LOSS
    return Class.DRAW
