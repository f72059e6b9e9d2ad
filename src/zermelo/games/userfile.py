"""Loads a user's game from a file, and turns his program's errors into one line that names it."""

from __future__ import annotations

import inspect
import sys
import tokenize
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from zermelo.errors import InputError, ZermeloError
from zermelo.games.graph import GameGraph

METHODS = ("initial", "moves", "outcome")


@contextmanager
def blaming(path: Path) -> Iterator[None]:
    """Turns an exception raised by the user's code into an InputError with file and line."""
    try:
        yield
    except ZermeloError:
        raise
    except SyntaxError as error:
        raise InputError(f"{path.name}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if _same(f.filename, path)]
        if not frames:
            raise
        last = frames[-1]
        raise InputError(
            f"{path.name}, line {last.lineno}, in {last.name}: {type(error).__name__}: {error}"
        ) from error


def _same(name: str, path: Path) -> bool:
    return Path(name).resolve() == path.resolve()


def load(place: str) -> tuple[str, Path, Any]:
    """(name, file, game class or finished game) of ``file.py``, ``file.py:Class``, ``file.json``.

    Raises InputError that names the file and the line where the user's text is at fault.
    """
    name, _, wanted = place.rpartition(":") if ".py:" in place else (place, "", "")
    path = Path(name)
    if not path.is_file():
        raise InputError(f"file {name!r}: not found")
    if path.suffix not in (".py", ".json"):
        raise InputError(f"file {name!r}: end it in .py (a class) or .json (a graph)")
    text = _text(path)
    if path.suffix == ".json":
        return path.stem, path, GameGraph.from_json(text)
    found = _games(_module(path), path)
    if wanted and wanted not in found:
        raise InputError(f"{path.name}: no game {wanted!r}; it has {', '.join(found) or 'none'}")
    if not wanted and len(found) != 1:
        what = "several games" if found else "no class with the methods " + ", ".join(METHODS)
        hint = f"; choose: --file {path.name}:{next(iter(found))}" if found else "; write one"
        raise InputError(f"{path.name}: {what}{hint}")
    wanted = wanted or next(iter(found))
    return wanted, path, found[wanted]


def _text(path: Path) -> str:
    """The text of a file as Python reads it; raises InputError if it is none."""
    try:
        with tokenize.open(path) as file:
            text = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (SyntaxError, UnicodeDecodeError):
        text = "\0"
    if "\0" in text:
        raise InputError(f"{path}: no text in UTF-8")
    return text


def _module(path: Path) -> Any:
    # Under a name of its own, so that a file random.py does not take the place of a library;
    # listed in sys.modules, for dataclasses look their module up there.
    spec = spec_from_file_location(f"zermelo_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"file {path.name!r}: Python cannot load it")
    module = sys.modules[spec.name] = module_from_spec(spec)
    with blaming(path):
        spec.loader.exec_module(module)
    return module


def _games(module: Any, path: Path) -> dict[str, Any]:
    """The classes of the file itself that look like games; if none is whole, the nearest is."""
    own = {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    }
    whole = {n: c for n, c in own.items() if all(hasattr(c, method) for method in METHODS)}
    for name, value in {} if whole else own.items():
        missing = [method for method in METHODS if not hasattr(value, method)]
        if len(missing) < len(METHODS):
            line = inspect.getsourcelines(value)[1]
            raise InputError(
                f"{path.name}, line {line}: class {name} has no method {missing[0]}(); write it"
            )
    return whole
