"""Draws a comparison with matplotlib."""

from __future__ import annotations

import io
import math
import os
import textwrap
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from ._calls import NUMBERS
from ._frame import optional
from ._student import t_quantile
from .errors import InvalidError
from .simulation import Simulation

if TYPE_CHECKING:
    from .comparison import Comparison

# Okabe and Ito's colours, which colour-blind people can tell apart, without yellow; then other line styles.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
_STYLES: tuple[Any, ...] = ("-", (0, (1, 1)), (0, (6, 1.5, 1, 1.5)))
_GREY = "#666666"
_SAME = 0.01  # bounds that differ by less are drawn once
_NEAR = 1.25  # bounds whose quotient is less have one name
_CONFIDENCE = 0.95  # of the band of the mean
_PANEL = (3.5, 2.8)  # width and height in inches, without the names
_PRIVACY = {"none": "no privacy", "central": "central", "local": "local", "joint": "joint"}


def _for_notebooks(base: Any) -> Any:
    """A class of figures that notebooks show as a picture. They are not pyplot's: nothing must be closed."""

    class Picture(base):  # type: ignore[misc]
        def _repr_png_(self) -> bytes:
            written = io.BytesIO()
            self.savefig(written, format="png")
            return written.getvalue()

    return Picture


def _runs(played: Simulation, what: str) -> Any:
    """The curve to draw for every run: its regret, or its reward per round."""
    return played.curves if what == "regret" else played.rewards / played.rounds


def _quantile(played: Simulation, what: str, q: float) -> Any:
    return np.quantile(_runs(played, what), q, axis=0)


def _center(played: Simulation, how: dict[str, Any]) -> Any:
    if how["center"] == "median":
        return _quantile(played, how["what"], 0.5)
    return played.regret if how["what"] == "regret" else _runs(played, "reward").mean(axis=0)


def _privacy(played: Simulation) -> str:
    """The privacy that a lower bound is for. With a delta, for example, no bound with privacy is proved."""
    is_classical = played.lower_bound_theorem == played.classical_bound_theorem
    return _PRIVACY["none" if is_classical else played.guarantee.model]


def _band(played: Simulation, how: dict[str, Any]) -> Any:
    """The two edges of the band."""
    if how["band"] != "ci":
        return [_quantile(played, how["what"], each) for each in how["band"]]
    center, runs = _center(played, how), _runs(played, how["what"])
    wide = t_quantile(0.5 + _CONFIDENCE / 2, len(runs) - 1) * runs.std(axis=0, ddof=1) / math.sqrt(len(runs))
    return center - wide, center + wide


def _bounds(panel: dict[str, Simulation]) -> list[tuple[str, float]]:
    """The different lower bounds of a panel, with their names."""
    found: list[tuple[str, str, float]] = []  # the curve, its privacy, its bound
    for name, played in panel.items():
        per_log = played.lower_bound
        if per_log > 0 and all(abs(per_log - each) > _SAME * each for *_, each in found):
            found.append((name, _privacy(played), per_log))
    if len(found) == 1:
        return [("lower bound", found[0][2])]
    kinds = [privacy for _, privacy, _ in found]
    return [
        (f"lower bound, {privacy}" if kinds.count(privacy) == 1 else f"lower bound of {name}", per_log)
        for name, privacy, per_log in found
    ]


def _draw_panel(axes: Any, panel: dict[str, Simulation], looks: dict[str, Any], how: dict[str, Any]) -> list[Any]:
    """Draws the curves, and returns the label, height and colour of each end."""
    ends = []
    for name, played in panel.items():
        colour, style = looks[name]
        line = _center(played, how)
        drawn = line > 0 if how["log_y"] else np.isfinite(line)
        shown, heights = played.rounds[drawn], line[drawn]
        axes.plot(shown, heights, color=colour, linestyle=style, linewidth=1.8, zorder=3, label=name)
        if how["band"] is not None and played.runs > 1:
            low, high = _band(played, how)
            axes.fill_between(played.rounds, low, high, color=colour, alpha=0.15, linewidth=0, zorder=2)
        if len(heights):
            ends.append((name, float(heights[-1]), colour))
    bounds = _bounds(panel) if how["bound"] else []
    horizon = max(played.horizon for played in panel.values())
    for _, per_log in bounds:
        rounds = np.geomspace(max(horizon / 10, 2), horizon, 50)
        axes.plot(rounds, per_log * np.log(rounds), color=_GREY, linestyle=(0, (4, 3)), linewidth=1.3, zorder=4)
    values = [per_log for _, per_log in bounds]
    if len(values) > 1 and max(values) < _NEAR * min(values):
        bounds = [("lower bounds", math.sqrt(max(values) * min(values)))]
    return ends + [(name, per_log * math.log(horizon), _GREY) for name, per_log in bounds]


def _is_band(band: Any) -> bool:
    """True for two quantiles, the lower one first."""
    shares = list(band) if isinstance(band, Iterable) and not isinstance(band, str) else []
    are_numbers = len(shares) == 2 and all(isinstance(each, NUMBERS) for each in shares)
    return are_numbers and bool(0 <= shares[0] <= shares[1] <= 1)


def _limits(axes: Any, panels: list[dict[str, Simulation]], how: dict[str, Any]) -> None:
    """A log axis shows the regrets from a hundredth of the smallest end on: earlier ones are of a few rounds."""
    if not how["log_y"]:
        axes.set_ylim(bottom=0 if how["what"] == "regret" else None)
        return
    ends = [_center(played, how)[-1] for panel in panels for played in panel.values()]
    least = min((end for end in ends if end > 0), default=1.0)
    axes.set_ylim(bottom=least / 100)


def _spread(wanted: list[float], room: float, bottom: float, top: float) -> list[float]:
    """Moves increasing heights as little as possible, so that they are `room` apart and in the picture.

    >>> _spread([10, 11, 50], 4, 0, 100)
    [8.5, 12.5, 50.0]
    """
    groups: list[list[float]] = []  # of heights that touch: their number, and the sum of what their lowest one wants
    for height in wanted:
        groups.append([1, height])
        while len(groups) > 1:
            (count, total), (more, added) = groups[-2], groups[-1]
            if added / more >= total / count + room * count:
                break
            groups[-2:] = [[count + more, total + added - more * count * room]]
    found = []
    for count, total in groups:
        lowest = min(max(total / count, bottom), top - room * (count - 1))
        found += [lowest + room * place for place in range(int(count))]
    return [max(each, bottom + room * place) for place, each in enumerate(found)]


def _label_ends(axes: Any, ends: list[Any], size: float) -> None:
    """Writes names right of the ends of their lines. Names that would overlap are moved apart, with a thin line."""
    points = axes.figure.dpi / 72
    bottom, top = (float(axes.transAxes.transform((0, part))[1]) for part in (0, 1))
    right = axes.get_xlim()[1]
    ends = sorted(ends, key=lambda end: float(end[1]))
    exact = [min(max(float(axes.transData.transform((right, end[1]))[1]), bottom), top) for end in ends]
    for (name, _, colour), at, to in zip(ends, exact, _spread(exact, 1.2 * size * points, bottom, top)):
        axes.annotate(
            name,
            xy=(1, (at - bottom) / (top - bottom)),
            xycoords="axes fraction",
            xytext=(14, (to - at) / points),
            textcoords="offset points",
            color=colour,
            fontsize=size,
            verticalalignment="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 1, "relpos": (0, 0.5)},
        )


def _check_axes(ax: Any, panels: int, footer: bool) -> None:
    """Checks the caller's own Axes."""
    if not isinstance(ax, optional("matplotlib.axes", "plot()").Axes):
        raise TypeError(f"ax must be a matplotlib Axes, not {ax!r}")
    if panels != 1:
        raise InvalidError(
            f"ax has room for one panel, and this plot has {panels}: compare() with one world and one epsilon, "
            "or leave ax out"
        )
    if footer:
        raise InvalidError("footer is below lotor's own figure: leave out footer, or ax")


def _root(figure: Any) -> Any:
    """The figure of a subfigure."""
    while hasattr(figure, "parent"):
        figure = figure.parent
    return figure


def _new_figure(base: Any, rows: int, columns: int, longest: int) -> tuple[Any, Any]:
    """A figure, and its panels. `longest`: the letters of the longest name right of a panel."""
    gap = 0.35 + 0.062 * min(longest, 40)  # inches for the names
    width, height = 0.75 + columns * (_PANEL[0] + gap), 0.9 + rows * (_PANEL[1] + 0.5)
    figure = _for_notebooks(base)(figsize=(width, height), dpi=150)
    grid = figure.subplots(rows, columns, squeeze=False, sharey="row")
    figure.subplots_adjust(
        left=0.7 / width,
        right=1 - gap / width,
        bottom=0.95 / height,
        top=1 - 0.3 / height,
        wspace=gap / _PANEL[0],
        hspace=0.5 / _PANEL[1],
    )
    return figure, grid


def draw(
    result: Comparison,
    *,
    file: str | os.PathLike[str] | None,
    center: str,
    band: tuple[float, float] | str | None,
    bound: bool,
    footer: bool,
    log: bool,
    what: str | None,
    ax: Any,
) -> Any:
    """See `Comparison.plot`."""
    if center not in ("mean", "median"):
        raise InvalidError(f"center is {center!r}: give 'mean' or 'median'")
    if band is not None and not (isinstance(band, str) and band == "ci") and not _is_band(band):
        raise InvalidError(f"band is {band!r}: give two shares of the runs such as (0.1, 0.9), 'ci', or None")
    if isinstance(band, str) and center != "mean":
        raise InvalidError(f"band 'ci' is about the mean: give center='mean', not {center!r}, or two shares of the runs")
    edges = band if band is None or isinstance(band, str) else tuple(band)
    if what not in (None, "regret", "reward"):
        raise InvalidError(f"what is {what!r}: give 'regret' or 'reward'")
    if what is None:
        what = "regret" if any(np.isfinite(played.regret[-1]) for played in result.values()) else "reward"
    optional("matplotlib", "plot()")
    figures = optional("matplotlib.figure", "plot()")
    bound = bound and what == "regret"
    how = {"what": what, "center": center, "band": edges, "bound": bound, "log": log, "log_y": log and what == "regret"}
    looks = {
        name: (_COLOURS[place % len(_COLOURS)], _STYLES[place // len(_COLOURS) % len(_STYLES)])
        for place, name in enumerate(result.algorithms)
    }
    rows, columns = len(result.worlds), len(result.epsilons)
    if all(key[1] is None for key in result):
        columns = 1
    panels = [
        [
            {name: played for (name, of, place), played in result.items() if place == world and of in (None, epsilon)}
            for epsilon in result.epsilons[:columns]
        ]
        for world in result.worlds
    ]
    bounds = [name for row in panels for panel in row for name, _ in _bounds(panel)] if bound else []
    names = [*result.algorithms, *bounds, "lower bound, no privacy" if bound else ""]
    if ax is not None:
        _check_axes(ax, rows * columns, footer)
        figure, grid = _root(ax.figure), [[ax]]
    else:
        figure, grid = _new_figure(figures.Figure, rows, columns, max(map(len, names)))
    drawn = []
    for row, world_panels in enumerate(panels):
        for column, panel in enumerate(world_panels):
            axes = grid[row][column]
            if log:
                axes.set_xscale("log")
            if how["log_y"]:
                axes.set_yscale("log")
            drawn.append((axes, _draw_panel(axes, panel, looks, how)))
            _dress(axes, result, row, column, panel, how)
        _limits(grid[row][0], world_panels, how)
    if ax is None:
        has_bands = any(len(played.curves) > 1 for played in result.values())
        lines = _notes(how, any(end[2] == _GREY for _, ends in drawn for end in ends), has_bands)
        lines += [result.describe()] if footer else []
        width, height = figure.get_size_inches()
        text = "\n".join(part for line in lines for part in textwrap.wrap(line, int(width * 19)))
        figure.text(0.1 / width, 0.45 / height, text, fontsize=7, color=_GREY, verticalalignment="top")
    for axes, ends in drawn:
        _label_ends(axes, ends, 8)
    if file is not None:
        figure.savefig(file)
    return figure


def _dress(axes: Any, result: Comparison, row: int, column: int, panel: dict[str, Simulation], how: dict[str, Any]) -> None:
    """Titles, axes and grid of a panel."""
    is_named = len(result.worlds) > 1 or result.worlds[0] not in ("means", "world")
    parts = [result.worlds[row]] if is_named else []
    if any(played.epsilon is not None for played in panel.values()):
        parts.append(f"epsilon {result.epsilons[column]:g}")
    axes.set_title(", ".join(parts), fontsize=9, loc="left")
    axes.set_xlim(left=1 if how["log"] else 0, right=max(2, *(played.horizon for played in panel.values())))
    axes.set_xlabel("rounds" if row == len(result.worlds) - 1 else "", fontsize=9)
    drawn = "regret" if how["what"] == "regret" else "reward per round"
    axes.set_ylabel(f"{how['center']} {drawn}" if column == 0 else "", fontsize=9)
    if not how["log"]:
        axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.tick_params(labelsize=8, labelleft=column == 0)
    axes.grid(True, which="major", color="#e5e5e5", linewidth=0.6, zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _notes(how: dict[str, Any], has_bounds: bool, has_bands: bool) -> list[str]:
    said = []
    if how["band"] == "ci" and has_bands:
        said.append(f"Bands: the {_CONFIDENCE:.0%} confidence interval of the mean, at each round by itself.")
    elif how["band"] not in (None, "ci"):
        said.append(f"Bands: from the {100 * how['band'][0]:g}% to the {100 * how['band'][1]:g}% quantile of the runs.")
    if has_bounds:
        said.append("Dashed: lower bounds B log T. They hold as T grows; the regret at a given T can be below.")
    return said
