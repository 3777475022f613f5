"""A progress bar on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_WIDTH = 30
_SECONDS = 0.1  # between two drawings


class Bar:
    """Draws on standard error while the work goes on. Draws nothing where that is not a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_on = bool(self._stream and self._stream.isatty())
        self._next = 0.0
        self._width = 0

    def show(self, share: float, text: str) -> None:
        if not self._is_on or (share < 1 and time.monotonic() < self._next):
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
