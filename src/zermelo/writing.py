"""Files are written beside their place and then renamed, so that none is ever half there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from zermelo.errors import TableError


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A name to write to, put in the place of ``path`` at the end; an error leaves nothing.

    A link is followed. Raises TableError where that place is no file, or cannot be written.
    """
    goal, part = _places(path)
    try:
        yield part
        part.replace(goal)
    except OSError as error:
        if isinstance(error, TableError):
            raise
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def check_place(path: Path) -> None:
    """Raises TableError if no file can be written there: asked before the work for it begins."""
    _, part = _places(path)
    try:
        part.touch()
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def write(path: Path, text: str) -> None:
    """Writes a text file whole. Raises TableError if it cannot."""
    with beside(path) as part:
        part.write_text(text, encoding="utf-8")


def _places(path: Path) -> tuple[Path, Path]:
    """The file that is meant, and the one beside it."""
    goal = path.resolve()
    if goal.exists() and not goal.is_file():
        raise TableError(f"{path}: is no ordinary file; name another place")
    return goal, goal.with_name(f".{goal.name}.{os.getpid()}.part")


def _remove(part: Path) -> None:
    # Where nothing could be written, not even the folder need be one.
    with suppress(OSError):
        part.unlink()


def _unwritable(path: Path, error: OSError) -> TableError:
    return TableError(f"{path}: cannot be written ({error.strerror or error}); name another place")
