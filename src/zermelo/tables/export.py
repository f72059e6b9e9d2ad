"""Every position of a table as a row, or a random sample: for people who train models."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zermelo.errors import InputError
from zermelo.tables.chunks import in_chunks
from zermelo.tables.material import Material
from zermelo.tables.positions import CHUNK, Block, Walk
from zermelo.tables.reach import Child
from zermelo.values import Outcome
from zermelo.writing import beside

COLUMNS = ("fen", "turn", "outcome", "plies", "legal_moves", "winning_moves")
BATCH = 1 << 16
"""Rows of a group in a Parquet file."""

Tick = Callable[[int, int], None]


class Row(NamedTuple):
    """One position; ``outcome`` is for the side to move, a draw has no plies."""

    fen: str
    turn: str
    outcome: str
    plies: int | None
    legal_moves: int
    winning_moves: int


def rows(
    material: Material,
    child: Child,
    sample: int | None = None,
    seed: int = 0,
    tick: Tick = lambda done, total: None,
) -> Iterator[Row]:
    """All positions of a material, or a random sample, in the order of their cells.

    Positions that symmetry makes equal come once, White to move first; a material with the same
    men on both sides has only White to move. ``tick`` is told how many words are done.
    """
    turns = "w" if material.symmetric else "wb"
    walks = [Walk.complete(material, turn, child) for turn in turns]
    chosen = None if sample is None else _choice(walks, sample, seed)
    total, before = sum(walk.words for walk in walks), 0
    for number, walk in enumerate(walks):

        def part(first: int, last: int, of: int = number) -> Block:
            wanted = None if chosen is None else chosen[of][first // CHUNK]
            return walks[of].block(first, last, wanted)

        for done, block in in_chunks(walk.words, part, CHUNK):
            yield from _rows(walk, block)
            tick(before + done, total)
        before += walk.words


def _rows(walk: Walk, block: Block) -> Iterator[Row]:
    for text, (outcome, plies, legal, winning) in zip(
        walk.fens(block), block.facts.tolist(), strict=True
    ):
        word = Outcome(outcome).word
        yield Row(text, walk.turn, word, None if plies < 0 else plies, legal, winning)


def _choice(walks: list[Walk], sample: int, seed: int) -> list[list[NDArray[np.int64]]]:
    """Of each side and chunk the numbers of the positions that a random sample takes."""
    counts = [[count for _, count in walk.counts()] for walk in walks]
    ends = np.cumsum([count for walk in counts for count in walk])
    if sample > ends[-1]:
        raise InputError(f"--sample {sample}: there are only {ends[-1]:,} positions")
    picked = np.sort(np.random.default_rng(seed).choice(int(ends[-1]), sample, replace=False))
    starts = np.concatenate([[0], ends[:-1]])
    bounds = np.searchsorted(picked, np.concatenate([starts, ends[-1:]]))
    parts = [
        picked[a:b] - start for a, b, start in zip(bounds[:-1], bounds[1:], starts, strict=True)
    ]
    first = len(counts[0])
    return [parts[:first], parts[first:]]


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    with beside(path) as part:
        part.write_bytes(data)


def write_csv(path: Path | None, lines: Iterator[Row]) -> None:
    """Writes rows as CSV, to standard output without a path; a draw's plies are empty."""
    if path is None:
        _write_csv(sys.stdout, lines)
        return
    with beside(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        _write_csv(file, lines)


def _write_csv(file: IO[str], lines: Iterator[Row]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(lines)


def check_parquet() -> None:
    """Raises InputError if Parquet cannot be written here."""
    if not find_spec("pyarrow"):
        raise InputError(
            "--format parquet: pyarrow is missing; install it with: pip install pyarrow"
        )


def write_parquet(path: Path, lines: Iterator[Row]) -> None:
    """Writes rows as Parquet, a group of 65,536 at a time; a draw's plies are null."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = (pa.string(), pa.string(), pa.string(), pa.int16(), pa.int16(), pa.int16())
    schema = pa.schema(list(zip(COLUMNS, kinds, strict=True)))
    with beside(path) as part, pq.ParquetWriter(part, schema, compression="zstd") as writer:
        while group := list(islice(lines, BATCH)):
            columns: list[Any] = list(zip(*group, strict=True))
            writer.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True)), schema=schema))
