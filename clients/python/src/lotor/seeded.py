"""Policies with a seed, for simulations. They protect nobody."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, SupportsIndex

from . import _native
from ._library import library
from ._numbers import whole
from .policy import Policy as RealPolicy
from .policy import Setup


class Policy(RealPolicy):
    """A `lotor.Policy` for your own simulations: the same seed gives the same choices for the same feedback.

    Its noise is fast and comes from the seed, so it protects nobody, and its guarantee says so. Never give it feedback
    of real people. It takes the parameters of `lotor.Policy`, and also algorithms that can only be simulated.

    >>> import lotor.lab
    >>> policy = lotor.lab.Policy('lik-imed', arms=5, epsilon=1, seed=7)
    >>> policy.guarantee.private, policy.guarantee.reason
    (False, 'simulation: protects nobody, because its noise comes from a seed')
    >>> decision = policy.choose()
    >>> policy.learn(decision, 1.0)

    `save` and `load` go on with the same noise. `lotor.Policy.load` refuses what was saved here.
    """

    _loader = "lotor_lab_policy_load"

    def __init__(self, algorithm: str, *, seed: SupportsIndex, **options: Any) -> None:
        setup = Setup(algorithm, **options)
        number = whole(seed, "seed")
        address, why = c_void_p(), _native.Message()
        make = library().lotor_lab_policy_new
        self._make(setup, lambda: make(byref(setup.params), number, byref(why), byref(address)), why, address)

    def __repr__(self) -> str:
        return f"<lotor.lab.Policy with {self.arms} arms: a simulation>"
