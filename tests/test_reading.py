"""Positions as people type them, and files of problems."""

from __future__ import annotations

import chess
import pytest

from zermelo.errors import InputError
from zermelo.problems.reading import read_board, read_problems


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("white Kh5 Rb5 Ph3 / black Kb8 Pa7", "1k6/p7/8/1R5K/8/7P/8/8 w - - 0 1"),
        ("Ke1 Re2 / kd5 w", "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"),
        ("Ke1 Re2 kd5", "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"),
        ("Kg1 Ra1,d1 f2 g2 / Kg8 f7 g7 h7  b", "6k1/5ppp/8/8/8/8/5PP1/R2R2K1 b - - 0 1"),
        ("Kg1 Sa1b3 / Kg8 bb8 black to move", "1b4k1/8/8/8/8/1N6/8/N5K1 b - - 0 1"),
        ("White: Ke1, Rh1; Black: Kd5 w K -", "8/8/8/3k4/8/8/8/4K2R w K - 0 1"),
        ("Ke5 Pd5 / Kg8 Pe7e5 w - e6 3 9".replace("Ke5", "Ka1"), None),
        ("r3k1K1/1RR3p1/7p/8/8/8/8/8 w q", "r3k1K1/1RR3p1/7p/8/8/8/8/8 w q - 0 1"),
        ("8/k1P5/2K5/8/8/8/8/8", "8/k1P5/2K5/8/8/8/8/8 w - - 0 1"),
    ],
)
def test_positions(text: str, fen: str | None) -> None:
    expected = fen or "6k1/4p3/8/3Pp3/8/8/8/K7 w - e6 3 9"
    assert read_board(text).fen(en_passant="fen") == expected


def test_a_piece_list_says_what_a_fen_says() -> None:
    board = chess.Board("r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P4/2PBPN2/PP3PPP/RNBQ1RK1 b kq - 2 6")
    lists = {True: [], False: []}  # type: dict[bool, list[str]]
    for square, piece in board.piece_map().items():
        lists[piece.color].append(piece.symbol().upper() + chess.square_name(square))
    text = f"white {' '.join(lists[True])} / black {' '.join(lists[False])} b kq - 2 6"
    assert read_board(text) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("hello", "'hello' is not a man"),
        ("Ke1 Xe2 / kd5", "'Xe2' is not a man"),
        ("Ke1 Re1 / kd5", "two men on e1"),
        ("Ke1 e2 kd5", "the pawn e2 white or black"),
        ("Ke1 / kd5 w foo", "'w foo' does not end"),
        ("8/8/8/8/8/8/8/9 w", "not a FEN"),
        ("8/8/8/8/8/8/8/8 x - -", "not a FEN"),
        ("8/8/8/8/8/8/8/8 w - - 0 1 3 4", "8 fields"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_board(text)


def test_files_of_problems() -> None:
    lines = [
        "# two-movers",
        "",
        "8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - - bm #2;",
        "8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - - 0 1 bm #12;",
        '8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - - dm 3; id "x #5";',
        "8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - -",
        "Ke1 Re2 / kd5 b bm #4;",
        "Ke1 Re2 / kd5 #3",
    ]
    problems = list(read_problems(lines, "f.epd"))
    assert [problem.n for problem in problems] == [2, 12, 3, None, 4, 3]
    assert problems[0].where == "f.epd:3"
    assert problems[0].fen == "8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - -"
    assert problems[1].fen == "8/3R4/b2p3p/2p3nk/1p2N1p1/p2BP3/r2PN1P1/3K4 w - - 0 1"
    assert problems[4].fen == "8/8/8/3k4/8/8/4R3/4K3 b - - 0 1"
    with pytest.raises(InputError, match=r"f.epd:2: 8/8/8 w: not a FEN"):
        list(read_problems(["", "8/8/8 w bm #2;"], "f.epd"))
