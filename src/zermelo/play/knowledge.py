"""What is known without search: the own tables, made when small, and Syzygy files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import chess

from zermelo.errors import InputError, MissingTableError
from zermelo.play import perfect
from zermelo.play.answer import Answer
from zermelo.play.building import Builder
from zermelo.play.syzygy import SURE, Class, Graded, Syzygy
from zermelo.tables.boards import material_of
from zermelo.tables.tablebase import SMALL, Tablebase

PAUSE = 0.02
CENTIPAWNS = {
    Class.WIN: SURE,
    Class.LOSS: -SURE,
    Class.LATE_WIN: 0,
    Class.LATE_LOSS: 0,
    Class.DRAW: 0,
}
VERDICT = {
    grade: f"{word} under the fifty-move rule, by the Syzygy files"
    for grade, word in zip(Class, ("won", "drawn", "drawn", "drawn", "lost"), strict=True)
}


class Knowledge:
    """Answers from the tables of a folder and from Syzygy files (folders as in ``PATH``)."""

    def __init__(self, folder: str | None = None, syzygy: str | None = None) -> None:
        self.tablebase = Tablebase(folder, "none")
        self._builder = Builder(self.tablebase.folder)
        self._syzygy = Syzygy(syzygy) if syzygy else None

    def close(self) -> None:
        """Stops making tables and closes the files."""
        self._builder.close()
        self.tablebase.close()
        if self._syzygy:
            self._syzygy.close()

    def answer(
        self, board: chess.Board, moves: Sequence[chess.Move], tired: Callable[[], bool]
    ) -> Answer | None:
        """The best of some moves; None if neither table nor Syzygy file has the position.

        A missing table of few men is made in the background, and waited for until ``tired`` if no
        Syzygy file answers meanwhile.
        Raises TableError where a file is damaged or cannot be made.
        """
        if board.castling_rights:
            return None
        try:
            return self._timed(board, moves)
        except InputError:
            return None
        except MissingTableError:
            pass
        material = material_of(board)
        if material.men <= SMALL:
            self._builder.start(material)
        if self._syzygy and (answer := self._syzygy.answer(board, moves)):
            return answer
        if material.men > SMALL:
            return None
        while self._builder.busy(material):
            if tired():
                return None
            time.sleep(PAUSE)
        return self._timed(board, moves)

    def _timed(self, board: chess.Board, moves: Sequence[chess.Move]) -> Answer:
        """The tables' answer, with the fifty-move rule as far as it can be known."""
        answer = perfect.answer(self.tablebase, board, moves)
        if answer.value is None or not perfect.outlasts(answer.value, board.halfmove_clock):
            return answer
        graded = self._syzygy.grade(board, moves) if self._syzygy else None
        if not graded:
            note = (
                f"the fifty-move rule may come first: {answer.value.plies} plies to mate, "
                f"{board.halfmove_clock} on the clock; Syzygy files would tell"
            )
            return answer._replace(notes=(note,))
        return self._fifty(board, graded)

    def _fifty(self, board: chess.Board, graded: Sequence[Graded]) -> Answer:
        """The shortest mate, or longest defence, among the best by the fifty-move rule.

        Of sure wins the one that mates first: whichever is chosen, the next is sure as well, and
        the clock itself forces a capture or pawn move in time. How long it takes under the rule is
        not known, and so not claimed.
        """
        best = graded[0]
        alike = [g.move for g in graded if g.grade is best.grade]
        if best.grade in (Class.LATE_WIN, Class.LATE_LOSS):
            # The rule makes it a draw unless somebody errs: soonest to the next capture or pawn
            # move, or latest.
            alike = [best.move]
        answer = perfect.answer(self.tablebase, board, alike)
        return Answer(answer.line[:1], None, CENTIPAWNS[best.grade], 1, (VERDICT[best.grade],))
