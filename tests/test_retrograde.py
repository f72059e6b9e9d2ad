"""The generator: files restore what was made, and values agree with a search by python-chess."""

from __future__ import annotations

import random
from functools import cache

import chess
import numpy as np
import pytest

from zermelo.tables import retrograde
from zermelo.tables.exits import widened
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import canonical, layout, locate
from zermelo.tables.material import Half, ordered
from zermelo.tables.retrograde import Solved, restore, solve_half


@cache
def made(half: Half) -> Solved:
    """A half, made once for all tests."""
    return solve_half(half, made)


def _sides(board: chess.Board) -> tuple[str, str]:
    white, black = (
        ordered("".join(chess.piece_symbol(p.piece_type).upper() for p in men))
        for men in (
            [p for p in board.piece_map().values() if p.color is color and p.piece_type != 6]
            for color in chess.COLORS
        )
    )
    return white, black


def level(board: chess.Board, attacker: chess.Color, *, to_move: bool) -> int:
    """The stored level of a position for one attacker, the attacker to move or the defender."""
    white, black = _sides(board)
    half = Half(white, black) if attacker else Half(black, white)
    men = [board.king(attacker)]
    for pawns in (False, True):
        for color in (attacker, not attacker):
            for piece in (chess.PAWN,) if pawns else (5, 4, 3, 2):
                men += sorted(board.pieces(piece, color))
    men.append(board.king(not attacker))
    squares = np.array([s if attacker else s ^ 56 for s in men], np.uint8)
    cell = int(locate(layout(half), geometry().maps, squares))
    solved = made(half)
    return int((solved.win if to_move else solved.lost)[cell >> 6, cell & 63])


def plies(board: chess.Board) -> int | None:
    """Signed distance for the side to move, None for a draw; en passant by one more ply."""
    if board.has_legal_en_passant():
        return _best([plies_after(board, move) for move in board.legal_moves])
    lost = level(board, not board.turn, to_move=False)
    if lost < 254:
        return -2 * lost
    won = level(board, board.turn, to_move=True)
    return 2 * won - 1 if won < 255 else None


def plies_after(board: chess.Board, move: chess.Move) -> int | None:
    """The distance after a move, for the side then to move."""
    board.push(move)
    found = plies(board)
    board.pop()
    return found


def _best(after: list[int | None]) -> int | None:
    wins = [1 - d for d in after if d is not None and d <= 0]
    if wins:
        return min(wins)
    if after and None not in after:
        return -max(d + 1 for d in after if d is not None)
    return None


def random_board(men: str, chance: random.Random) -> chess.Board:
    """A legal position of some men (letters as in FEN), either side to move."""
    while True:
        board = chess.Board(None)
        squares = chance.sample(range(64), len(men))
        if men == "KPkp" and chance.random() < 0.5:
            # A white pawn about to pass a black one.
            file = chance.randrange(7)
            squares[1], squares[3] = chess.A2 + file, chess.B4 + file
        for square, man in zip(squares, men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = chance.random() < 0.5
        if board.is_valid() and len(board.piece_map()) == len(men):
            return board


def _allows_passant(board: chess.Board) -> bool:
    """Whether some move can be answered en passant."""
    for move in board.legal_moves:
        board.push(move)
        found = board.has_legal_en_passant()
        board.pop()
        if found:
            return True
    return False


@pytest.mark.parametrize("men", ["KQk", "KBNk", "KRkb", "KPk", "KPkp", "KPPk", "KNkp", "KRkr"])
def test_every_value_follows_from_those_after_each_move(men: str) -> None:
    chance = random.Random(men)
    passant = 0
    for _ in range(300):
        board = random_board(men, chance)
        passant += _allows_passant(board)
        expected = _best([plies_after(board, move) for move in board.legal_moves])
        if not any(board.legal_moves):
            expected = 0 if board.is_check() else None
        assert plies(board) == expected, board.fen()
    assert passant > 20 or men != "KPkp"


@pytest.mark.parametrize("half", [Half("BN", ""), Half("R", "B"), Half("P", "P"), Half("PP", "")])
def test_canonical_cells_restore_the_whole(half: Half) -> None:
    solved = made(half)
    lay, maps = layout(half), geometry().maps
    kept = solved.lost.copy()
    men = np.empty(half.men, np.uint8)
    for word in range(len(kept)):
        lanes = int(canonical(lay, maps, word, men))
        drop = np.array([not lanes >> lane & 1 for lane in range(64)])
        kept[word, drop] = 0
    again = restore(half, kept, made)
    assert np.array_equal(again.lost, solved.lost)
    assert np.array_equal(again.win, solved.win)


@pytest.mark.parametrize("half", [Half("R", "N"), Half("P", "P")])
def test_two_bytes_hold_what_one_byte_holds(half: Half, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where levels outgrow their cells, here made to end at 11, wider ones are taken."""
    wide = retrograde._attempt(half, made, np.dtype(np.uint16), lambda done: None)
    assert np.array_equal(wide.lost, widened(made(half).lost, wide.lost.dtype))
    assert np.array_equal(wide.win, widened(made(half).win, wide.win.dtype))
    tried = []

    def cramped(half: Half, lost: np.ndarray, win: np.ndarray) -> retrograde.Pass:
        tried.append(lost.dtype)
        return real(half, lost, win)._replace(none=12 if lost.itemsize == 1 else 65535)

    real = retrograde.making
    monkeypatch.setattr(retrograde, "making", cramped)
    assert np.array_equal(retrograde.solve_half(half, made).lost, wide.lost)
    assert tried == [np.uint8, np.uint16]
