"""``census``, ``verify``, ``export``: what whole tables say, and whether they are right."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import (
    add_command,
    add_dir,
    folder_of,
    halves,
    in_plies,
    print_json,
    progress,
    refuse,
)
from zermelo.errors import InputError, TableError
from zermelo.writing import check_place

if TYPE_CHECKING:
    from zermelo.tables.census import Census, Row, Totals
    from zermelo.tables.ledger import Ledger
    from zermelo.tables.material import Material
    from zermelo.tables.reach import Child
    from zermelo.tables.verify import Fault

SHOWN = 8
"""Mutual zugzwangs that the text shows; JSON has all."""
FORMATS = ("values25", "answers24", "csv", "parquet")


def register(commands: Any) -> None:
    """Adds the commands."""
    census = add_command(
        commands,
        "census",
        _census,
        "count a table: distances, draws, the longest mates, mutual zugzwangs",
        "zermelo census KBNvK --plot kbn.png",
    )
    census.add_argument("material", help="such as KBNvK")
    census.add_argument("--plot", metavar="F", help="draw the distances into F, a PNG or SVG file")
    add_dir(census)
    verify = add_command(
        commands,
        "verify",
        _verify,
        "check every position of tables against its moves",
        "zermelo verify KBNvK\n  zermelo verify --all",
    )
    verify.add_argument("material", nargs="*", help="such as KBNvK")
    verify.add_argument(
        "--all", action="store_true", help="all tables of the folder, but those checked before"
    )
    verify.add_argument(
        "--certificate", metavar="F", help="the proof of a mate that zermelo mate wrote, instead"
    )
    add_dir(verify)
    export = add_command(
        commands,
        "export",
        _export,
        "write a table in another format",
        "zermelo export KBNvK --format csv --sample 1000 --seed 1\n"
        "  zermelo export KBNvK --format answers24 --compress",
    )
    export.add_argument("material", help="such as KBNvK")
    export.add_argument("--format", choices=FORMATS, required=True, help="what to write")
    export.add_argument("--output", metavar="F", help="file to write, - for standard output (csv)")
    export.add_argument("--compress", action="store_true", help="answers24 in less than 2 MiB")
    export.add_argument("--sample", type=int, metavar="N", help="N random positions (csv, parquet)")
    export.add_argument("--seed", type=int, metavar="S", help="seed of the sample")
    add_dir(export)


def _census(options: argparse.Namespace) -> int:
    from zermelo.cli.histogram import bars, check_plot, plot
    from zermelo.tables.census import Census
    from zermelo.tables.material import Material

    material = Material.parse(options.material)
    if options.plot:
        check_plot(Path(options.plot))
    child = halves(options, [material])
    with progress(f"counting {material}") as tick:
        census = Census(material, child, tick)
        rows = census.rows
    lines = [_longest(options, row) for row in _ends(rows)]
    if options.json:
        print_json(_census_json(census, lines))
    else:
        print("\n".join([*_census_text(census, lines), *bars(rows)]))
    if options.plot:
        plot(str(material), rows, Path(options.plot))
    return 0


def _ends(rows: list[Row]) -> list[Row]:
    """The longest win and the longest loss with each side to move."""
    longest = {(row.turn, row.outcome): row for row in rows if row.outcome != "draw"}
    return list(longest.values())


def _longest(options: argparse.Namespace, row: Row) -> dict[str, Any]:
    import chess

    from zermelo.tables.tablebase import Tablebase

    with Tablebase(options.dir) as tablebase:
        line = [move.san for move in tablebase.line(chess.Board(row.example))]
    return {
        "turn": row.turn,
        "outcome": row.outcome,
        "plies": row.plies,
        "count": row.count,
        "fen": row.example,
        "line": line,
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _totals_json(totals: Totals) -> dict[str, Any]:
    counts = totals._asdict()
    shares = {name: _percent(n, totals.legal) for name, n in counts.items() if name != "legal"}
    return {**counts, "percent": shares}


def _census_json(census: Census, longest: list[dict[str, Any]]) -> dict[str, Any]:
    from dataclasses import asdict

    from zermelo.tables.census import LABELLED, ORBITS, RAW

    white, black = census.totals("w"), census.totals("b")
    zugzwangs = census.zugzwangs
    draws = {turn: census.draws(turn) for turn in "wb"}
    return {
        "material": str(census.material),
        "counts": {
            "legal_wtm": white.legal,
            "legal_btm": black.legal,
            **{
                f"{turn}_{name}": count
                for turn, of in (("w", white), ("b", black))
                for name, count in (("loss", of.lost), ("draw", of.drawn), ("win", of.won))
            },
            "mz_wtm_draw_btm_loses": len(zugzwangs.w_draws),
            "mz_wtm_loses_btm_draws": len(zugzwangs.w_loses),
            "mz_full_point": len(zugzwangs.full_point),
        },
        **{
            name: {turn: _totals_json(census.totals(turn, column)) for turn in "wb"}
            for name, column in (("orbits", ORBITS), ("raw", RAW), ("labelled", LABELLED))
        },
        "draws": {
            turn: kinds
            and {
                name: {"orbits": orbits, "raw": raw}
                for name, (orbits, raw) in kinds._asdict().items()
            }
            for turn, kinds in draws.items()
        },
        "longest": longest,
        "mutual_zugzwangs": zugzwangs._asdict(),
        "histogram": [asdict(row) for row in census.rows],
    }


def _census_text(census: Census, longest: list[dict[str, Any]]) -> Iterator[str]:
    colours = {"w": "white", "b": "black"}
    for turn in census.turns:
        totals = census.totals(turn)
        parts = [
            f"{count:,} {word} ({_percent(count, totals.legal)} %)"
            for word, count in zip(("won", "drawn", "lost"), totals[1:], strict=True)
        ]
        yield (
            f"{census.material}   {colours[turn]} to move   {totals.legal:,} positions: "
            + ", ".join(parts)
        )
        kinds = census.draws(turn)
        if kinds and kinds.drawn[0]:
            yield (
                f"  drawn {kinds.drawn[0]:,}, of these at once (every move allows stalemate or a "
                f"capture that holds) {kinds.at_once[0]:,}, "
                f"with no man attacked {kinds.unattacked[0]:,}"
            )
    for end in longest:
        verb = "win" if end["outcome"] == "win" else "loss"
        yield (
            f"longest {verb} with {colours[end['turn']]} to move: {in_plies(end['plies'])}, "
            f"{end['count']:,} position{'s' if end['count'] > 1 else ''}"
        )
        yield f"  {end['fen']}"
        yield f"  {_line_text(end)}"
    yield from _zugzwangs_text(census)


def _line_text(end: dict[str, Any]) -> str:
    import textwrap

    from chess import Board

    from zermelo.cli.probe import numbered

    return textwrap.fill(numbered(Board(end["fen"]), end["line"]), 96, subsequent_indent="  ")


def _zugzwangs_text(census: Census) -> Iterator[str]:
    names = ("White draws, Black loses", "White loses, Black draws", "whoever moves loses")
    for name, fens in zip(names, census.zugzwangs, strict=True):
        if fens:
            yield f"mutual zugzwang, {name}: {len(fens):,}"
            yield from (f"  {fen}" for fen in fens[:SHOWN])
            if len(fens) > SHOWN:
                yield f"  … and {len(fens) - SHOWN:,} more (--json lists them all)"


def _verify(options: argparse.Namespace) -> int:
    if options.certificate:
        return _verify_certificate(options)
    from zermelo.tables.folder import existing
    from zermelo.tables.ledger import Ledger
    from zermelo.tables.material import Material

    folder = folder_of(options)
    if bool(options.material) == options.all:
        raise InputError("name the tables to check, as in zermelo verify KBNvK, or give --all")
    ledger = Ledger(folder)
    if options.all:
        existing(folder)
        materials = ledger.unchecked()
    else:
        materials = [Material.parse(text) for text in options.material]
    child = halves(options, materials)
    for material in materials:
        _verify_one(options, material, child, ledger)
    if options.all and not materials and not options.json:
        print(f"{folder}: no table there that has not been checked before")
    return 0


def _verify_certificate(options: argparse.Namespace) -> int:
    from zermelo.problems import certificate

    if options.material or options.all or options.dir:
        raise InputError("--certificate: checks one proof and no tables; name one or the other")
    proof = certificate.verify(Path(options.certificate))
    if options.json:
        print_json(
            {
                "file": options.certificate,
                "ok": True,
                "fen": proof.fen,
                "mate_in": proof.mate_in,
                "positions": len(proof.steps),
            }
        )
    else:
        print(
            f"{options.certificate}: proves mate in {proof.mate_in} from {proof.fen} "
            f"by {len(proof.steps):,} positions"
        )
    return 0


def _verify_one(
    options: argparse.Namespace, material: Material, child: Child, ledger: Ledger
) -> None:
    from zermelo.tables.verify import check_material

    start = time.perf_counter()
    with progress(f"checking {material}") as tick:
        checked = check_material(material, child, tick)
    seconds = time.perf_counter() - start
    if checked.fault:
        _refuse(options, material, checked.fault)
    ledger.note(material, checked.positions, seconds)
    if options.json:
        print_json(
            {
                "material": str(material),
                "ok": True,
                "positions": checked.positions,
                "seconds": round(seconds, 3),
            }
        )
    else:
        print(
            f"{material}   {checked.positions:,} positions checked, "
            f"each is worth what its best move is worth   in {seconds:.1f} s"
        )
    sys.stdout.flush()


def _refuse(options: argparse.Namespace, material: Material, fault: Fault) -> None:
    """Raises TableError with the first wrong position and both values."""
    from zermelo.tables.folder import command
    from zermelo.tables.verify import said

    fen, stored, right = said(material, fault)
    if options.json:
        print_json(
            {
                "material": str(material),
                "ok": False,
                "fen": fen,
                "stored": stored and {"outcome": stored.outcome.word, "plies": stored.plies},
                "right": right and {"outcome": right.outcome.word, "plies": right.plies},
            }
        )
    again = command(f"solve {material} --force", folder_of(options))
    raise TableError(
        f"{material}: {fen} is stored as {_words(stored)}, but its moves make it {_words(right)}; "
        f"make the table again with: {again}"
    )


def _words(value: Any) -> str:
    if value is None:
        return "undecided for this side"
    return f"a {value.outcome.word}" + (
        "" if value.plies is None else f" in {in_plies(value.plies)}"
    )


def _export(options: argparse.Namespace) -> int:
    from zermelo.tables import export
    from zermelo.tables.encoding import encodable
    from zermelo.tables.material import Material

    material = Material.parse(options.material)
    table = options.format in ("csv", "parquet")
    if options.compress and options.format != "answers24":
        raise InputError("--compress: only --format answers24 is compressed")
    if options.sample is not None and (not table or options.sample < 1):
        raise InputError("--sample: a number of positions, for --format csv or parquet")
    if options.sample is None:
        refuse(options, "only with --sample", "seed")
    if not table:
        encodable(material)
    name = options.output or f"{material}.{options.format}{'.z' if options.compress else ''}"
    if name == "-" and options.format != "csv":
        raise InputError("--output -: only csv goes to standard output; name a file")
    if name == "-":
        refuse(options, "not with --output -, whose output is the table", "json")
    if options.format == "parquet":
        export.check_parquet()
    if name != "-":
        check_place(Path(name))
    child = halves(options, [material])
    if table:
        with progress(f"writing {material}") as tick:
            lines = export.rows(material, child, options.sample, options.seed or 0, tick)
            if options.format == "csv":
                export.write_csv(None if name == "-" else Path(name), lines)
            else:
                export.write_parquet(Path(name), lines)
    else:
        _export_codes(options, material, child, Path(name))
    if name != "-":
        _say_written(options, material, Path(name))
    return 0


def _export_codes(
    options: argparse.Namespace, material: Material, child: Child, path: Path
) -> None:
    from zermelo.tables import codes
    from zermelo.tables.encoding import encodable
    from zermelo.tables.export import write_bytes

    half = encodable(material)
    solved = child(half)
    if options.compress:
        data = codes.compressed(half, solved)
    elif options.format == "values25":
        data = codes.values25(half, solved).tobytes()
    else:
        data = codes.answers24(half, solved).tobytes()
    write_bytes(path, data)


def _say_written(options: argparse.Namespace, material: Material, path: Path) -> None:
    size = path.stat().st_size
    if options.json:
        print_json({"material": str(material), "file": str(path), "bytes": size})
    else:
        print(f"wrote {path}  {size:,} bytes")
