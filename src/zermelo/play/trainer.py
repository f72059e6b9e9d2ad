"""Training against the tables: the logic, without input or output, that every front end shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import chess

from zermelo.errors import InputError
from zermelo.play import perfect, pgn
from zermelo.tables.boards import check, parse_move
from zermelo.tables.tablebase import RankedMove, Tablebase
from zermelo.values import Outcome, Value

STEPS = 3
"""Steps of a hint: the man, the squares it should go to, the move."""


class Grade(NamedTuple):
    """A move of the learner: what it was worth, counted from before it, and the best one.

    lost: plies given away within the same outcome, None if the outcome itself was.
    """

    played: RankedMove
    best: RankedMove

    @property
    def lost(self) -> int | None:
        """See the class."""
        played, best = self.played.value, self.best.value
        if played.outcome is not best.outcome:
            return None
        return abs((played.plies or 0) - (best.plies or 0))

    @property
    def words(self) -> str:
        """The grade as a sentence part."""
        worth = pgn.distance(self.played.value)
        if self.lost == 0:
            return f"best: {worth}"
        better = f"{self.best.san} was {pgn.distance(self.best.value)}"
        if self.lost is not None:
            return f"{self.lost} plies lost: {worth}, {better}"
        thrown = "win" if self.best.value.outcome is Outcome.WIN else "draw"
        return f"throws away the {thrown}: {worth}, {better}"


class Summary(NamedTuple):
    """How a game went. moves: the learner's; best: how many of them lost nothing.

    plies_lost: within the outcome. blunders: moves that gave the outcome away. accuracy: percent;
    in a won game the shortest way over the way taken, else the share of moves that lost nothing.
    succeeded: the goal was reached, as far as the game went.
    """

    result: str
    goal: Value
    succeeded: bool
    moves: int
    best: int
    plies_lost: int
    blunders: int
    hints: int
    undone: int
    accuracy: int


@dataclass
class Turn:
    """One move of either side; the learner's has a grade."""

    move: RankedMove
    grade: Grade | None


class Trainer:
    """One game between a learner and the tables, which defend to the utmost.

    ``start`` is where it begins, ``hero`` the learner's colour. Raises what ``Tablebase`` raises.
    """

    def __init__(self, tablebase: Tablebase, start: chess.Board, hero: chess.Color) -> None:
        check(start)
        self._tablebase = tablebase
        self.start = start.copy(stack=False)
        self.board = self.start.copy()
        self.hero = hero
        self.turns: list[Turn] = []
        self.hints = 0
        self.undone = 0
        self._step = 0
        value = tablebase.value(start)
        self.goal = value if start.turn == hero else Value(value.outcome.opposite, value.plies)
        """What the start is worth to the learner."""

    @property
    def task(self) -> str:
        """What the learner has to do."""
        if self.goal.outcome is Outcome.WIN:
            return f"mate in {((self.goal.plies or 0) + 1) // 2}"
        if self.goal.outcome is Outcome.DRAW:
            return "hold the draw"
        return f"hold out: mated in {((self.goal.plies or 0) + 1) // 2}"

    @property
    def over(self) -> str | None:
        """How the game has ended; None while it goes on."""
        board = self.board
        if board.is_checkmate():
            return "checkmate"
        if board.is_stalemate():
            return "stalemate"
        if board.is_insufficient_material():
            return "draw: nobody can mate"
        if board.is_repetition(3):
            return "draw: the third time this position"
        if board.halfmove_clock >= 100:
            return "draw: fifty moves without capture or pawn move"
        return None

    @property
    def result(self) -> str:
        """As PGN has it."""
        if self.over is None:
            return "*"
        if not self.board.is_checkmate():
            return "1/2-1/2"
        return "0-1" if self.board.turn else "1-0"

    @property
    def value(self) -> Value:
        """What the position is worth to the side to move."""
        return self._tablebase.value(self.board)

    def play(self, text: str) -> Grade:
        """The learner's move in SAN or UCI, graded; raises InputError if it is not legal."""
        if self.over is not None:
            raise InputError(f"{text}: the game is over; take a move back or begin another")
        if self.board.turn != self.hero:
            raise InputError(f"{text}: it is not your move")
        move = parse_move(self.board, text)
        ranked = self._tablebase.moves(self.board)
        grade = Grade(next(m for m in ranked if m.move == move), ranked[0])
        self._push(grade.played, grade)
        return grade

    def reply(self) -> RankedMove | None:
        """The tables' move; None if the game is over or it is the learner's turn."""
        if self.over is not None or self.board.turn == self.hero:
            return None
        chosen = perfect.answer(self._tablebase, self.board, list(self.board.legal_moves)).move
        ranked = self._tablebase.moves(self.board)
        reply = next(move for move in ranked if move.move == chosen)
        self._push(reply, None)
        return reply

    def _push(self, move: RankedMove, grade: Grade | None) -> None:
        self.turns.append(Turn(move, grade))
        self.board.push(move.move)
        self._step = 0

    def hint(self) -> str:
        """Each time a step more: the man, the squares of its best moves, the best move."""
        if self.over is not None or self.board.turn != self.hero:
            raise InputError("hint: there is no move to make")
        ranked = self._tablebase.moves(self.board)
        best = ranked[0]
        origin = best.move.from_square
        self._step = min(self._step + 1, STEPS)
        self.hints += 1
        kind = self.board.piece_type_at(origin)
        assert kind is not None
        man = f"the {chess.piece_name(kind)} on {chess.square_name(origin)}"
        if self._step == 1:
            return f"move {man}"
        if self._step == 2:
            equal = [m for m in ranked if m.value == best.value and m.move.from_square == origin]
            squares = dict.fromkeys(chess.square_name(m.move.to_square) for m in equal)
            return f"{man} to {' or '.join(sorted(squares))}"
        return f"play {best.san} ({pgn.distance(best.value)})"

    def undo(self) -> None:
        """Takes back the learner's last move and what followed; raises InputError without one."""
        if not any(turn.grade for turn in self.turns):
            raise InputError("undo: there is no move of yours to take back")
        while self.turns.pop().grade is None:
            self.board.pop()
        self.board.pop()
        self.undone += 1
        self._step = 0

    def summary(self) -> Summary:
        """How the game went so far."""
        grades = [turn.grade for turn in self.turns if turn.grade]
        best = sum(grade.lost == 0 for grade in grades)
        won = self.result == ("1-0" if self.hero else "0-1")
        lost = self.result == ("0-1" if self.hero else "1-0")
        if won and self.goal.outcome is Outcome.WIN:
            # Both ways in moves of the learner; the start may be the other side's turn.
            accuracy = 100 * (((self.goal.plies or 0) + 1) // 2) // len(grades)
        else:
            accuracy = 100 * best // len(grades) if grades else 0
        succeeded = {
            Outcome.WIN: won,
            Outcome.DRAW: self.over is not None and not lost,
            Outcome.LOSS: self.over is not None and (not lost or best == len(grades)),
        }[self.goal.outcome]
        return Summary(
            result=self.result,
            goal=self.goal,
            succeeded=succeeded,
            moves=len(grades),
            best=best,
            plies_lost=sum(grade.lost or 0 for grade in grades),
            blunders=sum(grade.lost is None for grade in grades),
            hints=self.hints,
            undone=self.undone,
            accuracy=min(100, accuracy),
        )

    def pgn(self) -> str:
        """The game so far, with the distance, or the grade, as comment to each move."""
        players = ("learner", "zermelo") if self.hero else ("zermelo", "learner")
        headers = dict(zip(("White", "Black"), players, strict=True))
        moves = [
            (t.move.move, t.grade.words if t.grade else pgn.distance(t.move.value))
            for t in self.turns
        ]
        headers |= {"Event": f"zermelo training: {self.task}", "Result": self.result}
        return pgn.game(self.start, moves, headers, self.task)

    def epd(self) -> str:
        """The start as EPD, with ``dm`` if the side to move mates."""
        return pgn.epd(self.start, self._tablebase.value(self.start))

    def state(self) -> dict[str, Any]:
        """What ``resume`` needs, for JSON."""
        return {
            "fen": self.start.fen(en_passant="fen"),
            "hero": chess.COLOR_NAMES[self.hero],
            "moves": [turn.move.move.uci() for turn in self.turns],
            "hints": self.hints,
            "undone": self.undone,
        }

    @classmethod
    def resume(cls, tablebase: Tablebase, state: dict[str, Any]) -> Trainer:
        """The game that a state describes; raises InputError if it describes none."""
        try:
            hero = chess.COLOR_NAMES.index(state["hero"]) == chess.WHITE
            trainer = cls(tablebase, chess.Board(str(state["fen"])), hero)
            for uci in state["moves"]:
                ranked = tablebase.moves(trainer.board)
                played = next(move for move in ranked if move.move.uci() == uci)
                learner = trainer.board.turn == hero
                trainer._push(played, Grade(played, ranked[0]) if learner else None)
            trainer.hints, trainer.undone = int(state["hints"]), int(state["undone"])
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("the kept game cannot be read; begin another") from None
        return trainer
