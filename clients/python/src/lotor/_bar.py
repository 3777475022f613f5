"""A progress bar on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_WIDTH = 30
_SECONDS = 0.1  # between two drawings


class Bar:
    """Draws on standard error while the work goes on. Draws nothing where that is not a terminal, and nothing in the
    first seconds: `after`."""

    def __init__(self, stream: TextIO | None = None, after: float = 0.0) -> None:
        self._stream = sys.stderr if stream is None else stream
        self.is_on = bool(self._stream and self._stream.isatty())
        self._next = time.monotonic() + after
        self._width = 0

    def show(self, share: float, text: str) -> None:
        is_last = share >= 1 and self._width > 0
        if not self.is_on or (time.monotonic() < self._next and not is_last):
            return
        self._next = time.monotonic() + _SECONDS
        full = int(share * _WIDTH)
        line = f"[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%} {text}"[:79]
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def clear(self) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0
