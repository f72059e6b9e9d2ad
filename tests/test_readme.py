"""Every command and program of the README runs, and prints what the README shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.S)
_ELSEWHERE = ("python3 -m venv .venv", ".venv/bin/pip install")
"""How commands begin that .ci/run carries out, on a clean clone, before any test."""


@pytest.fixture(scope="module")
def newcomers_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder: the README begins where there are no tables."""
    return tmp_path_factory.mktemp("newcomer")


class Block(NamedTuple):
    """A fenced block: its language, its text, and what is shown right after it as its output."""

    language: str
    text: str
    shown: str | None


def blocks() -> list[Block]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    found = []
    for fence, following in zip(fences, [*fences[1:], None], strict=True):
        shown = None
        if following and not following[1] and not text[fence.end() : following.start()].strip():
            shown = following[2]
        if fence[1]:
            found.append(Block(fence[1], fence[2], shown))
    return found


def run(command: str, folder: Path, tables: Path) -> str:
    here = {"ZERMELO_TABLES": str(tables), "COLUMNS": "100"}
    done = subprocess.run(
        command,
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        env={**os.environ, **here},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def parts(line: str) -> list[str]:
    """The commands of a line that are run here: not the installation, and not these tests."""
    commands = [part.strip() for part in line.split(" && ")]
    return [
        command.replace(".venv/bin/", f"{Path(sys.executable).parent}/")
        for command in commands
        if not command.startswith(_ELSEWHERE) and command != ".venv/bin/pytest"
    ]


def timeless(output: str) -> str:
    return re.sub(r"in \d+\.\d s", "in … s", output).strip()


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.text.strip()[:60])
def test_block(block: Block, tmp_path: Path, newcomers_tables: Path) -> None:
    if block.language == "sh":
        commands = [part for line in block.text.splitlines() for part in parts(line)]
    else:
        assert block.language == "python", f"nothing runs {block.language}"
        (tmp_path / "program.py").write_text(block.text, encoding="utf-8")
        commands = [f"{sys.executable} program.py"]
    output = "".join(run(command, tmp_path, newcomers_tables) for command in commands)
    if block.shown is not None:
        assert timeless(output) == timeless(block.shown)


def test_the_first_command_installs_and_solves() -> None:
    first = blocks()[0].text.strip()
    assert first == (
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/zermelo solve KBNvK"
    )
