"""Starts Ray on this machine or joins a cluster, says what it offers, and leaves nothing behind.

The one place where Ray is imported: whoever works on the cluster takes it from ``Cluster.ray``.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zermelo.errors import InputError, LimitError, ZermeloError

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_worker_niceness": "0",
}
"""Ray reads these from the environment: it tells nobody about us, does not talk, and leaves its
workers the priority of the command that started them, where it would give them nearly the lowest.
"""

SOCKETS = 90
"""Bytes that Ray adds to its folder for the names of its sockets, which may have 107."""


KNOCK = 10
"""Seconds in which a cluster's address must answer."""


ENDING = 20
"""Seconds in which Ray's processes may end by themselves."""


@dataclass(frozen=True)
class Node:
    """One machine of the cluster, alive when asked: bytes of memory and of object store."""

    id: str
    address: str
    processors: int
    memory: int
    store: int


@dataclass(frozen=True)
class Cluster:
    """A cluster that is running: the module ``ray`` and the number of workers to use."""

    ray: Any
    workers: int

    @property
    def nodes(self) -> list[Node]:
        """The machines that are alive now, in the order of their ids."""
        alive = (entry for entry in self.ray.nodes() if entry["Alive"])
        found = [
            Node(
                entry["NodeID"],
                entry["NodeManagerAddress"],
                int(entry["Resources"].get("CPU", 0)),
                int(entry["Resources"].get("memory", 0)),
                int(entry["Resources"].get("object_store_memory", 0)),
            )
            for entry in alive
        ]
        return sorted(found, key=lambda node: node.id)

    def get(self, references: Any, timeout: float | None = None) -> Any:
        """What Ray's references stand for.

        Raises WorkerLostError where a worker or its node is gone, SilentError where there is no
        answer within so many seconds, and whatever of ours was raised over there.
        """
        raised = self.ray.exceptions
        lost = (
            raised.RayActorError,
            raised.ActorUnschedulableError,
            raised.ObjectLostError,
            raised.NodeDiedError,
            raised.WorkerCrashedError,
        )
        try:
            return self.ray.get(references, timeout=timeout)
        except raised.GetTimeoutError as error:
            raise SilentError(f"no answer for {timeout} seconds") from error
        except raised.RayTaskError as error:
            if isinstance(error.cause, ZermeloError):
                raise error.cause from error
            if isinstance(error.cause, lost):
                raise WorkerLostError(_line(error.cause)) from error
            raise
        except lost as error:
            if getattr(error, "actor_init_failed", False):
                raise InputError(f"a worker cannot begin: {_line(error)}") from error
            raise WorkerLostError(_line(error)) from error

    def demand(self, needed: int, what: str) -> None:
        """Raises LimitError, with both figures, where the workers cannot have so many bytes.

        Each worker has one processor and an equal share of the bytes, on one machine.
        """
        nodes = self.nodes
        share = -(-needed // self.workers)
        places = sum(min(n.processors, n.memory // max(share, 1)) for n in nodes)
        if places < self.workers:
            there = sum(node.memory for node in nodes)
            raise LimitError(
                f"{what}: {self.workers} workers need {gigabytes(share)} of memory each, "
                f"{gigabytes(needed)} in all; the cluster has {gigabytes(there)} on "
                f"{len(nodes)} node{'s' * (len(nodes) != 1)}, room for {places} of them; add nodes"
            )


class WorkerLostError(Exception):
    """A worker, or what it had made, is gone; what it did has to be repeated by another."""


class SilentError(WorkerLostError):
    """A worker has not answered in time: it is lost, or has much to do."""


def gigabytes(count: int) -> str:
    """``"12.3 GB"``; what is below a hundredth of that in MB."""
    return f"{count / 1e9:,.1f} GB" if count >= 1e8 else f"{count / 1e6:,.1f} MB"


@contextmanager
def connect(
    address: str | None = None, workers: int | None = None, store: int | None = None
) -> Iterator[Cluster]:
    """A cluster for the length of a ``with``: one of our own on this machine, or the one there.

    ``address`` is ``host:port`` or ``auto``; without it, and without ``$RAY_ADDRESS``, Ray is
    started here with as many workers as processors, and stopped afterwards. ``store`` is the size
    in bytes of the object store of a cluster of our own (default: Ray's, a third of memory).
    Raises InputError without Ray or where no cluster answers, LimitError for too many workers.
    """
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: write a whole number from 1 up")
    ray = _ray()
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    folder = None
    try:
        with _undisturbed():
            if address == "local":
                workers = workers or os.cpu_count() or 1
                folder = _short_folder()
                _start(ray, workers, store, folder)
            else:
                _join(ray, address)
            # Ray would tell of every worker that is lost, and on standard output at that.
            ray._private.worker._worker_logs_enabled = False
        yield Cluster(ray, _count(ray, workers))
    finally:
        with _undisturbed():
            _stop(ray)
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


def _line(error: Exception) -> str:
    """The last line of what Ray says, which is often a page."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def here() -> str:
    """The id of the node that this process of the cluster is on."""
    return str(_ray().get_runtime_context().get_node_id())


def _ray() -> Any:
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise InputError("ray is missing; install it with: pip install ray") from None
    return ray


def _stop(ray: Any) -> None:
    node = ray._private.worker._global_node
    groups = node.all_processes.values() if node else []
    started = [info.process for group in groups for info in group]
    ray.shutdown()
    # Ray tells its processes to end, and would leave it at that.
    for process in started:
        try:
            process.wait(ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


QUIET = {"log_to_driver": False, "logging_level": logging.CRITICAL}


def _start(ray: Any, workers: int, store: int | None, folder: str) -> None:
    ray.init(
        address="local",
        num_cpus=workers,
        object_store_memory=store,
        include_dashboard=False,
        _temp_dir=folder,
        **QUIET,
    )


def _join(ray: Any, address: str) -> None:
    if "://" in address:
        raise InputError(
            f"--address {address}: run zermelo on a node of the cluster, with host:port or auto"
        )
    try:
        if address != "auto":
            _knock(address)
        ray.init(address=address, **QUIET)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().split(". ")[0].rstrip(".")
        raise InputError(
            f"--address {address}: no Ray cluster to join ({reason}); ray start --head begins one"
        ) from error


def _knock(address: str) -> None:
    """Asks whether anybody listens: Ray itself would try for minutes, loudly."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        raise ValueError("write host:port or auto")
    with socket.create_connection((host, int(port)), timeout=KNOCK):
        pass


def _count(ray: Any, workers: int | None) -> int:
    there = int(ray.cluster_resources().get("CPU", 0))
    if workers is not None and workers > there:
        raise LimitError(f"--workers {workers}: the cluster has {there} processors; add nodes")
    if not there:
        raise LimitError("the cluster has no processors for workers; add nodes")
    return workers or there


def _short_folder() -> str:
    """A new folder for Ray's sockets and logs, whose names must not become too long."""
    where = tempfile.gettempdir()
    if len(where) + SOCKETS > 107:
        where = "/tmp"
    return tempfile.mkdtemp(prefix="ray-", dir=where)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Puts Ctrl-C off until Ray has started or stopped: half of its processes would stay."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
