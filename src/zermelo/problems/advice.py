"""The engine as adviser of the checker and as author of certificates."""

from __future__ import annotations

import chess

from zermelo.board.position import encode, uci
from zermelo.problems.certificate import Certificate, Step, name_of
from zermelo.problems.engine import Engine


class EngineAdviser:
    """Tells the checker which move mates and which one saves; see ``checker.Adviser``."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def mating(self, board: chess.Board, n: int) -> str | None:
        """A move that mates in n, the attacker to move."""
        position = encode(board)
        shortest = self.engine.mate_in(position, n)
        if shortest is None:
            return None
        return uci(self.engine.keys(position, shortest)[0][0])

    def saving(self, board: chess.Board, n: int) -> str | None:
        """A move after which there is no mate in n, the defender to move."""
        refutations = self.engine.refutations(encode(board), n, most=1)
        return uci(refutations[0]) if refutations else None


def certify(
    board: chess.Board, n: int, engine: Engine, *, deadline: float | None = None
) -> Certificate | None:
    """A proof that the side to move mates in n, equal positions shared; None if it does not.

    Raises TimeLimitError when ``time.monotonic()`` passes the deadline.
    """
    if not engine.prove(encode(board), n, deadline=deadline):
        return None
    strategy = engine.strategy(encode(board), n, deadline=deadline)
    numbers = {name_of(board): 0}
    todo, steps = [board.copy(stack=False)], list[Step]()
    for place in todo:
        move, length = strategy[encode(place).tobytes()]
        name = name_of(place)
        replies = {}
        place.push_uci(uci(move))
        for reply in list(place.legal_moves):
            child = place.copy(stack=False)
            child.push(reply)
            number = numbers.setdefault(name_of(child), len(numbers))
            replies[reply.uci()] = number
            if number == len(todo):
                todo.append(child)
        steps.append(Step(name, length, uci(move), replies))
    return Certificate(board.fen(en_passant="fen"), tuple(steps))
