"""A file of pieces that vanishes with the process, however it ends: it has no name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Lock
from weakref import finalize

from zermelo.errors import TableError


def unwritable(folder: Path, error: OSError) -> TableError:
    """What is said of a folder in which there is no writing."""
    return TableError(
        f"{folder}: cannot be written ({error.strerror}); choose another folder with --dir"
    )


class Scratch:
    """An open scratch file in a folder; raises TableError where that cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.bytes = 0
        self._folder = folder
        self._lock = Lock()
        try:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (see below)
        except OSError as error:
            raise unwritable(self._folder, error) from None
        finalize(self, self._file.close)

    def append(self, data: bytes) -> tuple[int, int]:
        """Writes a piece; returns (where it begins, its length) for ``read``."""
        with self._lock:
            at = self.bytes
            try:
                self._file.seek(at)
                self._file.write(data)
            except OSError as error:
                raise unwritable(self._folder, error) from None
            self.bytes += len(data)
        return at, len(data)

    def read(self, at: int, length: int) -> bytes:
        """A piece as it was written."""
        with self._lock:
            self._file.seek(at)
            return self._file.read(length)
