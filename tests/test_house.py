"""The house rules: arrows point downward, imports are light, errors have their codes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import zermelo
from zermelo import errors
from zermelo.cli.common import announce_compilation
from zermelo.values import DRAW, MATED, Outcome, Value

SOURCE = Path(zermelo.__file__).parent

ALLOWED = {
    "cli": {"web", "play", "problems", "cluster", "tables", "games", "board"},
    "web": {"play", "problems", "tables", "games", "board"},
    "play": {"problems", "tables", "games", "board"},
    "problems": {"tables", "board"},
    "cluster": {"tables", "games", "board"},
    "tables": {"board"},
    "games": set(),
    "board": set(),
}
GROUND = {"values", "errors", "jit", "writing", "", "__version__"}


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_arrows_point_downward(room: str) -> None:
    for path in sorted((SOURCE / room).rglob("*.py")):
        allowed = ALLOWED[room] | GROUND | {room}
        if path.match("games/library/chess.py"):
            allowed = allowed | {"board"}
        for name in _imported(path):
            parts = name.split(".")
            if parts[0] == "zermelo":
                assert parts[1] in allowed or parts[1] in zermelo.__all__, f"{path} imports {name}"


def test_kernels_do_not_import_python_chess() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        names = _imported(path)
        if path.parent.name == "board" or "zermelo.jit.kernel" in names:
            assert not any(name.split(".")[0] == "chess" for name in names), path


def test_only_one_file_imports_ray() -> None:
    users = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(name.split(".")[0] == "ray" for name in _imported(path))
    }
    assert users <= {"cluster/connection.py"}


def test_files_are_short() -> None:
    long = {
        str(path.relative_to(SOURCE)): lines
        for path in SOURCE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert not long


def test_importing_the_package_does_not_import_numba() -> None:
    code = "import sys, zermelo, zermelo.cli; zermelo.cli.parser(); print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_a_cache_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("ZERMELO_CACHE", str(file))
    announce_compilation()
    said = capsys.readouterr().err
    assert said.startswith(f"{file / 'kernels'}: cannot be written")
    assert said.endswith("$ZERMELO_CACHE\n")
    assert said.count("\n") == 1
    monkeypatch.setenv("ZERMELO_CACHE", str(tmp_path / "cache"))
    announce_compilation()
    assert capsys.readouterr().err == ""


def test_compiling_is_said_as_it_is(tmp_path: Path) -> None:
    """Kernels are kept; what takes a game's own functions is compiled by every process."""
    game = Path(__file__).parent / "data" / "countdown.py"
    command = [sys.executable, "-m", "zermelo", "game", "--file", str(game), "counters=9"]
    said = []
    for _ in range(2):
        run = subprocess.run(
            command,
            env={**os.environ, "ZERMELO_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(run.stderr.splitlines())
    every, once = "compiling the game's moves …", "compiling kernels (once on this machine) …"
    assert (sorted(said[0]), said[1]) == ([once, every], [every])


def test_error_family() -> None:
    codes = {
        errors.InputError: (2, 400, ValueError),
        errors.MissingTableError: (3, 404, KeyError),
        errors.TableError: (4, 500, OSError),
        errors.LimitError: (5, 413, Exception),
    }
    for error, (code, status, base) in codes.items():
        assert (error.exit_code, error.http_status) == (code, status)
        assert issubclass(error, base)
        assert str(error("KXvK: no such piece")) == "KXvK: no such piece"


def test_values() -> None:
    assert MATED.before == Value(Outcome.WIN, 1)
    assert MATED.before.moves == 1
    assert Value(Outcome.LOSS, 4).moves == 2
    assert DRAW.before is DRAW
    ranked = [Value(Outcome.WIN, 3), Value(Outcome.WIN, 5), DRAW, Value(Outcome.LOSS, 8), MATED]
    ranks = [value.rank for value in ranked]
    assert ranks == sorted(set(ranks))
    with pytest.raises(ValueError, match="draw with plies=3"):
        Value(Outcome.DRAW, 3)
    with pytest.raises(ValueError, match="win with plies=None"):
        Value(Outcome.WIN)


def test_public_names_resolve() -> None:
    for name in zermelo.__all__:
        assert getattr(zermelo, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        zermelo.nonsense  # noqa: B018
