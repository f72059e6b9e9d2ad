"""The library against published and independently computed figures."""

from __future__ import annotations

from typing import Any

import pytest

from zermelo.errors import InputError
from zermelo.games.certificate import check_closed_set, check_values, check_winning_tree
from zermelo.games.graph import Rules
from zermelo.games.library import LIBRARY
from zermelo.games.solution import Solved, solve_game
from zermelo.games.strategy import Strategy, closed_set, winning_tree
from zermelo.games.wintree import Mark, win_tree
from zermelo.values import Outcome

# game, options, positions, wins, losses, draws, outcome, plies at the start, longest
TRUTH: list[tuple[str, dict[str, Any], int, int, int, int, str, int | None, int]] = [
    ("tic-tac-toe", {}, 5478, 2836, 1574, 1068, "draw", None, 5),
    ("tic-tac-toe", {"misere": True}, 5478, 3054, 1444, 980, "draw", None, 8),
    ("connect-four", {}, 161029, 38675, 32234, 90120, "draw", None, 13),
    ("hexapawn", {}, 135, 55, 80, 0, "loss", 6, 6),
    ("hexapawn", {"rows": 4, "columns": 4}, 20286, 8336, 11950, 0, "win", 11, 11),
    ("hexapawn", {"rows": 5, "columns": 4}, 118133, 51631, 66502, 0, "loss", 16, 16),
    ("dodgem", {}, 1963, 1123, 840, 0, "win", 19, 21),
    ("dodgem", {"stuck_wins": False}, 1963, 1120, 843, 0, "win", 19, 21),
    ("dodgem", {"size": 4}, 393900, 209489, 149130, 35281, "draw", None, 42),
    ("pong-hau-ki", {}, 28, 4, 2, 22, "draw", None, 1),
    ("pong-hau-ki", {"everywhere": True}, 30, 4, 2, 24, "draw", None, 1),
    ("mu-torere", {}, 590, 104, 64, 422, "draw", None, 5),
    ("mu-torere", {"restricted": False}, 590, 160, 80, 350, "win", 1, 5),
    ("mu-torere", {"turn": True}, 1180, 208, 128, 844, "draw", None, 5),
    ("tapatan", {}, 3870, 2161, 773, 936, "win", 9, 10),
    ("three-mens-morris", {}, 3910, 1434, 410, 2066, "draw", None, 5),
    ("nine-holes", {}, 3910, 1638, 378, 1894, "draw", None, 3),
    ("hare-and-hounds", {}, 2396, 1094, 759, 543, "loss", 24, 28),
    ("fox-and-hounds", {}, 10357, 5090, 5267, 0, "win", 25, 25),
    ("infinite-tic-tac-toe", {}, 73450, 22752, 6768, 43930, "draw", None, 1),
    ("chopsticks", {}, 191, 120, 61, 10, "loss", 26, 33),
    ("chopsticks", {"split": False}, 92, 57, 35, 0, "loss", 8, 8),
    ("chopsticks", {"modulo": True}, 207, 72, 35, 100, "draw", None, 25),
    ("cops-and-robber", {"graph": "c4", "cops": 1}, 37, 12, 4, 21, "draw", None, 1),
    ("cops-and-robber", {}, 1156, 340, 100, 716, "draw", None, 1),
    ("cops-and-robber", {"graph": "dodecahedron", "cops": 3}, 63141, 30801, 32340, 0, "win", 7, 10),
]


def solved(name: str, options: dict[str, Any]) -> Solved[Any]:
    return solve_game(LIBRARY[name].make(**options))


def check(game: Solved[Any]) -> None:
    """Checks all values, and a certificate for the start."""
    rows = zip(game.positions, game.outcome.tolist(), game.plies.tolist(), strict=True)
    check_values(game.rules.game, {p: (outcome, plies) for p, outcome, plies in rows})
    if game.value().outcome is Outcome.DRAW:
        check_closed_set(game.rules.game, closed_set(game))
    else:
        check_winning_tree(game.rules.game, winning_tree(game))


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: f"{row[0]}-{row[2]}")
def test_truth(row: tuple[Any, ...]) -> None:
    name, options, positions, wins, losses, draws, outcome, plies, longest = row
    game = solved(name, options)
    counts = [game.count(result) for result in (Outcome.WIN, Outcome.LOSS, Outcome.DRAW)]
    assert len(game.positions) == positions
    assert counts == [wins, losses, draws]
    assert (game.value().outcome.word, game.value().plies) == (outcome, plies)
    assert game.max_plies == longest
    if positions <= 130_000:
        check(game)


def test_connect_four_five_by_four() -> None:
    game = solved("connect-four", {"width": 5})
    counts = [game.count(result) for result in (Outcome.WIN, Outcome.LOSS, Outcome.DRAW)]
    assert counts == [1390516, 1251559, 1303636]
    assert (game.value().outcome, game.max_plies) == (Outcome.DRAW, 19)


@pytest.mark.parametrize(
    ("name", "options", "classes"),
    [
        ("tic-tac-toe", {"symmetry": True}, 765),
        ("mu-torere", {"symmetry": True}, 43),
        ("l-game", {}, 2296),
    ],
)
def test_classes_under_symmetry(name: str, options: dict[str, Any], classes: int) -> None:
    game = solved(name, options)
    assert len(game.positions) == classes
    check(game)
    whole = solved(name, {"symmetry": False})
    assert game.value() == whole.value()
    for position in whole.positions:
        assert whole.value(position) == game.value(position)


def test_two_cops_do_not_catch_a_robber_on_the_dodecahedron() -> None:
    game = solved("cops-and-robber", {"graph": "dodecahedron", "cops": 2})
    assert len(game.positions) == 8611
    assert game.value().outcome is Outcome.DRAW


def test_the_l_game() -> None:
    game = solved("l-game", {"symmetry": False})
    assert len(game.positions) == 18368
    assert game.value().outcome is Outcome.DRAW


def test_quixo() -> None:
    game = solved("quixo", {})
    assert game.value().outcome is Outcome.WIN
    check(game)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (3, 4), (4, 5)])
def test_chomp_is_won_by_the_first_player(rows: int, columns: int) -> None:
    game = solved("chomp", {"rows": rows, "columns": columns})
    assert (game.value().outcome is Outcome.WIN) == ((rows, columns) != (1, 1))
    check(game)


@pytest.mark.parametrize("misere", [False, True])
def test_nim_by_the_theorem_of_bouton(misere: bool) -> None:
    game = solved("nim", {"heaps": (3, 5, 6), "misere": misere})
    for position in game.positions:
        total = 0
        for heap in position:
            total ^= heap
        small = misere and all(heap == 1 for heap in position)
        wins = len(position) % 2 == 0 if small else total != 0
        assert (game.value(position).outcome is Outcome.WIN) == wins


@pytest.mark.parametrize(
    ("name", "most"), [("connect-four", 8000), ("hare-and-hounds", 10000), ("mu-torere", 400)]
)
def test_wintree_visits_few(name: str, most: int) -> None:
    game = solved(name, {})
    for player in (1, -1):
        proof = win_tree(LIBRARY[name].make(), player)
        assert proof.visits <= most
        assert (proof.result is Mark.TRUE) == (game.value().outcome * proof.root[1] == player)
        if proof.result is Mark.TRUE:
            check_winning_tree(game.rules.game, winning_tree(proof))
        else:
            check_closed_set(game.rules.game, closed_set(proof))


@pytest.mark.parametrize("name", sorted(set(LIBRARY) - {"teeko", "chess"}))
def test_every_game_shows_its_positions_and_names_its_moves(name: str) -> None:
    game = solved(name, {})
    rules: Rules[Any] = game.rules
    for position in game.positions[:: len(game.positions) // 200 + 1]:
        assert rules.show(position)
        names = [rules.name_move(position, move.to) for move in game.moves(position)]
        assert all(names)
        assert len(set(names)) == len(names), (position, names)


def test_a_strategy_wins_holds_and_resists() -> None:
    game = solved("tapatan", {})
    best = Strategy(game, 1)
    position, plies = game.positions[0], 0
    while not game.ended(position):
        position = best(position)
        plies += 1
    assert plies == game.value().plies


def test_the_order_of_moves_is_a_parameter() -> None:
    game = LIBRARY["connect-four"].make()
    other = win_tree(game, 1, order=lambda position, moves: moves[2:] + moves[:2])
    assert other.result is Mark.FALSE
    assert other.visits != win_tree(game, 1).visits
    with pytest.raises(InputError, match="not the same moves in another order"):
        win_tree(game, 1, order=lambda position, moves: moves[1:])
