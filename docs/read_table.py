"""Reads tables of zermelo without zermelo, following format.md: not fast, but short."""

import struct
import sys
import zlib
from functools import cache
from itertools import permutations
from pathlib import Path

import chess
import zstandard

TRIANGLE = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27]  # a1 b1 c1 d1 b2 c2 d2 c3 d3 d4
KINDS = dict(zip("PNBRQK", range(1, 7), strict=True))


@cache
def open_table(path):
    data = Path(path).read_bytes()
    magic, version, metric, words, halves, name = struct.unpack_from("<8sHHHH16s", data)
    assert (magic, version, metric, words) == (b"zermelo\0", 1, 1, 256)
    sides = [side[1:] for side in name.rstrip(b"\0").decode().split("v")]
    records = [struct.unpack_from("<3Q", data, 32 + 88 * i) for i in range(halves)]
    index = 32 + 88 * halves
    start = index + 8 * sum(-(-cells // 16384) for _, _, cells in records) + 4
    assert zlib.crc32(data[: start - 4]) == struct.unpack_from("<I", data, start - 4)[0]
    found = {}
    for attacker, width, cells in records:
        chunks = found.setdefault((sides[attacker], sides[1 - attacker]), (width, []))[1]
        for _ in range(-(-cells // 16384)):
            length, check = struct.unpack_from("<2I", data, index)
            chunks.append(data[start : start + length])
            assert zlib.crc32(chunks[-1]) == check
            index, start = index + 8, start + length
    return found


@cache
def slices(own, other):
    """The placements of pawns, numbered as in the file: those with fewest steps left first."""
    found = set()
    for pawns in permutations(range(8, 56), own + other):
        twins = [[s ^ flip for s in pawns] for flip in (0, 7)]
        found.add(min((*sorted(p[:own]), *sorted(p[own:])) for p in twins))
    steps = {p: sum(7 - s // 8 for s in p[:own]) + sum(s // 8 for s in p[own:]) for p in found}
    return {p: i for i, p in enumerate(sorted(found, key=lambda p: (steps[p], p)))}


def image(square, number):
    square ^= 7 * (number & 1) ^ 28 * (number & 2)
    return square % 8 * 8 + square // 8 if number & 4 else square


def lost(folder, board):
    """Plies in which the side to move is mated, or None; en passant is not looked at."""
    up = 56 * board.turn  # the attacker's pawns go up
    men = [{k: board.pieces(n, c) for k, n in KINDS.items()} for c in (not board.turn, board.turn)]
    names = tuple("".join(k * len(side[k]) for k in "QRBNP") for side in men)
    if names[0] == "" or names in (("B", ""), ("N", "")):
        return None  # nobody is ever mated
    named = sorted(names, key=lambda side: (-len(side), ["QRBNP".index(k) for k in side]))
    width, chunks = open_table(f"{folder}/K{named[0]}vK{named[1]}.ztb")[names]
    known, cells = slices(len(men[0]["P"]), len(men[1]["P"])), []
    for i in range(2 if board.pawns else 8):
        moved = [{k: sorted(image(s ^ up, i) for s in side[k]) for k in KINDS} for side in men]
        king, enemy, pawns = moved[0]["K"][0], moved[1]["K"][0], (*moved[0]["P"], *moved[1]["P"])
        if pawns in known and (pawns or king in TRIANGLE):
            word = known[pawns] * 64 + king if pawns else TRIANGLE.index(king)
            for square in (s for side in moved for k in "QRBN" for s in side[k]):
                word = word * 64 + square
            cells.append((enemy % 8 > 3 if pawns else enemy // 8 > enemy % 8, word, enemy))
    _, word, lane = min(cells)
    chunk = zstandard.ZstdDecompressor().decompress(chunks[word // 256])
    at = (lane * 256 + word % 256) * width
    level = int.from_bytes(chunk[at : at + width], "little")
    return None if level >= 256**width - 2 else 2 * level


if __name__ == "__main__":
    print(lost(sys.argv[1], chess.Board(sys.argv[2])))
