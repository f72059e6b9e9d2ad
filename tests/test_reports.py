"""``census``, ``verify``, ``export`` and ``find`` as a user drives them."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np
import pyarrow.parquet as pq
import pytest

from finished import finished
from zermelo.cli import main
from zermelo.tables.fens import men_at
from zermelo.tables.geometry import geometry
from zermelo.tables.layout import layout, locate
from zermelo.tables.material import Half
from zermelo.tables.packing import chunks, summarize
from zermelo.tables.retrograde import Solved
from zermelo.tables.table import TableWriter
from zermelo.tables.tablebase import Tablebase
from zermelo.values import Outcome


@pytest.fixture
def run(
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Any:
    """Runs a command in an empty folder; returns (exit code, standard output, standard error)."""
    monkeypatch.setenv("ZERMELO_TABLES", str(tables))
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        output = capsys.readouterr()
        return code, output.out, output.err

    return command


def test_census_json(run: Any) -> None:
    code, out, _ = run("census", "KRvK", "--json")
    census = json.loads(out)
    assert code == 0
    assert census["counts"] == {
        **{"legal_wtm": 21959, "legal_btm": 28056, "w_loss": 0, "w_draw": 0, "w_win": 21959},
        **{"b_loss": 25260, "b_draw": 2796, "b_win": 0, "mz_wtm_draw_btm_loses": 0},
        **{"mz_wtm_loses_btm_draws": 0, "mz_full_point": 0},
    }
    columns = {"material", "turn", "outcome", "plies", "count", "example"}
    assert all(set(row) == columns for row in census["histogram"])
    assert sum(row["count"] for row in census["histogram"]) == 21959 + 28056
    assert census["orbits"]["b"]["percent"] == {"won": 0.0, "drawn": 9.97, "lost": 90.03}
    for end in census["longest"]:
        board = chess.Board(end["fen"])
        for san in end["line"]:
            board.push_san(san)
        assert board.is_checkmate()
        assert len(end["line"]) == end["plies"]
    assert {(end["turn"], end["plies"]) for end in census["longest"]} == {("w", 31), ("b", 32)}


def test_census_text_and_plot(run: Any) -> None:
    code, out, _ = run("census", "KRvK", "--plot", "krk.svg")
    assert code == 0
    assert "21,959 won (100.0 %)" in out
    assert "longest loss with black to move: 32 plies" in out
    assert "█" in out
    assert "<svg" in Path("krk.svg").read_text(encoding="utf-8")
    code, _, _ = run("census", "KRvK", "--plot", "krk.png")
    assert code == 0
    assert Path("krk.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in Path().iterdir()) == ["krk.png", "krk.svg"]
    code, _, err = run("census", "KRvK", "--plot", "krk.doc")
    assert code == 2
    assert "must end in .png or .svg" in err


@pytest.mark.parametrize(
    "words",
    [
        ("census", "KQRvKR", "--plot"),
        ("export", "KQRvKR", "--format", "csv", "--output"),
        ("export", "KBNvK", "--format", "answers24", "--output"),
    ],
)
def test_places_are_tried_before_the_work(run: Any, words: tuple[str, ...]) -> None:
    Path("folder.svg").mkdir()
    for place in ("folder.svg", "none/k.svg", "/proc/k.svg"):
        # The missing table of five men would be exit code 3.
        code, out, err = run(*words, place)
        assert (code, out, len(err.splitlines())) == (4, "", 1)
        assert place in err


def test_extras_that_are_missing_are_named(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zermelo.cli.histogram.find_spec", lambda name: None)
    monkeypatch.setattr("zermelo.tables.export.find_spec", lambda name: None)
    code, out, err = run("census", "KQRvKR", "--plot", "k.svg")
    assert (code, out, err.splitlines()[0].endswith("pip install matplotlib")) == (2, "", True)
    code, out, err = run("export", "KQRvKR", "--format", "parquet")
    assert (code, out, err.splitlines()[0].endswith("pip install pyarrow")) == (2, "", True)


def test_census_lists_mutual_zugzwangs(run: Any) -> None:
    code, out, _ = run("census", "KPvK", "--json")
    assert code == 0
    zugzwangs = json.loads(out)["mutual_zugzwangs"]
    assert {name: len(fens) for name, fens in zugzwangs.items()} == {
        "w_draws": 80,
        "w_loses": 0,
        "full_point": 0,
    }
    _, out, _ = run("census", "KPvK")
    assert "mutual zugzwang, White draws, Black loses: 80" in out
    assert "and 72 more" in out


def test_census_of_draws_only(run: Any) -> None:
    code, out, _ = run("census", "KNvK")
    assert code == 0
    assert "25,750 drawn (100.0 %)" in out


def test_verify(run: Any) -> None:
    code, out, _ = run("verify", "KRvK", "KBvK", "--json")
    assert code == 0
    checked = [json.loads(line) for line in out.splitlines()]
    assert [(one["material"], one["ok"], one["positions"]) for one in checked] == [
        ("KRvK", True, 21959 + 28056),
        ("KBvK", True, 24178 + 28056),
    ]


def test_verify_all_goes_on_where_it_stopped(run: Any, tables: Path, tmp_path: Path) -> None:
    run("verify", "KRvK", "KQvK")
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("KRvK.ztb", "KQvK.ztb"):
        shutil.copy(tables / name, folder)
    code, out, _ = run("verify", "KRvK", "--dir", str(folder))
    assert code == 0
    code, out, _ = run("verify", "--all", "--dir", str(folder))
    assert code == 0
    assert out.startswith("KQvK")
    assert "KRvK" not in out
    code, out, _ = run("verify", "--all", "--dir", str(folder))
    assert (code, "checked before" in out) == (0, True)
    (folder / "verified.jsonl").write_text("{", encoding="utf-8")
    code, _, err = run("verify", "--all", "--dir", str(folder))
    assert code == 4
    assert "damaged; remove it" in err


def _write(folder: Path, half: Half, lost: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    """A whole table file, with good checksums, from these cells."""
    solved = Solved(half, lost, finished)
    size = sum(len(part) for part in chunks(solved, lambda done: None))
    with TableWriter(folder, half.material, size) as writer:
        for part in chunks(solved, lambda done: None):
            writer.append(part)
        writer.finish([summarize(solved)])


def test_a_changed_byte_with_a_good_checksum_is_found(run: Any, tmp_path: Path) -> None:
    half = Half("R", "")
    lost = finished(half).lost.copy()
    men = np.array(men_at(half, int(np.flatnonzero(lost.reshape(-1) == 7)[0])), np.uint8)
    # Files keep the canonical one of the cells that are the same position.
    word, lane = divmod(int(locate(layout(half), geometry().maps, men)), 64)
    _write(tmp_path, half, lost)
    assert run("verify", "KRvK", "--dir", str(tmp_path))[0] == 0
    lost[word, lane] = 8
    _write(tmp_path, half, lost)
    code, out, err = run("verify", "KRvK", "--dir", str(tmp_path), "--json")
    assert code == 4
    fault = json.loads(out)
    assert fault["ok"] is False
    assert fault["stored"] != fault["right"]
    assert chess.Board(fault["fen"]).is_valid()
    assert err.count("\n") == 1
    assert fault["fen"] in err
    assert "zermelo solve KRvK --force" in err


def test_verify_checks_certificates_of_mates(run: Any) -> None:
    fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
    assert run("mate", fen, "2", "--certificate", "proof.json")[0] == 0
    code, out, _ = run("verify", "--certificate", "proof.json", "--json")
    assert code == 0
    proof = json.loads(out)
    assert (proof["ok"], proof["fen"], proof["mate_in"]) == (True, fen, 2)
    text = Path("proof.json").read_text(encoding="utf-8")
    Path("proof.json").write_text(text.replace("a1a6", "a1a5"), encoding="utf-8")
    code, _, err = run("verify", "--certificate", "proof.json")
    assert code == 4
    assert "proves nothing" in err
    assert run("verify", "KRvK", "--certificate", "proof.json")[0] == 2


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_export_csv_and_parquet_agree(run: Any) -> None:
    assert run("export", "KRvK", "--format", "csv")[0] == 0
    assert run("export", "KRvK", "--format", "parquet", "--output", "krk.parquet")[0] == 0
    rows = _rows(Path("KRvK.csv").read_text(encoding="utf-8"))
    assert len(rows) == 21959 + 28056
    table = pq.read_table("krk.parquet")
    columns = ["fen", "turn", "outcome", "plies", "legal_moves", "winning_moves"]
    assert table.column_names == columns
    for row, other in zip(rows[::997], table.to_pylist()[::997], strict=True):
        assert row == {name: "" if v is None else str(v) for name, v in other.items()}


@pytest.mark.parametrize("material", ["KRvK", "KPvK", "KRvKN", "KPvKP"])
def test_exported_rows_are_right(run: Any, tablebase: Tablebase, material: str) -> None:
    code, out, _ = run(
        *("export", material, "--format", "csv", "--output", "-", "--sample", "300", "--seed", "7")
    )
    assert code == 0
    rows = _rows(out)
    assert len({row["fen"] for row in rows}) == 300
    for row in rows:
        board = chess.Board(row["fen"])
        value, moves = tablebase.value(board), tablebase.moves(board)
        assert row["turn"] == ("w" if board.turn else "b")
        assert (row["outcome"], row["plies"]) == (
            value.outcome.word,
            "" if value.plies is None else str(value.plies),
        )
        assert int(row["legal_moves"]) == len(moves)
        winning = sum(move.value.outcome is Outcome.WIN for move in moves)
        assert int(row["winning_moves"]) == winning
    again = run(
        *("export", material, "--format", "csv", "--output", "-", "--sample", "300", "--seed", "7")
    )
    assert again[1] == out


def test_export_codes(run: Any) -> None:
    code, out, _ = run("export", "KBNvK", "--format", "answers24", "--compress", "--json")
    assert code == 0
    written = json.loads(out)
    assert written["bytes"] == Path(written["file"]).stat().st_size <= 2_097_152


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("export", "KRvKB", "--format", "values25"), "KRvKB: the classic encodings"),
        (("export", "KRvK", "--format", "csv", "--compress"), "only --format answers24"),
        (("export", "KRvK", "--format", "csv", "--sample", "0"), "--sample"),
        (("export", "KRvK", "--format", "csv", "--sample", "99999999"), "there are only 50,015"),
        (("verify",), "give --all"),
        (("find", "KRvK", "--plies", "3", "--outcome", "loss"), "odd number of plies"),
        (("find", "KRvK", "--sample", "0"), "at least one"),
        (("census", "KXvK"), "no material"),
    ],
)
def test_bad_requests(run: Any, words: tuple[str, ...], message: str) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert not list(Path().iterdir())


def _found(run: Any, *words: str) -> list[tuple[dict[str, Any], chess.Board]]:
    code, out, _ = run("find", *words, "--sample", "10", "--seed", "1", "--json")
    assert code == 0
    found = [json.loads(line) for line in out.splitlines()]
    assert found
    return [(one, chess.Board(one["fen"])) for one in found]


def test_find_only_moves(run: Any, tablebase: Tablebase) -> None:
    for one, board in _found(run, "KPvK", "--plies", "19", "--only-move", "--turn", "w"):
        assert (one["outcome"], one["plies"], tablebase.value(board).plies) == ("win", 19, 19)
        winning = [m.san for m in tablebase.moves(board) if m.value.outcome is Outcome.WIN]
        assert one["best"] == winning
        assert len(winning) == 1


def test_find_zugzwangs(run: Any, tablebase: Tablebase) -> None:
    """White wins, but would win sooner if he could pass."""
    for one, board in _found(run, "KRvK", "--plies", "21", "--zugzwang", "--turn", "w"):
        assert (one["plies"], tablebase.value(board).plies) == (21, 21)
        board.turn = chess.BLACK
        assert (tablebase.value(board).plies or 0) + 1 < 21


def test_find_counts_mutual_zugzwangs(run: Any) -> None:
    for turn, outcome in (("w", "draw"), ("b", "loss")):
        words = ("--turn", turn, "--zugzwang", "mutual", "--json")
        code, out, _ = run("find", "KPvK", *words)
        assert code == 0
        fens = {json.loads(line)["fen"] for line in out.splitlines()}
        assert len(fens) == 80
        assert {json.loads(line)["outcome"] for line in out.splitlines()} == {outcome}


def test_find_counts_by_distance(run: Any) -> None:
    code, out, _ = run("find", "KRvK", "--plies", "32")
    assert code == 0
    census = json.loads(run("census", "KRvK", "--json")[1])
    counts = {(row["turn"], row["plies"]): row["count"] for row in census["histogram"]}
    assert len(out.splitlines()) - 1 == counts["b", 32]


def test_find_epd_and_pgn(run: Any) -> None:
    _, out, _ = run("find", "KRvK", "--plies", "5", "--sample", "3", "--format", "epd")
    for line in out.splitlines():
        board, operations = chess.Board.from_epd(line)
        assert operations["dm"] == 3
        assert operations["bm"][0] in board.legal_moves
    _, out, _ = run("find", "KRvK", "--plies", "5", "--sample", "3", "--format", "pgn")
    stream = io.StringIO(out)
    games = iter(lambda: chess.pgn.read_game(stream), None)
    ends = [game.end().board() for game in games]
    assert len(ends) == 3
    assert all(end.is_checkmate() for end in ends)
