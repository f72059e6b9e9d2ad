"""The games page: what is offered can be solved, and what is shown follows from the rules."""

from __future__ import annotations

import pytest

from zermelo.errors import LimitError
from zermelo.games.library import LIBRARY
from zermelo.games.solution import solve_game
from zermelo.web.games import LARGE, LIMIT, described, offered, solution


@pytest.mark.parametrize("name", offered())
def test_a_game_that_is_offered(name: str) -> None:
    solved = solution(name)
    assert 0 < len(solved.positions) <= LIMIT
    shown = described(name, solved, 0)
    assert shown["player"] == "First player"
    choices = [choice for _, _, choices in shown["groups"] for choice in choices]
    assert len(choices) == len(solved.moves())
    for to, label, _ in choices:
        assert label
        assert 0 <= to < len(solved.positions)
    last = described(name, solved, len(solved.positions) - 1)
    assert last["over"] == (not solved.moves(solved.positions[-1]))


@pytest.mark.parametrize("name", LARGE)
def test_a_game_that_is_not_offered_is_too_large(name: str) -> None:
    with pytest.raises(LimitError):
        solve_game(LIBRARY[name].make(), limit=LIMIT)


@pytest.mark.parametrize(
    ("name", "first", "second"), [("tic-tac-toe", "X", "O"), ("tapatan", "o", "x")]
)
def test_stones_keep_their_signs(name: str, first: str, second: str) -> None:
    """Some games draw the mover's stones, not the first player's, with one sign."""
    solved = solution(name)
    start = described(name, solved, 0)
    after = described(name, solved, start["groups"][0][2][0][0])
    assert after["player"] == "Second player"
    assert (after["diagram"].count(first), after["diagram"].count(second)) == (1, 0)
    later = described(name, solved, after["groups"][0][2][0][0])
    assert (later["diagram"].count(first), later["diagram"].count(second)) == (1, 1)
