"""Chess as a game on a graph against the endgame tables, published counts and python-chess."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import chess
import numpy as np
import pytest

import zermelo
from zermelo.errors import InputError
from zermelo.games.bounded import bounded
from zermelo.games.certificate import check_closed_set, check_winning_tree
from zermelo.games.library import chess_text
from zermelo.games.library.chess import Chess, ChessEnding
from zermelo.games.solution import Solved, solve_game
from zermelo.games.strategy import closed_set, winning_tree
from zermelo.games.wintree import Mark, win_tree
from zermelo.values import Outcome


def board(position: bytes) -> chess.Board:
    return chess_text.board(struct.unpack("<11Q", position))


def equal_to_the_tables(solved: Solved[bytes], material: str, tables: Path) -> int:
    """Compares all positions of three men with the tables; returns how many."""
    words = np.frombuffer(b"".join(solved.positions), np.uint64).reshape(-1, 11)
    men = np.bitwise_count(words[:, 6] | words[:, 7])
    words, outcome, plies = words[men == 3], solved.outcome[men == 3], solved.plies[men == 3]
    kings, white = words[:, 5], words[:, 8] == 1
    strong = np.where(white, words[:, 6], words[:, 7])
    weak = np.where(white, words[:, 7], words[:, 6])
    sets = (kings & strong, strong & ~kings, kings & weak)
    pieces = np.stack([np.bitwise_count(one - np.uint64(1)) for one in sets], axis=1)
    with zermelo.open_tablebase(tables) as base:
        right, distance = base.values(material, pieces.astype(np.uint8), white)
    assert (right == outcome).all()
    won = outcome != 0
    assert (distance[won] == plies[won]).all()
    return len(words)


def test_krvk(tmp_path: Path) -> None:
    solved: Solved[bytes] = solve_game(ChessEnding("KRvK"))
    assert len(solved.positions) == 402_724
    counts = [solved.count(outcome) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.DRAW)]
    assert counts == [175_168, 201_700, 25_856]
    assert solved.max_plies == 32
    mates = [p for p, n in zip(solved.positions, solved.plies.tolist(), strict=True) if n == 0]
    lost = [p for p in mates if solved.value(p).outcome is Outcome.LOSS]
    assert len(lost) == 216
    assert equal_to_the_tables(solved, "KRvK", tmp_path) == 402_724 - 3_612


def test_kqvk(tmp_path: Path) -> None:
    solved: Solved[bytes] = solve_game(ChessEnding("KQvK"))
    assert solved.max_plies == 20
    assert equal_to_the_tables(solved, "KQvK", tmp_path) == len(solved.positions) - 3_612


def test_the_moves_are_those_of_python_chess() -> None:
    rng = random.Random(3)
    for _ in range(15):
        played = chess.Board()
        for _ in range(rng.randint(0, 80)):
            if not played.is_game_over():
                played.push(rng.choice(list(played.legal_moves)))
        game = Chess(played)
        names = {game.name_move(game.start, to) for to in game.moves(game.start)}
        assert names == {played.san(move) for move in played.legal_moves}
        assert board(game.start).fen().split()[:4] == played.fen(en_passant="legal").split()[:4]


@pytest.mark.parametrize("order", ["plain", "captures", "engine"])
def test_a_mate_in_two_by_bounded_search(order: str) -> None:
    game = Chess(chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), order)
    assert bounded(game, 1, 6).plies == 3


def test_a_mate_by_wintree() -> None:
    game = Chess(chess.Board("7k/8/5K2/8/8/8/8/3Q4 b - - 0 1"), "engine")
    assert win_tree(game, 1, limit=5).result is None
    proof = win_tree(game, 1, limit=50_000)
    assert proof.result is Mark.TRUE
    check_winning_tree(game, winning_tree(proof))


def test_holding_a_drawn_ending_from_the_marks_of_one_run() -> None:
    """Two chains of pawns that no king can pass: both sides hold for ever."""
    game = Chess(chess.Board("k7/8/8/1p1p1p1p/1P1P1P1P/8/8/K7 w - - 0 1"), "engine")
    for player in (1, -1):
        proof = win_tree(game, player, limit=20_000)
        assert proof.result is Mark.NIL
        assert check_closed_set(game, closed_set(proof)) > 1
    assert bounded(game, 1, 64).won is False


def test_too_many_men_are_refused() -> None:
    with pytest.raises(InputError, match="KBNvK: 4 men; a game here has 3 at most"):
        ChessEnding("KBNvK")
    with pytest.raises(InputError, match="write it like KRvK"):
        ChessEnding("KXvK")
