"""Describes the settings of an experiment, so that two of them can be compared.

A description has only dicts, lists, texts, numbers and None, so it can be written as JSON. Large arrays and the code of
functions are described by a hash. Not checked: what a function reads from its module, other functions that it calls,
and the state of objects that only C code knows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Mapping

import numpy as np

_DEEPEST = 6
_SHORT = 100  # longer arrays are described by a hash


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _code(code: CodeType, depth: int) -> list[Any]:
    """Describes the effect of a function, without its place in a file."""
    constants = [describe(each, depth + 1) for each in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names), list(code.co_varnames)]


def _function(given: FunctionType, depth: int) -> dict[str, Any]:
    kept = [describe(each.cell_contents, depth + 1) for each in given.__closure__ or () if _is_filled(each)]
    defaults = [describe(given.__defaults__, depth + 1), describe(given.__kwdefaults__, depth + 1)]
    body = [_code(given.__code__, depth), kept, defaults]
    left_out = unchecked(body)
    said = {"not checked": ", ".join(left_out)} if left_out else {}
    return {"function": given.__name__, "code": _hash(repr(body).encode()), **said}


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:  # a variable that has no value yet
        return False
    return True


def describe(given: Any, depth: int = 0) -> Any:
    """The description of a setting.

    >>> describe({'means': [0.5, 0.25], 'clip': True})
    {'means': [0.5, 0.25], 'clip': True}
    >>> describe(lambda t: t + 1) == describe(lambda t: t + 1), describe(lambda t: t + 1) == describe(lambda t: t + 2)
    (True, False)
    """
    if given is None or isinstance(given, (bool, int, str)):
        return given
    if isinstance(given, (float, np.floating)):
        return float(given) if math.isfinite(given) else str(float(given))
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, (Fraction, Decimal)):
        return str(given)
    if depth > _DEEPEST:
        return {"not checked": type(given).__name__}
    if isinstance(given, np.ndarray):
        whole = np.ascontiguousarray(given)
        if whole.dtype.hasobject or whole.size <= _SHORT:
            return describe(whole.tolist(), depth)
        return {"array": list(whole.shape), "dtype": str(whole.dtype), "hash": _hash(whole.tobytes())}
    if isinstance(given, (bytes, bytearray)):
        return {"bytes": len(given), "hash": _hash(bytes(given))}
    if isinstance(given, Mapping):
        return {str(key): describe(value, depth + 1) for key, value in given.items()}
    if isinstance(given, (list, tuple)):
        return [describe(each, depth + 1) for each in given]
    if isinstance(given, (set, frozenset)):
        return sorted((describe(each, depth + 1) for each in given), key=repr)
    if isinstance(given, ModuleType):
        return {"module": given.__name__}
    if isinstance(given, CodeType):
        return _code(given, depth)
    if isinstance(given, FunctionType):
        return _function(given, depth)
    if isinstance(given, MethodType):
        return {"method": describe(given.__func__, depth + 1), "of": describe(given.__self__, depth + 1)}
    if isinstance(given, partial):
        parts = {"of": given.func, "arguments": given.args, "keywords": given.keywords}
        return {"partial": describe(parts, depth + 1)}
    slots = [name for each in type(given).__mro__ for name in np.atleast_1d(getattr(each, "__slots__", ())).tolist()]
    if isinstance(given, type) or not (hasattr(given, "__dict__") or slots):
        return {"not checked": getattr(given, "__name__", type(given).__name__)}
    if dataclasses.is_dataclass(given):
        names = [each.name for each in dataclasses.fields(given)]
    else:
        names = sorted({*getattr(given, "__dict__", ()), *slots} - {"__dict__", "__weakref__"})
    fields = {name: describe(getattr(given, name, None), depth + 1) for name in names}
    called = getattr(type(given), "__call__", None)
    called = {"called": describe(called, depth + 1)} if isinstance(called, FunctionType) else {}
    return {"object": type(given).__name__, **called, **fields}


def unchecked(description: Any) -> list[str]:
    """The names of what a description leaves out.

    >>> unchecked(describe([max, 1]))
    ['max']
    """
    if isinstance(description, dict):
        inside = [name for key, value in description.items() if key != "not checked" for name in unchecked(value)]
        return [str(description["not checked"]), *inside] if "not checked" in description else inside
    if isinstance(description, list):
        return [name for value in description for name in unchecked(value)]
    return []


def differences(ours: Any, theirs: Any, place: str = "") -> list[str]:
    """Says where two descriptions differ.

    >>> differences({'seed': 1, 'runs': 5}, {'seed': 2, 'runs': 5})
    ['seed: 1 here, 2 there']
    """
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = []
        for name in [*ours, *(each for each in theirs if each not in ours)]:
            inside = f"{place}.{name}" if place else str(name)
            found += differences(ours.get(name), theirs.get(name), inside)
        return found
    if ours == theirs:
        return []
    return [f"{place or 'settings'}: {_short(ours)} here, {_short(theirs)} there"]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
