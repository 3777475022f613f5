"""The catalog of all algorithms, with their papers and guarantees."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from fractions import Fraction

from . import _native
from ._library import bytes_of, check, library, text_of
from .guarantee import MODELS


@dataclass(frozen=True)
class Algorithm:
    """A row of the catalog, as `lotor algorithms` prints it."""

    id: str
    summary: str
    problem: str  # "finite", "matroid", "semi-bandit", "cascade", "linear", "any" (of the first four)
    paper: str
    model: str  # "central", "local", "joint"; "none": no noise is added
    private: bool  # it adds noise, and its guarantee holds
    not_private: str | None  # the reason if it is not private
    theorem: str | None  # the theorem that proves the privacy
    regret: str | None  # what is known about the regret
    delta: Fraction | None  # the default; None if its guarantee has no delta
    needs_horizon: bool
    simulation_only: bool  # it has no exact noise: only `simulate` can play it

    def __str__(self) -> str:
        return f"{self.id}: {self.summary}"


def _of(raw: _native.AlgorithmInfo) -> Algorithm:
    return Algorithm(
        id=raw.id.decode(),
        summary=raw.summary.decode(),
        problem=raw.problem.decode(),
        paper=raw.paper.decode(),
        model=MODELS[raw.model],
        private=raw.is_private,
        not_private=text_of(raw.not_private),
        theorem=text_of(raw.theorem),
        regret=text_of(raw.regret),
        delta=Fraction(raw.delta.num, raw.delta.den) if raw.delta.num and raw.delta.den else None,
        needs_horizon=raw.needs_horizon,
        simulation_only=raw.is_simulation_only,
    )


def algorithms() -> tuple[Algorithm, ...]:
    """All algorithms, in the order of the catalog.

    >>> import lotor
    >>> sorted({each.problem for each in lotor.algorithms()})
    ['any', 'cascade', 'finite', 'linear', 'matroid', 'semi-bandit']
    """
    found, why = [], _native.Message()
    for place in range(library().lotor_algorithm_count()):
        raw = _native.AlgorithmInfo()
        check(library().lotor_algorithm_at(place, byref(why), byref(raw)), why)
        found.append(_of(raw))
    return tuple(found)


def algorithm(id: str) -> Algorithm:
    """One algorithm, by its id.

    >>> import lotor
    >>> print(lotor.algorithm('dp-se').paper)
    Sajed 2019, Algorithm 9
    """
    raw, why = _native.AlgorithmInfo(), _native.Message()
    check(library().lotor_algorithm_find(bytes_of(id), byref(why), byref(raw)), why)
    return _of(raw)
