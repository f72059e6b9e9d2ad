"""Ctrl-C ends the program in one line, wherever it falls."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, time
from zermelo import cli

def wait():
    print("ready", flush=True)
    time.sleep(60)

def main(argv):
    {body}

cli.main = main
# A test run in a shell's background would hand down that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(cli.program())
"""
SWALLOWED = """
    try:
        wait()
    except KeyboardInterrupt:
        pass
    time.sleep(60)
"""
CLEANED = """
    try:
        wait()
    finally:
        for _ in range(25):
            time.sleep(0.1)  # longer than until the next attempt
        print("cleaned", flush=True)
"""
MISTAKEN = """
    try:
        wait()
    except KeyboardInterrupt:
        raise ImportError("numpy failed to import") from None
"""
CAUGHT = """
    try:
        wait()
    except KeyboardInterrupt:
        return 130
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (SWALLOWED, ("", "zermelo: interrupted\n")),
        (CLEANED, ("cleaned\n", "zermelo: interrupted\n")),
        (MISTAKEN, ("", "zermelo: interrupted\n")),
        (CAUGHT, ("", "")),
    ],
    ids=("swallowed", "cleaned", "mistaken", "caught"),
)
def test_once_is_enough(body: str, said: tuple[str, str]) -> None:
    code = PROGRAM.format(body=body.strip())
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == said
    assert process.returncode == 130
