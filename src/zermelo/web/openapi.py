"""The OpenAPI document of the HTTP API."""

from __future__ import annotations

from functools import cache
from typing import Any

from zermelo import __version__
from zermelo.problems.engine import LONGEST
from zermelo.web import limits

Json = dict[str, Any]

_FEN = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"
_STRING: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_BOOLEAN: Json = {"type": "boolean"}
_DISTANCE: Json = {"type": ["integer", "null"]}
_OUTCOME: Json = {"type": "string", "enum": ["win", "draw", "loss"]}
_TURN: Json = {"type": "string", "enum": ["w", "b"]}


def _object(required: Json, **optional: Json) -> Json:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
    }


def _list(of: Json) -> Json:
    return {"type": "array", "items": of}


_POSITION: Json = {
    "category": {**_OUTCOME, "description": "the result for the side to move"},
    "dtm": {"type": "integer", "description": "plies to mate, negative for the side mated"},
    "dtz": {**_DISTANCE, "description": "plies to a capture, a pawn's move or mate, where known"},
    "precise_dtz": _DISTANCE,
    "dtc": _DISTANCE,
    "dtw": _DISTANCE,
    "checkmate": _BOOLEAN,
    "stalemate": _BOOLEAN,
    "insufficient_material": _BOOLEAN,
    "variant_win": _BOOLEAN,
    "variant_loss": _BOOLEAN,
}
_NAMES: Json = {"uci": _STRING, "san": _STRING}
_DISTANCES: Json = {name: _POSITION[name] for name in ("dtm", "dtz", "precise_dtz", "dtc", "dtw")}
_STANDARD = _object(
    {**_POSITION, "moves": _list(_object({**_NAMES, "zeroing": _BOOLEAN, **_POSITION}))}
)
_MAINLINE = _object(
    {
        **_DISTANCES,
        "winner": {"type": ["string", "null"], "enum": ["w", "b", None]},
        "mainline": _list(_object({**_NAMES, **_DISTANCES})),
    }
)
_SIDE = _object({"wins": _COUNT, "draws": _COUNT, "losses": _COUNT})
_TABLES = _object(
    {
        "tables": _list(
            _object(
                {
                    "material": _STRING,
                    "men": _COUNT,
                    "bytes": _COUNT,
                    "checksum": _STRING,
                    "longest": _COUNT,
                    "white": _SIDE,
                    "black": _SIDE,
                }
            )
        ),
        "damaged": _list(_object({"file": _STRING, "error": _STRING})),
    }
)
_CENSUS = _object(
    {
        "material": _STRING,
        "orbits": {
            "type": "object",
            "additionalProperties": _object(
                {"legal": _COUNT, "won": _COUNT, "drawn": _COUNT, "lost": _COUNT}
            ),
        },
        "histogram": _list(
            _object(
                {
                    "turn": _TURN,
                    "outcome": _OUTCOME,
                    "plies": _COUNT,
                    "count": _COUNT,
                    "example": _STRING,
                }
            )
        ),
        "mutual_zugzwangs": {"type": "object", "additionalProperties": _list(_STRING)},
    }
)
_KEY = _object({**_NAMES, "mate_in": _COUNT})
_MATE = _object(
    {
        "fen": _STRING,
        "n": _COUNT,
        "keys": _list(_KEY),
        "shortest": {"type": ["integer", "null"]},
        "verdict": {"type": ["string", "null"]},
        "reasons": _list(_STRING),
        "nodes": _COUNT,
        "seconds": {"type": "number"},
    },
    tries=_list(_KEY),
    set_play=_list(_object(_NAMES)),
    duals=_list({"type": "object"}),
    notes=_list(_STRING),
    complete=_BOOLEAN,
)
_JOB = _object(
    {
        "material": _STRING,
        "state": {"type": "string", "enum": ["waiting", "running", "done", "failed"]},
        "progress": {"type": "number", "minimum": 0, "maximum": 1},
        "now": _STRING,
        "error": {"type": ["string", "null"]},
    }
)
_WORTH: Json = {"outcome": _OUTCOME, "plies": _DISTANCE}
_EXPLORED = _object(
    {
        "fen": _STRING,
        "material": _STRING,
        "turn": _TURN,
        **_WORTH,
        "headline": _STRING,
        "note": _STRING,
        "check": {"type": ["string", "null"]},
        "moves": _list(_object({**_NAMES, **_WORTH, "words": _STRING, "fen": _STRING})),
    }
)
_STEP = _object({"uci": _STRING, "text": _STRING, "fen": _STRING, "plies": _DISTANCE})
_LINE = _object({"moves": _list(_STEP), "pgn": _STRING})
_STATE = _object(
    {
        "fen": _STRING,
        "hero": {"type": "string", "enum": ["white", "black"]},
        "moves": _list(_STRING),
        "hints": _COUNT,
        "undone": _COUNT,
    }
)
_GAME = _object(
    {
        "state": _STATE,
        "fen": _STRING,
        "hero": _STRING,
        "task": _STRING,
        "moves": _list(_object({"uci": _STRING})),
        "last": {"type": ["string", "null"]},
        "check": {"type": ["string", "null"]},
        "grade": {"type": ["object", "null"]},
        "hint": _STRING,
        "over": {"type": ["string", "null"]},
        "log": _list(_object({"text": _STRING, "grade": {"type": ["object", "null"]}})),
        "summary": {"type": ["object", "null"]},
        "pgn": _STRING,
    }
)
_ERROR = _object({"error": _STRING})

_FAULTS = {
    400: "what is asked makes no sense",
    403: "this server does not do it",
    404: "a table is missing",
    413: "more than this server takes on",
    429: "too much at once; ask again in a moment",
    500: "a table's file is damaged",
}


def _content(schema: Json, kind: str = "application/json") -> Json:
    return {kind: {"schema": schema}}


def _responses(good: Json, *faults: int, status: int = 200) -> Json:
    found = {str(status): {"description": "the answer", "content": good}}
    for fault in faults:
        found[str(fault)] = {"description": _FAULTS[fault], "content": _content(_ERROR)}
    return found


def _query(name: str, schema: Json, what: str, required: bool = False) -> Json:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "schema": schema,
        "description": what,
    }


_POSITION_ASKED = _query(
    "fen",
    {"type": "string", "minLength": 1, "maxLength": limits.POSITION, "example": _FEN},
    "a FEN or a piece list; underscores count as spaces",
    required=True,
)
_MATERIAL_ASKED: Json = {
    "name": "material",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "example": "KBNvK"},
}


def _get(summary: str, good: Json, *faults: int, parameters: tuple[Json, ...] = ()) -> Json:
    return {
        "get": {
            "summary": summary,
            "parameters": list(parameters),
            "responses": _responses(_content(good), *faults),
        }
    }


def _mate() -> Json:
    found = _get(
        "The solution of a mate problem, with the verdict",
        _MATE,
        400,
        429,
        parameters=(
            _POSITION_ASKED,
            _whole("n", 1, LONGEST, "moves to mate", required=True),
            _whole("seconds", 1, limits.SECONDS, "time limit; then `complete` is false"),
            _whole("depth", 0, 12, "moves of play after the key"),
            _whole("keys_only", 0, 1, "1: keys and verdict only"),
            _query("format", {"type": "string", "enum": ["json", "text", "pgn"]}, "of the answer"),
        ),
    )
    forms = found["get"]["responses"]["200"]["content"]
    forms |= _content(_STRING, "text/plain") | _content(_STRING, "application/x-chess-pgn")
    return found


def _whole(name: str, least: int, most: int, what: str, required: bool = False) -> Json:
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return _query(name, schema, what, required)


def _solve() -> Json:
    found = _get("The tables that are being made", _object({"jobs": _list(_JOB)}))
    body = _object({"material": {"type": "string", "example": "KRvK"}})
    found["post"] = {
        "summary": "Begins to make a small table",
        "requestBody": {"required": True, "content": _content(body)},
        "responses": _responses(_content(_JOB), 400, 403, 413, 429, status=202),
    }
    return found


def _train() -> Json:
    fen = {**_POSITION_ASKED, "required": False}
    found = _get(
        "A game of the trainer begins",
        _GAME,
        *(400, 404, 413, 429, 500),
        parameters=(
            fen,
            _query("material", {"type": "string", "example": "KRvK"}, "the ending, without fen"),
            _whole("mate_in", 0, 999, "moves to mate; 0 for any"),
            _query("side", {"type": "string", "enum": ["white", "black"]}, "White is stronger"),
            _query("goal", {"type": "string", "enum": ["decided", "draw"]}, "what to train"),
            _whole("seed", 0, 999_999_999, "the same seed, the same position"),
        ),
    )
    action = {"move": _STRING, "hint": _whole("", 1, 3, "")["schema"], "undo": _BOOLEAN}
    found["post"] = {
        "summary": "A move, a hint or a move taken back",
        "requestBody": {
            "required": True,
            "content": _content(_object({"state": _STATE}, **action)),
        },
        "responses": _responses(_content(_GAME), 400, 404, 413, 429, 500),
    }
    return found


@cache
def document() -> Json:
    """The whole document."""
    probe = (400, 404, 429, 500)
    health = _object({"status": _STRING, "version": _STRING, "read_only": _BOOLEAN})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "zermelo",
            "version": __version__,
            "description": "Endgame tables and mate problems, answered exactly.",
        },
        "paths": {
            "/standard": _get(
                "The value of a position and of its moves",
                _STANDARD,
                *probe,
                parameters=(_POSITION_ASKED,),
            ),
            "/standard/mainline": _get(
                "Best play to the mate", _MAINLINE, *probe, parameters=(_POSITION_ASKED,)
            ),
            "/tables": _get("The tables that are there", _TABLES, 429),
            "/tables/{material}": _get(
                "The census of a table", _CENSUS, *probe, 413, parameters=(_MATERIAL_ASKED,)
            ),
            "/mate": _mate(),
            "/position": _get(
                "A position in words", _EXPLORED, *probe, parameters=(_POSITION_ASKED,)
            ),
            "/line": _get(
                "The perfect line with its positions",
                _LINE,
                *probe,
                parameters=(_POSITION_ASKED,),
            ),
            "/train": _train(),
            "/solve": _solve(),
            "/solve/{material}": _get(
                "How far a table is", _JOB, 400, 404, parameters=(_MATERIAL_ASKED,)
            ),
            "/health": _get("Whether the server is well", health),
        },
    }
