"""Tables made on a cluster of two workers are byte for byte those made here; workers may die."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from same_table import same
from zermelo.cluster import tables as on_cluster
from zermelo.cluster.connection import Cluster, connect
from zermelo.cluster.progress import Dashboard
from zermelo.cluster.tables import Remote, cluster_engine
from zermelo.cluster.tasks import Did
from zermelo.errors import LimitError
from zermelo.tables import blocks
from zermelo.tables.material import Material
from zermelo.tables.tablebase import Tablebase

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with connect(workers=2) as connected:
        yield connected


@pytest.mark.parametrize("name", ["KQvK", "KQvKR", "KPvK", "KNvKP"])
def test_the_same_bytes(name: str, cluster: Cluster, tablebase: Tablebase, tmp_path: Path) -> None:
    dashboard = same(cluster, name, tablebase, tmp_path)
    assert all(line.blocks and line.moved and line.memory for line in dashboard.lines)


def test_blocks_as_with_six_men(
    cluster: Cluster, tablebase: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ROWS", 8)
    dashboard = same(cluster, "KQRvK", tablebase, tmp_path)
    assert sum(line.blocks for line in dashboard.lines) > 80 * 5


@pytest.mark.parametrize("name", ["KRvKN", "KPvKP"])
def test_a_worker_that_is_killed_costs_only_time(
    name: str,
    cluster: Cluster,
    tablebase: Tablebase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[int] = []
    hear = Remote.hear

    def hear_and_kill(self: Remote, did: Did) -> None:
        hear(self, did)
        blocks = sum(line.blocks for line in self.dashboard.lines)
        if len(killed) < 3 and blocks > 30 * (1 + len(killed)) and did.process not in killed:
            os.kill(did.process, signal.SIGKILL)
            killed.append(did.process)

    monkeypatch.setattr(on_cluster.Remote, "hear", hear_and_kill)
    dashboard = same(cluster, name, tablebase, tmp_path)
    assert len(killed) == 3
    assert sum(line.restarts for line in dashboard.lines) > 0


def test_too_small_a_cluster_is_refused_with_figures(cluster: Cluster, tmp_path: Path) -> None:
    engine = cluster_engine(cluster, tmp_path, Dashboard("", 2))
    with pytest.raises(LimitError, match=r"KQRBvKRN: .* needs .* GB .*; the cluster has .* GB"):
        engine.check([Material.parse("KQRBvKRN")], tmp_path)
