"""A library of games: one short file each, found here by name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from zermelo.errors import InputError
from zermelo.games.adapters import WithTurn


@dataclass(frozen=True)
class Entry:
    """A game of the library: where its class is, its options' preset values, one line on it.

    ``indexed`` games number their positions (``zermelo.games.indexed``).
    """

    place: str
    summary: str
    preset: dict[str, Any] = field(default_factory=dict)
    indexed: bool = False

    def load(self) -> Any:
        """The class."""
        module, name = self.place.split(":")
        return getattr(import_module(f"zermelo.games.library.{module}"), name)

    def options(self) -> dict[str, Any]:
        """The options that the game takes, with their values when nothing is said.

        Where positions are written from the mover's side, ``turn`` makes the player to move part
        of them, so that one seen from both sides counts twice.
        """
        made = self.load()
        turn = {} if hasattr(made, "mover") or self.indexed else {"turn": False}
        return _defaults(made) | self.preset | turn

    def make(self, turn: bool = False, **options: Any) -> Any:
        """A game with these options."""
        game = self.load()(**self.preset | options)
        return WithTurn(game) if turn else game


LIBRARY: dict[str, Entry] = {
    "tic-tac-toe": Entry("tic_tac_toe:TicTacToe", "k in a row on m by n squares (m, n, k, misere)"),
    "connect-four": Entry("connect_four:ConnectFour", "four in a row of discs that fall"),
    "hexapawn": Entry("hexapawn:Hexapawn", "pawns alone on a small board"),
    "dodgem": Entry("dodgem:Dodgem", "cars that must cross each other's way"),
    "pong-hau-ki": Entry("pong_hau_ki:PongHauKi", "two stones each on five points"),
    "mu-torere": Entry("mu_torere:MuTorere", "four stones each on an eight-pointed star"),
    "tapatan": Entry("tapatan:Tapatan", "three stones each, lines with diagonals"),
    "three-mens-morris": Entry(
        "tapatan:Tapatan", "three stones each, rows and columns only", {"diagonals": False}
    ),
    "nine-holes": Entry(
        "tapatan:Tapatan",
        "three men's morris with moves to anywhere",
        {"diagonals": False, "fly": True},
    ),
    "hare-and-hounds": Entry("hare_and_hounds:HareAndHounds", "three hounds shut in a hare"),
    "fox-and-hounds": Entry("fox_and_hounds:FoxAndHounds", "a fox breaks through hounds"),
    "infinite-tic-tac-toe": Entry(
        "infinite_tic_tac_toe:InfiniteTicTacToe", "tic-tac-toe in which the oldest mark vanishes"
    ),
    "quixo": Entry("quixo:Quixo", "cubes pushed into rows of three"),
    "l-game": Entry("l_game:LGame", "de Bono's L game"),
    "chopsticks": Entry("chopsticks:Chopsticks", "the finger game"),
    "cops-and-robber": Entry("cops_and_robber:CopsAndRobber", "pursuit on a graph"),
    "chomp": Entry("chomp:Chomp", "chocolate with a poisoned square"),
    "nim": Entry("nim:Nim", "heaps of counters"),
    "chess": Entry("chess:ChessEnding", "all positions of a chess ending of three men"),
    "teeko": Entry("teeko:Teeko", "four stones each, 75.7 million positions", indexed=True),
}
"""The games by their names on the command line."""


def find(name: str) -> Entry:
    """The entry of a name; raises InputError that suggests the nearest one."""
    if name not in LIBRARY:
        near = get_close_matches(name, LIBRARY, 1)
        hint = f"did you mean {near[0]}?" if near else "'zermelo game' lists them"
        raise InputError(f"game {name!r}: not in the library; {hint}")
    return LIBRARY[name]


def parse(name: str, words: list[str]) -> dict[str, Any]:
    """Options of a library game as written, ``width=5`` or ``misere=yes``."""
    return _parse(name, find(name).options(), words)


def parsed(name: str, made: type, words: list[str]) -> dict[str, Any]:
    """Options of any class as written, read as the defaults of its constructor are."""
    return _parse(name, _defaults(made), words)


def _defaults(made: Any) -> dict[str, Any]:
    return {p.name: p.default for p in inspect.signature(made).parameters.values()}


def _parse(name: str, known: dict[str, Any], words: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.replace("-", "_")
        if not equals or key not in known:
            takes = ", ".join(f"{k}={written(v)}" for k, v in known.items()) or "no options"
            raise InputError(f"option {word!r}: {name} takes {takes}")
        options[key] = _value(word, text, known[key])
    return options


def written(value: Any) -> str:
    """An option's value as it is written."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _value(word: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text not in ("yes", "no"):
            raise InputError(f"option {word!r}: write yes or no")
        return text == "yes"
    if not isinstance(default, int | tuple):
        return text
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"option {word!r}: {text!r} is not a whole number") from None
    if isinstance(default, int) and len(numbers) > 1:
        raise InputError(f"option {word!r}: write one whole number")
    return numbers if isinstance(default, tuple) else numbers[0]
