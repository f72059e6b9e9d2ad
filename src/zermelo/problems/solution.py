"""Solves a mate problem: the diagram, its keys, the play after them, and the verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import chess

from zermelo.board.bits import Words
from zermelo.board.moves import legal_moves
from zermelo.board.position import encode, moved, uci
from zermelo.errors import InputError
from zermelo.problems import soundness
from zermelo.problems.diagram import impossible, settle, unplayable
from zermelo.problems.engine import LONGEST, Engine, SearchInterrupt, TimeLimitError
from zermelo.problems.play import WHOLE, Conventions, Play
from zermelo.problems.reading import read_board
from zermelo.problems.replay import numbered, san
from zermelo.problems.tree import Attack, Effect, Solution, Variation, Verdict

COMPLETE = 3
"""Up to this length tries and set play belong to a solution unless they are declined."""
LONG = 8
"""From this length on one key is proven by proof numbers, and all are sought only on request."""
_WORTH_PROVING = 6
"""From this length on a mate is first proven or disproven if time is limited."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked about a problem.

    ``tries`` is the greatest number of refutations of a try, 0 for no tries; None leaves tries
    and set play to the length of the mate. The play after the keys is worked out for ``depth``
    moves of the attacker. ``postkey``: the key has been played, the defender is to move. With
    ``proof`` one key is proven and no other move asked about.
    """

    keys_only: bool = False
    proof: bool = False
    tries: int | None = None
    set_play: bool | None = None
    conventions: Conventions = field(default_factory=Conventions)
    postkey: bool = False
    assume_castling: bool = False
    depth: int = WHOLE
    seconds: float | None = None


def shortest_mate(
    board: chess.Board, engine: Engine, *, deadline: float | None = None
) -> Iterator[tuple[int, bool]]:
    """Whether there is a mate in 1, 2, 3, … moves, by proof numbers, up to the first that there is.

    Raises TimeLimitError when ``time.monotonic()`` passes the deadline.
    """
    position = encode(board)
    for n in range(1, LONGEST + 1):
        proven = engine.prove(position, n, deadline=deadline)
        yield n, proven
        if proven:
            return


class IllegalDiagramError(InputError):
    """No move can be made in a diagram; ``reasons`` say why."""

    def __init__(self, fen: str, reasons: list[str]) -> None:
        super().__init__(f"{fen}: illegal diagram: {'; '.join(reasons)}")
        self.reasons = reasons


def solve_mate(
    position: str | chess.Board,
    n: int,
    *,
    request: Request | None = None,
    engine: Engine | None = None,
) -> Solution:
    """The solution of a mate in ``n`` for the side to move, which may be either.

    ``position`` is a FEN, a piece list or a ``chess.Board``. Stalemate is a defence; repetition
    and the fifty-move rule are not. When the time of the request is up, the solution holds what
    was proven so far and is not ``complete``. Raises IllegalDiagramError, an InputError, for a
    diagram in which no move can be made.
    """
    board = read_board(position) if isinstance(position, str) else position
    solver = Solver(board, n, request or Request(), engine or Engine())
    solver.run()
    return solver.solution()


def warm_up(engine: Engine) -> None:
    """Loads or compiles the kernels that problems need, so that no clock counts it."""
    solve_mate("k7/8/1K6/8/8/8/8/7R w", 3, request=Request(keys_only=True), engine=engine)


class Solver:
    """Works out one solution; what is there already can be had whenever work was stopped."""

    def __init__(self, board: chess.Board, n: int, request: Request, engine: Engine) -> None:
        self.board, self.notes = settle(board, request.assume_castling)
        if request.postkey:
            if self.board.turn:
                self.notes.append("White's move is taken to be made (--postkey): Black is to move")
            self.board.turn, self.board.ep_square = chess.BLACK, None
        if wrong := unplayable(self.board):
            raise IllegalDiagramError(board.fen(en_passant="fen"), wrong)
        self.n, self.request, self.engine = n, request, engine
        self.begin, self.nodes = time.perf_counter(), engine.nodes
        deadline = None if request.seconds is None else time.monotonic() + request.seconds
        self.play = Play(engine, request.conventions, depth=request.depth, deadline=deadline)
        self.keys: list[Attack] = []
        self.tries: list[Attack] = []
        self.set_play: list[Variation] = []
        self.verdict: Verdict | None = None
        self.reasons: list[str] = []
        self.complete = False

    def run(self) -> None:
        """Solves the problem, as far as the time of the request allows."""
        position = encode(self.board)
        try:
            if self.request.postkey:
                self._after_key(position)
            else:
                self._whole(position)
            self.complete = True
        except TimeLimitError as error:
            self.reasons.append(str(error))

    def solution(self) -> Solution:
        """What has been found."""
        return Solution(
            fen=self.board.fen(en_passant="fen"),
            n=self.n,
            keys=tuple(self.keys),
            tries=tuple(self.tries),
            set_play=tuple(self.set_play),
            verdict=self.verdict,
            reasons=tuple(self.reasons),
            duals=soundness.duals(self.keys),
            notes=tuple(self.notes),
            complete=self.complete,
            nodes=self.engine.nodes - self.nodes,
            seconds=time.perf_counter() - self.begin,
        )

    def refuted(self) -> Solution:
        """The solution where it is known already that there is no mate in n."""
        self.verdict, reasons = soundness.verdict(self.board, self.n, [], impossible(self.board))
        self.reasons += reasons
        self.complete = True
        return self.solution()

    def _whole(self, position: Words) -> None:
        request, long = self.request, self.n >= LONG
        limited = request.seconds is not None and self.n >= _WORTH_PROVING
        proven = True
        if request.proof or long or limited:
            # Proof numbers of other problems in a small table lead this search astray.
            self.engine.forget()
            proven = self.engine.prove(position, self.n, deadline=self.play.deadline)
            if proven:
                self._show_proof(position)
        asked = request.keys_only or request.set_play or request.tries is not None
        if proven and (request.proof or (long and not asked)):
            self.notes.append("other first moves were not examined: --keys-only does so")
            return
        keys = self._find_keys(position) if proven else []
        names = [(uci(move), length) for move, length in keys]
        self.verdict, reasons = soundness.verdict(self.board, self.n, names, impossible(self.board))
        self.reasons += reasons
        if len(keys) == 1 and keys[0][1] == self.n:
            self._judge_play(names[0][0], moved(position, keys[0][0]))
        if not self.request.keys_only:
            self._grow(position, keys)

    def _show_proof(self, position: Words) -> None:
        """The key that is proven, and the longest line of the proof."""
        strategy = self.engine.strategy(position, self.n)
        move, length = strategy[position.tobytes()]
        self.keys = [self.play.attack(position, move, length, 0)]
        line: list[str] = []
        while True:
            move, _ = strategy[position.tobytes()]
            line.append(uci(move))
            after = moved(position, move)
            replies = [(reply, moved(after, reply)) for reply in legal_moves(after)]
            if not replies:
                break
            reply, position = max(replies, key=lambda pair: strategy[pair[1].tobytes()][1])
            line.append(uci(reply))
        self.notes.append(f"proven: {' '.join(numbered(self.board, line))}")

    def _judge_play(self, key: str, after: Words) -> None:
        # By the usual conventions, whatever is to be shown: the verdict hangs on no option.
        usual = self.play
        if self.request.conventions != Conventions():
            usual = Play(self.engine, deadline=self.play.deadline)
        flaws = soundness.flaws(self.board, usual, key, after, self.n)
        if flaws and self.verdict is Verdict.SOUND:
            self.verdict = Verdict.FLAWED
        self.reasons += flaws

    def _find_keys(self, position: Words) -> list[tuple[int, int]]:
        try:
            keys = self.engine.keys(position, self.n, deadline=self.play.deadline)
        except (TimeLimitError, SearchInterrupt) as stop:
            found = [self.play.attack(position, m, k, 0) for m, k in stop.proven]
            known = {key.move for key in found}
            self.keys = found + [key for key in self.keys if key.move not in known]
            self.reasons.append("stopped before all first moves were decided")
            raise
        keys.sort(key=lambda key: key[1])
        self.keys = [self.play.attack(position, move, length, 0) for move, length in keys]
        return keys

    def _grow(self, position: Words, keys: list[tuple[int, int]]) -> None:
        for index, (move, length) in enumerate(keys):
            self.keys[index] = self.play.attack(position, move, length)
        whole = self.n <= COMPLETE
        if self.request.set_play or (self.request.set_play is None and whole):
            self.set_play += self.play.set_play(position, self.n)
        most = int(whole) if self.request.tries is None else self.request.tries
        if most and self.n > 1:
            self.tries += self.play.tries(position, self.n, {move for move, _ in keys}, most)

    def _after_key(self, position: Words) -> None:
        """The defender is to move: the play after a key that is not in the diagram's moves."""
        key = self.play.after_key(position, self.n)
        self.keys, self.verdict = [key], Verdict.SOUND
        if key.refutations:
            names = ", ".join(f"1…{san(self.board, defence)}" for defence in key.refutations)
            self.verdict = Verdict.NONE
            self.reasons.append(f"refuted by {names}")
        elif key.effect is Effect.STALEMATE:
            self.verdict = Verdict.NONE
            self.reasons.append("the defender is stalemated")
        else:
            self._judge_play("", position)
