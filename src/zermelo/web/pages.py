"""The pages: templates filled in, the men as images, and errors for people."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import chess
import chess.svg
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from zermelo import __version__
from zermelo.errors import InputError
from zermelo.web.service import service_of

ROOT = Path(__file__).parent
START = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"

PAGES = {
    "explorer": ("/", "Explorer"),
    "material": ("/material", "Material"),
    "problem": ("/problem", "Mate problem"),
    "trainer": ("/trainer", "Trainer"),
    "games": ("/games", "Games"),
}
"""The address and the name of each page."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(
    request: Request, template: str, code: int = 200, /, here: str = "", **values: Any
) -> Response:
    """One of the templates, filled in; ``here`` is the page that it belongs to, if another."""
    text = (
        _environment()
        .get_template(f"{template}.html")
        .render(
            pages=PAGES,
            here=here or template,
            version=__version__,
            read_only=service_of(request).settings.read_only,
            **values,
        )
    )
    headers = {"cache-control": "no-store"}
    return Response(text.encode(errors="replace"), code, headers, "text/html; charset=utf-8")


async def explorer_route(request: Request) -> Response:
    """``GET /``: the board."""
    return page(request, "explorer", start=START)


async def icon_route(request: Request) -> Response:
    """``GET /favicon.ico``, where browsers look when a page names none."""
    return RedirectResponse("/static/icon.svg")


async def man_route(request: Request) -> Response:
    """``GET /men/wK.svg``: the picture of a man."""
    colour, kind = request.path_params["name"][:1], request.path_params["name"][1:]
    if colour not in ("w", "b") or kind not in list("KQRBNP"):
        raise InputError(f"{request.path_params['name']}: no such man; ask for one such as wK")
    symbol = kind if colour == "w" else kind.lower()
    svg = chess.svg.piece(chess.Piece.from_symbol(symbol))
    return Response(svg, headers={"cache-control": "max-age=86400"}, media_type="image/svg+xml")
