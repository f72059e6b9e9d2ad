"""Settings of all tests, and the folder of tables that they share."""

import importlib.util
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from zermelo.tables.tablebase import Tablebase

# The first call of a kernel compiles it, which no deadline can allow for.
settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")


# A shell's background jobs are deaf to Ctrl-C, and so would be the programs that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which tables gather as tests need them; nothing in it may be changed."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def tablebase(tables: Path) -> Iterator[Tablebase]:
    """The tables of that folder, made as they are needed."""
    with Tablebase(tables) as opened:
        yield opened


@pytest.fixture(scope="session")
def reader() -> ModuleType:
    """The reader of files in docs/, which knows nothing of the package."""
    path = Path(__file__).parents[1] / "docs" / "read_table.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
