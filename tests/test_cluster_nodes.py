"""Several nodes on this machine, one of which is cut off; and the files that describe clusters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from numbered_graphs import Graph
from zermelo.cluster.connection import connect
from zermelo.cluster.games import ClusterGame
from zermelo.games.indexed import solve_indexed

pytestmark = pytest.mark.cluster

DOCS = Path(__file__).parents[1] / "docs"
PORT = "6379"


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head that computes nothing, and two nodes of one processor each."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("RAY_worker_niceness", "0")
    size = {"object_store_memory": 80 << 20, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **size})
    started = [made.head_node]
    try:
        started += [made.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in range(2)]
        processes = [
            info.process
            for node in started
            for group in node.all_processes.values()
            for info in group
        ]
        yield made
    finally:
        made.shutdown()
    for process in processes:
        process.wait(30)


def test_a_node_is_cut_off(nodes: Any) -> None:
    make = partial(Graph, 20_000, 3)
    alone = solve_indexed(make())
    with connect(nodes.address) as cluster:
        assert (cluster.workers, len(cluster.nodes)) == (2, 3)
        game = ClusterGame(cluster, make, block=1000)
        assert len(set(game.crew.homes)) == 2
        lost = game.crew.homes[1]

        def cut(what: str, level: int) -> None:
            if level == 6:
                (node,) = [node for node in nodes.worker_nodes if node.node_id == lost]
                nodes.remove_node(node, allow_graceful=False)

        game.solve(cut)
        whole = game.gather()
        assert lost not in game.crew.homes
        # The first replacement may still have been sent to the node that is gone.
        assert [line["restarts"] > 0 for line in game.board.report()] == [False, True]
    assert (whole.outcome == alone.outcome).all()
    assert (whole.plies == alone.plies).all()


def test_the_file_for_the_launcher() -> None:
    import yaml
    from ray.autoscaler._private.util import prepare_config, validate_config

    text = (DOCS / "cluster.yaml").read_text(encoding="utf-8")
    config = prepare_config(yaml.safe_load(text))
    validate_config(config)
    assert len(config["provider"]["worker_ips"]) == config["max_workers"]
    head, worker = config["head_start_ray_commands"], config["worker_start_ray_commands"]
    assert f"--head --port={PORT}" in head[-1]
    # Without it the head would start none of the others.
    assert head[-1].endswith(" --autoscaling-config=~/ray_bootstrap_config.yaml")
    assert worker[-1].endswith(f"--address=$RAY_HEAD_IP:{PORT}")
    for command in (*head, *worker):
        assert "/home/zermelo/venv/bin/ray " in command
    with pytest.raises(Exception, match="Additional properties are not allowed"):
        validate_config({**config, "head_ip": "192.0.2.10"})


def test_the_manifest_for_kubernetes() -> None:
    import yaml

    (manifest,) = yaml.safe_load_all((DOCS / "kuberay.yaml").read_text(encoding="utf-8"))
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayCluster")
    spec = manifest["spec"]
    head, (workers,) = spec["headGroupSpec"], spec["workerGroupSpecs"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    (first,), (other,) = (group["template"]["spec"]["containers"] for group in (head, workers))
    assert first["image"] == other["image"]
    assert {"name": "gcs-server", "containerPort": int(PORT)} in first["ports"]
    for container in (first, other):
        assert container["resources"]["requests"] == container["resources"]["limits"]
        assert {"name": "RAY_worker_niceness", "value": "0"} in container["env"]
