"""``zermelo probe`` and ``zermelo line``: what a position is worth, and how to play it."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import (
    add_command,
    add_dir,
    announce_compilation,
    in_plies,
    lines_of,
    print_json,
    refuse,
)
from zermelo.errors import InputError, ZermeloError
from zermelo.values import Outcome, Value

if TYPE_CHECKING:
    import chess

    from zermelo.tables.tablebase import RankedMove, Tablebase

POSITION = "a FEN, or a piece list such as 'Ke1 Re2 / kd5 w'"
_EXAMPLE = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"
_WIDTH = 60
_KINDS = "QRBNPK"


def register(commands: Any) -> None:
    """Adds the commands."""
    probe = add_command(
        commands,
        "probe",
        _probe,
        "value of a position and of its moves",
        f'zermelo probe "{_EXAMPLE}"\n  zermelo probe Ke1 Re2 / kd5 w --move Re4\n'
        "  zermelo probe --file positions.txt --json",
    )
    probe.add_argument("position", nargs="*", help=POSITION)
    probe.add_argument("--move", metavar="M", help="say what this move is worth, and why")
    probe.add_argument("--file", metavar="F", help="a position a line from a file, - for input")
    probe.add_argument(
        "--codes", metavar="F", help="ask a file of values25 or answers24 instead of the tables"
    )
    _add_tables(probe)
    line = add_command(
        commands, "line", _line, "perfect play to the mate", f'zermelo line "{_EXAMPLE}" --pgn'
    )
    line.add_argument("position", nargs="+", help=POSITION)
    line.add_argument("--pgn", action="store_true", help="print a PGN game")
    line.add_argument("--epd", action="store_true", help="print the position as EPD with dm")
    _add_tables(line)


def _add_tables(command: argparse.ArgumentParser) -> None:
    add_dir(command)
    command.add_argument(
        "--no-build", action="store_true", help="do not make missing tables of up to four men"
    )


def _open(options: argparse.Namespace) -> Tablebase:
    announce_compilation()
    from zermelo.tables.tablebase import Tablebase

    return Tablebase(
        options.dir,
        "none" if options.no_build else "small",
        tell=lambda text: print(text, file=sys.stderr),
    )


def read_position(words: list[str]) -> chess.Board:
    from zermelo.problems.reading import read_board
    from zermelo.tables.boards import check

    board = read_board(" ".join(words))
    check(board)
    return board


def _probe(options: argparse.Namespace) -> int:
    if bool(options.position) == (options.file is not None):
        raise InputError("give one position, or --file with a position a line")
    if options.file is not None:
        refuse(options, "one position, not with --file", "move")
    if options.codes:
        refuse(options, "not with --codes, which asks no table", "move", "dir", "no-build")
        from zermelo.cli.codes import probe_codes

        return probe_codes(options)
    if options.file is not None:
        return _probe_file(options)
    board = read_position(options.position)
    with _open(options) as tablebase:
        if options.move:
            return _probe_move(options, tablebase, board)
        if options.json:
            print_json(_json(tablebase, board, board.fen(en_passant="fen")))
        else:
            print(_text(tablebase, board))
    return 0


def _probe_file(options: argparse.Namespace) -> int:
    from zermelo.problems.reading import entries

    code = 0
    with lines_of(options.file) as file, _open(options) as tablebase:
        for _, text in entries(file):
            try:
                board = read_position([text])
                # What was written comes back, so that a program can find its line again.
                fen = text if "/" in text.split()[0] else board.fen()
                answer = _json(tablebase, board, fen)
            except ZermeloError as error:
                # A bad line weighs more than a missing table: the caller can mend it.
                code = min(code or error.exit_code, error.exit_code)
                answer = {"fen": text, "error": str(error)}
            if options.json:
                print_json(answer)
            else:
                print(answer["fen"], _short(answer), sep="   ")
    return code


def _short(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return f"error: {answer['error']}"
    plies = answer["plies"]
    return answer["outcome"] if plies is None else f"{answer['outcome']} in {in_plies(plies)}"


def _move_json(move: RankedMove) -> dict[str, Any]:
    return {
        "uci": move.move.uci(),
        "san": move.san,
        "outcome": move.value.outcome.word,
        "plies": move.value.plies,
    }


def _json(tablebase: Tablebase, board: chess.Board, fen: str) -> dict[str, Any]:
    from zermelo.tables.boards import material_of

    value = tablebase.value(board)
    answer = {
        "fen": fen,
        "material": str(material_of(board)),
        "outcome": value.outcome.word,
        "plies": value.plies,
        "moves": [_move_json(move) for move in tablebase.moves(board)],
    }
    if note := _fifty(board, value):
        answer["note"] = note
    return answer


def _fifty(board: chess.Board, value: Value) -> str | None:
    from zermelo.tables.tablebase import may_be_drawn

    if not may_be_drawn(board, value):
        return None
    return (
        f"the fifty-move rule may make it a draw: "
        f"{in_plies(value.plies)} to mate, {board.halfmove_clock} on the clock"
    )


def _diagram(board: chess.Board) -> str:
    rows = str(board).splitlines()
    return "\n".join([*(f"{8 - i}  {row}" for i, row in enumerate(rows)), "", "   a b c d e f g h"])


def _colour(white: bool) -> str:
    return "white" if white else "black"


def _headline(board: chess.Board, value: Value) -> str:
    side = f"{_colour(board.turn)} to move"
    if board.is_checkmate():
        return f"{_colour(board.turn)} is checkmated"
    if board.is_stalemate():
        return f"{side} is stalemated: a draw"
    if value.outcome is Outcome.DRAW:
        return f"{side} and draw"
    verb = "mate" if value.outcome is Outcome.WIN else "is mated"
    return f"{side} and {verb} in {value.moves} ({in_plies(value.plies)})"


def _text(tablebase: Tablebase, board: chess.Board) -> str:
    from zermelo.tables.boards import material_of

    value = tablebase.value(board)
    lines = [_diagram(board), "", f"{material_of(board)}   {_headline(board, value)}"]
    lines += _ranking(tablebase.moves(board))
    if note := _fifty(board, value):
        lines.append(f"  {note}")
    return "\n".join(lines)


def _distance(value: Value) -> str:
    if value.outcome is Outcome.DRAW:
        return ""
    return f"{'mate' if value.outcome is Outcome.WIN else 'mated'} in {value.moves}"


def _strongest_man_first(move: RankedMove) -> tuple[int, str]:
    letter = move.san[0] if move.san[0] in _KINDS else "K" if move.san[0] == "O" else "P"
    return _KINDS.index(letter), move.san


def _ranking(moves: list[RankedMove]) -> Iterator[str]:
    """The moves by what they are worth, those of one distance on one line."""
    groups: dict[Value, list[RankedMove]] = {}
    for move in moves:
        groups.setdefault(move.value, []).append(move)
    words = {Outcome.WIN: "winning", Outcome.DRAW: "drawing", Outcome.LOSS: "losing"}
    rows: list[tuple[str, str, str]] = []
    shown = None
    for value, group in groups.items():
        names = " ".join(move.san for move in sorted(group, key=_strongest_man_first))
        wrapped = textwrap.wrap(names, _WIDTH, break_on_hyphens=False)
        for i, part in enumerate(wrapped):
            word = words[value.outcome] if i == 0 and value.outcome is not shown else ""
            rows.append((word, part, _distance(value) if i == len(wrapped) - 1 else ""))
        shown = value.outcome
    width = max((len(part) for _, part, _ in rows), default=0)
    for word, part, distance in rows:
        yield f"  {word:<7}  {part:<{width}} {distance}".rstrip()


def _probe_move(options: argparse.Namespace, tablebase: Tablebase, board: chess.Board) -> int:
    from zermelo.tables.boards import parse_move

    wanted = parse_move(board, options.move)
    moves = tablebase.moves(board)
    chosen = next(move for move in moves if move.move == wanted)
    best = moves[0]
    after = board.copy(stack=False)
    after.push(wanted)
    replies = tablebase.moves(after)
    holding = [reply for reply in replies if reply.value == replies[0].value]
    line = [move.san for move in tablebase.line(after)] or [move.san for move in holding[:1]]
    if options.json:
        print_json(
            {
                "fen": board.fen(en_passant="fen"),
                "move": _move_json(chosen),
                "best": _move_json(best),
                "replies": [_move_json(reply) for reply in holding],
                "line": line,
            }
        )
        return 0
    print(_diagram(board), "", _verdict(chosen, best), sep="\n")
    if chosen.value.outcome is Outcome.DRAW and holding:
        print(f"  it draws after: {' '.join(reply.san for reply in holding)}")
    played = [chosen.san, *line]
    print(textwrap.fill(numbered(board, played), 78, initial_indent="  ", subsequent_indent="  "))
    return 0


def _verdict(chosen: RankedMove, best: RankedMove) -> str:
    said = _spoken(chosen.value)
    if chosen.value == best.value:
        return f"{chosen.san} {said}: there is nothing better"
    return f"{chosen.san} {said}, but {best.san} {_spoken(best.value)}"


def _spoken(value: Value) -> str:
    if value.outcome is Outcome.DRAW:
        return "draws"
    verb = "mates" if value.outcome is Outcome.WIN else "is mated"
    return f"{verb} in {value.moves} ({in_plies(value.plies)})"


def numbered(board: chess.Board, moves: list[str]) -> str:
    """Moves in SAN with their numbers: ``1.Ra7 Kg8 2.Rb8#``."""
    words = []
    number, white = board.fullmove_number, board.turn
    for i, san in enumerate(moves):
        if white:
            words.append(f"{number}.{san}")
        else:
            words.append(f"{number}…{san}" if i == 0 else san)
            number += 1
        white = not white
    return " ".join(words)


def _line(options: argparse.Namespace) -> int:
    if options.json:
        refuse(options, "not with --json; leave one of them out", "pgn", "epd")
    if options.pgn:
        refuse(options, "not with --pgn; leave one of them out", "epd")
    board = read_position(options.position)
    with _open(options) as tablebase:
        value = tablebase.value(board)
        moves = tablebase.line(board)
    if options.json:
        print_json(
            {
                "fen": board.fen(en_passant="fen"),
                "outcome": value.outcome.word,
                "plies": value.plies,
                "moves": [_move_json(move) for move in moves],
            }
        )
    elif options.pgn:
        print(pgn(board, value, moves))
    elif options.epd:
        from zermelo.play.pgn import epd

        print(epd(board, value))
    else:
        print(_headline(board, value))
        if moves:
            print(textwrap.fill(numbered(board, [move.san for move in moves]), 78))
    return 0


def pgn(board: chess.Board, value: Value, moves: list[RankedMove]) -> str:
    """A line of perfect play as a PGN game, each move with its distance."""
    from zermelo.play.pgn import distance, game

    white_wins = (value.outcome is Outcome.WIN) == board.turn
    decided = "1-0" if white_wins else "0-1"
    headers = {
        "Event": "Perfect play",
        "White": "zermelo",
        "Black": "zermelo",
        "Result": "1/2-1/2" if value.outcome is Outcome.DRAW else decided,
    }
    comments = [(move.move, distance(move.value)) for move in moves]
    return game(board, comments, headers, distance(value))
