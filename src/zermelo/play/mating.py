"""Mates by search: shorter ones before longer, with a line that ends in mate."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from zermelo.board.moves import MOST_MOVES, legal_moves
from zermelo.board.position import WORDS, encode, moved, uci
from zermelo.errors import LimitError
from zermelo.play.answer import Answer
from zermelo.problems.engine import LONGEST, Engine
from zermelo.problems.proof import write_replies
from zermelo.values import Outcome, Value

Position = NDArray[np.uint64]
PATIENCE = 2.0
"""Seconds for shorter mates before a long one is looked for, and at least for shortening it."""
EXHAUSTIVE = 3
"""Up to this length all first moves are judged together, by threads."""


class Progress(NamedTuple):
    """What is known after the search for mates in n: an answer, or the moves that are not lost."""

    n: int
    answer: Answer | None
    holding: list[str]


def mates(
    engine: Engine, board: chess.Board, moves: Sequence[chess.Move], longest: int = LONGEST
) -> Iterator[Progress]:
    """Looks for a forced mate among ``moves`` in 1, 2, 3 … moves, and for one against them all.

    The first that is found is the shortest. Raises LimitError when the engine is stopped.
    """
    search = _Search(engine, encode(board), {move.uci() for move in moves})
    for n in range(1, min(longest, LONGEST) + 1):
        answer = search.win(n) or search.loss(n)
        yield Progress(n, answer, search.holding)
        if answer:
            return


def mate_within(
    engine: Engine, board: chess.Board, moves: Sequence[chess.Move], most: int
) -> Answer | None:
    """A forced mate in at most ``most`` moves, among ``moves``; None if there is none.

    It is the shortest, unless showing that takes much longer than finding it: to prove that there
    is no mate in fewer can take hours where the mate itself takes a second. Raises LimitError when
    the engine is stopped.
    """
    search = _Search(engine, encode(board), {move.uci() for move in moves})
    most = min(most, LONGEST)
    started, fewest = time.monotonic(), 1
    try:
        while fewest <= most:
            if answer := search.win(fewest, started + PATIENCE if search.whole else None):
                return answer
            fewest += 1
        return None
    except LimitError:
        if time.monotonic() < started + PATIENCE:
            raise
    answer = search.win(most)
    deadline = time.monotonic() + max(PATIENCE, time.monotonic() - started)
    while answer and (length := (len(answer.line) + 1) // 2) > fewest:
        try:
            shorter = search.win(length - 1, deadline)
        except LimitError:
            if time.monotonic() < deadline:
                raise
            break
        if shorter is None:
            break
        answer = shorter
    return answer


class _Search:
    def __init__(self, engine: Engine, position: Position, allowed: set[str]) -> None:
        self.engine = engine
        self.position = position
        every = legal_moves(position)
        self.moves = [move for move in every if uci(move) in allowed]
        self.whole = len(self.moves) == len(every)
        self.losing: dict[int, int] = {}

    @property
    def holding(self) -> list[str]:
        return [uci(move) for move in self.moves if move not in self.losing]

    def win(self, n: int, deadline: float | None = None) -> Answer | None:
        """The answer if there is a mate in at most n."""
        if self.whole:
            if not self.engine.prove(self.position, n, deadline=deadline):
                return None
            return _answer(longest_line(self.engine, self.position, n), Outcome.WIN)
        keys = self.engine.keys(self.position, n, moves=self.moves, deadline=deadline)
        if not keys:
            return None
        return _answer(self._line_after(keys[0][0], n - 1), Outcome.WIN)

    def _line_after(self, move: int, n: int) -> list[int]:
        """A move and then the longest defence against the mate in n that follows."""
        after = moved(self.position, move)
        if not (replies := legal_moves(after)):
            return [move]
        # Each reply allows a mate in n: the line is the longest of those that follow.
        lines = [[reply, *longest_line(self.engine, moved(after, reply), n)] for reply in replies]
        return [move, *max(lines, key=len)]

    def loss(self, n: int) -> Answer | None:
        """The answer if every move allows a mate in n or less: the one that holds out longest."""
        left = [move for move in self.moves if move not in self.losing]
        if n <= EXHAUSTIVE and self.whole and len(left) == len(self.moves):
            kept = set(self.engine.refutations(self.position, n))
            beaten = [move for move in left if move not in kept]
        else:
            beaten = [m for m in left if self.engine.prove(moved(self.position, m), n)]
        self.losing.update(dict.fromkeys(beaten, n))
        if len(self.losing) < len(self.moves):
            return None
        move, length = max(self.losing.items(), key=lambda pair: pair[1])
        line = longest_line(self.engine, moved(self.position, move), length)
        return _answer([move, *line], Outcome.LOSS)


def _answer(line: list[int], outcome: Outcome) -> Answer:
    moves = tuple(chess.Move.from_uci(uci(move)) for move in line)
    return Answer(moves, Value(outcome, len(line)), depth=len(line))


def longest_line(engine: Engine, position: Position, n: int) -> list[int]:
    """The longest line of a proven mate in n: best defence against the moves of the proof."""
    steps = engine.strategy(position, n)
    known: dict[bytes, list[int]] = {}
    room = np.zeros(MOST_MOVES, dtype=np.uint64)
    after = np.empty((MOST_MOVES, WORDS), dtype=np.uint64)

    def line(place: Position) -> list[int]:
        name = place.tobytes()
        if name not in known:
            move = steps[name][0]
            count = int(write_replies(place, np.uint64(move), room, after))
            pairs = list(zip(room[:count].tolist(), after[:count].copy(), strict=True))
            known[name] = [
                move,
                *max(([reply, *line(p)] for reply, p in pairs), key=len, default=[]),
            ]
        return known[name]

    return line(position)
