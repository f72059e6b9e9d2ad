"""The classic encodings: their published counts, perfect play from them, reading back."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import chess
import numpy as np
import pytest

from finished import finished
from zermelo.cli import main
from zermelo.errors import InputError, TableError
from zermelo.tables.codes import ANSWERS, VALUES, Codes, answers24, compressed, values25
from zermelo.tables.encoding import HOLDS, Bytes, encodable
from zermelo.tables.material import Half, Material
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome

DOCS = Path(__file__).parent.parent / "docs"
BISHOP_KNIGHT = Half("BN", "")
WHITE_WINS = [
    *(1840, 1200, 3216, 15960, 39752, 45192, 48396, 40408, 42720, 56240, 95208, 142084),
    *(189592, 190296, 139684, 118004, 114200, 119780, 127480, 216552, 350136, 484868, 576832),
    *(584456, 729040, 949808, 1278384, 1531500, 1434268, 859400, 261004, 33580, 1104),
]
"""Positions in which White, to move, mates in 1, 2, … 33 moves, over all placements."""
BLACK_LOSES = [
    *(464, 312, 296, 1792, 8064, 11184, 15144, 11860, 14588, 13936, 24968, 49324, 68520, 84852),
    *(62924, 49912, 55312, 54704, 53968, 78824, 142764, 236304, 338024, 363400, 473768, 651668),
    *(997800, 1353824, 1815448, 2027508, 1484940, 553388, 85424, 2960),
]
"""Positions in which Black is mated, or is, to move, mated in 1, 2, … 33 moves."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both files of bishop and knight."""
    path = tmp_path_factory.mktemp("codes")
    solved = finished(BISHOP_KNIGHT)
    (path / "KBNvK.values25").write_bytes(values25(BISHOP_KNIGHT, solved).tobytes())
    (path / "KBNvK.answers24").write_bytes(answers24(BISHOP_KNIGHT, solved).tobytes())
    (path / "KBNvK.answers24.z").write_bytes(compressed(BISHOP_KNIGHT, solved))
    return path


def _bytes(path: Path) -> Bytes:
    return np.fromfile(path, np.uint8)


def test_values_have_the_published_counts(folder: Path) -> None:
    values = _bytes(folder / "KBNvK.values25")
    assert len(values) == VALUES == 33_554_432
    white, black = values.reshape(2, -1)
    assert np.bincount(white)[:33].tolist() == WHITE_WINS
    assert np.bincount(black)[:34].tolist() == BLACK_LOSES
    assert np.count_nonzero(values == HOLDS) == 11_544_080
    assert np.count_nonzero(values < HOLDS) == VALUES - 11_544_080


def test_answers_have_the_published_counts(folder: Path) -> None:
    counts = np.bincount(_bytes(folder / "KBNvK.answers24"), minlength=256)
    assert counts.sum() == ANSWERS == 16_777_216
    assert counts[0] == 5_901_248
    assert counts[1:30].sum() == 10_822_184
    assert counts[30:].tolist() == [464, 53_320, *[0] * 224]


def test_compressed_answers_read_back(folder: Path) -> None:
    path = folder / "KBNvK.answers24.z"
    assert path.stat().st_size <= 2_097_152
    codes = Codes(path)
    assert codes.material == Material("BN", "")
    assert np.array_equal(codes.bytes, _bytes(folder / "KBNvK.answers24"))


def _starts(values: Bytes) -> list[tuple[int, int]]:
    """(code, moves to mate) of 200 positions with White to move, spread over all distances."""
    random = np.random.default_rng(1)
    starts: list[tuple[int, int]] = []
    for distance in range(33):
        codes = np.flatnonzero(values[:ANSWERS] == distance)
        chosen = random.choice(codes, min(7 if distance < 31 else 6, len(codes)), replace=False)
        starts += [(code, distance + 1) for code in chosen.tolist()]
    return starts[:200]


def _board(code: int, turn: chess.Color) -> chess.Board:
    board = chess.Board(None)
    for shift, letter in ((18, "K"), (12, "B"), (6, "N"), (0, "k")):
        board.set_piece_at(code >> shift & 63, chess.Piece.from_symbol(letter))
    board.turn = turn
    return board


def _code(board: chess.Board) -> int:
    code = 0
    for kind, colour in ((chess.KING, 1), (chess.BISHOP, 1), (chess.KNIGHT, 1), (chess.KING, 0)):
        code = code << 6 | board.pieces(kind, bool(colour)).pop()
    return code


def _replies(code: int) -> tuple[bool, list[int]]:
    """(whether Black is in check, the codes after his moves); a capture is a failure."""
    board = _board(code, chess.BLACK)
    replies = []
    for move in board.legal_moves:
        assert not board.is_capture(move), board.fen()
        replies.append(code & ~63 | move.to_square)
    return board.is_check(), replies


def test_play_from_values_mates_in_time_against_every_defence(folder: Path) -> None:
    values = _bytes(folder / "KBNvK.values25")

    @cache
    def moves_to_mate(code: int) -> int:
        board = _board(code, chess.WHITE)
        for move in board.legal_moves:
            board.push(move)
            after = _code(board)
            board.pop()
            if values[ANSWERS + after] == values[code]:
                break
        else:
            raise AssertionError(board.fen())
        check, replies = _replies(after)
        assert check or replies, "stalemate"
        # Black's own rule: some reply is one smaller, and none is better for him.
        assert max((int(values[r]) for r in replies), default=-1) == int(values[code]) - 1
        return 1 + max(map(moves_to_mate, replies), default=0)

    starts = _starts(values)
    assert len(starts) == 200
    assert {distance for _, distance in starts} >= set(range(1, 29))
    for code, distance in starts:
        assert moves_to_mate(code) == distance


def test_play_from_answers_mates_in_time_against_every_defence(folder: Path) -> None:
    answers = _bytes(folder / "KBNvK.answers24")
    codes = Codes(folder / "KBNvK.answers24")

    @cache
    def moves_to_mate(code: int) -> int:
        board = _board(code, chess.WHITE)
        answer = codes.ask(board)
        assert answer.outcome is Outcome.WIN
        assert answer.move in board.legal_moves
        assert answers[code] <= 29
        board.push(answer.move)
        check, replies = _replies(_code(board))
        assert check or replies, "stalemate"
        return 1 + max(map(moves_to_mate, replies), default=0)

    for code, distance in _starts(_bytes(folder / "KBNvK.values25")):
        assert moves_to_mate(code) == distance


@pytest.mark.parametrize("program", ["play_values25.py", "play_answers24.py"])
def test_programs_of_the_docs_play_to_the_mate(folder: Path, program: str) -> None:
    path = DOCS / program
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 20
    assert "zermelo" not in path.read_text(encoding="utf-8")
    fen = "7k/8/8/8/8/8/8/KBN5 w - - 0 1"
    file = folder / f"KBNvK.{program[5:-3]}"
    run = subprocess.run(
        [sys.executable, str(path), str(file), fen], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip().endswith("#"), run.stdout


def test_questions(folder: Path) -> None:
    values, answers = Codes(folder / "KBNvK.values25"), Codes(folder / "KBNvK.answers24")
    board = chess.Board("k7/8/8/8/8/8/8/5KBN w - - 0 1")
    assert values.ask(board)[1:3] == (Outcome.WIN, 59)
    mirrored = board.mirror()
    assert values.ask(mirrored)[1:3] == (Outcome.WIN, 59)
    move, twin = answers.ask(board).move, answers.ask(mirrored).move
    assert move is not None
    assert twin == chess.Move(move.from_square ^ 56, move.to_square ^ 56)
    board.push(move)
    assert values.ask(board)[1:3] == (Outcome.LOSS, 58)
    with pytest.raises(InputError, match="to move"):
        answers.ask(board)
    with pytest.raises(InputError, match="KBBvK, but"):
        values.ask(chess.Board("k7/8/8/8/8/8/8/5KBB w - - 0 1"))


def test_files_that_are_none(folder: Path, tmp_path: Path) -> None:
    short = tmp_path / "KBNvK.values25"
    short.write_bytes(b"\0" * 1000)
    with pytest.raises(TableError, match="1,000 bytes"):
        Codes(short)
    with pytest.raises(InputError, match="cannot be read"):
        Codes(tmp_path / "missing")
    broken = tmp_path / "KBNvK.answers24.z"
    broken.write_bytes((folder / "KBNvK.answers24.z").read_bytes()[:-100])
    with pytest.raises(TableError, match="damaged"):
        Codes(broken)


@pytest.mark.parametrize("name", ["KRvKB", "KQvK", "KPPvK", "KQRBvK"])
def test_other_materials_are_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: the classic encodings"):
        encodable(Material.parse(name))


def test_other_pieces_number_their_moves_likewise() -> None:
    half = encodable(Material.parse("KQRvK"))
    counts = np.bincount(answers24(half, finished(half)), minlength=53)
    assert counts[50] == np.count_nonzero(values25(half, finished(half))[ANSWERS:] == 0) > 0
    assert counts[51:].sum() == 0  # Queen and rook always win, and nothing is unsolved.


def test_probe_reads_the_files_back(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fen = "k7/8/8/8/8/8/8/5KBN w - - 0 1"
    answers = {}
    for name in ("KBNvK.values25", "KBNvK.answers24", "KBNvK.answers24.z"):
        assert main(["probe", "--codes", str(folder / name), fen, "--json"]) == 0
        answers[name] = json.loads(capsys.readouterr().out)
    values, plain, packed = answers.values()
    assert plain == packed
    assert (values["outcome"], values["plies"], plain["outcome"]) == ("win", 59, "win")
    assert values["moves"][0]["plies"] == 59
    best = [move["uci"] for move in values["moves"] if move["plies"] == 59]
    assert plain["moves"][0]["uci"] in best
    file = tmp_path / "fens"
    file.write_text(f"{fen}\nnonsense\n8/8/8/3k4/8/8/4R3/4K3 w - - 0 1\n", encoding="utf-8")
    words = ["probe", "--codes", str(folder / "KBNvK.values25"), "--file", str(file), "--json"]
    assert main(words) == 2
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["plies"] == 59
    assert "error" in lines[1]
    assert "KRvK: the classic encodings" in lines[2]["error"]


def test_values_of_moves_are_those_of_the_tables(folder: Path, tablebase: Tablebase) -> None:
    codes = Codes(folder / "KBNvK.values25")
    for fen in (
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        "8/8/8/8/8/1k6/8/KBN5 b - - 0 1",
        "8/8/8/8/3N4/2k5/8/K1B5 b - - 0 1",
    ):
        board = chess.Board(fen)
        expected = {ranked.move: ranked.value for ranked in tablebase.moves(board)}
        assert dict(codes.moves(board)) == expected
