"""Solutions against the reference solver's play, brute force, and the verdicts of editors."""

from __future__ import annotations

import random
from dataclasses import replace

import chess
import pytest

from mate_oracle import Oracle
from problem_play import known_problems, shapes, variation_shapes
from test_board import games
from zermelo.errors import InputError
from zermelo.problems.advice import EngineAdviser
from zermelo.problems.checker import Checker
from zermelo.problems.engine import Engine
from zermelo.problems.play import Conventions
from zermelo.problems.solution import IllegalDiagramError, Request, solve_mate
from zermelo.problems.tree import Attack, Effect, Solution, Variation, Verdict

WHOLE = Request(tries=1, set_play=True)
MINOR = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(hash_mb=16)


def check(solution: Solution, engine: Engine, *, others: bool = True) -> None:
    assert Checker(EngineAdviser(engine)).faults(solution, others=others) == []


def test_play_is_that_of_the_reference(engine: Engine) -> None:
    problems = known_problems()
    assert len(problems) == 304
    for index, problem in enumerate(problems):
        solution = solve_mate(problem["position"], problem["moves"], request=WHOLE, engine=engine)
        assert shapes(solution.keys) == problem["keys"], problem["position"]
        tries = tuple(attempt for attempt in solution.tries if attempt.refutations)
        assert shapes(tries) == problem["tries"], problem["position"]
        assert variation_shapes(solution.set_play) == problem["set"], problem["position"]
        if index % 10 == 0 or problem["moves"] < 3:
            check(solution, engine, others=problem["moves"] < 4)


def test_play_is_that_of_the_reference_in_its_own_tests(engine: Engine) -> None:
    problems = known_problems("direct_play.jsonl")
    assert len(problems) == 22
    for problem in problems:
        n = problem["moves"]
        request = WHOLE if "tries" in problem or "set" in problem else Request(tries=0)
        if n == 10:  # proven only
            solution = solve_mate(problem["position"], n, engine=Engine(hash_mb=64))
            assert [key.move for key in solution.keys] == list(problem["keys"])
            continue
        solution = solve_mate(problem["position"], n, request=request, engine=engine)
        assert shapes(solution.keys) == problem["keys"], problem["position"]
        tries = tuple(attempt for attempt in solution.tries if attempt.refutations)
        assert shapes(tries) == problem.get("tries", shapes(tries)), problem["position"]
        set_play = variation_shapes(solution.set_play)
        assert set_play == problem.get("set", set_play), problem["position"]


def scattered(number: int) -> list[chess.Board]:
    """Positions with few men in which Black's king stands in a corner, either side to move."""
    rng, boards = random.Random(2), list[chess.Board]()
    while len(boards) < number:
        board = chess.Board(None)
        men = [chess.Piece.from_symbol(symbol) for symbol in "KQ" + rng.choice(["R", "BN", "P"])]
        men += [chess.Piece.from_symbol(symbol) for symbol in rng.choice(["p", "n", "rp", ""])]
        squares = rng.sample(range(64), len(men))
        for piece, square in zip(men, squares, strict=True):
            board.set_piece_at(square, piece)
        corner = [square for square in (0, 1, 8, 62, 63) if not board.piece_at(square)]
        board.set_piece_at(rng.choice(corner), chess.Piece.from_symbol("k"))
        if board.is_valid():
            boards.append(board if rng.random() < 0.7 else board.mirror())
    return boards


def test_play_is_that_of_brute_force(engine: Engine) -> None:
    positions = [(board, 2 + (index % 4 == 0)) for index, board in enumerate(scattered(24))]
    positions += [(board, 2) for board in list(games(5, 3))[::12] if len(board.piece_map()) < 16]
    found = 0
    for board, n in positions:
        if not board.is_valid():
            continue
        oracle = Oracle()
        solution = solve_mate(board, n, request=WHOLE, engine=engine)
        keys, tries = {}, {}
        for move in list(board.legal_moves):
            attack = oracle.attack(board, move, oracle.key_length(board, move, n) or n)
            effect, _, _, refutations = attack[move.uci()]
            if not refutations and effect != "stalemate":
                keys |= attack
            elif len(refutations) < 2 and n > 1:
                tries |= attack
        assert shapes(solution.keys) == keys, board.fen()
        assert shapes(solution.tries) == tries, board.fen()
        assert variation_shapes(solution.set_play) == oracle.set_play(board, n), board.fen()
        found += bool(keys)
    assert found > 5


VERDICTS = [
    (MINOR, 2, Verdict.SOUND, []),
    ("8/k1P5/2K5/8/8/8/8/8 w", 2, Verdict.FLAWED, ["fewer than two defences"]),
    ("r3k1K1/1RR3p1/7p/8/8/8/8/8 w q", 2, Verdict.NONE, ["no first move forces mate in 2"]),
    ("k3N3/P7/K6p/8/8/8/8/8 w", 2, Verdict.SHORT, ["mate in 1 by Nc7#"]),
    ("1B6/1p6/k7/p7/P7/2R5/8/K4R2 w", 2, Verdict.COOKED, ["2 keys: Rf7, Rc7"]),
    ("6k1/pp3ppp/4b3/2p5/2n1P3/1Pq2P2/P3BQ1P/1K5R b", 1, Verdict.COOKED, ["3 keys"]),
    ("1r5k/4NP1b/7K/8/6R1/8/8/8 w", 3, Verdict.FLAWED, ["fewer than two"]),
    (
        "rn1q2rk/pp3p1p/2p4Q/3p4/7P/2NP2R1/PPP3P1/4RK2 w - - 0 1",
        3,
        Verdict.FLAWED,
        ["dual before the mate: 1.Re8 Qg5 2.Qxg5 or 2.Rxg5"],
    ),
    ("k7/8/1K6/8/8/8/8/7R w", 1, Verdict.SOUND, []),
    ("k7/8/1K6/8/NNNN4/8/PPPPPPP1/7R w", 1, Verdict.ILLEGAL, ["illegal: White has 2 promoted"]),
]


@pytest.mark.parametrize(("fen", "n", "verdict", "reasons"), VERDICTS)
def test_verdicts(engine: Engine, fen: str, n: int, verdict: Verdict, reasons: list[str]) -> None:
    solution = solve_mate(fen, n, engine=engine)
    assert solution.verdict is verdict
    assert len(solution.reasons) == len(reasons)
    for reason, begin in zip(solution.reasons, reasons, strict=True):
        assert reason.startswith(begin)
    only = solve_mate(fen, n, engine=engine, request=Request(keys_only=True))
    assert (only.verdict, only.reasons) == (solution.verdict, solution.reasons)
    assert all(not key.variations for key in only.keys)


def test_illegal_diagrams_are_refused(engine: Engine) -> None:
    with pytest.raises(IllegalDiagramError, match="Black is in check but White is to move"):
        solve_mate("k7/2N5/K7/8/8/8/8/8 w", 1, engine=engine)
    with pytest.raises(InputError, match="mate in 0"):
        solve_mate(MINOR, 0, engine=engine)


def test_promotions_are_no_dual_and_duals_are_graded(engine: Engine) -> None:
    solution = solve_mate("1r4k1/8/5PP1/K7/6NR/7B/1r6/7R w", 3, engine=engine)
    grades = {(dual.line, dual.moves): dual.grade for dual in solution.duals}
    assert grades == {
        (("g4h6", "g8h8"), ("g6g7", "h6f7")): "variation",
        (("g4h6", "g8f8", "g6g7", "f8e8"), ("g7g8q", "g7g8r")): "promotion",
    }
    problem = solve_mate("2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w", 2, engine=engine)
    assert {dual.grade for dual in problem.duals} == {"mating move"}
    assert all(dual.minor for dual in problem.duals)
    threats = solve_mate("5Q2/8/2P1pP2/4k3/4P3/8/4N3/R3K2R w KQ -", 3, engine=engine).duals
    assert [(dual.line, dual.grade) for dual in threats] == [(("f8e7", "--"), "threat")]


def test_threats_of_any_length(engine: Engine) -> None:
    fen = "8/1B6/8/5p2/8/8/5Qrq/1K1R2bk w - - 0 1"
    oracle, board = Oracle(), chess.Board(fen)
    every = Request(tries=1, conventions=Conventions(all_threats=True))
    for attempt in solve_mate(board, 3, request=every, engine=engine).tries:
        if attempt.effect is Effect.THREAT:
            board.push_uci(attempt.move)
            board.push(chess.Move.null())
            lengths = {move: oracle.key_length(board, move, 2) for move in board.legal_moves}
            assert {threat.move: threat.mate_in for threat in attempt.threats} == {
                move.uci(): length for move, length in lengths.items() if length
            }
            board.pop()
            board.pop()


def test_longer_threats_add_no_defence_to_a_threat_of_mate_in_one(engine: Engine) -> None:
    longer = 0
    every = Request(tries=0, conventions=Conventions(all_threats=True))
    for problem in known_problems():
        if problem["moves"] < 3:
            continue
        both = [
            solve_mate(problem["position"], problem["moves"], request=request, engine=engine)
            for request in (Request(tries=0), every)
        ]
        for key, fuller in zip(both[0].keys, both[1].keys, strict=True):
            if key.threats and key.threats[0].mate_in == 1:
                longer += len(fuller.threats) > len(key.threats)
                defences = [variation.defence for variation in key.variations]
                assert [variation.defence for variation in fuller.variations] == defences
    assert longer > 20


def test_defences_that_defeat_all_threats(engine: Engine) -> None:
    fen = "r4r2/pp1bB1p1/8/2ppkp1Q/1P6/6P1/PPP3B1/2K4R w - - 0 1"
    any_, all_ = (
        {
            attempt.move: attempt
            for attempt in solve_mate(
                fen, 2, engine=engine, request=Request(conventions=Conventions(all_defeated=rule))
            ).tries
        }
        for rule in (False, True)
    )
    # 1.Qd1? threatens 2.Re1# and 2.Qxd5#; 1…d4 stops only the second, 1…Ke6! both.
    assert {v.defence for v in any_["h5d1"].variations} > {
        v.defence for v in all_["h5d1"].variations
    }
    for attempt in all_.values():
        threats = {threat.move for threat in attempt.threats}
        for variation in attempt.variations:
            assert not threats & {answer.move for answer in variation.answers}
    strict = Request(conventions=Conventions(all_threats=True, all_defeated=True))
    usual, other = (solve_mate(MINOR, 2, engine=engine, request=r) for r in (None, strict))
    assert (usual.verdict, usual.reasons) == (other.verdict, other.reasons)
    assert {move: attempt.refutations for move, attempt in any_.items()} == {
        move: attempt.refutations for move, attempt in all_.items()
    }


def test_play_after_the_key(engine: Engine) -> None:
    fen = "k3n3/P7/1K6/3N3p/8/8/8/8 w - - 0 1"
    solution = solve_mate(fen, 2, request=Request(postkey=True), engine=engine)
    (key,) = solution.keys
    assert key.refutations == ("h5h4",)
    assert variation_shapes(key.variations) == {
        defence: {"d5c7": ("mate", {}, {}, [])} for defence in ("e8c7", "e8d6", "e8f6", "e8g7")
    }
    assert (solution.verdict, solution.shortest) == (Verdict.NONE, None)
    check(solution, engine)


def test_castling_can_be_assumed(engine: Engine) -> None:
    fen = "8/8/8/8/8/8/4QRb1/R3K2k w - - 0 1"
    assert solve_mate(fen, 2, engine=engine).verdict is Verdict.NONE
    assumed = solve_mate(fen, 2, request=Request(assume_castling=True), engine=engine)
    assert [key.move for key in assumed.keys] == ["e2e4"]


def test_an_impossible_right_is_dropped_with_a_note(engine: Engine) -> None:
    # The reference refuses this diagram for its en passant square.
    solution = solve_mate("8/8/2K5/2p5/2kp4/P1p5/2Q5/8 w - g6 0 1", 2, engine=engine)
    assert [key.move for key in solution.keys] == ["c2d1"]
    assert solution.notes == ("en passant on g6: no pawn has just passed it, ignored",)
    assert solution.fen == "8/8/2K5/2p5/2kp4/P1p5/2Q5/8 w - - 0 1"


def test_depth_and_time(engine: Engine) -> None:
    fen = "rb6/4Q3/p1Pp4/3k1p2/K1R1pppp/1P6/3PPPPP/4nn1q w - - 0 1"
    problem = next(row for row in known_problems() if row["moves"] == 4 and row["keys"])
    shallow = solve_mate(problem["position"], 4, request=Request(depth=1), engine=engine)
    answers = [
        answer
        for variation in shallow.keys[0].variations
        for answer in variation.answers
        if answer.mate_in > 1
    ]
    assert answers
    assert not any(answer.grown or answer.variations for answer in answers)
    check(shallow, engine, others=False)
    late = solve_mate(fen, 9, request=Request(seconds=0.05), engine=Engine(hash_mb=1))
    assert (late.complete, late.verdict) == (False, None)
    assert "time limit" in late.reasons[-1]


def spoilt(solution: Solution) -> list[Solution]:
    """Solutions with one thing wrong each."""
    (key,) = solution.keys
    first = key.variations[0]
    answer = first.answers[0]

    def with_key(new: Attack) -> Solution:
        return replace(solution, keys=(new,))

    def with_first(new: Variation) -> Solution:
        return with_key(replace(key, variations=(new, *key.variations[1:])))

    attempt = solution.tries[0]
    return [
        with_key(replace(key, variations=key.variations[1:])),
        with_key(replace(key, move=attempt.move)),
        with_key(replace(key, effect=Effect.CHECK)),
        with_key(replace(key, mate_in=3)),
        with_key(replace(key, refutations=(first.defence,), variations=key.variations[1:])),
        with_first(replace(first, defence="a1a1")),
        with_first(replace(first, answers=(replace(answer, move=key.move),))),
        with_first(replace(first, answers=(replace(answer, move="a6a5", mate_in=1),))),
        replace(solution, tries=(replace(attempt, refutations=()),)),
        replace(solution, tries=(replace(attempt, refutations=(first.defence,)),)),
        replace(solution, keys=()),
        replace(solution, set_play=(replace(solution.set_play[0], defence="h1h2"),)),
    ]


def test_the_checker_finds_every_fault(engine: Engine) -> None:
    solution = solve_mate(MINOR, 2, engine=engine)
    check(solution, engine)
    for wrong in spoilt(solution):
        assert Checker(EngineAdviser(engine)).faults(wrong), wrong


def test_a_wrong_adviser_cannot_make_a_check_succeed(engine: Engine) -> None:
    class Liar:
        def mating(self, board: chess.Board, n: int) -> str | None:
            return next(iter(board.legal_moves)).uci()

        saving = mating

    wrong = spoilt(solve_mate(MINOR, 2, engine=engine))
    assert all(Checker(Liar()).faults(solution) for solution in wrong)
