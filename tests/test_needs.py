"""What a table takes is said beforehand, and what does not fit is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from zermelo.errors import LimitError
from zermelo.tables import needs
from zermelo.tables.layout import layout
from zermelo.tables.material import Material, all_materials
from zermelo.tables.solving import missing, solve


@pytest.mark.parametrize("material", all_materials(4), ids=str)
def test_cells_are_about_right(material: Material) -> None:
    for half in material.halves:
        assert needs.cells(half) == pytest.approx(layout(half).cells, rel=0.05)


def test_too_many_men_are_refused_with_the_figures(tmp_path: Path) -> None:
    material = Material.parse("KQRBvKRN")
    with pytest.raises(LimitError, match=r"KQRBvKRN: needs about \d+\.\d GB of memory.*GB"):
        needs.check_room([material], tmp_path)


def test_a_full_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(LimitError, match=r"KRvK: needs .*0\.0 GB free; choose another folder"):
        list(solve([Material.parse("KRvK")], tmp_path / "new"))


def test_what_is_missing(tmp_path: Path) -> None:
    names = ["KQvK", "KRvK", "KQvKR"]
    assert [str(m) for m in missing([Material.parse("KQvKR")], tmp_path)] == names
    list(solve([Material.parse("KRvK")], tmp_path))
    assert [str(m) for m in missing([Material.parse("KQvKR")], tmp_path)] == ["KQvK", "KQvKR"]
    assert missing([Material.parse("KRvK")], tmp_path) == []
    assert missing([Material.parse("KRvK")], tmp_path, force=True) == [Material.parse("KRvK")]


def test_what_goes_through_files_needs_less_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    material = Material.parse("KRNvKNN")
    through_memory = needs.needs(material, lambda half: True)
    through_files = needs.needs(material, lambda half: False)
    assert through_files.memory < through_memory.memory / 4
    assert through_files.scratch > through_memory.scratch == 0
    monkeypatch.setattr(needs, "_memory", lambda: 24e9)
    assert needs.needs(material) == through_files
    monkeypatch.setattr(needs, "_memory", lambda: 128e9)
    assert needs.needs(material) == through_memory


def test_needs_add_up() -> None:
    one, other = needs.Needs(3, 1, 9, 5), needs.Needs(2, 1, 10, 5)
    assert one.then(other) == needs.Needs(3, 2, 10, 10)
