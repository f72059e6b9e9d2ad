"""The one place where Numba is configured: kernel decorator, disk cache, notice of compilation."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba.core import cgutils, config, event, types
from numba.core.caching import NullCache
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array
from platformdirs import user_cache_path

P = ParamSpec("P")
R = TypeVar("R")

Int = int | np.int64
"""A whole number in a kernel."""

ROOT = Path(__file__).parent
_IMPORT = re.compile(
    r"^\s*(?:from\s+zermelo([\w.]*)\s+import\s+([^\n(]+|\([^)]*\))|import\s+zermelo([\w.]+))", re.M
)


def cache_root() -> Path:
    """Folder of compiled kernels: ``$ZERMELO_CACHE`` or the platform's cache folder."""
    return Path(os.environ.get("ZERMELO_CACHE") or user_cache_path("zermelo")) / "kernels"


def _source(dotted: str) -> Path | None:
    path = ROOT.joinpath(*dotted.strip(".").split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _imports(source: Path) -> frozenset[Path]:
    """The package's own files that one of its files imports by name."""
    found: set[Path] = set()
    for module, names, plain in _IMPORT.findall(source.read_text(encoding="utf-8")):
        dotted = [module or plain]
        dotted += [f"{module}.{name}" for name in re.findall(r"\w+", names)]
        found.update(path for name in dotted if name and (path := _source(name)))
    return frozenset(found)


@cache
def _digest(source: Path) -> str:
    """Names a file together with all that it imports from the package.

    Numba looks only at the file of the kernel itself: a kernel that calls one from another
    file would go on running the old machine code after that other file changed.
    """
    closure, todo = {source}, [source]
    while todo:
        fresh = _imports(todo.pop()) - closure
        closure |= fresh
        todo += fresh
    text = hashlib.sha256()
    for path in sorted(closure):
        text.update(path.read_bytes())
    return text.hexdigest()[:16]


def cacheable(folder: Path) -> bool:
    """Whether compiled kernels can be kept in a folder, which is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compiles a function with Numba on its first call, without the GIL, cached on disk.

    Arithmetic follows the machine: no bounds checks, no exception on division by zero. With
    ``NUMBA_DISABLE_JIT=1`` the function runs as plain Python.
    """
    return _compiled(function, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that becomes part of its callers: for short ones whose arguments are many arrays.

    An array is seven words, which a call copies; a tuple of ten arrays costs more than most work.
    """
    return _compiled(function, forceinline=True)


_GENERIC: set[Callable[..., Any]] = set()


def generic(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that takes other kernels as arguments, compiled anew in every process.

    Numba's disk cache would never recognise those arguments again, and in the end fails over the
    entries of processes that have gone. It becomes part of its callers, like an inlined one.
    """
    _GENERIC.add(function)
    return _compiled(function, forceinline=True, keep=False)


def _compiled(function: Callable[P, R], *, forceinline: bool, keep: bool = True) -> Callable[P, R]:
    source = Path(function.__code__.co_filename)
    folder = cache_root() / _digest(source) if keep and source.is_file() else None
    cached = folder is not None and cacheable(folder)
    if cached:
        config.CACHE_DIR = str(folder)
    compiled: Callable[P, R] = numba.njit(
        cache=cached,
        nogil=True,
        error_model="numpy",
        boundscheck=False,
        forceinline=forceinline,
    )(function)
    return compiled


A = TypeVar("A")


def borrow(value: A) -> A:
    """The same array, or named tuple of arrays, without reference counts.

    Numba counts references to every array at every call and every slice, with atomic instructions
    that can cost far more than the work itself. Whoever calls the kernel from Python keeps the
    arrays alive; an array made inside a kernel must not be borrowed.
    """
    return value


def _disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        view = make_array(kind)(context, builder, value)
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        for place, inner in enumerate(kind):
            part = _disowned(context, builder, inner, builder.extract_value(value, place))
            value = builder.insert_value(value, part, place)
    return value


@intrinsic  # type: ignore[untyped-decorator]
def _without_owner(context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _disowned(context, builder, signature.args[0], arguments[0])

    return value(value), generate


overload(borrow)(lambda value: lambda value: _without_owner(value))


class _Notice(event.Listener):  # type: ignore[misc]
    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.told: set[str] = set()

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if dispatcher.py_func in _GENERIC:
            words = "compiling the game's moves"
        elif not isinstance(dispatcher._cache, NullCache):
            words = "compiling kernels (once on this machine)"
        else:
            # Numba's own helpers, which become part of a kernel.
            return
        if words not in self.told:
            self.told.add(words)
            self.tell(words)

    def on_end(self, event: Any) -> None:
        """Nothing to say: the work that needed the kernel goes on by itself."""


def announce(tell: Callable[[str], None]) -> None:
    """Calls ``tell`` with what to say, once each, before kernels that the disk cache lacks and
    before those that are compiled in every process."""
    event.register("numba:compile", _Notice(tell))
