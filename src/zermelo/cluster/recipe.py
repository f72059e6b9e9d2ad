"""How a worker makes the game anew: compiled kernels do not travel, names and source text do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from zermelo.games.library import find, parse, parsed
from zermelo.games.userfile import load
from zermelo.jit import cache_root
from zermelo.writing import beside


def library_game(name: str, words: list[str]) -> Callable[[], Any]:
    """Makes a game of the library, with options as written."""
    return partial(_from_library, name, words)


def file_game(place: str, words: list[str]) -> Callable[[], Any]:
    """Makes the user's game of ``file.py`` or ``file.py:Class``; the file travels along."""
    _, path, _ = load(place)
    wanted = place.rpartition(":")[2] if ".py:" in place else ""
    return partial(_from_file, path.name, path.read_bytes(), wanted, words)


def _from_library(name: str, words: list[str]) -> Any:
    return find(name).make(**parse(name, words))


def _from_file(name: str, text: bytes, wanted: str, words: list[str]) -> Any:
    # Beside the kernels compiled from it, which Numba finds again by this place.
    folder = cache_root() / "games" / hashlib.sha256(text).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    path = Path(folder, name)
    with beside(path) as part:
        part.write_bytes(text)
    made_name, _, made = load(f"{path}:{wanted}" if wanted else str(path))
    return made(**parsed(made_name, made, words))
