"""A table's file: what is written is read, and nothing damaged is believed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from zermelo.errors import TableError
from zermelo.tables.material import Half, Material
from zermelo.tables.packing import chunks, summarize
from zermelo.tables.retrograde import restore, solve_half
from zermelo.tables.solving import Solver, solve, sound
from zermelo.tables.table import Table, TableWriter, file_name

KRVK = Material.parse("KRvK")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    list(solve([KRVK], folder))
    return folder / "KRvK.ztb"


def damaged(original: Path, folder: Path, data: bytes) -> Path:
    path = folder / original.name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["KRvK", "KPvK", "KQvKR", "KPvKP"])
def test_a_half_comes_back_whole(name: str, tables: Path) -> None:
    material = Material.parse(name)
    list(solve([material], tables))
    solver = Solver(tables)
    with Table(tables / file_name(material)) as table:
        for half in material.halves:
            made = solve_half(half, solver.half)
            read = restore(half, table.levels(half), solver.half)
            assert (read.lost == made.lost).all()
            assert (read.win == made.win).all()
            assert table.summary(half) == summarize(made)


def test_summary_of_rook_against_king(original: Path) -> None:
    with Table(original) as table:
        (summary,) = table.summaries
    assert (summary.mover_legal, summary.won, 2 * summary.mover_longest - 1) == (21959, 21959, 31)
    assert (summary.legal, summary.lost, 2 * summary.longest) == (28056, 25260, 32)


def test_two_runs_write_the_same_bytes(original: Path, tmp_path: Path) -> None:
    list(solve([KRVK], tmp_path))
    assert (tmp_path / original.name).read_bytes() == original.read_bytes()


def test_every_flipped_byte_is_found(original: Path, tmp_path: Path) -> None:
    good = original.read_bytes()
    for place in range(0, len(good), 13):
        data = bytearray(good)
        data[place] ^= 0x55
        path = damaged(original, tmp_path, bytes(data))
        assert not sound(path), f"byte {place}"
        with (
            pytest.raises(TableError, match=r"KRvK\.ztb: .*zermelo solve KRvK --force"),
            Table(path) as table,
        ):
            table.levels(KRVK.halves[0])


@pytest.mark.parametrize("length", [0, 5, 40, 100, 200, 3000, -1])
def test_truncated(original: Path, tmp_path: Path, length: int) -> None:
    path = damaged(original, tmp_path, original.read_bytes()[:length])
    with pytest.raises(TableError, match=r"KRvK\.ztb: (empty|truncated|not a table|\d+ bytes)"):
        Table(path)


def test_wrong_version(original: Path, tmp_path: Path) -> None:
    data = bytearray(original.read_bytes())
    data[8] += 1
    with pytest.raises(TableError, match="format version 2, metric 1"):
        Table(damaged(original, tmp_path, bytes(data)))


def test_damaged_chunk_under_a_right_checksum(original: Path, tmp_path: Path) -> None:
    # Whoever recomputes the checksums still cannot make rubbish look compressed.
    with Table(original) as table:
        start = original.stat().st_size - int(table._index["length"].sum())
        end = start - 4
    data = bytearray(original.read_bytes())
    length = int.from_bytes(data[end - 24 : end - 20], "little")
    data[start : start + length] = bytes(length)
    data[end - 20 : end - 16] = zlib.crc32(data[start : start + length]).to_bytes(4, "little")
    data[end : end + 4] = zlib.crc32(data[:end]).to_bytes(4, "little")
    with (
        pytest.raises(TableError, match="damaged chunk 0"),
        Table(damaged(original, tmp_path, bytes(data))) as table,
    ):
        table.levels(KRVK.halves[0])


def test_missing_and_unwritable(original: Path, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        Table(tmp_path / "KRvK.ztb")
    # A file in the place of the folder: even a superuser cannot write into that.
    with pytest.raises(TableError, match=r"cannot be written .* --dir"):
        list(solve([KRVK], original))


def _write(folder: Path, fails: bool) -> None:
    with TableWriter(folder, KRVK, 3) as writer:
        writer.append(np.zeros((2, 1 << 14), np.uint8))
        if fails:
            raise RuntimeError
        writer.finish([])


def test_an_unfinished_table_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        _write(tmp_path, True)
    with pytest.raises(ValueError, match="2 of 3 chunks"):
        _write(tmp_path, False)
    assert not list(tmp_path.iterdir())


def test_remains_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    old, new = tmp_path / ".KRvK.ztb.1.part", tmp_path / ".KRvK.ztb.2.part"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    list(solve([KRVK], tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"KRvK.ztb", new.name}


def test_two_byte_levels(tmp_path: Path) -> None:
    half = KRVK.halves[0]
    made = solve_half(half, Solver(tmp_path).half)
    # The same table with levels beyond one byte: 300 more for each, and the two marks moved.
    wide = np.where(made.lost >= 254, made.lost + np.uint16(0xFF00), made.lost + np.uint16(300))
    made.lost = wide.astype(np.uint16)
    made.win = np.where(made.win == 255, 0xFFFF, made.win).astype(np.uint16)
    with TableWriter(tmp_path, KRVK, 3) as writer:
        for packed in chunks(made, lambda done: None):
            writer.append(packed)
        writer.finish([summarize(made)])
    with Table(tmp_path / "KRvK.ztb") as table:
        assert table.summary(half).width == 2
        assert table.summary(half).longest == 316
        read = restore(half, table.levels(half), Solver(tmp_path).half)
        assert (read.lost == wide).all()


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_at_any_moment(tmp_path: Path, signum: signal.Signals) -> None:
    command = [sys.executable, "-m", "zermelo", "solve", "KQvKR", "KRvKN", "--dir", str(tmp_path)]
    for moment in ("KQvK.ztb", ".KRvKN.ztb.*", ".KQvKR.ztb.*"):
        for path in tmp_path.iterdir():
            path.unlink()
        run = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob(moment)) and run.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        os.kill(run.pid, signum)
        _, said = run.communicate()
        if run.returncode == 0:
            continue  # it was faster than the signal
        finished = list(tmp_path.glob("*.ztb"))
        assert all(sound(path) for path in finished)
        if signum == signal.SIGINT:
            assert run.returncode == 130
            assert said.splitlines()[-1] == "zermelo solve: interrupted"
            assert not list(tmp_path.glob(".*"))
    list(solve([Material.parse("KQvKR")], tmp_path))
    assert sound(tmp_path / "KQvKR.ztb")


def test_sound_tables_are_skipped(tmp_path: Path) -> None:
    first = list(solve([KRVK], tmp_path))
    stamp = first[0].path.stat().st_mtime_ns
    (second,) = solve([KRVK], tmp_path)
    assert second.seconds == 0
    assert first[0].path.stat().st_mtime_ns == stamp
    first[0].path.write_bytes(first[0].path.read_bytes()[:-1])
    (third,) = solve([KRVK], tmp_path)
    assert third.seconds > 0
    assert sound(first[0].path)


def test_hopeless_halves_are_no_file() -> None:
    assert Half("B", "").hopeless
    assert Material.parse("KBvK").halves == ()
