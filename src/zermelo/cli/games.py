"""``zermelo game``: solves and plays games on graphs, the library's and the user's own."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import (
    add_cluster,
    add_command,
    announce_compilation,
    print_json,
    refuse,
)
from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.games.solution import Solved

METHODS = ("induction", "wintree", "bounded")
ORDERS = ("plain", "captures", "engine")
LIMIT = 20_000_000
CHESS_LIMIT = 1_000_000
"""Positions that induction explores at most unless told otherwise: some GB, some 100 MB."""


_WHOLE = ("export", "explain", "limit")
_OPTIONS = (*_WHOLE, "method", "verify", "play", "side", "visits", "depth", "order")


def register(commands: Any) -> None:
    """Adds ``zermelo game``."""
    game = add_command(
        commands,
        "game",
        run,
        "solve a game: its value, distances and strategies; without a name, list the games",
        "zermelo game mu-torere --verify\n  zermelo game connect-four width=5 height=4 --json\n"
        "  zermelo game --file mygame.py --explain\n"
        '  zermelo game --fen "8/8/8/8/8/2k5/8/K1q5 w - - 0 1" --method wintree --visits 10000',
    )
    game.add_argument("name", nargs="?", metavar="NAME", help="a game of the library")
    game.add_argument("options", nargs="*", metavar="OPTION=VALUE", help="the game's own options")
    game.add_argument("--file", metavar="F", help="your game: F.py, F.py:Class or a graph F.json")
    game.add_argument("--fen", metavar="FEN", help="chess from this position on")
    game.add_argument("--method", choices=METHODS, help="how to solve (default: induction)")
    game.add_argument("--verify", action="store_true", help="check the result by its certificate")
    game.add_argument("--explain", action="store_true", help="print the main line with reasons")
    game.add_argument("--play", action="store_true", help="play against it")
    game.add_argument("--side", type=int, choices=(1, 2), help="yours, in --play (default: 1)")
    game.add_argument("--export", metavar="F", help="write F.json, F.dot or F.parquet")
    game.add_argument("--visits", type=_count, metavar="N", help="give up after N visits")
    game.add_argument("--depth", type=_count, metavar="N", help="plies for bounded (default 64)")
    game.add_argument("--limit", type=_count, metavar="N", help="positions for induction at most")
    game.add_argument("--order", choices=ORDERS, help="of chess moves in a search")
    game.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="where to work (default: local)"
    )
    add_cluster(game)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r}: write a whole number from 1 up")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Runs ``zermelo game``."""
    if options.engine != "ray":
        refuse(options, "goes with --engine ray", "address", "workers")
    if not (options.name or options.file or options.fen):
        refuse(options, "of which game? name one, as in zermelo game nim", *_OPTIONS)
        return _list(options)
    _refuse_useless(options)
    name, game, blame = _game(options)
    announce_compilation()
    with blame:
        if hasattr(game, "successors"):
            from zermelo.cli.game_indexed import solve

            return solve(name, game, options)
        if options.engine == "ray":
            raise InputError(f"--engine ray: {name} does not number its positions; leave it out")
        if options.method in ("wintree", "bounded"):
            from zermelo.cli.game_search import search

            return search(name, game, options)
        return _solve(name, game, options)


def _refuse_useless(options: argparse.Namespace) -> None:
    """Raises InputError for an option that what is asked for has no use for."""
    if not options.fen:
        refuse(options, "it is for chess (--fen); your own game has a method order()", "order")
    if options.method in ("wintree", "bounded"):
        refuse(options, "it needs the full solution; leave out --method", *_WHOLE)
    else:
        refuse(options, "it is for searches; add --method wintree", "visits", "order")
    if options.method == "bounded":
        refuse(options, "the bounded search cannot; take --method wintree", "verify", "play")
    else:
        refuse(options, "only with --method bounded", "depth")
    if options.play:
        refuse(options, "not with --play", "json", "verify", "explain")
    else:
        refuse(options, "only with --play", "side")
    if options.name and (options.file or options.fen) and "=" not in options.name:
        other = "--file" if options.file else "--fen"
        raise InputError(f"{options.name} and {other}: two games; name one of them")


def _list(options: argparse.Namespace) -> int:
    from zermelo.games.library import LIBRARY, written

    games = [(name, entry.summary, entry.options()) for name, entry in LIBRARY.items()]
    if options.json:
        keys = ("game", "summary", "options")
        print_json([dict(zip(keys, row, strict=True)) for row in games])
        return 0
    width = max(map(len, LIBRARY))
    for name, summary, takes in games:
        words = " ".join(f"{key}={written(value)}" for key, value in takes.items())
        print(f"{name:{width}}  {summary}" + (f"   [{words}]" if words else ""))
    return 0


def _game(options: argparse.Namespace) -> tuple[str, Any, AbstractContextManager[Any]]:
    """(name, game, a context that blames the user's file for its errors)."""
    from zermelo.games.library import find, parse

    words = options.options
    if options.file or options.fen:
        if options.file and options.fen:
            raise InputError("--file and --fen: give one of them")
        words = [*([options.name] if options.name else []), *words]
    if options.file:
        return _own(options.file, words)
    if options.fen:
        if words:
            raise InputError(f"option {words[0]!r}: --fen takes none")
        return "chess", _chess(options), contextlib.nullcontext()
    game = find(options.name).make(**parse(options.name, words))
    return options.name, game, contextlib.nullcontext()


def _chess(options: argparse.Namespace) -> Any:
    from zermelo.games.library.chess import Chess
    from zermelo.problems.diagram import unplayable
    from zermelo.problems.reading import read_board

    board = read_board(options.fen)
    if reasons := unplayable(board):
        raise InputError(f"{options.fen}: {reasons[0]}")
    return Chess(board, options.order or "engine")


def _own(place: str, words: list[str]) -> tuple[str, Any, AbstractContextManager[Any]]:
    from zermelo.games.library import parsed
    from zermelo.games.userfile import blaming, load

    name, path, made = load(place)
    if isinstance(made, type):
        with blaming(path):
            made = made(**parsed(name, made, words))
    elif words:
        raise InputError(f"option {words[0]!r}: a graph takes none")
    return name, made, blaming(path)


@contextlib.contextmanager
def status(text: str) -> Iterator[Any]:
    """Yields ``tell(detail)``, which shows progress and memory on a terminal's standard error."""
    if not sys.stderr.isatty():
        yield lambda detail: None
        return
    import resource

    from rich.console import Console

    with Console(stderr=True).status(text) as shown:

        def tell(detail: str) -> None:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            shown.update(f"{text}: {detail}, {memory:,} MB")

        yield tell


def _solve(name: str, game: Any, options: argparse.Namespace) -> int:
    from zermelo.games.export import check_export, export
    from zermelo.games.solution import solve_game

    if options.export:
        check_export(options.export)
    begin = time.perf_counter()
    limit = options.limit or (CHESS_LIMIT if options.fen else LIMIT)
    with status(f"exploring {name}") as tell:
        solved: Solved[Any] = solve_game(
            game,
            progress=lambda positions, arcs: tell(f"{positions:,} positions, {arcs:,} moves"),
            limit=limit,
        )
    seconds = time.perf_counter() - begin
    checked = _verify(game, solved) if options.verify else None
    if options.export:
        export(solved, name, options.export)
    if options.play:
        from zermelo.cli.game_play import play_solved

        return play_solved(solved, options.side or 1)
    if options.json:
        print_json(_report(name, solved, seconds, checked, options.explain))
    else:
        _print(name, solved, seconds, checked, options)
    return 0


def _verify(game: Any, solved: Solved[Any]) -> int:
    from zermelo.games.certificate import check_values

    rows = zip(solved.positions, solved.outcome.tolist(), solved.plies.tolist(), strict=True)
    return check_values(game, {position: (outcome, plies) for position, outcome, plies in rows})


def _report(
    name: str, solved: Solved[Any], seconds: float, checked: int | None, explain: bool
) -> dict[str, Any]:
    from zermelo.games.explain import main_line
    from zermelo.values import Outcome

    value = solved.value()
    report = {
        "game": name,
        "positions": len(solved.positions),
        "arcs": solved.arcs,
        "outcome": value.outcome.word,
        "plies": value.plies,
        "wins": solved.count(Outcome.WIN),
        "losses": solved.count(Outcome.LOSS),
        "draws": solved.count(Outcome.DRAW),
        "max_plies": solved.max_plies,
        "seconds": round(seconds, 3),
    }
    if checked is not None:
        report["verified"] = checked
    if explain:
        report["line"] = [
            {
                "move": step.move,
                "outcome": step.value.outcome.word,
                "plies": step.value.plies,
                "reason": step.reason,
            }
            for step in main_line(solved)
        ]
    return report


def _print(
    name: str,
    solved: Solved[Any],
    seconds: float,
    checked: int | None,
    options: argparse.Namespace,
) -> None:
    from zermelo.games.explain import main_line, phrase
    from zermelo.values import Outcome

    rules, start = solved.rules, solved.positions[0]
    print(rules.show(start))
    print(f"{name}   {phrase(solved.value())} for the player to move")
    for text, names in moves_by_value(solved, start):
        print(f"  {text:18} {names}")
    print(
        f"{len(solved.positions):,} positions, {solved.arcs:,} moves   "
        f"to move: {solved.count(Outcome.WIN):,} won, {solved.count(Outcome.DRAW):,} drawn, "
        f"{solved.count(Outcome.LOSS):,} lost   longest {solved.max_plies} plies   "
        f"in {seconds:.1f} s"
    )
    if checked is not None:
        print(f"verified: each of {checked:,} positions against its moves")
    if options.export:
        print(f"wrote {Path(options.export).name}")
    if options.explain:
        for number, step in enumerate(main_line(solved), 1):
            print(f"{number:4}  {step.move:14} {phrase(step.value):18} {step.reason}")


def moves_by_value(solved: Solved[Any], position: Any) -> list[tuple[str, str]]:
    """The moves of a position grouped by value, best first, as texts."""
    from zermelo.games.explain import phrase

    groups: dict[str, list[str]] = {}
    for move in solved.moves(position):
        name = solved.rules.name_move(position, move.to)
        groups.setdefault(phrase(move.value), []).append(name)
    return [(value, "  ".join(names)) for value, names in groups.items()]
