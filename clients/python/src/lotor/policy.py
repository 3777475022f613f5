"""Private bandits: choose arms, and observe feedback."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Callable, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._calls import NUMBERS, Calls
from ._handle import Handle
from ._html import PLAIN, box
from ._library import check, library, text_of
from ._numbers import Budget, array_of, doubles, positive, ratio_of, whole
from ._options import UNUSABLE, delta_of, unused
from ._trap import Trap
from .decision import Decision, Decisions
from .errors import Error, InvalidError
from .guarantee import Guarantee
from .rules import IndexRule, Named
from .structures import Matroid, Oracle, Structure

_Result = TypeVar("_Result")


class Setup:
    """The C parameters of a policy, and all objects that they point to."""

    def __init__(
        self,
        algorithm: str | IndexRule,
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
        caution: float | None = None,
        lag: float | None = None,
        half_life: SupportsIndex | float | None = None,
        window: SupportsIndex | float | None = None,
        alarm: bool = False,
        variance: float | None = None,
    ) -> None:
        given = dict(locals())
        self.trap = Trap()
        self.params = params = _native.PolicyParams()
        named = Named(algorithm, self.trap)
        params.algorithm, params.catalog = named.id, named.address
        self.keep: list[object] = [named]
        self.asks_python = named.asks_python or isinstance(structure, (Matroid, Oracle))
        if structure is not None:
            if not isinstance(structure, Structure):
                raise TypeError(f"structure must be one of lotor's, such as lotor.Partition(...), not {structure!r}")
            self.keep += structure._fill(params, self.trap)
        params.arms = self._count_arms(arms, structure)
        for name, count in (("slots", slots), ("horizon", horizon), ("window", window), ("half_life", half_life)):
            if count is not None:
                setattr(params, name, whole(count, name, 1))
        if dimension is not None:
            size = whole(dimension, "dimension", 1)
            params.dimension = params.dimension or size  # a structure of vectors has its own
        if epsilon is not None:
            params.epsilon = ratio_of(epsilon, "epsilon")
        params.delta = delta_of(algorithm, delta)
        if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
            raise InvalidError("low and high are the range of a reward: give both, low below high, or neither")
        for name, number in (("low", low), ("high", high), ("default_reward", default_reward)):
            if number is not None:
                setattr(params, name, float(number))
        params.beta = positive(beta, "beta")
        params.context_length = positive(context_length, "context_length")
        params.theta_length = positive(theta_length, "theta_length")
        params.regularizer = positive(regularizer, "regularizer")
        params.caution, params.lag = positive(caution, "caution"), positive(lag, "lag")
        params.variance, params.alarm = positive(variance, "variance"), bool(alarm)
        params.clip, params.cascade = bool(clip), bool(cascade)
        if first is not None:
            array = array_of(first, np.float64, "first", (params.arms,))
            params.first = doubles(array)
            self.keep.append(array)
        options = {name: given[name] for name in UNUSABLE}
        if params.epsilon.num and not params.epsilon.den:
            options["epsilon"] = None  # infinity fits an algorithm that adds no noise
        for name in unused(algorithm, options) & {"window", "half_life", "alarm", "variance"}:
            setattr(params, name, 0)  # the library would refuse them

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


def _places_of(clicks: ArrayLike | None, rounds: int) -> NDArray[np.uintp]:
    """Raises without any click in the message."""
    given = np.asarray(clicks)
    if given.dtype.kind not in "iuf" or not np.all((given >= 0) & (given < 2**32)):
        raise InvalidError("clicks must be whole numbers: places from 1, or 0 for no click")
    return array_of(given, np.uintp, "clicks", (rounds,))


def feedback_of(rewards: ArrayLike | None, click: SupportsIndex | None) -> tuple[_native.Feedback, Any]:
    """The C struct with the feedback, and the array that it points to."""
    if (rewards is None) == (click is None):
        raise TypeError("give either rewards, or click (a place from 1; 0: no click)")
    if click is not None:
        return _native.Feedback(None, 0, _place_of(click)), None
    array = array_of(np.atleast_1d(np.asanyarray(rewards)), np.float64, "rewards", (None,))
    return _native.Feedback(doubles(array), len(array), 0), array


class Policy(Handle):
    """Learns what people like. Its choices do not reveal any person's feedback.

    `algorithm` is an id of `lotor.algorithms()`, or a `lotor.IndexRule`. Noise is exact and comes from the kernel: there is no seed.

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

    As in the C library:
    - beta, clip, first, context_length, theta_length, regularizer
    - caution, lag, half_life in rounds (of lik-imed and rr-imed)
    - window, alarm, variance (of lik-imed)

    Threads may share a policy: calls wait for each other. Other Python threads run during a call. Different
    policies are independent. A forked child can't use a policy of its parent.
    """

    _what = "policy"
    _loader = "lotor_policy_load"

    def __init__(
        self,
        algorithm: str | IndexRule,
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
        caution: float | None = None,
        lag: float | None = None,
        half_life: SupportsIndex | float | None = None,
        window: SupportsIndex | float | None = None,
        alarm: bool = False,
        variance: float | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        setup = Setup(**given)
        address, why = c_void_p(), _native.Message()
        make = library().lotor_policy_new
        self._make(setup, lambda: make(byref(setup.params), byref(why), byref(address)), why, address)

    @classmethod
    def load(cls, saved: bytes, structure: Structure | None = None, rule: IndexRule | None = None) -> Policy:
        """Loads the bytes of `save`. The policy makes the same next choices. Give a structure of Python
        functions, and an own rule, again.

        Load a state only once: two policies from one state would draw different noise for the same sum.
        """
        setup = Setup("" if rule is None else rule, structure=structure)
        address, why = c_void_p(), _native.Message()
        given = byref(setup.params) if structure is not None or rule is not None else None
        policy = cls.__new__(cls)
        policy._make(
            setup,
            lambda: getattr(library(), cls._loader)(bytes(saved), len(saved), given, byref(why), byref(address)),
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
        self._calls = Calls(address)
        self._arms = int(library().lotor_policy_arms(address))
        self._dimension = int(library().lotor_policy_dimension(address))
        setup.params.arms = self._arms
        self._algorithm = str(text_of(library().lotor_policy_algorithm(address)))
        self._promise = self.guarantee  # it never changes; a closed policy still shows it

    def __repr__(self) -> str:
        closed = "; closed" if self._turn.address is None else ""
        return f"<lotor.Policy: {self._algorithm}, {self._arms} arms; {self._promise._headline()}{closed}>"

    def _repr_html_(self) -> str:
        closed = " (closed)" if self._turn.address is None else ""
        dimension = f"{self._dimension} numbers for each arm" if self._dimension else None
        rows = (("algorithm", self._algorithm), ("arms", f"{self._arms:,}"), ("context", dimension))
        return box(f"Policy{closed}", rows, PLAIN, self._promise._repr_html_())

    @property
    def algorithm(self) -> str:
        """The id of the algorithm."""
        return self._algorithm

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
        pointer = None if numbers is None else doubles(numbers)
        turn = self._turn
        with turn.lock:
            if turn.is_on or turn.address is None:
                turn.refuse()
            try:
                turn.is_on = True
                if not self._asks_python:
                    return self._calls.choose(pointer)
                return self._guarded(lambda: self._calls.choose(pointer))
            finally:
                turn.is_on = False

    def _guarded(self, call: Callable[[], _Result]) -> _Result:
        """Makes a call during which the library calls Python functions. An exception of theirs is raised rather
        than the library's error."""
        try:
            with self._trap.set():
                result = call()
        except Error:
            caught = self._trap.take()
            if caught is None:
                raise
            raise caught from None
        caught = self._trap.take()
        if caught is not None:
            raise caught
        return result

    def choose_many(self, limit: SupportsIndex | float) -> Decisions:
        """Opens up to `limit` rounds at once: as many as surely show the same arms, whatever their feedback will
        be. This is for simulations and logs. The effect is that of as many calls of `choose`.

        Algorithms with batches hold their choice for long. Those that can change it after every round open one.

        >>> import lotor, numpy
        >>> policy = lotor.Policy('batch-klucb', arms=5, epsilon=1)
        >>> people, rounds = numpy.random.default_rng(1), 0
        >>> while rounds < 10_000:
        ...     held = policy.choose_many(10_000 - rounds)
        ...     rounds += len(held)
        ...     policy.learn_many(held, people.random(len(held)) < 0.5)
        """
        most = whole(limit, "limit", 1)
        with self._turn:
            if self._asks_python:
                return self._guarded(lambda: self._calls.choose_many(most))
            return self._calls.choose_many(most)

    def observe(
        self, event: Decision | SupportsIndex, rewards: ArrayLike | None = None, *, click: SupportsIndex | None = None
    ) -> None:
        """Keeps feedback: one reward for each asked arm (a number if there is one arm), or the position of the
        first click in the list from 1, 0 for none.

        A reward outside the range raises `RangeError`, and the round stays open. Feedback that comes too late
        or twice is not counted, and raises `LateError` or `DuplicateError`.
        """
        feedback, _numbers = feedback_of(rewards, click)
        why = _native.Message()
        with self._turn as address:
            check(library().lotor_policy_observe(address, _event_of(event), byref(feedback), byref(why)), why)

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
        number = event._event if type(event) is Decision else _event_of(event)
        if number == 0:
            return
        turn = self._turn
        with turn.lock:
            if turn.is_on or turn.address is None:
                turn.refuse()
            try:
                turn.is_on = True
                if click is None and isinstance(rewards, NUMBERS):
                    self._calls.learn_one(number, rewards)
                elif click is not None or not self._calls.learn_several(number, rewards):
                    feedback, _numbers = feedback_of(rewards, click)
                    self._calls.learn_feedback(number, feedback)
            finally:
                turn.is_on = False

    def learn_many(
        self, decisions: Decisions, rewards: ArrayLike | None = None, *, clicks: ArrayLike | None = None
    ) -> None:
        """`learn` for the rounds of `choose_many`. `rewards` has one row for each round, with one number for each
        asked arm; if there is only one asked arm, one number for each round is enough. `clicks` has the position
        of the first click for each round, 0 for none.

        All feedback is checked before any is kept: if that of one round is refused, all rounds stay open.
        """
        if not isinstance(decisions, Decisions):
            raise TypeError("learn_many takes what choose_many returned")
        if (rewards is None) == (clicks is None):
            raise TypeError("give either rewards, or clicks (places from 1; 0: no click)")
        rounds, asked = len(decisions), len(decisions.asked)
        rows = places = None
        if rewards is not None:
            given = rewards if isinstance(rewards, np.ndarray) else np.asarray(rewards)
            shape = (rounds,) if asked == 1 and given.ndim == 1 else (rounds, asked)
            rows = array_of(given, np.float64, "rewards", shape).reshape(rounds, asked)
        else:
            places = _places_of(clicks, rounds)
        with self._turn:
            if decisions._event:
                self._calls.learn_many(decisions._event, rows, places)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee for the people whose feedback the policy gets."""
        return Guarantee._of(self._guarantee())

    def save(self) -> bytes:
        """The whole state, with raw sums: keep it as secret as the data."""
        return self._save()

    def __enter__(self) -> Policy:
        return self


def _event_of(event: Decision | SupportsIndex) -> int:
    if isinstance(event, Decision):
        return event.event
    if isinstance(event, Decisions):
        raise TypeError("these are the decisions of many rounds: give them to `learn_many`")
    return whole(event, "event")
