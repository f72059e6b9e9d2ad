"""Cops and robber on any graph.

First the cops choose their vertices, then the robber his; after that they move in turn, each cop
to a neighbouring vertex or nowhere, then the robber likewise. The cops win when one of them is on
the robber's vertex; the robber wins by never being caught, which counts as a draw here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement, product

from zermelo.errors import InputError
from zermelo.games.library.options import whole

Position = tuple[tuple[int, ...] | None, int | None, int]


class CopsAndRobber:
    """Positions are (cops in order, robber, +1 cops or -1 robber to move); None: not placed yet.

    ``graph`` maps each vertex to its neighbours, or names one of GRAPHS.
    """

    def __init__(
        self, graph: str | Mapping[int, Iterable[int]] = "petersen", cops: int = 2
    ) -> None:
        if isinstance(graph, str) and graph not in GRAPHS:
            raise InputError(f"graph {graph!r}: not one of {', '.join(GRAPHS)}")
        lines = GRAPHS[graph] if isinstance(graph, str) else graph
        self.cops = whole("cops", cops, 1, 8)
        self.near = {vertex: (vertex, *sorted(others)) for vertex, others in lines.items()}

    def initial(self) -> Position:
        return None, None, 1

    def mover(self, position: Position) -> int:
        return position[2]

    def moves(self, position: Position) -> list[Position]:
        cops, robber, turn = position
        if cops is None:
            places = combinations_with_replacement(sorted(self.near), self.cops)
            return [(place, None, -1) for place in places]
        if turn < 0:
            return [(cops, to, 1) for to in (self.near if robber is None else self.near[robber])]
        ways = product(*(self.near[cop] for cop in cops))
        return [(tuple(sorted(way)), robber, -1) for way in ways]

    def outcome(self, position: Position) -> int | None:
        cops, robber, turn = position
        return turn if cops is not None and robber in cops else None

    def show(self, position: Position) -> str:
        cops, robber, _ = position
        return f"cops {'-' if cops is None else cops}   robber {'-' if robber is None else robber}"

    def name_move(self, position: Position, to: Position) -> str:
        if position[2] > 0:
            return "cops " + " ".join(map(str, to[0] or ()))
        return f"robber {to[1]}"


def cycle(size: int = 4) -> dict[int, set[int]]:
    """The cycle of ``size`` vertices."""
    return {i: {(i - 1) % size, (i + 1) % size} for i in range(size)}


def petersen(outer: int = 5, step: int = 2) -> dict[int, set[int]]:
    """The generalised Petersen graph: a cycle, spokes, and an inner cycle of steps."""
    lines: dict[int, set[int]] = {i: set() for i in range(2 * outer)}
    for i in range(outer):
        inner = outer + i
        for a, b in ((i, (i + 1) % outer), (i, inner), (inner, outer + (i + step) % outer)):
            lines[a].add(b)
            lines[b].add(a)
    return lines


GRAPHS: dict[str, Mapping[int, Iterable[int]]] = {
    "c4": cycle(4),
    "petersen": petersen(),
    "dodecahedron": petersen(10, 2),
}
