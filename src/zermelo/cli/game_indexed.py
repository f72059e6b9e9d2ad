"""``zermelo game`` for games that number their positions, such as teeko."""

from __future__ import annotations

import argparse
import time
from typing import Any

from zermelo.cli.common import print_json
from zermelo.errors import InputError


def solve(name: str, game: Any, options: argparse.Namespace) -> int:
    """Solves the game and prints its value and counts, for each of its sections too."""
    from zermelo.cli.games import status
    from zermelo.games.indexed import solve_indexed

    for given in ("export", "explain", "play", "limit", "visits", "depth"):
        if getattr(options, given):
            raise InputError(f"--{given}: not for {name}, which numbers its positions")
    if options.method not in (None, "induction"):
        raise InputError(f"--method {options.method}: {name} is solved by induction only")
    begin = time.perf_counter()
    if options.engine == "ray":
        return _on_ray(name, options)
    with status(f"solving {name}, {game.size:,} numbers") as tell:
        solved = solve_indexed(game, progress=lambda what, count: tell(f"{count} {what}"))
    _tell(name, solved, solved, time.perf_counter() - begin, options, {})
    return 0


def _on_ray(name: str, options: argparse.Namespace) -> int:
    from zermelo.cluster.connection import connect
    from zermelo.cluster.games import STORE, ClusterGame
    from zermelo.cluster.progress import Dashboard, shown

    begin = time.perf_counter()
    with connect(options.address, options.workers, STORE) as cluster:
        with shown(Dashboard(f"solving {name}", cluster.workers)) as board:
            game = ClusterGame(cluster, _recipe(options), board)
            game.solve()
            seconds = time.perf_counter() - begin
            whole = game.gather() if options.verify else None
        _tell(name, game, whole, seconds, options, {"workers": board.report()})
    return 0


def _recipe(options: argparse.Namespace) -> Any:
    from zermelo.cluster.recipe import file_game, library_game

    if options.file:
        return file_game(
            options.file, [*([options.name] if options.name else []), *options.options]
        )
    return library_game(options.name, options.options)


def _tell(
    name: str,
    solved: Any,
    whole: Any,
    seconds: float,
    options: argparse.Namespace,
    more: dict[str, Any],
) -> None:
    """Prints what was found; ``whole`` has all values, to be verified, ``more`` is for programs."""
    from zermelo.games.certificate import check_indexed
    from zermelo.games.explain import phrase

    game = solved.game
    checked = check_indexed(game, whole.outcome, whole.plies) if options.verify else None
    value = solved.value()
    counted = _counts(solved, 0, game.size)
    sections = getattr(game, "sections", {})
    parts = {part: _counts(solved, first, stop) for part, (first, stop) in sections.items()}
    if options.json:
        report = {
            "game": name,
            "positions": counted["positions"],
            "arcs": None,
            "outcome": value.outcome.word,
            "plies": value.plies,
            "wins": counted["wins"],
            "losses": counted["losses"],
            "draws": counted["draws"],
            "max_plies": counted["max_plies"],
            "seconds": round(seconds, 3),
            "sections": parts,
        }
        print_json(report | more | ({} if checked is None else {"verified": checked}))
        return
    print(f"{name}   {phrase(value)} for the player to move   in {seconds:.1f} s")
    for part, row in {**parts, "all": counted}.items():
        print(
            f"  {part:9} {row['positions']:>11,} positions   {row['wins']:,} won, "
            f"{row['draws']:,} drawn, {row['losses']:,} lost   longest {row['max_plies']} plies"
        )
    if checked is not None:
        print(f"verified: each of {checked:,} numbers against its moves")


def _counts(solved: Any, first: int, stop: int) -> dict[str, int]:
    from zermelo.values import Outcome

    wins, draws, losses = (
        solved.count(outcome, first, stop) for outcome in (Outcome.WIN, Outcome.DRAW, Outcome.LOSS)
    )
    return {
        "positions": wins + draws + losses,
        "wins": wins,
        "losses": losses,
        "draws": draws,
        "max_plies": solved.longest(first, stop),
    }
