"""Writes a solution as databases of problems take it: long algebraic, S for knight, a line a move.

::

       1.Qh5-b5 ? threat:
              2.Qb5-c4 #
          1...Bc8-e6
              2.Qb5*e6 #
        but
          1...a6*b5 !
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from zermelo.problems.replay import after
from zermelo.problems.tree import Attack, Effect, Solution, Variation

_EFFECT = {
    Effect.MATE: " #",
    Effect.CHECK: " +",
    Effect.THREAT: " threat:",
    Effect.ZUGZWANG: " zugzwang.",
    Effect.STALEMATE: " stalemate.",
    Effect.QUIET: "",
}


def long_text(solution: Solution) -> str:
    """Set play, tries and keys in long algebraic notation, without the verdict."""
    board = chess.Board(solution.fen)
    blocks: list[list[str]] = []
    if solution.set_play:
        blocks.append(list(_variations(after(board, ""), solution.set_play, 1)))
    for mark, attacks in (("?", solution.tries), ("!", solution.keys)):
        for attack in attacks:
            blocks.append(list(_first(board, attack, mark)))
    return "\n\n".join("\n".join(block) for block in blocks)


def long_move(board: chess.Board, move: chess.Move) -> str:
    """A move such as ``Se6*c5``, ``f7-f8=R``, ``e5*d6 ep.`` or ``0-0``, without check or mate."""
    if board.is_castling(move):
        return "0-0" if chess.square_file(move.to_square) == 6 else "0-0-0"
    kind = board.piece_type_at(move.from_square)
    assert kind is not None
    letter = "" if kind == chess.PAWN else _letter(kind)
    stroke = "*" if board.is_capture(move) else "-"
    squares = [chess.square_name(square) for square in (move.from_square, move.to_square)]
    promoted = f"={_letter(move.promotion)}" if move.promotion else ""
    return letter + stroke.join(squares) + promoted + " ep." * board.is_en_passant(move)


def _letter(kind: chess.PieceType) -> str:
    return "S" if kind == chess.KNIGHT else chess.piece_symbol(kind).upper()


def _first(board: chess.Board, attack: Attack, mark: str) -> Iterator[str]:
    """The lines of a key or try."""
    effect, there = _EFFECT[attack.effect], board
    if attack.move:
        move = chess.Move.from_uci(attack.move)
        there = after(board, attack.move)
        before = effect in (" #", " +")
        end = f"{effect} {mark}" if before else f" {mark}{effect}"
        yield f"   1.{long_move(board, move)}{end}"
    elif effect:
        yield f"  {effect}"
    yield from _play(there, attack, 1)
    if attack.refutations:
        yield "    but"
        for defence in attack.refutations:
            yield f"      1...{_with_check(there, defence)} !"


def _play(there: chess.Board, attack: Attack, number: int) -> Iterator[str]:
    if attack.threats:
        for threat in attack.threats:
            yield from _answer(after(there, ""), threat, number + 1)
    yield from _variations(there, attack.variations, number)


def _variations(there: chess.Board, variations: Sequence[Variation], number: int) -> Iterator[str]:
    for variation in variations:
        yield f"{'':{8 * number - 2}}{number}...{_with_check(there, variation.defence)}"
        child = after(there, variation.defence)
        for answer in variation.answers:
            yield from _answer(child, answer, number + 1)


def _answer(board: chess.Board, attack: Attack, number: int) -> Iterator[str]:
    move = chess.Move.from_uci(attack.move)
    yield f"{'':{8 * number - 6}}{number}.{long_move(board, move)}{_EFFECT[attack.effect]}"
    yield from _play(after(board, attack.move), attack, number)


def _with_check(board: chess.Board, defence: str) -> str:
    move = chess.Move.from_uci(defence)
    return long_move(board, move) + " +" * board.gives_check(move)
