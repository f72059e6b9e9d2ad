"""The play of known problems as data, and solutions in the same shape, to be compared.

The shape is that of ``mate_oracle``: ``{move: (effect, threats, variations, refutations)}``.
In ``data/problem_play.jsonl`` a line is a problem; moves that mate stand in one string, other
attacks are objects with ``t`` for threats, ``r`` for refutations, ``+`` if they check, and a member
for each defence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from zermelo.problems.tree import Attack, Variation

DATA = Path(__file__).parent / "data"


def known_problems(name: str = "problem_play.jsonl") -> list[dict[str, Any]]:
    """``position``, ``moves``, and the play: ``keys``, ``tries``, ``set`` where they are known."""
    problems = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        problem = json.loads(line)
        for part in {"keys", "tries"} & problem.keys():
            problem[part] = {move: _play(play) for move, play in problem[part].items()}
        if "set" in problem:
            problem["set"] = {defence: _attacks(play) for defence, play in problem["set"].items()}
        problems.append(problem)
    return problems


def _attacks(written: Any) -> dict[str, Any]:
    if isinstance(written, str):
        return {move: ("mate", {}, {}, []) for move in written.split()}
    return {move: _play(play) for move, play in written.items()}


def _play(written: Any) -> Any:
    if written == "#":
        return ("mate", {}, {}, [])
    threats = _attacks(written.pop("t", {}))
    refutations = written.pop("r", "").split()
    check = written.pop("+", 0)
    effect = "check" if check else "threat" if threats else "zugzwang"
    variations = {defence: _attacks(play) for defence, play in written.items()}
    return (effect, threats, variations, refutations)


def shape(attack: Attack) -> Any:
    """The play after a move of a solution."""
    return (
        attack.effect.value,
        shapes(attack.threats),
        variation_shapes(attack.variations),
        list(attack.refutations),
    )


def shapes(attacks: tuple[Attack, ...]) -> dict[str, Any]:
    """Moves of a solution with their play."""
    return {attack.move: shape(attack) for attack in attacks}


def variation_shapes(variations: tuple[Variation, ...]) -> dict[str, Any]:
    """Defences of a solution with the answers."""
    return {variation.defence: shapes(variation.answers) for variation in variations}
