"""The ranges that options of the library's games are held to."""

from __future__ import annotations

from zermelo.errors import InputError


def whole(name: str, value: int, least: int, most: int, *, even: bool = False) -> int:
    """The value, if it is a whole number in its range; raises InputError that names both."""
    if not isinstance(value, int) or not least <= value <= most or (even and value % 2):
        kind = "an even number" if even else "a whole number"
        raise InputError(f"{name}={value}: it must be {kind} from {least} to {most}")
    return value
