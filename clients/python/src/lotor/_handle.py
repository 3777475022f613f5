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
    """Lets one caller in at a time. Only one thread may use an object of the library, and ctypes lets other
    threads run during a call.

    A policy's calls of every round do by hand what `with turn` does, because two calls of Python functions less
    make them faster.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.lock = threading.RLock()
        self.is_on = False
        self.address: c_void_p | None = None

    def refuse(self) -> NoReturn:
        """Says why no call can begin. It does not release the lock."""
        reason = "is closed" if self.address is None else "can't be used by its own oracle"
        raise RuntimeError(f"this {self._what} {reason}")

    def __enter__(self) -> c_void_p:
        self.lock.acquire()
        if self.is_on or self.address is None:
            self.lock.release()
            self.refuse()
        self.is_on = True
        return self.address

    def __exit__(self, *_: object) -> None:
        self.is_on = False
        self.lock.release()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until no call is running, and lets no call begin."""
        with self.lock:
            if self.is_on:
                self.refuse()
            yield


class Handle:
    """Frees the library's object when it is closed, at the end of a `with` block, or when it is garbage."""

    _what = "object"

    def _own(self, address: c_void_p, keep: object = None) -> None:
        self._turn = _Turn(self._what)
        self._turn.address = address
        self._finish = weakref.finalize(self, Handle._release, self._what, self._turn, keep)
        # The end of the process frees everything. In a forked child, it would wait for calls of the parent's
        # threads.
        self._finish.atexit = False

    @staticmethod
    def _release(what: str, turn: _Turn, keep: object) -> None:
        """`keep`: Python functions that the library still points to."""
        with turn as address:
            turn.address = None
            getattr(library(), f"lotor_{what}_free")(address)

    def close(self) -> None:
        """Frees the memory now. It may be called again."""
        with self._turn.alone():  # not during a call: the library would use freed memory
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
