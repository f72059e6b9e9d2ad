"""The application: routes, the one mapping of errors to statuses, start and end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from zermelo.errors import LimitError, ZermeloError
from zermelo.web import api, explore, games, material, pages, problem, training
from zermelo.web.guard import Guard
from zermelo.web.limits import BusyError
from zermelo.web.mates import mate_route
from zermelo.web.service import Service, Settings, encoded

_TITLES = {404: "Not here", 413: "Too large", 429: "Too busy"}


def make_app(settings: Settings | None = None) -> ASGIApp:
    """The whole application."""
    service = Service(settings or Settings())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.warm()
        yield
        service.close()

    app = Starlette(
        routes=_routes(),
        exception_handlers={ZermeloError: _refused, HTTPException: _no_such, Exception: _fault},
        lifespan=lifespan,
    )
    app.state.service = service
    return Guard(app)


def _routes() -> list[Route | Mount]:
    return [
        Route("/", pages.explorer_route),
        Route("/position", explore.position_route),
        Route("/line", explore.line_route),
        Route("/material", material.materials_route),
        Route("/material/{material}", material.material_route),
        Route("/problem", problem.problem_route),
        Route("/trainer", training.trainer_route),
        Route("/train", training.start_route, methods=["GET"]),
        Route("/train", training.train_route, methods=["POST"]),
        Route("/games", games.games_route),
        Route("/games/{name}", games.game_route),
        Route("/favicon.ico", pages.icon_route),
        Route("/men/{name}.svg", pages.man_route),
        Mount("/static", StaticFiles(directory=pages.ROOT / "static")),
        Route("/standard", api.standard_route),
        Route("/standard/mainline", api.mainline_route),
        Route("/tables", api.tables_route),
        Route("/tables/{material}", api.census_route),
        Route("/mate", mate_route),
        Route("/solve", api.jobs_route, methods=["GET"]),
        Route("/solve", api.solve_route, methods=["POST"]),
        Route("/solve/{material}", api.job_route),
        Route("/health", api.health_route),
        Route("/openapi.json", api.openapi_route),
    ]


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ZermeloError)
    headers = {"cache-control": "no-store"}
    if isinstance(error, BusyError):
        headers["retry-after"] = "1"
    if isinstance(error, LimitError):
        headers["connection"] = "close"
    return _told(request, str(error), error.http_status, headers)


async def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(request, error.detail, error.status_code, dict(error.headers or {}))


async def _fault(request: Request, error: Exception) -> Response:
    return _told(request, "a fault in the program; see the server's messages", 500, {})


def _told(request: Request, message: str, status: int, headers: dict[str, str]) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        title = _TITLES.get(status, "That did not work")
        answer = pages.page(request, "error", status, title=title, message=message)
        answer.headers.update(headers)
        return answer
    return Response(encoded({"error": message}), status, headers, "application/json")
