"""Your own worlds: functions, tables, labelled data and logs that algorithms are played in."""

from __future__ import annotations

import csv
import ctypes
import os
from ctypes import POINTER, Array, c_double, c_uint32, c_uint64
from typing import Any, Callable, Sequence, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._numbers import array_of, whole
from ._trap import Trap
from .errors import InvalidError

_FUNCTIONS, _REWARDS, _MEANS, _LABELS, _LOG, _UNBIASED = range(6)  # lotor_own_world_kind
_LOG_COLUMNS = (  # columns that show that a file is a log: the shown arm, what it paid, and its probability
    ("arm", "arms", "arm_id", "action", "action_id", "item", "item_id", "ad", "ad_id", "shown", "variant", "chosen", "chosen_arm"),
    ("reward", "rewards", "payoff", "click", "clicks", "clicked"),
    ("propensity", "propensities"),
)
_ORDERS = ("drawn", "shuffled", "in order")  # lotor_own_order


class World:
    """A world of your own, for `lotor.simulate(..., world=world)`.

    From functions. `t` counts from 1, `arms` is an array of the arms that are shown in this round, and `rng` is a
    `numpy.random.Generator` of the run:

    reward(t, arms, rng): what each of these arms pays; left out, rewards are 0 or 1 with the given means.
    means(t): the mean reward of every arm, for the regret. Regret and rewards of the result then use these means, and
        not what `reward` paid. Without it, regret is NaN, and the rewards are those that were paid.
    context(t, rng): an array (arms, dimension), the actions of a round for contextual linear algorithms. Then `reward`
        and `means` get it as one more argument: reward(t, arms, rng, actions), means(t, actions).

    >>> import lotor
    >>> def reward(t, arms, rng):
    ...     return rng.random(len(arms)) < (0.3, 0.7)[t > 500] + 0.1 * arms
    >>> world = lotor.World(reward=reward, arms=3)
    >>> world
    <lotor.World: functions, 3 arms, regret not known>
    >>> print(lotor.simulate('ucb', world=world, horizon=1000, runs=2))
    ucb: reward 0.686 +- 0.012 a round after 1,000 rounds, 2 runs (regret is not known)

    Rewards must lie in [low, high], which is [0, 1], or [-1, 1] with a context, unless you give both. A reward outside
    is an error. Runs use `rng` in the order of their rounds, and each run has its own, so the same seed gives the same
    numbers on any number of threads. `rng` for a context is another one than `rng` for rewards: contexts do not
    depend on what is shown.

    `means` may also be an array: (arms,) never change, (rounds, arms) has a row for each round.

    >>> lotor.World(means=[[0.9, 0.1]] * 500 + [[0.1, 0.9]] * 500)
    <lotor.World: means, 2 arms, 1,000 rounds, bernoulli rewards>

    Tables, labelled data and logs: `from_rewards`, `from_means`, `from_labels`, `from_csv` and `from_log`.
    """

    def __init__(
        self,
        *,
        reward: Callable[..., Any] | None = None,
        means: Callable[..., ArrayLike] | ArrayLike | None = None,
        context: Callable[..., ArrayLike] | None = None,
        arms: SupportsIndex | None = None,
        dimension: SupportsIndex | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self._functions: dict[str, Callable[..., Any]] = {}
        self._raw: dict[str, Any] = {}  # fields of the C struct that are numbers and arrays
        self.rewards: str | None = None  # the law of the rewards of a table of means
        self.concentration: float | None = None
        self.classes: list[Any] | None = None  # the labels of labelled data, by arm
        if reward is None and means is not None and not callable(means):
            if context is not None or dimension is not None:
                raise InvalidError("with a context, give reward, a function: what do the actions pay?")
            if (low, high) != (None, None):
                raise InvalidError("low and high are for functions: rewards with given means lie in [0, 1]")
            self._set_means(means, arms, None, "bernoulli", None)
            return
        for name, function in (("reward", reward), ("context", context)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} must be a function, not {type(function).__name__}")
        if reward is None and means is None:
            raise InvalidError("what does the world pay? Give reward, a function, or means, a function or an array")
        if (context is None) != (dimension is None):
            raise InvalidError("context and dimension belong together: give both, or neither")
        given = None if means is None or callable(means) else _rows(means, "means")
        if arms is None and given is None:
            raise InvalidError("arms is missing: how many arms does the world have?")
        count = whole(arms, "arms", 1) if arms is not None else given.shape[1] if given is not None else 0
        if given is not None and given.shape[1] != count:
            raise InvalidError(f"arms is {count}, but means has {given.shape[1]} columns: leave arms out")
        self._set(_FUNCTIONS, count, low, high, dimension=0 if dimension is None else whole(dimension, "dimension", 1))
        if given is not None:
            self._raw |= {"rows": len(given), "table": given}
        functions = {"reward": reward or _coins, "means": means, "context": context}
        self._functions = {name: each for name, each in functions.items() if callable(each)}

    # --- tables -----------------------------------------------------------------------------------

    @classmethod
    def from_rewards(cls, table: ArrayLike, *, low: float | None = None, high: float | None = None) -> World:
        """A table (rounds, arms) of rewards: row t - 1 has what each arm pays in round t, the same in every run.

        Regret is against the arm that is best over the whole horizon, and the same in every round (in hindsight).

        >>> import lotor
        >>> world = lotor.World.from_rewards([[1, 0], [1, 0], [0, 1], [0.25, 0.5]])
        >>> world
        <lotor.World: rewards, 2 arms, 4 rounds>
        >>> played = lotor.simulate('ucb', world=world, horizon=4, runs=1)
        >>> round(played.best_per_round * 4, 10)  # the sum of the first column
        2.25
        """
        made = cls._empty()
        rows = _rows(table, "table", False)
        made._set(_REWARDS, rows.shape[1], low, high, rows=len(rows), table=rows)
        return made

    @classmethod
    def from_means(
        cls,
        table: ArrayLike,
        starts: ArrayLike | None = None,
        rewards: str = "bernoulli",
        *,
        concentration: float | None = None,
    ) -> World:
        """A table (rounds, arms) of means, each in [0, 1]; or (rows, arms), where row i holds after `starts[i]` rounds.

        `rewards` is how rewards spread about the means: "bernoulli", or another name that `simulate(rewards=...)`
        takes. Regret is against the best arm of the same round (dynamic regret).

        >>> import lotor
        >>> world = lotor.World.from_means([[0.8, 0.2], [0.2, 0.8]], starts=[0, 5000])
        >>> world
        <lotor.World: means, 2 arms, 2 rows, bernoulli rewards>
        >>> print(lotor.simulate('ucb', world=world, horizon=10000, runs=5))
        ucb: regret 100.32 +- 18.52 after 10,000 rounds, 5 runs
        """
        made = cls._empty()
        made._set_means(table, None, starts, rewards, concentration)
        return made

    # --- labelled data ----------------------------------------------------------------------------

    @classmethod
    def from_labels(cls, features: ArrayLike, labels: ArrayLike, *, order: str = "drawn") -> World:
        """Classification as a bandit: each round shows an example, and each class is an arm, which pays 1 if it is right.

        `features` is an array (examples, features) of numbers, `labels` has a label for each example: numbers or texts.
        Contextual linear algorithms see the features (an action is a block vector: the features at the place of its
        class). Other algorithms see only the classes. Regret is the number of mistakes.

        If an example is longer than 1, all features are divided by the length of the longest, because the noise of
        private algorithms is for actions of length 1. `Simulation.context_scale` is that length.

        order: "drawn" (each round draws an example), "shuffled" (all of them in a random order, then again in another),
            or "in order".

        >>> import lotor
        >>> world = lotor.World.from_labels([[3, 0], [4, 0], [0, 2]], ['cat', 'cat', 'dog'])
        >>> world, world.classes
        (<lotor.World: labels, 3 examples, 2 features, 2 classes>, ['cat', 'dog'])
        >>> played = lotor.simulate('linucb', world=world, horizon=500, runs=3)
        >>> played.per_round > 0.9, round(played.context_scale, 6)
        (True, 4.0)
        """
        made = cls._empty()
        x = _rows(features, "features", False)
        y = np.asarray(labels)
        if y.ndim != 1 or len(y) != len(x):
            raise InvalidError(f"labels has shape {y.shape}: expected ({len(x)},), a label for each row of features")
        if order not in _ORDERS:
            raise InvalidError(f"order is {order!r}: expected 'drawn', 'shuffled' or 'in order'")
        if y.dtype.kind == "f" and np.isnan(y).any():
            raise InvalidError("labels has a NaN: every example needs a label")
        classes, numbers = np.unique(y, return_inverse=True)
        made.classes = classes.tolist()
        made._set(
            _LABELS,
            len(classes),
            None,
            None,
            rows=len(x),
            features=x,
            feature_count=x.shape[1],
            labels=np.ascontiguousarray(numbers.reshape(-1), np.uint32),
            order=_ORDERS.index(order),
        )
        return made

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str,
        features: Sequence[str] | None = None,
        order: str = "drawn",
    ) -> World:
        """Labelled data from a CSV file with a header. `label` is the name of the column with the classes, as texts.

        The other columns are the features, or those that `features` names. They must be numbers. A file whose columns are
        those of a log ("arm" and "reward", or "propensity") is refused unless `features` is given: see `from_log`.

        >>> import lotor, pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> file = pathlib.Path(folder.name) / 'pets.csv'
        >>> _ = file.write_text('weight,height,species\\n4,2,cat\\n20,5,dog\\n5,3,cat\\n')
        >>> lotor.World.from_csv(file, label='species')
        <lotor.World: labels, 3 examples, 2 features, 2 classes>
        >>> folder.cleanup()
        """
        return cls.from_labels(*_read_csv(path, label, features), order=order)

    # --- logs -------------------------------------------------------------------------------------

    @classmethod
    def from_log(
        cls,
        arms: ArrayLike,
        rewards: ArrayLike,
        propensities: ArrayLike | None = None,
        *,
        unbiased: bool = True,
        contexts: ArrayLike | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> World:
        """A log: event i showed arms[i], which paid rewards[i] and had the probability propensities[i] to be shown.

        Unbiased replay (Li, Chu, Langford and Wang 2011) goes through the log. The algorithm learns only from events
        whose arm it chose. `per_round` is the average reward of these events, an unbiased estimate of what the
        algorithm would have earned, and `per_round_error` its standard error. Without propensities the log must come
        from a uniform choice of the arm. With propensities, events are rejected at random until the rest is uniform.
        `contexts` is an array (events, arms, dimension) with the actions of each event, for contextual linear
        algorithms.

        With `unbiased=False`, showing an arm draws one of its recorded rewards at random, with replacement (bootstrap).
        Then every arm has a known mean, and there is regret. The bootstrap takes neither propensities nor contexts.

        >>> import lotor
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> arms = rng.integers(2, size=4000)  # a uniform choice
        >>> rewards = rng.random(4000) < np.array([0.4, 0.6])[arms]
        >>> world = lotor.World.from_log(arms, rewards)
        >>> world
        <lotor.World: unbiased replay, 4,000 events, 2 arms>
        >>> print(lotor.simulate('ucb', world=world, horizon=1500))
        ucb: reward 0.588 +- 0.013 a round, unbiased replay: 1500 of 4,000 events accepted, 10 runs
        """
        made = cls._empty()
        shown = _taken(arms, np.uint32, "arms", (None,))
        if len(shown) == 0:
            raise InvalidError("arms is empty: the log has no events")
        count = int(shown.max()) + 1
        raw: dict[str, Any] = {"rows": len(shown), "logged_arms": shown}
        raw["logged_rewards"] = _taken(rewards, np.float64, "rewards", (len(shown),))
        if propensities is not None:
            if not unbiased:
                raise InvalidError(
                    "propensities are for unbiased replay: the bootstrap draws every recorded reward of an arm with the "
                    "same probability; leave propensities out, or unbiased=False"
                )
            raw["propensities"] = _taken(propensities, np.float64, "propensities", (len(shown),))
        if contexts is not None:
            if not unbiased:
                raise InvalidError("contexts are for unbiased replay: the bootstrap draws rewards without their context")
            actions = np.asarray(contexts)
            if actions.ndim != 3 or len(actions) != len(shown):
                wanted = f"({len(shown)}, arms, dimension)"
                raise InvalidError(f"contexts has shape {actions.shape}: expected {wanted}")
            count = max(count, actions.shape[1])
            raw["logged_actions"] = _taken(actions, np.float64, "contexts", (None, count, None))
            raw["dimension"] = actions.shape[2]
        made._set(_UNBIASED if unbiased else _LOG, count, low, high, **raw)
        return made

    # --- inside -----------------------------------------------------------------------------------

    @classmethod
    def _empty(cls) -> World:
        made = cls.__new__(cls)
        made._functions, made._raw = {}, {}
        made.rewards = made.concentration = made.classes = None
        return made

    def _set(self, kind: int, arms: int, low: float | None, high: float | None, **raw: Any) -> None:
        if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
            raise InvalidError("low and high are the range of a reward: give both, low below high, or neither")
        self._raw = {"kind": kind, "arms": arms, "low": float(low or 0.0), "high": float(high or 0.0), **raw}

    def _set_means(
        self,
        table: ArrayLike,
        arms: SupportsIndex | None,
        starts: ArrayLike | None,
        rewards: str,
        concentration: float | None,
    ) -> None:
        rows = _rows(table, "means")
        if arms is not None and whole(arms, "arms", 1) != rows.shape[1]:
            raise InvalidError(f"arms is {arms}, but means has {rows.shape[1]} columns: leave arms out")
        if not isinstance(rewards, str):
            raise TypeError(f"rewards must be a name such as 'bernoulli', not {rewards!r}")
        self._set(_MEANS, rows.shape[1], None, None, rows=len(rows), table=rows)
        if starts is not None:
            self._raw["starts"] = _taken(starts, np.uint64, "starts", (len(rows),))
        self.rewards, self.concentration = rewards, concentration

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return int(self._raw["arms"])

    @property
    def asks_python(self) -> bool:
        """True if Python functions are called while it is played."""
        return bool(self._functions)

    def _native(self, trap: Trap, horizon: int) -> tuple[_native.OwnWorld, list[object]]:
        """The C description, and the objects that must live as long as the library may read it."""
        own = _native.OwnWorld()
        keep: list[object] = []
        for name, value in self._raw.items():
            if isinstance(value, np.ndarray):
                keep.append(value)
                value = value.ctypes.data_as(POINTER(_TYPES[value.dtype.name]))
            setattr(own, name, value)
        if self._functions:
            calls = _Calls(self, horizon)
            own.reward = _native.OwnReward(trap.guard(False, calls.reward))
            if "means" in self._functions:
                own.means = _native.OwnMeans(trap.guard(False, calls.means))
            if "context" in self._functions:
                own.actions = _native.OwnActions(trap.guard(False, calls.actions))
        return own, keep

    def __repr__(self) -> str:
        raw, kind = self._raw, self._raw["kind"]
        arms = _count(raw["arms"], "arm")
        if kind == _FUNCTIONS:
            more = f", {raw['dimension']} dimensions" if raw["dimension"] else ""
            known = "" if "means" in self._functions or "table" in raw else ", regret not known"
            return f"<lotor.World: functions, {arms}{more}{known}>"
        if kind == _REWARDS:
            return f"<lotor.World: rewards, {arms}, {_count(raw['rows'], 'round')}>"
        if kind == _MEANS:
            rows = _count(raw["rows"], "row" if "starts" in raw else "round")
            rows = "fixed" if raw["rows"] == 1 else rows
            return f"<lotor.World: means, {arms}, {rows}, {self.rewards} rewards>"
        if kind == _LABELS:
            sizes = f"{_count(raw['rows'], 'example')}, {_count(raw['feature_count'], 'feature')}"
            return f"<lotor.World: labels, {sizes}, {raw['arms']} classes>"
        name = "unbiased replay" if kind == _UNBIASED else "bootstrap of a log"
        return f"<lotor.World: {name}, {_count(raw['rows'], 'event')}, {arms}>"


_TYPES: dict[str, Any] = {"float64": c_double, "uint32": c_uint32, "uint64": c_uint64}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _rows(values: ArrayLike, name: str, allows_one: bool = True) -> NDArray[np.float64]:
    """A table (rounds, arms) of doubles; one row may be given as (arms,)."""
    given = np.asanyarray(values)
    if allows_one and given.ndim == 1:
        given = given[np.newaxis]
    if given.ndim != 2 or given.size == 0:
        wanted = {"features": "(examples, features)"}.get(name, "(rounds, arms)")
        raise InvalidError(f"{name} has shape {np.shape(values)}: expected {wanted}{' or (arms,)' if allows_one else ''}")
    return _taken(given, np.float64, name, (None, None))


def _taken(values: ArrayLike, dtype: Any, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """An array of the world's own, so that the caller may change theirs."""
    array = array_of(values, dtype, name, shape)
    return array.copy() if np.may_share_memory(array, np.asarray(values)) else array


def _coins() -> None:
    """Stands for rewards of 0 and 1 with the means of the world: see _Calls.reward."""


def _hold_thread() -> None:
    """Keeps Python's state of this thread of the library. Otherwise each call would make it and delete it again, which
    takes five times as long as the call."""
    ctypes.pythonapi.PyGILState_Ensure()


def _let_thread_go() -> None:
    ctypes.pythonapi.PyGILState_Release(0)  # PyGILState_LOCKED: the lock was held before


class _Calls:
    """The functions that the library calls, for one simulation. Each run has its own random generators."""

    def __init__(self, world: World, horizon: int) -> None:
        self.functions = world._functions
        self.count, self.dimension, self.horizon = world.arms, int(world._raw["dimension"]), horizon
        self.alone = [np.array([arm]) for arm in range(self.count)] if self.count <= 4096 else None
        self.generators: dict[int, tuple[np.random.Generator, np.random.Generator]] = {}
        self.latest: dict[int, Any] = {}  # run -> the means of its round
        self.actions_type, self.means_type = c_double * (self.count * self.dimension), c_double * self.count

    def generator(self, run: int, seed: int, which: int) -> np.random.Generator:
        """A run's generator of contexts (0) or of rewards (1). The first call of a run makes both by its seed."""
        found = self.generators.get(run)
        if found is None:
            _hold_thread()
            first, second = np.random.SeedSequence(seed).spawn(2)
            found = np.random.Generator(np.random.PCG64(first)), np.random.Generator(np.random.PCG64(second))
            self.generators[run] = found
        return found[which]

    def actions(self, _context: Any, at: int, out: int) -> bool:
        moment = _native.OwnRound.from_address(at)
        given = self.functions["context"](moment.t, self.generator(moment.run, moment.seed, 0))
        actions = _result(given, "context", (self.count, self.dimension), moment.t)
        _write(self.actions_type.from_address(out), actions)
        return True

    def means(self, _context: Any, at: int, actions: int, out: int) -> bool:
        moment = _native.OwnRound.from_address(at)
        means = _result(self.functions["means"](moment.t, *self.seen(actions)), "means", (self.count,), moment.t)
        self.latest[moment.run] = means
        _write(self.means_type.from_address(out), means)
        return True

    def seen(self, actions: int) -> tuple[Any, ...]:
        """The actions of the round, as one more argument, if the world has any."""
        if not self.dimension:
            return ()
        numbers = self.actions_type.from_address(actions)[:]
        return (np.array(numbers).reshape(self.count, self.dimension),)

    def reward(self, _context: Any, at: int, actions: int, arms: int, count: int, out: int) -> bool:
        moment = _native.OwnRound.from_address(at)
        run, t = moment.run, moment.t
        rng = self.generator(run, moment.seed, 1)
        numbers = (c_uint32 * count).from_address(arms)[:]
        shown = self.alone[numbers[0]] if count == 1 and self.alone else np.array(numbers, np.intp)
        function = self.functions["reward"]
        if function is _coins:
            given: Any = rng.random(count) < self.latest[run][shown]
        else:
            given = function(t, shown, rng, *self.seen(actions))
        if t == self.horizon:  # the run is over
            self.generators.pop(run, None)
            self.latest.pop(run, None)
            _let_thread_go()
        _write((c_double * count).from_address(out), _result(given, "reward", (count,), t))
        return True


def _write(out: Array[c_double], numbers: NDArray[np.float64]) -> None:
    """Writes all numbers of an array, row by row, to the library's memory."""
    listed: list[Any] = numbers.ravel().tolist()
    out[:] = listed


def _result(given: Any, name: str, shape: tuple[int, ...], t: int) -> NDArray[np.float64]:
    """Turns the result of a user's function into an array of this shape."""
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must return numbers, not {given!r} (round {t})")
    if array.shape != shape and not (array.ndim == 0 and shape == (1,)):
        raise InvalidError(f"{name} returned an array of shape {array.shape} in round {t}: expected {shape}")
    numbers: NDArray[np.float64] = array.astype(np.float64).reshape(shape)
    return numbers


def _read_csv(
    path: str | os.PathLike[str], label: str, features: Sequence[str] | None
) -> tuple[NDArray[np.float64], list[str]]:
    """The features and the labels of all lines."""
    name = os.fspath(path)
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        header = [each.strip() for each in next(lines, [])]
        for wanted in (label, *(features or ())):
            if header.count(wanted) != 1:
                how = "no column" if wanted not in header else "more than one column"
                raise InvalidError(f"{name} has {how} {wanted!r}: its columns are {', '.join(map(repr, header))}")
        if features is None:
            _refuse_log(name, header)
        columns = [each for each in header if each != label] if features is None else list(features)
        if not columns:
            raise InvalidError(f"{name} has no features: it needs another column than {label!r}")
        if len(set(columns)) != len(columns):
            raise InvalidError(f"{name} has two columns of the same name: name the features by features=[...]")
        places, target = [header.index(each) for each in columns], header.index(label)
        values: list[list[float]] = []
        labels: list[str] = []
        for row in lines:
            if not row:
                continue
            if len(row) != len(header):
                where = f"{name}, line {lines.line_num}"
                raise InvalidError(f"{where}: {len(row)} fields, but the header has {len(header)}")
            values.append([_number(row[i], name, lines.line_num, header[i]) for i in places])
            labels.append(row[target].strip())
    if not labels:
        raise InvalidError(f"{name} has no lines after its header")
    return np.array(values), labels


def _refuse_log(name: str, header: Sequence[str]) -> None:
    """A log says what one arm paid, and not which would have been the right one."""
    first = {each.lower(): each for each in reversed(header)}
    arm, paid, propensity = ([first[each] for each in names if each in first] for names in _LOG_COLUMNS)
    found = [*arm[:1], *paid[:1], *propensity[:1]]
    if propensity or (arm and paid):
        raise InvalidError(
            f"{name} looks like a log of decisions, with its {_count(len(found), 'column')} {', '.join(map(repr, found))}. "
            "from_csv reads labelled examples, where the right class of every row is known: give the columns of a log to "
            "lotor.World.from_log(arms, rewards, propensities). If the rows are labelled examples, name their features by "
            "features=[...]"
        )


def _number(text: str, name: str, line: int, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidError(
            f"{name}, line {line}: {column!r} is {text!r}, but features are numbers: replace texts by numbers, or name "
            "the columns with numbers by features=[...]"
        ) from None
