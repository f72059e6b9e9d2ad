"""``/mate``: the solution of a mate problem within a time limit."""

from __future__ import annotations

from typing import NamedTuple

import chess
from starlette.requests import Request
from starlette.responses import Response

from zermelo.errors import InputError
from zermelo.problems.engine import LONGEST, Engine
from zermelo.problems.export import summary, to_json, to_pgn
from zermelo.problems.notation import text
from zermelo.problems.solution import Request as Wish
from zermelo.problems.solution import Solver
from zermelo.problems.tree import Solution
from zermelo.web import limits
from zermelo.web.service import (
    Service,
    client_of,
    encoded,
    number_of,
    position_of,
    service_of,
)

DEPTH = 4
"""Moves of the attacker after the key for which the play is written, when nothing is said."""
DEEPEST = 12
_HASH_MB = 16
_TYPES = {
    "json": "application/json",
    "text": "text/plain",
    "pgn": "application/x-chess-pgn",
}


class Question(NamedTuple):
    """A problem as asked: equal questions have equal answers."""

    fen: str
    n: int
    seconds: int
    depth: int
    keys_only: bool


async def mate_route(request: Request) -> Response:
    """``GET /mate?fen=&n=``: the solution as JSON, text or PGN."""
    form = request.query_params.get("format", "json")
    if form not in _TYPES:
        raise InputError(f"format={form[:20]}: write json, text or pgn")
    question = asked(request)
    content = _written(await solved(request, question), question, form)
    return Response(content, headers={"cache-control": "no-store"}, media_type=_TYPES[form])


async def solved(request: Request, question: Question) -> Solution:
    """The solution, which is worked out unless it is kept."""
    service = service_of(request)
    solution = service.solutions.get(question)
    if solution is None:
        solution = await service.heavy.run(client_of(request), _solve, service, question)
        if solution.complete:
            service.solutions.put(question, solution)
    return solution


def asked(request: Request) -> Question:
    """The problem that a request is about; raises InputError for one that makes no sense."""
    if "n" not in request.query_params:
        raise InputError("n: missing; add &n= and the number of moves to mate")
    return Question(
        fen=position_of(request).fen(en_passant="fen"),
        n=number_of(request, "n", 0, 1, LONGEST),
        seconds=number_of(request, "seconds", limits.SECONDS, 1, limits.SECONDS),
        depth=number_of(request, "depth", DEPTH, 0, DEEPEST),
        keys_only=bool(number_of(request, "keys_only", 0, 0, 1)),
    )


def _solve(service: Service, question: Question) -> Solution:
    engine = Engine(hash_mb=_HASH_MB)
    wish = Wish(keys_only=question.keys_only, depth=question.depth, seconds=float(question.seconds))
    solver = Solver(chess.Board(question.fen), question.n, wish, engine)
    with service.stoppable(engine.stop):
        solver.run()
    return solver.solution()


def _written(solution: Solution, question: Question, form: str) -> bytes:
    if form == "pgn":
        return to_pgn(solution).encode()
    if form == "text":
        return text(solution).encode()
    return encoded((summary if question.keys_only else to_json)(solution))
