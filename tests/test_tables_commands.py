"""``zermelo solve``, ``tables``, ``probe`` and ``line`` as a user drives them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from zermelo.cli import main

ROOK = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"


@pytest.fixture
def command(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Runs a command; returns (exit code, output, errors)."""
    monkeypatch.setenv("ZERMELO_TABLES", str(tables))

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_solve_prints_what_a_table_comes_to(command: Any, tmp_path: Path) -> None:
    code, out, _ = command("solve", "KRvK", "--dir", str(tmp_path))
    assert code == 0
    assert re.sub(r"\d+\.\d s", "… s", out) == (
        "KRvK   white to move   21,959 wins       0 draws       0 losses"
        "   longest 31 plies (mate in 16)\n"
        "       black to move        0 wins   2,796 draws  25,260 losses   longest 32 plies\n"
        "       longest  8/8/8/8/8/8/1Rk5/K7 b - - 0 1     wrote KRvK.ztb  7 kB  in … s\n"
    )
    _, again, _ = command("solve", "krk", "--dir", str(tmp_path))
    assert again == "KRvK   longest 32 plies   KRvK.ztb  7 kB  was there already, and is sound\n"


def test_solve_says_little_of_what_is_there(command: Any, tmp_path: Path) -> None:
    command("solve", "KRvK", "KNvKN", "--dir", str(tmp_path))
    _, out, _ = command("solve", "KRvKN", "--dir", str(tmp_path))
    said = [re.sub(r"\d+\.\d s|\d+ kB", "…", line) for line in out.splitlines()]
    assert [line.split()[0] for line in said] == ["KRvKN", "black", "longest", "2"]
    assert said[-1] == "2 tables, 1 of them there already and sound, …, in …"
    _, out, _ = command("solve", "KRvKN", "KNvKN", "--dir", str(tmp_path))
    assert [line.split()[0] for line in out.splitlines()] == ["KNvKN", "KRvKN", "3"]
    _, out, _ = command("solve", "KRvKN", "--json", "--dir", str(tmp_path))
    assert [json.loads(line)["made"] for line in out.splitlines()] == [False, False]


def test_solve_json_counts(command: Any) -> None:
    code, out, _ = command("solve", "KBNvK", "KRvKN", "KNvK", "--json")
    rows = {row["material"]: row for row in map(json.loads, out.splitlines())}
    assert code == 0
    # KRvKN needs KRvK; KNvK is a draw throughout and has no file.
    assert set(rows) == {"KBNvK", "KRvKN", "KRvK", "KNvK"}
    assert rows["KNvK"]["file"] is None
    assert rows["KBNvK"]["white"] == {
        "wins": 1352913,
        "draws": 6665,
        "losses": 0,
        "longest": 65,
    }
    assert rows["KRvKN"]["black"]["losses"] == 170672
    assert rows["KRvKN"]["black"]["wins"] == 4
    assert rows["KBNvK"]["bytes"] <= 700_000


def test_tables_lists_and_names_damage(command: Any, tmp_path: Path) -> None:
    command("solve", "KRvK", "KQvK", "--dir", str(tmp_path))
    code, out, _ = command("tables", "--dir", str(tmp_path))
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["material", "KQvK", "KRvK"]
    assert re.search(r"KRvK\s+6,\d\d\d\s+32 plies\s+[0-9a-f]{8}", out)
    _, out, _ = command("tables", "--dir", str(tmp_path), "--json")
    assert [json.loads(line)["longest"] for line in out.splitlines()] == [20, 32]
    path = tmp_path / "KQvK.ztb"
    path.write_bytes(path.read_bytes()[:-1])
    code, out, err = command("tables", "--dir", str(tmp_path))
    assert code == 4
    assert "KQvK.ztb" in err
    assert "KRvK" in out


def test_probe_prints_diagram_and_moves(command: Any) -> None:
    code, out, _ = command("probe", ROOK)
    assert code == 0
    diagram, _, answer = out.partition("a b c d e f g h\n\n")
    assert diagram.splitlines()[3] == "5  . . . k . . . ."
    assert answer == (
        "KRvK   white to move and mate in 14 (27 plies)\n"
        "  winning  Kd1 Kd2                          mate in 14\n"
        "           Ra2 Rb2 Rd2+ Re3 Re8 Rg2 Rh2 Kf2 mate in 15\n"
        "           Rc2 Re7 Rf2 Kf1                  mate in 16\n"
        "  drawing  Re4 Re5+ Re6\n"
    )
    assert command("probe", "Ke1", "Re2", "/", "kd5", "w")[1] == out
    assert command("probe", "Ke1 Re2 / kd5 w")[1] == out


@pytest.mark.parametrize(
    ("position", "headline"),
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "black is checkmated"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "black to move is stalemated: a draw"),
        ("8/8/8/3k4/8/8/8/4KB2 b - - 0 1", "black to move and draw"),
        ("8/8/8/8/8/8/1Rk5/K7 b - - 0 1", "black to move and is mated in 16 (32 plies)"),
    ],
)
def test_headlines(command: Any, position: str, headline: str) -> None:
    code, out, _ = command("probe", position)
    assert code == 0
    assert headline in out


def test_probe_says_that_the_fifty_move_rule_may_draw(command: Any) -> None:
    position = "k7/8/8/8/8/8/8/5KBN w - - {} 1"
    assert "fifty-move rule may make it a draw" in command("probe", position.format(42))[1]
    assert "fifty" not in command("probe", position.format(41))[1]
    answer = json.loads(command("probe", position.format(42), "--json")[1])
    assert (answer["outcome"], answer["plies"]) == ("win", 59)
    assert "fifty-move rule" in answer["note"]


def test_probe_json(command: Any) -> None:
    answer = json.loads(command("probe", ROOK, "--json")[1])
    assert {key: answer[key] for key in ("fen", "material", "outcome", "plies")} == {
        "fen": ROOK,
        "material": "KRvK",
        "outcome": "win",
        "plies": 27,
    }
    assert answer["moves"][0] == {"uci": "e1d1", "san": "Kd1", "outcome": "win", "plies": 27}
    assert answer["moves"][-1]["plies"] is None
    assert len(answer["moves"]) == 17


def test_probe_file(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        ROOK,
        "nonsense",
        "",
        "  # a note",
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "Ke1 Qe2 / kd5 b",
    ]
    path = tmp_path / "positions"
    path.write_text("\n".join(lines), encoding="utf-8")
    code, out, _ = command("probe", "--file", str(path), "--json")
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert [answer["fen"] for answer in answers[:3]] == [ROOK, lines[1], lines[4]]
    assert ["error" in answer for answer in answers] == [False, True, True, False]
    assert "castling rights" in answers[2]["error"]
    assert answers[3]["outcome"] == "loss"
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([ROOK, "7k/8/8/8/8/8/8/KRRRR3 w"])))
    code, out, _ = command("probe", "--file", "-")
    assert code == 3
    assert out.splitlines()[0] == f"{ROOK}   win in 27 plies"
    assert "zermelo solve KRRRRvK" in out


def test_probe_move_shows_why_it_fails(command: Any) -> None:
    out = command("probe", ROOK, "--move", "Re4")[1]
    assert "Re4 draws, but Kd1 mates in 14 (27 plies)\n  it draws after: Kxe4" in out
    out = command("probe", ROOK, "--move", "e1f1")[1]
    assert "Kf1 mates in 16 (31 plies), but Kd1 mates in 14 (27 plies)" in out
    assert (
        "Kd1 mates in 14 (27 plies): there is nothing better"
        in command("probe", ROOK, "--move", "Kd1")[1]
    )
    answer = json.loads(command("probe", ROOK, "--move", "Re4", "--json")[1])
    assert answer["move"]["outcome"] == "draw"
    assert [reply["san"] for reply in answer["replies"]] == ["Kxe4"]
    losing = "8/8/8/8/2pP4/2K5/4k3/8 b - - 0 1"
    assert "1…Kf3 is mated in" in command("probe", losing, "--move", "Kf3")[1].replace(
        "Kf3 is", "1…Kf3 is", 1
    )
    assert command("probe", ROOK, "--move", "0000")[0] == 2
    code, _, err = command("probe", ROOK, "--move", "Rh9")
    assert (code, err) == (2, f"zermelo probe: Rh9: not a legal move in {ROOK}\n")


def test_line_ends_in_mate(command: Any) -> None:
    out = command("line", ROOK, "--pgn")[1]
    game = chess.pgn.read_game(io.StringIO(out))
    assert game is not None
    assert not game.errors
    end = game.end().board()
    assert end.is_checkmate()
    assert end.ply() - game.board().ply() == 27
    assert game.headers["Result"] == "1-0"
    assert (game.headers["SetUp"], game.headers["FEN"]) == ("1", ROOK)
    assert game.comment == "mate in 14"
    assert [node.comment for node in game.mainline()][-3:] == ["mate in 2", "mated in 1", "mate"]
    assert command("line", ROOK, "--epd")[1] == "8/8/8/3k4/8/8/4R3/4K3 w - - dm 14;\n"
    answer = json.loads(command("line", ROOK, "--json")[1])
    assert [move["plies"] for move in answer["moves"]] == list(range(27, 0, -1))
    assert command("line", "7k/8/1R6/R7/8/8/8/4K3 w")[1] == (
        "white to move and mate in 2 (3 plies)\n1.Ra7 Kg8 2.Rb8#\n"
    )
    code, out, _ = command("line", "8/8/8/3k4/8/8/8/4KB2 b - - 0 1")
    assert (code, out) == (0, "black to move and draw\n")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("solve",), 2, "no material"),
        (("solve", "KXvK"), 2, "KXvK: no material"),
        (("solve", "--men", "2"), 2, "--men 2"),
        (("probe",), 2, "give one position"),
        (("probe", ROOK, "--file", "x"), 2, "give one position"),
        (("probe", "--file", "x", "--move", "Ra2"), 2, "--move: one position, not with --file"),
        (("probe", ROOK, "--codes", "x", "--move", "Ra2"), 2, "--move: not with --codes"),
        (("probe", ROOK, "--codes", "x", "--dir", "x"), 2, "--dir: not with --codes"),
        (("probe", ROOK, "--codes", "x", "--no-build"), 2, "--no-build: not with --codes"),
        (("probe", ROOK, "--codes", "/no/such/file"), 2, "/no/such/file: cannot be read"),
        (("line", ROOK, "--json", "--pgn"), 2, "--pgn: not with --json"),
        (("line", ROOK, "--pgn", "--epd"), 2, "--epd: not with --pgn"),
        (("find", "KRvK", "--json", "--format", "epd"), 2, "--json and --format epd"),
        (("find", "KRvK", "--seed", "1"), 2, "--seed: only with --sample"),
        (("export", "KRvK", "--format", "csv", "--seed", "1"), 2, "--seed: only with --sample"),
        (("uci", "--json"), 2, "--json: an engine speaks UCI"),
        (("probe", "--file", "/no/such/file"), 2, "/no/such/file: cannot be read"),
        (("probe", "8/8/8/3k4/8/8/4R3/4K3 x - - 0 1"), 2, "not a FEN"),
        (("probe", "8/8/8/3k4/8/8/3R4/4K3 w"), 2, "not to move is in check"),
        (("probe", "2k5/3P4/8/8/8/8/1r5p/R3K3 b Q - 0 1"), 2, "castling rights (Q)"),
        (("probe", "8/8/7k/8/1pP5/7K/8/8 b - e3 0 1"), 2, "en passant square is impossible"),
        (("probe", "8/8/5p2/1k3K1B/6P1/4r3/8/8 w - - 0 54"), 3, "zermelo solve K"),
        (("probe", "Ka1 Qa2 Qa3 Qa4 / kh8 w"), 3, "KQQQvK"),
    ],
)
def test_errors_are_one_line(command: Any, words: tuple[str, ...], code: int, message: str) -> None:
    returned, out, err = command(*words)
    assert returned == code
    assert out == ""
    compiling = "compiling kernels (once on this machine) …"
    (line,) = [line for line in err.splitlines() if line != compiling]
    assert line.startswith(f"zermelo {words[0]}: ")
    assert message in line


@pytest.mark.parametrize(
    ("position", "outcome", "plies", "headline"),
    [
        ("k7/Q7/1K6/8/8/8/6NN/8 b - - 0 1", "loss", 0, "black is checkmated"),
        ("k7/8/1Q6/8/8/2K5/6NN/8 b - - 0 1", "draw", None, "black to move is stalemated: a draw"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w - - 0 3", "loss", 0, "checkmated"),
    ],
)
def test_a_game_that_is_over_needs_no_table(
    command: Any, position: str, outcome: str, plies: int | None, headline: str
) -> None:
    answer = json.loads(command("probe", position, "--json")[1])
    assert (answer["outcome"], answer["plies"], answer["moves"]) == (outcome, plies, [])
    code, out, _ = command("probe", position)
    assert (code, headline in out) == (0, True)
    code, out, _ = command("line", position, "--json")
    assert (code, json.loads(out)["moves"]) == (0, [])


def test_no_build(command: Any, tmp_path: Path) -> None:
    folder = ("--dir", str(tmp_path))
    code, _, err = command("probe", ROOK, "--no-build", *folder)
    assert code == 3
    assert err.startswith("zermelo probe: KRvK: no table in ")
    assert err.endswith(f"make it with: zermelo solve KRvK --dir {tmp_path}\n")
    code, _, err = command("probe", ROOK, *folder)
    assert code == 0
    assert "KRvK: no table yet, making it" in err


def test_damaged_file_is_named(command: Any, tmp_path: Path) -> None:
    command("solve", "KRvK", "--dir", str(tmp_path))
    path = tmp_path / "KRvK.ztb"
    data = bytearray(path.read_bytes())
    for place in range(500, len(data), 500):
        data[place] ^= 1
    path.write_bytes(data)
    code, _, err = command("probe", ROOK, "--dir", str(tmp_path))
    assert code == 4
    assert f"{path}: damaged chunk" in err
    assert err.endswith(f"zermelo solve KRvK --force --dir {tmp_path}\n")
    assert command("solve", "KRvK", "--dir", str(tmp_path))[0] == 0
    assert command("probe", ROOK, "--dir", str(tmp_path))[0] == 0


def test_advice_names_the_folder_only_if_it_must(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "of tables"
    five = ("probe", "Ka1 Qa2 Qa3 Qa4 / kh8 w")
    assert command(*five, "--dir", str(folder))[2].endswith(
        f"make it with: zermelo solve KQQQvK --dir '{folder}'\n"
    )
    monkeypatch.setenv("ZERMELO_TABLES", str(folder))
    for words in (five, (*five, "--dir", str(folder))):
        assert command(*words)[2].endswith("make it with: zermelo solve KQQQvK\n")
    code, _, err = command("verify", "KRBvKR", "--dir", str(tmp_path / "more"))
    assert (code, err.splitlines()[-1]) == (
        3,
        f"zermelo verify: KRBvKR: no table in {tmp_path / 'more'}; "
        f"make it with: zermelo solve KRBvKR --dir {tmp_path / 'more'}",
    )


def test_a_folder_that_cannot_be_made(command: Any, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below", Path("/proc/x")):
        for words in (("solve", "KRvK"), ("probe", ROOK)):
            code, out, err = command(*words, "--dir", str(folder))
            assert (code, out) == (4, "")
            assert f"{folder}: the folder cannot be made" in err.splitlines()[-1]


def test_a_folder_without_tables(command: Any, tmp_path: Path) -> None:
    empty, absent = tmp_path / "empty", tmp_path / "absent"
    empty.mkdir()
    advice = "make some with: zermelo solve KBNvK --dir"
    said = f"{empty}: no tables; {advice} {empty}\n"
    assert command("tables", "--dir", str(empty)) == (0, "", said)
    assert command("tables", "--dir", str(empty), "--json") == (0, "", "")
    for words in (("tables",), ("tables", "--json"), ("verify", "--all")):
        code, out, err = command(*words, "--dir", str(absent))
        assert (code, out) == (2, "")
        assert err.startswith(f"zermelo {words[0]}: {absent}: no such folder; make tables with:")
    assert not absent.exists()


def test_as_a_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "zermelo", "probe", "nonsense"], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
