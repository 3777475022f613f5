"""Converts Python's numbers and NumPy's arrays to the types of the library."""

from __future__ import annotations

import math
import numbers
import operator
from ctypes import POINTER, byref, c_double
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._library import bytes_of, check, library
from .errors import InvalidError

Budget: TypeAlias = Union[int, float, str, Fraction, Decimal]
"""An epsilon or a delta. A float is taken by its shortest decimal, so 0.1 is a tenth; `math.inf` or "inf"
is infinity, which adds no noise."""

_LARGEST = 2**63


def _down(value: Fraction) -> Fraction:
    """A fraction of two 64-bit numbers that is not above `value`. A smaller budget gives more privacy."""
    parts = 10**18
    while parts > 1 and math.floor(value * parts) >= _LARGEST:
        parts //= 10
    return Fraction(math.floor(value * parts), parts)


def ratio_of(value: Budget, name: str) -> _native.Ratio:
    """The library's exact fraction."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if isinstance(value, (float, np.floating)):
        return _parse(float.__repr__(value) if isinstance(value, float) else str(value), name)
    if isinstance(value, (str, Decimal)):  # a Fraction of Decimal("1e999999999") would fill the memory
        return _parse(str(value), name)
    if not isinstance(value, numbers.Rational):
        raise TypeError(f"{name} must be an int, a float, a str or a Fraction, not {type(value).__name__}")
    exact = Fraction(value)
    if exact < 0:
        raise InvalidError(f"{name} is {value}: give a number that is not negative, such as 0.5")
    if exact.numerator >= _LARGEST or exact.denominator >= _LARGEST:
        exact = _down(exact)
    if exact >= _LARGEST or (exact == 0 and value != 0):
        raise InvalidError(f"{name} is {value}: give 0, or a number from 1e-18 to 2^63")
    ratio: _native.Ratio = library().lotor_ratio_of(exact.numerator, exact.denominator)
    return ratio


def budget_of(ratio: _native.Ratio) -> Fraction | float | None:
    """The number that a fraction of the library is: math.inf for infinity, None for 0/0 (left out)."""
    if ratio.den == 0:
        return math.inf if ratio.num else None
    return Fraction(ratio.num, ratio.den)


def _parse(text: str, name: str) -> _native.Ratio:
    ratio, why = _native.Ratio(), _native.Message()
    status = library().lotor_ratio_parse(bytes_of(text.lower().replace("infinity", "inf")), byref(why), byref(ratio))
    if status:
        why.text = f"{name}: ".encode() + why.text[:300]
    check(status, why)
    return ratio


def whole(value: SupportsIndex | float, name: str, least: int = 0) -> int:
    """A whole number, which may be a float such as 1e6."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = operator.index(value)
    if not least <= number < 2**64:
        raise InvalidError(f"{name} is {number}: give a whole number from {least} to 2^64 - 1")
    return number


def array_of(values: ArrayLike, dtype: Any, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """A C-contiguous array of that type and shape (None: any length), copied if necessary.

    Whole numbers are never rounded or wrapped: numbers that do not fit are refused.
    """
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):  # NumPy would use the values behind the mask
        raise InvalidError(f"{name} has masked entries: fill them, or leave them out")
    given = np.asarray(values)
    if given.dtype.kind not in ("biuf" if np.dtype(dtype).kind == "f" else "iuf") and given.size:
        raise TypeError(f"{name} must be an array of numbers, not of {given.dtype}")
    fits = given.ndim == len(shape) and all(want in (None, has) for want, has in zip(shape, given.shape))
    if not fits:
        wanted = "(" + ", ".join("any" if each is None else str(each) for each in shape) + ")"
        raise InvalidError(f"{name} has shape {given.shape}, expected {wanted}")
    with np.errstate(invalid="ignore"):  # numbers that do not fit are found below
        array = np.ascontiguousarray(given, dtype=dtype)
    if np.dtype(dtype).kind != "f" and not np.array_equal(array, given):
        raise InvalidError(f"{name} must have whole numbers that fit {np.dtype(dtype).name}")
    return array


def doubles(array: NDArray[Any]) -> Any:
    """A pointer to the numbers of an array, which must live longer than the pointer."""
    return array.ctypes.data_as(POINTER(c_double))


def positive(value: float | None, name: str) -> float:
    """A number above 0, or 0.0 for None: the library's default."""
    if value is None:
        return 0.0
    if not float(value) > 0:
        raise InvalidError(f"{name} is {value}: give a number above 0, or leave it out")
    return float(value)
