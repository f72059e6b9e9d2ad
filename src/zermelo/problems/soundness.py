"""The verdict on a mate problem and its reasons, as an editor gives them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import chess

from zermelo.board.bits import Words
from zermelo.board.position import checkers, moved, uci
from zermelo.problems.play import Answers, Play
from zermelo.problems.replay import PASS, numbered, san
from zermelo.problems.tree import Attack, Dual, Verdict


def verdict(
    board: chess.Board, n: int, keys: Sequence[tuple[str, int]], impossible: Sequence[str]
) -> tuple[Verdict, list[str]]:
    """What the diagram and its keys (UCI, with lengths) alone say; flaws are looked for elsewhere.

    All faults are among the reasons, the gravest makes the verdict.
    """
    full = [move for move, length in keys if length == n]
    faults = [(Verdict.ILLEGAL, f"illegal: {reason}") for reason in impossible]
    if not keys:
        faults.append((Verdict.NONE, f"no first move forces mate in {n}"))
    for move, length in keys:
        if length < n:
            faults.append((Verdict.SHORT, f"mate in {length} by {san(board, move)}"))
    if len(full) > 1:
        names = ", ".join(san(board, move) for move in full)
        faults.append((Verdict.COOKED, f"{len(full)} keys: {names}"))
    return (faults[0][0] if faults else Verdict.SOUND), [reason for _, reason in faults]


def flaws(board: chess.Board, play: Play, key: str, after: Words, n: int) -> list[str]:
    """What is wrong with the play after the only key, in UCI; empty for a good problem.

    Fewer than two defences that are answered by different moves, no other of which will do; the
    first dual before the mate, threats and the choice of a promoted man excepted.
    """
    if n < 2:
        return []
    found = []
    answered = {
        answers[0][0]
        for _, answers in play.replies(after, n - 1, _threats(play, after, n))
        if len(answers) == 1
    }
    if len(answered) < 2:
        found.append("fewer than two defences are answered by different unique moves")
    for line, answers in _continuations(play, key, after, n):
        if answers[0][1] > 1 and not _same_but_promotion([uci(answer) for answer, _ in answers]):
            options = [numbered(board, [*line, uci(answer)])[-1] for answer, _ in answers]
            lead = " ".join(numbered(board, line))
            found.append(f"dual before the mate: {lead} {' or '.join(options)}")
            break
    return found


def _threats(play: Play, after: Words, n: int) -> Answers:
    return [] if checkers(after) else play.threats(after, n - 1)


def _continuations(
    play: Play, key: str, after: Words, n: int
) -> Iterator[tuple[list[str], Answers]]:
    """Defences of the solution with two answers or more, those nearest to the diagram first."""
    queue, seen = deque([([key], after, n)]), set[tuple[bytes, int]]()
    while queue:
        line, here, left = queue.popleft()
        for defence, answers in play.replies(here, left - 1, _threats(play, here, left)):
            below = [*line, uci(defence)]
            if len(answers) > 1:
                yield below, answers
            child = moved(here, defence)
            for answer, k in answers:
                following = moved(child, answer)
                mark = (following.tobytes(), k)
                if k > 2 and mark not in seen:
                    seen.add(mark)
                    queue.append(([*below, uci(answer)], following, k))


def _same_but_promotion(moves: Sequence[str]) -> bool:
    return len({move[:4] for move in moves}) == 1


def duals(keys: Sequence[Attack]) -> tuple[Dual, ...]:
    """All duals in the play of some keys; a position that is reached twice is shown once."""
    found: list[Dual] = []
    seen: set[int] = set()

    def choice(line: tuple[str, ...], attacks: Sequence[Attack]) -> None:
        if len(attacks) > 1:
            moves = tuple(attack.move for attack in attacks)
            before = max(attack.mate_in for attack in attacks) > 1
            found.append(Dual(line, moves, before, PASS in line, _same_but_promotion(moves)))
        for attack in attacks:
            walk((*line, attack.move), attack)

    def walk(line: tuple[str, ...], attack: Attack) -> None:
        if id(attack.variations) in seen and attack.variations:
            return
        seen.add(id(attack.variations))
        choice((*line, PASS), attack.threats)
        for variation in attack.variations:
            choice((*line, variation.defence), variation.answers)

    for key in keys:
        walk((key.move,), key)
    return tuple(found)
