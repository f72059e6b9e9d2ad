"""``zermelo serve`` as a user starts and stops it, and the API under random requests."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

from web_server import served
from zermelo.web.openapi import document

COMMAND = [sys.executable, "-m", "zermelo", "serve", "--port", "0"]


@contextmanager
def _started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [*COMMAND, "--json", "--dir", str(folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            yield server, json.loads(server.stdout.readline())["url"]
        finally:
            server.kill()


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_starts_logs_and_stops_cleanly(tmp_path: Path, stop: signal.Signals, code: int) -> None:
    with _started(tmp_path, "--read-only") as (server, url):
        assert url.startswith("http://127.0.0.1:"), "only this machine can reach it"
        assert requests.get(f"{url}health", timeout=60).json() == {
            "status": "ok",
            "version": "0.1.0",
            "read_only": True,
        }
        assert requests.get(f"{url}standard?fen=zz", timeout=60).status_code == 400
        server.send_signal(stop)
        _, log = server.communicate(timeout=120)
        assert server.returncode == code
    assert '"GET /health HTTP/1.1" 200' in log
    assert '"GET /standard?fen=zz HTTP/1.1" 400' in log
    assert "Traceback" not in log
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "99999"], "99999"),
        (["--host", "no such host"], "no such address"),
        (["--cache", "-1"], "must not be negative"),
        (["--nonsense"], "unrecognized"),
    ],
)
def test_bad_options(options: list[str], words: str) -> None:
    run = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert words in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = subprocess.run([*COMMAND[:-1], port], capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert f"127.0.0.1:{port}: cannot listen there" in run.stderr


schema = schemathesis.openapi.from_dict(document())


@pytest.fixture(scope="module")
def address(tables: Path) -> Iterator[str]:
    """A server whose kernels are compiled, so that a hang is one."""
    with served(tables, read_only=True) as found:
        problem = {"fen": "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "n": 2}
        for path, query in (
            ("/mate", problem),
            ("/tables/kk", {}),
            ("/standard", {"fen": "Ka1 / kh8"}),
        ):
            assert requests.get(found + path, params=query, timeout=600).ok
        yield found


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_requests(case: schemathesis.Case, address: str) -> None:
    """No 5xx, no hang, and every answer is as the document says."""
    if case.path == "/mate":
        case.query = {**(case.query or {}), "seconds": 1}
    response = case.call(base_url=address, timeout=30)
    case.validate_response(
        response,
        checks=(not_a_server_error, *_CONFORMANCE),
    )


_CONFORMANCE = (
    schemathesis.checks.CHECKS.get_one("status_code_conformance"),
    schemathesis.checks.CHECKS.get_one("content_type_conformance"),
    schemathesis.checks.CHECKS.get_one("response_schema_conformance"),
)
