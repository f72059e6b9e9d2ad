"""The board against published perft counts and against python-chess."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.board import attacks, bits
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.perft import perft
from zermelo.board.position import CASTLING, PASSED, WORDS, checkers, encode, make, mirror, uci
from zermelo.cli import main

# Counts as published on the Chess Programming Wiki (Perft Results).
PERFT = [
    (chess.STARTING_FEN, 5, 4_865_609),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15_833_292),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
]

WORDS_64 = st.integers(0, 2**64 - 1).map(np.uint64)
SQUARES = st.integers(0, 63).map(np.uint64)
SYMMETRIES = st.integers(0, 7).map(np.uint64)


def squares(word: int) -> set[int]:
    return set(chess.scan_forward(int(word)))


@pytest.mark.parametrize(("fen", "depth", "count"), PERFT)
def test_perft(fen: str, depth: int, count: int) -> None:
    position = encode(chess.Board(fen))
    assert perft(position, 0) == 1
    assert perft(position, 1) == chess.Board(fen).legal_moves.count()
    assert perft(position, depth) == count


def test_perft_command(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
    assert main(["perft", fen, "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["nodes"] == sum(answer["moves"].values()) == 2812
    assert main(["perft", fen, "2"]) == 0
    text = capsys.readouterr().out
    assert "b4b1" in text
    assert "191 in" in text
    assert main(["perft", fen, "0"]) == 2
    assert "depth 0" in capsys.readouterr().err
    assert main(["perft", "8/8/8/8/8/8/8/K7 w - - 0 1", "1"]) == 2
    assert "no king" in capsys.readouterr().err


def games(seed: int, number: int) -> Iterator[chess.Board]:
    """Scattered positions, and random games with a preference for what is rare."""
    rng = random.Random(seed)
    for _ in range(30 * number):
        yield scattered(rng)
    for game in range(number):
        board = chess.Board() if game % 2 else scattered(rng)
        while not board.is_game_over() and board.ply() < 150:
            yield board
            moves = list(board.legal_moves)
            rare = [m for m in moves if m.promotion or board.is_en_passant(m)]
            rare += [m for m in moves if board.is_castling(m)]
            board.push(rng.choice(rare if rare and rng.random() < 0.3 else moves))


def scattered(rng: random.Random) -> chess.Board:
    """Men thrown on the board, many of them sliders and pawns, so that pins and checks abound."""
    while True:
        board = chess.Board(None)
        free = rng.sample(range(64), 64)
        for colour in chess.COLORS:
            board.set_piece_at(free.pop(), chess.Piece(chess.KING, colour))
        for _ in range(rng.randint(2, 20)):
            kind = rng.choice([1, 1, 1, 2, 3, 3, 4, 4, 5])
            square = free.pop()
            if kind != chess.PAWN or 0 < chess.square_rank(square) < 7:
                board.set_piece_at(square, chess.Piece(kind, rng.random() < 0.5))
        board.turn = rng.random() < 0.5
        if not board.was_into_check():
            return board


def test_moves_equal_those_of_python_chess() -> None:
    moves, out, again = np.zeros(MOST_MOVES, np.uint64), *np.zeros((2, WORDS), np.uint64)
    met = {"positions": 0, "en passant": 0, "castling": 0, "promotion": 0, "double check": 0}
    for board in games(seed=1, number=100):
        position = encode(board)
        count = generate(position, moves)
        ours = {uci(move): move for move in moves[:count]}
        assert len(ours) == count
        assert set(ours) == {move.uci() for move in board.legal_moves}, board.fen()
        assert checkers(position) == board.checkers_mask()
        met["positions"] += 1
        met["double check"] += board.checkers_mask().bit_count() == 2
        for text in ours:
            step = chess.Move.from_uci(text)
            met["en passant"] += board.is_en_passant(step)
            met["castling"] += board.is_castling(step)
            met["promotion"] += step.promotion is not None
        if not ours:
            continue
        text, move = random.Random(int(count)).choice(sorted(ours.items()))
        make(position, move, out)
        after = board.copy(stack=False)
        after.push_uci(text)
        assert (out == encode(after)).all(), (board.fen(), text)
        mirror(position, again)
        assert (again == encode(board.mirror())).all()
        mirrored = generate(again, moves)
        assert {uci(m) for m in moves[:mirrored]} == {
            text.translate(str.maketrans("12345678", "87654321")) for text in ours
        }
    assert met["positions"] > 3000
    assert min(met.values()) > 10, met


@pytest.mark.parametrize(
    ("fen", "legal", "illegal"),
    [
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5e6", "e5d6"),  # both pawns leave the rank
        ("8/8/1b6/3pP3/8/4K3/8/4k3 w - d6 0 1", None, "e5d6"),  # another check stays
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", None),  # takes the checking pawn
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", None, "e1g1"),  # in check
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1c1", "e1g1"),  # the king passes f1
        ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", None),  # only the rook passes b1
        ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1g1", "e1c1"),  # a man between
    ],
)
def test_rare_rules(fen: str, legal: str | None, illegal: str | None) -> None:
    moves = np.zeros(MOST_MOVES, np.uint64)
    count = generate(encode(chess.Board(fen)), moves)
    ours = {uci(move) for move in moves[:count]}
    assert ours == {move.uci() for move in chess.Board(fen).legal_moves}
    assert legal is None or legal in ours
    assert illegal not in ours


def test_rights_that_mean_nothing_are_dropped() -> None:
    far = encode(chess.Board("4k3/8/8/3p4/8/8/4P3/4K3 w - d6 0 1"))
    assert far[PASSED] == 0
    moved = encode(chess.Board("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1"))
    assert moved[CASTLING] == 0


@given(WORDS_64, SQUARES)
def test_sliders_equal_those_of_python_chess(occupied: np.uint64, square: np.uint64) -> None:
    board = chess.BaseBoard.empty()
    board.occupied = int(occupied)
    board.kings = board.queens = 0
    for kernel, kind in ((attacks.rook, "rooks"), (attacks.bishop, "bishops")):
        board.rooks = board.bishops = 0
        setattr(board, kind, 1 << int(square))
        assert kernel(square, occupied) == board.attacks_mask(int(square))


def test_leapers_equal_those_of_python_chess() -> None:
    for square in range(64):
        own = np.uint64(square)
        assert attacks.knight(own) == chess.BB_KNIGHT_ATTACKS[square]
        assert attacks.king(own) == chess.BB_KING_ATTACKS[square]
        for white in (True, False):
            assert (
                attacks.pawns(white, np.uint64(1 << square)) == chess.BB_PAWN_ATTACKS[white][square]
            )


@given(WORDS_64)
def test_bits(word: np.uint64) -> None:
    found = squares(word)
    assert bits.popcount(word) == len(found)
    assert bits.lsb(word) == min(found, default=64)
    assert bits.leading(word) == 63 - max(found, default=-1)
    if found:
        assert bits.msb(word) == max(found)


@given(WORDS_64, SYMMETRIES, SYMMETRIES, SQUARES)
def test_symmetries(word: np.uint64, one: np.uint64, two: np.uint64, square: np.uint64) -> None:
    image = np.uint64(bits.map_word(one, word))
    assert squares(image) == {int(bits.map_square(one, np.uint64(s))) for s in squares(word)}
    assert bits.map_word(np.uint64(bits.inverse(one)), image) == word
    assert bits.map_word(two, image) == bits.map_word(np.uint64(bits.compose(one, two)), word)
    moved = np.uint64(bits.map_square(one, square))
    both = np.uint64(bits.compose(one, two))
    assert bits.map_square(two, moved) == bits.map_square(both, square)
    # A symmetry of the board keeps what men attack.
    seen = np.uint64(attacks.queen(square, word))
    assert bits.map_word(one, seen) == attacks.queen(moved, image)


def test_symmetries_have_their_names() -> None:
    names = ["a2", "h2", "a7", "h7", "b1", "b8", "g1", "g8"]
    images = [bits.map_square(np.uint64(index), np.uint64(chess.A2)) for index in range(8)]
    assert images == [chess.parse_square(name) for name in names]


def test_speed() -> None:
    """A tenth of the speed that benchmarks show, so that a busy machine does not fail it."""
    position = encode(chess.Board())
    perft(position, 2)
    start = time.process_time()
    nodes = perft(position, 5)
    assert nodes / (time.process_time() - start) > 10e6
