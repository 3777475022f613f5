"""A Python function as a mechanism that the library audits: its arguments, its runs and its outputs."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

OUTPUTS_MAX = 256  # numbers of one output
RUNS = 256  # runs of one call, of a function that does one run
RUNS_OF_BATCH = 4096  # and of a function that does many at once

_REQUIRED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def pair_of(neighbours: Any) -> tuple[Any, Any]:
    """The two inputs."""
    if neighbours is None:
        raise TypeError(
            "the audit of a function needs two neighbouring inputs: give neighbours=(x, y), which differ in the data "
            "of one person"
        )
    try:
        first, second = neighbours
    except (TypeError, ValueError):
        raise TypeError(f"neighbours must be two inputs, (x, y), not {neighbours!r}") from None
    return first, second


def _takes_rng(function: Callable[..., Any]) -> bool:
    """True if a function of one run wants a generator. A second parameter with a default is an option of its own,
    unless it is called rng."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function of C that does not say
        return True
    places = [each for each in parameters if each.kind in _REQUIRED]
    if len(places) >= 2:
        return places[1].name == "rng" or places[1].default is inspect.Parameter.empty
    return any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)


def _numbers(value: Any) -> NDArray[np.float64]:
    """An output, or several, as doubles."""
    if value is None:
        raise TypeError("the mechanism returned None: return a number, or an array of numbers")
    array = np.asarray(value)
    if array.dtype.kind not in "biufO":
        raise TypeError(f"the mechanism returned {value!r}: return a number, or an array of numbers")
    return np.asarray(array, dtype=np.float64)


def _check_length(length: int) -> int:
    if length > OUTPUTS_MAX:
        raise ValueError(
            f"an output of the mechanism has {length} numbers: at most {OUTPUTS_MAX} are taken; return a part of the "
            "output, or a summary of it"
        )
    return length


def _run_each(
    function: Callable[..., Any], inputs: tuple[Any, Any], takes_rng: bool, call: Any, outputs: NDArray[np.float64]
) -> None:
    x = inputs[call.input]
    arguments = (x, np.random.default_rng(call.seed)) if takes_rng else (x,)
    for run in range(call.runs):
        output = _numbers(function(*arguments)).ravel()
        length = _check_length(output.size)
        outputs[run, :length] = output
        call.counts[run] = length


def _run_batch(
    function: Callable[..., Any], inputs: tuple[Any, Any], call: Any, outputs: NDArray[np.float64]
) -> None:
    made = _numbers(function(inputs[call.input], np.random.default_rng(call.seed), call.runs))
    if made.ndim not in (1, 2) or made.shape[0] != call.runs:
        raise ValueError(
            f"the mechanism returned an array of shape {made.shape} for size={call.runs}: return one row for each "
            f"run, of shape ({call.runs}, d)"
        )
    rows = made.reshape(call.runs, -1)
    length = _check_length(rows.shape[1])
    outputs[:, :length] = rows
    for run in range(call.runs):
        call.counts[run] = length


def runner(function: Callable[..., Any], neighbours: Any, batch: bool) -> Callable[[Any, Any, Any], int]:
    """The callback for the C library."""
    inputs = pair_of(neighbours)
    takes_rng = not batch and _takes_rng(function)

    def run(_context: Any, pointer: Any, _why: Any) -> int:
        call = pointer.contents
        outputs = np.ctypeslib.as_array(call.outputs, shape=(call.runs, call.capacity))
        if batch:
            _run_batch(function, inputs, call, outputs)
        else:
            _run_each(function, inputs, takes_rng, call, outputs)
        return 0

    return run
