"""What levels of Zstandard come to: size, and processor time to write and to read.

    python benchmarks/compression.py MATERIAL … [--tables FOLDER] [--every N]

Of each table every N-th chunk is compressed anew at each level; sizes and times are N times what
these took. N should be odd, for every sixteenth chunk has its men on much the same squares.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import zstandard

from zermelo.tables.material import Material
from zermelo.tables.table import Table, file_name
from zermelo.tables.tablebase import default_folder

LEVELS = (1, 3, 6, 9, 12, 15, 19)


def chunks(path: Path, every: int) -> list[bytes]:
    """Every so many chunks of a table, as they are before compression."""
    with Table(path) as table:
        return [
            table.chunk(half, number)
            for half in table.halves
            for number in range(0, table.summary(half).chunks, every)
        ]


def measure(parts: list[bytes], level: int) -> tuple[int, float, float]:
    """(bytes, seconds of compression, seconds of decompression) of some chunks."""
    compressor, decompressor = zstandard.ZstdCompressor(level), zstandard.ZstdDecompressor()
    start = time.process_time()
    packed = [compressor.compress(part) for part in parts]
    middle = time.process_time()
    for data in packed:
        decompressor.decompress(data)
    return sum(map(len, packed)), middle - start, time.process_time() - middle


def main() -> None:
    """Measures the materials that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("material", nargs="+")
    parser.add_argument("--tables", type=Path, default=default_folder())
    parser.add_argument("--every", type=int, default=11)
    options = parser.parse_args()
    for name in options.material:
        path = options.tables / file_name(Material.parse(name))
        parts = chunks(path, options.every)
        print(f"{path.stem}   {len(parts):,} chunks of {path.stat().st_size / 1e6:,.1f} MB")
        for level in LEVELS:
            size, writing, reading = (options.every * n for n in measure(parts, level))
            print(
                f"  level {level:2}  {size / 1e6:8.1f} MB  writing {writing:7.1f} s  "
                f"reading {reading:5.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
