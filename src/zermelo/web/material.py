"""The material page: how many positions are won in how many moves, the longest, the zugzwangs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from zermelo.errors import LimitError, MissingTableError
from zermelo.tables.material import Material
from zermelo.tables.tablebase import SMALL
from zermelo.values import Outcome, Value
from zermelo.web.pages import page
from zermelo.web.service import client_of, number_of, service_of
from zermelo.web.standard import Json
from zermelo.web.tables import counted, listing

WIDTH, HEIGHT, FOOT, SIDE = 720, 220, 42, 84
"""Of a histogram, in its own units; the foot and the left side hold the figures."""
_SHOWN = 60
"""Mutual zugzwangs that are listed."""
_NAMES = {"w": "White", "b": "Black"}
_ZUGZWANGS = {
    "w_draws": "White to move draws, Black to move loses",
    "w_loses": "White to move loses, Black to move draws",
    "full_point": "Whoever is to move loses",
}


async def materials_route(request: Request) -> Response:
    """``GET /material``: the tables that are there."""
    service = service_of(request)
    if name := request.query_params.get("name", "").strip():
        location = f"/material/{Material.parse(name[:40])}"
        return Response(status_code=303, headers={"location": location})
    found = await service.heavy.run(client_of(request), listing, service.folder)
    return page(request, "materials", here="material", **found)


async def material_route(request: Request) -> Response:
    """``GET /material/KBNvK``: the statistics; ``turn``, ``outcome``, ``plies`` mark a distance."""
    service = service_of(request)
    material = Material.parse(request.path_params["material"][:40])
    try:
        census = await service.heavy.run(client_of(request), counted, service.folder, material)
    except (MissingTableError, LimitError) as error:
        return page(
            request,
            "absent",
            error.http_status,
            here="material",
            material=material,
            message=str(error),
            small=material.men <= SMALL,
        )
    return page(request, "material", **_filled(request, material, census))


def _filled(request: Request, material: Material, census: Json) -> dict[str, Any]:
    query = request.query_params
    now = (query.get("turn"), query.get("outcome"), number_of(request, "plies", -1, 0, 9999))
    return {
        "material": material,
        "sides": [_side(turn, census, now) for turn in census["orbits"]],
        "zugzwangs": [
            {"name": _ZUGZWANGS[kind], "count": len(fens), "fens": fens[:_SHOWN]}
            for kind, fens in census["mutual_zugzwangs"].items()
            if fens
        ],
        "fen": query.get("fen", "").replace("_", " ")[:200],
    }


def _side(turn: str, census: Json, now: tuple[str | None, str | None, int]) -> Json:
    totals = census["orbits"][turn]
    rows = [row for row in census["histogram"] if row["turn"] == turn]
    return {
        "turn": turn,
        "name": _NAMES[turn],
        "legal": totals["legal"],
        "shares": [
            (name, totals[key], 100 * totals[key] / max(1, totals["legal"]))
            for name, key in (("won", "won"), ("drawn", "drawn"), ("lost", "lost"))
        ],
        "histograms": [
            _histogram(turn, outcome, rows, now)
            for outcome in ("win", "loss")
            if any(row["outcome"] == outcome for row in rows)
        ],
    }


def _histogram(
    turn: str, outcome: str, rows: list[Json], now: tuple[str | None, str | None, int]
) -> Json:
    """Bars of one outcome, a distance each, as rectangles of a drawing."""
    own = [row for row in rows if row["outcome"] == outcome]
    deepest, most = max(row["plies"] for row in own), max(row["count"] for row in own)
    first = 1 if outcome == "win" else 0
    steps = (deepest - first) // 2 + 1
    step = (WIDTH - SIDE) / max(steps, 12)
    bars = []
    for row in own:
        height = max(1.0, (HEIGHT - FOOT) * row["count"] / most)
        value = Value(Outcome[outcome.upper()], row["plies"])
        bars.append(
            {
                "x": round(SIDE + step * ((row["plies"] - first) // 2) + 0.1 * step, 2),
                "y": round(HEIGHT - FOOT - height, 2),
                "width": round(0.8 * step, 2),
                "height": round(height, 2),
                "now": (turn, outcome, row["plies"]) == now,
                "count": row["count"],
                "moves": value.moves,
                "plies": row["plies"],
                "fen": row["example"],
            }
        )
    return {
        "outcome": outcome,
        "verb": "mates" if outcome == "win" else "is mated",
        "bars": bars,
        "ticks": list(_ticks(steps, step, 1 if outcome == "win" else 0)),
        "most": most,
        "longest": bars[-1],
        "size": (WIDTH, HEIGHT, FOOT, SIDE),
    }


def _ticks(steps: int, step: float, least: int) -> Iterator[tuple[float, int]]:
    """(place, moves) under every so many bars."""
    apart = next(n for n in (1, 2, 5, 10, 20, 50, 100) if n * step > 32 or n == 100)
    for number in range(steps):
        if (number + least) % apart == 0:
            yield round(SIDE + step * (number + 0.5), 1), number + least
