"""The routes for programs: what a table says, which tables there are, and making small ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from zermelo import __version__
from zermelo.errors import InputError, MissingTableError, ZermeloError
from zermelo.tables.material import Material
from zermelo.web import limits, standard
from zermelo.web.openapi import document
from zermelo.web.service import client_of, encoded, position_of, position_text, service_of
from zermelo.web.tables import counted, listing


class ForbiddenError(ZermeloError):
    """The server was told not to do this, or the request comes from a foreign page."""

    http_status = 403


def answered(content: bytes, status: int = 200, seconds: int = 0) -> Response:
    """JSON that may be kept for some seconds."""
    kept = f"public, max-age={seconds}" if seconds else "no-store"
    return Response(content, status, {"cache-control": kept}, "application/json")


async def standard_route(request: Request) -> Response:
    """``GET /standard?fen=``: the value of a position and of its moves."""
    service, text = service_of(request), position_text(request)
    content = service.answers.get(text)
    if content is None:
        board = position_of(request)
        tablebase = service.tablebase

        def work() -> bytes:
            return encoded(standard.answer(board, tablebase.moves(board)))

        content = await service.probe(client_of(request), work)
        service.answers.put(text, content)
    return answered(content, seconds=3600)


async def mainline_route(request: Request) -> Response:
    """``GET /standard/mainline?fen=``: best play to the mate, probed move by move."""
    service, board, client = service_of(request), position_of(request), client_of(request)
    moves = await service.moves(client, board)
    value = standard.value_of(board, moves)
    line, after = [], board.copy(stack=False)
    while moves and value.plies:
        line.append(moves[0])
        after.push(moves[0].move)
        moves = await service.moves(client, after)
    return answered(encoded(standard.mainline(board, value, line)), seconds=3600)


async def tables_route(request: Request) -> Response:
    """``GET /tables``: the tables that are there."""
    service = service_of(request)
    found = await service.heavy.run(client_of(request), listing, service.folder)
    return answered(encoded(found))


async def census_route(request: Request) -> Response:
    """``GET /tables/KBNvK``: the census of a table."""
    service = service_of(request)
    material = Material.parse(request.path_params["material"][:40])
    found = await service.heavy.run(client_of(request), counted, service.folder, material)
    return answered(encoded(found), seconds=60)


async def solve_route(request: Request) -> Response:
    """``POST /solve``: begins to make a small table; 202 and the job."""
    service = service_of(request)
    if service.settings.read_only:
        raise ForbiddenError("this server is read-only: it makes no tables")
    _own_page(request)
    job = service.builder.start(await _material(request))
    return answered(encoded(job.json()), 202)


def _own_page(request: Request) -> None:
    """Refuses what another site's page sends; programs send no Origin."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise ForbiddenError("a page of another site may not have tables made here")


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a request sends; raises InputError for anything else."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise InputError("the body is not application/json; send a JSON object as such")
    try:
        async with asyncio.timeout(limits.PATIENCE):
            body = json.loads(await request.body())
    except TimeoutError:
        raise InputError(f"the body did not come within {limits.PATIENCE} s") from None
    except (ValueError, RecursionError):
        raise InputError("the body is not JSON; send a JSON object") from None
    if not isinstance(body, dict):
        raise InputError("the body is not a JSON object")
    return body


async def _material(request: Request) -> Material:
    name = (await body_of(request)).get("material")
    if not isinstance(name, str):
        raise InputError('material: missing; send {"material": "KRvK"}')
    return Material.parse(name[:40])


async def jobs_route(request: Request) -> Response:
    """``GET /solve``: the tables that are being made or were."""
    jobs = service_of(request).builder.jobs()
    return answered(encoded({"jobs": [job.json() for job in jobs]}))


async def job_route(request: Request) -> Response:
    """``GET /solve/KRvK``: how far a table is."""
    material = Material.parse(request.path_params["material"][:40])
    job = service_of(request).builder.job(material)
    if job is None:
        raise MissingTableError(f"{material}: not being made; begin with POST /solve")
    return answered(encoded(job.json()))


async def health_route(request: Request) -> Response:
    """``GET /health``."""
    state: dict[str, Any] = {"status": "ok", "version": __version__}
    state["read_only"] = service_of(request).settings.read_only
    return answered(encoded(state))


async def openapi_route(request: Request) -> Response:
    """``GET /openapi.json``: this API described for programs."""
    return answered(encoded(document()), seconds=3600)
