"""Mates by search against the tables: the shortest, for either side, with a line that is one."""

from __future__ import annotations

import random

import chess

from test_uci import random_board
from zermelo.play.answer import Answer
from zermelo.play.mating import mate_within, mates
from zermelo.problems.engine import Engine
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome, Value

MATERIALS = ("KQvKR", "KRvKN", "KQvKP", "KBBvK", "KRvK")
LONGEST = 4
EACH = 30


def last(engine: Engine, board: chess.Board) -> Answer | None:
    return [step.answer for step in mates(engine, board, list(board.legal_moves), LONGEST)][-1]


def test_values_are_those_of_the_tables(tablebase: Tablebase) -> None:
    """One engine is asked about both sides in turn, so what it keeps of one may not mislead it."""
    rng, engine = random.Random(5), Engine(hash_mb=16)
    left = {Outcome.WIN: EACH, Outcome.LOSS: EACH, Outcome.DRAW: 10}
    while any(left.values()):
        board = random_board(rng.choice(MATERIALS), rng)
        value = tablebase.value(board)
        known = value.moves is not None and value.moves <= LONGEST
        kind = value.outcome if known else Outcome.DRAW
        if not left[kind]:
            continue
        left[kind] -= 1
        answer = last(engine, board)
        if not known:
            assert answer is None, board.fen()
            continue
        check(answer, board, value)
        if value.outcome is Outcome.WIN:
            check(mate_within(engine, board, list(board.legal_moves), 6), board, value)


def check(answer: Answer | None, board: chess.Board, value: Value) -> None:
    """The value is right, and the line is legal, as long as it says, and ends in mate."""
    assert answer is not None, board.fen()
    assert answer.value == value, board.fen()
    end = board.copy()
    for move in answer.line:
        assert move in end.legal_moves
        end.push(move)
    assert end.is_checkmate()
    assert len(answer.line) == value.plies


def test_some_moves_only() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1")
    engine = Engine(hash_mb=1)
    rooks = [chess.Move.from_uci("a1a8"), chess.Move.from_uci("e1e8")]
    for move in rooks:
        answer = mate_within(engine, board, [move, chess.Move.from_uci("g1f1")], 3)
        assert answer is not None
        assert answer.line == (move,)
    assert mate_within(engine, board, [chess.Move.from_uci("g1h1")], 1) is None
