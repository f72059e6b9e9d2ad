"""Where Ray is not installed, and what the dashboard keeps. No test here needs Ray."""

from __future__ import annotations

import io
import sys

import pytest

from zermelo.cluster.connection import Cluster, connect
from zermelo.cluster.progress import Dashboard, shown
from zermelo.errors import InputError, LimitError


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError) as caught, connect():
        raise AssertionError("connected without Ray")
    assert str(caught.value) == "ray is missing; install it with: pip install ray"


class Machines:
    """Says what ``ray.nodes()`` says, of a cluster that is not there."""

    def __init__(self, *sizes: tuple[int, int]) -> None:
        self.sizes = sizes

    def nodes(self) -> list[dict[str, object]]:
        dead = {"NodeID": "dead", "Alive": False, "Resources": {}}
        return [dead] + [
            {
                "NodeID": f"n{i}",
                "NodeManagerAddress": "192.0.2.1",
                "Alive": True,
                "Resources": {"CPU": float(processors), "memory": float(memory)},
            }
            for i, (processors, memory) in enumerate(self.sizes)
        ]


def test_too_little_memory_is_refused_with_figures() -> None:
    cluster = Cluster(Machines((2, 8 * 10**9), (2, 2 * 10**9)), workers=3)
    cluster.demand(6 * 10**9, "teeko")
    with pytest.raises(LimitError) as caught:
        cluster.demand(9 * 10**9, "teeko")
    assert str(caught.value) == (
        "teeko: 3 workers need 3.0 GB of memory each, 9.0 GB in all; "
        "the cluster has 10.0 GB on 2 nodes, room for 2 of them; add nodes"
    )


def test_dashboard(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    with shown(Dashboard("teeko", 2)) as board:
        board.lines[1].blocks, board.lines[1].moved = 7, 3_000_000
        board.detail = "level 4"
    assert capsys.readouterr() == ("", "")
    assert [line["blocks"] for line in board.report()] == [0, 7]
    Console(width=80, file=(page := io.StringIO())).print(board)
    text = page.getvalue()
    assert "teeko level 4" in text
    assert "3.0 MB" in text
