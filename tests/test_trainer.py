"""The trainer: its logic, its records, and a learner at a pseudo-terminal."""

from __future__ import annotations

import io
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import pytest

from zermelo.cli import main
from zermelo.errors import InputError, TableError
from zermelo.jit import cache_root
from zermelo.play import starts
from zermelo.play.records import Record, Records
from zermelo.play.trainer import Trainer
from zermelo.tables.material import Material
from zermelo.tables.tablebase import Tablebase
from zermelo.values import DRAW, Outcome, Value

ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"


def play_perfectly(trainer: Trainer, tablebase: Tablebase) -> None:
    while trainer.over is None:
        if not trainer.reply():
            trainer.play(tablebase.moves(trainer.board)[0].san)


def test_a_perfect_game(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    assert trainer.task == "mate in 14"
    play_perfectly(trainer, tablebase)
    assert trainer.over == "checkmate"
    assert len(trainer.turns) == 27
    summary = trainer.summary()
    assert (summary.result, summary.moves, summary.best, summary.accuracy) == ("1-0", 14, 14, 100)
    assert summary.succeeded
    assert summary.plies_lost == summary.blunders == 0
    with pytest.raises(InputError, match="the game is over"):
        trainer.play("Kd1")


def test_grades(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    grade = trainer.play("e2a2")
    assert grade.lost == 2
    assert grade.words == "2 plies lost: mate in 15, Kd1 was mate in 14"
    trainer.undo()
    assert trainer.board.fen() == ROOK
    grade = trainer.play("Re4")
    assert grade.lost is None
    assert grade.words == "throws away the win: draw, Kd1 was mate in 14"
    assert trainer.reply() is not None
    assert trainer.over == "draw: nobody can mate"
    summary = trainer.summary()
    assert (summary.succeeded, summary.blunders, summary.undone) == (False, 1, 1)
    trainer.undo()
    assert trainer.turns == []
    assert trainer.play("Kd1").lost == 0


def test_hints_come_in_steps(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    assert [trainer.hint() for _ in range(4)] == [
        "move the king on e1",
        "the king on e1 to d1 or d2",
        "play Kd1 (mate in 14)",
        "play Kd1 (mate in 14)",
    ]
    trainer.play("Kd1")
    trainer.reply()
    assert trainer.hint().startswith("move the ")
    assert trainer.summary().hints == 5


def test_illegal_moves_are_refused(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    for text in ("Kd9", "e2e9", "Ke3", "e1e2", "", "O-O", "0000"):
        with pytest.raises(InputError, match="not a legal move"):
            trainer.play(text)
    with pytest.raises(InputError, match="no move of yours"):
        trainer.undo()
    black = Trainer(tablebase, chess.Board(ROOK), chess.BLACK)
    with pytest.raises(InputError, match="not your move"):
        black.play("Kd1")


def test_either_side_and_a_draw(tablebase: Tablebase) -> None:
    defender = Trainer(tablebase, chess.Board(ROOK), chess.BLACK)
    assert defender.goal == Value(Outcome.LOSS, 27)
    play_perfectly(defender, tablebase)
    assert len(defender.turns) == 27
    assert defender.summary().succeeded
    holder = Trainer(
        tablebase, starts.drawing(tablebase, Material.parse("KPvK"), chess.BLACK, 3), chess.BLACK
    )
    assert holder.goal == DRAW
    play_perfectly(holder, tablebase)
    assert holder.result == "1/2-1/2"
    assert holder.summary().succeeded


def test_starts(tablebase: Tablebase) -> None:
    rook = Material.parse("KRvK")
    board = starts.mating(tablebase, rook, 12, chess.WHITE, 5)
    assert tablebase.value(board) == Value(Outcome.WIN, 23)
    assert starts.mating(tablebase, rook, 12, chess.WHITE, 5) == board
    assert starts.mating(tablebase, rook, 12, chess.WHITE, 6) != board
    board = starts.mating(tablebase, rook, 16, chess.BLACK, 5)
    assert tablebase.value(board) == Value(Outcome.LOSS, 32)
    pawn = Material.parse("KPvK")
    board = starts.drawing(tablebase, pawn, chess.BLACK, 1)
    assert tablebase.value(board) == DRAW
    assert any(move.value.outcome is Outcome.LOSS for move in tablebase.moves(board))
    board = starts.any_decided(tablebase, pawn, chess.WHITE, 1)
    assert tablebase.value(board).outcome is Outcome.WIN
    for moves in (0, 17):
        with pytest.raises(InputError, match=f"KRvK: no position .* mate in {moves}"):
            starts.mating(tablebase, rook, moves, chess.WHITE, 1)


def test_state_resumes(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    trainer.play("Ra2")
    trainer.reply()
    trainer.hint()
    state = json.loads(json.dumps(trainer.state()))
    again = Trainer.resume(tablebase, state)
    assert again.board == trainer.board
    assert again.summary() == trainer.summary()
    assert again.state() == state
    for broken in ({}, {**state, "moves": ["e1e8"]}, {**state, "hero": "red"}, {**state, "fen": 7}):
        with pytest.raises(InputError):
            Trainer.resume(tablebase, broken)


def test_pgn_and_epd(tablebase: Tablebase) -> None:
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    trainer.play("Ra2")
    play_perfectly(trainer, tablebase)
    game = chess.pgn.read_game(io.StringIO(trainer.pgn()))
    assert game is not None
    assert not game.errors
    assert (game.headers["SetUp"], game.headers["FEN"]) == ("1", ROOK)
    assert game.headers["Result"] == "1-0"
    first = game.next()
    assert first is not None
    assert "2 plies lost: mate in 15" in first.comment
    assert game.end().comment == "best: mate"
    assert game.end().board().is_checkmate()
    board, operations = chess.Board.from_epd(trainer.epd())
    assert board.epd() == chess.Board(ROOK).epd()
    assert operations == {"dm": 14}


def test_records(tmp_path: Path, tablebase: Tablebase) -> None:
    path = tmp_path / "a" / "trainer.json"
    records = Records(path)
    trainer = Trainer(tablebase, chess.Board(ROOK), chess.WHITE)
    play_perfectly(trainer, tablebase)
    for _ in range(2):
        records["KRvK win"].add(trainer.summary())
    records.game = trainer.state()
    records.save()
    again = Records(path)
    assert again["KRvK win"] == Record(2, 2, 2, 2, 100)
    assert again.game == trainer.state()
    again["KRvK win"].add(trainer.summary()._replace(hints=1))
    assert again["KRvK win"] == Record(3, 3, 2, 2, 100)
    again["KRvK win"].add(trainer.summary()._replace(succeeded=False))
    assert again["KRvK win"] == Record(4, 3, 0, 2, 100)
    assert list(path.parent.iterdir()) == [path]
    path.write_text("[]")
    with pytest.raises(TableError, match="not a file of the trainer"):
        Records(path)


TERMINAL = """\
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "zermelo", *sys.argv[1:]])
"""
Start = Callable[..., "Learner"]


class Learner:
    """Somebody at a terminal."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self._terminal, inside = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", TERMINAL, "play", *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=environment,
        )
        os.close(inside)
        self.seen = ""

    def wait_for(self, text: str) -> str:
        """What has appeared since the last time, up to and with a text."""
        deadline = time.monotonic() + 300
        while text not in self.seen:
            ready, _, _ = select.select([self._terminal], [], [], 1)
            data = b""
            if ready:
                try:
                    data = os.read(self._terminal, 4096)
                except OSError:
                    # Linux ends a terminal that nobody holds any more with an error.
                    assert text == "", f"{text!r} never came:\n{self.seen}"
                    break
            self.seen += data.decode()
            assert time.monotonic() < deadline, f"{text!r} did not come:\n{self.seen}"
        before, _, self.seen = self.seen.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def ask(self, text: str) -> str:
        """Types a line at the prompt, and returns what came before the next one."""
        self.type(f"{text}\n")
        return self.wait_for("your move: ")

    def interrupt(self) -> None:
        """Ctrl-C, pressed again if nothing happens: readline misses one just as it begins."""
        for _ in range(10):
            self.type("\x03")
            try:
                self._process.wait(10)
                return
            except subprocess.TimeoutExpired:
                continue

    def leave(self) -> int:
        """The exit code, when the program has ended."""
        while True:
            try:
                if not (data := os.read(self._terminal, 4096)):
                    break
            except OSError:
                break
            self.seen += data.decode()
        os.close(self._terminal)
        return self._process.wait(60)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def start(tables: Path, data: Path, tablebase: Tablebase) -> Start:
    tablebase.value(chess.Board(ROOK))
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(data),
        "HOME": str(data),
        # The new home has no compiled kernels, and none may be written into it.
        "ZERMELO_CACHE": str(cache_root().parent),
        "ZERMELO_TABLES": str(tables),
        "PYTHONIOENCODING": "utf-8",
    }
    return lambda *arguments: Learner(environment, *arguments)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((ROOK, "--mate-in", "3"), 2, "--mate-in: only with a material"),
        (("positions", "--draw"), 2, "--draw: only with a material"),
        (("KRvK", "--random"), 2, "--random: only with a file"),
        (("--resume", "--side", "black"), 2, "--side: not with --resume"),
        (("none.epd",), 2, "none.epd: cannot be read (No such file or directory)"),
        (("bytes",), 2, "bytes: no text; a file of positions has one a line"),
        (("KRvK", "--pgn", "none/games.pgn"), 4, "none/games.pgn: cannot be written"),
        (("KRvK", "--epd", "."), 4, ".: is no ordinary file"),
    ],
)
def test_mistakes_are_one_line(
    words: tuple[str, ...],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Path("positions").write_text(f"{ROOK}\n", encoding="utf-8")
    Path("bytes").write_bytes(bytes(range(256)))
    assert main(["play", *words]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"zermelo play: {message}")
    assert len(said.err.splitlines()) == 1


def records(data: Path) -> dict[str, dict[str, int]]:
    (path,) = data.rglob("trainer.json")
    found: dict[str, dict[str, int]] = json.loads(path.read_text())["records"]
    return found


def test_a_whole_won_game(start: Start, data: Path, tmp_path: Path, tablebase: Tablebase) -> None:
    pgn, epd = tmp_path / "games.pgn", tmp_path / "starts.epd"
    learner = start(ROOK, "--pgn", str(pgn), "--epd", str(epd))
    shown = learner.wait_for("your move: ")
    assert "You have White: mate in 14." in shown
    assert "5  · · · ♚ · · · ·" in shown
    board = chess.Board(ROOK)
    while True:
        move = tablebase.moves(board)[0]
        board.push(move.move)
        learner.type(f"{move.san}\n")
        if board.is_checkmate():
            break
        shown = learner.wait_for("your move: ")
        assert f"{move.san}   best: mate in" in shown
        reply = re.search(r"…(\S+) ", shown)
        assert reply
        board.push_san(reply[1])
    assert learner.leave() == 0
    assert "accuracy 100 %" in learner.seen
    assert "KRvK win: 1 of 1 reached, 1 in a row (best 1)" in learner.seen
    assert records(data)["KRvK win"]["succeeded"] == 1
    assert '[FEN "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"]' in pgn.read_text()
    assert epd.read_text() == "8/8/8/3k4/8/8/4R3/4K3 w - - dm 14;\n"


def test_hints_undo_and_a_blunder(start: Start) -> None:
    learner = start("KRvK", "--mate-in", "9", "--seed", "4", "--plain")
    shown = learner.wait_for("your move: ")
    assert "mate in 9" in shown
    assert "R" in shown
    assert "move the " in learner.ask("hint")
    assert " to " in learner.ask("hint")
    assert "(mate in 9)" in learner.ask("hint")
    assert "hint    which man" in learner.ask("?")
    assert "not a legal move" in learner.ask("Qa9")
    learner.type("quit\n")
    assert learner.leave() == 0
    learner = start(ROOK)
    learner.wait_for("your move: ")
    learner.type("Re4\n")
    assert "throws away the win" in learner.wait_for("draw: nobody can mate; undo, or Enter: ")
    assert "1  · · · · ♔ · · ·" in learner.ask("undo")
    learner.type("Re4\n")
    learner.wait_for("undo, or Enter: ")
    learner.type("\n")
    assert learner.leave() == 0
    assert "2 moves, 0 of them best" not in learner.seen
    assert "1 blunders, 1 taken back; accuracy 0 %" in learner.seen
    assert "KRvK win: 0 of 1 reached" in learner.seen


def test_interrupted_and_resumed(start: Start, data: Path) -> None:
    learner = start(ROOK)
    learner.wait_for("your move: ")
    assert "best: mate in 14" in learner.ask("Kd1")
    learner.interrupt()
    assert learner.leave() == 130
    assert "Traceback" not in learner.seen
    assert [path.name for path in data.rglob("*") if path.is_file()] == ["trainer.json"]
    learner = start("--resume")
    shown = learner.wait_for("your move: ")
    assert "You have White: mate in 14." in shown
    assert "1  · · · ♔ · · · ·" in shown
    assert "1  · · · · ♔ · · ·" in learner.ask("undo")
    learner.type("quit\n")
    assert learner.leave() == 0


def run(environment: dict[str, str], *arguments: str, typed: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "zermelo", "play", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


def test_bad_input_and_files(tables: Path, data: Path, tmp_path: Path) -> None:
    here = {"XDG_DATA_HOME": str(data), "ZERMELO_TABLES": str(tables)}
    for arguments, message in (
        ((), "nothing to play"),
        (("--resume",), "no game was kept"),
        (("KBvK",), "nobody can mate"),
        (("KXvK",), "no material"),
        (("KRvK", "--draw", "--mate-in", "3"), "give one of them"),
        (("none.epd",), "cannot be read"),
        (("8/8/8/8/8/8/8/8 w - - 0 1",), "no king"),
    ):
        code, _, errors = run(here, *arguments)
        assert (code, message in errors, errors.count("\n")) == (2, True, 1), errors
    assert run(here, "KRBvKR")[0] == 3
    positions = tmp_path / "two.epd"
    positions.write_text("7k/8/5K2/8/8/8/8/R7 w - - dm 2;\n7k/8/6K1/8/8/8/8/R7 w - - dm 1;\n")
    code, out, errors = run(here, str(positions), "--json", typed="Kf7\nRh1#\n\nRa8#\n")
    assert code == 0, errors
    games = [json.loads(line) for line in out.splitlines()]
    assert [game["goal"]["plies"] for game in games] == [3, 1]
    assert [game["succeeded"] for game in games] == [True, True]
