"""``zermelo game NAME --play``: a game against the solution in the terminal, with hints."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.games.graph import Arena, Vertex
    from zermelo.games.solution import Solved

Reply = Callable[["Vertex[Any]"], "Vertex[Any]"]
Hint = Callable[["Vertex[Any]"], str]

HELP = "type a move or its number; h: hint, q: leave"


def play_solved(solved: Solved[Any], side: int) -> int:
    """Plays against the full solution; a hint tells the value of every move."""
    from zermelo.games.graph import Arena
    from zermelo.games.strategy import best

    arena: Arena[Any] = Arena(solved.rules.game)

    def hint(vertex: Vertex[Any]) -> str:
        from zermelo.cli.games import moves_by_value

        groups = moves_by_value(solved, vertex[0])
        return "\n".join(f"  {value:18} {names}" for value, names in groups)

    return _play(arena, arena.start, side, lambda vertex: best(solved, arena, vertex), hint)


def play_proof(game: Any, options: argparse.Namespace) -> int:
    """Plays by one run's marks: wins by the winning tree, or holds the draw for ever."""
    from zermelo.cli.game_search import prove
    from zermelo.games.graph import Arena
    from zermelo.games.strategy import Holding, winning_tree
    from zermelo.games.wintree import Mark

    arena: Arena[Any] = Arena(game)
    side = options.side or 1
    yours = arena.start[1] if side == 1 else -arena.start[1]
    proof = prove(game, -yours, options.visits)
    reply: Reply
    if proof.result is Mark.TRUE:
        tree = winning_tree(proof)
        reply = tree.choice.__getitem__
        print(f"proven: you lose, in {proof.plies} plies at most")
    else:
        proof = prove(game, yours, options.visits)
        if proof.result is None:
            raise InputError(
                f"nothing proven after {proof.visits:,} visits; raise --visits, "
                "or play without --method"
            )
        if proof.result is Mark.TRUE:
            raise InputError(
                "you can force a win here: there is no draw to hold; take the other side"
            )
        reply = Holding(proof).reply
        print("proven: you cannot force a win")

    def hint(vertex: Vertex[Any]) -> str:
        rules = proof.arena.rules
        rows = []
        for child in arena.children(vertex):
            mark = proof.marks.get(child)
            rows.append(f"  {rules.name_move(vertex[0], child[0])}: {mark.value if mark else '?'}")
        return "\n".join(rows)

    return _play(arena, proof.root, side, reply, hint)


def _play(arena: Arena[Any], start: Vertex[Any], side: int, reply: Reply, hint: Hint) -> int:
    """Moves to and fro until the game ends, the player leaves, or his input does."""
    rules, vertex = arena.rules, start
    yours = start[1] if side == 1 else -start[1]
    met: dict[Any, int] = {}
    print(HELP)
    while arena.result(vertex) is None:
        met[vertex] = met.get(vertex, 0) + 1
        again = f"   ({met[vertex]} times here)" if met[vertex] > 1 else ""
        print(f"\n{rules.show(vertex[0])}{again}")
        if vertex[1] == yours:
            chosen = _ask(arena, vertex, hint)
            if chosen is None:
                return 0
            vertex = chosen
        else:
            to = reply(vertex)
            print(f"I move {rules.name_move(vertex[0], to[0])}")
            vertex = to
    result = (arena.result(vertex) or 0) * yours
    print(f"\n{rules.show(vertex[0])}\n{ {1: 'you win', 0: 'a draw', -1: 'you lose'}[result] }")
    return 0


def _ask(arena: Arena[Any], vertex: Vertex[Any], hint: Hint) -> Vertex[Any] | None:
    """The vertex that the person moves to; None where he leaves."""
    children = arena.children(vertex)
    names = [arena.rules.name_move(vertex[0], child[0]) for child in children]
    while True:
        print("  ".join(f"{i}:{name}" for i, name in enumerate(names, 1)))
        try:
            text = input("> ").strip()
        except EOFError:
            print()
            return None
        if text in ("q", "quit"):
            return None
        if text in ("h", "hint"):
            print(hint(vertex))
        elif text in names:
            return children[names.index(text)]
        elif text.isdecimal() and 0 < int(text) <= len(children):
            return children[int(text) - 1]
        else:
            print(f"{text!r} is no move here; {HELP}")
