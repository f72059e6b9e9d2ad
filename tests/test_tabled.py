"""Problems answered with tables and without: the answers are the same."""

from __future__ import annotations

import csv
from pathlib import Path

import chess
import pytest

from zermelo.board.position import encode
from zermelo.problems.advice import certify
from zermelo.problems.certificate import faults
from zermelo.problems.engine import Engine
from zermelo.problems.solution import Request, solve_mate
from zermelo.problems.tabled import TabledEngine
from zermelo.tables.material import Material
from zermelo.tables.solving import solve
from zermelo.tables.tablebase import Tablebase

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Engine, TabledEngine]:
    folder = tmp_path_factory.mktemp("tables")
    for _ in solve([Material.parse("KQvK"), Material.parse("KBNvK")], folder):
        pass
    tablebase = Tablebase(folder, build="none")
    return Engine(hash_mb=16), TabledEngine(tablebase, hash_mb=16)


def few_men(most: int) -> list[tuple[str, int]]:
    with (DATA / "book_mates.csv").open() as file:
        rows = [(row["position"], int(row["moves"])) for row in csv.DictReader(file)]
    return [(fen, n) for fen, n in rows if len(chess.Board(fen).piece_map()) <= most]


def test_answers_are_the_same(engines: tuple[Engine, TabledEngine]) -> None:
    problems = few_men(4)[::8] + few_men(5)[::40]
    problems += [("8/8/8/8/3K4/8/1Q6/k7 b - -", 3), ("8/8/8/3Q4/8/2K5/8/k7 w - -", 3)]
    problems += [("k7/8/1K6/5B2/1N6/8/8/8 w - -", 3), ("8/8/8/8/1b6/k7/8/K2n4 b - -", 3)]
    assert len(problems) > 12
    for fen, n in problems:
        request = Request(tries=1, set_play=True)
        plain, tabled = (solve_mate(fen, n, request=request, engine=engine) for engine in engines)
        assert (plain.keys, plain.tries, plain.set_play) == (
            tabled.keys, tabled.tries, tabled.set_play
        ), fen  # fmt: skip
        assert (plain.verdict, plain.reasons) == (tabled.verdict, tabled.reasons)


def test_long_mates_are_looked_up(engines: tuple[Engine, TabledEngine]) -> None:
    plain, tabled = engines
    board = chess.Board("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1")
    position = encode(board)
    assert tabled.mate_in(position, 200) == 7
    assert [engine.prove(position, n) for engine in (plain, tabled) for n in (6, 7)] == [
        False, True, False, True,
    ]  # fmt: skip
    proof = certify(board, 7, tabled)
    assert proof is not None
    assert proof.mate_in == 7
    assert faults(proof) == []


def test_castling_is_searched(engines: tuple[Engine, TabledEngine]) -> None:
    fen = "7k/8/b5Q1/8/8/8/8/R3K3 w Q - 0 1"
    plain, tabled = (solve_mate(fen, 2, engine=engine) for engine in engines)
    assert [key.move for key in plain.keys] == ["e1c1"]
    assert plain.keys == tabled.keys
