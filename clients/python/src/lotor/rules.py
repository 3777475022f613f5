"""Own algorithms: a Python function that turns released numbers into decisions."""

from __future__ import annotations

import ctypes
import pickle
import weakref
from ctypes import byref, c_double, c_void_p
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._library import bytes_of, check, library
from ._numbers import array_of
from ._trap import Trap
from .catalog import Algorithm, _of

_FunctionPointer: Any = getattr(ctypes, "_CFuncPtr")  # the class of all ctypes functions


def _copy(pointer: Any, dtype: Any, *shape: int) -> NDArray[Any]:
    """A copy of numbers of the library, which can't be written: NumPy does not write into bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(ctypes.string_at(pointer, size), dtype).reshape(shape)


class Board:
    """The numbers that a rule may read: released numbers, and numbers that are public anyway.

    The arrays have an entry for each arm. They can be kept, but not written. Rewards are scaled to [0, 1].
    """

    arms: int
    slots: int  # the most arms that are shown together
    horizon: int  # 0: none is declared
    epsilon: float  # math.inf: no noise is added
    delta: float
    low: float  # the range of a reward, before it was scaled
    high: float
    noise: float  # scale of the noise on one release
    sums: NDArray[np.float64]  # sum of the released rewards, with noise
    counts: NDArray[np.float64]  # how many rewards that is; 0 before the first release
    batches: NDArray[np.uint64]  # how many releases were added up in the sum
    times: NDArray[np.uint64]  # the round that the latest release became final with; 0: there is none
    shown: NDArray[np.uint64]  # in how many rounds the arm was recorded so far
    batch_sums: NDArray[np.float64]  # [b, arm]: every release by itself, for b below batches[arm]
    batch_counts: NDArray[np.float64]

    def __init__(self, raw: _native.RecipeBoard) -> None:
        arms, rows = raw.arms, raw.batch_rows
        vars(self).update(
            arms=arms,
            slots=raw.slots,
            horizon=raw.horizon,
            epsilon=raw.epsilon,
            delta=raw.delta,
            low=raw.low,
            high=raw.high,
            noise=raw.noise,
            sums=_copy(raw.sums, np.float64, arms),
            counts=_copy(raw.counts, np.float64, arms),
            batches=_copy(raw.batches, np.uint64, arms),
            times=_copy(raw.times, np.uint64, arms),
            shown=_copy(raw.shown, np.uint64, arms),
            batch_sums=_copy(raw.batch_sums, np.float64, rows, arms),
            batch_counts=_copy(raw.batch_counts, np.float64, rows, arms),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a board can't be changed: use a variable of your own, such as {name} = ...")

    @property
    def means(self) -> NDArray[np.float64]:
        """The released mean of each arm: sums / counts. It is infinite before the first release."""
        known = self.counts != 0
        means: NDArray[np.float64] = np.divide(self.sums, self.counts, out=np.full(self.arms, np.inf), where=known)
        return means


Index = Callable[[int, Board], ArrayLike]
Choose = Callable[[int, Board], ArrayLike]


def _address_of(function: Any) -> int | None:
    """The address of compiled code: a ctypes function, or a Numba cfunc. None: it is a Python function."""
    if isinstance(function, _FunctionPointer):
        return ctypes.cast(function, c_void_p).value
    address = getattr(function, "address", None)
    if isinstance(address, int):
        return address
    pointer = getattr(function, "ctypes", None)
    return ctypes.cast(pointer, c_void_p).value if isinstance(pointer, _FunctionPointer) else None


@dataclass(frozen=True, eq=False)
class IndexRule:
    """An own algorithm. Use it wherever the id of an algorithm can be used.

    `index(t, board)` returns an index for each arm; the arm with the largest index is shown, or the best set of arms.
    Or `choose(t, board)` returns the arms to show, best first. The function gets released numbers alone, never
    anyone's feedback. So your rule is as private as its `statistic`, without a new proof. That holds if the function
    uses nothing but its arguments: don't let it read feedback that your program keeps elsewhere.

    The same arguments must give the same result. A function with random numbers takes them from `t`, as by
    `np.random.default_rng([7, t])`. Otherwise a seed does not repeat a simulation, and `couple` sees two worlds that differ.

    >>> import lotor, numpy as np
    >>> def index(t, board):
    ...     return board.means + np.sqrt(2 * np.log(t) / board.counts) + 2 * np.log(t) / (board.epsilon * board.counts)
    >>> rule = lotor.IndexRule('my-ucb', statistic='growing', index=index)
    >>> print(lotor.simulate(rule, means=[0.7, 0.5, 0.3], horizon=1e5, epsilon=1, runs=20))
    my-ucb: regret ... after 100,000 rounds, 20 runs
    >>> rule.info.private, rule.info.model
    (True, 'central')
    >>> lotor.couple(rule, traces=200).violated
    False

    statistic: what is counted, and how noise is added. `lotor.statistics()` lists the names, and
        lotor/experimental/catalog.h explains them. "growing" releases batches of 1, 1, 1, 2, 3, 4, 6, ... rounds.
    problem: "finite", "matroid", "semi-bandit", "cascade" or "any"; feedback: "one", "semi", "least-shown", "cascade" or
        "first-slot". Those that you leave out follow from the statistic.
    asks_every_round: the function is asked in every round. Otherwise it is asked only when something was released
        since the last time, which is much faster.
    weighs_unseen: the indices of arms without a release count, too. Otherwise such arms are shown first, and their
        indices are ignored, even NaN.
    needs_horizon: the function uses board.horizon.

    A rule can be pickled if its function can.

    An exception of the function passes through the call that needed it. So does an `InvalidError` if the function
    returns NaN or the wrong number of indices.

    The function may also be compiled: a ctypes function, or a Numba cfunc. The library then calls it without Python, in
    several threads at once. Its signature is that of lotor/experimental/catalog.h:

        bool index(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
        bool choose(void *context, uint64_t t, const lotor_recipe_board *board, size_t slots, uint32_t *arms)
    """

    name: str
    statistic: str = "growing"
    index: Any = None  # Index, or compiled code
    choose: Any = None  # Choose, or compiled code
    problem: str | None = None
    feedback: str | None = None
    asks_every_round: bool = False
    weighs_unseen: bool = False
    needs_horizon: bool = False
    summary: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a text such as 'my-ucb', not {self.name!r}")
        if (self.index is None) == (self.choose is None):
            raise TypeError("give either index, a function (t, board) -> indices, or choose, a function (t, board) -> arms")
        function = self.index if self.choose is None else self.choose
        if not callable(function) and _address_of(function) is None:
            raise TypeError(f"{'index' if self.choose is None else 'choose'} must be a function, not {function!r}")
        self._facts  # checks everything else now

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<lotor.IndexRule {self.name} on {self.statistic}>"

    def __copy__(self) -> IndexRule:
        return self  # nothing of it can change

    def __deepcopy__(self, _memo: Any) -> IndexRule:
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The parameters, to be pickled; not what the library has made of them."""
        function = self.index if self.choose is None else self.choose
        what = f"lotor.IndexRule {self.name}: its {'index' if self.choose is None else 'choose'} function"
        if _address_of(function) is not None:
            raise TypeError(f"{what} is compiled code, whose address is of no use elsewhere: make the rule again there")
        try:
            pickle.dumps(function)
        except Exception as error:
            raise TypeError(
                f"{what} can't be pickled ({error}): define it at the top of a module, not as a lambda or in a function"
            ) from error
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def _asks_python(self) -> bool:
        return _address_of(self.index if self.choose is None else self.choose) is None

    @cached_property
    def _facts(self) -> _native.AlgorithmInfo:
        raw, why = _native.AlgorithmInfo(), _native.Message()
        raw.catalog = catalog = Catalog(self, Trap())  # it has the texts
        check(library().lotor_catalog_info(catalog.address, bytes_of(self.name), byref(why), byref(raw)), why)
        return raw

    @property
    def info(self) -> Algorithm:
        """The facts about the rule. Its statistic and its feedback decide if it is private."""
        return _of(self._facts)


def statistics() -> tuple[str, ...]:
    """The statistics that an `IndexRule` can have.

    >>> import lotor
    >>> lotor.statistics()[:3]
    ('growing', 'episodes', 'episodes-kept')
    """
    names: list[str] = []
    while (name := library().lotor_recipe_statistic(len(names))) is not None:
        names.append(name.decode())
    return tuple(names)


class Catalog:
    """A catalog of the library with one rule. Exceptions of its function go to the trap."""

    def __init__(self, rule: IndexRule, trap: Trap) -> None:
        self.address, why = c_void_p(), _native.Message()
        function = rule.index if rule.choose is None else rule.choose
        compiled = _address_of(function)
        self.asks_python = compiled is None
        self._keep: list[object] = [rule]
        recipe = _native.Recipe(
            id=bytes_of(rule.name),
            summary=bytes_of(rule.summary),
            statistic=bytes_of(rule.statistic),
            problem=bytes_of(rule.problem),
            feedback=bytes_of(rule.feedback),
            asks_every_round=bool(rule.asks_every_round),
            weighs_unseen=bool(rule.weighs_unseen),
            needs_horizon=bool(rule.needs_horizon),
        )
        if rule.choose is None:
            recipe.index = _native.RecipeIndex(compiled or trap.guard(False, _index_of(rule)))
            self._keep.append(recipe.index)
        else:
            recipe.choose = _native.RecipeChoose(compiled or trap.guard(False, _choose_of(rule)))
            self._keep.append(recipe.choose)
        check(library().lotor_catalog_new(byref(why), byref(self.address)), why)
        weakref.finalize(self, library().lotor_catalog_free, self.address).atexit = False
        check(library().lotor_catalog_add(self.address, byref(recipe), byref(why)), why)


def _index_of(rule: IndexRule) -> Callable[..., bool]:
    function, what = rule.index, f"what index of {rule.name} returned"

    def call(_context: Any, t: int, address: int, out: int) -> bool:
        board = Board(_native.RecipeBoard.from_address(address))
        with np.errstate(divide="ignore", invalid="ignore"):  # arms without a release have count 0
            found = function(t, board)
        if type(found) is not np.ndarray or found.dtype != np.float64 or found.shape != (board.arms,):
            found = array_of(found, np.float64, what, (board.arms,))
        ctypes.memmove(out, np.ascontiguousarray(found).ctypes.data, 8 * board.arms)
        return True

    return call


def _choose_of(rule: IndexRule) -> Callable[..., bool]:
    function, what = rule.choose, f"what choose of {rule.name} returned"

    def call(_context: Any, t: int, address: int, slots: int, out: int) -> bool:
        board = Board(_native.RecipeBoard.from_address(address))
        with np.errstate(divide="ignore", invalid="ignore"):
            arms = array_of(np.atleast_1d(np.asanyarray(function(t, board))), np.uint32, what, (slots,))
        ctypes.memmove(out, arms.ctypes.data, 4 * slots)
        return True

    return call


class Named:
    """An algorithm by its id or its rule, for the C parameters. It must live as long as they do."""

    def __init__(self, algorithm: str | IndexRule, trap: Trap) -> None:
        if not isinstance(algorithm, (str, IndexRule)):
            raise TypeError(f"algorithm must be a name such as 'dp-se', or a lotor.IndexRule, not {algorithm!r}")
        self.catalog = Catalog(algorithm, trap) if isinstance(algorithm, IndexRule) else None
        self.name = str(algorithm)
        self.id = bytes_of(self.name)
        self.address = None if self.catalog is None else self.catalog.address
        self.asks_python = self.catalog is not None and self.catalog.asks_python
