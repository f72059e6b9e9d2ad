"""Ctrl-C in a program that imports, compiles and searches in C: it always ends, in one line.

An exception that a signal handler raises can get lost: C code drops it, a callback prints it as
ignored, an import that it breaks reports something else. So it is raised again until it is seen.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

AGAIN = 1.0
"""Seconds after which an interruption that left no trace is raised again."""


class Interrupts:
    """Turns Ctrl-C into KeyboardInterrupt; ``pressed`` tells that it came.

    Where Ctrl-C is ignored, as in a shell's background, it stays so.
    """

    def __init__(self) -> None:
        self.pressed = False
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._raise)
            if hasattr(signal, "setitimer"):
                signal.signal(signal.SIGALRM, self._raise)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        # While one is on its way, what cleans up must not be interrupted by the clock.
        if number == signal.SIGINT or not _on_its_way():
            raise KeyboardInterrupt

    def leave(self, code: int) -> NoReturn:
        """Ends the process at once: threads that still compile or search have nothing to lose."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # nobody reads any more, or it is closed
                stream.flush()
        os._exit(code)


def _on_its_way() -> bool:
    error = sys.exception()
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
