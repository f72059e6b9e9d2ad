"""Games on Ray: the same values as in one process, whoever is lost on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from numbered_graphs import Graph
from zermelo.cluster.connection import Cluster, WorkerLostError, connect
from zermelo.cluster.crew import Crew
from zermelo.cluster.games import ClusterGame
from zermelo.errors import InputError, LimitError
from zermelo.games.indexed import SolvedIndexed, solve_indexed
from zermelo.games.library.dodgem_indexed import IndexedDodgem
from zermelo.values import Outcome

pytestmark = pytest.mark.cluster

MAKE = partial(Graph, 20_000, 3)
BLOCK = 1000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch:
        # Workers have to find the games of the tests.
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        with connect(workers=2) as connected:
            yield connected


@pytest.fixture(scope="module")
def alone() -> SolvedIndexed:
    return solve_indexed(MAKE())


def check(game: ClusterGame, alone: SolvedIndexed) -> None:
    whole = game.gather()
    assert (whole.outcome == alone.outcome).all()
    assert (whole.plies == alone.plies).all()


def lose(levels: dict[int, Callable[[ClusterGame], None]], cluster: Cluster) -> ClusterGame:
    """Solves the game and does something to its workers at the beginning of some levels."""
    game = ClusterGame(cluster, MAKE, block=BLOCK)

    def watch(what: str, level: int) -> None:
        assert what == "plies"
        if level in levels:
            levels[level](game)

    game.solve(watch)
    return game


def test_two_workers(cluster: Cluster, alone: SolvedIndexed) -> None:
    game = lose({}, cluster)
    check(game, alone)
    assert game.value() == alone.value()
    for outcome in Outcome:
        assert game.count(outcome) == alone.count(outcome)
        assert game.count(outcome, 70, 15_000) == alone.count(outcome, 70, 15_000)
    assert game.longest() == alone.longest() > 10
    lines = game.board.report()
    assert [line["restarts"] for line in lines] == [0, 0]
    for line in lines:
        assert min(line["blocks"], line["moved"], line["saved"], line["memory"]) > 0
        assert line["moved"] < 30 * game.game.size


def kill_by_ray(game: ClusterGame) -> None:
    game.cluster.ray.kill(game.crew.workers[0])


def kill_by_signal(game: ClusterGame) -> None:
    os.kill(game.board.lines[1].process, signal.SIGKILL)


def freeze(game: ClusterGame) -> None:
    os.kill(game.board.lines[1].process, signal.SIGSTOP)


def kill_keeper(game: ClusterGame) -> None:
    game.cluster.ray.kill(game.crew.keeper(0))


def kill_both(game: ClusterGame) -> None:
    kill_by_ray(game)
    kill_keeper(game)


def test_lost_workers_and_keepers_change_nothing(cluster: Cluster, alone: SolvedIndexed) -> None:
    losses = {
        1: kill_by_ray,
        3: kill_by_signal,
        4: kill_keeper,
        6: kill_by_ray,
        7: kill_by_signal,
    }
    game = lose(losses, cluster)
    check(game, alone)
    assert [line["restarts"] for line in game.board.report()] == [2, 2]


def test_a_worker_that_gives_no_sign_is_replaced(
    cluster: Cluster, alone: SolvedIndexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Crew, "patience", 5)
    game = lose({3: freeze}, cluster)
    check(game, alone)
    assert [line["restarts"] for line in game.board.report()] == [0, 1]


def test_an_answer_that_never_comes(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Crew, "patience", 2)
    game = ClusterGame(cluster, MAKE, block=BLOCK)
    never = cluster.ray.remote(lambda: time.sleep(300)).options(num_cpus=0).remote()
    with pytest.raises(WorkerLostError, match="no answer for 2 seconds, and nobody works"):
        game.crew.wait(never)
    cluster.ray.cancel(never, force=True)


def test_a_worker_lost_with_its_checkpoints_ends_the_run(cluster: Cluster) -> None:
    with pytest.raises(LimitError, match="worker 0: lost together with its checkpoints at level 5"):
        lose({5: kill_both}, cluster)


def test_one_worker(cluster: Cluster, alone: SolvedIndexed) -> None:
    game = lose({2: kill_by_ray}, replace(cluster, workers=1))
    check(game, alone)
    assert [line["moved"] for line in game.board.report()] == [0]


def test_a_game_without_predecessors_is_refused(cluster: Cluster) -> None:
    with pytest.raises(InputError, match="IndexedDodgem: no predecessors; an indexed game needs"):
        ClusterGame(cluster, IndexedDodgem)


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that may write into a folder of its own, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "zermelo", "game", *arguments],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name, for Ray's sockets; nothing is left in it, and nobody uses it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)
        assert list(Path(name).iterdir()) == []
        assert subprocess.run(["pgrep", "-f", name], stdout=subprocess.DEVNULL).returncode == 1


COUNTDOWN = Path(__file__).parent / "data" / "countdown.py"


def test_the_command_says_the_same(folder: Path) -> None:
    game = ["--file", str(COUNTDOWN), "counters=90", "--verify", "--json"]
    answers = []
    for engine in (["--engine", "ray", "--workers", "2"], []):
        done = started(folder, *game, *engine)
        out, err = done.communicate()
        assert done.returncode == 0, err
        assert set(err.splitlines()) <= {
            "compiling the game's moves …",
            "compiling kernels (once on this machine) …",
        }
        answers.append(json.loads(out))
    workers = answers[0].pop("workers")
    assert [line["worker"] for line in workers] == [0, 1]
    for answer in answers:
        del answer["seconds"]
    assert answers[0] == answers[1]
    assert answers[0]["wins"] == 60


def test_ctrl_c_leaves_nothing(folder: Path) -> None:
    done = started(folder, "teeko", "--engine", "ray", "--workers", "2")
    while not list(folder.glob("ray-*/session_*/sockets/raylet*")):
        time.sleep(0.2)
    time.sleep(4)
    os.killpg(done.pid, signal.SIGINT)
    out, err = done.communicate()
    assert (done.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "zermelo game: interrupted"


def test_too_little_memory(folder: Path) -> None:
    # A worker for every byte of memory or so: no machine has that.
    done = started(folder, "teeko", "--engine", "ray", "--workers", "3000")
    out, err = done.communicate()
    assert (done.returncode, out) == (5, "")
    assert "Teeko: 3000 workers need" in err
    assert "add nodes" in err


def test_no_cluster_at_an_address(folder: Path) -> None:
    done = started(folder, "teeko", "--engine", "ray", "--address", "127.0.0.1:9")
    _, err = done.communicate()
    assert done.returncode == 2
    assert "--address 127.0.0.1:9: no Ray cluster to join" in err
