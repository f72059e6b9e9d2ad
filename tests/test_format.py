"""The reader of docs/ agrees with the package: what docs/format.md says is what is written."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType

import chess
import pytest

from zermelo.tables.material import Material
from zermelo.tables.solving import solve
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome


def test_the_reader_is_short_and_independent(reader: ModuleType) -> None:
    text = Path(str(reader.__file__)).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert "import zermelo" not in text
    assert "from zermelo" not in text


@pytest.mark.parametrize(
    ("name", "letters"),
    [("KBNvK", "KBNk"), ("KRRvK", "KRRk"), ("KQvKR", "KQkr"), ("KRvKP", "KRkp"), ("KPvKP", "KPkp")],
)
def test_ten_thousand_positions(
    reader: ModuleType, tables: Path, tablebase: Tablebase, name: str, letters: str
) -> None:
    list(solve([Material.parse(name)], tables))
    rng = random.Random(name)
    seen = {Outcome.LOSS: 0, Outcome.DRAW: 0, Outcome.WIN: 0}
    while sum(seen.values()) < 2000:
        board = chess.Board(None)
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.2
        if board.is_valid():
            value = tablebase.value(board)
            seen[value.outcome] += 1
            lost = value.plies if value.outcome is Outcome.LOSS else None
            assert reader.lost(tables, board) == lost, board.fen()
    assert seen[Outcome.LOSS] > 100
    assert seen[Outcome.WIN] > 100
