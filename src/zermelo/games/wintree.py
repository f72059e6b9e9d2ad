"""WinTree: proof search for a forced win from one root, without solving the rest of the game.

For a player g the procedure says of a vertex TRUE: g forces a sink that g wins; FALSE: g cannot;
NIL: not proven, because of vertices on the path from the root. Vertices are GRAY on that path,
BLACK once decided for good, WHITE otherwise.

1. A sink is TRUE if g wins there, else FALSE, at depth 0, and BLACK.
2. A vertex where g moves is TRUE if some child is, one deeper than it; FALSE if all are.
3. A vertex where the other player moves is TRUE if all children are, one deeper than the deepest;
   FALSE if some child is.
4. Otherwise it is NIL; a GRAY child counts as NIL; a vertex that ends as NIL turns WHITE again.

What holds, and why:

* TRUE and FALSE are right whatever the path: no GRAY vertex entered their proof.
* A vertex marked NIL cannot be won without passing through GRAY vertices, by induction on the
  length of the path. At the root there are none but itself, and a shortest win never returns to
  its start: so the root is TRUE exactly if g can force a win.
* The depth of a TRUE vertex bounds the distance to the win from above. The gap has no bound, for
  the first win found is taken; the exact distance is for induction or ``bounded``.
* Unless the root is TRUE, the marks of one run hold the game against g for ever (``strategy``).

The published optimised form reads BLACK children first and visits the WHITE ones in a second loop;
as printed the second loop skips all BLACK children, so that one which turns BLACK while an earlier
sibling is visited is read by neither, and wins are missed or invented. The repair: it skips only
those that the first loop read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from zermelo.errors import InputError
from zermelo.games.graph import Arena, Game, Order, Vertex
from zermelo.games.room import demand_growth

P = TypeVar("P", bound=Hashable)


class Mark(Enum):
    """What the procedure says of a visited vertex; a vertex never visited has no mark."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    NIL = "NIL"


class Color(Enum):
    """WHITE: undecided for now, visited or not; GRAY: on the path; BLACK: decided for good."""

    WHITE = "WHITE"
    GRAY = "GRAY"
    BLACK = "BLACK"


@dataclass
class Proof(Generic[P]):
    """What one run found out.

    ``result`` is the root's mark, None where the run gave up; ``visits`` counts how often a vertex
    turned GRAY; ``bound`` has the depths in plies of TRUE vertices; ``reply`` the child on which
    the NIL of a vertex of g's opponent rests.
    """

    arena: Arena[P]
    player: int
    root: Vertex[P]
    result: Mark | None = None
    visits: int = 0
    marks: dict[Vertex[P], Mark] = field(default_factory=dict)
    colors: dict[Vertex[P], Color] = field(default_factory=dict)
    bound: dict[Vertex[P], int] = field(default_factory=dict)
    reply: dict[Vertex[P], Vertex[P]] = field(default_factory=dict)

    @property
    def plies(self) -> int | None:
        """An upper bound of the distance to g's win, in plies; None unless the root is TRUE."""
        return self.bound.get(self.root)


def _proof(game: Game[P], player: int, root: P | None, order: Order[P] | None) -> Proof[P]:
    if player not in (-1, 1):
        raise InputError(f"player {player!r}: not 1 (moves first) or -1")
    arena = Arena(game, order)
    return Proof(arena, player, arena.start if root is None else arena.vertex(root, 1))


def win_tree_plain(game: Game[P], player: int, root: P | None = None) -> Proof[P]:
    """The procedure as its four rules say, for ``player`` +1 or -1 from ``root``.

    Exponential on graphs with cycles, and recursive: meant for reading and for small graphs.
    """
    proof = _proof(game, player, root, None)
    arena, marks, colors, bound = proof.arena, proof.marks, proof.colors, proof.bound

    def decide(vertex: Vertex[P]) -> tuple[Mark, int]:
        result = arena.result(vertex)
        if result is not None:
            return (Mark.TRUE if result == player else Mark.FALSE), 0
        own = vertex[1] == player
        mark, depth = (Mark.FALSE if own else Mark.TRUE), 0
        for child in arena.children(vertex):
            color = colors.get(child, Color.WHITE)
            if color is Color.WHITE:
                visit(child)
            answer = Mark.NIL if color is Color.GRAY else marks[child]
            if answer is Mark.NIL:
                if mark is not Mark.NIL:
                    mark, proof.reply[vertex] = Mark.NIL, child
            elif own and answer is Mark.TRUE:
                return Mark.TRUE, bound[child] + 1
            elif not own and answer is Mark.FALSE:
                return Mark.FALSE, 0
            elif answer is Mark.TRUE:
                depth = max(depth, bound[child] + 1)
        return mark, depth

    def visit(vertex: Vertex[P]) -> Mark:
        proof.visits += 1
        colors[vertex] = Color.GRAY
        mark, depth = decide(vertex)
        marks[vertex] = mark
        colors[vertex] = Color.WHITE if mark is Mark.NIL else Color.BLACK
        if mark is Mark.TRUE:
            bound[vertex] = depth
        return mark

    proof.result = visit(proof.root)
    return proof


@dataclass(frozen=True)
class Improvements:
    """The exact improvements, each on or off.

    ``black_first`` reads decided children before visiting others, as the published optimised form
    does, with the repair; ``memo`` reuses a NIL while the GRAY vertices that it rests on are still
    GRAY; ``carry`` also when they have been left as FALSE, or as NIL, which then rests on what that
    NIL rests on; ``close`` turns a NIL that rests on none BLACK; ``cut`` leaves a vertex of g's
    opponent at its first NIL child, which is as good for him as a FALSE one.

    With ``memo`` and ``carry`` a vertex is visited again only after one that its NIL rested on
    turned out TRUE: so at most V (T + 1) visits for V vertices, T of them TRUE.
    """

    black_first: bool = True
    memo: bool = True
    carry: bool = True
    close: bool = True
    cut: bool = True


class _Frame(Generic[P]):
    """One visit of a vertex: what its children said so far, and which are still to be asked.

    ``deps`` is the set, by bits, of the depths on this visit's path whose vertices its NIL rests
    on; ``deepest`` is the visit at the last of them.
    """

    __slots__ = (
        "bound", "children", "deepest", "deps", "depth", "done", "gray", "mark", "own", "parent",
        "vertex",
    )  # fmt: skip

    def __init__(
        self, vertex: Vertex[P], own: bool, children: list[Vertex[P]], parent: _Frame[P] | None
    ) -> None:
        self.vertex, self.own, self.children, self.parent = vertex, own, children, parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.mark = Mark.FALSE if own else Mark.TRUE
        self.bound = self.deps = 0
        self.deepest: _Frame[P] | None = None
        self.gray = True
        self.done = False


class _Search(Generic[P]):
    def __init__(self, proof: Proof[P], improvements: Improvements) -> None:
        self.proof = proof
        self.use = improvements
        self.path: list[_Frame[P]] = []
        self.latest: dict[Vertex[P], _Frame[P]] = {}

    def run(self, limit: int | None, progress: Callable[[int], None] | None) -> None:
        proof = self.proof
        self._enter(proof.root)
        while self.path:
            frame = self.path[-1]
            child = self._unread(frame)
            if child is None:
                self._leave(frame)
            elif limit is not None and proof.visits >= limit:
                return
            else:
                self._enter(child)
                if not proof.visits & 0xFFF:
                    if progress is not None:
                        progress(proof.visits)
                    grown = (proof.marks, proof.colors, proof.bound, proof.reply, self.latest)
                    demand_growth(proof.arena.rules.name, proof.visits, *grown)
        proof.result = proof.marks[proof.root]

    def _enter(self, vertex: Vertex[P]) -> None:
        proof = self.proof
        proof.visits += 1
        result = proof.arena.result(vertex)
        children = [] if result is not None else proof.arena.children(vertex)
        parent = self.path[-1] if self.path else None
        frame = _Frame(vertex, vertex[1] == proof.player, children, parent)
        proof.colors[vertex] = Color.GRAY
        self.latest[vertex] = frame
        self.path.append(frame)
        if result is not None:
            frame.mark = Mark.TRUE if result == proof.player else Mark.FALSE
        elif self.use.black_first:
            self._read_black(frame)
        frame.children.reverse()

    def _read_black(self, frame: _Frame[P]) -> None:
        """The first loop. Those that it does not read are left to the second: the repair."""
        colors, rest = self.proof.colors, []
        for child in frame.children:
            if colors.get(child) is Color.BLACK:
                self._read(frame, child, self.proof.marks[child], 0)
            else:
                rest.append(child)
        frame.children = rest

    def _unread(self, frame: _Frame[P]) -> Vertex[P] | None:
        """Reads children that need no visit; returns the next one that does."""
        while frame.children and not frame.done:
            child = frame.children.pop()
            color = self.proof.colors.get(child)
            if color is Color.BLACK:
                self._read(frame, child, self.proof.marks[child], 0)
            elif color is Color.GRAY:
                self._read(frame, child, Mark.NIL, 1 << self.latest[child].depth)
            elif (deps := self._remembered(child)) is not None:
                self._read(frame, child, Mark.NIL, deps)
            else:
                return child
        return None

    def _remembered(self, vertex: Vertex[P]) -> int | None:
        """What the NIL of the last visit rests on by now, in depths of the present path.

        None if it does not stand. If y cannot be won avoiding z and more, and z was left as NIL,
        not to be won avoiding D, then y cannot be won avoiding D and more: a tree through z would
        win z. On the path of that visit the vertices still GRAY come first, so z is looked for
        from the deepest one up.
        """
        frame = self.latest.get(vertex)
        if frame is None or not self.use.memo:
            return None
        node = frame.deepest
        while node is not None and not node.gray:
            bit = 1 << node.depth
            if frame.deps & bit:
                if node.mark is Mark.TRUE or not self.use.carry:
                    return None
                frame.deps = frame.deps & ~bit | node.deps
            node = node.parent
        self._settle(frame)
        return frame.deps

    def _settle(self, frame: _Frame[P]) -> None:
        """Notes the deepest vertex that a NIL rests on, all of them GRAY; BLACK if it has none."""
        frame.deepest = self.path[frame.deps.bit_length() - 1] if frame.deps else None
        closed = not frame.deps and self.use.close
        self.proof.colors[frame.vertex] = Color.BLACK if closed else Color.WHITE

    def _read(self, frame: _Frame[P], child: Vertex[P], mark: Mark, deps: int) -> None:
        if frame.done:
            return
        if mark is Mark.NIL:
            if frame.mark is not Mark.NIL:
                frame.mark = Mark.NIL
                self.proof.reply[frame.vertex] = child
            frame.deps |= deps
            frame.done = self.use.cut and not frame.own
        elif frame.own and mark is Mark.TRUE:
            frame.mark, frame.done = Mark.TRUE, True
            frame.bound = self.proof.bound[child] + 1
        elif not frame.own and mark is Mark.FALSE:
            frame.mark, frame.done = Mark.FALSE, True
        elif mark is Mark.TRUE:
            frame.bound = max(frame.bound, self.proof.bound[child] + 1)

    def _leave(self, frame: _Frame[P]) -> None:
        proof, vertex, mark = self.proof, frame.vertex, frame.mark
        self.path.pop()
        frame.gray = False
        frame.children = []
        proof.marks[vertex] = mark
        if mark is Mark.NIL:
            frame.deps &= ~(1 << frame.depth)
            self._settle(frame)
        else:
            frame.deps = 0
            proof.colors[vertex] = Color.BLACK
        if mark is Mark.TRUE:
            proof.bound[vertex] = frame.bound
        if self.path:
            self._read(self.path[-1], vertex, mark, frame.deps)


def win_tree(
    game: Game[P],
    player: int,
    root: P | None = None,
    *,
    order: Order[P] | None = None,
    limit: int | None = None,
    improvements: Improvements | None = None,
    progress: Callable[[int], None] | None = None,
) -> Proof[P]:
    """Can ``player`` (+1 moves first, or -1) force a win from ``root``? With an explicit stack.

    Gives up, with ``result`` None, after ``limit`` visits. ``order(position, moves)`` puts the
    moves of a position into another order, which decides how much is visited. Raises InputError
    for a game that breaks its protocol, LimitError where the memory does not suffice.
    """
    proof = _proof(game, player, root, order)
    _Search(proof, improvements or Improvements()).run(limit, progress)
    return proof
