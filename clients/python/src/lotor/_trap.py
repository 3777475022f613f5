"""Exceptions and signals while the library calls Python functions.

An exception can't pass through C: ctypes would print it and continue with an undefined result. So each function
that the library calls catches its exceptions and leaves them in a trap. Python may raise Ctrl-C between any two
steps, even before a function's first line. So Ctrl-C waits until it can be caught.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import Any, Callable, Iterator


class Trap:
    """Holds the first exception of the Python functions that one call into the library calls."""

    def __init__(self) -> None:
        self.caught: BaseException | None = None
        self._handler: Callable[[int, FrameType | None], Any] | None = None  # the handler of Ctrl-C, while Ctrl-C waits
        self._noted = False
        self._main = threading.main_thread().ident

    def take(self) -> BaseException | None:
        caught, self.caught = self.caught, None
        return caught

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._noted = True

    def _deliver(self) -> None:
        """Handles a Ctrl-C that came meanwhile: raises KeyboardInterrupt, unless the program has another
        handler."""
        if self._noted and self._handler is not None:
            self._noted = False
            self._handler(signal.SIGINT, None)

    @contextmanager
    def set(self) -> Iterator[None]:
        """Encloses a call into the library: Ctrl-C waits until a Python function is called or the call
        returns."""
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(handler):
            yield  # Python handles signals in the main thread only
            return
        self._handler = handler
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            try:
                if self.caught is None:  # otherwise the caught exception is raised
                    self._deliver()
            finally:
                self._handler, self._noted = None, False

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Encloses a function of the user in the main thread: Ctrl-C is raised in it, as anywhere else."""
        assert self._handler is not None
        self._deliver()
        signal.signal(signal.SIGINT, self._handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, self._note)

    def guard(self, failed: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps `function` for the library: it returns `failed` after its first exception, and in all later
        calls."""

        def call(*arguments: Any) -> Any:
            if self.caught is not None:
                return failed
            try:
                if self._handler is None or threading.get_ident() != self._main:  # no signal arrives here
                    return function(*arguments)
                with self._open():
                    return function(*arguments)
            except BaseException as error:
                self.caught = error
                return failed

        return call
