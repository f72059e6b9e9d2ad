"""What the engine knows without search: the fifty-move rule, Syzygy files, tables in the making."""

from __future__ import annotations

import random
import time
from pathlib import Path

import chess
import pytest

import zermelo.play.knowledge as knowledge_module
from zermelo.errors import InputError
from zermelo.play.knowledge import Knowledge
from zermelo.play.syzygy import Class, Syzygy
from zermelo.tables.material import Material
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome

SYZYGY = str(Path(__file__).parent / "data" / "syzygy")
"""King and pawn against king, and what it leads to."""
LATE = "8/8/8/3k4/8/8/4R3/4K3 w - - 90 100"


def never() -> bool:
    return False


def pawn_endings(tablebase: Tablebase, number: int) -> list[chess.Board]:
    """Won positions with the winner to move."""
    rng, found = random.Random(11), list[chess.Board]()
    while len(found) < number:
        board = chess.Board(None)
        for square, letter in zip(rng.sample(chess.SQUARES, 3), "KkP", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and tablebase.value(board).outcome is Outcome.WIN:
            found.append(board if rng.random() < 0.5 else board.mirror())
    return found


@pytest.mark.parametrize("own", [True, False])
def test_the_fifty_move_rule_is_kept(
    own: bool,
    tables: Path,
    tmp_path: Path,
    tablebase: Tablebase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock begins as late as the win allows; the defender holds out as long as it can."""
    if not own:
        monkeypatch.setattr(knowledge_module, "SMALL", 2)
    starts = pawn_endings(tablebase, 12)
    rng = random.Random(12)
    knowledge = Knowledge(str(tables if own else tmp_path), SYZYGY)
    other = Syzygy(SYZYGY)
    for start in starts:
        graded = other.grade(start, list(start.legal_moves))
        assert graded is not None
        assert graded[0].grade is Class.WIN
        board = start.copy()
        board.halfmove_clock = 99 - graded[0].dtz
        while not board.is_checkmate():
            assert board.halfmove_clock < 100, start.fen()
            assert not board.is_stalemate()
            assert not board.is_insufficient_material()
            if board.turn == start.turn:
                answer = knowledge.answer(board, list(board.legal_moves), never)
                assert answer is not None
                assert answer.move is not None
                board.push(answer.move)
            else:
                replies = other.grade(board, list(board.legal_moves))
                assert replies
                board.push(rng.choice([replies[0], *replies]).move)
        assert board.turn != start.turn
    knowledge.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_a_win_that_comes_too_late_is_a_draw(tables: Path, tablebase: Tablebase) -> None:
    board = chess.Board(LATE)
    tablebase.value(board)
    moves = list(board.legal_moves)
    alone = Knowledge(str(tables))
    answer = alone.answer(board, moves, never)
    assert answer is not None
    assert answer.score == "mate 14"
    assert "27 plies to mate, 90 on the clock" in answer.notes[0]
    alone.close()
    both = Knowledge(str(tables), SYZYGY)
    answer = both.answer(board, moves, never)
    assert answer is not None
    assert answer.score == "cp 0"
    assert answer.notes[0].startswith("drawn under the fifty-move rule")
    board.halfmove_clock = 73
    answer = both.answer(board, moves, never)
    assert answer is not None
    assert (answer.score, answer.notes) == ("mate 14", ())
    both.close()


def test_what_is_not_known(tables: Path) -> None:
    knowledge = Knowledge(str(tables), SYZYGY)
    for fen in ("8/8/8/8/8/8/8/R3K2k w Q - 0 1", "k7/2r5/1b6/8/8/8/6R1/6K1 w - - 0 1"):
        board = chess.Board(fen)
        assert knowledge.answer(board, list(board.legal_moves), never) is None
    knowledge.close()
    with pytest.raises(InputError, match="not a folder"):
        Knowledge(str(tables), "/nowhere/at/all")


def test_syzygy_files_answer_while_a_table_is_made(tmp_path: Path) -> None:
    knowledge = Knowledge(str(tmp_path), SYZYGY)
    board = chess.Board("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1")
    moves = list(board.legal_moves)
    first = knowledge.answer(board, moves, never)
    assert first is not None
    assert (first.value, first.centipawns > 4000) == (None, True)
    deadline = time.monotonic() + 300
    while knowledge.answer(board, moves, never).score != "mate 14":  # type: ignore[union-attr]
        assert time.monotonic() < deadline
        time.sleep(0.1)
    knowledge.close()


def test_a_small_table_is_made_in_the_background(tmp_path: Path) -> None:
    knowledge = Knowledge(str(tmp_path))
    board = chess.Board("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1")
    answer = knowledge.answer(board, list(board.legal_moves), never)
    assert answer is not None
    assert answer.score == "mate 14"
    assert [path.name for path in tmp_path.iterdir()] == ["KRvK.ztb"]
    begun = time.monotonic()
    board = chess.Board("8/8/8/3k4/8/8/4P3/4K1R1 w - - 0 1")
    assert knowledge.answer(board, list(board.legal_moves), lambda: True) is None
    assert time.monotonic() - begun < 1
    knowledge.close()
    finished = {path.name for path in tmp_path.iterdir()}
    assert all(name.endswith(".ztb") for name in finished)
    assert f"{Material.parse('KRPvK')}.ztb" not in finished
