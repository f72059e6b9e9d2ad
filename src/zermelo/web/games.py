"""The games page: walks the graph of a small game, each move coloured by its value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from zermelo.errors import InputError
from zermelo.games.explain import phrase, why
from zermelo.games.library import LIBRARY, find
from zermelo.games.solution import Solved, solve_game
from zermelo.values import Outcome
from zermelo.web.pages import page
from zermelo.web.service import client_of, number_of, service_of

LIMIT = 60_000
"""Positions of a game that is solved for the page."""
LARGE = ("chess", "connect-four", "infinite-tic-tac-toe")
"""Games of the library that have more."""

_GROUPS = ((Outcome.WIN, "Winning"), (Outcome.DRAW, "Drawing"), (Outcome.LOSS, "Losing"))
_WORD = re.compile("[a-z]{2}", re.I)
_EXCHANGED = str.maketrans("ox", "xo")


def offered() -> dict[str, str]:
    """The games that can be walked, with a line on each."""
    return {
        name: entry.summary
        for name, entry in LIBRARY.items()
        if not entry.indexed and name not in LARGE
    }


async def games_route(request: Request) -> Response:
    """``GET /games``: the games to choose from."""
    return page(request, "games", games=offered())


async def game_route(request: Request) -> Response:
    """``GET /games/tapatan?at=7``: a position of a game, by its number, and its moves."""
    name = request.path_params["name"][:40]
    find(name)
    if name not in offered():
        raise InputError(f"{name}: too large for a page; solve it with: zermelo game {name}")
    solved = await service_of(request).heavy.run(client_of(request), solution, name)
    at = number_of(request, "at", 0, 0, len(solved.positions) - 1)
    return page(request, "game", here="games", **described(name, solved, at))


@lru_cache(8)
def solution(name: str) -> Solved[Any]:
    """A game solved, the player to move being part of its positions."""
    entry = find(name)
    options = {"turn": True} if "turn" in entry.options() else {}
    return solve_game(entry.make(**options), limit=LIMIT)


def described(name: str, solved: Solved[Any], at: int) -> dict[str, Any]:
    """What the page says about a position."""
    position = solved.positions[at]
    moves = solved.moves(position)
    first = solved.rules.turn(position) == 1
    return {
        "name": name,
        "summary": LIBRARY[name].summary,
        "at": at,
        "positions": len(solved.positions),
        "diagram": _diagram(name, solved, position, first),
        "player": "First player" if first else "Second player",
        "status": _status(solved, position, first),
        "why": why(moves) if moves else "",
        "groups": [
            (outcome.word, title, _choices(solved, position, outcome, moves))
            for outcome, title in _GROUPS
            if any(move.value.outcome is outcome for move in moves)
        ],
        "over": not moves,
    }


def _choices(
    solved: Solved[Any], position: Any, outcome: Outcome, moves: list[Any]
) -> list[tuple[int, str, str]]:
    """(number of the position that it leads to, name, value) of the moves of one outcome."""
    return [
        (solved.number(move.to), solved.rules.name_move(position, move.to), phrase(move.value))
        for move in moves
        if move.value.outcome is outcome
    ]


def _diagram(name: str, solved: Solved[Any], position: Any, first: bool) -> str:
    """The game's diagram, in which stones keep their signs.

    Library games draw the mover's stones as ``o``; here the first player's are.
    """
    if "turn" not in find(name).options():
        return solved.rules.show(position)
    text = solved.rules.show(position).rpartition("\n")[0]
    return text if first or _WORD.search(text) else text.translate(_EXCHANGED)


def _status(solved: Solved[Any], position: Any, first: bool) -> str:
    value = solved.value(position)
    if value.outcome is Outcome.DRAW:
        return "The game ends in a draw" if solved.ended(position) else "Drawn with best play"
    winner = "First" if (value.outcome is Outcome.WIN) == first else "Second"
    if solved.ended(position):
        return f"{winner} player has won"
    return f"{winner} player wins in {value.plies} {'ply' if value.plies == 1 else 'plies'}"
