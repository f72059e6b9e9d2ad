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
    from zermelo.games.certificate import check_indexed
    from zermelo.games.explain import phrase
    from zermelo.games.indexed import solve_indexed

    for given in ("export", "explain", "play", "limit", "visits", "depth"):
        if getattr(options, given):
            raise InputError(f"--{given}: not for {name}, which numbers its positions")
    if options.method not in (None, "induction"):
        raise InputError(f"--method {options.method}: {name} is solved by induction only")
    begin = time.perf_counter()
    with status(f"solving {name}, {game.size:,} numbers") as tell:
        solved = solve_indexed(game, progress=lambda what, count: tell(f"{count} {what}"))
    seconds = time.perf_counter() - begin
    checked = check_indexed(game, solved.outcome, solved.plies) if options.verify else None
    value = solved.value()
    whole = _counts(solved, 0, game.size)
    sections = getattr(game, "sections", {})
    parts = {part: _counts(solved, first, stop) for part, (first, stop) in sections.items()}
    if options.json:
        report = {
            "game": name,
            "positions": whole["positions"],
            "arcs": None,
            "outcome": value.outcome.word,
            "plies": value.plies,
            "wins": whole["wins"],
            "losses": whole["losses"],
            "draws": whole["draws"],
            "max_plies": whole["max_plies"],
            "seconds": round(seconds, 3),
            "sections": parts,
        }
        print_json(report | ({} if checked is None else {"verified": checked}))
        return 0
    print(f"{name}   {phrase(value)} for the player to move   in {seconds:.1f} s")
    for part, row in {**parts, "all": whole}.items():
        print(
            f"  {part:9} {row['positions']:>11,} positions   {row['wins']:,} won, "
            f"{row['draws']:,} drawn, {row['losses']:,} lost   longest {row['max_plies']} plies"
        )
    if checked is not None:
        print(f"verified: each of {checked:,} numbers against its moves")
    return 0


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
