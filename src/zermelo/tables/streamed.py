"""Makes a half that is too large for memory, through files beside its table.

Without pawns only sets are in memory, two thirds of a byte a cell; what falls due at a level is
read from a file, and what is lost goes into a journal. With pawns the levels are in files, of which
those slices are in memory that are being solved or that their pawns lead to. The files have no
names: they vanish with the process, however it ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from zermelo.tables.blocks import (
    begin,
    cut,
    exits_type,
    gathered,
    making_block,
    new_block,
    newly,
    reach,
    total,
    wins_of,
)
from zermelo.tables.crossing import Cells
from zermelo.tables.due import Due
from zermelo.tables.journal import STALEMATE, Journal
from zermelo.tables.layout import layout
from zermelo.tables.levels import advance
from zermelo.tables.material import Half
from zermelo.tables.packing import Made, Sums
from zermelo.tables.retrograde import (
    Child,
    Room,
    Threads,
    Tick,
    count_levels,
    in_parts,
    level_type,
    solve_half,
)
from zermelo.tables.scratch import unwritable
from zermelo.tables.work import front, whole

ENTRY = 0.3
"""How much of the work is done when the exits are known, for the progress bar."""


def in_files(folder: Path) -> Room:
    """Room in files of a folder; raises TableError where it cannot be written."""

    def room(shape: tuple[int, int], dtype: np.dtype[Any]) -> Cells:
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                return np.asarray(np.memmap(file, dtype, "w+", shape=shape))
        except OSError as error:
            raise unwritable(folder, error) from None

    return room


class Journaled:
    """A solved half whose levels stand in a journal; see `packing.Made`."""

    def __init__(self, half: Half, journal: Journal, levels: int, wins: Sums) -> None:
        self.half = half
        self.dtype = level_type(levels)
        self._journal = journal
        self._wins = wins

    def cells(self, first: int, last: int) -> Cells:
        """The defender's levels in words first to last."""
        return self._journal.cells(first, last, self.dtype)

    def wins(self) -> Sums:
        """What the attacker's positions come to."""
        return self._wins


def solve_in_files(
    half: Half, child: Child, folder: Path, *, tick: Tick = lambda done: None
) -> Made:
    """Solves one half like `retrograde.solve_half`, with scratch files in a folder."""
    if half.pawns:
        return solve_half(half, child, tick=tick, room=in_files(folder))
    with Threads() as threads:
        finished = gathered(half, child)
        streamed = _Streamed(half, exits_type(finished.values()), folder, threads)
        streamed.enter(finished, lambda part: tick(ENTRY * part))
        del finished
        return streamed.solve(lambda part: tick(ENTRY + (1 - ENTRY) * part))


class _Streamed:
    """A half without pawns on its way: its blocks, exits and journal."""

    def __init__(self, half: Half, dtype: np.dtype[Any], folder: Path, threads: Threads) -> None:
        self.half, self.threads, self.cut = half, threads, cut(half)
        self.dtype = dtype
        self.exits = Due(folder)
        self.scratch = local()
        self.blocks = [new_block(self.cut, number, dtype) for number in range(self.cut.blocks)]
        self.fronts = [front(layout(half), self.cut.blocks * self.cut.rows) for _ in range(2)]
        self.newly = [in_parts(one, self.cut.rows) for one in self.fronts]
        self.reach = reach(self.cut)
        self.journal = Journal(folder, self.cut.blocks, self.cut.words)
        self.counts: list[int] = []
        self.level = 0

    def _each(self, task: Callable[[int], Any]) -> list[Any]:
        return self.threads.each(task, self.cut.blocks)

    def _note(self, number: int) -> int:
        found = newly(self.newly[self.level & 1][number])
        self.journal.add(number, self.level, found)
        return len(found.words)

    def enter(self, finished: dict[tuple[Half, bool], Cells], tick: Tick) -> None:
        """Finds exits and level 0 of all blocks."""
        done = 0

        def levels(half: Half, lost: bool) -> Cells:
            return finished[half, lost]

        def enter(number: int) -> int:
            nonlocal done
            win, lost = np.zeros((2, self.cut.words, 64), self.dtype)
            make = making_block(self.cut, number, lost, win)
            stuck = begin(self.cut, make, self.blocks[number], self.newly[0][number], levels)
            self.journal.add(number, STALEMATE, stuck)
            for side, cells in enumerate((win, lost)):
                self.exits.write(number, side, cells)
            done += 1
            tick(done / self.cut.blocks)
            return self._note(number)

        self.counts = self._each(enter)

    def solve(self, tick: Tick) -> Journaled:
        """Goes through all levels."""

        def step(level: int) -> list[int]:
            before, self.level = self.counts, level
            self.counts = self._each(lambda number: self._step(number, before))
            return self.counts

        last = max(int(work.last[0]) for work in self.blocks)
        count_levels(self.counts, last, step, int(np.iinfo(np.uint16).max), tick)
        wins = self._each(lambda b: wins_of(self.cut, b, self.dtype, self.blocks[b]))
        return Journaled(self.half, self.journal, self.level, total(wins))

    def _cells(self) -> Cells:
        """Room of this thread for the exits of a block that are due."""
        if not hasattr(self.scratch, "cells"):
            self.scratch.cells = np.zeros((2, self.cut.words, 64), self.dtype)
        cells: Cells = self.scratch.cells
        return cells

    def _step(self, number: int, before: list[int]) -> int:
        level, work = self.level, self.blocks[number]
        after = self.newly[level & 1][number]
        near = any(before[to] for to in self.reach[number])
        if not near and not self.exits.some(number, level):
            after.changed.fill(0)
            return 0
        win, lost = cells = self._cells()
        lost_before = whole(self.fronts[(level - 1) & 1])
        with self.exits.entered(number, level, cells, work.due):
            make = making_block(self.cut, number, lost, win)
            if not advance(make, work, lost_before, after, 0, level):
                return 0
        return self._note(number)
