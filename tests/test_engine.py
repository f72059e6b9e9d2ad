"""The engine of the problem solver against known keys, and against brute force by python-chess."""

from __future__ import annotations

import csv
import random
import threading
import time
from pathlib import Path

import chess
import numpy as np
import pytest

from test_board import games
from zermelo.board.moves import MOST_MOVES, generate, legal_moves, pins
from zermelo.board.position import WORDS, encode, moved, passed, uci
from zermelo.errors import InputError
from zermelo.problems import search
from zermelo.problems.engine import Engine, TimeLimitError
from zermelo.problems.mates import is_mate, mate_in_one

DATA = Path(__file__).parent / "data"


def problems(name: str, shortest: int, longest: int) -> list[tuple[str, int, set[str]]]:
    with (DATA / name).open() as file:
        rows = [
            (r["position"], int(r["moves"]), set(r["keys"].split())) for r in csv.DictReader(file)
        ]
    return [row for row in rows if shortest <= row[1] <= longest]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(hash_mb=16)


def position_of(fen: str) -> np.ndarray:
    return encode(chess.Board(fen))


@pytest.mark.parametrize(
    ("name", "shortest", "longest", "number"),
    [
        ("book_mates.csv", 1, 3, 2186),
        ("problem_keys.csv", 1, 5, 333),
        ("problem_keys.csv", 7, 7, 2),
    ],
)
def test_all_keys(engine: Engine, name: str, shortest: int, longest: int, number: int) -> None:
    rows = problems(name, shortest, longest)
    assert len(rows) == number
    for fen, n, keys in rows:
        found = engine.keys(position_of(fen), n)
        assert {uci(move) for move, _ in found} == keys, fen
        assert all(1 <= length <= n for _, length in found)


def test_threads_find_the_same() -> None:
    rows = problems("problem_keys.csv", 3, 4)[::4]
    shared = Engine(hash_mb=4, jobs=3)
    for fen, n, keys in rows:
        assert {uci(move) for move, _ in shared.keys(position_of(fen), n)} == keys, fen


def mates(board: chess.Board) -> set[str]:
    """Moves that mate at once, by trying all."""
    found = set()
    for move in board.legal_moves:
        board.push(move)
        if board.is_checkmate():
            found.add(move.uci())
        board.pop()
    return found


def forced(board: chess.Board, n: int) -> dict[str, int]:
    """Moves that force mate in at most n and its length, by brute force with python-chess."""
    lengths = {}
    for move in list(board.legal_moves):
        board.push(move)
        length = held(board, n - 1)
        board.pop()
        if length is not None:
            lengths[move.uci()] = length + 1
    return lengths


def held(board: chess.Board, n: int) -> int | None:
    """In how many moves the side to move is mated, None if not within n."""
    if board.is_checkmate():
        return 0
    longest = 0
    for move in list(board.legal_moves) if n else []:
        board.push(move)
        lengths = forced(board, n)
        board.pop()
        if not lengths:
            return None
        longest = max(longest, min(lengths.values()))
    return longest or None


def test_mate_in_one_equals_trying_all_moves() -> None:
    after, room = np.zeros(WORDS, np.uint64), np.zeros(MOST_MOVES, np.uint64)
    boards = list(games(seed=2, number=20))
    for fen, _, _ in problems("book_mates.csv", 1, 2)[::5]:
        board = chess.Board(fen)
        for move in list(board.legal_moves)[::6]:
            board.push(move)
            boards.append(board.copy(stack=False))
            for reply in list(board.legal_moves)[::9]:
                board.push(reply)
                boards.append(board.copy(stack=False))
                board.pop()
            board.pop()
    met = 0
    for board in boards:
        position = encode(board)
        expected, found = mates(board), mate_in_one(position, after, room)
        assert (uci(found) in expected) if found else not expected, board.fen()
        assert is_mate(position) == board.is_checkmate(), board.fen()
        met += bool(expected)
    assert met > 500


def test_lengths_equal_brute_force(engine: Engine) -> None:
    """Every question about positions with few men, and about those a defence later."""
    met = {1: 0, 2: 0}
    for fen, _, _ in problems("book_mates.csv", 1, 3):
        board = chess.Board(fen)
        if len(board.piece_map()) > 7 or board.legal_moves.count() > 20:
            continue
        position = encode(board)
        lengths = forced(board, 2)
        assert {uci(m): k for m, k in engine.keys(position, 2)} == lengths, board.fen()
        assert engine.mate_in(position, 2) == min(lengths.values(), default=None)
        for move in list(board.legal_moves):
            board.push(move)
            assert engine.mated_in(encode(board), 1) == held(board, 1)
            board.pop()
        for length in lengths.values():
            met[length] += 1
    assert min(met.values()) > 5, met


def test_the_defender_is_asked(engine: Engine) -> None:
    position = position_of("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
    moves = {uci(move): move for move in legal_moves(position)}
    key, attempt = moved(position, moves["a1a6"]), moved(position, moves["a1a5"])
    assert engine.mated_in(key, 1) == 1
    assert engine.refutations(key, 1) == []
    assert engine.mated_in(attempt, 1) is None
    assert [uci(move) for move in engine.refutations(attempt, 1)] == ["a7a6"]
    assert len(engine.refutations(moved(position, moves["c8d7"]), 1, most=2)) == 2
    assert [k for _, k in engine.keys(position, 2, moves=[moves["a1a6"], moves["a1a5"]])] == [2]
    assert engine.keys(passed(key), 1) == []


def test_stalemate_is_a_defence(engine: Engine) -> None:
    position = position_of("8/k1P5/2K5/8/8/8/8/8 w - - 0 1")
    assert [(uci(move), length) for move, length in engine.keys(position, 2)] == [("c7c8r", 2)]
    queen = next(move for move in legal_moves(position) if uci(move) == "c7c8q")
    after = moved(position, queen)
    assert legal_moves(after) == []
    assert engine.mated_in(after, 5) is None
    assert engine.refutations(after, 5) == []


def test_castling_is_a_defence(engine: Engine) -> None:
    assert engine.keys(position_of("r3k1K1/1RR3p1/7p/8/8/8/8/8 w q - 0 1"), 2) == []
    without = engine.keys(position_of("r3k1K1/1RR3p1/7p/8/8/8/8/8 w - - 0 1"), 2)
    assert [uci(move) for move, _ in without] == ["c7f7"]


def test_black_mates_as_white_does(engine: Engine) -> None:
    for fen, n, keys in problems("problem_keys.csv", 2, 3)[::10]:
        turned = encode(chess.Board(fen).mirror())
        flipped = {move.translate(str.maketrans("12345678", "87654321")) for move in keys}
        assert {uci(move) for move, _ in engine.keys(turned, n)} == flipped


def test_time_limit() -> None:
    engine = Engine(hash_mb=1, jobs=2)
    start = time.monotonic()
    with pytest.raises(TimeLimitError, match="undecided") as caught:
        engine.keys(position_of(chess.STARTING_FEN), 30, deadline=start + 0.2)
    assert time.monotonic() - start < 5
    assert len(caught.value.undecided) + len(caught.value.proven) <= 20
    with pytest.raises(TimeLimitError):
        engine.mate_in(position_of(chess.STARTING_FEN), 30, deadline=time.monotonic() + 0.1)
    # What was stopped leaves nothing false behind.
    assert engine.mate_in(position_of(chess.STARTING_FEN), 2) is None
    assert engine.nodes > 0


def test_stop_from_another_thread() -> None:
    engine = Engine(hash_mb=1)
    timer = threading.Timer(0.3, engine.stop)
    timer.start()
    with pytest.raises(TimeLimitError):
        engine.keys(position_of(chess.STARTING_FEN), 30)
    timer.join()


def test_bad_questions(engine: Engine) -> None:
    with pytest.raises(InputError, match="mate in 0"):
        engine.keys(position_of(chess.STARTING_FEN), 0)
    with pytest.raises(InputError, match="at least 1"):
        Engine(jobs=0)


def test_remembered_moves_are_legal_exactly_when_the_generator_writes_them() -> None:
    """`is_legal` for moves of one position asked of another; castling is left to the generator."""
    moves = np.zeros(MOST_MOVES, np.uint64)
    pool: list[int] = []
    met = 0
    rng = random.Random(5)
    for board in games(seed=6, number=12):
        position = encode(board)
        pinned, _, ending = (np.uint64(word) for word in pins(position))
        legal = {int(move) for move in moves[: generate(position, moves)]}
        for move in rng.sample(pool, min(len(pool), 40)) + sorted(legal):
            castling = move >> 12 & 7 == 5 and abs((move & 7) - (move >> 6 & 7)) == 2
            expected = move in legal and not castling
            assert search.is_legal(position, np.uint64(move), pinned, ending) == expected
            met += expected
        pool = (pool + rng.sample(sorted(legal), min(len(legal), 5)))[-400:]
    assert met > 1000


def replay(steps: dict[bytes, tuple[int, int]], board: chess.Board, most: int) -> int:
    """Follows a strategy with python-chess against all defences; the number of its positions."""
    seen: dict[bytes, int] = {}
    todo = [(board, most)]
    while todo:
        place, longest = todo.pop()
        name = encode(place).tobytes()
        move, length = steps[name]
        assert length <= longest
        if name in seen:
            continue
        seen[name] = length
        place.push_uci(uci(move))
        replies = list(place.legal_moves)
        assert place.is_checkmate() if not replies else length > 1
        for reply in replies:
            place.push(reply)
            todo.append((place.copy(stack=False), length - 1))
            place.pop()
    return len(seen)


def test_long_mates_are_proven(engine: Engine) -> None:
    """Mates in 6 to 30; each takes seconds at most, and its proof is replayed."""
    with (DATA / "long_mates.csv").open() as file:
        rows = [(row["position"], int(row["moves"])) for row in csv.DictReader(file)]
    for fen, n in rows[::3]:
        board = chess.Board(fen)
        assert engine.prove(encode(board), n, deadline=time.monotonic() + 60), fen
        steps = engine.strategy(encode(board), n)
        assert 1 <= replay(steps, board, n) <= len(steps)


def test_proof_numbers_agree_with_the_exhaustive_search(engine: Engine) -> None:
    for fen, n, keys in problems("problem_keys.csv", 2, 4)[::3]:
        position = position_of(fen)
        assert engine.prove(position, n) == bool(keys)
        shortest = engine.mate_in(position, n)
        if shortest is not None:
            assert shortest == 1 or not engine.prove(position, shortest - 1)
            replay(engine.strategy(position, n), chess.Board(fen), n)
        else:
            with pytest.raises(ValueError, match="no mate"):
                engine.strategy(position, n)
