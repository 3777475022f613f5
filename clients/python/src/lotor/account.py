"""Composition of privacy budgets, and what they mean. A budget (the parameter `promise`) is a pair (epsilon, delta).

Results are rounded towards the weaker claim: a result never claims more than is proved.
"""

from __future__ import annotations

from ctypes import byref, c_double
from typing import Iterable, SupportsIndex

from . import _native
from ._library import check, library
from ._numbers import whole

Promise = tuple[float, float]


def _budget_of(promise: Promise) -> _native.Budget:
    epsilon, delta = promise
    return _native.Budget(float(epsilon), float(delta))


def adversary_failure(promise: Promise) -> float:
    """The smallest probability of a wrong guess, for an attacker who sees all outputs, knows all other
    data, and at first thinks two answers of one person equally likely.

    >>> import lotor.account
    >>> round(lotor.account.adversary_failure((1, 0)), 3)
    0.269
    """
    return float(library().lotor_account_adversary_failure(_budget_of(promise)))


def compose(promises: Iterable[Promise], slack: float | None = None) -> Promise:
    """The composition of budgets on the same data: their sum, or, with `slack` (a delta to spend on the
    composition), by Kairouz, Oh and Viswanath 2015, Theorem 3.5.

    >>> import lotor.account
    >>> lotor.account.compose([(0.5, 0), (0.25, 0)])
    (0.75, 0.0)
    """
    parts = [_budget_of(each) for each in promises]
    array = (_native.Budget * len(parts))(*parts)
    out, why = _native.Budget(), _native.Message()
    if slack is None:
        status = library().lotor_account_compose_basic(array, len(parts), byref(why), byref(out))
    else:
        status = library().lotor_account_compose_mixed(array, len(parts), slack, byref(why), byref(out))
    check(status, why)
    return out.epsilon, out.delta


def compose_same(promise: Promise, times: SupportsIndex, delta: float) -> Promise:
    """The smallest epsilon of the same budget, spent `times` times, at a total of `delta` (their Theorem
    3.3)."""
    out, why = _native.Budget(), _native.Message()
    count = whole(times, "times")
    check(library().lotor_account_compose_same(_budget_of(promise), count, delta, byref(why), byref(out)), why)
    return out.epsilon, out.delta


def group(promise: Promise, rounds: SupportsIndex) -> Promise:
    """The budget for a person who takes part in `rounds` rounds."""
    out, why = _native.Budget(), _native.Message()
    check(library().lotor_account_group_privacy(_budget_of(promise), whole(rounds, "rounds"), byref(why), byref(out)), why)
    return out.epsilon, out.delta


def zcdp_of_gaussian(sensitivity: float, sigma: float) -> float:
    """The rho of Gaussian noise of deviation sigma."""
    return float(library().lotor_account_zcdp_of_gaussian(sensitivity, sigma))


def zcdp_of_pure(epsilon: float) -> float:
    """The rho of a pure epsilon."""
    return float(library().lotor_account_zcdp_of_pure(epsilon))


def zcdp_delta(rho: float, epsilon: float) -> float:
    """The delta at which rho-zCDP implies (epsilon, delta)-DP (Canonne, Kamath and Steinke 2020)."""
    out, why = c_double(), _native.Message()
    check(library().lotor_account_zcdp_delta(rho, epsilon, byref(why), byref(out)), why)
    return out.value


def zcdp_epsilon(rho: float, delta: float) -> float:
    """The smallest epsilon for which the same conversion gives this delta, or less."""
    out, why = c_double(), _native.Message()
    check(library().lotor_account_zcdp_epsilon(rho, delta, byref(why), byref(out)), why)
    return out.value


def zcdp_rho(promise: Promise) -> float:
    """The largest rho that still proves a budget: a Gaussian release may spend this much."""
    out, why = c_double(), _native.Message()
    check(library().lotor_account_zcdp_rho(_budget_of(promise), byref(why), byref(out)), why)
    return out.value


def gaussian_delta(sensitivity: float, sigma: float, epsilon: float) -> float:
    """The exact delta of the Gaussian mechanism (Balle and Wang 2018)."""
    out, why = c_double(), _native.Message()
    check(library().lotor_account_gaussian_delta(sensitivity, sigma, epsilon, byref(why), byref(out)), why)
    return out.value


def gaussian_sigma(sensitivity: float, promise: Promise) -> float:
    """The smallest sigma for a budget; 0 if no noise is needed."""
    out, why = c_double(), _native.Message()
    check(library().lotor_account_gaussian_sigma(sensitivity, _budget_of(promise), byref(why), byref(out)), why)
    return out.value
