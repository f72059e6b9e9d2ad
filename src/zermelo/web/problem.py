"""The page of a mate problem: the diagram, the verdict, and the solution as a tree to walk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import chess
from starlette.requests import Request
from starlette.responses import Response

from zermelo.errors import InputError
from zermelo.problems.notation import effect_text, headline
from zermelo.problems.replay import after, san
from zermelo.problems.tree import Attack, Effect, Solution, Variation
from zermelo.web.mates import asked, solved
from zermelo.web.pages import page
from zermelo.web.service import position_text

EXAMPLE = ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2)
_MOST = 4000
"""Moves of a tree that are written; the API has all of them."""


@dataclass
class Node:
    """One move in the tree: its text, where it leads, what follows; ``kind`` colours it."""

    text: str
    fen: str
    uci: str
    say: str = ""
    kind: str = ""
    below: list[Node] = field(default_factory=list)


async def problem_route(request: Request) -> Response:
    """``GET /problem?fen=&n=``: solves what is asked; without a position only the form."""
    if not request.query_params.get("fen"):
        return page(request, "problem", fen=EXAMPLE[0], n=EXAMPLE[1], solution=None, error="")
    text = position_text(request)
    number = request.query_params.get("n", "")[:4]
    try:
        question = asked(request)
        solution = await solved(request, question)
    except InputError as error:
        return page(
            request,
            "problem",
            error.http_status,
            fen=text,
            n=number,
            solution=None,
            error=str(error),
        )
    writer = _Writer()
    return page(
        request,
        "problem",
        fen=question.fen,
        n=question.n,
        error="",
        solution=solution,
        headline=headline(solution),
        parts=writer.parts(solution),
        cut=writer.left < 0,
        whole=solution.complete,
        seconds=question.seconds,
    )


class _Writer:
    """Writes the tree, as far as there is room."""

    def __init__(self) -> None:
        self.left = _MOST

    def parts(self, solution: Solution) -> list[tuple[str, list[Node]]]:
        """The parts of a solution with their titles, those that it has."""
        board = chess.Board(solution.fen)
        keys = [self.attack(board, key, 1, "!") for key in solution.keys]
        tries = [self.attack(board, attempt, 1, "?") for attempt in solution.tries]
        title = "Key" if len(keys) == 1 else "Keys"
        parts = [(title, keys), ("Tries", tries)]
        if solution.set_play:
            parts.append(("Set play", self.variations(after(board, ""), solution.set_play, 1)))
        return [(name, nodes) for name, nodes in parts if nodes]

    def attack(self, board: chess.Board, attack: Attack, number: int, mark: str = "") -> Node:
        """A move of the attacker with its play."""
        there = after(board, attack.move)
        node = self.node(board, there, attack.move, f"{number}.", mark)
        node.say = effect_text(there, attack)
        node.kind = "loss" if mark == "?" else "win"
        if not attack.grown and attack.effect is not Effect.MATE:
            node.say = f"mate on move {number + attack.mate_in - 1}"
        if any(threat.variations for threat in attack.threats):
            passing = after(there, "")
            node.below += [
                self.attack(passing, threat, number + 1, " (threat)") for threat in attack.threats
            ]
        node.below += self.variations(there, attack.variations, number)
        for defence in attack.refutations:
            refutation = self.node(there, after(there, defence), defence, f"{number}…", "!")
            refutation.say, refutation.kind = "refutes it", "loss"
            node.below.append(refutation)
        return node

    def variations(
        self, there: chess.Board, variations: Sequence[Variation], number: int
    ) -> list[Node]:
        """The defences, each with its answers below it."""
        nodes = []
        for variation in self._room(variations):
            child = after(there, variation.defence)
            node = self.node(there, child, variation.defence, f"{number}…", "")
            node.below = [self.attack(child, answer, number + 1) for answer in variation.answers]
            nodes.append(node)
        return nodes

    def _room(self, variations: Sequence[Variation]) -> Iterable[Variation]:
        for variation in variations:
            if self.left <= 0:
                self.left = -1
                return
            yield variation

    def node(
        self, board: chess.Board, there: chess.Board, move: str, number: str, mark: str
    ) -> Node:
        """A move without what follows."""
        self.left -= 1
        return Node(f"{number}{san(board, move)}{mark}", there.fen(en_passant="fen"), move)
