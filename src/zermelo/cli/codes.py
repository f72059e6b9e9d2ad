"""``zermelo probe --codes``: what a file in a classic encoding says."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import announce_compilation, lines_of, print_json
from zermelo.cli.probe import read_position
from zermelo.errors import ZermeloError

if TYPE_CHECKING:
    import chess

    from zermelo.tables.codes import Codes
    from zermelo.values import Value


def probe_codes(options: argparse.Namespace) -> int:
    """Asks the file about one position, or about one a line of ``--file``."""
    announce_compilation()
    from zermelo.problems.reading import entries
    from zermelo.tables.codes import Codes

    codes = Codes(Path(options.codes))
    if options.file is None:
        board = read_position(options.position)
        _print(options, _json(codes, board, board.fen()))
        return 0
    code = 0
    with lines_of(options.file) as file:
        for _, text in entries(file):
            try:
                answer = _json(codes, read_position([text]), text)
            except ZermeloError as error:
                code = error.exit_code
                answer = {"fen": text, "error": str(error)}
            _print(options, answer)
    return code


def _json(codes: Codes, board: chess.Board, fen: str) -> dict[str, Any]:
    answer = codes.ask(board)
    return {
        "fen": fen,
        "material": str(answer.material),
        "outcome": answer.outcome.word,
        "plies": answer.plies,
        "moves": [
            {"uci": move.uci(), "san": board.san(move), **_value(value)}
            for move, value in codes.moves(board)
        ],
    }


def _value(value: Value | None) -> dict[str, Any]:
    """Outcome and plies of a move, null where the file does not say."""
    return {"outcome": value and value.outcome.word, "plies": value and value.plies}


def _print(options: argparse.Namespace, answer: dict[str, Any]) -> None:
    if options.json:
        print_json(answer)
    elif "error" in answer:
        print(f"{answer['fen']}   error: {answer['error']}")
    else:
        distance = "" if answer["plies"] is None else f" in {answer['plies']} plies"
        best = [m["san"] for m in answer["moves"] if m["plies"] == answer["plies"]]
        moves = " ".join(best) if answer["outcome"] == "win" else ""
        print(f"{answer['fen']}   {answer['outcome']}{distance}   {moves}".rstrip())
