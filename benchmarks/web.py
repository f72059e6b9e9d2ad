"""Load on the web server: 200 clients ask for 20,000 different positions, the cache being off.

    python benchmarks/web.py [--clients 200] [--seconds 30] [--dir TABLES]

Server and clients share this machine. Prints answers a second, errors, waiting times, processor
time of the server for an answer, and how its memory grew while it was under load.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from placed import placed

MATERIALS = ("KQvK", "KRvK", "KBNvK", "KQvKR", "KRvKB", "KPvK", "KRvKP", "KBBvK")


def positions(count: int, seed: int = 1) -> list[str]:
    """FENs of different legal positions of several materials."""
    source = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        board = placed(source.choice(MATERIALS), source)
        if board.is_valid():
            found[board.fen()] = None
    return list(found)


async def client(
    host: str, port: int, fens: Iterator[str], until: float, waits: list[float], faults: list[str]
) -> None:
    """Asks one position after the other on one connection."""
    reader, writer = await asyncio.open_connection(host, port)
    while time.perf_counter() < until:
        path = f"/standard?fen={next(fens).replace(' ', '_')}"
        begin = time.perf_counter()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().partition("content-length: ")[2].split("\r")[0])
        body = await reader.readexactly(length)
        waits.append(time.perf_counter() - begin)
        if " 200 " not in head.split("\r", 1)[0]:
            faults.append(body.decode())
    writer.close()


def endless(fens: list[str]) -> Iterator[str]:
    while True:
        yield from fens


async def load(
    url: str, fens: list[str], clients: int, seconds: float
) -> tuple[list[float], list[str]]:
    """(waiting times, errors) of so many clients."""
    address = urlsplit(url)
    assert address.hostname
    assert address.port
    waits: list[float] = []
    faults: list[str] = []
    queue, until = endless(fens), time.perf_counter() + seconds
    await asyncio.gather(
        *(
            client(address.hostname, address.port, queue, until, waits, faults)
            for _ in range(clients)
        )
    )
    return waits, faults


def memory(pid: int) -> float:
    """Resident megabytes of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def processor(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--dir", default="tables-of-benchmark")
    options = parser.parse_args()
    zermelo = [sys.executable, "-m", "zermelo"]
    subprocess.run(
        [*zermelo, "solve", *MATERIALS, "--dir", options.dir], check=True, stdout=subprocess.DEVNULL
    )
    fens = positions(20_000)
    with subprocess.Popen(
        [*zermelo, "serve", "--port", "0", "--cache", "0", "--json", "--dir", options.dir],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdout
        url = json.loads(server.stdout.readline())["url"]
        # Warm: every kernel loaded, every table open and every chunk read.
        asyncio.run(load(url, fens, 8, options.seconds / 2))
        before, used = memory(server.pid), processor(server.pid)
        waits, faults = asyncio.run(load(url, fens, options.clients, options.seconds))
        used = processor(server.pid) - used
        after = memory(server.pid)
        server.terminate()
    ordered = sorted(waits)
    print(f"{options.clients} clients, {options.seconds:g} s, {len(fens):,} positions, no cache")
    print(f"answers a second  {len(waits) / options.seconds:,.0f}")
    print(f"errors            {len(faults)}  {faults[:1]}")
    print(
        f"waiting           median {1000 * statistics.median(waits):.0f} ms, "
        f"99 % below {1000 * ordered[int(0.99 * len(ordered))]:.0f} ms"
    )
    print(f"processor time    {1000 * used / len(waits):.2f} ms an answer (server)")
    print(f"memory            {before:.0f} MB, afterwards {after:.0f} MB")


if __name__ == "__main__":
    main()
