"""Audits of functions: right mechanisms pass, planted bugs are found, and exceptions come out. A claim that holds is
called violated with probability 1e-6, and all seeds are fixed."""

import functools
import math
import threading
import time
import unittest
import warnings
from typing import Any, Callable

import lotor
import numpy as np
from support import PATIENCE, interrupt

Rng = np.random.Generator
TRIALS = 20_000


def whole_noise(rng: Rng, scale: float, shape: Any = None) -> Any:
    """Discrete Laplace noise."""
    p = 1 - math.exp(-1 / scale)
    return rng.geometric(p, shape) - rng.geometric(p, shape)


def laplace(x: float, rng: Rng) -> Any:
    return x + whole_noise(rng, 1)


def laplace_batch(x: float, rng: Rng, size: int) -> Any:
    return x + whole_noise(rng, 1, size)


def gaussian_batch(x: float, rng: Rng, size: int) -> Any:
    """Rounded. A shift of 0.9 deviations is (1, 0.093)-private; see tests/test_audit_mechanism.c."""
    return np.round(0.9 * x + rng.normal(size=(size, 1)), 3)


def response_batch(x: int, rng: Rng, size: int) -> Any:
    truth = rng.random((size, 3)) < math.exp(1 / 3) / (1 + math.exp(1 / 3))
    return np.where(truth, x, 1 - x)


def exponential_batch(x: int, rng: Rng, size: int) -> Any:
    scores = np.array([[3, 2, 2, 1, 0], [2, 3, 3, 1, 1]])[x]
    return np.argmax(scores / 2 + rng.gumbel(size=(size, 5)), axis=1)


def half_noise(x: float, rng: Rng, size: int) -> Any:
    return x + whole_noise(rng, 0.5, size)


def no_noise_in_one(x: float, rng: Rng, size: int) -> Any:
    made = 10 + x + rng.laplace(scale=5, size=(size, 5))
    made[:, 3] = 10.25 + x
    return made


def shared_noise(x: float, rng: Rng, size: int) -> Any:
    noise = rng.laplace(scale=100, size=size)
    return np.column_stack([x + noise, rng.laplace(scale=100, size=size), 3 + noise])


def opposite_noise(x: float, rng: Rng, size: int) -> Any:
    noise = rng.laplace(scale=100, size=size)
    return np.column_stack([x + noise, 3 - noise])


def seeded_by_the_data(x: int, rng: Rng, size: int) -> Any:
    return np.full(size, x + np.random.default_rng(x).laplace(scale=10))


def naive_floating_point(x: float, rng: Rng, size: int) -> Any:
    return x + rng.laplace(scale=10, size=size)


def not_a_number(x: float, rng: Rng, size: int) -> Any:
    return np.where(rng.random(size) < 0.02 * x, np.nan, 2.0)


def sparse_without_noise(x: float, rng: Rng, size: int) -> Any:
    """The sparse vector technique without noise on the queries (algorithm 5 in Lyu et al. 2017)."""
    threshold = 0.5 + rng.laplace(scale=2, size=(size, 1))
    return np.array([x, 1 - x]) >= threshold


RIGHT: list[tuple[Callable[..., Any], dict[str, Any], float]] = [
    (laplace_batch, {}, 0.75),
    (gaussian_batch, {"delta": 0.1}, 0.35),
    (response_batch, {}, 0.6),
    (exponential_batch, {}, 0.3),
]
BUGS: list[tuple[Callable[..., Any], float]] = [
    (half_noise, 1.0),
    (no_noise_in_one, 1.0),
    (shared_noise, 1.0),
    (opposite_noise, 1.0),
    (seeded_by_the_data, 1.0),
    (naive_floating_point, 0.1),
    (not_a_number, 0.5),
    (sparse_without_noise, 1.0),
]


class Mechanisms(unittest.TestCase):
    def test_right_ones_pass(self) -> None:
        for function, more, least in RIGHT:
            with self.subTest(function.__name__):
                found = lotor.audit(function, neighbours=(0, 1), batch=True, trials=TRIALS, seed=1, **more)
                self.assertFalse(found.violated, found)
                self.assertGreater(found.found, least)

    def test_bugs_are_found(self) -> None:
        for function, epsilon in BUGS:
            with self.subTest(function.__name__):
                found = lotor.audit(
                    function, neighbours=(0, 1), batch=True, epsilon=epsilon, trials=TRIALS, seed=1
                )
                self.assertTrue(found.violated, found)
                self.assertEqual(found.verdict, "violated")
                self.assertGreater(found.found, epsilon)

    def test_one_run_at_a_time(self) -> None:
        right = lotor.audit(laplace, neighbours=(0, 1), trials=TRIALS, seed=1)
        self.assertEqual(right.verdict, "no violation found")
        self.assertEqual((right.algorithm, right.view, right.trials), ("laplace", "outputs", TRIALS))
        self.assertIn("outputs of 1 number", right.setting)
        self.assertIn("other pairs of inputs", right.not_exercised)

    def test_outputs_of_any_length(self) -> None:
        def length(x: int, rng: Rng) -> Any:
            return rng.laplace(size=2 + x)

        found = lotor.audit(length, neighbours=(0, 1), trials=2000, seed=1)
        self.assertTrue(found.violated)
        self.assertEqual(found.setting, "outputs of 2 to 3 numbers")
        same = lotor.audit(length, neighbours=(0, 0), trials=2000, seed=1)
        self.assertEqual((same.violated, same.found), (False, 0))

    def test_any_input(self) -> None:
        def total(answers: Any, rng: Rng) -> Any:
            return sum(answers.values()) + whole_noise(rng, 0.25)

        found = lotor.audit(total, neighbours=({"ann": 1, "bob": 0}, {"ann": 1, "bob": 1}), trials=5000, seed=1)
        self.assertTrue(found.violated)

    def test_outputs_of_any_type(self) -> None:
        for made in (1, 1.5, True, np.float32(2), [1, 2], (), np.zeros((2, 3)), np.array([True]), math.inf, math.nan):
            with self.subTest(made):
                found = lotor.audit(lambda x, rng, made=made: made, neighbours=(0, 1), trials=1000)
                self.assertIn(found.verdict, ("nothing could be seen", "too little was seen"))

    def test_the_same_seed_gives_the_same_numbers(self) -> None:
        def play(**more: Any) -> Any:
            found = lotor.audit(laplace, neighbours=(0, 1), trials=5000, **more)
            return found.found, found.event

        first = play(seed=7)
        self.assertEqual(play(seed=7), first)
        self.assertEqual(play(seed=7, threads=3), first)
        self.assertEqual(play(seed=7, progress=lambda share: None), first)
        self.assertNotEqual(play(seed=8), first)
        self.assertNotEqual(play(), play())

    def test_functions_of_one_argument(self) -> None:
        own = np.random.default_rng(1)
        calls: list[tuple[Any, ...]] = []

        def alone(x: int) -> Any:
            return x + whole_noise(own, 0.5)

        def with_option(x: int, scale: float = 0.5) -> Any:
            return x + whole_noise(own, scale)

        def with_default(x: int, rng: Any = None) -> Any:
            return x + whole_noise(rng, 0.5)

        def with_many(*arguments: Any) -> Any:
            calls.append(arguments)
            return 0.0

        for function in (alone, with_option, with_default, functools.partial(with_option, scale=0.25)):
            self.assertTrue(lotor.audit(function, neighbours=(0, 1), trials=5000, seed=1).violated)
        lotor.audit(with_many, neighbours=(0, 1), trials=1000)
        self.assertEqual(len(calls), 1512)  # with 512 runs of the probe
        self.assertTrue(all(len(each) == 2 for each in calls))

    def test_called_in_this_thread(self) -> None:
        threads = set()

        def note(x: int, rng: Rng) -> float:
            threads.add(threading.current_thread())
            return 0.0

        lotor.audit(note, neighbours=(0, 1), trials=1000)
        self.assertEqual(threads, {threading.current_thread()})

    def test_exceptions_come_out(self) -> None:
        def fail(x: int, rng: Rng) -> float:
            if rng.random() < 0.001:
                raise KeyError("mine")
            return 0.0

        for more in ({}, {"threads": 3}, {"progress": lambda share: None}):
            with self.assertRaisesRegex(KeyError, "mine"):
                lotor.audit(fail, neighbours=(0, 1), seed=1, **more)  # type: ignore[arg-type]

    def test_progress_stops(self) -> None:
        with self.assertRaises(lotor.StoppedError):
            lotor.audit(laplace, neighbours=(0, 1), trials=10**9, progress=lambda share: True)

    def test_ctrl_c(self) -> None:
        timer = threading.Timer(0.5, interrupt)
        start = time.monotonic()
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                lotor.audit(laplace, neighbours=(0, 1), trials=10**9)
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - start, 10 * PATIENCE)

    def check_refused(self, error: type[Exception], words: str, function: Any, **more: Any) -> None:
        with self.assertRaisesRegex(error, words):
            lotor.audit(function, **{"neighbours": (0, 1), "trials": 1000, **more})

    def test_refusals(self) -> None:
        self.check_refused(TypeError, r"give neighbours=\(x, y\)", laplace, neighbours=None)
        self.check_refused(TypeError, "neighbours must be two inputs", laplace, neighbours=(1, 2, 3))
        self.check_refused(TypeError, "neighbours must be two inputs", laplace, neighbours=5)
        self.check_refused(TypeError, "not 7", 7, neighbours=None)
        self.check_refused(TypeError, "returned None", lambda x, rng: None)
        self.check_refused(TypeError, "returned 'a'", lambda x, rng: "a")
        self.check_refused(TypeError, "returned 1j", lambda x, rng: 1j)
        self.check_refused(ValueError, "has 257 numbers: at most 256", lambda x, rng: np.zeros(257))
        self.check_refused(
            ValueError, r"has 257 numbers", lambda x, rng, size: np.zeros((size, 257)), batch=True
        )
        self.check_refused(
            ValueError, r"shape \(3,\) for size=256: .* \(256, d\)", lambda x, rng, size: np.zeros(3), batch=True
        )
        self.check_refused(
            lotor.InvalidError,
            "gave the same 200 outputs twice",
            lambda x, rng, size: x + np.random.default_rng(1).laplace(size=size),
            batch=True,
        )
        self.check_refused(TypeError, "positional argument", lambda x, rng: 0.0, batch=True)
        self.check_refused(lotor.InvalidError, "give at least 1000", laplace, trials=999)
        self.check_refused(lotor.InvalidError, "epsilon must be above 0", laplace, epsilon=0)
        self.check_refused(lotor.InvalidError, "delta must be below 1", laplace, delta=1)
        self.check_refused(lotor.InvalidError, "confidence", laplace, confidence=2)

    def test_unused_options_warn(self) -> None:
        for more in ({"horizon": 5}, {"view": "board"}, {"noise_scale": 0.5}):
            with self.assertWarns(lotor.UnusedOptionWarning):
                lotor.audit(laplace, neighbours=(0, 1), trials=1000, **more)  # type: ignore[arg-type]
        with self.assertWarns(lotor.UnusedOptionWarning):
            lotor.audit("dp-ucb", neighbours=(0, 1), trials=1000)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lotor.audit(laplace, neighbours=(0, 1), trials=1000)


if __name__ == "__main__":
    unittest.main()
