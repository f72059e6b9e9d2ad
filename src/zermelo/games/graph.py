"""The model: positions, moves, results and turns; games as rules and games as explicit graphs.

A game is a finite directed graph. A position without moves is a sink, and its result is +1, 0 or
-1; the players are +1, who moves first, and -1; endless play is a draw.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from zermelo.errors import InputError
from zermelo.values import Outcome

P = TypeVar("P", bound=Hashable)
V = TypeVar("V", bound=Hashable)

RESULTS = {int(outcome): outcome for outcome in Outcome}


@runtime_checkable
class Game(Protocol[P]):
    """Three methods describe a game; positions are any hashable values.

    These further methods are used where a game has them:

    ``canonical(position)``      the representative of its symmetry class, of equal value
    ``order(position, moves)``   the same moves, the most promising first
    ``mover(position)``          +1 or -1, for games whose turns do not simply alternate
    ``positions()``              more positions to solve than those the initial one leads to
    ``show(position)``           a diagram for people
    ``name_move(position, to)``  the move's name for people
    """

    def initial(self) -> P:
        """The position at the start."""

    def moves(self, position: P) -> Iterable[P]:
        """The positions that the player to move can move to."""

    def outcome(self, position: P) -> int | None:
        """+1, 0 or -1 for the player to move where the game has ended; None while it goes on."""


def where(function: Any) -> str:
    """``"file.py, line 7"`` where a function or method is defined, or its name."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return repr(function)
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


class Rules(Generic[P]):
    """A game with its optional methods filled in and every answer checked.

    Raises InputError, naming position, method and line, for a stuck position without a result,
    a result other than +1, 0, -1 or None, and a position that cannot be hashed.
    """

    def __init__(self, game: Game[P]) -> None:
        for name in ("initial", "moves", "outcome"):
            if not callable(getattr(game, name, None)):
                raise InputError(f"{type(game).__name__}: no method {name}(); a game needs it")
        self.game = game
        self.name = type(game).__name__
        self.canonical = getattr(game, "canonical", None)
        self.order = getattr(game, "order", None)
        self.mover = getattr(game, "mover", None)

    def _fault(self, method: str, position: Any, what: str) -> InputError:
        place = where(self.order if method == "order" else getattr(self.game, method))
        return InputError(f"{self.name}.{method}({position!r}): {what} ({place})")

    def start(self) -> P:
        """The initial position, canonical where the game has symmetries."""
        start = self.game.initial()
        try:
            hash(start)
        except TypeError:
            raise self._fault("initial", "", f"{start!r} is not hashable; use tuples") from None
        return start if self.canonical is None else self.canonical(start)

    def starts(self) -> Iterator[P]:
        """The initial position, then those that the game lists besides."""
        yield self.start()
        if listed := getattr(self.game, "positions", None):
            yield from listed() if self.canonical is None else map(self.canonical, listed())

    def result(self, position: P) -> Outcome | None:
        """The result for the player to move, None while the game goes on."""
        result = self.game.outcome(position)
        if result is None:
            return None
        try:
            return RESULTS[result]
        except (KeyError, TypeError):
            what = f"{result!r} is not 1, 0, -1 or None"
            raise self._fault("outcome", position, what) from None

    def children(self, position: P) -> list[P]:
        """Where the moves lead, each place once, in the game's order."""
        try:
            moves = self.game.moves(position)
            children = list(
                dict.fromkeys(moves if self.canonical is None else map(self.canonical, moves))
            )
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise
            raise self._fault("moves", position, f"{error}; return hashable positions") from None
        if not children:
            raise self._fault(
                "outcome", position, "no move and no result; give a stuck position one"
            )
        if self.order is not None:
            children = self._ordered(position, children)
        return children

    def _ordered(self, position: P, children: list[P]) -> list[P]:
        ordered = list(self.order(position, list(children)))  # type: ignore[misc]
        if len(ordered) != len(children) or set(ordered) != set(children):
            raise self._fault("order", position, "not the same moves in another order")
        return ordered

    def turn(self, position: P) -> int:
        """Who moves, +1 or -1, in a game with ``mover``."""
        player = self.mover(position)  # type: ignore[misc]
        if player not in (-1, 1):
            raise self._fault("mover", position, f"{player!r} is not 1 or -1")
        return int(player)

    def show(self, position: P) -> str:
        """The game's diagram of a position, or its repr."""
        show = getattr(self.game, "show", None)
        return str(show(position)) if show else repr(position)

    def name_move(self, position: P, to: P) -> str:
        """The game's name of a move, or the position that it leads to.

        With symmetries the move is named after the first one that leads to the class of ``to``.
        """
        name = getattr(self.game, "name_move", None)
        if name is None:
            return self.show(to).replace("\n", "/")
        if self.canonical is not None:
            to = next(move for move in self.game.moves(position) if self.canonical(move) == to)
        return str(name(position, to))


Vertex = tuple[P, int]
"""A position and the player to move, +1 or -1."""

Order = Callable[[P, list[P]], Iterable[P]]
"""Puts the moves of a position in another order, the most promising first."""


class Arena(Generic[P]):
    """A game as one directed graph with absolute turns and results, which proof search walks.

    A vertex is the position together with the player to move: positions written from the mover's
    side would otherwise stand for two. ``order`` replaces the game's own order of moves.
    """

    def __init__(self, game: Game[P], order: Order[P] | None = None) -> None:
        self.rules = Rules(game)
        if order is not None:
            self.rules.order = order
        self.start = self.vertex(self.rules.start(), 1)

    def vertex(self, position: P, player: int) -> Vertex[P]:
        """The vertex of a position; ``player`` counts only in games without ``mover``."""
        return position, self.rules.turn(position) if self.rules.mover else player

    def result(self, vertex: Vertex[P]) -> int | None:
        """The result for player +1 at a sink, None elsewhere."""
        result = self.rules.result(vertex[0])
        return None if result is None else result * vertex[1]

    def children(self, vertex: Vertex[P]) -> list[Vertex[P]]:
        """The vertices that the moves lead to, in the game's order."""
        position, player = vertex
        if self.rules.mover is None:
            return [(child, -player) for child in self.rules.children(position)]
        return [(child, self.rules.turn(child)) for child in self.rules.children(position)]


class GameGraph(Generic[V]):
    """An explicit graph as a game; ``turn`` and ``results`` are +1 or -1 and +1, 0 or -1.

    A sink has a result and no arc but perhaps one to itself; its turn may be left out. Raises
    InputError that names the offending vertex; ``alternating`` also demands that the players
    take turns.
    """

    def __init__(
        self,
        arcs: Mapping[V, Sequence[V]],
        start: V,
        turn: Mapping[V, int],
        results: Mapping[V, int],
        vertices: Iterable[V] | None = None,
        alternating: bool = False,
    ) -> None:
        named = arcs if vertices is None else vertices
        self.vertices: list[V] = list(dict.fromkeys([*named, *results]))
        self.arcs: dict[V, list[V]] = {v: list(arcs.get(v, ())) for v in self.vertices}
        self.start = start
        self.turn = dict(turn)
        self.results = dict(results)
        self._check({*arcs, *turn}, alternating)

    def _check(self, mentioned: set[V], alternating: bool) -> None:
        known = set(self.vertices)
        if unknown := [v for v in [self.start, *mentioned] if v not in known]:
            raise InputError(f"vertex {unknown[0]!r}: not among the vertices; add it")
        for vertex in self.vertices:
            self._check_vertex(vertex, known, alternating)

    def _check_vertex(self, vertex: V, known: set[V], alternating: bool) -> None:
        arcs, turn = self.arcs[vertex], self.turn.get(vertex)
        if unknown := [w for w in arcs if w not in known]:
            raise InputError(f"vertex {vertex!r}: arc to unknown {unknown[0]!r}; add the vertex")
        onward = [w for w in arcs if w != vertex]
        if vertex in self.results:
            if onward:
                raise InputError(
                    f"vertex {vertex!r}: a sink with an arc to {onward[0]!r}; "
                    "drop its arcs or its result"
                )
            if self.results[vertex] not in (-1, 0, 1):
                raise InputError(
                    f"vertex {vertex!r}: result {self.results[vertex]!r} is not 1, 0 or -1"
                )
            self.turn.setdefault(vertex, 1)
        elif not onward:
            raise InputError(f"vertex {vertex!r}: a sink without a result; give it 1, 0 or -1")
        if self.turn.get(vertex) not in (-1, 1):
            raise InputError(f"vertex {vertex!r}: turn {turn!r} is not 1 or -1")
        for w in onward if alternating else ():
            if w not in self.results and self.turn.get(w) == turn:
                raise InputError(
                    f"vertex {vertex!r}: the same player moves at {w!r}; turns do not alternate"
                )

    def initial(self) -> V:
        """The start."""
        return self.start

    def moves(self, position: V) -> list[V]:
        """The heads of the vertex's arcs."""
        return self.arcs[position]

    def outcome(self, position: V) -> int | None:
        """A sink's result as the player to move there sees it."""
        result = self.results.get(position)
        return None if result is None else result * self.turn[position]

    def mover(self, position: V) -> int:
        """The player to move, +1 or -1."""
        return self.turn[position]

    def show(self, position: V) -> str:
        """The vertex's name."""
        return str(position)

    def to_json(self) -> str:
        """``{"start", "vertices": [{"name", "turn", "arcs", at sinks "result"}]}``."""
        rows: list[dict[str, Any]] = []
        for v in self.vertices:
            row: dict[str, Any] = {"name": v, "turn": self.turn[v], "arcs": self.arcs[v]}
            if v in self.results:
                row["result"] = self.results[v]
            rows.append(row)
        return json.dumps({"start": self.start, "vertices": rows}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, alternating: bool = False) -> GameGraph[Any]:
        """Reads what ``to_json`` writes; a name is a string or a whole number."""
        try:
            data = json.loads(text)
            rows = data["vertices"]
            names = [row["name"] for row in rows]
            start = data["start"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise InputError(
                f"game graph: {type(error).__name__}: {error}; "
                'write {"start": …, "vertices": [{"name", "turn", "arcs", "result"}]}'
            ) from None
        seen: set[str | int] = set()
        for name in names:
            if not isinstance(name, str | int):
                raise InputError(f"vertex {name!r}: a name is a string or a whole number")
            if name in seen:
                raise InputError(f"vertex {name!r}: listed twice; drop one")
            seen.add(name)
        return GameGraph(
            {row["name"]: row.get("arcs", []) for row in rows},
            start,
            {row["name"]: row["turn"] for row in rows if "turn" in row},
            {row["name"]: row["result"] for row in rows if row.get("result") is not None},
            alternating=alternating,
        )
