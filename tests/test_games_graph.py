"""The model: validation that names what is wrong, JSON, networkx and OpenSpiel."""

from __future__ import annotations

import json
from typing import Any

import networkx
import pytest

import zermelo
from zermelo.errors import InputError, LimitError
from zermelo.games.adapters import from_networkx, from_openspiel
from zermelo.games.graph import GameGraph
from zermelo.games.solution import solve_game
from zermelo.games.strategy import Holding, Strategy, closed_set, winning_tree
from zermelo.games.wintree import win_tree, win_tree_plain
from zermelo.values import DRAW, Outcome, Value

GOOD: dict[str, Any] = {
    "arcs": {"a": ["b", "c"], "b": ["a", "d"], "c": ["c"], "d": []},
    "start": "a",
    "turn": {"a": 1, "b": -1},
    "results": {"c": 0, "d": 1},
}


def test_a_graph_is_solved() -> None:
    game = GameGraph(**GOOD)
    solved = zermelo.solve_game(game)
    assert solved.value() == DRAW
    assert solved.value("d") == Value(Outcome.WIN, 0)
    assert [move.to for move in solved.moves("a")] == ["b", "c"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arcs": GOOD["arcs"] | {"d": ["a"]}}, "vertex 'd': a sink with an arc to 'a'"),
        ({"results": {"c": 0}}, "vertex 'd': a sink without a result"),
        ({"results": {"d": 1}}, "vertex 'c': a sink without a result"),
        ({"results": {"c": 0, "d": 2}}, "vertex 'd': result 2 is not 1, 0 or -1"),
        ({"turn": {"a": 1}}, "vertex 'b': turn None is not 1 or -1"),
        ({"turn": {"a": 1, "b": 0}}, "vertex 'b': turn 0 is not 1 or -1"),
        ({"turn": {"a": 1, "b": 1}, "alternating": True}, "'a': the same player moves at 'b'"),
        ({"arcs": GOOD["arcs"] | {"a": ["x"]}}, "vertex 'a': arc to unknown 'x'"),
        ({"start": "z"}, "vertex 'z': not among the vertices"),
    ],
)
def test_a_bad_graph_is_refused_by_its_vertex(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GameGraph(**GOOD | change)


def test_json_in_and_out() -> None:
    game = GameGraph(**GOOD)
    again = GameGraph.from_json(game.to_json())
    assert (again.arcs, again.turn, again.results) == (game.arcs, game.turn, game.results)
    rows = json.loads(game.to_json())
    rows["vertices"].append(rows["vertices"][0])
    with pytest.raises(InputError, match="vertex 'a': listed twice"):
        GameGraph.from_json(json.dumps(rows))
    for bad in ("[1]", "{", '{"start": 1}', '{"start": 1, "vertices": [{"name": [1]}]}'):
        with pytest.raises(InputError):
            GameGraph.from_json(bad)


class Broken:
    """A game with one fault, chosen by name."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def initial(self) -> Any:
        return [0] if self.fault == "initial" else 0

    def moves(self, position: int) -> Any:
        return {"stuck": [], "list": [[1]], "number": 7}.get(self.fault, [position + 1])

    def outcome(self, position: int) -> Any:
        return 5 if self.fault == "result" else None


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("initial", r"Broken.initial\(.*\): \[0\] is not hashable.*test_games_graph.py, line"),
        ("stuck", r"Broken.outcome\(0\): no move and no result.*test_games_graph.py, line"),
        ("list", r"Broken.moves\(0\): unhashable.*test_games_graph.py, line"),
        ("number", r"Broken.moves\(0\): 'int' object is not iterable"),
        ("result", r"Broken.outcome\(0\): 5 is not 1, 0, -1 or None"),
    ],
)
def test_a_broken_game_is_refused_by_method_position_and_line(fault: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve_game(Broken(fault))


def test_an_endless_game_meets_the_limit() -> None:
    with pytest.raises(LimitError, match="against a limit of 1,000"):
        solve_game(Broken("none"), limit=1000)


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(InputError, match=r"object: no method initial\(\)"):
        solve_game(object())


def test_questions_without_an_answer() -> None:
    game = GameGraph(**GOOD)
    solved = solve_game(game)
    with pytest.raises(InputError, match="never reaches"):
        solved.value("x")
    with pytest.raises(InputError, match="a draw; it has no winning tree"):
        winning_tree(solved)
    with pytest.raises(InputError, match="player 0: not 1"):
        Strategy(solved, 0)
    with pytest.raises(InputError, match="player 1 moves"):
        Strategy(solved, -1)("a")
    with pytest.raises(InputError, match="the game has ended"):
        Strategy(solved, 1)("d")
    with pytest.raises(InputError, match="it gave up"):
        Holding(win_tree(game, 1, limit=1))
    with pytest.raises(InputError, match="not proven won"):
        winning_tree(win_tree(game, 1))
    with pytest.raises(InputError, match="player 1 wins"):
        closed_set(win_tree(GameGraph({"a": ["d"], "d": []}, "a", {"a": 1}, {"d": 1}), 1))
    with pytest.raises(InputError, match="player 2: not 1"):
        win_tree_plain(game, 2)


def test_networkx() -> None:
    graph = networkx.DiGraph(list({"a": "b", "b": "a"}.items()))
    graph.add_edge("a", "win")
    graph.add_node("win", result=1)
    networkx.set_node_attributes(graph, {"a": 1, "b": -1}, "turn")
    assert solve_game(from_networkx(graph, "b")).value() == Value(Outcome.LOSS, 2)
    del graph.nodes["win"]["result"]
    with pytest.raises(InputError, match="vertex 'win': a sink without a result"):
        from_networkx(graph, "b")
    with pytest.raises(InputError, match="undirected"):
        from_networkx(graph.to_undirected(), "b")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "positions", "value"),
    [
        ("tic_tac_toe", 5478, DRAW),
        ("breakthrough(rows=3,columns=3)", 723, Value(Outcome.WIN, 5)),
        ("dots_and_boxes(num_rows=1,num_cols=1)", 16, Value(Outcome.LOSS, 4)),
    ],
)
def test_openspiel(name: str, positions: int, value: Value) -> None:
    solved = solve_game(from_openspiel(name))
    assert len(solved.positions) == positions
    assert solved.value() == value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["quoridor(board_size=3)", "go(board_size=2)"])
def test_openspiel_states_whose_text_leaves_something_out(name: str) -> None:
    with pytest.raises(InputError, match="its text leaves something out"):
        solve_game(from_openspiel(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_poker", "not a game of two players without chance"),
        ("oshi_zumo", "move at the same time"),
        ("nonsense", "OpenSpiel game 'nonsense'"),
        ("phantom_ttt", "do not see all"),
    ],
)
def test_openspiel_games_of_another_kind(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_openspiel(name)
