"""Playing without a mistake: strategies from a full solution and from the marks of one proof."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from zermelo.errors import InputError
from zermelo.games.graph import Arena, Vertex
from zermelo.games.solution import Solved
from zermelo.games.wintree import Mark, Proof
from zermelo.values import Outcome

P = TypeVar("P", bound=Hashable)


class Strategy(Generic[P]):
    """Wins in the fewest plies, holds a draw for ever, resists longest when lost.

    Of equally good moves it takes the first in the game's order. Calling it with a position gives
    the position to move to; raises InputError where the game has ended, is unknown, or the other
    player moves.
    """

    def __init__(self, solved: Solved[P], player: int) -> None:
        if player not in (-1, 1):
            raise InputError(f"player {player!r}: not 1 (moves first) or -1")
        self.solved, self.player = solved, player

    def __call__(self, position: P) -> P:
        rules = self.solved.rules
        if rules.mover is not None and rules.turn(position) != self.player:
            raise InputError(f"position {position!r}: player {-self.player} moves, not this one")
        moves = self.solved.moves(position)
        if not moves:
            raise InputError(f"position {position!r}: the game has ended")
        return moves[0].to


class Holding(Generic[P]):
    """Never loses to the player of a failed proof, by the marks of that one run.

    At a vertex marked FALSE it moves to a FALSE child; at one marked NIL to a FALSE child, else to
    the one on which the NIL rests. Sound from the run's root on: whatever the other player does,
    only visited vertices that are not TRUE are met, and none of them is a sink that he wins.
    """

    def __init__(self, proof: Proof[P]) -> None:
        if proof.result is None:
            raise InputError("proof: it gave up; allow more visits")
        if proof.result is Mark.TRUE:
            raise InputError(f"proof: player {proof.player} wins; nothing holds against that")
        self.proof = proof
        self.player = -proof.player

    def __call__(self, position: P) -> P:
        return self.reply(self.proof.arena.vertex(position, self.player))[0]

    def reply(self, vertex: Vertex[P]) -> Vertex[P]:
        """The vertex to move to; raises InputError outside of the play from the run's root."""
        marks = self.proof.marks
        if marks.get(vertex) not in (Mark.FALSE, Mark.NIL) or vertex[1] != self.player:
            raise InputError(f"position {vertex[0]!r}: not met from the run's root, or not to move")
        children = self.proof.arena.children(vertex)
        for child in children:
            if marks.get(child) is Mark.FALSE:
                return child
        if vertex not in self.proof.reply:
            raise InputError(f"position {vertex[0]!r}: the game has ended")
        return self.proof.reply[vertex]


@dataclass(frozen=True)
class WinningTree(Generic[P]):
    """A certificate of a win: ``player``'s move at each of his vertices, equal subtrees shared.

    All moves of the other player are covered: every vertex that can be met has in ``plies`` the
    length of the longest defence within the tree. Written out as a tree it can be exponential.
    """

    player: int
    root: Vertex[P]
    choice: dict[Vertex[P], Vertex[P]]
    plies: dict[Vertex[P], int]


@dataclass(frozen=True)
class ClosedSet(Generic[P]):
    """A certificate that ``player`` never loses: the vertices that he never leaves.

    ``choice`` has his move at each of his vertices; from the other player's all moves stay inside.
    """

    player: int
    root: Vertex[P]
    vertices: set[Vertex[P]]
    choice: dict[Vertex[P], Vertex[P]]


def winning_tree(source: Solved[P] | Proof[P], position: P | None = None) -> WinningTree[P]:
    """The winner's tree from ``position`` (default: the start, or the proof's root).

    From a full solution it wins in the fewest plies. Raises InputError where nobody wins.
    """
    arena = _arena(source)
    if isinstance(source, Proof):
        root = source.root if position is None else arena.vertex(position, source.root[1])
        if root not in source.bound:
            raise InputError(f"position {root[0]!r}: not proven won; it has no winning tree")
        player = source.player
    else:
        root = arena.start if position is None else arena.vertex(position, 1)
        outcome = source.value(root[0]).outcome
        if outcome is Outcome.DRAW:
            raise InputError(f"position {root[0]!r}: a draw; it has no winning tree")
        player = root[1] * outcome
    bounds: dict[Vertex[P], int] = {}
    choice: dict[Vertex[P], Vertex[P]] = {}
    todo = [root]
    while todo:
        vertex = todo.pop()
        if vertex in bounds:
            continue
        bounds[vertex] = _bound(source, vertex)
        if arena.result(vertex) is not None:
            continue
        if vertex[1] == player:
            choice[vertex] = _winning_choice(source, arena, vertex)
            todo.append(choice[vertex])
        else:
            todo += arena.children(vertex)
    return WinningTree(player, root, choice, _depths(arena, bounds, choice))


def _arena(source: Solved[P] | Proof[P]) -> Arena[P]:
    return source.arena if isinstance(source, Proof) else Arena(source.rules.game)


def _bound(source: Solved[P] | Proof[P], vertex: Vertex[P]) -> int:
    if isinstance(source, Proof):
        return source.bound[vertex]
    return source.value(vertex[0]).plies or 0


def _winning_choice(source: Solved[P] | Proof[P], arena: Arena[P], vertex: Vertex[P]) -> Vertex[P]:
    if isinstance(source, Proof):
        proven = [child for child in arena.children(vertex) if child in source.bound]
        return min(proven, key=source.bound.__getitem__)
    return best(source, arena, vertex)


def best(source: Solved[P], arena: Arena[P], vertex: Vertex[P]) -> Vertex[P]:
    """The best move of a solved game as a vertex; of equals the first in the game's order."""
    to = source.moves(vertex[0])[0].to
    return next(child for child in arena.children(vertex) if child[0] == to)


def _depths(
    arena: Arena[P], bounds: dict[Vertex[P], int], choice: dict[Vertex[P], Vertex[P]]
) -> dict[Vertex[P], int]:
    """The tree's own depths: a bound falls with every move, so successors come first."""
    depths: dict[Vertex[P], int] = {}
    for vertex in sorted(bounds, key=bounds.__getitem__):
        if arena.result(vertex) is not None:
            depths[vertex] = 0
        elif vertex in choice:
            depths[vertex] = 1 + depths[choice[vertex]]
        else:
            depths[vertex] = 1 + max(depths[child] for child in arena.children(vertex))
    return depths


def closed_set(source: Solved[P] | Proof[P], position: P | None = None) -> ClosedSet[P]:
    """Where a player who need not lose can stay for ever, with his moves.

    From a proof it is for the opponent of its player, from the run's root; from a full solution
    for the player to move at ``position``. Raises InputError where the position is lost for him.
    """
    arena = _arena(source)
    reply: Callable[[Vertex[P]], Vertex[P]]
    if isinstance(source, Proof):
        holding = Holding(source)
        root, player, reply = source.root, holding.player, holding.reply
    else:
        root = arena.start if position is None else arena.vertex(position, 1)
        player, reply = root[1], partial(best, source, arena)
        if source.value(root[0]).outcome is Outcome.LOSS:
            raise InputError(f"position {root[0]!r}: lost; nothing holds it")
    kept: ClosedSet[P] = ClosedSet(player, root, set(), {})
    todo = [root]
    while todo:
        vertex = todo.pop()
        if vertex in kept.vertices:
            continue
        kept.vertices.add(vertex)
        if arena.result(vertex) is not None:
            continue
        if vertex[1] == player:
            kept.choice[vertex] = reply(vertex)
            todo.append(kept.choice[vertex])
        else:
            todo += arena.children(vertex)
    return kept
