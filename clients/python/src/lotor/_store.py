"""A file with the finished cells of a comparison.

The file is a NumPy archive (.npz) without pickled objects. A new file is written next to the old one and then renamed,
so a crash at any time leaves the old file or the new one. Writing takes at most about a twentieth of the time: if cells
are finished faster than that, several are written together.
"""

from __future__ import annotations

import json
import os
import time
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any, Iterator, Mapping

import numpy as np

from ._describe import differences
from .errors import DamagedError, InvalidError, IoError
from .guarantee import Guarantee
from .simulation import Simulation

_FORMAT = 1
_ARRAYS = ("rounds", "regret", "standard_error", "favourite", "favourite_seeds", "curves", "rewards", "shown", "shown_at")
_BUSY = 0.05  # the largest share of the time that is spent writing


def _plain(value: Any) -> Any:
    return {"ratio": [value.numerator, value.denominator]} if isinstance(value, Fraction) else value


def _number(value: Any) -> Any:
    return Fraction(*value["ratio"]) if isinstance(value, dict) and "ratio" in value else value


def _facts_of(played: Simulation) -> str:
    """Everything but the arrays."""
    facts = {name: _plain(value) for name, value in vars(played).items() if name not in (*_ARRAYS, "guarantee")}
    return json.dumps({**facts, "guarantee": vars(played.guarantee)})


def _simulation_of(facts: str, arrays: Mapping[str, Any]) -> Simulation:
    fields: dict[str, Any] = {name: _number(value) for name, value in json.loads(facts).items()}
    fields["guarantee"] = Guarantee(**fields["guarantee"])
    fields.update((name, arrays.get(name)) for name in _ARRAYS)
    return Simulation(**fields)


class Store:
    """The cells of a file. `settings` holds for all cells, and each cell has a name and its own settings."""

    def __init__(self, path: str | os.PathLike[str], settings: Any) -> None:
        self._path = Path(path)
        self._settings = settings
        self._cells: dict[str, tuple[Any, Simulation]] = {}
        self._is_dirty = False
        self._allowed = 0.0  # not before this time is the file written again
        self._mark = self._look()
        if self._mark is not None:
            self._read()

    def _look(self) -> tuple[int, int, int] | None:
        """Tells whether the file is the one that was read or written last."""
        try:
            about = self._path.stat()
        except FileNotFoundError:
            return None
        return about.st_ino, about.st_mtime_ns, about.st_size

    def _read(self) -> None:
        try:
            with open(self._path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                about = json.loads(str(archive["settings"]))
                cells = list(self._each(archive)) if about.get("format") == _FORMAT else []
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise DamagedError(
                f"{self._path} has no results of lotor.compare that can be read ({error}): "
                "give another file, or delete this one"
            ) from error
        if about.get("format") != _FORMAT:
            raise DamagedError(f"{self._path} has the format {about.get('format')}: give another file")
        self._refuse(differences(self._settings, about["settings"]))
        self._cells = {name: (settings, played) for name, settings, played in cells}

    @staticmethod
    def _each(archive: Any) -> Iterator[tuple[str, Any, Simulation]]:
        for place in range(int(archive["count"])):
            about = json.loads(str(archive[f"{place}/cell"]))
            arrays = {name: archive[f"{place}/{name}"] for name in _ARRAYS if f"{place}/{name}" in archive}
            yield about["name"], about["settings"], _simulation_of(str(archive[f"{place}/facts"]), arrays)

    def _refuse(self, found: list[str]) -> None:
        if found:
            listed = "; ".join(found[:5]) + ("; ..." if len(found) > 5 else "")
            raise InvalidError(
                f"{self._path} has results of other settings ({listed}): give another file, or delete this one"
            )

    def get(self, name: str, settings: Any) -> Simulation | None:
        """A finished cell. Raises if the file has a cell of this name with other settings."""
        found = self._cells.get(name)
        if found is None:
            return None
        self._refuse([f"{name}: {each}" for each in differences(settings, found[0])])
        return found[1]

    def put(self, name: str, settings: Any, played: Simulation) -> None:
        """Keeps a finished cell, and writes the file unless that was done just before."""
        self._cells[name] = (settings, played)
        self._is_dirty = True
        if time.monotonic() >= self._allowed:
            self.write()

    def write(self) -> None:
        """Writes all cells, if some of them are new."""
        if not self._is_dirty:
            return
        start = time.monotonic()
        if self._look() != self._mark:
            raise IoError(f"{self._path} was changed by another program: give every comparison a file of its own")
        about = json.dumps({"format": _FORMAT, "settings": self._settings})
        arrays: dict[str, Any] = {"settings": np.array(about), "count": np.array(len(self._cells))}
        for place, (name, (settings, played)) in enumerate(self._cells.items()):
            arrays[f"{place}/cell"] = np.array(json.dumps({"name": name, "settings": settings}))
            arrays[f"{place}/facts"] = np.array(_facts_of(played))
            kept = {each: getattr(played, each) for each in _ARRAYS}
            arrays.update({f"{place}/{each}": array for each, array in kept.items() if array is not None})
        self._replace(arrays)
        self._mark, self._is_dirty = self._look(), False
        self._allowed = time.monotonic() + (time.monotonic() - start) / _BUSY

    def _replace(self, arrays: dict[str, Any]) -> None:
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with open(beside, "wb") as file:
                np.savez(file, **arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self._path)
        except OSError as error:
            raise IoError(f"{self._path} can't be written: {error}") from error
        finally:
            beside.unlink(missing_ok=True)
