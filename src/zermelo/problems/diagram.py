"""Whether a diagram can stand in a game: what makes it unplayable, and what no game leads to."""

from __future__ import annotations

from collections.abc import Iterator

import chess

_START = {chess.KNIGHT: 2, chess.ROOK: 2, chess.QUEEN: 1}


def settle(board: chess.Board, assume_castling: bool = False) -> tuple[chess.Board, list[str]]:
    """The position with only those rights that can be, and a line for each right dropped.

    A right to castle needs king and rook at home. En passant needs the pawn that has just moved
    two steps and empty squares behind it. ``assume_castling`` grants every right that the places
    of kings and rooks allow, as composers do.
    """
    settled, dropped = board.copy(stack=False), []
    if assume_castling:
        settled.castling_rights = chess.BB_CORNERS
    elif board.castling_rights != board.clean_castling_rights():
        dropped.append("castling rights without king and rook at home: ignored")
    settled.castling_rights = settled.clean_castling_rights()
    if settled.ep_square is not None and settled.status() & chess.STATUS_INVALID_EP_SQUARE:
        square = chess.square_name(settled.ep_square)
        dropped.append(f"en passant on {square}: no pawn has just passed it, ignored")
        settled.ep_square = None
    return settled, dropped


def unplayable(board: chess.Board) -> list[str]:
    """Why no move can be made at all: the kings, pawns on the last rows, a king left in check."""
    reasons = []
    for colour in chess.COLORS:
        kings = len(board.pieces(chess.KING, colour))
        if kings != 1:
            reasons.append(f"{_side(colour)} has {_many(kings, 'king') if kings else 'no king'}")
    for square in board.pieces(chess.PAWN, chess.WHITE) | board.pieces(chess.PAWN, chess.BLACK):
        if chess.square_rank(square) in (0, 7):
            reasons.append(f"a pawn stands on {chess.square_name(square)}")
    if not reasons and board.was_into_check():
        waiting = _side(not board.turn)
        reasons.append(f"{waiting} is in check but {_side(board.turn)} is to move")
    return reasons


def impossible(board: chess.Board) -> list[str]:
    """Why no game leads here: too many men, captures or promotions, checks out of nothing.

    For playable positions. It looks for proofs only, so that an empty list promises nothing.
    """
    reasons = []
    for colour in chess.COLORS:
        reasons += _men(board, colour) or _captures(board, colour)
    return reasons + _checks(board)


def _side(colour: bool) -> str:
    return chess.COLOR_NAMES[colour].capitalize()


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _promoted(board: chess.Board, colour: bool) -> int:
    """The fewest men that must have been pawns; of two bishops on like squares one must."""
    extra = sum(max(0, len(board.pieces(kind, colour)) - own) for kind, own in _START.items())
    bishops = board.pieces_mask(chess.BISHOP, colour)
    for shade in (chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES):
        extra += max(0, (bishops & shade).bit_count() - 1)
    return extra


def _men(board: chess.Board, colour: bool) -> list[str]:
    side, men = _side(colour), board.occupied_co[colour].bit_count()
    pawns, promoted = len(board.pieces(chess.PAWN, colour)), _promoted(board, colour)
    if men > 16:
        return [f"{side} has {men} men"]
    if pawns > 8:
        return [f"{side} has {pawns} pawns"]
    if promoted > 8 - pawns:
        return [
            f"{side} has {_many(promoted, 'promoted piece')} "
            f"but only {_many(8 - pawns, 'missing pawn')}"
        ]
    return []


def _captures(board: chess.Board, colour: bool) -> list[str]:
    missing = max(0, 16 - board.occupied_co[not colour].bit_count())
    fewest = _fewest_captures(board, colour)
    if fewest is None:
        return [f"{_side(colour)}'s pawns cannot have reached their squares"]
    if fewest > missing:
        return [
            f"{_side(colour)}'s pawns have made at least {_many(fewest, 'capture')} "
            f"but only {missing} of {_side(not colour)}'s men are missing"
        ]
    return []


def _fewest_captures(board: chess.Board, colour: bool) -> int | None:
    """Captures of the pawns from the files of the start, each from another; None if impossible.

    ``least[files]`` is the fewest for the pawns seen so far if they came from that set of files.
    """
    least = {0: 0}
    for square in board.pieces(chess.PAWN, colour):
        rank = chess.square_rank(square)
        steps = (rank if colour else 7 - rank) - 1
        file, following = chess.square_file(square), dict[int, int]()
        for files, captures in least.items():
            for origin in range(max(0, file - steps), min(7, file + steps) + 1):
                taken = files | 1 << origin
                if taken != files:
                    total = captures + abs(file - origin)
                    following[taken] = min(total, following.get(taken, total))
        least = following
    return min(least.values(), default=None)


def _checks(board: chess.Board) -> list[str]:
    checkers = list(board.checkers())
    *others, last = [chess.square_name(square) for square in checkers] or [""]
    names = f"{', '.join(others)} and {last}"
    if len(checkers) > 2:
        return [f"{_side(board.turn)} is in check from {len(checkers)} men at once ({names})"]
    if len(checkers) == 2 and not any(_unmoved(board)):
        return [f"the double check from {names} can have come from no move"]
    return []


def _unmoved(board: chess.Board) -> Iterator[bool]:
    """For each move of the waiting side that can have led here: did it begin without check?

    Castling is left out, for it cannot give a double check.
    """
    king, enemy = board.king(board.turn), not board.turn
    assert king is not None
    for target in chess.scan_forward(board.occupied_co[enemy]):
        kind = board.piece_type_at(target)
        assert kind is not None
        kinds = {kind}
        if chess.square_rank(target) == (7 if enemy else 0) and kind != chess.KING:
            kinds.add(chess.PAWN)
        for origin in chess.scan_forward(~board.occupied & chess.BB_ALL):
            for before in kinds:
                for taken in _captures_by(board, before, origin, target, enemy):
                    earlier = board.copy(stack=False)
                    earlier.remove_piece_at(target)
                    earlier.set_piece_at(origin, chess.Piece(before, enemy))
                    if taken is not None:
                        earlier.set_piece_at(taken, chess.Piece(chess.PAWN, board.turn))
                    yield not earlier.attackers_mask(enemy, king)


def _captures_by(
    board: chess.Board, kind: int, origin: chess.Square, target: chess.Square, enemy: bool
) -> list[chess.Square | None]:
    """Where a man stood that was taken by going from one square to another.

    None stands for no capture; the list is empty if the man cannot have gone there.
    """
    if kind != chess.PAWN:
        reached = chess.SquareSet(chess.between(origin, target)).isdisjoint(
            chess.SquareSet(board.occupied)
        )
        empty = chess.Board(None)
        empty.set_piece_at(origin, chess.Piece(kind, enemy))
        return [None, target] if reached and target in empty.attacks(origin) else []
    step = 8 if enemy else -8
    if chess.square_rank(origin) in (0, 7):
        return []
    if origin + step == target:
        return [None]
    if origin + 2 * step == target and chess.square_rank(origin) == (1 if enemy else 6):
        return [] if board.piece_at(origin + step) else [None]
    if chess.square_distance(origin, target) != 1 or origin + step not in (target - 1, target + 1):
        return []
    passed = target - step
    passing = chess.square_rank(target) == (5 if enemy else 2) and not board.piece_at(passed)
    return [target, passed] if passing else [target]
