"""Makes tables: each after those that it needs, written as soon as it is done."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from zermelo.errors import MissingTableError, TableError
from zermelo.tables.folder import command
from zermelo.tables.layout import layout
from zermelo.tables.material import Half, Material, with_children
from zermelo.tables.needs import Needs, check_room, fits_memory
from zermelo.tables.packing import Made, chunks, summarize
from zermelo.tables.retrograde import Child, Solved, restore, solve_half
from zermelo.tables.streamed import solve_in_files
from zermelo.tables.table import CHUNK, Summary, Table, TableWriter, file_name

KEPT = 1 << 27
"""Bytes of solved halves that are kept between tables."""

Tick = Callable[[Material, float], None]
"""Told the table that is being made and how much of it is done, from 0 to 1."""


class Engine(NamedTuple):
    """How halves are made.

    solve: makes one from those that its moves lead to, telling how much of it is done.
    check: what some tables take in a folder; raises LimitError if that is not there.
    """

    solve: Callable[[Half, Child, Callable[[float], None]], Made]
    check: Callable[[list[Material], Path], Needs]


def local_engine(folder: Path, fits: Callable[[Half], bool] = fits_memory) -> Engine:
    """The engine of one machine: through memory what fits, the rest through files in a folder."""

    def solve(half: Half, child: Child, tick: Callable[[float], None]) -> Made:
        if fits(half):
            return solve_half(half, child, tick=tick)
        return solve_in_files(half, child, folder, tick=tick)

    return Engine(solve, lambda materials, folder: check_room(materials, folder, fits))


class Report(NamedTuple):
    """One table that was made, or found sound (``seconds`` 0): its file and what it comes to."""

    material: Material
    path: Path
    size: int
    summaries: tuple[Summary, ...]
    check: int
    seconds: float


class Solver:
    """Makes tables in a folder, reading there what each one needs."""

    def __init__(self, folder: Path, engine: Engine | None = None) -> None:
        self.folder = folder
        self.engine = engine or local_engine(folder)
        self._kept: OrderedDict[Half, Solved] = OrderedDict()

    def half(self, half: Half) -> Solved:
        """A finished half, from memory or from its file; raises MissingTableError without one."""
        if half in self._kept:
            self._kept.move_to_end(half)
            return self._kept[half]
        if half.hopeless:
            solved = solve_half(half, self.half)
        else:
            path = self.folder / file_name(half.material)
            if not path.exists():
                raise MissingTableError(
                    f"{half.material}: no table in {self.folder}; "
                    f"make it with: {command(f'solve {half.material}', self.folder)}"
                )
            with Table(path) as table:
                solved = restore(half, table.levels(half), self.half)
        self._keep(solved)
        return solved

    def _keep(self, solved: Solved) -> None:
        size = 2 * solved.lost.nbytes
        if size <= KEPT // 8:
            self._kept[solved.half] = solved
            while sum(2 * kept.lost.nbytes for kept in self._kept.values()) > KEPT:
                self._kept.popitem(last=False)

    def make(self, material: Material, tick: Tick = lambda material, done: None) -> Report:
        """Makes one table; those that it needs must be there."""
        start = time.perf_counter()
        share = 1 / len(material.halves)
        count = sum(-(-layout(half).cells // CHUNK) for half in material.halves)
        summaries = []
        with TableWriter(self.folder, material, count) as writer:
            for number, half in enumerate(material.halves):

                def told(done: float, part: float, before: float = number * share) -> None:
                    tick(material, before + share * (part + done / 2))

                made = self.engine.solve(half, self.half, lambda done: told(done, 0.0))
                summaries.append(summarize(made))
                for packed in chunks(made, lambda done: told(done, 0.5)):
                    writer.append(packed)
                if isinstance(made, Solved):
                    self._keep(made)
                del made
            writer.finish(summaries)
        return report_of(writer.path, time.perf_counter() - start)


def report_of(path: Path, seconds: float = 0.0) -> Report:
    """What a file says about itself; raises TableError where it is damaged."""
    with Table(path) as table:
        return Report(table.material, path, table.size, table.summaries, table.check, seconds)


def sound(path: Path) -> bool:
    """Whether a file is there and every byte of it is what was written."""
    if not path.exists():
        return False
    try:
        with Table(path) as table:
            table.verify()
    except TableError:
        return False
    return True


def missing(materials: Iterable[Material], folder: Path, *, force: bool = False) -> list[Material]:
    """Of these tables and all that they need those that are not sound, smallest first.

    ``force`` takes the named ones for missing.
    """
    named = list(materials)
    return [
        material
        for material in with_children(named)
        if (force and material in named) or not sound(folder / file_name(material))
    ]


def solve(
    materials: Iterable[Material],
    folder: Path,
    *,
    force: bool = False,
    tick: Tick = lambda material, done: None,
    engine: Engine | None = None,
    expected: Callable[[Needs], None] = lambda needs: None,
) -> Iterator[Report]:
    """Makes these tables and all that they need, smallest first; skips those that are sound.

    ``force`` makes the named ones again; ``engine`` is another than this machine's; ``expected``
    is told beforehand what all this takes. Yields a report for each as it is finished. Raises
    LimitError, before it begins, if the machine lacks the memory or the disk.
    """
    named = list(materials)
    todo = missing(named, folder, force=force)
    solver = Solver(folder, engine)
    expected(solver.engine.check(todo, folder))
    for material in with_children(named):
        if material in todo:
            yield solver.make(material, tick)
        else:
            yield report_of(folder / file_name(material))
