"""Material: normal form, halves, and what moves lead to."""

from __future__ import annotations

import pytest

from zermelo.errors import InputError
from zermelo.tables.material import Half, Material, all_materials, order, with_children


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("KBNvK", "KBNvK"),
        ("KvKNB", "KBNvK"),
        ("knnkp", "KNNvKP"),
        ("KRvKQ", "KQvKR"),
        ("KPvKRR", "KRRvKP"),
        ("KBvKN", "KBvKN"),
        ("KvK", "KvK"),
    ],
)
def test_normal_form(text: str, name: str) -> None:
    assert str(Material.parse(text)) == name


@pytest.mark.parametrize("text", ["", "KXvK", "QvK", "KBN", "KBNvKvK", "KKvK"])
def test_bad_material_is_named(text: str) -> None:
    with pytest.raises(InputError, match="as in KBNvK"):
        Material.parse(text)


def test_halves() -> None:
    assert Material.parse("KBNvK").halves == (Half("BN", ""),)
    assert Material.parse("KQvKR").halves == (Half("Q", "R"), Half("R", "Q"))
    assert Material.parse("KRvKR").halves == (Half("R", "R"),)
    assert [Material.parse(name).halves for name in ("KvK", "KBvK", "KNvK")] == [(), (), ()]
    # A lone bishop can mate where a man of the other side stands in its king's way.
    assert Half("B", "N") in Material.parse("KBvKN").halves


def test_children() -> None:
    assert [str(m) for m in Material.parse("KQvKR").children()] == ["KQvK", "KRvK"]
    pawn = {str(m) for m in Material.parse("KPvKP").children()}
    assert pawn == {"KPvK", "KQvKP", "KRvKP", "KBvKP", "KNvKP", "KQvK", "KRvK"}


def test_there_are_so_many_tables() -> None:
    assert [len(all_materials(men)) for men in (3, 4, 5)] == [3, 33, 143]


def test_children_come_first() -> None:
    everything = with_children(all_materials(5))
    assert everything == sorted(all_materials(5), key=order)
    for place, material in enumerate(everything):
        assert all(everything.index(child) < place for child in material.children())
