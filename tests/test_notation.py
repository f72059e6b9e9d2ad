"""Solutions as text, for databases, as JSON, PGN and SVG."""

from __future__ import annotations

import io
import json
import re

import chess
import chess.pgn
import pytest

from problem_play import known_problems, shapes, variation_shapes
from reference_text import read
from zermelo.problems.engine import Engine
from zermelo.problems.export import summary, to_json, to_pgn, to_svg
from zermelo.problems.long_notation import long_text
from zermelo.problems.notation import text
from zermelo.problems.solution import Request, solve_mate

MINOR = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(hash_mb=16)


def test_short_text(engine: Engine) -> None:
    assert text(solve_mate(MINOR, 2, engine=engine)).splitlines() == [
        "White mates in 2: sound",
        "  set play  1…B~ 2.Rxa7#",
        "  try       1.Ra5? zugzwang   but 1…a6!",
        "            1.Rxa7+?          but 1…Bxa7!",
        "  key       1.Ra6! zugzwang",
        "            1…bxa6 2.b7#",
        "            1…B~   2.Rxa7#",
    ]


def test_play_inside_play(engine: Engine) -> None:
    fen = "8/8/pQ6/p1P5/P1p5/5p2/2k2P2/R3K3 w Q - 0 1"
    assert text(solve_mate(fen, 3, engine=engine)).splitlines() == [
        "White mates in 3: sound",
        "  set play  1…c3 2.Qb1#",
        "  try       1.c6? zugzwang         but 1…Kd3!",
        "            1.Rd1? threat 2.Rd2+   but 1…Kc3!",
        "              2…K~ 3.Qb2#",
        "            1.Ra3? zugzwang        but 1…c3!",
        "            1.Qb7? zugzwang        but 1…Kc3!",
        "            1.Ra2+?                but 1…Kd3!",
        "            1.Qb1+?                but 1…Kc3!",
        "  key       1.Qf6! zugzwang",
        "            1…Kb3 2.Kd2 threat 3.Qc3#/Qb6#",
        "              2…Kb4 3.Qb6#",
        "              2…c3+ 3.Qxc3#",
        "            1…Kd3 2.O-O-O+",
        "              2…Ke2 3.Qb2#",
        "              2…Ke4 3.Rd4#",
        "            1…c3  2.Qe6 zugzwang",
        "              2…Kb2 3.Qa2#",
        "              2…Kd3 3.O-O-O#",
        "  duals     1 in threats",
    ]


def test_faults_of_other_programs_do_not_occur(engine: Engine) -> None:
    # A stalemating try is shown, a shorter mate stands apart, castling is not overlooked.
    stalemate = text(solve_mate("8/k1P5/2K5/8/8/8/8/8 w", 2, engine=engine))
    assert "  try       1.c8=Q? stalemate\n" in stalemate
    assert "1.c8=R! zugzwang" in stalemate
    short = text(solve_mate("k3N3/P7/K6p/8/8/8/8/8 w", 2, engine=engine))
    assert "  short     1.Nc7#!\n  key       1.Kb6! threat 2.Nc7#" in short
    castling = "r3k1K1/1RR3p1/7p/8/8/8/8/8 w"
    assert "1.Rf7? threat 2.Rf8#   but 1…O-O-O+!" in text(
        solve_mate(f"{castling} q", 2, engine=engine)
    )
    assert "key       1.Rf7! threat 2.Rf8#" in text(solve_mate(castling, 2, engine=engine))


def test_moves_are_gathered_only_if_every_move_of_the_man_is_shown(engine: Engine) -> None:
    gathered = 0
    for problem in known_problems():
        if problem["moves"] != 2 or len(problem["keys"]) != 1:
            continue
        solution = solve_mate(problem["position"], 2, request=Request(tries=0), engine=engine)
        key = solution.keys[0]
        board = chess.Board(problem["position"])
        board.push_uci(key.move)
        shown = {variation.defence for variation in key.variations}
        play = text(solution).partition("  key ")[2]
        for name in re.findall(r"([NBRQK]?)([a-h]?)\d?~", play):
            letter, file = name
            men = [
                square
                for square in board.pieces(
                    chess.PIECE_SYMBOLS.index((letter or "p").lower()), board.turn
                )
                if not file or chess.square_file(square) == "abcdefgh".index(file)
            ]
            moves = [{m.uci() for m in board.legal_moves if m.from_square == man} for man in men]
            assert any(len(legal) > 1 and legal <= shown for legal in moves), problem["position"]
            gathered += 1
    assert gathered > 20


def test_long_text_is_read_back(engine: Engine) -> None:
    for problem in known_problems():
        n = problem["moves"]
        if n > 3:
            continue
        request = Request(tries=1, set_play=True)
        solution = solve_mate(problem["position"], n, request=request, engine=engine)
        found = read(long_text(solution), problem["position"])
        assert found.keys == shapes(solution.keys), problem["position"]
        assert found.set_play == variation_shapes(solution.set_play)
        with_refutation = tuple(attempt for attempt in solution.tries if attempt.refutations)
        assert {move: found.tries[move] for move in shapes(with_refutation)} == shapes(
            with_refutation
        )


def test_long_text(engine: Engine) -> None:
    fen = "3B3n/r6b/1Np1p2p/2k1P2p/1pP1p3/pP5P/K2PN3/8 w - - 0 1"
    lines = long_text(solve_mate(fen, 2, engine=engine)).splitlines()
    assert lines[:3] == ["      1...e4-e3", "          2.d2-d4 #", "      1...Ra7-a4"]
    assert "          2.Sb6*a4 #" in lines
    assert lines[-4:] == [
        "   1.Bd8-c7 ! threat:",
        "          2.Sb6-d7 #",
        "      1...Ra7*c7",
        "          2.Sb6-a4 #",
    ]
    assert "      1...e4*d3 ep. !" in lines


def test_json(engine: Engine) -> None:
    solution = solve_mate(MINOR, 2, engine=engine)
    document = json.loads(json.dumps(to_json(solution)))
    assert document["keys"][0]["san"] == "Ra6"
    assert document["keys"][0]["variations"][0]["answers"][0]["uci"] in ("b6b7", "a6a7")
    assert [attempt["refutations"][0]["san"] for attempt in document["tries"]] == ["a6", "Bxa7"]
    assert {variation["uci"][:2] for variation in document["set_play"]} == {"b8"}
    assert (document["n"], document["shortest"], document["verdict"]) == (2, 2, "sound")
    short = summary(solution, "as typed")
    assert short["fen"] == "as typed"
    assert short["keys"] == [{"san": "Ra6", "uci": "a1a6", "mate_in": 2}]
    assert list(short) == [
        "fen", "n", "keys", "shortest", "verdict", "reasons", "nodes", "seconds"
    ]  # fmt: skip


def test_pgn_is_a_game_with_all_variations(engine: Engine) -> None:
    for problem in known_problems()[::6]:
        solution = solve_mate(problem["position"], problem["moves"], engine=engine)
        game = chess.pgn.read_game(io.StringIO(to_pgn(solution)))
        assert game is not None
        assert not game.errors
        first = {node.move.uci() for node in game.variations if node.move is not None}
        expected = {attack.move for attack in (*solution.keys, *solution.tries)}
        assert first == expected | ({"0000"} if solution.set_play else set())


def test_svg() -> None:
    assert to_svg(chess.Board(MINOR)).startswith("<svg")
