"""What making a table takes, estimated before it is begun."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from functools import reduce
from math import comb
from pathlib import Path
from typing import NamedTuple

from zermelo.errors import LimitError
from zermelo.tables.exits import exits
from zermelo.tables.material import Half, Material

# Measured on KRBvKR, KRPvKR, KBPvKP and the tables of four men, and rounded up.
PROCESS = 3e8
"""Bytes of any process: Python, kernels, and the small halves that are kept."""
MEMORY_PER_CELL = 4.0
"""Bytes: two levels, one of a child, and the sets of the level step."""
SETS_PER_CELL = 0.7
"""Bytes of a half without pawns that goes through files: only the sets are in memory."""
CHILD_PER_CELL = 3.0
"""Bytes of a finished half to which moves lead: its levels, and those of the other side."""
JOURNAL_PER_CELL = 2.0
"""Bytes of its files: exits by level and the journal (1.2 with KBBvKN, 1.8 with KRNvKN)."""
LEVELS_PER_CELL = 3.0
"""Bytes of the files of a half with pawns: both sides' levels, some of them in two bytes."""
DISK_PER_CELL = 0.12
MEMORY_SHARE = 0.8
"""How much of the machine's memory may be counted on."""
CELLS_PER_SECOND = 8e6
"""Of one processor."""


class Needs(NamedTuple):
    """memory: bytes at the peak; disk: bytes of the files; scratch: bytes of files on the way;
    seconds: on this machine; all roughly."""

    memory: float
    disk: float
    scratch: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"about {self.memory / 1e9:.1f} GB of memory, "
            f"{(self.disk + self.scratch) / 1e9:.1f} GB of disk and {_duration(self.seconds)}"
        )

    def then(self, other: Needs) -> Needs:
        """What one table takes and after it another."""
        return Needs(
            max(self.memory, other.memory),
            self.disk + other.disk,
            max(self.scratch, other.scratch),
            self.seconds + other.seconds,
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def cells(half: Half) -> int:
    """About how many cells a half has; a layout of many pawns takes long to make for that."""
    pieces = half.men - 2 - half.pawns
    if not half.pawns:
        return 10 * 64 ** (pieces + 1)
    own = half.attacker.count("P")
    placements = comb(48, own) * comb(48 - own, half.pawns - own) // 2
    return int(placements * 64 ** (pieces + 2))


def fits_memory(half: Half) -> bool:
    """Whether a half can be made in the memory of this machine."""
    return _in_memory(half) <= MEMORY_SHARE * _memory()


def _in_memory(half: Half) -> float:
    """Bytes where a half is made in memory; its defender's moves need both sides of a child."""
    children = [CHILD_PER_CELL * cells(move.child) for move in exits(half, False)]
    size = cells(half)
    return PROCESS + max(MEMORY_PER_CELL * size, size + max(children, default=0))


def _on_files(half: Half) -> float:
    """Bytes of memory where levels are in files."""
    children = {move.child for side in (True, False) for move in exits(half, side)}
    sizes = [CHILD_PER_CELL * cells(child) for child in children]
    if half.pawns:
        # One child at a time; of the files the system keeps in memory what it has room for.
        return max(sizes)
    return sum(sizes) + SETS_PER_CELL * cells(half)


def needs(material: Material, fits: Callable[[Half], bool] = fits_memory) -> Needs:
    """What a table takes once those that it needs are there, if those halves that fit go through
    memory and the others through files."""
    parts = [Needs(0, 0, 0, 0)]
    for half in material.halves:
        size = cells(half)
        memory, scratch = _in_memory(half), 0.0
        if not fits(half):
            memory, scratch = (
                _on_files(half),
                (LEVELS_PER_CELL if half.pawns else JOURNAL_PER_CELL) * size,
            )
        seconds = size / CELLS_PER_SECOND / (os.cpu_count() or 1)
        parts.append(Needs(memory, DISK_PER_CELL * size, scratch, seconds))
    return reduce(Needs.then, parts)


def _memory() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        # A system that does not tell is not held to have too little.
        return float("inf")


def free_disk(folder: Path) -> tuple[Path, float]:
    """The existing folder in which a folder lies or will lie, and the bytes that are free there."""
    existing = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if path.exists()
    )
    return existing, shutil.disk_usage(existing).free


def check_room(
    materials: Iterable[Material], folder: Path, fits: Callable[[Half], bool] = fits_memory
) -> Needs:
    """What these tables take in all; raises LimitError if the machine lacks memory or disk."""
    total = Needs(0, 0, 0, 0)
    memory, (existing, disk) = _memory(), free_disk(folder)
    for material in materials:
        one = needs(material, fits)
        total = total.then(one)
        if one.memory > memory:
            raise LimitError(
                f"{material}: needs {one}; this machine has {memory / 1e9:.1f} GB of memory; "
                "solve it on a larger one"
            )
        if total.disk + total.scratch > disk:
            raise LimitError(
                f"{material}: needs {total} with all that it leads to; {existing} has "
                f"{disk / 1e9:.1f} GB free; choose another folder with --dir"
            )
    return total
