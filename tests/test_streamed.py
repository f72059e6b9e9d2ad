"""Halves that go through files come out byte for byte as those made in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from zermelo.errors import TableError
from zermelo.tables import blocks, streamed
from zermelo.tables.exits import widened
from zermelo.tables.journal import Journal, Newly
from zermelo.tables.layout import layout
from zermelo.tables.material import Half, Material
from zermelo.tables.solving import Solver, local_engine
from zermelo.tables.streamed import solve_in_files
from zermelo.tables.tablebase import Tablebase


@pytest.mark.parametrize("name", ["KQvK", "KBNvK", "KQvKR", "KRvKN", "KNNvK", "KPvKP"])
def test_the_same_bytes(
    name: str, tablebase: Tablebase, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ROWS", 1 if name in ("KQvKR", "KBNvK") else 1 << 12)
    material = Material.parse(name)
    tablebase.table(material)
    for path in tables.glob("*.ztb"):
        (tmp_path / path.name).symlink_to(path)
    written = tmp_path / f"{name}.ztb"
    written.unlink()
    Solver(tmp_path, local_engine(tmp_path, lambda half: False)).make(material)
    assert written.read_bytes() == (tables / f"{name}.ztb").read_bytes()
    assert [path for path in tmp_path.iterdir() if not path.is_symlink()] == [written]


def test_levels_may_need_two_bytes(
    tables: Path, tablebase: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if levels from 8 on did not fit into one byte."""
    half = Half("R", "N")
    tablebase.table(half.material)
    child = Solver(tables).half
    made = child(half)
    monkeypatch.setattr(
        streamed, "level_type", lambda level: np.dtype(np.uint16 if level >= 8 else np.uint8)
    )
    found = solve_in_files(half, child, tmp_path)
    assert found.dtype == np.uint16
    words = layout(half).words
    assert np.array_equal(found.cells(0, words), widened(made.lost, found.dtype))
    part = found.cells(words // 2 - 3, words // 2 + 3)
    assert np.array_equal(part, widened(made.lost, found.dtype)[words // 2 - 3 : words // 2 + 3])
    assert found.wins() == made.wins()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"gone: cannot be written .*--dir"):
        Journal(tmp_path / "gone", 1, 1)
    with pytest.raises(TableError, match=r"gone: cannot be written .*--dir"):
        streamed.in_files(tmp_path / "gone")((1, 64), np.dtype(np.uint8))


def test_a_journal_gives_back_what_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 2, 3)
    journal.add(1, 7, Newly(np.array([0, 2], np.uint32), np.array([1, 2], np.uint64)))
    journal.add(0, 3, Newly(np.array([1], np.uint32), np.array([4], np.uint64)))
    cells = journal.cells(0, 6, np.dtype(np.uint8))
    expected = np.full((6, 64), 255, np.uint8)
    expected[3, 0], expected[5, 1], expected[1, 2] = 7, 7, 3
    assert np.array_equal(cells, expected)
    assert journal.bytes == 36
    assert list(tmp_path.iterdir()) == []
