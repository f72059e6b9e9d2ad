"""Files are put in place whole, links are followed, devices left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zermelo.errors import TableError
from zermelo.writing import beside, check_place, write


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path, "old")
    with pytest.raises(ZeroDivisionError), beside(path) as part:
        part.write_text(str(part.write_text("half") // 0))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_is_followed_and_a_folder_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    for place in (tmp_path, Path(os.devnull)):
        with pytest.raises(TableError, match="no ordinary file"):
            write(place, "text")
    for place in (tmp_path / "nowhere" / "file", tmp_path / "target" / "file", Path("/proc/file")):
        for attempt in (check_place, lambda path: write(path, "text")):
            with pytest.raises(TableError, match=r"cannot be written .*; name another place"):
                attempt(place)


def test_asking_about_a_place_leaves_nothing_there(tmp_path: Path) -> None:
    check_place(tmp_path / "file")
    assert os.listdir(tmp_path) == []


def test_a_full_output_is_one_line() -> None:
    command = [sys.executable, "-m", "zermelo", "perft", "8/8/8/8/8/4k3/8/4K2R w - - 0 1", "1"]
    with open("/dev/full", "w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 4
    assert run.stderr.splitlines()[-1] == "zermelo perft: output: no space is left"
    assert "Traceback" not in run.stderr
