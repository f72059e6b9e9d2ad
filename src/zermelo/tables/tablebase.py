"""A folder of tables: the value of a position, its moves ranked, perfect play to the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Literal, NamedTuple, Self

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from zermelo.board.position import WORDS, encode
from zermelo.errors import InputError, MissingTableError
from zermelo.tables import atlas, probing
from zermelo.tables.atlas import ABSENT, HOPELESS, NONE, UNKNOWN, Source
from zermelo.tables.boards import check
from zermelo.tables.folder import command, default_folder, made
from zermelo.tables.material import Half, Material
from zermelo.tables.solving import solve
from zermelo.tables.table import CHUNK, Table, file_name
from zermelo.values import DRAW, MATED, Outcome, Value

SMALL = 4
"""Tables of up to so many men are made when they are missing: a second's work."""
MEMORY = 1 << 30
"""Bytes that chunks may take, used only as they are filled."""
THREADED = 1 << 12
"""From so many positions on, a batch is shared among threads."""
FIFTY = 100
"""Plies without capture or pawn move after which a draw can be claimed."""


class RankedMove(NamedTuple):
    """A legal move and what it is worth to the side that makes it, counted from before it."""

    move: chess.Move
    san: str
    value: Value

    @property
    def rank(self) -> tuple[tuple[int, int], str]:
        """Sorts best first, equal ones by UCI."""
        return self.value.rank, self.move.uci()


def may_be_drawn(board: chess.Board, value: Value) -> bool:
    """Whether the fifty-move rule may end the game before the mate, given the board's clock."""
    return value.plies is not None and value.plies + board.halfmove_clock > FIFTY


def _value(lost: int, won: int) -> Value:
    if lost >= 0:
        return Value(Outcome.LOSS, 2 * lost)
    return DRAW if won < 0 else Value(Outcome.WIN, 2 * won - 1)


class Tablebase:
    """Answers from the tables of a folder; use it in a ``with`` statement or close it.

    folder: where the tables are, by default ``default_folder()``. build: ``"small"`` makes missing
    tables of up to four men, ``"none"`` none; ``tell`` hears of each.
    memory: bytes for chunks, 1 MiB or more. Every method raises
    InputError for a position that cannot occur or has castling rights, MissingTableError where a
    table is missing, TableError where a file is damaged. Threads may share one.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        build: Literal["small", "none"] = "small",
        tell: Callable[[str], None] = lambda text: None,
        memory: int = MEMORY,
    ) -> None:
        if build not in ("small", "none"):
            raise InputError(f"build={build!r}: neither 'small' nor 'none'")
        self.folder = Path(folder) if folder is not None else default_folder()
        self._build = build
        self._tell = tell
        self._lock = RLock()
        self._tables: dict[Material, Table] = {}
        self._sources: list[Source] = []
        self._arena = np.empty(memory, np.uint8)
        self._used = 0
        self._slots = np.empty(0, np.int64)
        self._atlas = atlas.atlas([], self._slots, self._arena)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files."""
        with self._lock:
            for table in self._tables.values():
                table.close()
            self._tables.clear()
            self._sources.clear()
            self._slots = np.empty(0, np.int64)
            self._refresh()

    def table(self, material: Material) -> Table:
        """The file of a material, made now if that is allowed."""
        with self._lock:
            if material not in self._tables:
                path = self.folder / file_name(material)
                if not path.exists():
                    self._make(material)
                self._tables[material] = Table(path)
            return self._tables[material]

    def _make(self, material: Material) -> None:
        if self._build == "none" or material.men > SMALL:
            raise MissingTableError(
                f"{material}: no table in {self.folder}; "
                f"make it with: {command(f'solve {material}', self.folder)}"
            )
        self._tell(f"{material}: no table yet, making it …")
        for report in solve([material], made(self.folder)):
            self._tell(f"{report.material}: {report.path}, {report.size:,} bytes")

    def _add(self, half: Half) -> None:
        """Makes a half known to the kernels."""
        if half.hopeless:
            self._sources.append(Source(half, HOPELESS, 1))
        else:
            summary = self.table(half.material).summary(half)
            self._sources.append(Source(half, len(self._slots), summary.width))
            fresh = np.full(summary.chunks, ABSENT, np.int64)
            self._slots = np.concatenate([self._slots, fresh])
        self._refresh()

    def _refresh(self) -> None:
        self._atlas = atlas.atlas(self._sources, self._slots, self._arena)

    def _load(self, chunk: int) -> None:
        """Reads a chunk, by its number among those of all halves, into the arena."""
        source = max(
            (s for s in self._sources if HOPELESS < s.first <= chunk), key=lambda s: s.first
        )
        data = self.table(source.half.material).chunk(source.half, chunk - source.first)
        self._arena[self._used : self._used + len(data)] = np.frombuffer(data, np.uint8)
        self._slots[chunk] = self._used
        self._used += len(data)

    def _forget(self) -> None:
        self._slots[:] = ABSENT
        self._used = 0

    def _supply(self, notes: list[int]) -> None:
        """Reads what kernels missed: halves, noted as ``~signature``, or else chunks."""
        halves = {note for note in notes if note < 0}
        for note in halves:
            self._add(atlas.half_of(~note))
        wanted = [note for note in notes if note >= 0]
        room = (len(self._arena) - self._used) // (2 * CHUNK)
        if len(wanted) > room and self._used:
            # Once the arena is empty the first positions miss all of their chunks at once, and
            # these fit: so every second round answers some.
            self._forget()
            return
        for chunk in wanted[:room]:
            self._load(chunk)
        for chunk in wanted[room:]:
            self._slots[chunk] = ABSENT

    def levels(self, positions: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Levels int32[n, 2] of positions uint64[n, 11]: lost at, won at; NONE for neither."""
        levels = np.full((len(positions), 2), UNKNOWN, np.int32)
        with self._lock:
            while True:
                notes = self._probe(positions, levels)
                if not notes:
                    return levels
                self._supply(notes)

    def _probe(self, positions: NDArray[np.uint64], levels: NDArray[np.int32]) -> list[int]:
        """Runs the kernel once over what is not known yet; returns what was missed."""
        if len(positions) < THREADED:
            return probing.probe(self._atlas, positions, levels)
        parts = 4 * (os.cpu_count() or 1)
        with ThreadPoolExecutor() as pool:
            found = pool.map(
                partial(probing.probe, self._atlas),
                np.array_split(positions, parts),
                np.array_split(levels, parts),
            )
        return list(dict.fromkeys(note for notes in found for note in notes))

    def value(self, board: chess.Board) -> Value:
        """What a position is worth to the side to move, in plies.

        Where the game is over, the rules say it if the table is missing.
        """
        check(board)
        try:
            lost, won = self.levels(encode(board)[None])[0].tolist()
        except MissingTableError:
            # Looked at only here, for it costs more than the probe.
            if any(board.legal_moves):
                raise
            return MATED if board.is_check() else DRAW
        return _value(lost, won)

    def judge(self, positions: NDArray[np.uint64]) -> list[Value]:
        """Values of positions uint64[n, 11] as the board's kernels have them, not checked."""
        return [_value(*pair) for pair in self.levels(positions).tolist()]

    def moves(self, board: chess.Board) -> list[RankedMove]:
        """All legal moves, best first; the best winning one has the position's own plies."""
        check(board)
        legal = list(board.legal_moves)
        after = board.copy(stack=False)
        positions = np.empty((len(legal), WORDS), np.uint64)
        for i, move in enumerate(legal):
            after.push(move)
            positions[i] = encode(after)
            after.pop()
        values = [value.before for value in self.judge(positions)]
        ranked = (
            RankedMove(move, board.san(move), value)
            for move, value in zip(legal, values, strict=True)
        )
        return sorted(ranked, key=lambda move: move.rank)

    def line(self, board: chess.Board) -> list[RankedMove]:
        """Best play by both sides from a decided position to the mate; none from a drawn one."""
        return list(self._line(board))

    def _line(self, board: chess.Board) -> Iterator[RankedMove]:
        if self.value(board).outcome is Outcome.DRAW:
            return
        board = board.copy(stack=False)
        while moves := self.moves(board):
            yield moves[0]
            board.push(moves[0].move)

    def values(
        self, material: str, pieces: ArrayLike, turn: ArrayLike
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Values of many positions: (outcome int8[n] for the side to move, plies int16[n]).

        material: White's men and Black's as in ``"KRvKB"``, whichever is stronger. pieces:
        uint8[n, k], the squares (a1 = 0 … h8 = 63) of the men in that order. turn: bool[n], whether
        White is to move. A draw has -1 plies. No position has en passant rights. Raises InputError
        with the number of the first row that cannot occur.
        """
        kinds, white = _men(material)
        squares = np.ascontiguousarray(pieces, np.uint8)
        to_move = np.ascontiguousarray(turn, np.bool_)
        if squares.shape != (len(to_move), len(kinds)):
            raise InputError(
                f"pieces: shape {squares.shape} where {material} and turn need "
                f"({len(to_move)}, {len(kinds)})"
            )
        positions = np.zeros((len(squares), WORDS), np.uint64)
        impossible = probing.set_up(kinds, white, squares, to_move, positions)
        if impossible >= 0:
            raise InputError(f"pieces: row {impossible} of {material} cannot occur")
        levels = self.levels(positions)
        lost, won = levels[:, 0], levels[:, 1]
        outcome = (won >= 0).astype(np.int8) - (lost >= 0).astype(np.int8)
        plies = np.where(lost >= 0, 2 * lost, np.where(won >= 0, 2 * won - 1, NONE))
        return outcome, plies.astype(np.int16)


def _men(material: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Kind (0 pawn … 5 king) and colour of each man of a material as it is written."""
    Material.parse(material)
    text = material.strip().upper()
    black = text.index("K", 1)
    men = [(letter, i < black) for i, letter in enumerate(text) if letter != "V"]
    return (
        np.array(["PNBRQK".index(letter) for letter, _ in men], np.int64),
        np.array([is_white for _, is_white in men]),
    )


def open_tablebase(
    folder: str | os.PathLike[str] | None = None, build: Literal["small", "none"] = "small"
) -> Tablebase:
    """The tables of a folder, by default those that the commands use; see ``Tablebase``."""
    return Tablebase(folder, build)
