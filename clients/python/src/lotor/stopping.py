"""How many samples are enough?"""

from __future__ import annotations

from ctypes import byref, c_bool, c_double, c_void_p

from . import _native
from ._handle import Handle
from ._library import bytes_of, check, library
from ._numbers import Budget, ratio_of
from .guarantee import Guarantee


class Stopping(Handle):
    """Reads samples in [-range, range] until it can tell their mean within a factor (1 +- alpha), with
    probability 1 - beta. `rule` is "nas", "nas-printed", or, privately, "dp-nas" or "dp-exp-nas".

    >>> import lotor
    >>> rule = lotor.Stopping('dp-exp-nas', alpha=0.5, beta=0.1, epsilon=1)
    >>> while not rule.add(0.75):
    ...     pass
    >>> 0.3 < rule.estimate < 1.2 and rule.samples > 10
    True
    """

    _what = "stopping"

    def __init__(
        self, rule: str, *, alpha: float, beta: float, epsilon: Budget | None = None, range: float = 1.0
    ) -> None:
        params = _native.StoppingParams(rule=bytes_of(rule), alpha=alpha, beta=beta, range=range)
        if epsilon is not None:
            params.epsilon = ratio_of(epsilon, "epsilon")
        address, why = c_void_p(), _native.Message()
        check(library().lotor_stopping_new(byref(params), byref(why), byref(address)), why)
        self._own(address)

    def add(self, sample: float) -> bool:
        """Reads one sample. True: there are enough samples."""
        stopped, why = c_bool(), _native.Message()
        with self._turn as address:
            check(library().lotor_stopping_add(address, sample, byref(why), byref(stopped)), why)
        return stopped.value

    @property
    def estimate(self) -> float:
        """The estimated mean after the stop; raises `UnfinishedError` before it."""
        out = c_double()
        with self._turn as address:
            check(library().lotor_stopping_estimate(address, byref(out)))
        return out.value

    @property
    def samples(self) -> int:
        """How many samples were read."""
        with self._turn as address:
            return int(library().lotor_stopping_sample_count(address))

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee._of(self._guarantee())

    def __enter__(self) -> Stopping:
        return self
