"""The trainer in the browser: a skin over ``play.trainer``; the browser keeps the game's state."""

from __future__ import annotations

import random
from typing import Any

import chess
from starlette.requests import Request
from starlette.responses import Response

from zermelo.errors import InputError, LimitError
from zermelo.play import starts
from zermelo.play.trainer import STEPS, Grade, Trainer
from zermelo.tables.folder import command
from zermelo.tables.material import Material
from zermelo.tables.tablebase import SMALL
from zermelo.web.api import answered, body_of
from zermelo.web.pages import page
from zermelo.web.service import (
    Service,
    client_of,
    encoded,
    number_of,
    position_of,
    service_of,
)
from zermelo.web.standard import Json

_LONGEST = 400
"""Plies of a game."""
_SIDES = {"white": chess.WHITE, "black": chess.BLACK}
_GOALS = ("decided", "draw")


async def trainer_route(request: Request) -> Response:
    """``GET /trainer``: the page; ``fen`` begins with a position."""
    fen = request.query_params.get("fen", "").replace("_", " ")[:200]
    return page(request, "trainer", fen=fen)


async def start_route(request: Request) -> Response:
    """``GET /train?fen=`` or ``?material=&mate_in=&side=&goal=&seed=``: a game begins."""
    service = service_of(request)
    if request.query_params.get("fen"):
        board = position_of(request)
        begun = await service.probe(client_of(request), lambda: _begin(service, board, board.turn))
    else:
        begun = await service.heavy.run(client_of(request), _drawn_by_lot, service, request)
    return answered(encoded(begun))


def _drawn_by_lot(service: Service, request: Request) -> Json:
    """A game from a position of a material that fits what is asked."""
    query = request.query_params
    material = Material.parse(query.get("material", "")[:40])
    side, goal = query.get("side", "white"), query.get("goal", "decided")
    if side not in _SIDES or goal not in _GOALS:
        raise InputError("side is white or black, goal is decided or draw")
    hero = _SIDES[side]
    seed = number_of(request, "seed", random.randrange(1_000_000), 0, 999_999_999)
    moves = number_of(request, "mate_in", 0, 0, 999)
    if goal == "draw":
        board = starts.drawing(service.tablebase, material, hero, seed)
    elif moves and material.men > SMALL:
        raise LimitError(
            f"{material}: {material.men} men, and a distance can be chosen here for up to {SMALL}; "
            f"train with: {command(f'play {material} --mate-in {moves}', service.folder)}"
        )
    elif moves:
        board = starts.mating(service.tablebase, material, moves, hero, seed)
    else:
        board = starts.any_decided(service.tablebase, material, hero, seed)
    return _begin(service, board, hero)


def _begin(service: Service, board: chess.Board, hero: chess.Color) -> Json:
    trainer = Trainer(service.tablebase, board, hero)
    trainer.reply()
    return _shown(trainer)


async def train_route(request: Request) -> Response:
    """``POST /train``: the state with a ``move``, a ``hint`` (1 to 3) or ``undo``; what follows."""
    service, body = service_of(request), await body_of(request)
    return answered(encoded(await service.probe(client_of(request), lambda: _step(service, body))))


def _step(service: Service, body: Json) -> Json:
    state = body.get("state")
    moves = state.get("moves") if isinstance(state, dict) else None
    if not isinstance(state, dict) or not isinstance(moves, list) or len(moves) > _LONGEST:
        raise InputError(f"state: missing, or a game of more than {_LONGEST} plies")
    if not all(isinstance(state.get(count), int) for count in ("hints", "undone")):
        raise InputError("state: hints and undone are whole numbers")
    trainer = Trainer.resume(service.tablebase, state)
    if isinstance(move := body.get("move"), str):
        grade = trainer.play(move[:10])
        trainer.reply()
        return _shown(trainer, grade=grade)
    if isinstance(steps := body.get("hint"), int):
        return _shown(trainer, hint=_hint(trainer, steps))
    if body.get("undo"):
        trainer.undo()
    return _shown(trainer)


def _hint(trainer: Trainer, steps: int) -> str:
    """The hint of a step; the steps before it were counted when they were given."""
    hints, text = trainer.hints, ""
    for _ in range(max(1, min(steps, STEPS))):
        text = trainer.hint()
    trainer.hints = hints + 1
    return text


def _shown(trainer: Trainer, grade: Grade | None = None, hint: str = "") -> Json:
    """The game for the page; its legal moves come without their values."""
    board, king = trainer.board, trainer.board.king(trainer.board.turn)
    mine = board.turn == trainer.hero and trainer.over is None
    return {
        "state": trainer.state(),
        "fen": board.fen(en_passant="fen"),
        "hero": chess.COLOR_NAMES[trainer.hero],
        "task": trainer.task,
        "moves": [{"uci": move.uci()} for move in board.legal_moves] if mine else [],
        "last": trainer.turns[-1].move.move.uci() if trainer.turns else None,
        "check": chess.square_name(king) if king is not None and board.is_check() else None,
        "grade": _grade(grade) if grade else None,
        "hint": hint,
        "over": trainer.over,
        "log": _log(trainer),
        "summary": _summary(trainer) if trainer.over else None,
        "pgn": trainer.pgn(),
    }


def _grade(grade: Grade) -> Json:
    quality = "loss" if grade.lost is None else "win" if grade.lost == 0 else "draw"
    return {"san": grade.played.san, "words": grade.words, "quality": quality}


def _summary(trainer: Trainer) -> Json:
    return {**trainer.summary()._asdict(), "goal": trainer.task}


def _log(trainer: Trainer) -> list[Json]:
    log: list[dict[str, Any]] = []
    board = trainer.start.copy(stack=False)
    for turn in trainer.turns:
        number = f"{board.fullmove_number}." if board.turn else f"{board.fullmove_number}…"
        grade = _grade(turn.grade) if turn.grade else None
        log.append({"text": number + turn.move.san, "grade": grade})
        board.push(turn.move.move)
    return log
