"""Decisions: the arms to show in one round, or in many."""

from __future__ import annotations

from typing import Any

import numpy as np

from .structures import Arms


class _Shown:
    """Arms that are shown together. Arrays are made when they are first asked for: a loop over single arms
    needs none."""

    __slots__ = ("_arms", "_asked", "_seeds", "_event")
    _arms: Any  # a tuple, or the array that was made from it
    _asked: Any
    _seeds: Any
    _event: int

    @property
    def arms(self) -> Arms:
        """The arms to show, from 0."""
        if type(self._arms) is tuple:
            self._arms = np.array(self._arms, np.intp)
        shown: Arms = self._arms
        return shown

    @property
    def asked(self) -> Arms:
        """The arms whose rewards are wanted, in this order."""
        if type(self._asked) is tuple:
            self._asked = np.array(self._asked, np.intp)
        wanted: Arms = self._asked
        return wanted

    @property
    def seeds(self) -> Arms | None:
        """Coverage and influence: the vertices behind the arms."""
        if type(self._seeds) is tuple:
            self._seeds = np.array(self._seeds, np.intp)
        behind: Arms | None = self._seeds
        return behind

    @property
    def arm(self) -> int:
        """The arm to show, if there is only one."""
        if len(self._arms) != 1:
            raise ValueError(f"{len(self._arms)} arms are shown together: see `arms`")
        return int(self._arms[0])

    def _name(self) -> str:
        return f"arm {self.arm}" if len(self._arms) == 1 else f"arms {', '.join(map(str, self._arms))}"


class Decision(_Shown):
    """The decision of one round: the arms to show, and the arms whose rewards are wanted."""

    __slots__ = ("_hold",)
    _hold: int

    def __init__(self, event: int, hold: int, arms: Any, asked: Any, seeds: Any = None) -> None:
        self._event = event
        self._hold = hold
        self._arms = arms
        self._asked = asked
        self._seeds = seeds

    @property
    def event(self) -> int:
        """The name of the round; 0: the round is past the horizon and takes no feedback."""
        return self._event

    @property
    def hold(self) -> int:
        """For how many rounds, from this one on, the decision can't change."""
        return self._hold

    def __str__(self) -> str:
        return f"show {self._name()} ({f'round {self._event}' if self._event else 'past the horizon'})"

    def __repr__(self) -> str:
        return f"<lotor.Decision: {self}>"


class Decisions(_Shown):
    """The decision of several rounds that show the same arms. `len()` is the number of rounds."""

    __slots__ = ("_rounds",)
    _rounds: int

    def __init__(self, event: int, rounds: int, arms: Any, asked: Any, seeds: Any = None) -> None:
        self._event = event
        self._rounds = rounds
        self._arms = arms
        self._asked = asked
        self._seeds = seeds

    @property
    def events(self) -> range:
        """The names of the rounds; empty past the horizon, where rounds take no feedback."""
        return range(self._event, self._event + self._rounds) if self._event else range(0)

    def __len__(self) -> int:
        return self._rounds

    def __str__(self) -> str:
        last = self._event + self._rounds - 1
        rounds = f"rounds {self._event} to {last}" if self._event else f"{self._rounds} rounds past the horizon"
        return f"show {self._name()} ({rounds})"

    def __repr__(self) -> str:
        return f"<lotor.Decisions: {self}>"
