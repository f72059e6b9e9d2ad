"""The error family: what a caller can act on, each with its exit code and HTTP status."""

from __future__ import annotations

from typing import ClassVar


class ZermeloError(Exception):
    """Whatever zermelo raises on purpose; the message names the object first, the remedy last."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500

    def __str__(self) -> str:
        # KeyError would print the repr of its argument, OSError its errno.
        return str(self.args[0]) if self.args else ""


class InputError(ZermeloError, ValueError):
    """The caller's position, material, game or option is wrong."""

    exit_code = 2
    http_status = 400


class MissingTableError(ZermeloError, KeyError):
    """A table that the question needs is missing; the message names the command that builds it."""

    exit_code = 3
    http_status = 404


class TableError(ZermeloError, OSError):
    """A file is truncated, damaged, of another version, or cannot be written."""

    exit_code = 4
    http_status = 500


class LimitError(ZermeloError):
    """The work needs more memory, disk or time than there is; the message gives both figures."""

    exit_code = 5
    http_status = 413


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it (128 + SIGINT)."""
