"""Says in words why a move is best: the main line with one reason a move."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from zermelo.games.solution import Move, Solved
from zermelo.values import Outcome, Value

P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True)
class Step:
    """One move of the main line: its name, its value for the player who makes it, the reason."""

    move: str
    value: Value
    reason: str


def main_line(solved: Solved[P], position: P | None = None) -> list[Step]:
    """Best play from a position on, to the end or to the first position that comes again."""
    line = solved.line(position)
    steps: list[Step] = []
    for at, to in pairwise(line):
        moves = solved.moves(at)
        reason = why(moves)
        if solved.ended(to):
            reason = "ends the game"
        elif to in line[: len(steps) + 1]:
            reason += f"; the position after move {line.index(to)} again, and so on for ever"
        steps.append(Step(solved.rules.name_move(at, to), moves[0].value, reason))
    return steps


def why(moves: list[Move[P]]) -> str:
    """What sets the first of a position's ranked moves apart from the others."""
    best, others = moves[0].value, moves[1:]
    if not others:
        return "the only move"
    equal = sum(move.value == best for move in others)
    same = [move for move in others if move.value.outcome is best.outcome]
    if best.outcome is Outcome.WIN:
        if not same:
            return "the only move that wins"
        return "wins fastest" if not equal else f"wins fastest, as {_others(equal)}"
    if best.outcome is Outcome.LOSS:
        return "all moves lose" + ("; this holds out longest" if len(same) > equal else " as fast")
    if not same:
        return "the only move that does not lose"
    return f"draws, as {_others(equal)}"


def _others(count: int) -> str:
    return "one other does" if count == 1 else f"{count} others do"


def phrase(value: Value) -> str:
    """``"win in 9 plies"``, ``"draw"``, for people."""
    if value.plies is None:
        return "draw"
    return f"{value.outcome.word} in {value.plies} {'ply' if value.plies == 1 else 'plies'}"
