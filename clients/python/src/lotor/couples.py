"""Coupled worlds: whether the proof of a privacy claim holds on random traces."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import SupportsIndex

from . import _native
from ._library import check, library
from ._numbers import positive, whole
from ._progress import Progress, watch
from ._trap import Trap
from .rules import IndexRule, Named


@dataclass(frozen=True)
class Couple:
    """The result of playing coupled worlds: the largest distance of a trace, as a share of what the claim allows."""

    algorithm: str
    violated: bool  # a trace broke the proof of the claim
    claimed: bool  # the algorithm claims to be private; if not, a violation is expected
    table: bool  # reports are coins: exact tables of their probabilities were compared, not traces
    worst: float  # 1 where the claim is tight; math.inf: what is published differed
    traces: int  # with a table: pairs of probabilities
    telling: int  # traces in which the replaced round was in a release; 0: nothing could be seen
    violations: int
    releases: int  # released numbers that were compared
    decisions: int
    violating_trace: int  # the number of the first violating trace
    violation: str  # what happened in it; "" if there is none
    setting: str  # where it happened
    seconds: float

    def __str__(self) -> str:
        verdict = f"violated: {self.violation}" if self.violated else "holds"
        return f"{self.algorithm}: {verdict}; worst distance {self.worst:.3f} of the claim"


def couple(
    algorithm: str | IndexRule,
    *,
    traces: SupportsIndex | float | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
    noise_scale: float = 1.0,
    progress: Progress | None = None,
) -> Couple:
    """Checks the proof of the privacy claim of an algorithm or a `lotor.IndexRule`, on random traces.

    Two worlds differ in one round's feedback, and the noise of the second is chosen so that both release the
    same numbers. Then everything that is published must be the same, and the distance of the exact numbers must
    be at most what the claim allows. A violation is a counterexample: no confidence is involved.

    >>> import lotor
    >>> checked = lotor.couple('lik-imed', traces=200)
    >>> checked.violated, round(checked.worst, 3)
    (False, 1.0)
    """
    trap = Trap()
    named = Named(algorithm, trap)
    if threads is None and named.asks_python:  # Python runs only one function at a time
        threads = 1
    params = _native.CoupleParams(
        algorithm=named.id,
        catalog=named.address,
        traces=0 if traces is None else whole(traces, "traces", 1),
        seed=0 if seed is None else whole(seed, "seed", 1),
        threads=0 if threads is None else whole(threads, "threads", 1),
        noise_scale=positive(noise_scale, "noise_scale"),
        progress=watch(progress, trap),
    )
    raw, why = _native.CoupleResult(), _native.Message()
    with trap.set():
        status = library().lotor_couple_run(byref(params), byref(why), byref(raw))
    caught = trap.take()
    if caught is not None:
        raise caught
    check(status, why)
    return Couple(
        algorithm=named.name,
        violated=raw.is_violated,
        claimed=raw.is_claimed,
        table=raw.is_table,
        worst=raw.worst,
        traces=raw.traces,
        telling=raw.telling,
        violations=raw.violations,
        releases=raw.releases,
        decisions=raw.decisions,
        violating_trace=raw.violating_trace,
        violation=raw.violation.decode("utf-8", "replace"),
        setting=raw.setting.decode("utf-8", "replace"),
        seconds=raw.seconds,
    )
