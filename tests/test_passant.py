"""En passant: what probing says, against a search that plays all moves down to cells of files.

Files know no en passant rights. The search reads them with the reader of docs/ and makes moves with
python-chess, so it shares nothing with probing but the files.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.tables.crossing import with_passant
from zermelo.tables.material import Material
from zermelo.tables.solving import solve
from zermelo.tables.tablebase import Tablebase
from zermelo.values import DRAW, Outcome, Value


class Search:
    """Looks positions up where a cell answers them and else plays all moves."""

    def __init__(self, reader: ModuleType, folder: Path) -> None:
        self._stored = cache(lambda fen: reader.lost(folder, chess.Board(fen)))

    def lost(self, board: chess.Board) -> int | None:
        """Plies in which the side to move is mated, None if it is not."""
        if not board.has_legal_en_passant():
            return self._stored(board.fen())
        replies = [self.won(after) for after in _after_moves(board)]
        return 1 + max(plies for plies in replies if plies) if all(replies) else None

    def won(self, board: chess.Board) -> int | None:
        """Plies in which the side to move mates, None if it cannot."""
        replies = [self.lost(after) for after in _after_moves(board)]
        return min((1 + plies for plies in replies if plies is not None), default=None)

    def value(self, board: chess.Board) -> Value:
        if (plies := self.lost(board)) is not None:
            return Value(Outcome.LOSS, plies)
        return DRAW if (plies := self.won(board)) is None else Value(Outcome.WIN, plies)


def _after_moves(board: chess.Board) -> list[chess.Board]:
    found = []
    for move in board.legal_moves:
        found.append(board.copy(stack=False))
        found[-1].push(move)
    return found


@pytest.fixture(scope="module")
def search(reader: ModuleType, tables: Path) -> Search:
    """The search over the tables that two single pawns can lead to."""
    list(solve([Material.parse("KPvKP")], tables))
    return Search(reader, tables)


@st.composite
def boards(draw: st.DrawFn) -> chess.Board:
    """Legal positions of two kings and two pawns, one of which has just moved two steps."""
    files = [(file, beside) for file in range(8) for beside in (file - 1, file + 1)]
    file, beside = draw(st.sampled_from([pair for pair in files if 0 <= pair[1] < 8]))
    taken = {8 + file, 16 + file, 24 + file, 24 + beside}
    free = st.sampled_from([square for square in range(64) if square not in taken])
    kings = st.lists(free, min_size=2, max_size=2, unique=True)
    board = chess.Board(None)
    for square, letter in zip((24 + file, 24 + beside, *draw(kings)), "PpKk", strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn, board.ep_square = chess.BLACK, 16 + file
    return board


@given(board=boards().filter(chess.Board.is_valid))
def test_en_passant_is_worth_what_a_search_finds(
    tablebase: Tablebase, search: Search, board: chess.Board
) -> None:
    value = tablebase.value(board)
    assert value == search.value(board)
    assert value == tablebase.value(board.mirror())
    assert value == tablebase.value(board.transform(chess.flip_horizontal))
    moves = {move.move: move.value for move in tablebase.moves(board)}
    assert moves == {
        move: search.value(after).before
        for move, after in zip(board.legal_moves, _after_moves(board), strict=True)
    }


@given(board=boards().filter(chess.Board.is_valid))
def test_a_move_before_the_double_step(
    tablebase: Tablebase, search: Search, board: chess.Board
) -> None:
    """The position before, in which the step is one of the moves and its answer counts."""
    passed = board.ep_square
    assert passed is not None
    step = chess.Move(passed - 8, passed + 8)
    before = board.copy()
    before.set_piece_at(step.from_square, before.remove_piece_at(step.to_square))
    before.turn, before.ep_square = chess.WHITE, None
    if before.is_valid():
        assert tablebase.value(before) == search.value(before)
        moves = {move.move: move.value for move in tablebase.moves(before)}
        assert moves[step] == search.value(board).before


def test_rights_change_outcomes(tablebase: Tablebase, search: Search) -> None:
    """Over many squares of the kings: the properties above are not empty."""
    changes: Counter[tuple[Outcome, Outcome]] = Counter()
    for white in range(64):
        for black in range(0, 64, 5):
            board = chess.Board(None)
            men = {27: "P", 26: "p", white: "K", black: "k"}
            board.set_piece_map({s: chess.Piece.from_symbol(m) for s, m in men.items()})
            board.turn, board.ep_square = chess.BLACK, 19
            if len(board.piece_map()) == 4 and board.is_valid() and board.has_legal_en_passant():
                with_rights = tablebase.value(board)
                assert with_rights == search.value(board)
                board.ep_square = None
                changes[tablebase.value(board).outcome, with_rights.outcome] += 1
    assert {(-1, 0), (-1, 1), (0, 1)} <= set(changes)


@pytest.mark.parametrize(
    ("plain", "taken", "after"),
    [
        # The attacker stepped. Of levels 254 is stalemate but for the capture, 255 holds, 0 is mate
        # but for the capture; -1: there is no capture.
        (254, 7, 7),
        (254, 255, 255),
        (254, -1, 254),
        (255, 7, 255),
        (0, 7, 7),
        (0, 255, 255),
        (9, 7, 9),
        (9, 12, 12),
        (9, -1, 9),
    ],
)
def test_after_the_attackers_double_step(plain: int, taken: int, after: int) -> None:
    """Stalemate but for the capture: no table of up to five men would show it to be forgotten.

    After the capture the attacker must have something left to win with. There are 300 such
    positions of five men, 283 of them with a queen, and in each another move wins at least as fast.
    """
    assert with_passant(plain, taken, True, 255) == after


@pytest.mark.parametrize(
    ("plain", "taken", "after"),
    [(255, 6, 7), (9, 6, 7), (5, 6, 5), (9, -1, 9), (0, 6, 0), (255, -1, 255)],
)
def test_after_the_defenders_double_step(plain: int, taken: int, after: int) -> None:
    """0: the step itself was not legal."""
    assert with_passant(plain, taken, False, 255) == after
