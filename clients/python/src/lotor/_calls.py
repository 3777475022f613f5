"""The calls into the library that a policy makes in every round.

All structs are made once and used again, and so are the pointers to them. The functions have no declared argument
types: every argument is an object of ctypes with the right type already, so ctypes converts nothing. The caller
holds the policy's lock from before a call until it has read what the call has written.
"""

from __future__ import annotations

import struct
from ctypes import POINTER, byref, c_double, c_uint32, c_uint64, c_void_p, cast, sizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._library import check, library
from .decision import Decision, Decisions

ROOM = 64  # a round with more rewards takes the slow way
NUMBERS = (float, int, np.floating, np.integer, np.bool_)
_KINDS = frozenset("biuf")
_fields = struct.Struct("QPNPNPNQ").unpack  # of lotor_decision
assert struct.calcsize("QPNPNPNQ") == sizeof(_native.Decision)

_FEEDBACK = np.dtype([("rewards", np.uintp), ("count", np.uintp), ("click", np.uintp)])
assert _FEEDBACK.itemsize == sizeof(_native.Feedback)


def _number(reward: Any) -> float:
    """A huge int becomes infinity: it is outside any range."""
    try:
        return float(reward)
    except OverflowError:
        return float("inf")


class Calls:
    """The structs of one policy."""

    def __init__(self, address: c_void_p) -> None:
        self._policy = address
        self._choose = library()["lotor_policy_choose"]
        self._choose_many = library()["lotor_policy_choose_many"]
        self._learn = library()["lotor_policy_learn"]
        self._learn_many = library()["lotor_policy_learn_many"]
        self._message = _native.Message()
        self._why = byref(self._message)
        self._decision = _native.Decision()
        self._out = byref(self._decision)
        self._event, self._count = c_uint64(), c_uint64()
        self._rounds = byref(self._count)
        self._buffer = (c_double * ROOM)()
        self._numbers: NDArray[np.float64] = np.frombuffer(memoryview(self._buffer), np.float64)
        self._feedback = _native.Feedback(cast(self._buffer, POINTER(c_double)), 1, 0)
        self._given = byref(self._feedback)
        self._seen: dict[int, Any] = {}  # address -> pointer; the library has few arrays of arms, and uses them again

    def _raise(self, status: int) -> None:
        try:
            check(status, self._message)
        finally:
            self._message.text = b""

    def _arms(self, address: int, count: int) -> tuple[int, ...]:
        """Reads arms at an address that the latest call has returned."""
        first = self._seen.get(address)
        if first is None:
            if len(self._seen) >= ROOM:
                self._seen.clear()
            first = self._seen[address] = cast(c_void_p(address), POINTER(c_uint32))
        return (first[0],) if count == 1 else tuple(first[:count])

    def choose(self, context: Any) -> Decision:
        status = self._choose(self._policy, context, self._why, self._out)
        if status:
            self._raise(status)
        event, arms, count, asked, asked_count, seeds, seed_count, hold = _fields(self._decision)
        if count == 1 and arms in self._seen and not seeds:  # one arm is shown, and it is the one that is asked for
            single = (self._seen[arms][0],)
            return Decision(event, hold, single, single)
        shown, wanted, behind = self._read(arms, count, asked, asked_count, seeds, seed_count)
        return Decision(event, hold, shown, wanted, behind)

    def _read(self, arms: int, count: int, asked: int, asked_count: int, seeds: int, seed_count: int) -> Any:
        shown = self._arms(arms, count)
        wanted = shown if asked == arms and asked_count == count else self._arms(asked, asked_count)
        return shown, wanted, self._arms(seeds, seed_count) if seeds else None

    def choose_many(self, limit: int) -> Decisions:
        self._event.value = limit
        status = self._choose_many(self._policy, self._event, self._why, self._out, self._rounds)
        if status:
            self._raise(status)
        event, *parts, _hold = _fields(self._decision)
        return Decisions(event, self._count.value, *self._read(*parts))

    def learn_one(self, event: int, reward: Any) -> None:
        """Feeds a single reward."""
        self._event.value = event
        try:
            self._buffer[0] = reward
        except OverflowError:
            self._buffer[0] = _number(reward)
        status = self._learn(self._policy, self._event, self._given, self._why)
        if status:
            self._raise(status)

    def learn_several(self, event: int, rewards: Any) -> bool:
        """Feeds a list or an array of rewards. Returns False, and does nothing, for anything unusual."""
        kind = type(rewards)
        if (kind is list or kind is tuple) and len(rewards) <= ROOM:
            for place, reward in enumerate(rewards):
                if not isinstance(reward, NUMBERS):
                    return False
                self._buffer[place] = _number(reward)
        elif kind is np.ndarray and rewards.ndim == 1 and len(rewards) <= ROOM and rewards.dtype.kind in _KINDS:
            self._numbers[: len(rewards)] = rewards
        else:
            return False
        self._feedback.count = len(rewards)
        self._event.value = event
        status = self._learn(self._policy, self._event, self._given, self._why)
        self._feedback.count = 1
        if status:
            self._raise(status)
        return True

    def learn_feedback(self, event: int, feedback: _native.Feedback) -> None:
        """Feeds any feedback."""
        self._event.value = event
        status = self._learn(self._policy, self._event, byref(feedback), self._why)
        if status:
            self._raise(status)

    def learn_many(self, first: int, rows: NDArray[np.float64] | None, clicks: NDArray[np.uintp] | None) -> None:
        """Feeds one row of rewards for each round, or one click."""
        rounds = len(rows) if rows is not None else len(clicks) if clicks is not None else 0
        feedback = np.zeros(rounds, _FEEDBACK)
        if rows is not None:
            width = rows.shape[1]
            feedback["rewards"] = np.arange(rounds, dtype=np.uintp) * np.uintp(8 * width) + np.uintp(rows.ctypes.data)
            feedback["count"] = width
        if clicks is not None:
            feedback["click"] = clicks
        self._event.value, self._count.value = first, rounds
        status = self._learn_many(
            self._policy, self._event, self._count, c_void_p(feedback.ctypes.data), self._why
        )
        if status:
            self._raise(status)
