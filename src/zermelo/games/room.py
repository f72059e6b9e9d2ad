"""Memory: what there is, so that a game too large for it is refused before the machine swaps."""

from __future__ import annotations

import sys
from collections.abc import Sized
from pathlib import Path

from zermelo.errors import LimitError

RESERVE = 1 << 28
"""Bytes that are left to everything else."""


def available() -> float:
    """Bytes that can still be used without swapping, infinite on a system that does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    fields = dict(line.split(":") for line in lines)
    return 1024 * float(fields["MemAvailable"].split()[0])


def demand(name: str, more: float, what: str, remedy: str) -> None:
    """Raises LimitError with both figures unless ``more`` bytes are there for ``what``."""
    left = available() - RESERVE
    if more > left:
        raise LimitError(
            f"{name}: {what} needs {more / 1e9:,.1f} GB of memory more, and "
            f"{max(left, 0) / 1e9:,.1f} GB are free; {remedy}"
        )


def demand_growth(name: str, visits: int, *kept: Sized) -> None:
    """The same for a search, whose dictionaries grow by a jump to twice their size.

    The old one is kept until the new one is filled.
    """
    more = 2 * sum(map(sys.getsizeof, kept))
    demand(name, more, f"a search of {visits:,} visits, and more to come,", "limit its visits")
