"""The folder of tables: where it is, and how people are told to fill it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from platformdirs import user_data_path

from zermelo.errors import InputError, TableError


def default_folder() -> Path:
    """``$ZERMELO_TABLES``, or ``tables`` in the platform's data folder."""
    return Path(os.environ.get("ZERMELO_TABLES") or user_data_path("zermelo") / "tables")


def command(words: str, folder: Path) -> str:
    """``zermelo solve KRvK`` as it must be typed to work on a folder: with ``--dir`` if need be."""
    there = "" if folder == default_folder() else f" --dir {shlex.quote(str(folder))}"
    return f"zermelo {words}{there}"


def made(folder: Path) -> Path:
    """The folder, made now if it is not there. Raises TableError if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(
            f"{folder}: the folder cannot be made ({error.strerror}); choose another with --dir"
        ) from None
    return folder


def existing(folder: Path) -> Path:
    """The folder, which must be there, but for the default one that nobody has filled yet.

    Raises InputError that tells how to make tables in it.
    """
    if not folder.is_dir() and (folder.exists() or folder != user_data_path("zermelo") / "tables"):
        what = "is no folder" if folder.exists() else "no such folder"
        raise InputError(f"{folder}: {what}; make tables with: {command('solve KBNvK', folder)}")
    return folder
