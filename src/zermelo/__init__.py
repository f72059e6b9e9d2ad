"""Solves two-player games of perfect information exactly, and plays them without a mistake."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Tablebase": "zermelo.tables.tablebase",
    "open_tablebase": "zermelo.tables.tablebase",
    "Outcome": "zermelo.values",
    "Value": "zermelo.values",
    "ZermeloError": "zermelo.errors",
    "InputError": "zermelo.errors",
    "MissingTableError": "zermelo.errors",
    "TableError": "zermelo.errors",
    "LimitError": "zermelo.errors",
    "solve_game": "zermelo.games.solution",
    "solve_mate": "zermelo.problems.solution",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    # Lazy, so that importing the package does not import Numba.
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'zermelo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
