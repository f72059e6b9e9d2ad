"""`zermelo perft`: the move generator, counted."""

from __future__ import annotations

import argparse
from typing import Any

from zermelo.cli.common import add_command, announce_compilation, print_json


def register(commands: Any) -> None:
    """Adds the command."""
    command = add_command(
        commands,
        "perft",
        _perft,
        "count the sequences of legal moves from a position, move by move",
        'zermelo perft "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" 5',
    )
    command.add_argument("fen", metavar="FEN", help="FEN or a list of men: Ke1 Re2 / kd5 w")
    command.add_argument("depth", metavar="DEPTH", type=int, help="length of the sequences, plies")


def _perft(options: argparse.Namespace) -> int:
    import time

    from zermelo.board.moves import legal_moves
    from zermelo.board.perft import perft
    from zermelo.board.position import encode, moved, uci
    from zermelo.errors import InputError
    from zermelo.problems.diagram import unplayable
    from zermelo.problems.reading import read_board

    board = read_board(options.fen)
    if reasons := unplayable(board):
        raise InputError(f"{options.fen}: {reasons[0]}")
    if not 1 <= options.depth <= 30:
        raise InputError(f"depth {options.depth}: it must be from 1 to 30 plies")
    announce_compilation()
    position = encode(board)
    moves = {uci(move): moved(position, move) for move in legal_moves(position)}
    perft(position, 1)  # compiled before the clock starts
    begin = time.perf_counter()
    counts = {text: perft(after, options.depth - 1) for text, after in sorted(moves.items())}
    seconds = time.perf_counter() - begin
    nodes = sum(counts.values())
    if options.json:
        print_json({"fen": board.fen(), "depth": options.depth, "nodes": nodes, "moves": counts})
        return 0
    for text, count in counts.items():
        print(f"{text:5s} {count:>15,d}")
    print(f"{nodes:,d} in {seconds:.2f} s")
    return 0
