"""Settings of all tests, and the folder of tables that they share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from zermelo.tables.tablebase import Tablebase

# The first call of a kernel compiles it, which no deadline can allow for.
settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which tables gather as tests need them; nothing in it may be changed."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def tablebase(tables: Path) -> Iterator[Tablebase]:
    """The tables of that folder, made as they are needed."""
    with Tablebase(tables) as opened:
        yield opened
