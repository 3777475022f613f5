"""Private bandits: choose arms, and observe feedback."""

from __future__ import annotations

from contextlib import nullcontext
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._handle import Handle
from ._library import bytes_of, check, library
from ._numbers import Budget, array_of, doubles, positive, ratio_of, whole
from ._trap import Trap
from .errors import InvalidError
from .guarantee import Guarantee
from .structures import Arms, Matroid, Oracle, Structure


@dataclass(frozen=True, eq=False)
class Decision:
    """The decision of one round: the arms to show, and the arms whose rewards are wanted."""

    event: int  # names the round; 0: the round is past the horizon and takes no feedback
    arms: Arms  # the arms to show, from 0
    asked: Arms  # the arms whose rewards are wanted, in this order
    seeds: Arms | None  # coverage and influence: the vertices behind the arms
    hold: int  # for how many rounds, from this one on, the decision can't change

    @property
    def arm(self) -> int:
        """The arm to show, if there is only one."""
        if len(self.arms) != 1:
            raise ValueError(f"{len(self.arms)} arms are shown together: see `arms`")
        return int(self.arms[0])

    def __str__(self) -> str:
        shown = f"arm {self.arm}" if len(self.arms) == 1 else f"arms {', '.join(map(str, self.arms))}"
        return f"show {shown} ({f'round {self.event}' if self.event else 'past the horizon'})"


class Setup:
    """The C parameters of a policy, and all objects that they point to."""

    def __init__(
        self,
        algorithm: str,
        *,
        arms: SupportsIndex | float | None = None,
        slots: SupportsIndex | float | None = None,
        horizon: SupportsIndex | float | None = None,
        epsilon: Budget | None = None,
        delta: Budget | None = None,
        beta: float | None = None,
        low: float | None = None,
        high: float | None = None,
        default_reward: float | None = None,
        clip: bool = False,
        cascade: bool = False,
        first: ArrayLike | None = None,
        structure: Structure | None = None,
        dimension: SupportsIndex | None = None,
        context_length: float | None = None,
        theta_length: float | None = None,
        regularizer: float | None = None,
    ) -> None:
        self.trap = Trap()
        self.params = params = _native.PolicyParams()
        if not isinstance(algorithm, str):
            raise TypeError(f"algorithm must be a name such as 'dp-se', not {algorithm!r}")
        params.algorithm = bytes_of(algorithm)
        self.keep: list[object] = []
        self.asks_python = isinstance(structure, (Matroid, Oracle))
        if structure is not None:
            if not isinstance(structure, Structure):
                raise TypeError(f"structure must be one of lotor's, such as lotor.Partition(...), not {structure!r}")
            self.keep += structure._fill(params, self.trap)
        params.arms = self._count_arms(arms, structure)
        for name, count in (("slots", slots), ("horizon", horizon), ("dimension", dimension)):
            if count is not None:
                setattr(params, name, whole(count, name, 1))
        for name, budget in (("epsilon", epsilon), ("delta", delta)):
            if budget is not None:
                setattr(params, name, ratio_of(budget, name))
        if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
            raise InvalidError("low and high are the range of a reward: give both, low below high, or neither")
        for name, number in (("low", low), ("high", high), ("default_reward", default_reward)):
            if number is not None:
                setattr(params, name, float(number))
        params.beta = positive(beta, "beta")
        params.context_length = positive(context_length, "context_length")
        params.theta_length = positive(theta_length, "theta_length")
        params.regularizer = positive(regularizer, "regularizer")
        params.clip, params.cascade = bool(clip), bool(cascade)
        if first is not None:
            array = array_of(first, np.float64, "first", (params.arms,))
            params.first = doubles(array)
            self.keep.append(array)

    @staticmethod
    def _count_arms(arms: SupportsIndex | float | None, structure: Structure | None) -> int:
        known = structure._arms() if structure is not None else None
        if arms is None:
            return known or 0
        count = whole(arms, "arms", 1)
        if known is not None and count != known:
            raise InvalidError(f"arms is {count}, but the structure has {known}: leave arms out")
        return count


def _place_of(click: SupportsIndex) -> int:
    """Raises without the click in the message, since tracebacks are written to logs."""
    try:
        return whole(click, "click")
    except (TypeError, InvalidError) as error:
        raise type(error)("click must be a whole number: a place from 1, or 0 for no click") from None


def answer_of(rewards: ArrayLike | None, click: SupportsIndex | None) -> tuple[_native.Feedback, Any]:
    """The C struct with the feedback, and the array that it points to."""
    if (rewards is None) == (click is None):
        raise TypeError("give either rewards, or click (a place from 1; 0: no click)")
    if click is not None:
        return _native.Feedback(None, 0, _place_of(click)), None
    array = array_of(np.atleast_1d(np.asanyarray(rewards)), np.float64, "rewards", (None,))
    return _native.Feedback(doubles(array), len(array), 0), array


class Policy(Handle):
    """Learns what people like. Its choices do not reveal any person's feedback.

    `algorithm` is an id of `lotor.algorithms()`. Noise is exact and comes from the kernel: there is no seed.

    >>> import lotor
    >>> policy = lotor.Policy('dp-se', arms=5, epsilon=1.0, horizon=10**6)
    >>> decision = policy.choose()
    >>> decision.arm in range(5)
    True
    >>> policy.learn(decision, 0.75)

    `learn` is short for two steps, which a product makes at different times, since feedback may come late or
    never. A round counts when it is over. Without feedback it counts as `default_reward`.

    >>> decision = policy.choose()
    >>> policy.observe(decision, 1.0)
    >>> policy.expire(decision)

    Parameters (those that you leave out have the library's defaults, see lotor/policy.h):
    arms: how many there are; not needed if the structure says it.
    slots: how many are shown together (1).
    epsilon, delta: the privacy budget; an int, a str ("0.1"), a Fraction, or a float, which is taken by
        its shortest decimal. `math.inf` adds no noise.
    horizon: the largest number of rounds, if the algorithm needs it.
    low, high: the range of a reward ([0, 1]; [-1, 1] in linear problems).
    default_reward: the reward of a round without feedback.
    cascade: the feedback is clicks on a list.
    structure: which sets may be shown, such as `lotor.Path(...)`.
    dimension: of the actions of a contextual linear problem.
    beta, clip, first, context_length, theta_length, regularizer: as in the C library.

    Threads may share a policy: calls wait for each other. Other Python threads run during a call. Different
    policies are independent. After a fork, only one process may use a policy.
    """

    _what = "policy"

    def __init__(
        self,
        algorithm: str,
        *,
        arms: SupportsIndex | float | None = None,
        slots: SupportsIndex | float | None = None,
        epsilon: Budget | None = None,
        delta: Budget | None = None,
        horizon: SupportsIndex | float | None = None,
        beta: float | None = None,
        low: float | None = None,
        high: float | None = None,
        default_reward: float | None = None,
        clip: bool = False,
        cascade: bool = False,
        first: ArrayLike | None = None,
        structure: Structure | None = None,
        dimension: SupportsIndex | None = None,
        context_length: float | None = None,
        theta_length: float | None = None,
        regularizer: float | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        setup = Setup(**given)
        address, why = c_void_p(), _native.Message()
        make = library().lotor_policy_new
        self._make(setup, lambda: make(byref(setup.params), byref(why), byref(address)), why, address)

    @classmethod
    def load(cls, saved: bytes, structure: Structure | None = None) -> Policy:
        """Loads the bytes of `save`. The policy makes the same next choices. Give a structure of Python
        functions again.

        Load a state only once: two policies from one state would draw different noise for the same sum.
        """
        setup = Setup("", structure=structure)
        address, why = c_void_p(), _native.Message()
        given = byref(setup.params) if structure is not None else None
        policy = cls.__new__(cls)
        policy._make(
            setup,
            lambda: library().lotor_policy_load(bytes(saved), len(saved), given, byref(why), byref(address)),
            why,
            address,
        )
        return policy

    def _make(self, setup: Setup, make: Callable[[], Any], why: _native.Message, address: c_void_p) -> None:
        """Keeps the new policy. An exception of a Python function is raised rather than the library's error."""
        try:
            with setup.trap.set():
                status = make()
        finally:
            if address:
                self._own(address, setup)
        caught = setup.trap.take()
        if caught is not None:
            raise caught
        check(status, why)
        self._trap = setup.trap
        self._asks_python = setup.asks_python
        self._arms = int(library().lotor_policy_arms(address))
        self._dimension = int(library().lotor_policy_dimension(address))
        setup.params.arms = self._arms

    def __repr__(self) -> str:
        return f"<lotor.Policy with {self._arms} arms>"

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return self._arms

    def choose(self, context: ArrayLike | None = None) -> Decision:
        """Opens a round. In linear problems `context` has the asking person's actions, (arms, dimension) numbers.

        Past the horizon it still chooses, but these rounds have event 0 and take no feedback.
        """
        numbers = None
        if context is not None:
            if self._dimension == 0:
                raise InvalidError("this policy takes no context: leave it out")
            numbers = array_of(context, np.float64, "context", (self._arms, self._dimension))
        raw, why = _native.Decision(), _native.Message()
        with self._turn as address:
            with self._trap.set() if self._asks_python else nullcontext():
                status = library().lotor_policy_choose(
                    address, None if numbers is None else doubles(numbers), byref(why), byref(raw)
                )
            caught = self._trap.take()
            if caught is not None:
                raise caught
            check(status, why)
            return Decision(
                event=raw.event,
                arms=_arms_of(raw.arms, raw.count),
                asked=_arms_of(raw.asked, raw.asked_count),
                seeds=_arms_of(raw.seeds, raw.seed_count) if raw.seeds else None,
                hold=raw.hold,
            )

    def observe(
        self, event: Decision | SupportsIndex, rewards: ArrayLike | None = None, *, click: SupportsIndex | None = None
    ) -> None:
        """Keeps feedback: one reward for each asked arm (a number if there is one arm), or the position of the
        first click in the list from 1, 0 for none.

        A reward outside the range raises `RangeError`, and the round stays open. Feedback that comes too late
        or twice is not counted, and raises `LateError` or `DuplicateError`.
        """
        answer, _numbers = answer_of(rewards, click)
        why = _native.Message()
        with self._turn as address:
            check(library().lotor_policy_observe(address, _event_of(event), byref(answer), byref(why)), why)

    def expire(self, event: Decision | SupportsIndex) -> None:
        """Ends a round, which counts from now on. It may be called again."""
        why = _native.Message()
        with self._turn as address:
            check(library().lotor_policy_expire(address, _event_of(event), byref(why)), why)

    def learn(
        self, event: Decision | SupportsIndex, rewards: ArrayLike | None = None, *, click: SupportsIndex | None = None
    ) -> None:
        """`observe` and `expire` at once. Past the horizon it does nothing.

        If `observe` refuses the feedback, the round stays open, and later rounds wait for it. Send other
        feedback, or `expire` the round.
        """
        if _event_of(event) == 0:
            return
        self.observe(event, rewards, click=click)
        self.expire(event)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee for the people whose feedback the policy gets."""
        return Guarantee._of(self._guarantee())

    def save(self) -> bytes:
        """The whole state, with raw sums: keep it as secret as the data."""
        return self._save()

    def __enter__(self) -> Policy:
        return self


def _arms_of(pointer: Any, count: int) -> NDArray[np.intp]:
    """A copy, since the library's array is valid only until the policy is used again."""
    return np.array(pointer[:count], dtype=np.intp)


def _event_of(event: Decision | SupportsIndex) -> int:
    return event.event if isinstance(event, Decision) else whole(event, "event")
