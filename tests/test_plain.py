"""Small cases through every kind of kernel; run once more as plain Python, the JIT off.

Numba's compiled code is invisible to coverage and hides what Python would complain about, so CI
runs this file with ``NUMBA_DISABLE_JIT=1`` too.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import chess
import numpy as np
import pytest

from game_graphs import game, random_graph
from zermelo.board.perft import perft
from zermelo.board.position import encode
from zermelo.games.solution import solve_game
from zermelo.games.wintree import Mark, win_tree
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import canonical, layout
from zermelo.tables.material import Half
from zermelo.tables.retrograde import Solved, solve_half
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome, Value

# Orbits by distance, attacker to move (1, 3, 5 … plies) and defender to move (0, 2, 4 … plies).
KNOWN = {
    "Q": (
        [306, 629, 1135, 2499, 3273, 4010, 4016, 1877, 335, 1],
        [46, 169, 372, 936, 1773, 3190, 4997, 6769, 5483, 1417, 8],
    ),
    "R": (
        [189, 587, 484, 238, 607, 1091, 1418, 2149, 2514, 2382, 2565, 2691, 2234, 2027, 662, 121],
        [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390],
    ),
}


@cache
def _made(half: Half) -> Solved:
    return solve_half(half, _made)


@pytest.mark.parametrize("piece", "QR")
def test_piece_against_king(piece: str) -> None:
    half = Half(piece, "")
    solved, lay = _made(half), layout(half)
    men = np.empty(half.men, np.uint8)
    counts = np.zeros((2, 256), np.int64)
    for word in range(lay.words):
        lanes = int(canonical(lay, geometry().maps, word, men))
        kept = [lane for lane in range(64) if lanes >> lane & 1]
        for side, cells in enumerate((solved.win, solved.lost)):
            counts[side] += np.bincount(cells[word, kept], minlength=256)
    wins, losses = KNOWN[piece]
    assert counts[0, 1:254].tolist() == wins + [0] * (253 - len(wins))
    assert counts[1, :254].tolist() == losses + [0] * (254 - len(losses))


# Words wrap around by design; without the JIT NumPy remarks on it.
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_perft_of_two() -> None:
    assert perft(encode(chess.Board()), 2) == 400
    assert perft(encode(chess.Board("r3k2r/8/8/2pP4/8/8/P7/R3K2R w KQkq c6 0 1")), 2) == 538


def test_hundred_graphs() -> None:
    rng = random.Random(5)
    for _ in range(100):
        played = game(random_graph(rng))
        value = solve_game(played).value()
        for player in (1, -1):
            proof = win_tree(played, player)
            wins = value.outcome * played.turn[played.start] == player
            assert (proof.result is Mark.TRUE) == wins


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_files_and_probing(tmp_path: Path) -> None:
    with Tablebase(tmp_path) as tables:
        board = chess.Board("8/8/8/3k4/8/8/4R3/4K3 w - - 0 1")
        assert tables.value(board) == Value(Outcome.WIN, 27)
        assert [move.san for move in tables.moves(board)[:2]] == ["Kd1", "Kd2"]
        outcome, plies = tables.values("KRvK", [[4, 12, 35], [4, 0, 35]], [True, False])
    assert outcome.tolist() == [1, -1]
    assert plies.tolist() == [27, 28]
