"""One table as one file: who is lost, and how soon; docs/format.md describes every byte.

The file keeps, for each half of a material, the levels of the defender to move: level n is mated
in 2n plies, the highest number of a cell's width is not lost. Only canonical cells mean anything.
Values of the attacker to move are one more than the least over the attacker's moves.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from threading import local
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import zstandard
from numpy.typing import NDArray

from zermelo.errors import InputError, TableError
from zermelo.tables.folder import command
from zermelo.tables.material import Half, Material

SUFFIX = ".ztb"
MAGIC = b"zermelo\0"
VERSION = 1
METRIC = 1
"""Levels of depth to mate; the only metric of this version."""
CHUNK_WORDS = 256
CHUNK = 64 * CHUNK_WORDS
"""Cells of a chunk, the unit of compression: few enough for a cold probe to read 30 chunks."""
COMPRESSION = 12
REMAINS = 86_400
"""Seconds without change after which an unfinished file has nobody who still writes it."""

_HEAD = struct.Struct("<8sHHHH16s")  # magic, version, metric, words a chunk, halves, material
_SUMMARY = struct.Struct("<11Q")
_ENTRY = np.dtype([("length", "<u4"), ("check", "<u4")])
_CHECK = struct.Struct("<I")

Levels = NDArray[Any]
"""uint8 or uint16."""


class Summary(NamedTuple):
    """What a half comes to; positions that symmetry makes equal count once.

    attacker: 0 if it is the side that the material names first, else 1. width: bytes of a level.
    cells: of the half's layout.
    legal, lost: positions with the defender to move, and how many of them are lost.
    longest: the greatest level among these; example: the first cell with it.
    mover_legal, won, mover_longest, mover_example: the same of the attacker to move and of wins.
    """

    attacker: int
    width: int
    cells: int
    legal: int
    lost: int
    longest: int
    example: int
    mover_legal: int
    won: int
    mover_longest: int
    mover_example: int

    @property
    def chunks(self) -> int:
        """How many chunks the cells fill; the last one may be filled up."""
        return -(-self.cells // CHUNK)

    @property
    def longest_plies(self) -> int:
        """The longest mate in plies, whoever is to move."""
        return max(2 * self.longest, 2 * self.mover_longest - 1)


def file_name(material: Material) -> str:
    """``KRvK.ztb``."""
    return f"{material}{SUFFIX}"


class Table:
    """An open file; raises TableError where it is truncated, damaged or of another version.

    material, halves, summaries (one a half), and check, the checksum of all that the file holds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise self._damaged("empty") from None
        except OSError as error:
            raise TableError(f"{path}: cannot be read ({error.strerror})") from None
        try:
            self._read_header()
        except BaseException:
            self._bytes.close()
            raise

    def _read_header(self) -> None:
        if len(self._bytes) < _HEAD.size or self._bytes[:8] != MAGIC:
            raise self._damaged("not a table of zermelo")
        _, version, metric, chunk_words, halves, name = _HEAD.unpack_from(self._bytes)
        if (version, metric) != (VERSION, METRIC):
            raise self._damaged(
                f"format version {version}, metric {metric}, "
                f"where this program reads {VERSION} and {METRIC}"
            )
        try:
            self.material = Material.parse(name.rstrip(b"\0").decode("ascii"))
        except (InputError, UnicodeDecodeError):
            raise self._damaged("damaged header") from None
        self.halves = self.material.halves
        start = _HEAD.size + _SUMMARY.size * halves
        if len(self._bytes) < start or halves != len(self.halves):
            raise self._damaged("truncated or damaged header")
        self.summaries = tuple(
            Summary(*_SUMMARY.unpack_from(self._bytes, _HEAD.size + _SUMMARY.size * i))
            for i in range(halves)
        )
        self._first = [0, *accumulate(summary.chunks for summary in self.summaries)]
        end = start + _ENTRY.itemsize * self._first[-1]
        if chunk_words != CHUNK_WORDS or len(self._bytes) < end + _CHECK.size:
            raise self._damaged("truncated or damaged header")
        (self.check,) = _CHECK.unpack_from(self._bytes, end)
        if zlib.crc32(self._bytes[:end]) != self.check:
            raise self._damaged("damaged header (checksum)")
        self._index = np.frombuffer(self._bytes[start:end], _ENTRY)
        self._ends = end + _CHECK.size + np.cumsum(self._index["length"], dtype=np.int64)
        if len(self._bytes) != self._ends[-1]:
            raise self._damaged(f"{len(self._bytes)} bytes where {self._ends[-1]} were written")

    def _damaged(self, fault: str) -> TableError:
        again = command(f"solve {self.path.stem} --force", self.path.parent)
        return TableError(f"{self.path}: {fault}; make it again with: {again}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._bytes.close()

    @property
    def size(self) -> int:
        """Length of the file in bytes."""
        return len(self._bytes)

    def summary(self, half: Half) -> Summary:
        """The summary of one of the halves."""
        return self.summaries[self._number(half)]

    def _number(self, half: Half) -> int:
        if half not in self.halves:
            raise self._damaged(f"this is the table of {self.material}; give it its own name")
        return self.halves.index(half)

    def _compressed(self, number: int) -> bytes:
        length, check = (int(field) for field in self._index[number])
        end = int(self._ends[number])
        data = self._bytes[end - length : end]
        if zlib.crc32(data) != check:
            raise self._damaged(f"damaged chunk {number}")
        return data

    def chunk(self, half: Half, number: int) -> bytes:
        """One chunk of a half: the levels of 256 words, lane by lane."""
        at = self._number(half)
        size = CHUNK * self.summaries[at].width
        number += self._first[at]
        try:
            data: bytes = zstandard.ZstdDecompressor().decompress(self._compressed(number), size)
        except zstandard.ZstdError:
            raise self._damaged(f"damaged chunk {number}") from None
        if len(data) != size:
            raise self._damaged(f"damaged chunk {number}")
        return data

    def levels(self, half: Half) -> Levels:
        """Levels of all cells of a half, ``[words, 64]``; needs as much memory."""
        summary = self.summary(half)
        whole = np.empty((summary.cells // 64, 64), f"u{summary.width}")

        def read(number: int) -> None:
            lanes = np.frombuffer(self.chunk(half, number), f"<u{summary.width}").reshape(64, -1)
            part = whole[number * CHUNK_WORDS : (number + 1) * CHUNK_WORDS]
            part[:] = lanes.T[: len(part)]

        with ThreadPoolExecutor() as pool:
            for _ in pool.map(read, range(summary.chunks)):
                pass
        return whole

    def verify(self) -> None:
        """Reads every byte; raises TableError if one is not what was written."""
        for number in range(len(self._index)):
            self._compressed(number)


class TableWriter:
    """Writes a table chunk by chunk, beside its place, and puts it there when it is whole.

    ``append`` takes the chunks of the first half in their order and then those of the second,
    ``finish`` the summaries. Leaving the context without it leaves nothing behind.
    """

    def __init__(self, folder: Path, material: Material, chunks: int) -> None:
        self.path = folder / file_name(material)
        self._part = folder / f".{file_name(material)}.{os.getpid()}.part"
        self._material = material
        self._chunks = chunks
        self._entries: list[tuple[int, int]] = []
        self._compressors = local()
        self._pool = ThreadPoolExecutor()

    def _remove_remains(self, folder: Path) -> None:
        """Removes what a killed process left of this table."""
        for part in folder.glob(f".{file_name(self._material)}.*.part"):
            if time.time() - part.stat().st_mtime > REMAINS:
                part.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> TableError:
        return TableError(
            f"{self.path}: cannot be written ({error.strerror}); choose another folder with --dir"
        )

    def __enter__(self) -> Self:
        try:
            folder = self.path.parent
            folder.mkdir(parents=True, exist_ok=True)
            self._remove_remains(folder)
            self._file = self._part.open("wb")
            self._file.seek(
                _HEAD.size
                + _SUMMARY.size * len(self._material.halves)
                + _ENTRY.itemsize * self._chunks
                + _CHECK.size
            )
        except OSError as error:
            raise self._unwritable(error) from None
        except BaseException:
            # Ctrl-C before the block of the with statement has begun.
            self._part.unlink(missing_ok=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._pool.shutdown()
        try:
            self._file.close()
        finally:
            self._part.unlink(missing_ok=True)

    def _compress(self, chunk: Levels) -> bytes:
        if not hasattr(self._compressors, "zstd"):
            self._compressors.zstd = zstandard.ZstdCompressor(level=COMPRESSION)
        data: bytes = self._compressors.zstd.compress(chunk)
        return data

    def append(self, chunks: Levels) -> None:
        """Adds the next chunks, ``[n, CHUNK]`` of little-endian levels."""
        try:
            for data in self._pool.map(self._compress, chunks):
                self._file.write(data)
                self._entries.append((len(data), zlib.crc32(data)))
        except OSError as error:
            raise self._unwritable(error) from None

    def finish(self, summaries: list[Summary]) -> None:
        """Writes the header and puts the file in its place."""
        if not len(self._entries) == self._chunks == sum(s.chunks for s in summaries):
            raise ValueError(f"{self.path}: {len(self._entries)} of {self._chunks} chunks written")
        name = str(self._material).encode("ascii")
        head = _HEAD.pack(MAGIC, VERSION, METRIC, CHUNK_WORDS, len(summaries), name)
        head += b"".join(_SUMMARY.pack(*summary) for summary in summaries)
        head += np.array(self._entries, _ENTRY).tobytes()
        try:
            self._file.seek(0)
            self._file.write(head + _CHECK.pack(zlib.crc32(head)))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._part.replace(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
