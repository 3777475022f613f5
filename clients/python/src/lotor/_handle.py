"""An object of the library that one Python object owns."""

from __future__ import annotations

import threading
import weakref
from contextlib import contextmanager
from ctypes import POINTER, byref, c_size_t, c_ubyte, c_void_p, string_at
from typing import Any, Iterator, NoReturn

from . import _native
from ._library import check, library


class _Turn:
    """One caller at a time: the library's objects are not for several threads at once, and ctypes lets
    other threads run during a call."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.RLock()
        self._is_on = False
        self.address: c_void_p | None = None

    def __enter__(self) -> c_void_p:
        self._lock.acquire()
        if self._is_on or self.address is None:
            reason = "is closed" if self.address is None else "can't be used by its own oracle"
            self._lock.release()
            raise RuntimeError(f"this {self._what} {reason}")
        self._is_on = True
        return self.address

    def __exit__(self, *_: object) -> None:
        self._is_on = False
        self._lock.release()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No call is under way, nor begins."""
        with self._lock:
            if self._is_on:
                raise RuntimeError(f"this {self._what} can't be used by its own oracle")
            yield


class Handle:
    """Frees what it owns when it is closed, left as a `with` block, or forgotten."""

    _what = "object"

    def _own(self, address: c_void_p, keep: object = None) -> None:
        self._turn = _Turn(self._what)
        self._turn.address = address
        self._finish = weakref.finalize(self, Handle._release, self._what, self._turn, keep)
        # The end of the process frees all; in a forked child it would wait for calls of the parent's threads.
        self._finish.atexit = False

    @staticmethod
    def _release(what: str, turn: _Turn, keep: object) -> None:
        """`keep` is what the library still points to: Python functions."""
        with turn as address:
            turn.address = None
            getattr(library(), f"lotor_{what}_free")(address)

    def close(self) -> None:
        """Frees the memory now. Again is fine."""
        with self._turn.alone():  # not within a call: the library would go on with what is gone
            self._finish()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {self._what} can't be copied or pickled: two copies would draw two noises for one sum. "
            "Move it with save() and load(), once"
        )

    def _save(self) -> bytes:
        bytes_out, length = POINTER(c_ubyte)(), c_size_t()
        with self._turn as address:
            check(getattr(library(), f"lotor_{self._what}_save")(address, byref(bytes_out), byref(length)))
        try:
            return string_at(bytes_out, length.value)
        finally:
            library().lotor_bytes_free(bytes_out, length)

    def _guarantee(self) -> _native.Guarantee:
        raw = _native.Guarantee()
        with self._turn as address:
            getattr(library(), f"lotor_{self._what}_guarantee")(address, byref(raw))
        return raw
