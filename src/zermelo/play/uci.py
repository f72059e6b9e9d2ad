"""The UCI protocol: commands come in while a search runs, answers go out a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import Lock, Thread

import chess

from zermelo import __version__
from zermelo.errors import InputError
from zermelo.play.answer import Answer
from zermelo.play.limits import Clock, parse_go
from zermelo.play.thinker import HASH_MB, Settings, Thinker
from zermelo.problems.diagram import settle, unplayable

MOST_HASH_MB = 4096
MOST_THREADS = 64


def read_position(words: list[str]) -> chess.Board:
    """The board that the words after ``position`` describe; raises InputError."""
    cut = words.index("moves") if "moves" in words else len(words)
    place, moves = words[:cut], words[cut + 1 :]
    if place[:1] == ["startpos"]:
        board = chess.Board()
    elif place[:1] == ["fen"]:
        board = _read_fen(" ".join(place[1:]))
    else:
        raise InputError("position: neither startpos nor fen")
    for word in moves:
        try:
            move = board.parse_uci(word)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise InputError(f"{word}: not a legal move in {board.fen()}")
        board.push(move)
    return board


def _read_fen(text: str) -> chess.Board:
    try:
        board, _ = settle(chess.Board(text))
    except ValueError as error:
        raise InputError(f"{text}: {error}") from None
    if reasons := unplayable(board):
        raise InputError(f"{text}: {reasons[0]}")
    return board


class Uci:
    """One conversation; ``write`` puts out a line, and may raise OSError when nobody listens."""

    def __init__(self, write: Callable[[str], None], settings: Settings) -> None:
        self._write = write
        self._lock = Lock()
        self._thinker = Thinker(settings, self._inform)
        self._unfinished: list[Thinker] = []
        self._board: chess.Board | None = chess.Board()
        self._clock: Clock | None = None
        self._search: Thread | None = None
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "isready": self._isready,
            "setoption": self._setoption,
            "ucinewgame": lambda words: self._renew(self._thinker.settings),
            "position": self._position,
            "go": self._go,
            "stop": lambda words: self._stop(),
            "ponderhit": self._ponderhit,
        }

    @property
    def busy(self) -> bool:
        """Whether kernels still run that cannot be stopped at once."""
        return any(thinker.busy for thinker in (self._thinker, *self._unfinished))

    def run(self, lines: Iterable[str]) -> None:
        """Obeys each line, until ``quit`` or the end; then a search that has an end is finished."""
        try:
            for line in lines:
                if "quit" in line.split()[:1]:
                    return
                self.obey(line)
            if self._clock and not self._clock.limits.held:
                self._wait()
        finally:
            self._stop()
            self._thinker.close()

    def obey(self, line: str) -> None:
        """Obeys one line; words before the first command are skipped, and so is all else."""
        words = line.split()
        for index, word in enumerate(words):
            if word in self._commands:
                self._commands[word](words[index + 1 :])
                return

    def _say(self, *lines: str) -> None:
        with self._lock:
            for line in lines:
                self._write(line)

    def _inform(self, text: str) -> None:
        self._say(f"info string {text}")

    def _uci(self, _: list[str]) -> None:
        self._say(
            f"id name zermelo {__version__}",
            "id author the zermelo authors",
            f"option name Hash type spin default {HASH_MB} min 1 max {MOST_HASH_MB}",
            f"option name Threads type spin default 1 min 1 max {MOST_THREADS}",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name TablePath type string default <empty>",
            "option name SyzygyPath type string default <empty>",
            "uciok",
        )

    def _isready(self, _: list[str]) -> None:
        self._say("readyok")
        self._thinker.warm_up()

    def _setoption(self, words: list[str]) -> None:
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        settings = self._thinker.settings
        match name.strip().lower():
            case "hash":
                settings = replace(settings, hash_mb=self._number(value, MOST_HASH_MB))
            case "threads":
                settings = replace(settings, threads=self._number(value, MOST_THREADS))
            case "tablepath":
                settings = replace(settings, folder=_path(value))
            case "syzygypath":
                settings = replace(settings, syzygy=_path(value))
            case "clear hash":
                pass
            case "ponder":
                return
            case unknown:
                self._inform(f"{unknown or text}: no such option")
                return
        self._renew(settings)

    def _number(self, text: str, most: int) -> int:
        try:
            return max(1, min(most, int(text)))
        except ValueError:
            self._inform(f"{text}: not a number")
            return 1

    def _renew(self, settings: Settings) -> None:
        """Starts afresh, with other settings or an empty hash table."""
        self._stop()
        self._thinker.close()
        if self._thinker.busy:
            self._unfinished.append(self._thinker)
        self._thinker = Thinker(settings, self._inform)

    def _position(self, words: list[str]) -> None:
        try:
            self._board = read_position(words)
        except InputError as error:
            # No move is better than one for a position that the interface does not show.
            self._board = None
            self._inform(f"{error}; there is no position now")

    def _go(self, words: list[str]) -> None:
        self._stop()
        if self._board is None:
            self._inform("no position to think about; send one")
            self._say(bestmove(Answer((), None)))
            return
        board = self._board.copy()
        self._clock = Clock(parse_go(words, board.turn))
        self._search = Thread(target=self._think, args=(board, self._clock), daemon=True)
        self._search.start()

    def _think(self, board: chess.Board, clock: Clock) -> None:
        fallback = next(iter(board.legal_moves), None)
        answer = Answer((fallback,) if fallback else (), None)
        try:
            answer = self._thinker.think(
                board,
                clock,
                lambda better, nodes: self._report(better, nodes, clock),
                lambda nodes: self._say(f"info nodes {nodes} time {round(1000 * clock.elapsed)}"),
            )
            for note in answer.notes:
                self._inform(note)
            clock.released.wait()
        finally:
            # Whatever goes wrong, a go is answered.
            self._say(bestmove(answer))

    def _report(self, answer: Answer, nodes: int, clock: Clock) -> None:
        milliseconds = round(1000 * clock.elapsed)
        line = " ".join(move.uci() for move in answer.line)
        self._say(
            f"info depth {answer.depth} score {answer.score} nodes {nodes} time {milliseconds}"
            + (f" pv {line}" if line else "")
        )

    def _ponderhit(self, _: list[str]) -> None:
        if self._clock:
            self._clock.hit()

    def _stop(self) -> None:
        if self._clock:
            self._clock.stop()
        self._wait()

    def _wait(self) -> None:
        if self._search:
            self._search.join()
            self._search = None


def _path(value: str) -> str | None:
    return None if value.strip() in ("", "<empty>") else value.strip()


def bestmove(answer: Answer) -> str:
    """The line that answers ``go``."""
    words = ["bestmove", answer.move.uci() if answer.move else "(none)"]
    if len(answer.line) > 1:
        words += ["ponder", answer.line[1].uci()]
    return " ".join(words)
