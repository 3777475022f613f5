"""Comparisons: several algorithms, epsilons and worlds, played in parallel with the same random numbers."""

from __future__ import annotations

import html
import inspect
import math
import os
import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._bar import Bar
from ._describe import describe, unchecked
from ._frame import frame_of
from ._library import VERSION
from ._numbers import Budget, budget_of, ratio_of, whole
from ._options import warn_of_options_without_use
from ._progress import Progress
from ._store import Store
from ._student import t_quantile
from ._workers import Report, each_done
from .catalog import algorithm as find_algorithm
from .errors import Error, InvalidError, StoppedError, UnusedOptionWarning
from .simulation import Simulation, simulate
from .structures import Matroid, Oracle, Structure

Key = tuple[str, Union[float, None], str]
"""Algorithm, epsilon (None: the algorithm adds no noise) and world of a cell."""


@dataclass(frozen=True, eq=False)
class Difference:
    """How much more regret one cell has than another, run by run.

    Both cells have the same seed, so run r of both has the same random numbers. `variance_share` says what that brings:
    the variance of the difference, divided by the variance that it would have if the runs were independent.
    """

    first: Key
    second: Key
    rounds: NDArray[np.int64]
    mean: NDArray[np.float64]  # regret of the first minus that of the second, up to each of these rounds
    standard_error: NDArray[np.float64]  # of the mean; NaN for one run
    low: NDArray[np.float64]  # the interval around the mean, by Student's law
    high: NDArray[np.float64]
    confidence: float
    runs: int
    variance_share: float  # at the horizon; 1: the pairing brings nothing; NaN: nothing varies

    def __str__(self) -> str:
        return (
            f"{_title(self.first)} minus {_title(self.second)}: {self.mean[-1]:.6g} +- {self.standard_error[-1]:.4g} "
            f"({self.confidence:.0%} interval {self.low[-1]:.6g} to {self.high[-1]:.6g}), {self.runs} pairs of runs"
        )


class Comparison(Mapping[Key, Simulation]):
    """The result of `compare`: a `Simulation` for each (algorithm, epsilon, world).

    Leave out what there is only one of: `result["dp-se"]`, `result["dp-se", 0.1]`, `result["dp-se", 0.1, "c2"]`. An
    algorithm without noise was played once, for all epsilons, and its key has None there.
    """

    def __init__(self, cells: Mapping[Key, Simulation], epsilons: Sequence[float], settings: dict[str, Any]) -> None:
        self._cells = dict(cells)
        self.settings = settings  # version, seed, and everything that was played
        self.algorithms = tuple(dict.fromkeys(key[0] for key in cells))
        self.epsilons = tuple(epsilons)
        self.worlds = tuple(dict.fromkeys(key[2] for key in cells))

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._cells)

    def __getitem__(self, key: Any) -> Simulation:
        return self._cells[self.key(key)]

    def __contains__(self, key: object) -> bool:
        try:
            self.key(key)
        except (KeyError, TypeError, Error):
            return False
        return True

    def key(self, key: Any) -> Key:
        """The whole key of a cell, from one that leaves out epsilon or the world."""
        parts = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(parts) <= 3:
            raise KeyError(f"a cell is (algorithm, epsilon, world), not {key!r}")
        algorithm = parts[0]
        epsilon = _epsilon_of(parts[1]) if len(parts) > 1 and parts[1] is not None else None
        world = parts[2] if len(parts) > 2 else None
        found = [
            each
            for each in self._cells
            if each[0] == algorithm
            and (each[1] is None and epsilon in (None, *self.epsilons) or epsilon in (None, each[1]))
            and world in (None, each[2])
        ]
        if len(found) == 1:
            return found[0]
        problem = "fits several cells" if found else "fits no cell"
        raise KeyError(
            f"{key!r} {problem}: algorithms {list(self.algorithms)}, epsilons {list(self.epsilons)}, "
            f"worlds {list(self.worlds)}"
        )

    def difference(self, first: Any, second: Any, confidence: float = 0.95) -> Difference:
        """The regret of a cell minus that of another one in the same world, run by run."""
        if not 0 < confidence < 1:
            raise InvalidError(f"confidence is {confidence}: give a number between 0 and 1, such as 0.95")
        keys = self.key(first), self.key(second)
        one, other = self._cells[keys[0]], self._cells[keys[1]]
        if keys[0][2] != keys[1][2]:
            raise InvalidError(f"{keys[0][2]} and {keys[1][2]} are two worlds: only runs of one world are paired")
        apart = one.curves - other.curves
        runs = len(apart)
        error: NDArray[np.float64] = np.full(apart.shape[1], math.nan)
        wide, share = error, math.nan
        if runs > 1:
            error = apart.std(axis=0, ddof=1) / math.sqrt(runs)
            wide = error * t_quantile((1 + confidence) / 2, runs - 1)
            independent = one.curves[:, -1].var(ddof=1) + other.curves[:, -1].var(ddof=1)
            share = float(apart[:, -1].var(ddof=1) / independent) if independent > 0 else math.nan
        mean = apart.mean(axis=0)
        return Difference(*keys, one.rounds, mean, error, mean - wide, mean + wide, confidence, runs, share)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each cell, run and round: algorithm, epsilon (NaN: no noise), world, run,
        round, regret, reward. Its `attrs` have the settings. Needs pandas."""
        parts: dict[str, list[Any]] = {
            name: [] for name in ("algorithm", "epsilon", "world", "run", "round", "regret", "reward")
        }
        for (algorithm, epsilon, world), played in self.items():
            runs, points = played.curves.shape
            parts["algorithm"].append(np.full(runs * points, algorithm, dtype=object))
            parts["epsilon"].append(np.full(runs * points, math.nan if epsilon is None else epsilon))
            parts["world"].append(np.full(runs * points, world, dtype=object))
            parts["run"].append(np.repeat(np.arange(runs), points))
            parts["round"].append(np.tile(played.rounds, runs))
            parts["regret"].append(played.curves.ravel())
            parts["reward"].append(played.rewards.ravel())
        return frame_of({name: np.concatenate(columns) for name, columns in parts.items()}, self.settings)

    def plot(
        self,
        file: str | os.PathLike[str] | None = None,
        *,
        center: str = "mean",
        band: tuple[float, float] | str | None = (0.1, 0.9),
        bound: bool = True,
        footer: bool = False,
        log: bool = True,
        what: str | None = None,
        ax: Any = None,
    ) -> Any:
        """Draws the regret with matplotlib, and returns its Figure. `file`: saves it there, too (.png, .pdf, .svg).
        A notebook shows the Figure if it is the last value of a cell, or by `display(result.plot())`.

        There is a panel for each world and epsilon. `center` is "mean" or "median", and `band` has two quantiles over
        the runs (None: no band). "ci" is the 95% confidence interval of the mean at each round, by Student's law. Lower bounds are dashed. They hold as T grows, so they are drawn for the last factor of
        ten of the rounds only. `footer` prints version, seed, rounds and runs below the figure. `log` has log scales.
        `what` is "regret", or "reward" (per round), which is the default where no regret is known. `ax` draws a single
        panel into the Axes of your own figure, without the notes below the figure.
        """
        from ._figure import draw  # matplotlib is not needed for anything else

        return draw(self, file=file, center=center, band=band, bound=bound, footer=footer, log=log, what=what, ax=ax)

    def describe(self) -> str:
        """Version, seed, rounds and runs in one line."""
        about = self.settings
        return f"lotor {about['lotor']}, seed {about['seed']}, {about['horizon']:,} rounds, {about['runs']} runs"

    def _rows(self) -> list[list[str]]:
        several = len(self.worlds) > 1
        rows = [["world"] * several + ["algorithm", "epsilon", "regret", "median", "99% of runs", "lower bound", "reward"]]
        for (algorithm, epsilon, world), played in sorted(self.items(), key=lambda item: self.worlds.index(item[0][2])):
            error, bound = played.standard_error[-1], played.lower_bound * math.log(played.horizon)
            rows.append(
                [world] * several
                + [
                    algorithm,
                    "-" if epsilon is None else f"{epsilon:g}",
                    _number(played.regret[-1]) + ("" if math.isnan(error) else f" +- {_number(error, 2)}"),
                    _number(played.regret_median),
                    _number(played.regret_99),
                    _number(bound),
                    f"{played.per_round:.4f}",
                ]
            )
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows)]
        names = len(rows[0]) - 5  # texts to the left, numbers to the right
        lines = [
            "  ".join(
                part.ljust(width) if place < names - 1 else part.rjust(width)
                for place, (part, width) in enumerate(zip(row, widths))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self.describe(), "", *lines, "", "reward: per round. Lower bounds hold as T grows. -: no noise, or not known."])

    def __repr__(self) -> str:
        return f"<lotor.Comparison of {len(self)} cells>"

    def _repr_html_(self) -> str:
        head, *rows = self._rows()

        def line(tag: str, row: Iterable[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(part)}</{tag}>" for part in row) + "</tr>"

        body = "".join(line("td", row) for row in rows)
        return (
            f"<table><caption>{html.escape(self.describe())}</caption>"
            f"<thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"
        )


def _number(value: float, digits: int = 4) -> str:
    """A few digits, without an exponent for large numbers; "-" for NaN."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def _title(key: Key) -> str:
    algorithm, epsilon, _ = key
    return algorithm if epsilon is None else f"{algorithm} at epsilon {epsilon:g}"


# --- experiments ------------------------------------------------------------------------------------------------------


def _epsilon_of(given: Budget) -> float:
    budget = budget_of(ratio_of(given, "epsilon"))
    if budget is None:
        raise InvalidError(f"epsilon is {given}: give a number above 0, such as 0.5")
    return float(budget)


def _asks_python(thing: Any) -> bool:
    """True if playing calls Python functions, which only one thread of a process can do. Objects say so themselves."""
    if isinstance(thing, (Matroid, Oracle)):
        return True
    return bool(getattr(thing, "_asks_python", not isinstance(thing, (str, Structure))))


@dataclass(frozen=True, eq=False)
class _Cell:
    key: Key
    algorithm: Any
    arguments: dict[str, Any]  # of simulate

    @property
    def asks_python(self) -> bool:
        played = (self.algorithm, self.arguments.get("world"), self.arguments.get("structure"))
        return any(each is not None and _asks_python(each) for each in played)

    @property
    def name(self) -> str:
        return repr(self.key)

    def settings(self) -> Any:
        return {"algorithm": describe(self.algorithm), **describe(self.arguments)}

    def play(self, common: Mapping[str, Any], threads: int, progress: Progress | None) -> Simulation:
        try:
            with warnings.catch_warnings():  # compare() has warned of options that no algorithm uses
                warnings.simplefilter("ignore", UnusedOptionWarning)
                return simulate(self.algorithm, **common, **self.arguments, threads=threads, progress=progress)
        except StoppedError:
            raise
        except Error as error:
            raise type(error)(f"{_title(self.key)}, {self.key[2]}: {error}") from error


def _algorithms(given: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Name -> algorithm and its own options."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    if isinstance(given, Mapping):
        named = [(str(name), each) for name, each in given.items()]
    else:
        named = [(_name_of(each), each) for each in given]
    if not named:
        raise InvalidError("algorithms is empty: give at least one, such as 'lik-imed'")
    found: dict[str, tuple[Any, dict[str, Any]]] = {}
    for name, each in named:
        if name in found:
            raise InvalidError(f"{name} is given twice: give a dict with a name for each")
        algorithm, options = each if isinstance(each, tuple) else (each, {})
        found[name] = (algorithm, dict(options))
    return found


def _name_of(algorithm: Any) -> str:
    name = algorithm if isinstance(algorithm, str) else getattr(algorithm, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"an algorithm is a name such as 'dp-se', or an object with a name, not {algorithm!r}")
    return name


def _model_of(algorithm: Any) -> str | None:
    """The privacy model; None: not known."""
    info = find_algorithm(algorithm) if isinstance(algorithm, str) else getattr(algorithm, "info", None)
    return getattr(info, "model", None)


def _worlds(worlds: Any, options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Name -> arguments of simulate. Takes the world out of the options."""
    single = {name: options.pop(name) for name in ("means", "instance", "world") if options.get(name) is not None}
    if worlds is None:
        return {_name_of_world(single): single}
    if "means" in single or "instance" in single or not isinstance(single.get("world", ""), str):
        raise InvalidError("worlds and a single world are both given: keep one")
    if not isinstance(worlds, Mapping) or not worlds:
        raise TypeError("worlds must be a dict: {name: world}, with at least one")
    return {str(name): {**single, **_world_of(world, name)} for name, world in worlds.items()}


def _world_of(given: Any, name: str) -> dict[str, Any]:
    if isinstance(given, str):
        return {"instance": given}
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, (list, tuple, np.ndarray)):
        return {"means": np.asarray(given)}
    if given is None:
        raise TypeError(f"world {name!r} is None: give means, the name of an instance, a dict of options, or a World")
    return {"world": given}


def _name_of_world(single: Mapping[str, Any]) -> str:
    if "instance" in single:
        return str(single["instance"])
    if "means" in single:
        return "means"
    name = getattr(single.get("world"), "name", None)
    return name if isinstance(name, str) else "world"


_COMMON = ("horizon", "runs", "seed", "checkpoints")  # the same for all cells
_EPSILONS = "epsilons must be a list with at least one number, such as [0.1, 1]"
_TAKES = frozenset(inspect.signature(simulate).parameters) - {"algorithm", "threads", "progress"}


def _check_options(options: Iterable[str], refused: Iterable[str] = ()) -> None:
    takes = _TAKES - set(refused)
    for name in options:
        if name not in takes:
            raise TypeError(f"{name!r} is not an option of single cells; these are options of simulate(): {sorted(takes)}")


def _cells(
    algorithms: Any, epsilons: Sequence[Budget], worlds: Mapping[str, dict[str, Any]], options: Mapping[str, Any]
) -> list[_Cell]:
    cells = []
    for world, place in worlds.items():
        for name, (algorithm, own) in _algorithms(algorithms).items():
            _check_options([*own, *place], {"epsilon", *_COMMON})
            has_noise = _model_of(algorithm) != "none"
            for epsilon in epsilons if has_noise else (None,):
                arguments = {**options, **place, **own}
                if epsilon is not None:
                    arguments["epsilon"] = epsilon
                key = (name, None if epsilon is None else _epsilon_of(epsilon), world)
                cells.append(_Cell(key, algorithm, arguments))
    return cells


# --- playing ----------------------------------------------------------------------------------------------------------


class _Watch:
    """Adds up the progress of all cells."""

    def __init__(self, count: int, progress: Progress | bool | None) -> None:
        self._shares: dict[Key, float] = {}
        self._count = count
        self._progress = progress if callable(progress) else None
        self._bar = Bar() if progress is None or progress is True else None

    def tell(self, cell: Key, share: float) -> None:
        self._shares[cell] = share
        whole_share = sum(self._shares.values()) / self._count
        if self._bar:
            done = sum(each >= 1 for each in self._shares.values())
            self._bar.show(whole_share, f"{done} of {self._count} cells; {_title(cell)}")
        if self._progress and self._progress(whole_share):
            raise StoppedError("stopped because `progress` asked for it; finished cells are in the file, if there is one")

    def end(self) -> None:
        if self._bar:
            self._bar.clear()


def _play(
    cells: Sequence[_Cell], common: Mapping[str, Any], jobs: int, watch: _Watch
) -> Iterator[tuple[_Cell, Simulation]]:
    """Cells of C code one after the other, each on `jobs` threads. Then cells that call Python, in `jobs` processes."""
    apart = [each for each in cells if each.asks_python and jobs > 1]
    for cell in cells:
        if cell not in apart:
            threads = 1 if cell.asks_python else jobs
            yield cell, cell.play(common, threads, partial(watch.tell, cell.key))
    by_key = {each.key: each for each in apart}
    tasks: dict[Any, Callable[[Report], Simulation]] = {
        each.key: partial(each.play, common, 1) for each in apart
    }
    for key, played in each_done(tasks, jobs, watch.tell):
        yield by_key[key], played


def compare(
    algorithms: Any,
    *,
    horizon: SupportsIndex | float,
    epsilons: Iterable[Budget] | None = None,
    epsilon: Budget | None = None,
    worlds: Mapping[str, Any] | None = None,
    runs: SupportsIndex | float = 10,
    seed: SupportsIndex = 1,
    checkpoints: SupportsIndex | str | ArrayLike = 50,
    jobs: SupportsIndex | None = None,
    progress: Progress | bool | None = None,
    file: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Comparison:
    """Plays every algorithm with every epsilon in every world, in parallel and with the same seed.

    >>> import lotor
    >>> result = lotor.compare(['ucb', 'dp-se', 'lik-imed'], means=[0.7, 0.5, 0.4], epsilons=[0.5, 1], horizon=1e4)
    >>> print(result)  # doctest: +NORMALIZE_WHITESPACE
    lotor ..., seed 1, 10,000 rounds, 10 runs
    <BLANKLINE>
    algorithm  epsilon          regret  median  99% of runs  lower bound  reward
    ucb              - ...
    dp-se          0.5 ...
    dp-se            1 ...
    lik-imed       0.5 ...
    lik-imed         1 ...
    <BLANKLINE>
    reward: per round. Lower bounds hold as T grows. -: no noise, or not known.
    >>> result['lik-imed', 0.5].curves.shape
    (10, 45)
    >>> print(result.difference(('dp-se', 1), ('lik-imed', 1)))
    dp-se at epsilon 1 minus lik-imed at epsilon 1: ... +- ... (95% interval ... to ...), 10 pairs of runs

    `algorithms`: names, or objects that `simulate` takes; or a dict {name: algorithm}, or {name: (algorithm, options)}
    to play one algorithm with several options. `epsilons`, or one `epsilon` (default 1). An algorithm without noise is
    played once.

    `worlds` is a dict {name: world}. A world is a list of means, the name of an instance, a dict of options of
    `simulate`, or an object that `simulate` takes as `world`. For one world give `means`, `instance` or `world`. All
    other options of `simulate` may be given, too.

    `jobs` is the number of threads, and of processes for cells that call Python functions (default: one per core). The
    numbers are the same for any number of jobs.

    `file` keeps finished cells. After Ctrl-C or a crash, the same call goes on where it ended, and a call with more
    algorithms, epsilons or worlds plays only those. A file of other settings is refused. Functions are compared by their
    name, code, defaults and closures: not by what they read from their module, and with another version of Python
    they are others.

    `progress` is called with the share that is done; a true result stops the work. By default there is a progress bar if
    standard error is a terminal. False: no bar.
    """
    if epsilons is not None and epsilon is not None:
        raise InvalidError("epsilon and epsilons are both given: keep one")
    if epsilons is not None and not isinstance(epsilons, Iterable):
        raise TypeError(f"{_EPSILONS}, not {epsilons!r}: give epsilon={epsilons!r} if there is only one")
    budgets = list(epsilons) if epsilons is not None else [1 if epsilon is None else epsilon]
    if isinstance(epsilons, (str, bytes)) or not budgets:
        raise InvalidError(f"{_EPSILONS}, not {epsilons!r}")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError(f"progress must be a function that takes the finished share, True or False, not {progress!r}")
    wanted = [_epsilon_of(each) for each in budgets]
    if len(set(wanted)) < len(wanted):
        raise InvalidError(f"epsilons {wanted}: one is given twice")
    _check_options(options, ("epsilon", *_COMMON))
    common: dict[str, Any] = {
        "horizon": whole(horizon, "horizon", 1),
        "runs": whole(runs, "runs", 1),
        "seed": whole(seed, "seed"),
        "checkpoints": checkpoints,
    }
    workers = whole(jobs, "jobs", 1) if jobs is not None else len(os.sched_getaffinity(0))
    rest = {name: value for name, value in options.items() if value is not None}
    places = _worlds(worlds, rest)
    warn_of_options_without_use([each for each, _ in _algorithms(algorithms).values()], rest)
    cells = _cells(algorithms, budgets, places, rest)
    shared = {"lotor": VERSION, **describe(common)}
    store = Store(file, shared) if file is not None else None
    done: dict[Key, Simulation] = {}
    for cell in cells if store else ():
        known = store.get(cell.name, cell.settings()) if store else None
        if known is not None:
            done[cell.key] = known
            if unseen := unchecked(cell.settings()):
                said = f"{cell.name} comes from {file}: it can't be checked that {', '.join(unseen)} did not change"
                warnings.warn(said, RuntimeWarning, stacklevel=2)
    watch = _Watch(len(cells), progress)
    try:
        for key in done:
            watch.tell(key, 1.0)
        for cell, played in _play([each for each in cells if each.key not in done], common, workers, watch):
            done[cell.key] = played
            if store:
                store.put(cell.name, cell.settings(), played)
            watch.tell(cell.key, 1.0)
    finally:
        watch.end()
        if store:
            store.write()
    settings = {
        **shared,
        "epsilons": wanted,
        "algorithms": {name: describe(each) for name, each in _algorithms(algorithms).items()},
        "worlds": describe(places),
        "options": describe(rest),
    }
    return Comparison({cell.key: done[cell.key] for cell in cells}, wanted, settings)
