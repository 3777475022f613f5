"""Options that an algorithm has no use for: they are ignored, with a warning."""

from __future__ import annotations

import sys
import warnings
from ctypes import byref
from typing import Any, Callable

from . import _native
from ._library import bytes_of, library
from ._numbers import Budget, ratio_of
from .errors import InvalidError, UnusedOptionWarning

_IMED = "it is for lik-imed and rr-imed, not for {}"
_LIK_IMED = "it is for lik-imed, not for {}"
_LINEAR = "it is for contextual linear problems, not for {}"
_NOISE = "{} adds no noise"

# option -> whether an algorithm uses it, and the reason if it does not. The command has the same table
# (src/cli/run_notes.c).
_USES: dict[str, tuple[Callable[[_native.AlgorithmInfo], bool], str]] = {
    "epsilon": (lambda info: bool(info.model), _NOISE),
    "noise_scale": (lambda info: bool(info.model), _NOISE),
    "delta": (lambda info: bool(info.delta.num), "the guarantee of {} has no delta"),
    "beta": (lambda info: bool(info.uses_beta), "no choice of {} depends on it"),
    "caution": (lambda info: bool(info.uses_caution), _IMED),
    "lag": (lambda info: bool(info.uses_caution), _IMED),
    "half_life": (lambda info: bool(info.uses_caution), _IMED),
    "window": (lambda info: bool(info.uses_window), _LIK_IMED),
    "alarm": (lambda info: bool(info.uses_window), _LIK_IMED),
    "variance": (lambda info: bool(info.uses_window), _LIK_IMED),
    "dimension": (lambda info: bool(info.problem == b"linear"), _LINEAR),
    "context_length": (lambda info: bool(info.problem == b"linear"), _LINEAR),
    "theta_length": (lambda info: bool(info.problem == b"linear"), _LINEAR),
    "regularizer": (lambda info: bool(info.problem == b"linear"), _LINEAR),
    "gap": (lambda info: bool(info.problem == b"linear"), _LINEAR),
}

UNUSABLE = tuple(name for name in _USES if name not in ("delta", "noise_scale", "gap"))  # by any policy


def _of_the_caller() -> int:
    """How many frames up the first function outside this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level


def warn_unused(option: str, reason: str) -> None:
    """Warns at the line of the program that called the package."""
    warnings.warn(f"{option} is not used: {reason}", UnusedOptionWarning, stacklevel=_of_the_caller())


def _facts_of(algorithm: object) -> _native.AlgorithmInfo | None:
    """None for an id that is not in the catalog: it is refused elsewhere."""
    info: _native.AlgorithmInfo | None = getattr(algorithm, "_facts", None)  # of an own rule
    if info is None:
        info = _native.AlgorithmInfo()
        if not isinstance(algorithm, str) or library().lotor_algorithm_find(bytes_of(algorithm), None, byref(info)):
            return None
    return info


def _is_given(value: object) -> bool:
    return value is not None and value is not False


def warn_of_options_without_use(algorithms: list[Any], given: dict[str, Any]) -> None:
    """Warns of the options that none of several algorithms uses."""
    known = [info for info in map(_facts_of, algorithms) if info is not None]
    for option, value in given.items():
        if option in _USES and _is_given(value) and known and not any(_USES[option][0](info) for info in known):
            names = "any of " + ", ".join(map(str, algorithms)) if len(algorithms) > 1 else str(algorithms[0])
            warn_unused(option, f"it makes no difference to {names}")


def unused(algorithm: object, given: dict[str, Any]) -> set[str]:
    """Warns of the options that are given (neither None nor False) and not used. Returns their names."""
    info = _facts_of(algorithm)
    if info is None:
        return set()
    idle = set()
    for option, value in given.items():
        uses, reason = _USES[option]
        if _is_given(value) and not uses(info):
            warn_unused(option, reason.format(algorithm))
            idle.add(option)
    return idle


def delta_of(algorithm: object, delta: Budget | None) -> _native.Ratio:
    """The library's fraction. It refuses a delta that the guarantee has no use for, so that is left out here; 0 fits
    every guarantee."""
    ratio = _native.Ratio() if delta is None else ratio_of(delta, "delta")
    if ratio.num == 0 or not unused(algorithm, {"delta": delta}):
        return ratio
    if ratio.num >= ratio.den:
        raise InvalidError(f"delta must lie between 0 and 1, not {delta}")
    return _native.Ratio()
