"""Rounds of `lotor.Policy` in a Python loop, per second of this process's user time.

    LOTOR_LIBRARY=build/liblotor.so PYTHONPATH=clients/python/src /usr/bin/python3 bench/policy.py

Other work on the machine changes the numbers, so each line also says how many empty calls by ctypes a round costs,
measured in turn with it. The target is 200,000 rounds a second.

For scale, the last lines play UCB1 as libraries in pure Python and NumPy do, with `predict` and `partial_fit` for
every round. They are a small stand-in in the manner of MABWiser, not that library, which is not
installed here.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import Any, Callable

import lotor
import numpy as np
from lotor._library import library

SHARE = float(os.environ.get("LOTOR_BENCH_SHARE", "1"))  # of all sizes to run; below 1, no missed target fails (see bench.h)
ARMS, ROUNDS, GAMES, TARGET = 10, 50_000, 5, 200_000


def bench_size(count: int) -> int:
    return max(1, int(SHARE * count))


def user_time() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def empty_call(count: int) -> None:
    call = library().lotor_algorithm_count
    for _ in range(count):
        call()


def one_by_one(algorithm: str, **given: Any) -> Callable[[int], None]:
    def play(rounds: int) -> None:
        policy = lotor.Policy(algorithm, arms=ARMS, **given)
        for _ in range(rounds):
            decision = policy.choose()
            policy.learn(decision, 1.0 if decision.arm == 3 else 0.0)

    return play


def sets(algorithm: str, **given: Any) -> Callable[[int], None]:
    def play(rounds: int) -> None:
        policy = lotor.Policy(algorithm, arms=ARMS, slots=3, **given)
        for _ in range(rounds):
            policy.learn(policy.choose(), [1.0, 0.0, 0.0])

    return play


def at_once(algorithm: str, **given: Any) -> Callable[[int], None]:
    def play(rounds: int) -> None:
        policy = lotor.Policy(algorithm, arms=ARMS, **given)
        played = 0
        while played < rounds:
            held = policy.choose_many(rounds - played)
            policy.learn_many(held, np.full(len(held), 1.0 if held.arm == 3 else 0.0))
            played += len(held)

    return play


class PlainUcb1:
    """UCB1 with dictionaries: one entry of each for every arm."""

    def __init__(self) -> None:
        self.total = 0
        self.sums = {arm: 0.0 for arm in range(ARMS)}
        self.counts = {arm: 0 for arm in range(ARMS)}
        self.means = {arm: 0.0 for arm in range(ARMS)}

    def predict(self) -> int:
        for arm, count in self.counts.items():
            if count == 0:
                return arm
        width = 2 * np.log(self.total)
        expected = {arm: self.means[arm] + np.sqrt(width / self.counts[arm]) for arm in self.counts}
        return max(expected, key=expected.__getitem__)

    def partial_fit(self, decisions: Any, rewards: Any) -> None:
        shown, paid = np.asarray(decisions), np.asarray(rewards, float)
        self.total += len(shown)
        for arm in np.unique(shown):
            mine = paid[shown == arm]
            self.sums[arm] += mine.sum()
            self.counts[arm] += mine.size
            self.means[arm] = self.sums[arm] / self.counts[arm]


class VectorUcb1:
    """UCB1 with one NumPy array per number."""

    def __init__(self) -> None:
        self.sums, self.counts = np.zeros(ARMS), np.zeros(ARMS)

    def predict(self) -> int:
        unseen = np.flatnonzero(self.counts == 0)
        if unseen.size:
            return int(unseen[0])
        return int(np.argmax(self.sums / self.counts + np.sqrt(2 * np.log(self.counts.sum()) / self.counts)))

    def partial_fit(self, decisions: Any, rewards: Any) -> None:
        for arm, reward in zip(decisions, rewards):
            self.sums[arm] += reward
            self.counts[arm] += 1


def stand_in(kind: type[Any]) -> Callable[[int], None]:
    def play(rounds: int) -> None:
        learner = kind()
        for _ in range(rounds):
            arm = learner.predict()
            learner.partial_fit([arm], [1.0 if arm == 3 else 0.0])

    return play


def measure(name: str, play: Callable[[int], None], rounds: int, target: float = 0.0) -> bool:
    """The best of a few games. Prints a line, and returns whether the target was met."""
    best = call = float("inf")
    calls, rounds = bench_size(ROUNDS), bench_size(rounds)
    for _ in range(GAMES):
        start = user_time()
        empty_call(calls)
        middle = user_time()
        play(rounds)
        call, best = min(call, (middle - start) / calls), min(best, (user_time() - middle) / rounds)
    call, best = max(call, 1e-12), max(best, 1e-12)  # in a short run, the user time may not change at all
    met = 1 / best >= target
    verdict = f">= {target:,.0f} {'met' if met else 'MISSED'}" if target else "-"
    print(f"{name:<36} {1 / best:>12,.0f} rounds/s {best / call:>8.1f} calls  {verdict}", flush=True)
    return met


def main() -> int:
    print(f"{'name':<36} {'value':>12} {'unit':<8} {'cost':>8} {'':<5}  target")
    met = [
        measure("batch-klucb, one by one", one_by_one("batch-klucb", epsilon=1), ROUNDS, TARGET),
        measure("lik-imed, one by one", one_by_one("lik-imed", epsilon=1), ROUNDS, TARGET),
        measure("dp-se, one by one", one_by_one("dp-se", epsilon=1, horizon=ROUNDS), ROUNDS, TARGET),
        measure("ucb, one by one", one_by_one("ucb", horizon=ROUNDS), ROUNDS, TARGET),
        measure("omm, 3 of 10, one by one", sets("omm"), ROUNDS),
        measure("batch-klucb, many at once", at_once("batch-klucb", epsilon=1), 20 * ROUNDS, 10 * TARGET),
        measure("lik-imed, many at once", at_once("lik-imed", epsilon=1), 20 * ROUNDS, 10 * TARGET),
        measure("stand-in: UCB1 with dictionaries", stand_in(PlainUcb1), ROUNDS // 10),
        measure("stand-in: UCB1 with NumPy arrays", stand_in(VectorUcb1), ROUNDS // 10),
    ]
    return 0 if all(met) or SHARE < 1 else 3


if __name__ == "__main__":
    sys.exit(main())
