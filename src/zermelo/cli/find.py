"""``zermelo find``: positions that meet a wish."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import add_command, add_dir, halves, in_plies, print_json, progress, refuse
from zermelo.errors import InputError

if TYPE_CHECKING:
    from zermelo.tables.find import Found, Wish
    from zermelo.tables.tablebase import Tablebase

FORMATS = ("text", "json", "epd", "pgn")


def register(commands: Any) -> None:
    """Adds the command."""
    find = add_command(
        commands,
        "find",
        _find,
        "list positions that meet a wish; White has the men named first",
        "zermelo find KRPvKR --plies 31 --only-move --zugzwang --turn w --sample 20 --seed 1",
    )
    find.add_argument("material", help="such as KRPvKR")
    find.add_argument("--turn", choices=("w", "b"), help="the side to move")
    find.add_argument("--outcome", choices=("win", "draw", "loss"), help="for the side to move")
    find.add_argument("--plies", type=int, metavar="N", help="distance to mate (odd: a win)")
    find.add_argument("--only-move", action="store_true", help="one move alone keeps the outcome")
    find.add_argument(
        "--zugzwang",
        nargs="?",
        const="any",
        choices=("any", "mutual"),
        help="the side to move would rather pass; mutual: for a better outcome, not only distance",
    )
    find.add_argument("--sample", type=int, metavar="N", help="N positions in random order")
    find.add_argument("--seed", type=int, metavar="S", help="seed of the sample")
    find.add_argument("--format", choices=FORMATS, help="how to print them (default: text)")
    add_dir(find)


def _wish(options: argparse.Namespace) -> Wish:
    from zermelo.tables.find import Wish
    from zermelo.values import Outcome

    outcome = Outcome[options.outcome.upper()] if options.outcome else None
    if options.plies is not None:
        implied = Outcome.WIN if options.plies % 2 else Outcome.LOSS
        if options.plies < 0 or outcome not in (None, implied):
            raise InputError(
                f"--plies {options.plies}: wins have an odd number of plies, losses an even one, "
                "draws none"
            )
        outcome = implied
    if options.sample is not None and options.sample < 1:
        raise InputError(f"--sample {options.sample}: at least one position")
    return Wish(options.turn, outcome, options.plies, options.only_move, options.zugzwang)


def _find(options: argparse.Namespace) -> int:
    from zermelo.tables.find import find
    from zermelo.tables.material import Material
    from zermelo.tables.tablebase import Tablebase

    if options.json and options.format not in (None, "json"):
        raise InputError(f"--json and --format {options.format}: leave one of them out")
    if options.sample is None:
        refuse(options, "only with --sample", "seed")
    material, wish = Material.parse(options.material), _wish(options)
    form = "json" if options.json else options.format or "text"
    child = halves(options, [material])
    count = 0
    with Tablebase(options.dir) as tablebase, progress(f"searching {material}") as tick:
        for found in find(
            material, wish, child, tablebase, options.sample, options.seed or 0, tick
        ):
            _print(form, found, tablebase)
            sys.stdout.flush()
            count += 1
    if form == "text":
        print(f"{count:,} position{'' if count == 1 else 's'} of {material}")
    return 0


def _print(form: str, found: Found, tablebase: Tablebase) -> None:
    if form == "json":
        print_json(_json(found))
    elif form == "epd":
        print(_epd(found))
    elif form == "pgn":
        from zermelo.cli.probe import pgn

        print(pgn(found.board, found.value, tablebase.line(found.board)), end="\n\n")
    else:
        print(f"{found.board.fen()}   {_said(found)}")


def _best(found: Found) -> list[str]:
    """The best moves in SAN."""
    return [move.san for move in found.moves if move.value == found.moves[0].value]


def _said(found: Found) -> str:
    value = found.value
    word = value.outcome.word
    distance = "" if value.plies is None else f" in {in_plies(value.plies)}"
    return f"{word}{distance}   {' '.join(_best(found))}".rstrip()


def _json(found: Found) -> dict[str, Any]:
    return {
        "fen": found.board.fen(),
        "turn": "w" if found.board.turn else "b",
        "outcome": found.value.outcome.word,
        "plies": found.value.plies,
        "best": _best(found),
    }


def _epd(found: Found) -> str:
    """EPD with the best moves and, for a win, the direct mate in moves."""
    operations: dict[str, Any] = {
        "bm": [move.move for move in found.moves if move.value == found.moves[0].value]
    }
    if found.value.outcome > 0:
        operations["dm"] = found.value.moves
    return found.board.epd(**{name: value for name, value in operations.items() if value})
