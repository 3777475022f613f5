"""The device's part of the local model: turns feedback into a report that may be sent."""

from __future__ import annotations

from ctypes import byref, c_int64, c_size_t
from dataclasses import dataclass
from typing import Any, Mapping, SupportsIndex

from numpy.typing import ArrayLike

from . import _native
from ._library import bytes_of, check, library
from ._numbers import Budget, ratio_of, whole
from .errors import InvalidError
from .policy import feedback_of

_MOST_SLOTS = 4096


@dataclass(frozen=True)
class Randomizer:
    """How to randomize feedback. The service sends this with each decision of a local campaign."""

    mechanism: str  # "bit", "sum-bit", "click-bit", "position", "laplace", "cube"
    slot: int  # the slot that the report is about, from 1; 0: all
    epsilon: Budget
    scale: int = 0  # laplace: the scale of the noise, in units
    unit: float = 0.0  # laplace: the size of a unit
    low: float = 0.0
    high: float = 1.0
    slots: int = 1  # the largest number of arms in a list

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Randomizer:
        """Reads the service's JSON; unknown fields are refused."""
        unknown = set(fields) - set(Randomizer.__dataclass_fields__)
        if unknown:
            raise InvalidError(f"the randomizer has fields that are not known: {', '.join(sorted(unknown))}")
        try:
            return Randomizer(**fields)
        except TypeError as error:
            raise InvalidError(f"the randomizer lacks fields: {error}") from None


def randomize(
    randomizer: Randomizer | Mapping[str, Any], rewards: ArrayLike | None = None, *, click: SupportsIndex | None = None
) -> int | list[int]:
    """Makes one report, which may be sent: a number or a list of numbers, with exact noise from the kernel.

    `rewards` are those of the asked arms (of the arm in position `slot`, or of all). `click` is the position of
    the first click from 1, 0 for none. A randomizer that does not give its epsilon is refused.

    Make only one report of the same feedback, and send it as often as needed: a second report spends epsilon
    again.

    >>> import lotor
    >>> told = {'mechanism': 'position', 'slot': 0, 'epsilon': 1, 'scale': 0, 'unit': 0,
    ...         'low': 0, 'high': 1, 'slots': 3}
    >>> lotor.randomize(told, click=2) in (1, 2, 3, 4)     # 4: no click
    True
    """
    told = randomizer if isinstance(randomizer, Randomizer) else Randomizer.of(randomizer)
    if not isinstance(told.mechanism, str) or "\0" in told.mechanism:  # C ends a text there
        raise InvalidError("the randomizer's mechanism must be bit, sum-bit, click-bit, position, laplace or cube")
    if not all(isinstance(each, (int, float)) for each in (told.unit, told.low, told.high)):
        raise InvalidError("the randomizer's unit, low and high must be numbers")
    slots = whole(told.slots, "slots", 1)
    if slots > _MOST_SLOTS:
        raise InvalidError(f"the randomizer's slots are {slots}: at most {_MOST_SLOTS} are possible")
    raw = _native.Randomizer(
        mechanism=bytes_of(told.mechanism),
        slot=whole(told.slot, "slot"),
        epsilon=ratio_of(told.epsilon, "epsilon"),
        scale=whole(told.scale, "scale"),
        unit=told.unit,
        low=told.low,
        high=told.high,
        slots=slots,
    )
    feedback, _numbers = feedback_of(rewards, click)
    report, count, why = (c_int64 * slots)(), c_size_t(), _native.Message()
    check(library().lotor_randomizer_report(byref(raw), byref(feedback), byref(why), report, byref(count)), why)
    sent = list(report[: count.value])
    return sent if told.mechanism in ("laplace", "cube") else sent[0]
