"""docs/games.md is run as it stands: its files, commands and programs, in order."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[1] / "docs" / "games.md"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.S)


def test_the_tutorial(tmp_path: Path) -> None:
    blocks = FENCE.findall(TUTORIAL.read_text(encoding="utf-8"))
    assert [language for language, _ in blocks] == ["python", "sh", "json", "python", "python"]
    (_, game), (_, command), (_, shown), (_, program), (_, proofs) = blocks
    code = [line for line in game.splitlines() if line.strip() and '"""' not in line]
    assert len(code) < 30
    (tmp_path / "tsoro.py").write_text(game, encoding="utf-8")
    words = [f"{Path(sys.executable).parent}/zermelo", *command.split()[1:]]
    report = json.loads(_run(words, tmp_path)) | {"seconds": 0.0}
    assert report == json.loads(shown)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    lines = _run([sys.executable, "program.py"], tmp_path).splitlines()
    assert lines[0] == "Value(outcome=<Outcome.DRAW: 0>, plies=None)"
    assert lines[2].endswith("11 plies to the end")
    assert lines[3] == "True"
    (tmp_path / "proofs.py").write_text(proofs, encoding="utf-8")
    lines = _run([sys.executable, "proofs.py"], tmp_path).splitlines()
    assert lines[0].startswith("Mark.NIL ")
    assert lines[1] == "False"


def _run(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
