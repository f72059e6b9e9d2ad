"""Decides on a move: by the tables, else by a proven mate, else by a shallow search.

What needs kernels runs in a thread of its own, since importing and compiling them cannot be
interrupted: when time is up, the shallow search has a move.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING

import chess

from zermelo.errors import LimitError, ZermeloError
from zermelo.play.answer import Answer
from zermelo.play.limits import Clock, Limits
from zermelo.play.sane import DEEPEST, Searcher, allows_mate_in_one
from zermelo.values import DRAW, MATED

if TYPE_CHECKING:
    from zermelo.play.knowledge import Knowledge
    from zermelo.problems.engine import Engine

HASH_MB = 64
PATIENCE = 0.15
"""Seconds that the tables have for themselves before the shallow search begins."""
POLL = 0.005
MOST_CENTIPAWNS = 9_999

Report = Callable[[Answer, int], None]
"""Told each better answer and the nodes searched so far."""


@dataclass
class Settings:
    """Where the tables are (``syzygy``: folders as in ``PATH``), and how much to use."""

    folder: str | None = None
    syzygy: str | None = None
    hash_mb: int = HASH_MB
    threads: int = 1


@dataclass
class Task:
    """One question, shared by the two threads that work on it."""

    board: chess.Board
    moves: list[chess.Move]
    clock: Clock
    given_up: Event = field(default_factory=Event)
    answer: Answer | None = None
    holding: list[str] | None = None


class Thinker:
    """Answers one question at a time; ``tell`` hears what the user should know."""

    def __init__(self, settings: Settings, tell: Callable[[str], None] = lambda text: None) -> None:
        self.settings = settings
        self._tell = tell
        self._pool = ThreadPoolExecutor(1, "kernels")
        self._knowledge: Knowledge | None = None
        self._engine: Engine | None = None
        self._nodes_before = 0
        self._future: Future[None] | None = None
        self._working = Event()

    @property
    def busy(self) -> bool:
        """Whether the kernels' thread is at work, compiling perhaps."""
        return self._working.is_set()

    def close(self) -> None:
        """Stops what is running."""
        self._pool.shutdown(wait=not self.busy, cancel_futures=True)
        if self._knowledge:
            self._knowledge.close()

    def warm_up(self) -> None:
        """Imports and compiles kernels in their thread, before they are needed."""
        if self._future is None:
            self._future = self._pool.submit(self._work, self._warm_up)

    def _work(self, job: Callable[[], None]) -> None:
        """Runs a job in the kernels' thread."""
        self._working.set()
        try:
            job()
        finally:
            self._working.clear()

    def _warm_up(self) -> None:
        self._prepare()
        # Two kings need no table, but every kernel that reads one.
        task = Task(chess.Board("8/8/8/3k4/8/8/8/3K4 w - - 0 1"), [], Clock(Limits()))
        self._known(task)

    def think(
        self,
        board: chess.Board,
        clock: Clock,
        report: Report = lambda answer, nodes: None,
        pulse: Callable[[int], None] = lambda nodes: None,
    ) -> Answer:
        """The move to play, when it is known or the clock says so.

        ``pulse`` is told the nodes once a second, lest a long search seem dead.
        """
        legal = list(board.legal_moves)
        if not legal:
            over = Answer((), MATED if board.is_check() else DRAW)
            report(over, 0)
            return over
        wanted = set(clock.limits.moves)
        task = Task(board, [m for m in legal if m.uci() in wanted] or legal, clock)
        self._future = future = self._pool.submit(self._work, partial(self._decide, task))
        wait([future], min(PATIENCE, clock.left / 3))
        guess = Guess(task, report, self._nodes)
        if task.answer is None:
            guess.deepen()
        beats = clock.elapsed
        while not (future.done() or clock.over(nodes := self._nodes() + guess.nodes)):
            wait([future], POLL)
            if clock.elapsed >= beats + 1:
                beats = clock.elapsed
                pulse(nodes)
        self._give_up(task, future)
        answer = task.answer or guess.answer()
        report(answer, self._nodes() + guess.nodes)
        return answer

    def _nodes(self) -> int:
        return self._engine.nodes - self._nodes_before if self._engine else 0

    def _give_up(self, task: Task, future: Future[None]) -> None:
        """Stops the kernels' thread, now or, where it is compiling, when it is done with that."""
        task.given_up.set()

        def insist() -> None:
            # A stop that comes just before a kernel starts is forgotten.
            while not future.done():
                if self._engine:
                    self._engine.stop()
                wait([future], POLL)

        if not future.done():
            insistence = Thread(target=insist, daemon=True)
            insistence.start()
            insistence.join(4 * POLL)
        if future.done() and (error := future.exception()):
            raise error

    def _decide(self, task: Task) -> None:
        """What the tables or a mate search say; runs in the kernels' thread."""
        if task.given_up.is_set():
            return
        self._prepare()
        assert self._engine is not None
        self._nodes_before = self._engine.nodes
        try:
            task.answer = self._known(task)
            if task.answer is None:
                self._search(task, self._engine)
        except LimitError:
            # Stopped: what was found by then is in the task.
            return

    def _prepare(self) -> None:
        """Imports what needs Numba, as late as possible."""
        if self._engine is not None:
            return
        from zermelo import jit
        from zermelo.problems.engine import Engine

        jit.announce(self._tell)
        self._engine = Engine(hash_mb=self.settings.hash_mb, jobs=self.settings.threads)

    def _known(self, task: Task) -> Answer | None:
        from zermelo.play.knowledge import Knowledge

        if chess.popcount(task.board.occupied) > 8:
            return None
        try:
            if self._knowledge is None:
                self._knowledge = Knowledge(self.settings.folder, self.settings.syzygy)
            return self._knowledge.answer(task.board, task.moves, task.given_up.is_set)
        except ZermeloError as error:
            self._tell(str(error))
            return None

    def _search(self, task: Task, engine: Engine) -> None:
        from zermelo.play.mating import EXHAUSTIVE, mate_within, mates
        from zermelo.problems.engine import LONGEST

        limits = task.clock.limits
        longest = (limits.depth + 1) // 2 if limits.depth else LONGEST
        if limits.mate:
            task.answer = mate_within(engine, task.board, task.moves, limits.mate)
            longest = min(limits.mate, EXHAUSTIVE)
        if task.answer:
            return
        for progress in mates(engine, task.board, task.moves, longest):
            task.answer, task.holding = progress.answer, progress.holding
            if task.answer or task.given_up.is_set():
                return


class Guess:
    """The shallow search for a task, as long as no better answer is there."""

    def __init__(self, task: Task, report: Report, others: Callable[[], int]) -> None:
        self._task = task
        self._report = report
        self._others = others
        self._searcher = Searcher(task.board, self._over)
        self._ranking: list[tuple[int, chess.Move]] = []
        self._depth = 0

    @property
    def nodes(self) -> int:
        """Positions looked at."""
        return self._searcher.nodes

    def _over(self, nodes: int) -> bool:
        return self._task.answer is not None or self._task.clock.over(nodes + self._others())

    def deepen(self) -> None:
        """Searches deeper and deeper until the time is over or a better answer is there."""
        limit = self._task.clock.limits.depth or DEEPEST
        for ranking in self._searcher.deepen(self._task.moves, min(limit, DEEPEST)):
            self._ranking = ranking
            self._depth += 1
            if self._task.answer is not None:
                return
            self._report(self._answer(*ranking[0]), self.nodes + self._others())
            if self._over(self.nodes):
                return

    def _answer(self, score: int, move: chess.Move) -> Answer:
        bounded = max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, score))
        return Answer((move,), None, bounded, self._depth)

    def answer(self) -> Answer:
        """The best move that neither a proof nor a mate in one speaks against."""
        holding = self._task.holding
        ranking = [p for p in self._ranking if holding is None or p[1].uci() in holding]
        for score, move in ranking:
            if not allows_mate_in_one(self._task.board.copy(), move):
                return self._answer(score, move)
        return self._answer(*(ranking or self._ranking)[0])
