"""Notices and changes as bytes: ascending numbers as differences of seven bits to a byte.

A notice is a number's key, number * 2 + (the successor is won), and how many successors say so.
Equal keys are one notice: its difference to the key before it times two, plus one if a count
follows, less two.

A change is a place, as the difference to the place before it, and what has become of it: 0 lost,
1 won, or one more than how many successors are left.
"""

from __future__ import annotations

from typing import Any

from zermelo.games.indexed import settle
from zermelo.games.induction import OPEN
from zermelo.jit import borrow, generic, inlined, kernel

LONGEST_NUMBER = 10
"""Bytes of the largest number of 64 bits."""


@inlined
def _write(value: int, out: Any, at: int) -> int:
    """Writes a number at a place; returns the place after it."""
    while value >= 128:
        out[at] = value & 127 | 128
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@inlined
def _read(data: Any, at: int) -> tuple[int, int]:
    """(number, the place after it)."""
    value, shift = 0, 0
    while data[at] >= 128:
        value |= (int(data[at]) & 127) << shift
        shift += 7
        at += 1
    return value | int(data[at]) << shift, at + 1


@kernel
def pack(keys: Any, first: int, out: Any) -> int:
    """Combines ascending keys of numbers from ``first`` on; returns how many bytes they take."""
    at, used, before = 0, 0, 2 * first
    while at < keys.size:
        key, count = keys[at], 1
        while at + count < keys.size and keys[at + count] == key:
            count += 1
        used = _write((key - before) * 2 + (count > 1), out, used)
        if count > 1:
            used = _write(count - 2, out, used)
        before = key
        at += count
    return used


@generic
def apply(
    data: Any,
    level: int,
    first: int,
    successors: Any,
    state: Any,
    plies: Any,
    left: Any,
    scratch: Any,
) -> int:
    """Settles what a packet's notices say; returns how many positions are decided."""
    state, plies, left = borrow(state), borrow(plies), borrow(left)
    data, scratch = borrow(data), borrow(scratch)
    at, key, decided = 0, 0, 0
    while at < data.size:
        value, at = _read(data, at)
        count = 1
        if value & 1:
            more, at = _read(data, at)
            count = more + 2
        key += value >> 1
        result = 1 if key & 1 else -1
        decided += settle(
            key >> 1, first, result, count, level, successors, state, plies, left, scratch
        )
    return decided


@kernel
def changes(
    level: int, begin: int, state: Any, plies: Any, left: Any, kept: Any, out: Any
) -> tuple[int, int]:
    """Writes what has changed since ``kept``, a copy of ``left``, which is brought up to date.

    Returns (place reached, bytes): it stops where ``out`` might overflow.
    """
    used, before = 0, 0
    for place in range(begin, state.size):
        decided = state[place] != OPEN and plies[place] == level + 1
        if not decided and left[place] == kept[place]:
            continue
        if used + 2 * LONGEST_NUMBER > out.size:
            return place, used
        used = _write(place - before, out, used)
        used = _write(int(state[place] > 0) if decided else int(left[place]) + 1, out, used)
        kept[place] = left[place]
        before = place
    return state.size, used


@kernel
def replay(data: Any, level: int, state: Any, plies: Any, left: Any) -> None:
    """Makes the changes of a level."""
    at, place = 0, 0
    while at < data.size:
        step, at = _read(data, at)
        value, at = _read(data, at)
        place += step
        if value > 1:
            left[place] = value - 1
        else:
            left[place] = left[place] if value else 0
            state[place] = 1 if value else -1
            plies[place] = level + 1


@kernel
def busy(level: int, state: Any, plies: Any) -> bool:
    """Whether a position was decided at this level."""
    for place in range(state.size):
        if plies[place] == level and (state[place] == 1 or state[place] == -1):
            return True
    return False
