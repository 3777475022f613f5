"""Simulations: what an algorithm would lose in a given world."""

from __future__ import annotations

import math
from ctypes import POINTER, byref, pointer
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._bar import Bar
from ._frame import frame_of
from ._library import VERSION, bytes_of, check, library, text_of
from ._numbers import Budget, array_of, budget_of, doubles, positive, whole
from ._options import unused, warn_unused
from ._progress import Progress, watch
from .errors import InvalidError
from .guarantee import Guarantee
from .policy import Setup
from .rules import IndexRule
from .structures import Structure
from .worlds import World


_BAR_AFTER = 1.0  # seconds: shorter simulations draw no progress bar


@dataclass(frozen=True, eq=False)
class Simulation:
    """The result of an experiment. Regret is the reward lost so far, as the mean over the runs.

    The mean hides unlucky runs. `regret_median`, `regret_99` and `regret_largest` show them: the median of the
    runs, their 99% quantile, and the run that lost most. All quantiles are those of `np.quantile`.

    >>> import lotor
    >>> played = lotor.simulate('lik-imed', means=[0.5, 0.4], horizon=1e4, epsilon=1, runs=200)
    >>> 0 < played.regret_median < played.regret_99 <= played.regret_largest
    True

    Every run is there by itself, too. `curves` and `rewards` have a row for each run and a column for each of `rounds`.

    >>> played.curves.shape == played.rewards.shape == (200, len(played.rounds))
    True
    >>> bool(played.quantile(0.5)[-1] == played.regret_median)
    True
    >>> played.shares.shape, bool(played.shares[0].sum() == 1)  # one arm is shown in each round
    ((200, 2), True)
    """

    algorithm: str
    rounds: NDArray[np.int64]  # the checkpoints; the last is the horizon
    regret: NDArray[np.float64]  # the total up to each of these rounds
    standard_error: NDArray[np.float64]  # of that mean; NaN for one run
    regret_median: float  # at the horizon, of the runs
    regret_99: float  # the 99% quantile of the runs
    regret_largest: float  # the run that lost most
    runs: int  # complete runs
    horizon: int
    arms: int
    per_round: float  # expected reward per round, and its standard error
    per_round_error: float
    best_per_round: float  # regret is measured against this; NaN in linear worlds
    best_share: float  # the share of the optimum that an approximate oracle promises; 1: exact; NaN in linear worlds
    best_is_bound: bool  # the optimum takes too long to find: the true regret is at most the measured one
    lower_bound: float  # as T grows, no good algorithm with this privacy has regret below this times log T; or NaN
    lower_bound_theorem: str | None  # where that is proved
    classical_bound: float  # the bound that was known before the exact price of privacy was; never above lower_bound
    classical_bound_theorem: str | None
    favourite: NDArray[np.intp] | None  # arms shown together most often in the last tenth; None: not known
    favourite_seeds: NDArray[np.intp] | None  # coverage and influence: the vertices behind these arms
    favourite_value: float  # expected reward of showing these arms
    favourite_rounds: int  # in how many rounds of the last tenth they were shown
    last_rounds: int  # how many rounds the last tenth has
    epsilon: Fraction | float | None  # what was played; None: the algorithm adds no noise
    delta: Fraction | float | None  # 0: the guarantee of the algorithm has none
    beta: float  # NaN: the algorithm does not use it
    slots: int  # the most arms that are shown together
    feedback: str  # counted of a round: "one" arm, "semi" (all arms shown), "least-shown", "cascade", "first-slot"
    indefinite_rounds: float  # linear: rounds per run in which the noisy matrix was not positive definite
    late_release: int  # linear: the round of the first release, if the horizon ends before it; else 0
    guarantee: Guarantee  # the noise is simulated and protects nobody
    seconds: float
    rounds_per_second: float
    seed: int
    curves: NDArray[np.float64]  # (runs, rounds): the regret of each run up to each of these rounds
    rewards: NDArray[np.float64]  # (runs, rounds): its expected reward so far, by the means of the arms that it showed
    shown: NDArray[np.int64] | None  # (runs, arms): how many rounds showed each arm; None in linear worlds
    shown_at: NDArray[np.int64] | None  # (runs, rounds, arms): the same up to each round, if it was asked for
    clipped_share: float  # at most this share of an arm's rewards is clipped to [0,1]; 0: the law needs no clipping
    lost_share: float  # so many rounds become final without feedback; 0 without an expiry
    context_scale: float  # labelled data: the features were divided by this; otherwise 1
    logged_events: int  # unbiased replay: the length of the log; otherwise 0
    accepted_events: float  # unbiased replay: accepted events per run; per_round is their average reward

    @property
    def shares(self) -> NDArray[np.float64]:
        """In which share of the rounds each run showed each arm: (runs, arms), in linear worlds not known."""
        if self.shown is None:
            raise InvalidError(
                "how often arms were shown is not known: every round of a linear world has new actions, "
                "and more than 50,000,000 counts (runs x arms) are not kept"
            )
        replayed = bool(self.logged_events)  # a run has as many rounds as it accepted events
        shares: NDArray[np.float64] = self.shown / (self.shown.sum(axis=1, keepdims=True) if replayed else self.horizon)
        return shares

    def quantile(self, q: float) -> NDArray[np.float64]:
        """For each of `rounds`: the quantile q of the runs, as `np.quantile` computes it.

        The median of an even number of runs is the mean of the two in the middle.
        """
        if not 0 <= q <= 1:
            raise InvalidError(f"q is {q}: give a share from 0 to 1, such as 0.9")
        found: NDArray[np.float64] = np.quantile(self.curves, q, axis=0)
        return found

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each run and round: run, round, regret, reward. Needs pandas."""
        runs, points = self.curves.shape
        columns = {
            "run": np.repeat(np.arange(runs), points),
            "round": np.tile(self.rounds, runs),
            "regret": self.curves.ravel(),
            "reward": self.rewards.ravel(),
        }
        return frame_of(columns, {"lotor": VERSION, "algorithm": self.algorithm, "seed": self.seed})

    def __str__(self) -> str:
        if np.isnan(self.regret[-1]):
            return self._reward_text()
        error = self.standard_error[-1]
        shown = "" if np.isnan(error) else f" +- {error:.4g}"
        return f"{self.algorithm}: regret {self.regret[-1]:.6g}{shown} after {self.horizon:,} rounds, {self.runs} runs"

    def _reward_text(self) -> str:
        """The text where regret is not known."""
        error = "" if np.isnan(self.per_round_error) else f" +- {self.per_round_error:.3f}"
        reward, runs = f"{self.algorithm}: reward {self.per_round:.3f}{error} a round", f"{self.runs} runs"
        if self.logged_events:
            accepted = f"{self.accepted_events:.6g} of {self.logged_events:,} events accepted"
            return f"{reward}, unbiased replay: {accepted}, {runs}"
        return f"{reward} after {self.horizon:,} rounds, {runs} (regret is not known)"


def simulate(
    algorithm: str | IndexRule,
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
    caution: float | None = None,
    lag: float | None = None,
    half_life: SupportsIndex | float | None = None,
    window: SupportsIndex | float | None = None,
    alarm: bool = False,
    variance: float | None = None,
    rewards: str | None = None,
    concentration: float | None = None,
    gap: float | None = None,
    world: str | World | None = None,
    delay: SupportsIndex | str | None = None,
    runs: SupportsIndex | float = 10,
    seed: SupportsIndex = 1,
    threads: SupportsIndex | None = None,
    checkpoints: SupportsIndex | str | ArrayLike = 50,
    noise_scale: float = 1.0,
    exact_rounds: bool = False,
    progress: Progress | bool | None = None,
    shown_at_checkpoints: bool = False,
    expiry: SupportsIndex | float | None = None,
    missing: float = 0.0,
    schedule: str | None = None,
) -> Simulation:
    """Plays an algorithm in a world, `runs` times, and measures its regret. `algorithm` is an id, or a
    `lotor.IndexRule`.

    Give one of four worlds:

    - `means`, the arms' mean rewards
    - `instance`, a name that `lotor run --instance` takes ("c1" to "c4", "c2-printed", "grid:5x5", ...)
    - `world`, a `lotor.World` of your own
    - for contextual linear algorithms, random actions (`arms`, `dimension`; with `gap` one is better than all others by
      that)

    `rewards` are "bernoulli" (the default), "beta" (with `concentration`), "uniform", "gaussian:0.1" (with the standard deviation) or "pareto:2.5" (a heavy tail
    with this shape). The last two are clipped to [0,1], which moves the means: regret uses the means after clipping.

    As a text, `world` says how the means change: "swaps:5" divides the horizon into 5 parts, and after each part the means
    move on by one arm; "drift:5" does the same in a straight line. "steps:1000=0.5,0.4;5000=0.2,0.6" sets the
    means of all arms from these rounds on, "lines:..." moves in straight lines to them, and "walk:0.2" is a random walk with
    this standard deviation over the whole horizon. Regret is then against the best choice of the
    same round. `delay` says how many rounds later feedback arrives: a number, "uniform:A-B", "geometric:W",
    "pareto:W:A" (a heavy tail of shape A) or "list:0=0.5,1000=0.5" (delays with their probabilities). A round also waits
    for the feedback of all earlier rounds, and feedback after the last round is never used.

    `schedule` lets arms come and go: "1000:+5,20000:-2" lets arm 5 come in round 1000 (it is not there before), and arm 2
    go in round 20000. Regret is against the best choice among the arms of the same round.

    With an `expiry`, every round is final exactly that many rounds after its display, as in the service. Feedback that
    has not arrived by then is never used, and the round counts as a reward of 0. `missing` is the share of rounds that
    never gets feedback; it needs an expiry.

    >>> import lotor
    >>> late = lotor.simulate('lik-imed', means=[0.6, 0.5], horizon=1e4, delay='geometric:100', expiry=300, missing=0.1)
    >>> print(f"{late.lost_share:.3f}")
    0.145

    The same seed gives the same numbers, whatever the number of threads. Its noise is fast and seeded, so
    a simulation protects nobody. `noise_scale` multiplies the noise, not the claim. `exact_rounds` plays every
    single round without shortcuts: that is slower, and the law of the result is the same.

    >>> import lotor
    >>> played = lotor.simulate('dp-se', instance='c2', horizon=1e6, epsilon=0.5)
    >>> print(played)
    dp-se: regret 3953 +- 0 after 1,000,000 rounds, 10 runs
    >>> print(played.rounds[-1], played.regret.shape == played.rounds.shape)
    1000000 True

    `checkpoints` says after which rounds the regret is noted: a number of them or "log:50" (log-spaced), "linear:50" (in
    equal steps), or the rounds themselves. The last round is always noted. `shown_at_checkpoints` also counts how often
    each arm was shown up to each of them.

    >>> lotor.simulate('ucb', means=[0.7, 0.5], horizon=1000, checkpoints=[10, 100]).rounds.tolist()
    [10, 100, 1000]

    `progress` is called from time to time with the share that is done. If it returns true, the work stops, and
    the complete runs are returned. Ctrl-C stops the work, too. By default there is a progress bar after a second, if
    standard error is a terminal. False: no bar.
    """
    numbers = None
    if isinstance(world, World):
        given = {"means": means, "instance": instance, "gap": gap, "arms": arms, "dimension": dimension}
        given |= {"rewards": rewards, "concentration": concentration}
        for name, value in given.items():
            if value is not None:
                raise InvalidError(f"{name} and a World are both given: leave {name} out")
        rewards, concentration = world.rewards, world.concentration
    elif world is not None and not isinstance(world, str):
        raise TypeError(f"world must be a lotor.World, or a text such as 'swaps:5', not {world!r}")
    if means is not None:
        numbers = array_of(means, np.float64, "means", (None,))
        if len(numbers) == 0:
            raise InvalidError("means is empty: give the mean of at least one arm")
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
        caution=caution,
        lag=lag,
        half_life=half_life,
        window=window,
        alarm=alarm,
        variance=variance,
    )
    if gap is not None and not math.isfinite(gap):
        raise InvalidError(f"the gap must be a number, not {gap}")
    scale = positive(noise_scale, "noise_scale")
    if "gap" in unused(algorithm, {"gap": gap, "noise_scale": None if scale == 1 else scale}):
        gap = None
    if concentration is not None and rewards != "beta":
        warn_unused("concentration", "it is for rewards='beta'")
    count, at = _checkpoints(checkpoints, int(setup.params.horizon))
    own, kept = world._native(setup.trap, int(setup.params.horizon)) if isinstance(world, World) else (None, [])
    bar = Bar(after=_BAR_AFTER) if progress is None or progress is True else None
    told = progress if not isinstance(progress, bool) else None
    if bar is not None and bar.is_on:
        told = partial(_draw_bar, bar, f"{algorithm}, {int(setup.params.horizon):,} rounds, {whole(runs, 'runs', 1):,} runs")
    if threads is None:  # Python runs only one function at a time
        threads = 1 if setup.asks_python or (isinstance(world, World) and world.asks_python) else 0
    params = _native.SimulateParams(
        policy=setup.params,
        means=None if numbers is None else doubles(numbers),
        instance=bytes_of(instance),
        rewards=bytes_of(rewards),
        concentration=positive(concentration, "concentration"),
        has_gap=gap is not None,
        gap=gap or 0.0,
        world=bytes_of(world) if not isinstance(world, World) else None,
        delay=bytes_of(delay if delay is None or isinstance(delay, str) else str(whole(delay, "delay"))),
        runs=whole(runs, "runs", 1),
        seed=whole(seed, "seed"),
        threads=whole(threads, "threads"),
        checkpoints=count,
        checkpoints_at=bytes_of(at),
        shown_at_checkpoints=bool(shown_at_checkpoints),
        noise_scale=scale,
        exact_rounds=bool(exact_rounds),
        progress=watch(told, setup.trap),
        has_expiry=expiry is not None,
        expiry=0 if expiry is None else whole(expiry, "expiry"),
        missing=float(missing),
        schedule=bytes_of(schedule),
        own_world=None if own is None else pointer(own),
    )
    result, why = POINTER(_native.SimulateResult)(), _native.Message()
    try:
        with setup.trap.set():
            status = library().lotor_simulate_run(byref(params), byref(why), byref(result))
        caught = setup.trap.take()
        if caught is not None:
            raise caught
        check(status, why)
        return _simulation(str(algorithm), result.contents, params.seed)
    finally:
        if bar is not None:
            bar.clear()
        library().lotor_simulate_free(result)
        kept.clear()


def _draw_bar(bar: Bar, text: str, share: float) -> None:
    bar.show(share, text)


def _arms_of(first: Any, count: int) -> NDArray[np.intp] | None:
    return np.array(first[:count], np.intp) if count else None


def _checkpoints(given: Any, horizon: int) -> tuple[int, str | None]:
    """The number of checkpoints, and the text that says where they are."""
    if isinstance(given, str):
        return 0, given
    if np.ndim(given) == 0:
        return whole(given, "checkpoints", 1), None
    rounds = [int(t) for t in array_of(given, np.int64, "checkpoints", (None,))]
    if not rounds:
        raise InvalidError("checkpoints is empty: give a number of them, such as 50, or the rounds")
    if rounds == [horizon]:
        return 1, None
    return 0, ",".join(map(str, rounds if len(rounds) > 1 else [*rounds, horizon]))


def _table(first: Any, shape: tuple[int, ...]) -> Any:
    """A copy of an array of the library; None for NULL."""
    return np.ctypeslib.as_array(first, shape).copy() if first else None


def _simulation(algorithm: str, raw: _native.SimulateResult, seed: int) -> Simulation:
    runs, count, arms = raw.runs, raw.point_count, raw.arms
    shown, shown_at = _table(raw.shown, (runs, arms)), _table(raw.shown_at, (runs, count, arms))
    points = np.ctypeslib.as_array(raw.points, (raw.point_count,))
    return Simulation(
        algorithm=algorithm,
        rounds=points["round"].astype(np.int64),
        regret=points["regret"].copy(),
        standard_error=points["standard_error"].copy(),
        regret_median=raw.regret_median,
        regret_99=raw.regret_99,
        regret_largest=raw.regret_largest,
        runs=raw.runs,
        horizon=raw.horizon,
        arms=raw.arms,
        per_round=raw.per_round,
        per_round_error=raw.round_error,
        best_per_round=raw.best_per_round,
        best_share=raw.best_share,
        best_is_bound=raw.best_is_bound,
        lower_bound=raw.lower_bound,
        lower_bound_theorem=text_of(raw.lower_bound_theorem),
        classical_bound=raw.classical_bound,
        classical_bound_theorem=text_of(raw.classical_bound_theorem),
        favourite=_arms_of(raw.favourite, raw.favourite_count),
        favourite_seeds=_arms_of(raw.favourite_seeds, raw.favourite_seed_count),
        favourite_value=raw.favourite_value,
        favourite_rounds=raw.favourite_rounds,
        last_rounds=raw.last_rounds,
        epsilon=budget_of(raw.epsilon),
        delta=budget_of(raw.delta),
        beta=raw.beta,
        slots=raw.slots,
        feedback=raw.feedback.decode(),
        indefinite_rounds=raw.indefinite_rounds,
        late_release=raw.late_release,
        guarantee=Guarantee._of(raw.guarantee),
        seconds=raw.seconds,
        rounds_per_second=raw.rounds_per_second,
        seed=seed,
        curves=_table(raw.regrets, (runs, count)),
        rewards=_table(raw.rewards, (runs, count)),
        shown=None if shown is None else shown.astype(np.int64),
        shown_at=None if shown_at is None else shown_at.astype(np.int64),
        clipped_share=raw.clipped_share,
        lost_share=raw.lost_share,
        context_scale=raw.context_scale,
        logged_events=raw.logged_events,
        accepted_events=raw.accepted_events,
    )
