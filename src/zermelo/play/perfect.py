"""The move to play by the tables: the fastest mate, the longest defence, the draw with a trap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from zermelo.board.position import encode, uci
from zermelo.play.answer import Answer
from zermelo.play.expand import expand
from zermelo.tables.boards import check
from zermelo.tables.tablebase import Tablebase
from zermelo.values import DRAW, MATED, Outcome, Value

Position = NDArray[np.uint64]


class Candidate(NamedTuple):
    """A move, the position that it leads to, and what it is worth to its mover."""

    uci: str
    after: Position
    value: Value

    @property
    def rank(self) -> tuple[tuple[int, int], str]:
        """Sorts best first, equal ones by UCI."""
        return self.value.rank, self.uci


def candidates(tablebase: Tablebase, position: Position) -> list[Candidate]:
    """The legal moves with their values, in no order."""
    moves, after = expand(position)
    values = tablebase.judge(after)
    return [
        Candidate(uci(move), place, value.before)
        for move, place, value in zip(moves, after, values, strict=True)
    ]


def answer(tablebase: Tablebase, board: chess.Board, moves: Sequence[chess.Move]) -> Answer:
    """The best of some legal moves, and the line that follows it; see ``Tablebase`` for errors.

    Winning: the fastest mate. Lost: the longest defence. Drawn: see ``traps``.
    """
    check(board)
    wanted = {move.uci() for move in moves}
    found = [c for c in candidates(tablebase, encode(board)) if c.uci in wanted]
    if not found:
        return Answer((), MATED if board.is_check() else DRAW)
    best = min(found, key=lambda c: c.rank)
    if best.value == DRAW:
        drawing = [c for c in found if c.value == DRAW]
        return _answer([traps(tablebase, board, drawing)[0].uci], DRAW)
    return _answer([best.uci, *follow(tablebase, best.after)], best.value)


def _answer(line: list[str], value: Value) -> Answer:
    moves = tuple(chess.Move.from_uci(move) for move in line)
    return Answer(moves, value, depth=value.plies or len(line))


def follow(tablebase: Tablebase, position: Position) -> list[str]:
    """Best play by both sides from a decided position to the mate."""
    line = []
    while found := candidates(tablebase, position):
        best = min(found, key=lambda c: c.rank)
        line.append(best.uci)
        position = best.after
    return line


def traps(
    tablebase: Tablebase, board: chess.Board, drawing: Sequence[Candidate]
) -> list[Candidate]:
    """Drawing moves sorted by how many replies keep the draw, the fewest first.

    A move that ends the game comes last; of equal ones those come first that do not repeat a
    position, then those with the most replies in all.
    """
    if len(drawing) == 1:
        return list(drawing)
    parts = [expand(move.after)[1] for move in drawing]
    values = iter(tablebase.judge(np.concatenate(parts)))
    ranks = {}
    for move, part in zip(drawing, parts, strict=True):
        keeping = sum(next(values) == DRAW for _ in part)
        ranks[move.uci] = (not len(part), keeping, _repeats(board, move.uci), -len(part), move.uci)
    return sorted(drawing, key=lambda move: ranks[move.uci])


def _repeats(board: chess.Board, move: str) -> bool:
    after = board.copy()
    after.push_uci(move)
    return after.is_repetition(2)


def outlasts(value: Value, clock: int) -> bool:
    """Whether the fifty-move rule might come before the mate, with ``clock`` plies counted."""
    return value.outcome is not Outcome.DRAW and (value.plies or 0) + clock > 100
