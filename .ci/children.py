"""Compares what tables say of random positions with what they say of all positions a move later.

    python .ci/children.py [MATERIAL …] [--tables FOLDER] [--positions N] [--spread]

Without names: every material with pawns whose table is in the folder. Where both sides have pawns
one position in ten has en passant rights. A position with the defender to move is read from its own
cell, its children are computed; one with the attacker to move the other way round; en passant is
played out in either. With --spread they are as many of each distance as there are, the defender to
move. Moves come from the board's kernels, those of a sample from python-chess.
Ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import spread
from numpy.typing import NDArray

from zermelo.board.bits import ZERO, Words
from zermelo.board.moves import MOST_MOVES, generate
from zermelo.board.position import PASSED, WORDS, checkers, encode, make
from zermelo.jit import kernel
from zermelo.tables.material import Material, all_materials
from zermelo.tables.table import Table, file_name
from zermelo.tables.tablebase import Tablebase, default_folder
from zermelo.values import DRAW, MATED, Value

BLOCK = 10_000
"""Positions whose children are in memory at a time, of which one in ten has en passant rights."""
SAMPLE = 200
"""Positions of a block whose moves python-chess makes too."""
MEMORY = 4 << 30
FAR = 1 << 20
"""More than any number of plies."""

Scores = NDArray[np.int64]
"""Values as numbers, the better the greater: wins FAR - plies, losses plies - FAR, draws 0."""


class Found(NamedTuple):
    """What the check of a material came to; changed: whose value en passant rights change."""

    positions: int
    passant: int
    changed: int
    children: int
    seconds: float
    wrong: list[str]


def boards(material: Material, rng: random.Random, passant: bool) -> Iterator[chess.Board]:
    """Random legal positions, colours and the side to move as well; all with en passant or none."""
    letters = f"K{material.strong}" + f"K{material.weak}".lower()
    while True:
        men = list(letters if rng.random() < 0.5 else letters.swapcase())
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        free = list(range(64))
        if passant:
            _double_step(board, men, free, rng)
        for letter, square in zip(men, rng.sample(free, len(men)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid():
            yield board


def _double_step(board: chess.Board, men: list[str], free: list[int], rng: random.Random) -> None:
    """Puts up a pawn that has just moved two steps and one beside it, and takes them from ``men``.

    What they leave of ``free`` are the squares where other men may stand.
    """
    file, beside = rng.choice([(f, g) for f in range(8) for g in (f - 1, f + 1) if 0 <= g < 8])
    start, step = (48, -8) if board.turn else (8, 8)
    board.ep_square = start + step + file
    own, other = ("P", "p") if board.turn else ("p", "P")
    for letter, square in ((other, start + 2 * step + file), (own, start + 2 * step + beside)):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
        men.remove(letter)
        free.remove(square)
    for square in (start + file, board.ep_square):
        free.remove(square)


@kernel
def count_moves(positions: Words, counts: NDArray[np.int64]) -> None:
    """Writes how many legal moves each position has."""
    moves = np.empty(MOST_MOVES, np.uint64)
    for i in range(len(positions)):
        counts[i] = generate(positions[i], moves)


@kernel
def play(positions: Words, children: Words, mated: NDArray[np.bool_]) -> None:
    """Writes all positions a move later, one after the other, and who is in check."""
    moves = np.empty(MOST_MOVES, np.uint64)
    end = 0
    for i in range(len(positions)):
        count = np.int64(generate(positions[i], moves))
        for j in range(count):
            make(positions[i], moves[j], children[end])
            end += 1
        mated[i] = checkers(positions[i]) != ZERO


def scores(levels: NDArray[np.int32], later: int = 0) -> Scores:
    """The scores of levels for the side to move if everything happens ``later`` plies later."""
    lost, won = levels.T.astype(np.int64)
    draws_or_wins = np.where(won >= 0, FAR - (2 * won - 1 + later), 0)
    return np.where(lost >= 0, 2 * lost + later - FAR, draws_or_wins)


def by_children(tablebase: Tablebase, positions: Words) -> tuple[Scores, int]:
    """The scores of positions as the best of their moves' scores, and how many moves there are."""
    counts = np.empty(len(positions), np.int64)
    count_moves(positions, counts)
    children = np.empty((counts.sum(), WORDS), np.uint64)
    in_check = np.empty(len(positions), np.bool_)
    play(positions, children, in_check)
    found = np.where(in_check, -FAR, 0)
    some = counts > 0
    starts = np.cumsum(counts) - counts
    found[some] = np.maximum.reduceat(-scores(tablebase.levels(children), 1), starts[some])
    return found, len(children)


def by_python_chess(tablebase: Tablebase, board: chess.Board) -> str | None:
    """What is wrong with a position or one of its moves, every child probed by itself."""
    after: dict[chess.Move, Value] = {}
    for move in board.legal_moves:
        child = board.copy(stack=False)
        child.push(move)
        after[move] = tablebase.value(child).before
    best = min(after.values(), key=lambda value: value.rank, default=None)
    right = best or (MATED if board.is_check() else DRAW)
    if (value := tablebase.value(board)) != right:
        return f"{board.fen()}: {value}, but by its moves {right}"
    if {ranked.move: ranked.value for ranked in tablebase.moves(board)} != after:
        return f"{board.fen()}: its moves are not worth what the positions after them are"
    return None


def check(folder: Path, count: int, all_distances: bool, name: str) -> Found:
    """Checks random positions of a material, or some of each of its distances."""
    start = time.process_time()
    material, rng = Material.parse(name), random.Random(name)
    opposed = "P" in material.strong and "P" in material.weak and not all_distances
    plain, passant = boards(material, rng, False), boards(material, rng, True)
    if all_distances:
        with Table(folder / file_name(material)) as table:
            found = spread.boards(table, count)
        count = len(found)
        plain = iter(found)
    special = changed = children = 0
    wrong: list[str] = []
    with Tablebase(folder, memory=MEMORY) as tablebase:
        for first in range(0, count, BLOCK):
            size = min(BLOCK, count - first)
            block = list(islice(passant, size // 10 if opposed else 0))
            special += len(block)
            block += islice(plain, size - len(block))
            positions = np.array([encode(board) for board in block])
            levels = tablebase.levels(positions)
            right, moves = by_children(tablebase, positions)
            children += moves
            unequal = np.flatnonzero(scores(levels) != right)
            wrong += [f"{block[i].fen()}: its children say otherwise" for i in unequal]
            positions[:, PASSED] = ZERO
            changed += int((tablebase.levels(positions) != levels).any(axis=1).sum())
            for board in block[:: max(1, size // SAMPLE)]:
                if fault := by_python_chess(tablebase, board):
                    wrong.append(fault)
    return Found(count, special, changed, children, time.process_time() - start, wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("material", nargs="*")
    parser.add_argument("--tables", type=Path, default=default_folder())
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--spread", action="store_true", help="some of every distance instead")
    options = parser.parse_args()
    names = options.material or [
        str(material)
        for material in all_materials(5)
        if material.pawns and (options.tables / file_name(material)).exists()
    ]
    wrong = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        task = partial(check, options.tables, options.positions, options.spread)
        for name, found in zip(names, pool.map(task, names), strict=True):
            wrong += len(found.wrong)
            print(
                f"{name}: {found.positions:,} positions, {found.passant:,} with en passant rights, "
                f"which change {found.changed:,}; {found.children:,} moves; "
                f"{len(found.wrong) or 'none'} wrong   {found.seconds:.0f} s",
                flush=True,
            )
            print("".join(f"  {fault}\n" for fault in found.wrong[:10]), end="")
    print(f"children: {len(names)} materials, {wrong or 'nothing'} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
