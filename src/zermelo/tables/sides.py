"""What a table comes to, by the side to move: from the summaries of its halves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import chess

from zermelo.tables.boards import board_at
from zermelo.tables.material import Half, Material
from zermelo.tables.table import Summary
from zermelo.values import Outcome, Value


class Side(NamedTuple):
    """Positions with one side to move, those that symmetry makes equal counted once.

    longest: the longest win or loss, None if all are draws.
    """

    wins: int
    draws: int
    losses: int
    longest: Value | None


def sides(material: Material, summaries: Sequence[Summary]) -> tuple[Side, Side]:
    """(White to move, Black to move), White having the side of the material that is named first.

    In a symmetric material both are the same.
    """
    found = dict(zip(material.halves, summaries, strict=True))
    strong = found.get(Half(material.strong, material.weak))
    weak = found.get(Half(material.weak, material.strong))
    return _side(strong, weak), _side(weak, strong)


def _side(own: Summary | None, other: Summary | None) -> Side:
    """The side to move attacks in its own half and defends in the other one."""
    wins = own.won if own else 0
    losses = other.lost if other else 0
    legal = own.mover_legal if own else other.legal if other else 0
    longest = None
    if own and wins:
        longest = Value(Outcome.WIN, 2 * own.mover_longest - 1)
    if other and losses and (longest is None or 2 * other.longest > (longest.plies or 0)):
        longest = Value(Outcome.LOSS, 2 * other.longest)
    return Side(wins, legal - wins - losses, losses, longest)


def longest(material: Material, summaries: Sequence[Summary]) -> chess.Board | None:
    """A position with the longest mate of all; None if there is no mate."""
    half, summary = max(
        zip(material.halves, summaries, strict=True), key=lambda pair: pair[1].longest_plies
    )
    if not summary.lost:
        return None
    attacker = half == Half(material.strong, material.weak)
    if 2 * summary.longest > 2 * summary.mover_longest - 1:
        return board_at(half, summary.example, attacker, not attacker)
    return board_at(half, summary.mover_example, attacker, attacker)
