"""Depth-bounded search: the exact distance of a forced win, by deepening one ply at a time.

"Can player g win from v within n plies?" has an answer that no path enters, for n falls with every
move: so what is remembered about a vertex holds for good, and cycles do no harm. The first n that
says yes at the root is the exact distance. That there is no win at any depth is seen either when no
branch was cut off by the bound, or by a set of vertices that the opponent need not leave.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from zermelo.errors import InputError
from zermelo.games.graph import Arena, Game, Order, Vertex
from zermelo.games.room import demand_growth

P = TypeVar("P", bound=Hashable)

NEVER = 1 << 60


@dataclass
class Bounded(Generic[P]):
    """What the search found out.

    ``won`` is True with the exact distance in ``plies``; False if there is no win at any depth;
    None if none was found within ``depth`` plies and deeper ones are not excluded. ``visits``
    counts expanded vertices. ``within`` and ``beyond`` hold for vertices: won within so many
    plies, not won within so many.
    """

    arena: Arena[P]
    player: int
    root: Vertex[P]
    won: bool | None = None
    plies: int | None = None
    depth: int = -1
    visits: int = 0
    within: dict[Vertex[P], int] = field(default_factory=dict)
    beyond: dict[Vertex[P], int] = field(default_factory=dict)


class _Frame(Generic[P]):
    __slots__ = ("bound", "children", "final", "left", "own", "vertex")

    def __init__(self, vertex: Vertex[P], left: int, own: bool, children: Iterator[Vertex[P]]):
        self.vertex, self.left, self.own, self.children = vertex, left, own, children
        self.bound = 0
        self.final = True


class _GaveUpError(Exception):
    pass


class _Search(Generic[P]):
    def __init__(self, found: Bounded[P], limit: int | None) -> None:
        self.found, self.limit = found, limit

    def known(self, vertex: Vertex[P], left: int) -> bool | None:
        """What is remembered, or can be seen without looking further; None: nothing."""
        found = self.found
        if found.within.get(vertex, NEVER) <= left:
            return True
        if found.beyond.get(vertex, -1) >= left:
            return False
        result = found.arena.result(vertex)
        if result is not None:
            (found.within if result == found.player else found.beyond)[vertex] = (
                0 if result == found.player else NEVER
            )
            return result == found.player
        if left == 0:
            found.beyond[vertex] = 0
            return False
        return None

    def _open(self, vertex: Vertex[P], left: int) -> _Frame[P]:
        found = self.found
        if self.limit is not None and found.visits >= self.limit:
            raise _GaveUpError
        found.visits += 1
        if not found.visits & 0xFFFF:
            demand_growth(found.arena.rules.name, found.visits, found.within, found.beyond)
        own = vertex[1] == found.player
        return _Frame(vertex, left, own, iter(found.arena.children(vertex)))

    def win(self, root: Vertex[P], left: int) -> bool:
        """Whether the player wins from ``root`` within ``left`` plies."""
        answer = self.known(root, left)
        if answer is not None:
            return answer
        path = [self._open(root, left)]
        while path:
            frame = path[-1]
            child = next(frame.children, None)
            if child is None:
                self._close(path.pop(), not frame.own)
                continue
            answer = self.known(child, frame.left - 1)
            if answer is None:
                path.append(self._open(child, frame.left - 1))
                # Once it is answered, the parent reads it here again, from memory.
                frame.children = _again(child, frame.children)
            elif answer:
                bound = self.found.within[child] + 1
                frame.bound = max(frame.bound, bound)
                if frame.own:
                    self._close(path.pop(), True)
            else:
                final = self.found.beyond[child] >= NEVER
                frame.final &= final
                if not frame.own:
                    frame.final = final
                    self._close(path.pop(), False)
        return bool(self.known(root, left))

    def holds(self, root: Vertex[P]) -> bool:
        """Whether the opponent can stay for ever among vertices met and not won so far.

        The largest set of these that play need not leave: from the player's own vertices all
        moves stay inside, from the others one does.
        """
        arena, player = self.found.arena, self.found.player
        kept = self.found.beyond.keys() - self.found.within.keys()
        moves = {v: arena.children(v) for v in kept if arena.result(v) is None}
        while root in kept:
            leaving = [
                v
                for v, children in moves.items()
                if v in kept and not (all if v[1] == player else any)(c in kept for c in children)
            ]
            if not leaving:
                return True
            kept = kept.difference(leaving)
        return False

    def _close(self, frame: _Frame[P], won: bool) -> None:
        if won:
            self.found.within[frame.vertex] = frame.bound
        else:
            self.found.beyond[frame.vertex] = NEVER if frame.final else frame.left


def _again(child: Vertex[P], rest: Iterator[Vertex[P]]) -> Iterator[Vertex[P]]:
    yield child
    yield from rest


def bounded(
    game: Game[P],
    player: int,
    depth: int,
    root: P | None = None,
    *,
    order: Order[P] | None = None,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Bounded[P]:
    """Searches for ``player``'s (+1 or -1) shortest forced win of at most ``depth`` plies.

    Gives up after ``limit`` visits; ``progress(depth, visits)`` is called at each depth. Raises
    LimitError where the memory does not suffice.
    """
    if player not in (-1, 1):
        raise InputError(f"player {player!r}: not 1 (moves first) or -1")
    arena = Arena(game, order)
    start = arena.start if root is None else arena.vertex(root, 1)
    found = Bounded(arena, player, start)
    search = _Search(found, limit)
    try:
        for plies in range(depth + 1):
            if progress is not None:
                progress(plies, found.visits)
            if search.win(start, plies):
                found.won, found.plies = True, plies
                break
            found.depth = plies
            settled = found.beyond[start] >= NEVER
            # Looking for a set to hold costs a pass over all vertices: now and then is enough.
            if settled or ((plies == depth or not plies & (plies - 1)) and search.holds(start)):
                found.won = False
                break
    except _GaveUpError:
        return found
    return found
