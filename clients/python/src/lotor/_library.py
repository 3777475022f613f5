"""Finds liblotor, loads it on first use, and turns its statuses into exceptions."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

from . import _native
from .errors import BY_STATUS, Error, InvalidError

VERSION = "1.0.0"  # the library that _native.py describes
_BUNDLED = Path(__file__).with_name("liblotor.so.1")


def _places() -> list[str]:
    """Where to look, in this order. If LOTOR_LIBRARY is set, only there; otherwise in the package, then in the
    system."""
    named = os.environ.get("LOTOR_LIBRARY")
    if named:
        return [named]
    return [*([str(_BUNDLED)] if _BUNDLED.exists() else []), "liblotor.so.1", "liblotor.so"]


def _load() -> ctypes.CDLL:
    failed = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            failed.append(str(error))
    raise ImportError(
        "liblotor can't be loaded (" + "; ".join(failed) + "): install the package from Lotor's source tree, "
        "or set LOTOR_LIBRARY to the path of liblotor.so"
    )


@cache
def library() -> Any:
    """The library, with every function declared."""
    loaded = _load()
    try:
        loaded.lotor_version.restype = ctypes.c_char_p
        version = loaded.lotor_version().decode()
        if version.split(".")[:2] != VERSION.split(".")[:2]:
            raise ImportError(f"{loaded._name} has version {version}, this package is for {VERSION}")
        for name, (returns, takes) in _native.FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = returns, takes
    except AttributeError as error:
        raise ImportError(f"{loaded._name} is not the liblotor of this package: {error}") from None
    return loaded


def check(status: int, why: _native.Message | None = None) -> None:
    """Raises the exception of a status; does nothing for LOTOR_OK."""
    if status == 0:
        return
    kind = BY_STATUS[status - 1] if 0 < status <= len(BY_STATUS) else Error
    text = why.text.decode("utf-8", "replace") if why is not None else ""
    raise kind(text or kind.__doc__)


def text_of(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")


def bytes_of(value: str | None) -> bytes | None:
    """A text for the library; for a file, its name as Python encodes it."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"expected a text, not {value!r}")
    if "\0" in value:  # the library would stop reading there
        raise InvalidError(f"{value!r} has a character 0 in it: leave it out")
    return value.encode(errors="surrogateescape")
