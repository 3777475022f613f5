"""Experiments: what an algorithm would lose, and whether its privacy claim holds."""

from __future__ import annotations

from ctypes import POINTER, byref
from dataclasses import dataclass
from typing import Any, Callable, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._library import bytes_of, check, library
from ._numbers import Budget, array_of, doubles, positive, ratio_of, whole
from ._trap import Trap
from .errors import InvalidError
from .guarantee import Guarantee
from .policy import Setup
from .structures import Structure

Progress = Callable[[float], object]
"""Called now and then with the share that is done; what is true stops."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of an experiment. Regret is the reward lost so far, as the mean over the runs."""

    algorithm: str
    rounds: NDArray[np.int64]  # log-spaced; the last is the horizon
    regret: NDArray[np.float64]  # the total up to each of these rounds
    standard_error: NDArray[np.float64]  # of that mean; NaN for one run
    runs: int  # complete runs
    horizon: int
    arms: int
    per_round: float  # expected reward per round, and its standard error
    per_round_error: float
    best_per_round: float  # regret is measured against this; NaN in linear worlds
    lower_bound: float  # in the long run, no good algorithm has a regret below this times log T; or NaN
    favourite: NDArray[np.intp] | None  # arms shown together most often in the last tenth; None: not known
    guarantee: Guarantee  # the noise is simulated and protects nobody
    seconds: float

    def __str__(self) -> str:
        error = self.standard_error[-1]
        shown = "" if np.isnan(error) else f" +- {error:.4g}"
        return f"{self.algorithm}: regret {self.regret[-1]:.6g}{shown} after {self.horizon:,} rounds, {self.runs} runs"


def _watch(progress: Progress | None, trap: Trap) -> Any:
    """The C callback. It returns true to stop the work, also after an exception. A waiting Ctrl-C is raised in
    it."""

    def call(_context: Any, share: float) -> bool:
        return bool(progress(share)) if progress is not None else False

    return _native.Progress(trap.guard(True, call))


def simulate(
    algorithm: str,
    *,
    horizon: SupportsIndex | float,
    means: ArrayLike | None = None,
    instance: str | None = None,
    epsilon: Budget | None = None,
    delta: Budget | None = None,
    arms: SupportsIndex | None = None,
    slots: SupportsIndex | None = None,
    beta: float | None = None,
    clip: bool = False,
    cascade: bool = False,
    structure: Structure | None = None,
    dimension: SupportsIndex | None = None,
    regularizer: float | None = None,
    rewards: str | None = None,
    concentration: float | None = None,
    gap: float | None = None,
    runs: SupportsIndex | float = 10,
    seed: SupportsIndex = 1,
    threads: SupportsIndex | None = None,
    checkpoints: SupportsIndex = 50,
    noise_scale: float = 1.0,
    progress: Progress | None = None,
) -> Simulation:
    """Plays an algorithm in a world, `runs` times, and measures its regret.

    Give one of three worlds: `means`, the arms' mean rewards; `instance`, a name that `lotor run --instance`
    takes ("c1" to "c4", "grid:5x5", ...); or, for contextual linear algorithms, random actions (`arms`,
    `dimension`; with `gap` one is better than all others by that). `rewards` are "bernoulli" (the default),
    "beta" (with `concentration`) or "uniform".

    The same seed gives the same numbers, whatever the number of threads. Its noise is fast and seeded, so
    a simulation protects nobody. `noise_scale` multiplies the noise, not the claim.

    >>> import lotor
    >>> played = lotor.simulate('dp-se', instance='c2', horizon=1e6, epsilon=0.5)
    >>> print(played)
    dp-se: regret 3953 +- 0 after 1,000,000 rounds, 10 runs
    >>> played.rounds[-1], played.regret.shape == played.rounds.shape
    (1000000, True)

    `progress` is called from time to time with the share that is done. If it returns true, the work stops, and
    the complete runs are returned. Ctrl-C stops the work, too.
    """
    numbers = None
    if means is not None:
        numbers = array_of(means, np.float64, "means", (None,))
        if arms is not None and whole(arms, "arms") != len(numbers):
            raise InvalidError(f"arms is {arms}, but there are {len(numbers)} means: leave arms out")
        arms = len(numbers)
    setup = Setup(
        algorithm,
        arms=arms,
        slots=slots,
        horizon=horizon,
        epsilon=epsilon,
        delta=delta,
        beta=beta,
        clip=clip,
        cascade=cascade,
        structure=structure,
        dimension=dimension,
        regularizer=regularizer,
    )
    if threads is None:  # Python runs only one function at a time
        threads = 1 if setup.asks_python else 0
    params = _native.SimulateParams(
        policy=setup.params,
        means=None if numbers is None else doubles(numbers),
        instance=bytes_of(instance),
        rewards=bytes_of(rewards),
        concentration=positive(concentration, "concentration"),
        has_gap=gap is not None,
        gap=gap or 0.0,
        runs=whole(runs, "runs", 1),
        seed=whole(seed, "seed"),
        threads=whole(threads, "threads"),
        checkpoints=whole(checkpoints, "checkpoints", 1),
        noise_scale=positive(noise_scale, "noise_scale"),
        progress=_watch(progress, setup.trap),
    )
    result, why = POINTER(_native.SimulateResult)(), _native.Message()
    try:
        with setup.trap.set():
            status = library().lotor_simulate_run(byref(params), byref(why), byref(result))
        caught = setup.trap.take()
        if caught is not None:
            raise caught
        check(status, why)
        return _simulation(algorithm, result.contents)
    finally:
        library().lotor_simulate_free(result)


def _simulation(algorithm: str, raw: _native.SimulateResult) -> Simulation:
    points = np.ctypeslib.as_array(raw.points, (raw.point_count,))
    return Simulation(
        algorithm=algorithm,
        rounds=points["round"].astype(np.int64),
        regret=points["regret"].copy(),
        standard_error=points["standard_error"].copy(),
        runs=raw.runs,
        horizon=raw.horizon,
        arms=raw.arms,
        per_round=raw.per_round,
        per_round_error=raw.round_error,
        best_per_round=raw.best_per_round,
        lower_bound=raw.lower_bound,
        favourite=np.array(raw.favourite[: raw.favourite_count], np.intp) if raw.favourite_count else None,
        guarantee=Guarantee._of(raw.guarantee),
        seconds=raw.seconds,
    )


@dataclass(frozen=True)
class Audit:
    """What an adversary found: the true epsilon is at least `found`, with this confidence."""

    algorithm: str
    violated: bool  # the claim does not hold
    verdict: str
    epsilon: float  # the claim; math.inf: no claim
    delta: float
    found: float
    confidence: float
    view: str  # what the adversary saw: "actions", "board", "reports"
    event: str  # the event that tells the two inputs apart
    setting: str  # the world and the parameters
    trials: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.algorithm}: {self.verdict}; claimed epsilon {self.epsilon:g}, "
            f"found at least {self.found:.4g} with confidence {self.confidence:g}"
        )


def audit(
    algorithm: str,
    *,
    epsilon: Budget = 1,
    delta: Budget | None = None,
    horizon: SupportsIndex | float | None = None,
    trials: SupportsIndex | float | None = None,
    view: str | None = None,
    confidence: float | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
    noise_scale: float = 1.0,
    progress: Progress | None = None,
) -> Audit:
    """Tries to break an algorithm's privacy claim: plays it on two inputs that differ in one round's
    feedback, and looks for an event that tells them apart.

    An audit can refute a claim, but never prove one. With a `seed` the noise is simulated, and the same seed
    gives the same numbers. Without a seed the noise is exact. `noise_scale` below 1 reduces the noise, but not
    the claim. Use it to see that the audit notices.

    >>> import lotor
    >>> found = lotor.audit('cascade-ldp-gauss', epsilon=0.2, trials=10_000, seed=1)
    >>> found.violated, found.found > 1
    (True, True)
    """
    trap = Trap()
    params = _native.AuditParams(
        algorithm=bytes_of(algorithm),
        epsilon=ratio_of(epsilon, "epsilon"),
        horizon=0 if horizon is None else whole(horizon, "horizon", 1),
        trials=0 if trials is None else whole(trials, "trials", 1),
        view=bytes_of(view),
        confidence=positive(confidence, "confidence"),
        is_seeded=seed is not None,
        seed=0 if seed is None else whole(seed, "seed"),
        threads=0 if threads is None else whole(threads, "threads", 1),
        noise_scale=positive(noise_scale, "noise_scale"),
        progress=_watch(progress, trap),
    )
    if delta is not None:
        params.delta = ratio_of(delta, "delta")
    raw, why = _native.AuditResult(), _native.Message()
    with trap.set():
        status = library().lotor_audit_run(byref(params), byref(why), byref(raw))
    caught = trap.take()
    if caught is not None:
        raise caught
    check(status, why)
    return Audit(
        algorithm=algorithm,
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
    )
