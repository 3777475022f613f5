"""Audits: whether an adversary can refute a privacy claim."""

from __future__ import annotations

import ctypes
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Callable, SupportsIndex

from . import _native
from ._library import bytes_of, check, library
from ._mechanism import RUNS, RUNS_OF_BATCH, runner
from ._numbers import Budget, positive, ratio_of, whole
from ._options import delta_of, warn_unused
from ._progress import Progress, watch
from ._trap import Trap
from .rules import IndexRule, Named

_STOPPED = 15  # LOTOR_STOPPED


@dataclass(frozen=True)
class Audit:
    """The result of an audit: the true epsilon is at least `found`, with this confidence."""

    algorithm: str  # its id, or the name of the function
    violated: bool  # the claim does not hold
    verdict: str
    epsilon: float  # the claim; math.inf: no claim
    delta: float
    found: float
    confidence: float
    view: str  # what the adversary saw: "actions", "board", "reports"; "outputs" of a function
    event: str  # the event that tells the two inputs apart
    setting: str  # the world and the parameters
    trials: int
    seconds: float
    exercised: str  # what the trials exercised, and
    not_exercised: str  # what none of them did: phrases, separated by "; "

    def __str__(self) -> str:
        said = (
            f"{self.algorithm}: {self.verdict}; claimed epsilon {self.epsilon:g}, "
            f"found at least {self.found:.4g} with confidence {self.confidence:g}"
        )
        return f"{said}\nevent: {self.event}" if self.violated and self.event else said


def _told(name: str, raw: _native.AuditResult) -> Audit:
    return Audit(
        algorithm=name,
        violated=raw.is_violated,
        verdict=raw.verdict.decode(),
        epsilon=raw.epsilon,
        delta=raw.delta,
        found=raw.found,
        confidence=raw.confidence,
        view=raw.view.decode(),
        event=raw.event.decode("utf-8", "replace"),
        setting=raw.setting.decode("utf-8", "replace"),
        trials=raw.trials,
        seconds=raw.seconds,
        exercised=raw.exercised.decode(),
        not_exercised=raw.not_exercised.decode(),
    )


def _search(function: str, params: ctypes.Structure, trap: Trap) -> _native.AuditResult:
    """Calls the library. An exception of a Python function comes out."""
    raw, why = _native.AuditResult(), _native.Message()
    with trap.set():
        status = getattr(library(), function)(byref(params), byref(why), byref(raw))
    caught = trap.take()
    if caught is not None:
        raise caught
    check(status, why)
    return raw


def _audit_mechanism(
    function: Callable[..., Any],
    neighbours: Any,
    batch: bool,
    epsilon: Budget | None,
    delta: Budget | None,
    trials: SupportsIndex | float | None,
    confidence: float | None,
    seed: SupportsIndex | None,
    threads: SupportsIndex | None,
    progress: Progress | None,
) -> Audit:
    trap = Trap()
    run = _native.Mechanism(trap.guard(_STOPPED, runner(function, neighbours, batch)))
    params = _native.AuditMechanismParams(
        run=run,
        epsilon=_native.Ratio() if epsilon is None else ratio_of(epsilon, "epsilon"),
        delta=ratio_of(0 if delta is None else delta, "delta"),
        trials=0 if trials is None else whole(trials, "trials", 1),
        confidence=positive(confidence, "confidence"),
        batch=RUNS_OF_BATCH if batch else RUNS,
        is_seeded=seed is not None,
        seed=0 if seed is None else whole(seed, "seed"),
        threads=1 if threads is None else whole(threads, "threads", 1),
    )
    if progress is not None:  # without it, the function is called in this thread
        params.progress = watch(progress, trap)
    name = getattr(function, "__name__", type(function).__name__)
    return _told(name, _search("lotor_audit_mechanism", params, trap))


def audit(
    algorithm: str | IndexRule | Callable[..., Any],
    *,
    epsilon: Budget | None = None,
    delta: Budget | None = None,
    horizon: SupportsIndex | float | None = None,
    trials: SupportsIndex | float | None = None,
    view: str | None = None,
    confidence: float | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
    noise_scale: float = 1.0,
    progress: Progress | None = None,
    neighbours: Any = None,
    batch: bool = False,
) -> Audit:
    """Tries to break a privacy claim: plays an algorithm or a `lotor.IndexRule` on two inputs that differ in one
    round's feedback, and looks for an event that tells them apart. Or runs a function of your own on two
    neighbouring inputs.

    The default `epsilon` is 2, as in `lotor audit`. For a function it is 1.

    An audit can refute a claim, but never prove one. With a `seed` the noise is simulated, and the same seed
    gives the same numbers. Without a seed the noise is exact. `noise_scale` below 1 reduces the noise, but not
    the claim. Use it to check that the audit finds the violation.

    >>> import lotor
    >>> found = lotor.audit('cascade-ldp-gauss', epsilon=0.2, trials=10_000, seed=1)
    >>> found.violated, found.found > 1
    (True, True)

    A function is a mechanism: it gets one of the two `neighbours` and a seeded NumPy generator, and returns a number
    or an array of at most 256 numbers. A function of one argument draws its own random numbers. With `batch=True` it
    also gets a size, and returns that many outputs at once, as rows: this is much faster. The claim is `epsilon` and
    `delta` (0 if it is left out).

    >>> def noisy_count(answers, rng, size):
    ...     return sum(answers) + rng.geometric(1 - 1 / 2.718, (size, 1)) - rng.geometric(1 - 1 / 2.718, (size, 1))
    >>> pair = ([1, 0, 1], [1, 0, 0])
    >>> lotor.audit(noisy_count, neighbours=pair, epsilon=1, batch=True, seed=1).verdict
    'no violation found'
    >>> lotor.audit(noisy_count, neighbours=pair, epsilon=0.5, batch=True, seed=1).verdict
    'violated'

    Noise in doubles, such as `rng.laplace`, shows the sum by its lowest bits and is always violated. To test its scale
    alone, round the output (`np.round(output, 6)`).
    """
    if callable(algorithm):  # an IndexRule is not
        for option, value in (("horizon", horizon), ("view", view)):
            if value is not None:
                warn_unused(option, "a mechanism has no rounds")
        if noise_scale != 1:
            warn_unused("noise_scale", "the mechanism adds its own noise")
        return _audit_mechanism(
            algorithm, neighbours, batch, epsilon, delta, trials, confidence, seed, threads, progress
        )
    if neighbours is not None or batch:
        warn_unused("neighbours" if neighbours is not None else "batch", "an algorithm has its own pairs of inputs")
    trap = Trap()
    named = Named(algorithm, trap)
    if threads is None and named.asks_python:  # Python runs only one function at a time
        threads = 1
    params = _native.AuditParams(
        algorithm=named.id,
        catalog=named.address,
        epsilon=_native.Ratio() if epsilon is None else ratio_of(epsilon, "epsilon"),
        delta=delta_of(algorithm, delta),
        horizon=0 if horizon is None else whole(horizon, "horizon", 1),
        trials=0 if trials is None else whole(trials, "trials", 1),
        view=bytes_of(view),
        confidence=positive(confidence, "confidence"),
        is_seeded=seed is not None,
        seed=0 if seed is None else whole(seed, "seed"),
        threads=0 if threads is None else whole(threads, "threads", 1),
        noise_scale=positive(noise_scale, "noise_scale"),
        progress=watch(progress, trap),
    )
    return _told(named.name, _search("lotor_audit_run", params, trap))
