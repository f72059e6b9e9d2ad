"""``zermelo solve`` makes tables, ``zermelo tables`` lists them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zermelo.cli.common import (
    add_cluster,
    add_command,
    add_dir,
    announce_compilation,
    folder_of,
    in_plies,
    print_json,
    refuse,
)
from zermelo.errors import InputError, TableError

if TYPE_CHECKING:
    from pathlib import Path

    from zermelo.cluster.progress import Dashboard
    from zermelo.tables.material import Material
    from zermelo.tables.needs import Needs
    from zermelo.tables.sides import Side
    from zermelo.tables.solving import Engine, Report

Say = Callable[[str | None], None]
"""Prints what is to be said of a table that is finished, if there is anything."""

SLOW = 10
"""Seconds from which on it is said beforehand what tables will take."""


def register(commands: Any) -> None:
    """Adds the commands."""
    solve = add_command(
        commands, "solve", _solve, "make endgame tables", "zermelo solve KBNvK KRvKB"
    )
    solve.add_argument("material", nargs="*", help="such as KBNvK; what it leads to is made too")
    solve.add_argument("--men", type=int, metavar="N", help="every material of up to N men")
    solve.add_argument("--force", action="store_true", help="make the named ones again")
    solve.add_argument(
        "--engine",
        choices=("auto", "memory", "files", "ray"),
        default="auto",
        help="where tables are made: in memory, through files, in memory if they fit (auto, the "
        "default), or on a Ray cluster",
    )
    add_cluster(solve)
    add_dir(solve)
    tables = add_command(
        commands, "tables", _tables, "list the tables that are there", "zermelo tables"
    )
    add_dir(tables)


def _wanted(options: argparse.Namespace) -> list[Material]:
    from zermelo.tables.material import Material, all_materials

    materials = [Material.parse(text) for text in options.material]
    if options.men is not None:
        if options.men < 3:
            raise InputError(f"--men {options.men}: a table has three men or more")
        materials += all_materials(options.men)
    if not materials:
        raise InputError("no material; name some, as in zermelo solve KBNvK, or give --men 4")
    return list(dict.fromkeys(materials))


def _solve(options: argparse.Namespace) -> int:
    materials = _wanted(options)
    if options.engine != "ray":
        refuse(options, "goes with --engine ray", "address", "workers")
    announce_compilation()
    from zermelo.tables.folder import made

    for material in materials:
        if not material.halves:
            _say_trivial(options, material)
    start = time.perf_counter()
    reports = []
    with _engine(options, made(folder_of(options)), materials) as (reported, say):
        for report in reported:
            reports.append(report)
            if options.json:
                say(json.dumps(_json(report)))
            elif report.seconds:
                say(_text(report))
            else:
                say(_brief(report) if report.material in materials else None)
    if len(reports) > 1 and not options.json:
        print(_sum(reports, time.perf_counter() - start))
    return 0


@contextmanager
def _engine(
    options: argparse.Namespace, folder: Path, materials: list[Material]
) -> Iterator[tuple[Iterator[Report], Say]]:
    """The reports of an engine that makes tables, and how to print them beside its progress."""
    from zermelo.tables.material import with_children
    from zermelo.tables.solving import solve

    def reports(engine: Engine, tick: Callable[[Material, float], None]) -> Iterator[Report]:
        return solve(
            materials,
            folder,
            force=options.force,
            tick=tick,
            engine=engine,
            expected=_say_expected,
        )

    if options.engine == "ray":
        with _cluster(options, folder) as (engine, dashboard):
            yield reports(engine, dashboard.tell), _say_plainly
        if options.json:
            print_json({"workers": dashboard.report()})
    else:
        with _progress(len(with_children(materials))) as (tick, say):
            yield reports(_local_engine(options, folder), tick), say


def _say_plainly(text: str | None) -> None:
    if text:
        print(text, flush=True)


def _local_engine(options: argparse.Namespace, folder: Path) -> Engine:
    from zermelo.tables.needs import fits_memory
    from zermelo.tables.solving import local_engine

    fits = {
        "auto": fits_memory,
        "memory": lambda half: True,
        "files": lambda half: False,
    }[options.engine]
    return local_engine(folder, fits)


@contextmanager
def _cluster(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Engine, Dashboard]]:
    from zermelo.cluster.connection import connect
    from zermelo.cluster.progress import Dashboard, shown
    from zermelo.cluster.tables import cluster_engine

    with (
        connect(options.address, options.workers) as cluster,
        shown(Dashboard("solving", cluster.workers)) as dashboard,
    ):
        yield cluster_engine(cluster, folder, dashboard), dashboard


def _say_expected(needs: Needs) -> None:
    if needs.seconds >= SLOW:
        print(f"this will take {needs}", file=sys.stderr, flush=True)


def _say_trivial(options: argparse.Namespace, material: Material) -> None:
    if options.json:
        print_json({"material": str(material), "file": None})
    else:
        print(f"{material}   every position is a draw: there is no mate, and no file is needed")


@contextmanager
def _progress(
    total: int,
) -> Iterator[tuple[Callable[[Material, float], None], Say]]:
    """(tick, say): a bar on standard error if that is a terminal, over all tables.

    ``say`` prints what is to be said of a table that is finished, if there is anything.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("tables"),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=False,
    ) as progress:
        task = progress.add_task("solving", total=total)
        finished = 0

        def tick(material: Material, share: float) -> None:
            progress.update(task, description=str(material), completed=finished + share)

        def say(text: str | None) -> None:
            nonlocal finished
            finished += 1
            if text is not None:
                # The bar makes way: what is written beside it would be broken into pieces.
                if console.is_terminal:
                    progress.stop()
                print(text, flush=True)
                if console.is_terminal:
                    progress.start()
            progress.update(task, completed=finished)

        yield tick, say


def _text(report: Report) -> str:
    from zermelo.tables.sides import longest, sides

    white, black = sides(report.material, report.summaries)
    shown = [("white", white), ("black", black)]
    if report.material.symmetric:
        shown.pop()
    numbers = [f"{n:,}" for _, side in shown for n in (side.wins, side.draws, side.losses)]
    width = max(map(len, numbers))
    name = f"{report.material}   "
    rows = []
    for number, (colour, side) in enumerate(shown):
        counts = "  ".join(
            f"{n:>{width},} {word}"
            for n, word in ((side.wins, "wins"), (side.draws, "draws"), (side.losses, "losses"))
        )
        start = " " * len(name) if number else name
        rows.append(f"{start}{colour} to move   {counts}{_longest(side)}")
    example = longest(report.material, report.summaries)
    fen = f"longest  {example.fen()}" if example else "nobody can be mated by force"
    file = f"wrote {report.path.name}  {_kilobytes(report.size)}  in {report.seconds:.1f} s"
    rows.append(f"{' ' * len(name)}{fen}     {file}")
    return "\n".join(rows)


def _brief(report: Report) -> str:
    """The line of a named table that was there."""
    plies = in_plies(_deepest(report))
    file = f"{report.path.name}  {_kilobytes(report.size)}"
    return f"{report.material}   longest {plies}   {file}  was there already, and is sound"


def _deepest(report: Report) -> int:
    return max(summary.longest_plies for summary in report.summaries)


def _sum(reports: list[Report], seconds: float) -> str:
    """The last line: how many tables, and how many of them were there."""
    old = sum(not report.seconds for report in reports)
    there = f", {old} of them there already and sound" if old else ""
    size = _kilobytes(sum(report.size for report in reports))
    return f"{len(reports)} tables{there}, {size}, in {seconds:.1f} s"


def _longest(side: Side) -> str:
    if side.longest is None:
        return ""
    plies, moves = side.longest.plies, side.longest.moves
    mate = f" (mate in {moves})" if side.longest.outcome > 0 else ""
    return f"   longest {in_plies(plies)}{mate}"


def _kilobytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{-(-size // 1000)} kB"


def _json(report: Report) -> dict[str, Any]:
    from zermelo.tables.sides import longest, sides

    example = longest(report.material, report.summaries)
    return {
        "material": str(report.material),
        "file": str(report.path),
        "bytes": report.size,
        "checksum": f"{report.check:08x}",
        "made": report.seconds > 0,
        "seconds": round(report.seconds, 3),
        **{
            colour: {
                "wins": side.wins,
                "draws": side.draws,
                "losses": side.losses,
                "longest": side.longest.plies if side.longest else None,
            }
            for colour, side in zip(
                ("white", "black"), sides(report.material, report.summaries), strict=True
            )
        },
        "longest_fen": example.fen() if example else None,
    }


def _tables(options: argparse.Namespace) -> int:
    from zermelo.tables.folder import command, existing
    from zermelo.tables.solving import report_of

    code, folder = 0, existing(folder_of(options))
    rows: list[tuple[str, str, str, str]] = []
    files = sorted(folder.glob("K*vK*.ztb"))
    if not (files or options.json):
        advice = command("solve KBNvK", folder)
        print(f"{folder}: no tables; make some with: {advice}", file=sys.stderr)
    for path in files:
        try:
            report = report_of(path)
        except TableError as error:
            print(f"zermelo tables: {error}", file=sys.stderr)
            code = error.exit_code
            continue
        plies = _deepest(report)
        if options.json:
            print_json(
                {
                    "material": str(report.material),
                    "file": str(path),
                    "bytes": report.size,
                    "longest": plies,
                    "checksum": f"{report.check:08x}",
                }
            )
        else:
            rows.append(
                (str(report.material), f"{report.size:,}", in_plies(plies), f"{report.check:08x}")
            )
    _print_rows(rows)
    return code


def _print_rows(rows: list[tuple[str, str, str, str]]) -> None:
    if not rows:
        return
    head = ("material", "bytes", "longest", "checksum")
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for name, *rest in (head, *rows):
        cells = [name.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        print("   ".join(cells))
