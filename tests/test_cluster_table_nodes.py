"""A table on several nodes of this machine, of which one is cut off."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from same_table import same
from zermelo.cluster.connection import connect
from zermelo.cluster.tables import Remote
from zermelo.cluster.tasks import Did
from zermelo.tables.tablebase import Tablebase

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("name", ["KRvKN", "KNvKP"])
def test_a_node_that_is_cut_off_costs_only_time(
    name: str, tablebase: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A head without processors and two nodes, one of which goes while its blocks are needed."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        nodes.add_node(num_cpus=1)
        doomed = nodes.add_node(num_cpus=1)
        hear, cut_off = Remote.hear, []

        def hear_and_cut(self: Remote, did: Did) -> None:
            hear(self, did)
            if not cut_off and sum(line.blocks for line in self.dashboard.lines) > 30:
                cut_off.append(nodes.remove_node(doomed, allow_graceful=False))

        monkeypatch.setattr(Remote, "hear", hear_and_cut)
        with connect(nodes.address) as connected:
            assert len(connected.nodes) == 3
            same(connected, name, tablebase, tmp_path)
            assert cut_off
            # The head may find out later than the table is finished.
            end = time.monotonic() + 60
            while len(connected.nodes) > 2 and time.monotonic() < end:
                time.sleep(0.5)
            assert len(connected.nodes) == 2
    finally:
        nodes.shutdown()
