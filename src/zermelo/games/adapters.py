"""Games from elsewhere: networkx graphs, OpenSpiel games, and a game with explicit turns."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from zermelo.errors import InputError
from zermelo.games.graph import Arena, Game, GameGraph, Vertex

P = TypeVar("P", bound=Hashable)


class WithTurn(Generic[P]):
    """A game whose positions are pairs (position, player to move): its arena, as a game."""

    def __init__(self, game: Game[P]) -> None:
        self.arena: Arena[P] = Arena(game)

    def initial(self) -> Vertex[P]:
        """The start with the first player to move."""
        return self.arena.start

    def moves(self, position: Vertex[P]) -> list[Vertex[P]]:
        """The pairs that the moves lead to."""
        return self.arena.children(position)

    def outcome(self, position: Vertex[P]) -> int | None:
        """The result for the player to move."""
        return self.arena.rules.result(position[0])

    def mover(self, position: Vertex[P]) -> int:
        """The player in the pair."""
        return position[1]

    def show(self, position: Vertex[P]) -> str:
        """The game's diagram and the player."""
        return f"{self.arena.rules.show(position[0])}\nplayer {position[1]} to move"

    def name_move(self, position: Vertex[P], to: Vertex[P]) -> str:
        """The game's name of the move."""
        return self.arena.rules.name_move(position[0], to[0])


def from_networkx(
    graph: Any,
    start: Any,
    turn: str = "turn",
    result: str = "result",
    alternating: bool = False,
) -> GameGraph[Any]:
    """A networkx.DiGraph as a game; nodes have the attributes ``turn`` (+1, -1) and ``result``.

    Only sinks have a result (+1, 0, -1). Raises InputError that names the offending vertex.
    """
    if not graph.is_directed():
        raise InputError("graph: undirected; moves need directions, take a DiGraph")
    return GameGraph(
        {node: list(graph.successors(node)) for node in graph},
        start,
        {node: data[turn] for node, data in graph.nodes(data=True) if turn in data},
        {
            node: data[result]
            for node, data in graph.nodes(data=True)
            if data.get(result) is not None
        },
        alternating=alternating,
    )


class OpenSpielGame:
    """A deterministic two-player zero-sum game of OpenSpiel; positions are its states' texts.

    Two histories with the same text must have the same moves, turn and results. That is checked
    wherever a move arrives at a text met before, one move ahead, and in ``playouts`` random games
    to the end; where it fails, the text is not a Markov state and InputError says so.
    """

    def __init__(self, game: Any, playouts: int = 100, seed: int = 0) -> None:
        self.game = _load(game)
        kind = self.game.get_type()
        if self.game.num_players() != 2 or kind.chance_mode != kind.ChanceMode.DETERMINISTIC:
            raise InputError(f"{kind.short_name}: not a game of two players without chance")
        if kind.information != kind.Information.PERFECT_INFORMATION:
            raise InputError(f"{kind.short_name}: its players do not see all")
        if kind.dynamics != kind.Dynamics.SEQUENTIAL:
            raise InputError(f"{kind.short_name}: its players move at the same time")
        self.states: dict[str, Any] = {}
        self.seen: dict[str, tuple[Any, ...]] = {}
        self.start = self._meet(self.game.new_initial_state())
        self._play_out(playouts, random.Random(seed))

    def _meet(self, state: Any) -> str:
        """The state's text, after checking it against the state first met under that text."""
        text = str(state)
        seen = self._look(state)
        if self.seen.setdefault(text, seen) != seen:
            raise InputError(
                f"state {text!r}: reached with other moves, turn or result before; "
                "its text leaves something out, so it is no position of a game on a graph"
            )
        self.states.setdefault(text, state)
        return text

    def _look(self, state: Any) -> tuple[Any, ...]:
        if state.is_terminal():
            return ("end", tuple(state.returns()))
        actions = tuple(state.legal_actions())
        return (state.current_player(), actions, tuple(str(state.child(a)) for a in actions))

    def _play_out(self, playouts: int, rng: random.Random) -> None:
        for _ in range(playouts):
            state = self.game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                self._meet(state.clone())

    def initial(self) -> str:
        """The text of the initial state."""
        return self.start

    def moves(self, position: str) -> list[str]:
        """The texts of the states that the legal actions lead to."""
        state = self.states[position]
        return [self._meet(state.child(action)) for action in state.legal_actions()]

    def outcome(self, position: str) -> int | None:
        """The sign of the return for the player to move, who is player 0 where the game is over."""
        state = self.states[position]
        if not state.is_terminal():
            return None
        gain = float(state.returns()[0])
        return (gain > 0) - (gain < 0)

    def mover(self, position: str) -> int:
        """+1 for OpenSpiel's player 0, -1 for player 1."""
        return -1 if self.states[position].current_player() == 1 else 1

    def show(self, position: str) -> str:
        """The text."""
        return position

    def name_move(self, position: str, to: str) -> str:
        """OpenSpiel's text of the first action that leads there."""
        state = self.states[position]
        action = next(a for a in state.legal_actions() if str(state.child(a)) == to)
        return str(state.action_to_string(action))


def from_openspiel(game: Any, playouts: int = 100, seed: int = 0) -> OpenSpielGame:
    """A game of OpenSpiel, by its name with parameters or loaded; needs the extra ``openspiel``."""
    return OpenSpielGame(game, playouts, seed)


def _load(game: Any) -> Any:
    try:
        import pyspiel
    except ImportError:
        raise InputError("open_spiel is missing; install it with: pip install open_spiel") from None
    if not isinstance(game, str):
        return game
    try:
        return pyspiel.load_game(game)
    except pyspiel.SpielError as error:
        raise InputError(f"OpenSpiel game {game!r}: {error}") from None
