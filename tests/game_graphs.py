"""Small game graphs for the tests, and the published procedure transcribed on its own.

A graph here is ``(arcs, turn, results)``: lists by vertex of arcs, of +1 or -1, and of a sink's
result or None; vertex 0 is the start.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from zermelo.games.graph import GameGraph

Raw = tuple[list[list[int]], list[int], list[int | None]]


def game(graph: Raw) -> GameGraph[int]:
    arcs, turn, results = graph
    sinks = {v: r for v, r in enumerate(results) if r is not None}
    return GameGraph(dict(enumerate(arcs)), 0, dict(enumerate(turn)), sinks)


def random_graph(rng: random.Random, most: int = 14) -> Raw:
    size = rng.randint(2, most)
    sinks = rng.choice([0.1, 0.2, 0.35])
    graph: Raw = ([], [], [])
    for v in range(size):
        others = [w for w in range(size) if w != v]
        sink = rng.random() < sinks
        graph[0].append([] if sink else rng.sample(others, rng.randint(1, min(4, size - 1))))
        graph[1].append(rng.choice([1, -1]))
        graph[2].append(rng.choice([1, 0, -1]) if sink else None)
    return graph


def all_graphs(size: int, every_order: bool) -> Iterator[Raw]:
    """All game graphs in which vertex 0 reaches every vertex, each once up to renumbering.

    With ``every_order`` the arcs of a vertex come in each of their orders.
    """
    kinds: list[list[tuple[tuple[int, ...], int, int | None]]] = []
    for v in range(size):
        kinds.append([((), 1, result) for result in (1, 0, -1)])
        for count in range(1, size + 1):
            for heads in itertools.combinations(range(size), count):
                if heads != (v,):
                    orders = itertools.permutations(heads) if every_order else [heads]
                    kinds[v] += [(order, turn, None) for order in orders for turn in (1, -1)]
    renumberings = list(itertools.permutations(range(1, size)))
    for choice in itertools.product(*kinds):
        if _reaches_all(choice, size) and _first(choice, size, renumberings, every_order):
            arcs, turn, results = zip(*choice, strict=True)
            yield [list(heads) for heads in arcs], list(turn), list(results)


def _reaches_all(choice: tuple, size: int) -> bool:
    met, todo = {0}, [0]
    while todo:
        fresh = set(choice[todo.pop()][0]) - met
        met |= fresh
        todo += fresh
    return len(met) == size


def _first(choice: tuple, size: int, renumberings: list, every_order: bool) -> bool:
    """Whether no other numbering of the vertices 1, 2, … makes an earlier graph."""
    key = [(heads, turn, result or 0) for heads, turn, result in choice]
    for numbers in renumberings:
        to = (0, *numbers)
        image: list = [None] * size
        for v, (heads, turn, result) in enumerate(choice):
            named = tuple(to[w] for w in heads)
            image[to[v]] = (named if every_order else tuple(sorted(named)), turn, result or 0)
        if image < key:
            return False
    return True


class Printed:
    """The published procedure for player g as it is printed: plain, or its optimised form.

    ``value`` is "T", "F" or "N"; the optimised form reads black children in a first loop and
    skips, in the second, whatever is black by then: that is its error.
    """

    def __init__(self, graph: Raw, g: int, optimised: bool) -> None:
        self.arcs, self.turn, self.results = graph
        self.g, self.optimised = g, optimised
        size = len(self.arcs)
        self.color = ["white"] * size
        self.value: list[str | None] = [None] * size
        self.depth = [0] * size
        self.visits = 0

    def run(self, v: int = 0) -> str:
        self.visits += 1
        self.color[v] = "gray"
        if self.results[v] is not None:
            value = "T" if self.results[v] == self.g else "F"
        elif self.turn[v] == self.g:
            value = self._ours(v)
        else:
            value = self._theirs(v)
        self.value[v] = value
        self.color[v] = "white" if value == "N" else "black"
        return value

    def _answers(self, v: int) -> Iterator[tuple[int, str]]:
        if self.optimised:
            for w in self.arcs[v]:
                if self.color[w] == "black":
                    yield w, self.value[w] or ""
        for w in self.arcs[v]:
            if self.color[w] == "gray":
                yield w, "N"
            elif self.color[w] == "white":
                yield w, self.run(w)
            elif not self.optimised:
                yield w, self.value[w] or ""

    def _ours(self, v: int) -> str:
        value = "F"
        for w, answer in self._answers(v):
            if answer == "T":
                self.depth[v] = self.depth[w] + 1
                return "T"
            if answer == "N":
                value = "N"
        return value

    def _theirs(self, v: int) -> str:
        value, depth = "T", 0
        for w, answer in self._answers(v):
            if answer == "F":
                return "F"
            if answer == "N":
                value = "N"
            else:
                depth = max(depth, self.depth[w] + 1)
        self.depth[v] = depth
        return value
