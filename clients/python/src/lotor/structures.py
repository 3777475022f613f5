"""Which sets of arms may be shown together.

Give a structure to `Policy` or `simulate`. Without a structure, any `slots` arms may be shown. Arms and
vertices count from 0.
"""

from __future__ import annotations

from ctypes import POINTER, c_int64, c_uint32
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._numbers import array_of, positive, whole
from ._trap import Trap
from .errors import InvalidError

Arms = NDArray[np.intp]


class Structure:
    """The base of all structures: the number of arms (None: not known here), and the C parameters."""

    def _arms(self) -> int | None:
        return None

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        """Writes into `params`, and returns the objects that must live as long as the library may read them."""
        raise NotImplementedError


def _integers(array: NDArray[Any]) -> Any:
    return array.ctypes.data_as(POINTER(c_int64 if array.dtype == np.int64 else c_uint32))


@dataclass(frozen=True, eq=False)
class Partition(Structure):
    """At most `capacities[g]` arms of group g, where `groups[arm]` is an arm's group.

    >>> import lotor
    >>> one_of_each = lotor.Partition(groups=[0, 0, 1, 1], capacities=[1, 1])
    >>> len(lotor.Policy('dpucb-mat', structure=one_of_each, epsilon=1).choose().arms)
    2
    """

    groups: ArrayLike
    capacities: ArrayLike

    def _arms(self) -> int:
        return len(np.asarray(self.groups))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        groups = array_of(self.groups, np.uint32, "groups", (None,))
        capacities = array_of(self.capacities, np.uint32, "capacities", (None,))
        params.structure = 1
        params.group, params.capacity, params.groups = _integers(groups), _integers(capacities), len(capacities)
        return [groups, capacities]


def _fill_edges(
    params: _native.PolicyParams, edges: ArrayLike, vertices: int | None, of: int | None = None
) -> list[object]:
    """`edges` is an array of pairs; `of`: only that end's vertices count."""
    pairs = array_of(edges, np.uint32, "edges", (None, 2))
    start, end = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    setattr(params, "from", _integers(start))
    params.to = _integers(end)
    ends = pairs if of is None else pairs[:, of]
    params.vertices = (int(ends.max()) + 1 if ends.size else 0) if vertices is None else whole(vertices, "vertices")
    return [start, end]


@dataclass(frozen=True, eq=False)
class Graphic(Structure):
    """Arms are the edges of a graph, (arms, 2) vertices; a set without cycles may be shown."""

    edges: ArrayLike
    vertices: int | None = None

    def _arms(self) -> int:
        return len(np.asarray(self.edges))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        params.structure = 2
        return _fill_edges(params, self.edges, self.vertices)


@dataclass(frozen=True, eq=False)
class Linear(Structure):
    """Arms are vectors of whole numbers, (arms, dimension); sets that are independent over the rationals."""

    vectors: ArrayLike

    def _arms(self) -> int:
        return len(np.asarray(self.vectors))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        vectors = array_of(self.vectors, np.int64, "vectors", (None, None))
        params.structure, params.vectors, params.dimension = 3, _integers(vectors), vectors.shape[1]
        return [vectors]


@dataclass(frozen=True, eq=False)
class Path(Structure):
    """Arms are the edges of a directed graph without cycles; a path from `source` to `sink` is shown.

    An edge costs 1 - its reward.
    """

    edges: ArrayLike
    source: int
    sink: int
    vertices: int | None = None

    def _arms(self) -> int:
        return len(np.asarray(self.edges))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        params.structure = 5
        params.source, params.sink = _vertex(self.source, "source"), _vertex(self.sink, "sink")
        return _fill_edges(params, self.edges, self.vertices)


@dataclass(frozen=True, eq=False)
class Coverage(Structure):
    """Arms are edges from a left to a right side; `seeds` vertices on the left are picked, with all their edges."""

    edges: ArrayLike
    seeds: int = 1
    left: int | None = None

    def _arms(self) -> int:
        return len(np.asarray(self.edges))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        params.structure, params.seeds = 6, whole(self.seeds, "seeds", 1)
        return _fill_edges(params, self.edges, self.left, of=0)


@dataclass(frozen=True, eq=False)
class Influence(Structure):
    """Arms are edges of a directed graph; `seeds` vertices are picked, with all vertices that they can reach."""

    edges: ArrayLike
    seeds: int = 1
    vertices: int | None = None

    def _arms(self) -> int:
        return len(np.asarray(self.edges))

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        params.structure, params.seeds = 7, whole(self.seeds, "seeds", 1)
        return _fill_edges(params, self.edges, self.vertices)


def _vertex(value: SupportsIndex, name: str) -> int:
    number = whole(value, name)
    if number >= 2**32:
        raise InvalidError(f"{name} is {number}: vertices are below 2^32")
    return number


def _view(pointer: Any, count: int, dtype: Any) -> NDArray[Any]:
    """A copy of numbers that are valid only during a call."""
    return np.ctypeslib.as_array(pointer, (count,)).astype(dtype) if count else np.empty(0, dtype)


@dataclass(frozen=True, eq=False)
class Matroid(Structure):
    """A custom matroid: `may_join(chosen, arm)` says whether `arm` may join the independent set `chosen`.

    `rank` is the size of a largest independent set. The function must be pure. An exception passes through
    the call that needed it, and no round is opened.

    >>> import lotor
    >>> not_neighbours = lotor.Matroid(lambda chosen, arm: len(chosen) < 2, rank=2)
    >>> len(lotor.Policy('omm', arms=5, structure=not_neighbours).choose().arms)
    2
    """

    may_join: Callable[[Arms, int], bool]
    rank: int

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        def independent(_context: Any, chosen: Any, count: int, arm: int) -> bool:
            return bool(self.may_join(_view(chosen, count, np.intp), arm))

        params.structure, params.rank = 4, whole(self.rank, "rank")
        params.independent = _native.Independent(trap.guard(False, independent))
        return [params.independent]


@dataclass(frozen=True, eq=False)
class Oracle(Structure):
    """A custom oracle, an (alpha, beta)-approximation: `pick(indices)` returns at most `most` different arms.

    With probability at least `beta`, the set must be worth at least `alpha` times the best set, for any
    indices, even infinite ones. `value(means, arms)` is the mean reward of a set, given the arms' means
    (default: their sum). Both must be pure. An exception passes through the call that needed it, and no round
    is opened.

    >>> import lotor, numpy as np
    >>> best_pair = lotor.Oracle(lambda indices: np.argsort(-indices)[:2], most=2)
    >>> len(lotor.Policy('cucb', arms=5, structure=best_pair).choose().arms)
    2
    """

    pick: Callable[[NDArray[np.float64]], ArrayLike]
    most: int
    value: Callable[[NDArray[np.float64], Arms], float] | None = None
    alpha: float = 1.0
    beta: float = 1.0

    def _fill(self, params: _native.PolicyParams, trap: Trap) -> list[object]:
        most = whole(self.most, "most")
        refused = 2**63  # more than the number of arms: the library opens no round

        def pick(_context: Any, index: Any, arms: int, picked: Any) -> int:
            chosen = array_of(self.pick(_view(index, arms, np.float64)), np.uint32, "what the oracle picked", (None,))
            if not 0 < len(chosen) <= most or len(np.unique(chosen)) < len(chosen) or chosen.max() >= arms:
                wanted = f"1 to {most} different arms below {arms}"
                raise InvalidError(f"the oracle picked {chosen.tolist()}: expected {wanted}")
            np.ctypeslib.as_array(picked, (len(chosen),))[:] = chosen
            return len(chosen)

        def value(_context: Any, means: Any, arms: Any, count: int) -> float:
            assert self.value is not None
            return float(self.value(_view(means, params.arms, np.float64), _view(arms, count, np.intp)))

        params.structure, params.rank = 8, most
        params.alpha, params.oracle_beta = positive(self.alpha, "alpha"), positive(self.beta, "beta")
        params.pick = _native.Pick(trap.guard(refused, pick))
        kept: list[object] = [params.pick]
        if self.value is not None:
            params.value = _native.Value(trap.guard(0.0, value))
            kept.append(params.value)
        return kept
