"""Writes a solution for programs: JSON, PGN with variations, and the diagram as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import chess
import chess.pgn
import chess.svg

from zermelo.problems.notation import effect_text, headline
from zermelo.problems.replay import after, san
from zermelo.problems.tree import Attack, Solution, Variation

Json: TypeAlias = dict[str, Any]

_GOOD, _MISTAKE = chess.pgn.NAG_GOOD_MOVE, chess.pgn.NAG_MISTAKE


def summary(solution: Solution, fen: str | None = None) -> Json:
    """Keys and verdict as JSON; ``fen`` is the diagram as the user wrote it."""
    board = chess.Board(solution.fen)
    return {
        "fen": fen or solution.fen,
        "n": solution.n,
        "keys": [
            {**_names(board, key.move), "mate_in": key.mate_in} for key in solution.keys if key.move
        ],
        "shortest": solution.shortest,
        "verdict": solution.verdict.value if solution.verdict else None,
        "reasons": list(solution.reasons),
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 6),
    }


def to_json(solution: Solution, fen: str | None = None) -> Json:
    """Everything about a solution as JSON; of branches with equal play each is written out."""
    board = chess.Board(solution.fen)
    writer = _Json()
    found = summary(solution, fen)
    if solution.postkey:
        found["postkey"] = writer.play(board, solution.keys[0])
    else:
        found["keys"] = [writer.attack(board, key) for key in solution.keys]
    found["tries"] = [writer.attack(board, attempt) for attempt in solution.tries]
    found["set_play"] = writer.variations(after(board, ""), solution.set_play)
    found["duals"] = [
        {"line": list(dual.line), "moves": list(dual.moves), "grade": dual.grade}
        for dual in solution.duals
    ]
    found["notes"] = list(solution.notes)
    found["complete"] = solution.complete
    return found


def _names(board: chess.Board, move: str) -> Json:
    return {"san": san(board, move), "uci": move}


class _Json:
    """Shared play becomes the same object, made once."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, str], Json] = {}

    def attack(self, board: chess.Board, attack: Attack) -> Json:
        names = _names(board, attack.move)
        known = (id(attack), names["san"])
        if known not in self.made:
            self.made[known] = {**names, **self.play(after(board, attack.move), attack)}
        return self.made[known]

    def play(self, there: chess.Board, attack: Attack) -> Json:
        threats = []
        if attack.threats:
            passing = after(there, "")
            threats = [self.attack(passing, threat) for threat in attack.threats]
        return {
            "mate_in": attack.mate_in,
            "effect": attack.effect.value,
            "threats": threats,
            "variations": self.variations(there, attack.variations),
            "refutations": [_names(there, defence) for defence in attack.refutations],
            "grown": attack.grown,
        }

    def variations(self, there: chess.Board, variations: Sequence[Variation]) -> list[Json]:
        made = []
        for variation in variations:
            child = after(there, variation.defence)
            answers = [self.attack(child, answer) for answer in variation.answers]
            made.append({**_names(there, variation.defence), "answers": answers})
        return made


def to_pgn(solution: Solution) -> str:
    """The solution as a game: the key and its play, tries as variations, the rest as comments."""
    board = chess.Board(solution.fen)
    game = chess.pgn.Game(
        {"Event": headline(solution), "Site": "?", "Date": "????.??.??", "Result": "*"}
    )
    game.setup(board)
    game.comment = "; ".join(solution.reasons)
    for attack, nag in [
        *((key, _GOOD) for key in solution.keys),
        *((attempt, _MISTAKE) for attempt in solution.tries),
    ]:
        _add_attack(game, board, attack, nag)
    if solution.set_play:
        waiting = game.add_variation(chess.Move.null(), comment="set play")
        _add_variations(waiting, after(board, ""), solution.set_play)
    return str(game)


def _add_attack(
    node: chess.pgn.GameNode, board: chess.Board, attack: Attack, nag: int | None = None
) -> None:
    there = board
    if attack.move:
        there = after(board, attack.move)
        node = node.add_variation(
            chess.Move.from_uci(attack.move), nags=[] if nag is None else [nag]
        )
        node.comment = effect_text(there, attack)
    _add_variations(node, there, attack.variations)
    for defence in attack.refutations:
        node.add_variation(chess.Move.from_uci(defence), nags=[_GOOD])


def _add_variations(
    node: chess.pgn.GameNode, there: chess.Board, variations: Sequence[Variation]
) -> None:
    for variation in variations:
        below = node.add_variation(chess.Move.from_uci(variation.defence))
        child = after(there, variation.defence)
        for answer in variation.answers:
            _add_attack(below, child, answer)


def to_svg(board: chess.Board) -> str:
    """The diagram as an SVG image."""
    return chess.svg.board(board)
