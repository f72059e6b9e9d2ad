"""Writes a solution as text, in short algebraic notation or in the long one of problem databases.

The short text gathers defences with the same play on one line. ``1…B~`` stands for all moves of a
man but those shown apart; it is written only if every other move of the man is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import chess

from zermelo.problems.replay import after, san
from zermelo.problems.tree import Attack, Effect, Solution, Variation

_LABEL = 10
"""Width of the first column."""
_WIDEST = 16
"""Defences longer than this do not push the answers of the others to the right."""
_GRADES = {
    "variation": "before the mate",
    "mating move": "at the mating move",
    "threat": "in threats",
    "promotion": "in the promoted man",
}
_EFFECT = {Effect.ZUGZWANG: " zugzwang", Effect.STALEMATE: " stalemate"}


def text(solution: Solution) -> str:
    """The solution for people, as composers' magazines print it."""
    board = chess.Board(solution.fen)
    writer = _Short()
    blocks: list[tuple[str, list[str]]] = []
    if solution.set_play:
        waiting = after(board, "")
        blocks.append(("set play", writer.variations(waiting, solution.set_play, (), 1)))
    if solution.tries:
        blocks.append(("try", writer.tries(board, solution.tries)))
    for key in solution.keys:
        label = "short" if key.mate_in < solution.n else "after key" if solution.postkey else "key"
        blocks.append((label, writer.key(board, key)))
    if solution.duals:
        blocks.append(("duals", [_duals(solution)]))
    lines = [headline(solution)]
    lines += [f"  {'reason':<{_LABEL}}{reason}" for reason in solution.reasons]
    lines += [f"  {'note':<{_LABEL}}{note}" for note in solution.notes]
    for label, block in blocks:
        for index, line in enumerate(block):
            lines.append(f"  {label if index == 0 else '':<{_LABEL}}{line}".rstrip())
    return "\n".join(lines)


def _duals(solution: Solution) -> str:
    """How many duals of each grade there are."""
    grades = Counter(dual.grade for dual in solution.duals)
    return ", ".join(
        f"{grades[grade]} {words}" for grade, words in _GRADES.items() if grades[grade]
    )


def effect_text(there: chess.Board, attack: Attack) -> str:
    """What a move does, in words: ``zugzwang``, ``threat Qc4#``; nothing for checks."""
    if attack.threats:
        passing = after(there, "")
        return "threat " + ", ".join(san(passing, threat.move) for threat in attack.threats)
    return _EFFECT.get(attack.effect, "").strip()


def headline(solution: Solution) -> str:
    """The first line of the text: who mates in how many, and the verdict."""
    board = chess.Board(solution.fen)
    side = chess.COLOR_NAMES[board.turn != solution.postkey].capitalize()
    unjudged = "proven" if solution.keys else "undecided"
    word = solution.verdict.value if solution.verdict else unjudged
    return f"{side} mates in {solution.n}: {word}"


class _Short:
    """Short algebraic; play that is shared between branches is written once."""

    def __init__(self) -> None:
        self.written: dict[tuple[int, str], list[str]] = {}

    def key(self, board: chess.Board, key: Attack) -> list[str]:
        """A key and its play; if it was played before the diagram, its effect in its place."""
        there = after(board, key.move) if key.move else board
        name = f"1.{san(board, key.move)}!" if key.move else "1…"
        head, *nested = self._head(name, key, there, 1)
        lines = [head, *nested, *self.variations(there, key.variations, key.refutations, 1)]
        if key.refutations:
            lines.append("but " + self._refutations(there, key.refutations))
        return lines

    def tries(self, board: chess.Board, tries: Sequence[Attack]) -> list[str]:
        """A line each, the plain ones before the checks."""
        rows: list[tuple[str, str]] = []
        deeper: list[list[str]] = []
        for attempt in sorted(tries, key=lambda attack: attack.effect is Effect.CHECK):
            there = after(board, attempt.move)
            head, *nested = self._head(f"1.{san(board, attempt.move)}?", attempt, there, 1)
            but = self._refutations(there, attempt.refutations)
            rows.append((head, f"but {but}" if but else ""))
            deeper.append(nested)
        width = max(len(head) for head, _ in rows)
        lines = []
        for (head, but), nested in zip(rows, deeper, strict=True):
            lines.append(f"{head:<{width}}   {but}".rstrip())
            lines += nested
        return lines

    def _refutations(self, there: chess.Board, refutations: Sequence[str]) -> str:
        return ", ".join(f"1…{san(there, defence)}!" for defence in refutations)

    def _head(self, head: str, attack: Attack, there: chess.Board, number: int) -> list[str]:
        """A move with what it threatens: on the same line, or below if the threat has play."""
        head += _EFFECT.get(attack.effect, "")
        if not attack.threats:
            return [head]
        passing = after(there, "")
        threats = [self.attack(passing, threat, number + 1) for threat in attack.threats]
        return _joined(f"{head} threat ", threats)

    def attack(self, board: chess.Board, attack: Attack, number: int) -> list[str]:
        """A move of the attacker with its play, one level further in."""
        name = f"{number}.{san(board, attack.move)}"
        known = (id(attack), name)
        if known not in self.written:
            there = after(board, attack.move)
            below = self.variations(there, attack.variations, attack.refutations, number)
            more = "" if attack.grown else f" … mate on move {number + attack.mate_in - 1}"
            lines = self._head(name + more, attack, there, number)
            self.written[known] = lines + ["  " + line for line in below]
        return self.written[known]

    def variations(
        self,
        there: chess.Board,
        variations: Sequence[Variation],
        refutations: Sequence[str],
        number: int,
    ) -> list[str]:
        """Variations with equal play on a line, those with random moves last."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for variation in variations:
            child = after(there, variation.defence)
            answers = [self.attack(child, answer, number + 1) for answer in variation.answers]
            groups.setdefault(tuple(_joined("", answers)), []).append(variation.defence)
        shown = {variation.defence for variation in variations}.union(refutations)
        hidden = {move.uci()[:2] for move in there.legal_moves if move.uci() not in shown}
        rows = []
        for play, defences in groups.items():
            moves, random = _gathered(there, defences, list(groups.values()), hidden)
            rows.append((random, f"{number}…{', '.join(moves)}", play))
        rows.sort(key=lambda row: row[0])
        short = [len(names) for _, names, _ in rows if len(names) <= _WIDEST]
        width = max(short, default=0)
        lines = []
        for _, names, (first, *rest) in rows:
            lines += [f"{names:<{width}} {first}".rstrip(), *rest]
        return lines


def _joined(head: str, attacks: Sequence[list[str]]) -> list[str]:
    """Moves side by side if none has play of its own, else below each other."""
    if len(attacks) == 1:
        first, *rest = attacks[0]
        return [head + first, *rest]
    if all(len(lines) == 1 and " " not in lines[0] for lines in attacks):
        first, *others = [lines[0] for lines in attacks]
        return [head + "/".join([first, *(other.partition(".")[2] for other in others)])]
    return [head.rstrip(), *("  " + line for lines in attacks for line in lines)]


def _gathered(
    there: chess.Board, defences: list[str], groups: list[list[str]], hidden: set[str]
) -> tuple[list[str], bool]:
    """Names of defences with equal play, most moves of a man together as ``B~``, and if any is so.

    ``hidden`` are the squares of men that have a move which is not shown.
    """
    names: list[str] = []
    random = False
    for origin in dict.fromkeys(move[:2] for move in defences):
        own = [move for move in defences if move[:2] == origin]
        sizes = [sum(move[:2] == origin for move in group) for group in groups]
        if len(own) == max(sizes) > 1 and sizes.count(len(own)) == 1 and origin not in hidden:
            names.append(_man(there, origin) + "~")
            random = True
        else:
            names += [san(there, move) for move in own]
    return names, random


def _man(board: chess.Board, origin: str) -> str:
    """A man's letter, with file or square where others could be meant; a pawn's file."""
    square = chess.parse_square(origin)
    piece = board.piece_at(square)
    assert piece is not None
    same = [other for other in board.pieces(piece.piece_type, piece.color) if other != square]
    letter = "" if piece.piece_type == chess.PAWN else piece.symbol().upper()
    on_file = any(chess.square_file(other) == chess.square_file(square) for other in same)
    if on_file:
        return letter + origin
    return letter + (origin[0] if same or not letter else "")
