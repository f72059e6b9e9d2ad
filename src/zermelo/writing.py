"""Files are written beside their place and then renamed, so that none is ever half there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zermelo.errors import TableError


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A name to write to, put in the place of ``path`` at the end; an error leaves nothing.

    A link is followed. Raises TableError where that place is no file, or cannot be written.
    """
    goal = path.resolve()
    if goal.exists() and not goal.is_file():
        raise TableError(f"{path}: is no ordinary file; name another place")
    part = goal.with_name(f".{goal.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(goal)
    except OSError as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        part.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Writes a text file whole. Raises TableError if it cannot."""
    with beside(path) as part:
        part.write_text(text, encoding="utf-8")
