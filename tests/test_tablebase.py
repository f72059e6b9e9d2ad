"""Probing against published values, brute force, and itself turned over."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.board.position import encode
from zermelo.errors import InputError, MissingTableError
from zermelo.tables import atlas, probing
from zermelo.tables.boards import board_at, material_of
from zermelo.tables.layout import layout
from zermelo.tables.material import Half, Material, all_materials
from zermelo.tables.tablebase import Tablebase, may_be_drawn, open_tablebase
from zermelo.values import DRAW, MATED, Outcome, Value

DATA = Path(__file__).parent / "data"


def signed(value: Value) -> tuple[int, int]:
    return int(value.outcome), value.plies or 0


def published() -> list[tuple[str, int, int]]:
    with (DATA / "positions.csv").open() as file:
        return [
            (row["fen"], int(row["wdl"]), int(row["dtm_plies"])) for row in csv.DictReader(file)
        ]


def test_published_distances(tablebase: Tablebase) -> None:
    rows = published()
    assert len(rows) == 2187
    wrong = []
    for fen, wdl, dtm in rows:
        outcome = (wdl > 0) - (wdl < 0)
        if signed(tablebase.value(chess.Board(fen))) != (outcome, abs(dtm)):
            wrong.append(fen)
    assert not wrong


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("8/8/7k/8/1pP5/7K/8/8 b - c3 0 1", Value(Outcome.WIN, 19)),
        ("8/8/7k/8/1pP5/7K/8/8 b - - 0 1", Value(Outcome.WIN, 27)),
        ("8/8/8/8/8/1pQ1K3/k7/8 w - - 2 2", Value(Outcome.WIN, 9)),
        ("k7/8/8/8/8/8/8/5KBN w - - 42 1", Value(Outcome.WIN, 59)),
        ("8/2b5/1k6/8/8/3b4/8/6K1 b - - 5 1", Value(Outcome.WIN, 25)),
        ("7k/8/1R6/R7/8/8/8/4K3 w - - 0 1", Value(Outcome.WIN, 3)),
    ],
)
def test_positions_that_broke_other_programs(tablebase: Tablebase, fen: str, value: Value) -> None:
    assert tablebase.value(chess.Board(fen)) == value


def test_en_passant_changes_the_sign(tablebase: Tablebase) -> None:
    with_right = chess.Board("8/8/8/8/2pP4/2K5/4k3/8 b - d3 0 1")
    without = chess.Board("8/8/8/8/2pP4/2K5/4k3/8 b - - 0 1")
    assert tablebase.value(with_right).outcome is Outcome.WIN
    assert tablebase.value(without).outcome is Outcome.LOSS


def test_two_possible_capturers_are_judged_by_their_captures(tablebase: Tablebase) -> None:
    board = chess.Board("8/8/8/8/1kpPp3/8/8/3K4 b - d3 0 1")
    with pytest.raises(MissingTableError, match="zermelo solve"):
        tablebase.value(board)


def test_fastest_of_several_mates(tablebase: Tablebase) -> None:
    moves = {m.san: m.value for m in tablebase.moves(chess.Board("7k/8/1R6/R7/8/8/8/4K3 w - -"))}
    assert moves["Ra7"] == Value(Outcome.WIN, 3)
    assert moves["Rg5"] == Value(Outcome.WIN, 5)


def test_terminal_positions(tablebase: Tablebase) -> None:
    assert tablebase.value(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) == MATED
    assert tablebase.moves(chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")) == []
    assert tablebase.value(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == DRAW
    for fen in ("8/8/8/3k4/8/8/8/4K3 w - - 0 1", "8/8/8/3k4/8/8/8/4KB2 b - - 0 1"):
        board = chess.Board(fen)
        assert tablebase.value(board) == DRAW
        assert {move.value for move in tablebase.moves(board)} == {DRAW}
        assert tablebase.line(board) == []


def test_line_mates_in_the_promised_number_of_moves(tablebase: Tablebase) -> None:
    board = chess.Board("k7/8/8/8/8/8/8/5KBN w - - 0 1")
    line = tablebase.line(board)
    assert len(line) == 59
    for left, move in zip(range(59, 0, -1), line, strict=True):
        assert move.value.plies == left
        board.push(move.move)
    assert board.is_checkmate()


def test_fifty_move_rule() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/5KBN w - - 41 1")
    assert not may_be_drawn(board, Value(Outcome.WIN, 59))
    board.halfmove_clock = 42
    assert may_be_drawn(board, Value(Outcome.WIN, 59))
    assert not may_be_drawn(board, DRAW)


@pytest.mark.parametrize(
    ("fen", "fault"),
    [
        ("2k5/3P4/8/8/8/8/1r5p/R3K3 b Q - 0 1", r"castling rights \(Q\)"),
        ("8/8/8/3k4/8/8/3R4/4K3 w - - 0 1", "not to move is in check"),
        ("8/8/8/3k4/8/8/3R4/8 w - - 0 1", "White has no king"),
        ("8/8/8/3k4/8/8/3RK3/3k4 w - - 0 1", "more than one king"),
        ("P7/8/8/3k4/8/8/8/4K3 w - - 0 1", "pawn stands on the first or last rank"),
        ("8/8/7k/8/1pP5/7K/8/8 b - d3 0 1", "en passant square is impossible"),
        ("8/8/7k/8/1pP5/2N4K/8/8 b - c3 0 1", "en passant square is impossible"),
        # The king was in check from the rook before the pawn's double step.
        ("8/8/8/8/RpP4k/8/8/7K b - c3 0 1", None),
        ("7k/8/8/8/1pP5/8/8/K6R b - c3 0 1", "en passant square is impossible"),
    ],
)
def test_what_is_refused(tablebase: Tablebase, fen: str, fault: str | None) -> None:
    board = chess.Board(fen)
    if fault is None:
        with pytest.raises(MissingTableError):
            tablebase.value(board)
        return
    with pytest.raises(InputError, match=fault):
        tablebase.value(board)
    with pytest.raises(InputError, match=fault):
        tablebase.moves(board)


def test_missing_sub_table_is_named(tmp_path: Path) -> None:
    with open_tablebase(tmp_path, build="none") as tb:
        with pytest.raises(MissingTableError, match=r"KRvK: no table .* zermelo solve KRvK"):
            tb.value(chess.Board("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"))
        with pytest.raises(MissingTableError, match="KBPvKR"):
            tb.value(chess.Board("8/8/8/1k3K1B/6P1/4r3/8/8 w - - 0 1"))
    with pytest.raises(InputError, match="build='all'"):
        open_tablebase(tmp_path, build="all")  # type: ignore[arg-type]


def random_board(rng: random.Random, letters: str) -> chess.Board:
    """A legal position of men written as in a FEN, either side to move."""
    while True:
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def after_moves(tablebase: Tablebase, board: chess.Board) -> dict[chess.Move, Value]:
    """What each move is worth by the position after it, probed by itself."""
    values = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        values[move] = tablebase.value(after).before
    return values


SMALL = [str(material) for material in all_materials(4)]


@given(name=st.sampled_from(SMALL), seed=st.integers(0, 2**32))
def test_value_is_the_best_of_the_moves(tablebase: Tablebase, name: str, seed: int) -> None:
    white, black = name.split("v")
    board = random_board(random.Random(seed), white + black.lower())
    value, moves = tablebase.value(board), tablebase.moves(board)
    assert value == tablebase.value(board.mirror())
    assert value == tablebase.value(board.transform(chess.flip_horizontal))
    assert {move.move: move.value for move in moves} == after_moves(tablebase, board)
    assert [move.rank for move in moves] == sorted(move.rank for move in moves)
    assert value == (moves[0].value if moves else MATED if board.is_check() else DRAW)


def test_batch_agrees_with_single_probes(tablebase: Tablebase) -> None:
    rng = random.Random(1)
    for name, letters in (("KRvKB", "KRkb"), ("KBvKR", "KBkr"), ("KPvKP", "KPkp")):
        boards = [random_board(rng, letters) for _ in range(300)]
        squares = [
            [next(iter(board.pieces(*_kind(letter)))) for letter in letters] for board in boards
        ]
        outcome, plies = tablebase.values(name, squares, [board.turn for board in boards])
        assert outcome.dtype == np.int8
        assert plies.dtype == np.int16
        for i, board in enumerate(boards):
            value = tablebase.value(board)
            assert int(outcome[i]) == value.outcome
            assert int(plies[i]) == (-1 if value.plies is None else value.plies)


def _kind(letter: str) -> tuple[int, bool]:
    piece = chess.Piece.from_symbol(letter)
    return piece.piece_type, piece.color


def test_large_batch_in_threads_and_in_little_memory(tables: Path, tablebase: Tablebase) -> None:
    rng = np.random.default_rng(2)
    squares = rng.integers(0, 64, (40_000, 4)).astype(np.uint8)
    turn = rng.random(40_000) < 0.5
    kinds, white = np.array([5, 2, 1, 5]), np.array([True, True, True, False])
    possible = [
        i
        for i in range(len(squares))
        if probing.set_up(
            kinds, white, squares[i : i + 1], turn[i : i + 1], np.zeros((1, 11), np.uint64)
        )
        < 0
    ]
    squares, turn = squares[possible], turn[possible]
    outcome, plies = tablebase.values("KBNvK", squares, turn)
    with Tablebase(tables, memory=1 << 20) as little:
        again = little.values("KBNvK", squares[:200], turn[:200])
    assert (again[0] == outcome[:200]).all()
    assert (again[1] == plies[:200]).all()
    assert plies.max() <= 66


def test_bad_batches(tablebase: Tablebase) -> None:
    with pytest.raises(InputError, match="row 1 of KRvK cannot occur"):
        tablebase.values("KRvK", [[0, 10, 63], [0, 0, 63]], [True, True])
    with pytest.raises(InputError, match="row 0 of KRvK cannot occur"):
        tablebase.values("KRvK", [[0, 70, 63]], [True])
    with pytest.raises(InputError, match=r"row 0 of KRvK cannot occur"):
        tablebase.values("KRvK", [[0, 56, 63]], [True])  # Black is in check, White to move
    with pytest.raises(InputError, match=r"shape \(1, 3\)"):
        tablebase.values("KRvKR", [[0, 10, 63]], [True])
    with pytest.raises(InputError, match="no material"):
        tablebase.values("rook", [[0, 10, 63]], [True])


@given(name=st.sampled_from([*SMALL, "KRRvKP", "KBBvKN", "KPPvK"]), seed=st.integers(0, 2**32))
def test_boards_and_cells(name: str, seed: int) -> None:
    material = Material.parse(name)
    rng = random.Random(seed)
    half = rng.choice(material.halves)
    board = board_at(half, rng.randrange(layout(half).cells), chess.WHITE, chess.BLACK)
    if board.occupied.bit_count() == half.men:
        assert material_of(board) == material
        assert encode(board)[probing.WHITE] == 0


def test_signatures() -> None:
    for material in all_materials(5):
        for half in (Half(material.strong, material.weak), Half(material.weak, material.strong)):
            assert atlas.half_of(atlas.signature(half)) == half
