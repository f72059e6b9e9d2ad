"""Positions to start from: by material, by distance, drawn ones that can be lost."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import numpy as np

from zermelo.errors import InputError
from zermelo.tables.boards import board_at
from zermelo.tables.material import Half, Material
from zermelo.tables.solving import Solver
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome, Value

TRIES = 20_000


def mating(
    tablebase: Tablebase, material: Material, moves: int, hero: chess.Color, seed: int
) -> chess.Board:
    """A position in which White, with the stronger side, mates in just so many moves.

    The hero is to move: White to mate, or Black to be mated. Every such position is as likely as
    any other. Raises InputError if there is none.
    """
    half = Half(material.strong, material.weak)
    if half in material.halves and moves > 0:
        tablebase.table(material)
        solved = Solver(tablebase.folder).half(half)
        cells = np.flatnonzero((solved.win if hero else solved.lost).ravel() == moves)
        for cell in np.random.default_rng(seed).permutation(cells)[:TRIES]:
            board = board_at(half, int(cell), chess.WHITE, hero)
            if board.is_valid():
                return board
    side = "White to move" if hero else "Black to move"
    raise InputError(f"{material}: no position with {side} and mate in {moves}; try fewer moves")


def drawing(tablebase: Tablebase, material: Material, hero: chess.Color, seed: int) -> chess.Board:
    """A random drawn position, the hero to move, in which some move loses."""
    for board in _random(material, hero, seed):
        if tablebase.value(board).outcome is Outcome.DRAW and any(
            move.value.outcome is Outcome.LOSS for move in tablebase.moves(board)
        ):
            return board
    raise InputError(f"{material}: found no drawn position that can be lost; try the other side")


def any_decided(
    tablebase: Tablebase, material: Material, hero: chess.Color, seed: int
) -> chess.Board:
    """A random position, the hero to move, in which White wins, in two moves or more."""
    wanted = Outcome.WIN if hero else Outcome.LOSS
    for board in _random(material, hero, seed):
        value = tablebase.value(board)
        if value.outcome is wanted and value != Value(Outcome.WIN, 1) and value.plies:
            return board
    raise InputError(f"{material}: found no position that White wins; try --draw")


def _random(material: Material, turn: chess.Color, seed: int) -> Iterator[chess.Board]:
    """Legal positions of a material, White with the stronger side."""
    source = random.Random(seed)
    men = [("K" + material.strong, chess.WHITE), ("K" + material.weak, chess.BLACK)]
    pieces = [
        chess.Piece(chess.Piece.from_symbol(letter).piece_type, colour)
        for letters, colour in men
        for letter in letters
    ]
    for _ in range(TRIES):
        board = chess.Board(None)
        squares = source.sample(chess.SQUARES, len(pieces))
        for square, piece in zip(squares, pieces, strict=True):
            board.set_piece_at(square, piece)
        board.turn = turn
        if board.is_valid():
            yield board
