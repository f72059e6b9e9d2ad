"""``zermelo game`` as a user drives it."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from zermelo.cli import main
from zermelo.games import room

COUNTDOWN = """
class Countdown:
    def __init__(self, counters=10):
        self.counters = counters

    def initial(self):
        return self.counters

    def moves(self, left):
        return [left - take for take in (1, 2) if take <= left]

    def outcome(self, left):
        return None if left else -1
"""

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *words: str) -> str:
    assert main(["game", *words]) == 0
    return capsys.readouterr().out


def refused(capsys: Capture, *words: str) -> str:
    """The one line that a mistake gets."""
    try:
        code = main(["game", *words])
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    errors = capsys.readouterr().err.splitlines()
    assert code == 2
    line = [text for text in errors if not text.startswith("compiling")]
    assert len(line) == 1
    return line[0]


def test_the_list(capsys: Capture) -> None:
    text = run(capsys)
    for name in ("tic-tac-toe", "mu-torere", "pong-hau-ki", "tapatan", "l-game", "teeko", "chess"):
        assert f"{name} " in text
    assert {row["game"] for row in json.loads(run(capsys, "--json"))} >= {"nim", "chomp"}


def test_json(capsys: Capture) -> None:
    report = json.loads(run(capsys, "mu-torere", "--json"))
    assert report.pop("seconds") >= 0
    assert report == {
        "game": "mu-torere",
        "positions": 590,
        "arcs": 960,
        "outcome": "draw",
        "plies": None,
        "wins": 104,
        "losses": 64,
        "draws": 422,
        "max_plies": 5,
    }


def test_text(capsys: Capture) -> None:
    text = run(capsys, "tapatan", "--verify", "--explain")
    assert "win in 9 plies for the player to move" in text
    assert "3,870 positions, 15,973 moves" in text
    assert "verified: each of 3,870 positions" in text
    assert "the only move that wins" in text
    assert "ends the game" in text


def test_options(capsys: Capture) -> None:
    report = json.loads(run(capsys, "hexapawn", "rows=4", "columns=4", "--json", "--explain"))
    assert (report["positions"], report["plies"], len(report["line"])) == (20286, 11, 11)
    report = json.loads(run(capsys, "mu-torere", "turn=yes", "--json", "--verify"))
    assert (report["positions"], report["draws"], report["verified"]) == (1180, 844, 1180)
    report = json.loads(run(capsys, "nim", "heaps=1,2,3", "--json"))
    assert report["outcome"] == "loss"


@pytest.mark.parametrize(("name", "outcome"), [("hare-and-hounds", "loss"), ("mu-torere", "draw")])
def test_proof_search(capsys: Capture, name: str, outcome: str) -> None:
    report = json.loads(run(capsys, name, "--method", "wintree", "--json", "--verify"))
    assert report["outcome"] == outcome
    assert report["players"][0]["result"] == report["result"] == "NIL"
    assert all(row["verified"] == row["strategy"]["positions"] for row in report["players"])
    text = run(capsys, name, "--method", "wintree", "--verify")
    assert "NIL: cannot force a win" in text
    assert f"{outcome} for the player to move" in text


def test_proof_search_gives_up_honestly(capsys: Capture) -> None:
    text = run(capsys, "connect-four", "--method", "wintree", "--visits", "100")
    assert text.count("nothing proven: gave up after 100 visits") == 2
    assert "undecided for the player to move" in text
    words = ("connect-four", "--method", "wintree", "--visits", "100", "--json")
    report = json.loads(run(capsys, *words))
    assert (report["outcome"], report["result"]) == (None, None)


def test_bounded_search(capsys: Capture) -> None:
    assert json.loads(run(capsys, "tapatan", "--method", "bounded", "--json"))["plies"] == 9
    assert "draw for the player" in run(capsys, "mu-torere", "--method", "bounded")
    text = run(capsys, "tapatan", "--method", "bounded", "--depth", "5")
    assert "no win within 5 plies; deeper ones are not excluded" in text


def test_chess(capsys: Capture) -> None:
    mate = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
    report = json.loads(run(capsys, "--fen", mate, "--method", "bounded", "--json"))
    assert (report["outcome"], report["plies"]) == ("win", 3)
    text = run(capsys, "--fen", mate, "--method", "wintree", "--visits", "50", "--order", "plain")
    assert "gave up after 50 visits" in text
    won = run(capsys, "--fen", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "--method", "wintree", "--verify")
    assert "TRUE: wins, in 1 plies at most" in won
    assert "Qg7#" in won
    men = run(capsys, "--fen", "Kf6 Qg1 / kh8 w", "--method", "wintree")
    assert "TRUE" in men


def test_own_game(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "random.py"
    file.write_text(COUNTDOWN)
    report = json.loads(run(capsys, "--file", str(file), "counters=12", "--json"))
    assert (report["game"], report["positions"], report["outcome"]) == ("Countdown", 13, "loss")
    graph = tmp_path / "graph.json"
    graph.write_text(
        '{"start": "a", "vertices": [{"name": "a", "turn": 1, "arcs": ["b"]}, '
        '{"name": "b", "result": 1}]}'
    )
    assert json.loads(run(capsys, "--file", str(graph), "--json"))["plies"] == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("left - take for", "left / 0 for", "game.py, line 10, in <listcomp>: ZeroDivisionError"),
        ("else -1", "else 7", "Countdown.outcome(0): 7 is not 1, 0, -1 or None (game.py, line 12)"),
        ("if left else -1", "", "no move and no result; give a stuck position one (game.py, line"),
        ("def moves", "def move", "game.py, line 2: class Countdown has no method moves(); write"),
        ("return self", "return self.", "game.py, line 7: "),
        ("[left - take", "[[left - take]", "Countdown.moves(10): unhashable type: 'list'"),
        ("counters=10", "counters='x'", "game.py, line 10, in "),
    ],
)
def test_errors_point_at_the_users_line(
    capsys: Capture, tmp_path: Path, old: str, new: str, message: str
) -> None:
    file = tmp_path / "game.py"
    file.write_text(COUNTDOWN.replace(old, new, 1))
    line = refused(capsys, "--file", str(file))
    # Comprehensions are frames of their own before Python 3.12.
    assert message.replace("<listcomp>", "moves") in line.replace("<listcomp>", "moves")


@pytest.mark.parametrize("content", [bytes(range(256)), b"x = 1\0", "caf\xe9".encode("latin-1")])
def test_files_that_are_no_text(capsys: Capture, tmp_path: Path, content: bytes) -> None:
    for name in ("game.py", "game.json"):
        file = tmp_path / name
        file.write_bytes(content)
        assert refused(capsys, "--file", str(file)).endswith(f"{name}: no text in UTF-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("conect-four",), "game 'conect-four': not in the library; did you mean connect-four?"),
        (("nim", "x=1"), "option 'x=1': nim takes heaps=3,4,5, misere=no, turn=no"),
        (("tic-tac-toe", "m=x"), "option 'm=x': 'x' is not a whole number"),
        (("tic-tac-toe", "misere=1"), "option 'misere=1': write yes or no"),
        (("cops-and-robber", "graph=k5"), "graph 'k5': not one of c4, petersen, dodecahedron"),
        (("nim", "--visits", "0"), "argument --visits: '0': write a whole number from 1 up"),
        (("nim", "--order", "engine"), "--order: it is for chess"),
        (("--fen", "8/8/8/8/8/8/8/8 w - - 0 1"), "king"),
        (("--file", "nowhere.py"), "file 'nowhere.py': not found"),
        (("nim", "--export", "x.txt"), "file 'x.txt': end it in .json, .dot or .parquet"),
        (("nim", "--method", "wintree", "--explain"), "--explain: it needs the full solution"),
        (("teeko", "--method", "wintree"), "teeko is solved by induction only"),
        (("chess", "material=KBNvK"), "material KBNvK: 4 men"),
        (("--verify",), "--verify: of which game? name one"),
        (("nim", "--file", "game.py"), "nim and --file: two games"),
        (("nim", "--fen", "8/8/8/8/8/2k5/8/K1q5 w"), "nim and --fen: two games"),
        (("--file", "game.py", "--order", "plain"), "--order: it is for chess"),
        (("--fen", "8/8/8/8/8/2k5/8/K1q5 w", "--order", "plain"), "--order: it is for searches"),
        (("nim", "--visits", "9"), "--visits: it is for searches; add --method wintree"),
        (("nim", "--method", "wintree", "--depth", "9"), "--depth: only with --method bounded"),
        (("nim", "--method", "bounded", "--verify"), "--verify: the bounded search cannot"),
        (("nim", "--side", "2"), "--side: only with --play"),
        (("nim", "--play", "--json"), "--json: not with --play"),
        (("tic-tac-toe", "k=0"), "k=0: it must be a whole number from 1 to 16"),
        (("connect-four", "width=0"), "width=0: it must be a whole number from 1 to 16"),
        (("connect-four", "height=-1"), "height=-1: it must be a whole number from 1 to 16"),
        (("hexapawn", "rows=1"), "rows=1: it must be a whole number from 2 to 16"),
        (("dodgem", "size=1"), "size=1: it must be a whole number from 2 to 16"),
        (("quixo", "size=99"), "size=99: it must be a whole number from 2 to 8"),
        (("fox-and-hounds", "size=5"), "size=5: it must be an even number from 2 to 16"),
        (("fox-and-hounds", "start=6"), "start=6: it must be an even number from 0 to 4"),
        (("cops-and-robber", "cops=0"), "cops=0: it must be a whole number from 1 to 8"),
        (("chomp", "rows=0"), "rows=0: it must be a whole number from 1 to 16"),
        (("nim", "heaps=3,-4"), "heaps=-4: it must be a whole number from 0 to 1000"),
        (("nim", "misere=yes,no"), "write yes or no"),
        (("chomp", "rows=1,2"), "option 'rows=1,2': write one whole number"),
    ],
)
def test_mistakes(capsys: Capture, words: tuple[str, ...], message: str) -> None:
    assert message in refused(capsys, *words)


def test_too_many_positions(capsys: Capture) -> None:
    assert main(["game", "connect-four", "--limit", "1000"]) == 5
    assert "against a limit of 1,000" in capsys.readouterr().err
    # The limit holds from the first step on, and in what a game lists besides its start.
    assert main(["game", "mu-torere", "--limit", "589"]) == 5
    assert main(["game", "mu-torere", "--limit", "590"]) == 0
    assert main(["game", "chess", "--limit", "100"]) == 5


@pytest.mark.parametrize(
    "words",
    [
        ("teeko",),
        ("connect-four",),
        ("hexapawn", "rows=5", "columns=5", "--method", "wintree"),
        ("connect-four", "width=5", "--method", "bounded"),
    ],
)
def test_too_little_memory(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(room, "available", lambda: float(room.RESERVE + 1_000_000))
    assert main(["game", *words]) == 5
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"needs \d\.\d GB of memory more, and 0\.0 GB are free", said)


def test_memory_is_measured() -> None:
    assert 0 < room.available() < float("inf")


def test_export(capsys: Capture, tmp_path: Path) -> None:
    for suffix in ("json", "dot", "parquet"):
        run(capsys, "pong-hau-ki", "--export", str(tmp_path / f"game.{suffix}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "game.dot",
        "game.json",
        "game.parquet",
    ]
    rows = json.loads((tmp_path / "game.json").read_text())["positions"]
    table = parquet.read_table(tmp_path / "game.parquet").to_pylist()
    assert len(rows) == len(table) == 28
    assert [row["moves"] for row in rows] == [row["moves"] for row in table]
    assert [row["plies"] for row in rows] == [row["plies"] for row in table]
    dot = (tmp_path / "game.dot").read_text()
    assert dot.count(" -> ") == 38
    for place in (tmp_path / "none" / "x.json", tmp_path / "game.dot" / "x.json"):
        capsys.readouterr()
        # Known before the game is solved, which would take a minute.
        assert main(["game", "connect-four", "width=5", "--export", str(place)]) == 4
        assert f"{place}: cannot be written" in capsys.readouterr().err


def play(capsys: Capture, monkeypatch: pytest.MonkeyPatch, typed: str, *words: str) -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return run(capsys, *words, "--play")


def test_play_against_the_solution(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    text = play(capsys, monkeypatch, "h\nzz\na1\n", "hexapawn")
    assert "'zz' is no move here" in text
    text = play(capsys, monkeypatch, "1\n" * 9, "hexapawn")
    assert "you lose" in text
    assert "loss in 6 plies" in play(capsys, monkeypatch, "h\nq\n", "hexapawn")
    assert "I move" in play(capsys, monkeypatch, "q\n", "tic-tac-toe", "--side", "2")


def test_play_by_the_marks_of_one_run(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    text = play(capsys, monkeypatch, "1\n" * 300, "mu-torere", "--method", "wintree")
    assert "proven: you cannot force a win" in text
    assert "you win" not in text
    assert "times here" in text
    text = play(capsys, monkeypatch, "1\n" * 40, "hare-and-hounds", "--method", "wintree")
    assert "proven: you lose" in text
    assert "you lose\n" in text
    words = ("--fen", "k7/8/8/1p1p1p1p/1P1P1P1P/8/8/K7 w - - 0 1", "--method", "wintree")
    assert "I move K" in play(capsys, monkeypatch, "h\n1\n1\nq\n", *words)


def test_an_interrupted_search_leaves_with_130() -> None:
    command = [sys.executable, "-m", "zermelo", "game", "--method", "wintree", "--fen"]
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    search = subprocess.Popen([*command, start], stderr=subprocess.PIPE, text=True)
    with pytest.raises(subprocess.TimeoutExpired):
        search.wait(8)
    search.send_signal(signal.SIGINT)
    _, errors = search.communicate(timeout=60)
    assert search.returncode == 130
    assert errors.splitlines()[-1] == "zermelo game: interrupted"


def test_chess_from_the_start_is_too_large_for_induction(capsys: Capture) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert main(["game", "--fen", start, "--limit", "20000"]) == 5
    assert "against a limit of 20,000" in capsys.readouterr().err
