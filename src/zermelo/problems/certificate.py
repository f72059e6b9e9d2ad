"""Proofs of long mates as files: each position with the mating move and what follows each reply.

A certificate is one JSON document. Equal positions are shared, so it grows with the positions and
not with the lines::

    {"format": "zermelo mate certificate 1", "fen": "…", "mate_in": 9,
     "positions": [["8/8/… w - -", 9, "a1a6", {"b7a6": 1, "b8c7": 2}], …]}

Each position, the first being the diagram: board, side to move and rights as in EPD; the moves in
which the attacker mates; the attacker's move in UCI; and for each reply the number of the position
that it leads to. A mating move has no replies.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import chess

from zermelo import writing
from zermelo.errors import InputError, TableError

FORMAT = "zermelo mate certificate 1"


@dataclass(frozen=True, slots=True)
class Step:
    """A position with the attacker to move: how soon it mates, by which move, and what then.

    ``replies`` takes each move of the defender to the number of the position after it.
    """

    position: str
    mate_in: int
    move: str
    replies: dict[str, int]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof that the side to move in ``fen`` forces mate; the first step is the diagram."""

    fen: str
    steps: tuple[Step, ...]

    @property
    def mate_in(self) -> int:
        """The number of moves in which mate is proven."""
        return self.steps[0].mate_in


def name_of(board: chess.Board) -> str:
    """A position as certificates name it: EPD with en passant only where it is legal."""
    return board.epd(en_passant="legal")


def write(certificate: Certificate, path: Path) -> None:
    """Writes a certificate beside ``path`` and renames it. Raises TableError if it cannot."""
    document = {
        "format": FORMAT,
        "fen": certificate.fen,
        "mate_in": certificate.mate_in,
        "positions": [
            [step.position, step.mate_in, step.move, step.replies] for step in certificate.steps
        ],
    }
    writing.write(path, json.dumps(document, separators=(",", ":")) + "\n")


def read(path: Path) -> Certificate:
    """Reads a certificate; whether it proves anything is not asked.

    Raises InputError if the file cannot be read, TableError if it holds no certificate.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise TableError(f"{path}: not JSON, so no certificate") from None
    try:
        if document["format"] != FORMAT:
            raise TableError(f"{path}: format {document['format']!r}, not {FORMAT!r}")
        steps = tuple(_step(*entry) for entry in document["positions"])
        certificate = Certificate(str(document["fen"]), steps)
        if certificate.mate_in != document["mate_in"]:
            raise TableError(f"{path}: claims mate in {document['mate_in']} without a proof of it")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise TableError(f"{path}: not a certificate of the form {FORMAT!r}") from None
    return certificate


def verify(path: Path) -> Certificate:
    """Reads a certificate and checks the proof. Raises TableError with the first fault."""
    certificate = read(path)
    wrong = faults(certificate)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise TableError(f"{path}: proves nothing: {wrong[0]}{more}")
    return certificate


def _step(position: str, mate_in: int, move: str, replies: dict[str, int]) -> Step:
    for text in (position, move, *replies):
        if not isinstance(text, str):
            raise TypeError(text)
    for number in (mate_in, *replies.values()):
        if type(number) is not int:
            raise TypeError(number)
    return Step(position, mate_in, move, replies)


def faults(certificate: Certificate) -> list[str]:
    """What keeps a certificate from being a proof, at most one fault a position; empty if it is.

    Each position is visited once with python-chess: the move must be legal, the replies exactly
    the legal ones, each must lead to the position it names with fewer moves to mate, and a position
    without replies must be mate.
    """
    try:
        root = chess.Board(certificate.fen)
    except ValueError:
        return [f"{certificate.fen}: not a FEN"]
    steps = certificate.steps
    if not steps or name_of(root) != steps[0].position:
        return ["the first position is not the diagram"]
    found: list[str] = []
    reached, todo = {0}, [0]
    while todo:
        number = todo.pop()
        fault = _fault(steps, number)
        if fault:
            found.append(f"position {number} ({steps[number].position}): {fault}")
            continue
        fresh = [child for child in steps[number].replies.values() if child not in reached]
        reached.update(fresh)
        todo += fresh
    if not found and len(reached) != len(steps):
        found.append(f"{len(steps) - len(reached)} positions are reached by no line")
    return found


def _fault(steps: tuple[Step, ...], number: int) -> str | None:
    """What is wrong with a position, its move and its replies; None if nothing is."""
    step = steps[number]
    try:
        board = chess.Board(step.position)
        move = chess.Move.from_uci(step.move)
    except ValueError:
        return "not a position and a move"
    if step.mate_in < 1 or name_of(board) != step.position:
        return "not a position with a mate to prove"
    if not board.is_legal(move):
        return f"{step.move} is illegal"
    board.push(move)
    replies = {reply.uci() for reply in board.legal_moves}
    if replies != step.replies.keys():
        names = " ".join(sorted(replies ^ step.replies.keys()))
        return f"after {step.move} the replies are not the legal ones ({names})"
    if not replies and not board.is_check():
        return f"{step.move} stalemates"
    for reply, child in step.replies.items():
        if not 0 <= child < len(steps) or steps[child].mate_in >= step.mate_in:
            return f"{step.move} {reply} leads to no shorter mate"
        board.push(chess.Move.from_uci(reply))
        if name_of(board) != steps[child].position:
            return f"{step.move} {reply} leads to another position"
        board.pop()
    return None
