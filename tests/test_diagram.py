"""Which diagrams are unplayable, which are impossible, which rights they keep."""

from __future__ import annotations

import random

import chess
import pytest

from zermelo.problems.diagram import impossible, settle, unplayable


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/8/8/K7 w", "Black has no king"),
        ("k6k/8/8/8/8/8/8/K7 w", "Black has 2 kings"),
        ("P6k/8/8/8/8/8/8/K7 w", "a pawn stands on a8"),
        ("k7/2N5/K7/8/8/8/8/8 w", "Black is in check but White is to move"),
        ("8/8/8/8/8/8/kK6/8 b", "White is in check but Black is to move"),
    ],
)
def test_unplayable(fen: str, reason: str) -> None:
    assert unplayable(chess.Board(fen)) == [reason]


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("nnnnnnnn/nnnnnnnk/nn6/8/8/8/8/1K6 w", "Black has 18 men"),
        ("7k/8/PPPPPPPP/8/8/8/P7/K7 w", "White has 9 pawns"),
        ("k7/8/8/NNN5/8/8/PPPPPPPP/6KN w", "White has 2 promoted pieces but only 0 missing pawns"),
        ("k7/8/8/8/B1B5/8/PPPPPPPP/6K1 w", "White has 1 promoted piece but only 0 missing pawns"),
        (
            "rnbqkbnr/pppppppp/8/8/8/P7/P1PPPPPP/RNBQKBNR w",
            "White's pawns have made at least 1 capture but only 0 of Black's men are missing",
        ),
        ("4k3/8/8/8/8/PP6/PP6/4K3 w", "White's pawns cannot have reached their squares"),
        ("4k3/8/8/8/8/3n1n2/8/4K3 w", "the double check from d3 and f3 can have come from no move"),
        ("4k3/8/8/8/8/3n4/8/2r1K3 w", "the double check from c1 and d3 can have come from no move"),
        ("4R1k1/8/8/6R1/8/8/8/4K3 b", "the double check from g5 and e8 can have come from no move"),
        ("k6Q/8/8/8/8/8/8/R3K3 b", "the double check from a1 and h8 can have come from no move"),
        ("4k3/8/8/8/8/2bn4/8/4K1r1 w", "White is in check from 3 men at once (g1, c3 and d3)"),
    ],
)
def test_impossible(fen: str, reason: str) -> None:
    board = chess.Board(fen)
    assert unplayable(board) == []
    assert impossible(board) == [reason]


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/P7/P7/P7/4K3 w",  # b-pawn and c-pawn have captured
        "4k3/8/8/8/8/8/8/4K3 w",
        "4r1k1/8/8/8/8/3n4/8/4K3 w",  # the knight came from a square of the e-file
        "4R1k1/8/8/8/8/8/8/B3K3 b",
        "2R1k3/8/8/8/B7/8/8/4K3 b",  # promoted on c8, from d7
    ],
)
def test_possible(fen: str) -> None:
    board = chess.Board(fen)
    assert unplayable(board) == []
    assert impossible(board) == []


def test_en_passant_can_open_two_lines_at_once() -> None:
    board = chess.Board("4R3/8/2B5/3pP3/4k3/8/8/4K3 w - d6 0 1")
    board.push_uci("e5d6")
    assert board.checkers() == chess.SquareSet([chess.E8, chess.C6])
    assert impossible(board) == []


def test_positions_of_games_are_possible() -> None:
    rng = random.Random(4)
    double_checks = 0
    for _ in range(40):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 160:
            moves = list(board.legal_moves)
            checks = [move for move in moves if board.gives_check(move)]
            board.push(rng.choice(checks if checks and rng.random() < 0.7 else moves))
            double_checks += len(board.checkers()) > 1
            assert unplayable(board) == [], board.fen()
            assert impossible(board) == [], board.fen()
    assert double_checks


def test_rights() -> None:
    board, dropped = settle(chess.Board("r3k1K1/8/8/8/8/8/8/8 w KQkq g6"))
    assert board.fen(en_passant="fen") == "r3k1K1/8/8/8/8/8/8/8 w q - 0 1"
    assert len(dropped) == 2
    assert settle(chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6"))[1] == []
    assumed, _ = settle(chess.Board("r3k2r/8/8/8/8/8/8/4K2R w - -"), assume_castling=True)
    assert assumed.castling_xfen() == "Kkq"
