"""Checks certificates against the game's own rules; shares no code with any solver.

A certificate of values is right if every position agrees with its successors: losses have no
escape and distances fall to the end, so wins and losses are forced; a draw has no winning move and
one that draws, so it can be held for ever. One pass over the arcs. Each check returns how many
vertices it read and raises TableError at the first fault, naming the position.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

import numpy as np

from zermelo.errors import TableError
from zermelo.games.strategy import ClosedSet, WinningTree
from zermelo.jit import generic

P = TypeVar("P", bound=Hashable)

GOES_ON = 2
"""What an indexed game's outcome says of a position that has moves."""


def _children(game: Any, position: Any) -> set[Any]:
    canonical = getattr(game, "canonical", None)
    moves = set(game.moves(position))
    return {canonical(move) for move in moves} if canonical else moves


def _next(game: Any, vertex: tuple[Any, int]) -> set[tuple[Any, int]]:
    position, player = vertex
    mover = getattr(game, "mover", None)
    return {(q, mover(q) if mover else -player) for q in _children(game, position)}


def _fault(position: Any, what: str) -> TableError:
    return TableError(f"position {position!r}: {what}; the certificate is wrong")


def check_values(game: Any, values: Mapping[P, tuple[int, int]]) -> int:
    """Checks (outcome, plies) of every position, for the player to move; draws have plies 0."""
    mover = getattr(game, "mover", None)
    for position, (outcome, plies) in values.items():
        end = game.outcome(position)
        if end is not None:
            if (outcome, plies) != (end, 0):
                raise _fault(position, f"{outcome} in {plies} at a sink worth {end}")
            continue
        seen = []
        for child in _children(game, position):
            if child not in values:
                raise _fault(position, f"no value for its successor {child!r}")
            result, distance = values[child]
            if mover is None or mover(child) != mover(position):
                result = -result
            seen.append((result, distance))
        best = max(result for result, _ in seen)
        distances = [distance for result, distance in seen if result == best]
        right = 0 if best == 0 else 1 + (min(distances) if best > 0 else max(distances))
        if (outcome, plies) != (best, right):
            raise _fault(position, f"{outcome} in {plies}, its moves say {best} in {right}")
    return len(values)


def check_winning_tree(game: Any, tree: WinningTree[P]) -> int:
    """Checks that the tree's player wins from its root, in just ``plies`` against any defence."""
    player, plies = tree.player, tree.plies
    if tree.root not in plies:
        raise _fault(tree.root[0], "the root is missing")
    for vertex, distance in plies.items():
        position, turn = vertex
        end = game.outcome(position)
        if end is not None:
            if end * turn != player or distance:
                raise _fault(position, f"a sink worth {end * turn} at {distance} plies")
            continue
        children = _next(game, vertex)
        if turn == player:
            if tree.choice.get(vertex) not in children:
                raise _fault(position, "no legal move is given")
            children = {tree.choice[vertex]}
        if missing := [child for child in children if child not in plies]:
            raise _fault(position, f"its successor {missing[0][0]!r} is missing")
        if distance != 1 + max(plies[child] for child in children):
            raise _fault(position, f"{distance} plies do not follow from its successors'")
    if strays := set(tree.choice) - set(plies):
        raise _fault(strays.pop()[0], "a move without a distance")
    return len(plies)


def check_closed_set(game: Any, kept: ClosedSet[P]) -> int:
    """Checks that the set's player can stay inside from the root on, and never loses there."""
    if kept.root not in kept.vertices:
        raise _fault(kept.root[0], "the root is missing")
    for vertex in kept.vertices:
        position, turn = vertex
        end = game.outcome(position)
        if end is not None:
            if end * turn == -kept.player:
                raise _fault(position, "a lost sink")
            continue
        children = _next(game, vertex)
        if turn == kept.player:
            if kept.choice.get(vertex) not in children:
                raise _fault(position, "no legal move is given")
            children = {kept.choice[vertex]}
        if outside := children - kept.vertices:
            raise _fault(position, f"play leaves the set for {outside.pop()[0]!r}")
    return len(kept.vertices)


@generic
def _first_fault(outcome: Any, successors: Any, state: Any, plies: Any, out: Any) -> int:
    """The first number whose value disagrees with its successors', -1 if none does."""
    for i in range(state.size):
        end = outcome(i)
        if end != GOES_ON:
            if state[i] != end or plies[i]:
                return i
            continue
        best, distance = -2, 0
        for k in range(successors(i, out)):
            result = -state[out[k]]
            ply = int(plies[out[k]]) + 1
            if state[out[k]] > 1:
                return i
            if result > best or (result == best and (ply < distance) == (result > 0)):
                best, distance = result, ply
        if state[i] != best or plies[i] != (distance if best else 0):
            return i
    return -1


def check_indexed(game: Any, state: Any, plies: Any) -> int:
    """Checks outcome int8[size] and plies uint16[size] of a game that numbers all its positions."""
    out = np.empty(game.degree, np.int64)
    fault = _first_fault(game.outcome, game.successors, state, plies, out)
    if fault >= 0:
        raise _fault(fault, f"{state[fault]} in {plies[fault]} does not follow from its moves")
    return int(state.size)
