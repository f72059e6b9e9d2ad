"""Rules broken on purpose in the generator, one at a time: the check must find each.

The package is copied; each fault is one change to the text of its sources. What was not changed
keeps its compiled kernels from one fault to the next.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import zermelo

CHECK = """
import sys
from functools import cache
from zermelo.tables.material import Material
from zermelo.tables.retrograde import solve_half
from zermelo.tables.verify import check_half

@cache
def finished(half):
    return solve_half(half, finished)

faults = [check_half(h, finished(h), finished).fault for h in Material.parse(sys.argv[1]).halves]
print(faults)
sys.exit(4 if any(faults) else 0)
"""


class Fault(NamedTuple):
    """A change to one file, and the smallest material in which it shows."""

    material: str
    file: str
    old: str
    new: str


FAULTS = {
    # Behind the attacker's sliders it would change nothing: the king there is in check, and the
    # attacker cannot be to move. So this one lets the defender's pieces capture through his king.
    "no mask behind the defending king": Fault(
        "KRvKR",
        "crossing.py",
        "gains(known, own, to.cells, row, maps, symmetry, shut, by_attacker, none)",
        "gains(known, own, to.cells, row, maps, symmetry, EMPTY, by_attacker, none)",
    ),
    "stalemate counted as mate": Fault(
        "KQvK",
        "start.py",
        "after.rows[own, j] = stuck[j] & won",
        "after.rows[own, j] = stuck[j]",
    ),
    "the attacking king's fold mirrored": Fault(
        "KRvK",
        "levels.py",
        "symmetry = lay.king_fold[square]\n",
        "symmetry = lay.king_fold[square] ^ 4\n",
    ),
    "the king's captures forgotten": Fault(
        "KQvK", "crossing.py", "if lane != END and level > lost[own, lane]:", "if lane > END:"
    ),
    "a sub-table one level late": Fault(
        "KPvK", "crossing.py", "return level + 1 if", "return level + 2 if"
    ),
    "the mirror forgotten": Fault(
        "KPvK",
        "crossing.py",
        "gains(known, own, to.cells, row, geo.maps, symmetry, EMPTY, by_attacker, make.none)",
        "gains(known, own, to.cells, row, geo.maps, 0, EMPTY, by_attacker, make.none)",
    ),
    "a double push through a man": Fault(
        "KPvK", "crossing.py", "if j == crossed:", "if j == goal:"
    ),
    "promotion to a queen only": Fault(
        "KPvK", "exits.py", 'for letter in "QRBN":', 'for letter in "Q":'
    ),
    "en passant not allowed after the attacker's double step": Fault(
        "KPvKP",
        "crossing.py",
        "return taken if plain == none - 1 else max(plain, taken)",
        "return plain",
    ),
    # Where the attacker has nothing else, stalemate included, and takes en passant to win.
    "en passant ignored where nothing else wins": Fault(
        "KPvKP",
        "crossing.py",
        "    return min(plain, taken + 1)\n",
        "    return plain if plain == none else min(plain, taken + 1)\n",
    ),
}


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], int]:
    """Checks a material with the copied package; returns the exit code."""
    root = tmp_path_factory.mktemp("planted")
    shutil.copytree(Path(zermelo.__file__).parent, root / "zermelo")
    environment = {
        **os.environ,
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ZERMELO_CACHE": str(root / "cache"),
    }

    def run(material: str) -> int:
        command = [sys.executable, "-c", CHECK, material]
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        assert not done.stderr, done.stderr
        return done.returncode

    run.root = root  # type: ignore[attr-defined]
    return run


@pytest.mark.parametrize("material", sorted({fault.material for fault in FAULTS.values()}))
def test_without_a_fault(check: Callable[[str], int], material: str) -> None:
    assert check(material) == 0


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(check: Callable[[str], int], name: str) -> None:
    fault = FAULTS[name]
    source = check.root / "zermelo" / "tables" / fault.file  # type: ignore[attr-defined]
    original = source.read_text(encoding="utf-8")
    times = source.stat()
    assert fault.old in original, "the generator has changed: plant the fault anew"
    try:
        source.write_text(original.replace(fault.old, fault.new), encoding="utf-8")
        assert check(fault.material) == 4
    finally:
        source.write_text(original, encoding="utf-8")
        # Numba trusts its cache only while the time of the source is the same.
        os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
