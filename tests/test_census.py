"""Censuses against the published counts of all materials of three and four men."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import permutations
from pathlib import Path

import chess
import numpy as np
import pytest

from finished import finished, loses, wins
from zermelo.tables.census import LABELLED, RAW, Census, Draws
from zermelo.tables.fens import fen, letters_of, men_at
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import canonical, layout
from zermelo.tables.material import Material, all_materials
from zermelo.tables.pressure import Pressure

TRUTH = json.loads((Path(__file__).parent / "data" / "census.json").read_text(encoding="utf-8"))

UNREACHABLE = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
"""Faults that tables and their counts do not look at: no game leads to such checks."""


def test_every_material_is_known() -> None:
    assert {str(m) for m in all_materials(4)} | {"KBvK", "KNvK"} == set(TRUTH)


@pytest.mark.parametrize("name", TRUTH)
def test_histograms_totals_and_zugzwangs(name: str) -> None:
    census = Census(Material.parse(name), finished)
    rows: dict[str, list[list[int]]] = defaultdict(list)
    for row in census.rows:
        rows[f"{row.turn} {row.outcome}"].append([row.plies, row.count])
    truth = TRUTH[name]
    assert rows == truth["histogram"]
    assert {turn: list(census.totals(turn)) for turn in "wb"} == truth["totals"]
    zugzwangs = census.zugzwangs
    assert [len(kind) for kind in zugzwangs] == truth["zugzwangs"]
    examples = [row.example for row in census.rows] + [one for kind in zugzwangs for one in kind]
    assert not any(chess.Board(example).status() & ~UNREACHABLE for example in examples)


def test_bare_kings() -> None:
    census = Census(Material.parse("KvK"), finished)
    assert [(row.turn, row.outcome, row.count) for row in census.rows] == [("w", "draw", 462)]


def test_bishop_and_knight_draws() -> None:
    census = Census(Material.parse("KBNvK"), finished)
    assert census.draws("w") == Draws((6665, 53320), (5298, 42384), (46, 368))
    assert census.draws("b") is None
    assert census.totals("w", RAW).legal == 10_875_504
    assert census.totals("b", RAW).legal == 13_660_584


def test_labelled_orbits_by_counting_fixed_positions() -> None:
    """Burnside's lemma: a mirror in a diagonal fixes the positions with all men on it."""
    fixed = 0
    diagonal = [9 * i for i in range(8)]
    for squares in permutations(diagonal, 4):
        board = chess.Board(None)
        for square, letter in zip(squares, "KNNk", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        fixed += board.is_valid()
    census = Census(Material.parse("KNNvK"), finished)
    positions = 2 * census.totals("w", RAW).legal
    assert census.totals("w", LABELLED).legal == (positions + 2 * fixed) // 8


def _escapes(board: chess.Board) -> bool:
    """Whether the side to move is stalemated, or can take so that the other side does not win."""
    if board.is_stalemate():
        return True
    for move in [move for move in board.legal_moves if board.is_capture(move)]:
        board.push(move)
        held = not wins(board)
        board.pop()
        if held:
            return True
    return False


@pytest.mark.parametrize("name", ["KPvK", "KBNvK", "KRvKN", "KPvKP", "KRvKP", "KNvKP"])
def test_drawn_at_once_by_playing(name: str) -> None:
    """Some 300 drawn positions judged by python-chess, move by move."""
    half = Material.parse(name).halves[0]
    solved = finished(half)
    pressure = Pressure(half, solved, finished)
    letters = letters_of(half, True)
    counts = Counter[bool]()
    cells = np.flatnonzero(solved.win.reshape(-1) == solved.none)
    for cell in cells[:: len(cells) // 300].tolist():
        board = chess.Board(fen(letters, men_at(half, cell), True, "w"))
        if loses(board):
            continue
        expected = True
        for move in list(board.legal_moves):
            board.push(move)
            expected &= _escapes(board)
            board.pop()
        assert pressure.drawn_at_once(cell) == expected, board.fen()
        counts[expected] += 1
    assert counts[True]
    assert counts[False]


def test_drawn_at_once_counted_one_by_one() -> None:
    half = Material.parse("KPvK").halves[0]
    solved = finished(half)
    pressure = Pressure(half, solved, finished)
    drawn = np.flatnonzero(solved.win.reshape(-1) == solved.none).tolist()
    men = np.zeros(3, np.uint8)
    lay, maps = layout(half), geometry().maps
    lanes = {word: int(canonical(lay, maps, word, men)) for word in {cell >> 6 for cell in drawn}}
    found = sum(
        pressure.drawn_at_once(cell) for cell in drawn if lanes[cell >> 6] >> (cell & 63) & 1
    )
    draws = Census(half.material, finished).draws("w")
    assert draws is not None
    assert draws.at_once == (found, 2 * found)
