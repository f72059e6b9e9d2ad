"""``zermelo mate`` as a user drives it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from problem_play import known_problems
from zermelo.cli import main
from zermelo.problems import certificate

MINOR = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
LINDGREN = "rb6/4Q3/p1Pp4/3k1p2/K1R1pppp/1P6/3PPPPP/4nn1q w - - 0 1"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    try:
        code = main(["mate", *words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_solution(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, MINOR, "2", "--check")
    assert code == 0
    assert out.splitlines() == [
        "White mates in 2: sound",
        "  set play  1…B~ 2.Rxa7#",
        "  try       1.Ra5? zugzwang   but 1…a6!",
        "            1.Rxa7+?          but 1…Bxa7!",
        "  key       1.Ra6! zugzwang",
        "            1…bxa6 2.b7#",
        "            1…B~   2.Rxa7#",
        "  checked   move by move with python-chess",
    ]


def test_options_change_the_contents(capsys: pytest.CaptureFixture[str]) -> None:
    assert "try" not in run(capsys, MINOR, "2", "--tries", "0")[1]
    assert "but 1…a6!, 1…a5!" in run(capsys, MINOR, "2", "--tries", "2")[1]
    only = run(capsys, MINOR, "2", "--keys-only")[1]
    assert only == "White mates in 2: sound\n  key       1.Ra6!\n"
    long = run(capsys, MINOR, "2", "--long")[1]
    assert "   1.Ra1-a6 ! zugzwang.\n      1...b7*a6\n          2.b6-b7 #\n" in long
    assert '[FEN "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"]' in run(capsys, MINOR, "2", "--pgn")[1]
    four = next(row["position"] for row in known_problems() if row["moves"] == 4 and row["set"])
    assert "set play" not in run(capsys, four, "4")[1]
    assert "set play" in run(capsys, four, "4", "--set-play")[1]
    assert "  try " in run(capsys, four, "4", "--tries", "1")[1]
    postkey = run(capsys, "k3n3/P7/1K6/3N3p/8/8/8/8 w - - 0 1", "2", "--postkey")[1]
    assert "refuted by 1…h4" in postkey
    castling = ("8/8/8/8/8/8/4QRb1/R3K2k w - - 0 1", "2", "--keys-only")
    assert "none" in run(capsys, *castling)[1]
    assert "1.Qe4!" in run(capsys, *castling, "--assume-castling")[1]


def test_a_piece_list_is_a_diagram(capsys: pytest.CaptureFixture[str]) -> None:
    men = "white Kc8 Ra1 Pb6 / black Ka8 Bb8 Pa7 Pb7"
    assert run(capsys, men, "2")[1] == run(capsys, MINOR, "2")[1]
    assert json.loads(run(capsys, men, "2", "--json")[1])["fen"] == MINOR


def test_keys_of_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "problems.epd"
    file.write_text(
        "# four fields, six fields, an illegal diagram, a cook, a short mate, castling\n"
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - bm #2;\n"
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1 dm 2;\n"
        "k7/2N5/K7/8/8/8/8/8 w - - bm #1;\n"
        "1B6/1p6/k7/p7/P7/2R5/8/K4R2 w - - 0 1 bm #2;\n"
        "k3N3/P7/K6p/8/8/8/8/8 w - - 0 1 bm #2;\n"
        "r3k1K1/1RR3p1/7p/8/8/8/8/8 w q - bm #2;\n"
        "6k1/pp3ppp/4b3/2p5/2n1P3/1Pq2P2/P3BQ1P/1K5R b - - bm #1;\n",
        encoding="utf-8",
    )
    code, out, _ = run(capsys, "--file", str(file), "--keys-only", "--json")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["verdict"] for line in lines] == [
        "sound", "sound", "illegal", "cooked", "short", "none", "cooked",
    ]  # fmt: skip
    assert lines[0]["fen"] == "kbK5/pp6/1P6/8/8/8/8/R7 w - -"
    assert lines[1]["fen"] == MINOR
    assert lines[1]["keys"] == [{"san": "Ra6", "uci": "a1a6", "mate_in": 2}]
    assert "Black is in check" in lines[2]["reasons"][0]
    assert [(key["san"], key["mate_in"]) for key in lines[4]["keys"]] == [("Nc7#", 1), ("Kb6", 2)]
    assert (lines[4]["shortest"], lines[5]["shortest"]) == (1, None)
    assert {key["san"] for key in lines[6]["keys"]} == {"Nd2#", "Na3#", "Qb2#"}
    assert all(set(line) >= {"nodes", "seconds", "n", "reasons"} for line in lines)
    text = run(capsys, "--file", str(file))[1]
    assert text.count("mates in") == 6


def test_the_shortest_mate(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "8/2p5/p7/2p5/kNK5/p7/P7/8 w - - 0 1")
    assert code == 0
    assert out.splitlines()[:2] == ["proven: no mate in 5, mate in 6", "White mates in 6: flawed"]
    found = json.loads(run(capsys, MINOR, "--json")[1])
    assert (found["n"], found["no_mate_in"], found["shortest"]) == (2, 1, 2)
    code, out, _ = run(capsys, LINDGREN, "--time", "0.2")
    assert code == 5
    assert "proven: no mate in" in out
    assert "are undecided: 0.2 s are up" in out


def test_that_there_is_no_mate_at_all_is_proven_once(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "8/8/8/3k4/8/8/8/3K4 w - - 0 1", "--json")
    document = json.loads(out)
    assert (code, document["verdict"], document["complete"]) == (0, "none", True)
    assert document["no_mate_in"] == document["n"] == 200
    assert document["shortest"] is None


def test_certificates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    code, out, _ = run(capsys, LINDGREN, "10", "--certificate", str(proof))
    assert code == 0
    assert "White mates in 10: proven" in out
    assert "1.Qf7+!" in out
    assert certificate.faults(certificate.read(proof)) == []
    assert main(["verify", "--certificate", str(proof)]) == 0
    assert "proves mate in 10" in capsys.readouterr().out
    assert main(["verify", "--certificate", str(proof), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    document = json.loads(proof.read_text(encoding="utf-8"))
    document["positions"][0][3].popitem()
    proof.write_text(json.dumps(document), encoding="utf-8")
    assert main(["verify", "--certificate", str(proof)]) == 4
    assert "proves nothing" in capsys.readouterr().err
    assert main(["verify", "KQvK", "--certificate", str(proof)]) == 2
    assert main(["verify", "--certificate", str(proof), "--dir", "tables"]) == 2
    assert main(["verify", "--certificate", str(tmp_path / "missing.json")]) == 2
    capsys.readouterr()
    none = tmp_path / "none.json"
    code, out, _ = run(capsys, MINOR, "1", "--certificate", str(none))
    assert (code, "none" in out, none.exists()) == (0, True, False)


def test_the_diagram_as_svg(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "diagram.svg"
    assert run(capsys, MINOR, "2", "--svg", str(path))[0] == 0
    assert path.read_text(encoding="utf-8").startswith("<svg")
    many = tmp_path / "many.epd"
    many.write_text(f"{MINOR} bm #2;\n" * 2, encoding="utf-8")
    code, _, err = run(capsys, "--file", str(many), "--svg", str(path))
    assert (code, "holds one problem" in err) == (2, True)
    code, _, err = run(capsys, MINOR, "2", "--svg", str(tmp_path / "no" / "folder.svg"))
    assert (code, len(err.splitlines())) == (4, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no diagram"),
        (("nonsense", "2"), "not a man on a square"),
        (("8/8/8/8 w", "2"), "not a FEN"),
        ((MINOR, "two"), "N must be a number"),
        ((MINOR, "0"), "N must be a number"),
        ((MINOR, "999"), "from 1 to"),
        ((MINOR, "2", "--nonsense"), "unrecognized arguments: --nonsense"),
        ((MINOR, "2", "--threats", "some"), "invalid choice"),
        ((MINOR, "2", "--tries", "-1"), "must not be negative"),
        ((MINOR, "2", "--hash", "0"), "at least 1"),
        (("k7/2N5/K7/8/8/8/8/8 w", "1"), "Black is in check but White is to move"),
        (("k6k/8/8/8/8/8/8/K7 w", "1"), "Black has 2 kings"),
        (("--file", "/nowhere/problems.epd"), "cannot be read"),
        ((MINOR, "2", "--json", "--pgn"), "--pgn: not with --json"),
        ((MINOR, "2", "--long", "--pgn"), "--long: not with --pgn"),
        ((MINOR, "2", "--keys-only", "--depth", "1"), "--depth: not with --keys-only"),
        ((MINOR, "2", "--keys-only", "--certificate", "f"), "--keys-only: not with --certificate"),
        ((MINOR, "2", "--postkey", "--set-play"), "--set-play: not with --postkey"),
        ((MINOR, "--postkey"), "--postkey: name the length"),
        ((MINOR, "2", "--dir", "tables"), "--dir: only with --tables"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_bad_line_of_a_file_does_not_end_the_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "problems.epd"
    bad = [f"{MINOR} bm #999;", "8/8/8 w bm #2;", "caf\xe9"]
    lines = [bad[0], f"{MINOR} bm #2;", "# nothing", "", *bad[1:], f"{MINOR} bm #1;"]
    file.write_text("\n".join(lines), encoding="latin-1")
    code, out, err = run(capsys, "--file", str(file), "--keys-only", "--json")
    assert (code, err) == (2, "")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("verdict") for answer in answers] == [None, "sound", None, None, "none"]
    errors = [answer for answer in answers if "error" in answer]
    assert [error["line"] for error in errors] == [1, 5, 6]
    assert [error["fen"] for error in errors][:2] == bad[:2]
    assert "length must be from 1 to" in errors[0]["error"]
    code, out, err = run(capsys, "--file", str(file), "--keys-only")
    assert (code, out.count("White mates in")) == (2, 2)
    said = err.splitlines()
    assert len(said) == 3
    assert said[1].startswith(f"zermelo mate: {file}:5: 8/8/8 w: not a FEN")


def test_postkey_says_whose_turn_it_takes_it_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    board, note = "k3n3/P7/1K6/3N3p/8/8/8/8 {} - - 0 1", "(--postkey): Black is to move"
    assert note in run(capsys, board.format("w"), "2", "--postkey")[1]
    assert note not in run(capsys, board.format("b"), "2", "--postkey")[1]
    notes = json.loads(run(capsys, board.format("w"), "2", "--postkey", "--json")[1])["notes"]
    assert note in notes[0]


def test_places_are_tried_before_the_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for option in ("--svg", "--certificate"):
        for place in (tmp_path, tmp_path / "none" / "f"):
            # A mate that takes minutes.
            code, out, err = run(capsys, LINDGREN, "9", option, str(place))
            assert (code, out, len(err.splitlines())) == (4, "", 1)
            assert str(place) in err


def test_time_limit_shows_what_was_proven(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, LINDGREN, "9", "--keys-only", "--json", "--time", "0.2")
    document = json.loads(out)
    assert code == 5
    assert document["verdict"] is None
    assert "time limit" in document["reasons"][-1]


def test_interrupt_leaves_with_130_and_what_was_proven(tmp_path: Path) -> None:
    file = tmp_path / "problems.epd"
    file.write_text(f"{MINOR} bm #2;\n{LINDGREN}\n", encoding="utf-8")
    command = [sys.executable, "-m", "zermelo", "mate", "--file", str(file), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["verdict"] == "sound"
        time.sleep(2)  # the second one takes minutes
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    stopped = json.loads(out)
    assert stopped["reasons"] == ["interrupted"]
    assert stopped["no_mate_in"] >= 0
