"""Positions of a table that meet a wish: a distance, an only move, a zugzwang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

import chess
import numpy as np

from zermelo.tables.chunks import in_chunks
from zermelo.tables.material import Material
from zermelo.tables.positions import ANY, CHUNK, OUTCOME, PLIES, WINNING, Block, Walk
from zermelo.tables.reach import Child
from zermelo.tables.tablebase import RankedMove, Tablebase
from zermelo.values import Outcome, Value

KEPT = 1 << 22
"""Candidates that a sample is taken from, themselves a random part where there are more."""

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Wish:
    """What a position must be like; None or False asks for nothing.

    plies, outcome: for the side to move. only_move: one move alone keeps the outcome. zugzwang:
    ``"any"``: the side to move would rather pass, for the other side's move would leave it with a
    better outcome or the same one at a better distance; ``"mutual"``: a better outcome.
    """

    turn: Literal["w", "b"] | None = None
    outcome: Outcome | None = None
    plies: int | None = None
    only_move: bool = False
    zugzwang: Literal["any", "mutual"] | None = None


class Found(NamedTuple):
    """A position that meets the wish: its value, and all its moves, best first."""

    board: chess.Board
    value: Value
    moves: list[RankedMove]


def find(
    material: Material,
    wish: Wish,
    child: Child,
    tablebase: Tablebase,
    sample: int | None = None,
    seed: int = 0,
    tick: Tick = lambda done, total: None,
) -> Iterator[Found]:
    """Positions that meet a wish, all of them, or ``sample`` of them in random order.

    Positions that symmetry makes equal come once. ``child`` gives the halves of the tables, of
    which ``tablebase`` answers about single positions.
    """
    candidates = _candidates(material, wish, child, tick)
    if sample is not None:
        candidates = _shuffled(candidates, seed)
    boards = (chess.Board(fen) for walk, block in candidates for fen in walk.fens(block))
    found = (_met(board, wish, tablebase) for board in boards)
    return islice((position for position in found if position), sample)


def _walks(material: Material, wish: Wish, child: Child) -> Iterator[tuple[Walk, int]]:
    """The walks that pass all positions of the wish's outcome and distance, and their levels."""
    for turn in "w" if material.symmetric else "wb":
        if wish.turn not in (None, turn):
            continue
        if wish.plies is None:
            if wish.outcome is Outcome.LOSS:
                yield Walk(material, turn, False, child), ANY
            else:
                yield Walk.complete(material, turn, child), ANY
        else:
            wins = wish.plies % 2 == 1
            yield Walk(material, turn, wins, child), (wish.plies + 1) // 2


def _candidates(
    material: Material, wish: Wish, child: Child, tick: Tick
) -> Iterator[tuple[Walk, Block]]:
    """Blocks of positions of the right outcome and distance; winning ones by their only move."""
    for walk, level in _walks(material, wish, child):

        def part(first: int, last: int, walk: Walk = walk, level: int = level) -> Block:
            block = walk.block(first, last, level=level)
            outcome, plies = block.facts[:, OUTCOME], block.facts[:, PLIES]
            fits = np.ones(len(outcome), np.bool_)
            if wish.outcome is not None:
                fits &= outcome == wish.outcome
            if wish.plies is not None:
                fits &= plies == wish.plies
            if wish.only_move:
                fits &= (outcome != Outcome.WIN) | (block.facts[:, WINNING] == 1)
            return Block(block.men[fits], block.facts[fits])

        for done, block in in_chunks(walk.words, part, CHUNK):
            tick(done, walk.words)
            yield walk, block


def _shuffled(blocks: Iterator[tuple[Walk, Block]], seed: int) -> Iterator[tuple[Walk, Block]]:
    """The positions one by one in random order; of more than KEPT a random part."""
    random = np.random.default_rng(seed)
    walks: list[Walk] = []
    keys, owners, men = np.empty(0), np.empty(0, np.int64), np.empty((0, 0), np.uint8)
    for walk, block in blocks:
        if walk not in walks:
            walks.append(walk)
        fresh = random.random(len(block.men))
        keys = np.concatenate([keys, fresh])
        owners = np.concatenate([owners, np.full(len(fresh), len(walks) - 1)])
        men = np.concatenate([men.reshape(-1, block.men.shape[1]), block.men])
        if len(keys) > 2 * KEPT:
            kept = np.argpartition(keys, KEPT)[:KEPT]
            keys, owners, men = keys[kept], owners[kept], men[kept]
    for number in np.argsort(keys):
        yield walks[owners[number]], Block(men[number : number + 1], np.empty((1, 4), np.int64))


def _met(board: chess.Board, wish: Wish, tablebase: Tablebase) -> Found | None:
    """A candidate with its value and moves, if it meets the rest of the wish."""
    value, moves = tablebase.value(board), tablebase.moves(board)
    if wish.only_move and sum(move.value.outcome is value.outcome for move in moves) != 1:
        return None
    if wish.zugzwang and not _zugzwang(board, value, wish.zugzwang == "mutual", tablebase):
        return None
    return Found(board, value, moves)


def _zugzwang(board: chess.Board, value: Value, mutual: bool, tablebase: Tablebase) -> bool:
    """Whether the side to move would rather pass, if it could."""
    if board.is_check():
        return False
    passed = board.copy(stack=False)
    passed.turn = not board.turn
    other = tablebase.value(passed).before
    if mutual:
        return other.outcome > value.outcome
    return other.rank < value.rank
