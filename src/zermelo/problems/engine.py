"""The engine of the problem solver: questions about mates, answered exactly.

Positions are arrays of the board (``board.position.encode``), moves its numbers (``uci(move)``),
lengths are moves of the attacker, as composers count. Stalemate is a defence; repetition and the
fifty-move rule are not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import numpy as np

from zermelo.board.bits import Words
from zermelo.board.moves import MOST_MOVES, legal_moves
from zermelo.board.position import WORDS
from zermelo.errors import InputError, LimitError
from zermelo.problems import proof, search
from zermelo.problems.mates import is_mate
from zermelo.problems.table import MOVE_MASK, new_table

LONGEST = 200
"""Longest mate that can be asked for, in moves."""
_BRIEF = 3
"""Up to this length the exhaustive search answers faster than proof numbers do."""
_QUICK = 2
"""Up to this length a question takes less time than handing it to another thread."""


class TimeLimitError(LimitError):
    """The deadline passed; ``proven`` has the moves that mate and their lengths so far."""

    def __init__(self, proven: list[tuple[int, int]], undecided: list[int]) -> None:
        super().__init__(
            f"time limit: {len(undecided)} moves are undecided; allow more time (--time)"
        )
        self.proven = proven
        self.undecided = undecided


class SearchInterrupt(KeyboardInterrupt):
    """Ctrl-C while first moves were judged; ``proven`` has those that mate and their lengths."""

    def __init__(self, proven: list[tuple[int, int]]) -> None:
        super().__init__()
        self.proven = proven


class Room:
    """The arrays in which one thread searches."""

    def __init__(self) -> None:
        rows = 2 * LONGEST + 4
        self.positions = np.zeros((rows, WORDS), dtype=np.uint64)
        self.moves = np.zeros((rows, MOST_MOVES), dtype=np.uint64)
        self.scores = np.zeros((rows, MOST_MOVES), dtype=np.uint64)
        self.memory = np.zeros((LONGEST + 1, search.PER_DEPTH), dtype=np.uint64)
        self.control = np.zeros(2, dtype=np.uint64)

    def arrays(self, table: Words) -> tuple[Words, Words, Words, Words, Words, Words]:
        """What every kernel of the search begins with."""
        return self.positions, self.moves, self.scores, self.memory, table, self.control


class Engine:
    """Answers questions about mates; keeps what it has proven in hash tables.

    ``hash_mb`` is the size of these in megabytes, ``jobs`` the number of threads that share the
    first moves. A deadline is a value of ``time.monotonic()``; when it passes, TimeLimitError
    is raised with what was proven so far. Ctrl-C stops the threads before it goes on.
    """

    def __init__(self, *, hash_mb: int = 64, jobs: int = 1) -> None:
        if hash_mb < 1 or jobs < 1:
            raise InputError(f"hash {hash_mb} MB, {jobs} jobs: both must be at least 1")
        quarter = max(1, hash_mb // 4)
        try:
            self._table = new_table(quarter)
            self._bounds = new_table(quarter)
            self._nodes = new_table(max(1, hash_mb // 2))
        except MemoryError:
            raise LimitError(f"hash {hash_mb} MB: more than there is memory; take less") from None
        self._numbers = np.zeros((2 * LONGEST + 4, 2, MOST_MOVES), dtype=np.uint64)
        self._rooms = [Room() for _ in range(jobs)]
        self._pool: ThreadPoolExecutor | None = None

    @property
    def nodes(self) -> int:
        """Positions with the defender to move that were searched, up to now."""
        return sum(int(room.control[search.NODES]) for room in self._rooms)

    def stop(self) -> None:
        """Makes a question that another thread is asking raise `TimeLimitError` at once."""
        for room in self._rooms:
            room.control[search.STOP] = 1

    def forget(self) -> None:
        """Empties the hash tables and what was learnt about good moves."""
        for table in (self._table, self._bounds, self._nodes):
            table[:] = 0
        for room in self._rooms:
            room.memory[:] = 0

    def keys(
        self,
        position: Words,
        n: int,
        *,
        moves: Sequence[int] | None = None,
        deadline: float | None = None,
    ) -> list[tuple[int, int]]:
        """Every move that forces mate in at most n, with the length of the shortest such mate.

        The attacker is to move. Only ``moves`` are judged if they are given. These are the keys of
        a problem, and just as well the attacker's continuations after a defence.
        """
        _check(n)
        moves = legal_moves(position) if moves is None else moves
        lengths = self._judge(position, moves, n - 1, True, len(moves) + 1, deadline)
        return [(m, k + 1) for m, k in zip(moves, lengths, strict=True) if k != search.NONE]

    def mate_in(self, position: Words, n: int, *, deadline: float | None = None) -> int | None:
        """Length of the shortest mate in at most n moves, the attacker to move; None if none."""
        _check(n)
        room, found = self._rooms[0], search.NONE

        def ask() -> None:
            nonlocal found
            room.positions[0] = position
            found = search.shortest(*room.arrays(self._table), np.uint64(n))

        if not self._run([ask], n, deadline):
            raise TimeLimitError([], legal_moves(position))
        return None if found == search.NONE else int(found)

    def mated_in(self, position: Words, n: int, *, deadline: float | None = None) -> int | None:
        """In how many moves up to n the side to move is mated against its best defence.

        0 if it is mated already; None if it can hold out longer, or is stalemated.
        """
        moves = legal_moves(position)
        if not moves:
            return 0 if is_mate(position) else None
        lengths = self._judge(position, moves, n, False, 1, deadline)
        return None if search.NONE in lengths else max(lengths)

    def refutations(
        self,
        position: Words,
        n: int,
        *,
        most: int | None = None,
        deadline: float | None = None,
    ) -> list[int]:
        """The defender's moves after which there is no mate in n; at most ``most`` of them.

        A stalemated side has none, and yet is not mated: see ``mated_in``.
        """
        moves = legal_moves(position)
        lengths = self._judge(position, moves, n, False, most or len(moves) + 1, deadline)
        return [m for m, k in zip(moves, lengths, strict=True) if k == search.NONE]

    def prove(self, position: Words, n: int, *, deadline: float | None = None) -> bool:
        """Whether the side to move mates in at most n, by proof numbers.

        Much faster than `mate_in` for long mates, but it says nothing about shorter ones.
        """
        if n <= _BRIEF:
            return self.mate_in(position, n, deadline=deadline) is not None
        _check(n)
        room, proven = self._rooms[0], False

        def ask() -> None:
            nonlocal proven
            room.positions[0] = position
            tables = self._numbers, self._nodes, self._bounds
            proven = bool(proof.prove(*room.arrays(self._table), *tables, np.uint64(n)))

        if not self._run([ask], n, deadline):
            raise TimeLimitError([], legal_moves(position))
        return proven

    def strategy(
        self, position: Words, n: int, *, deadline: float | None = None
    ) -> dict[bytes, tuple[int, int]]:
        """The proof of a mate in n: for each position that it needs, the move and its length.

        Positions are those with the attacker to move, as ``position.tobytes()``, the first one
        first; each reply to a move leads to a position with a smaller length. A few may be reached
        by no line. Raises ValueError if there is no mate in n.
        """
        steps: dict[bytes, tuple[int, int]] = {}
        todo = [(position, n)]
        moves = np.zeros(MOST_MOVES, dtype=np.uint64)
        while todo:
            place, most = todo.pop()
            name = place.tobytes()
            if name in steps and steps[name][1] <= most:
                continue
            steps[name] = move, length = self._step(place, most, deadline)
            after = np.empty((MOST_MOVES, WORDS), dtype=np.uint64)
            count = proof.write_replies(place, np.uint64(move), moves, after)
            todo += [(child, length - 1) for child in after[:count].copy()]
        return steps

    def _step(self, position: Words, n: int, deadline: float | None) -> tuple[int, int]:
        """A move that mates in at most n, and its length."""
        if n > _BRIEF:
            found = int(proof.proven_move(self._bounds, position, np.uint64(n)))
            if not found and self.prove(position, n, deadline=deadline):
                found = int(proof.proven_move(self._bounds, position, np.uint64(n)))
            if found:
                return found & int(MOVE_MASK), found >> 18
        length = self.mate_in(position, n, deadline=deadline)
        if length is None:
            raise ValueError(f"no mate in {n}")
        room = self._rooms[0]
        move = int(search.found_move(room.positions, room.moves, self._table, np.uint64(length)))
        return move or self.keys(position, length, deadline=deadline)[0][0], length

    def _judge(
        self,
        position: Words,
        moves: Sequence[int],
        most: int,
        attacking: bool,
        enough: int,
        deadline: float | None,
    ) -> list[int]:
        """Lengths of the mates after some moves, shared out over the threads; see `search.judge`.

        More than one thread may find more than ``enough`` that are none.
        """
        lengths = np.full(len(moves), search.OPEN, dtype=np.uint64)
        alone = len(self._rooms) == 1 or most < _QUICK
        share = max(1, len(moves)) if alone else 1
        begins = iter(range(0, len(moves), share))

        def ask(room: Room) -> None:
            room.positions[0] = position
            room.moves[0, : len(moves)] = moves
            for begin in begins:
                search.judge(
                    *room.arrays(self._table),
                    np.uint64(begin),
                    np.uint64(begin + share),
                    np.uint64(most),
                    attacking,
                    np.uint64(enough),
                    lengths,
                )
                if room.control[search.STOP] or (lengths == search.NONE).sum() >= enough:
                    return

        rooms = self._rooms if share == 1 else self._rooms[:1]

        def proven() -> list[tuple[int, int]]:
            pairs = zip(moves, lengths.tolist(), strict=True)
            return [(move, length + attacking) for move, length in pairs if length < search.OPEN]

        try:
            finished = self._run([partial(ask, room) for room in rooms], most, deadline)
        except KeyboardInterrupt:
            raise SearchInterrupt(proven()) from None
        if not finished:
            undecided = [move for move, k in zip(moves, lengths, strict=True) if k == search.OPEN]
            raise TimeLimitError(proven(), undecided)
        return [int(length) for length in lengths]

    def _run(self, tasks: list[Callable[[], None]], n: int, deadline: float | None) -> bool:
        """Runs tasks to their end or to the deadline; False if any was stopped before its end."""
        for room in self._rooms:
            room.control[search.STOP] = 0
        if n <= _QUICK and len(tasks) == 1:
            tasks[0]()
        else:
            self._pool = self._pool or ThreadPoolExecutor(len(self._rooms))
            futures = [self._pool.submit(task) for task in tasks]
            try:
                wait(futures, None if deadline is None else deadline - time.monotonic())
            finally:
                if not all(future.done() for future in futures):
                    self.stop()
            for future in futures:
                future.result()
        return not any(room.control[search.STOP] for room in self._rooms)


def _check(n: int) -> None:
    if not 1 <= n <= LONGEST:
        raise InputError(f"mate in {n}: the length must be from 1 to {LONGEST}")
