"""Private counting: a running sum that anyone may see."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._handle import Handle
from ._library import bytes_of, check, library
from ._numbers import Budget, array_of, ratio_of, whole
from .guarantee import Guarantee


class Counter(Handle):
    """A running sum that is published after each value, and does not reveal any single value.

    `mechanism` is "tree", "hybrid", "batch" or "gaussian-tree" (which needs a delta); the first and the last
    need a horizon. Threads may share a counter: calls wait for each other. A forked child can't
    use a counter of its parent.

    >>> import lotor
    >>> people = lotor.Counter('tree', epsilon=1, horizon=100_000)
    >>> people.add(1)
    >>> people.add([0, 1, 1, 0])
    >>> people.added
    5
    >>> people.value == people.value      # noise is drawn once
    True
    """

    _what = "counter"

    def __init__(
        self,
        mechanism: str = "tree",
        *,
        epsilon: Budget,
        delta: Budget = 0,
        horizon: SupportsIndex | float | None = None,
        low: float = 0.0,
        high: float = 1.0,
    ) -> None:
        params = _native.CounterParams(
            mechanism=bytes_of(mechanism),
            epsilon=ratio_of(epsilon, "epsilon"),
            delta=ratio_of(delta, "delta"),
            horizon=0 if horizon is None else whole(horizon, "horizon"),
            low=low,
            high=high,
        )
        address, why = c_void_p(), _native.Message()
        check(library().lotor_counter_new(byref(params), byref(why), byref(address)), why)
        self._own(address)

    @classmethod
    def load(cls, saved: bytes) -> Counter:
        """Loads the bytes of `save`. Load a state only once: two counters would draw different noise for the
        same sum."""
        address, why = c_void_p(), _native.Message()
        check(library().lotor_counter_load(bytes(saved), len(saved), byref(why), byref(address)), why)
        counter = cls.__new__(cls)
        counter._own(address)
        return counter

    def save(self) -> bytes:
        """The whole state, with raw sums: keep it as secret as the data."""
        return self._save()

    def add(self, values: ArrayLike) -> None:
        """Adds one value, or several in their order. If a value is refused, the values before it are added."""
        array = array_of(np.atleast_1d(np.asanyarray(values)), np.float64, "values", (None,))
        add, why = library().lotor_counter_add, _native.Message()
        with self._turn as address:
            for value in array.tolist():
                check(add(address, value, byref(why)), why)

    @property
    def value(self) -> float:
        """The private sum as last released; 0.0 before the first release."""
        with self._turn as address:
            return float(library().lotor_counter_value(address))

    @property
    def added(self) -> int:
        """How many values were added."""
        with self._turn as address:
            return int(library().lotor_counter_added_count(address))

    @property
    def covered(self) -> int:
        """How many values the released sum covers."""
        with self._turn as address:
            return int(library().lotor_counter_covered_count(address))

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee._of(self._guarantee())

    def __enter__(self) -> Counter:
        return self
