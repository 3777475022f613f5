"""Simulations and audits: numbers, and how they are stopped."""

import json
import pickle
import subprocess
import threading
import time
import unittest

import lotor
import numpy as np
from support import COMMAND, PATIENCE, interrupt


class Simulations(unittest.TestCase):
    def test_arrays(self) -> None:
        played = lotor.simulate("dp-se", instance="c2", horizon=1e5, epsilon=0.5, runs=4)
        self.assertEqual(played.rounds.dtype, np.int64)
        self.assertEqual(played.rounds[-1], 10**5)
        self.assertTrue((np.diff(played.rounds) > 0).all())
        self.assertEqual(played.regret.shape, played.rounds.shape)
        self.assertEqual(played.standard_error.shape, played.rounds.shape)
        self.assertTrue((np.diff(played.regret) >= 0).all())
        self.assertEqual((played.runs, played.horizon, played.arms), (4, 10**5, 5))
        self.assertEqual(played.guarantee.noise, "simulation")
        self.assertEqual(played.guarantee.epsilon, 0.5)
        self.assertAlmostEqual(played.best_per_round - played.per_round, played.regret[-1] / 1e5)

    def test_the_same_numbers_as_the_command(self) -> None:
        line = "run dp-ucb --instance c2 --arms 5 --horizon 1e4 --epsilon 0.5 --runs 3 --seed 7 --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)
        ours = lotor.simulate("dp-ucb", instance="c2", horizon=1e4, epsilon=0.5, runs=3, seed=7)
        self.assertEqual(ours.rounds.tolist(), [point["t"] for point in theirs["checkpoints"]])
        self.assertTrue(np.allclose(ours.regret, [point["mean"] for point in theirs["checkpoints"]]))
        self.assertAlmostEqual(ours.standard_error[-1], theirs["regret"]["stderr"])
        self.assertAlmostEqual(ours.per_round, theirs["return_per_round"]["mean"])
        self.assertAlmostEqual(ours.per_round_error, theirs["return_per_round"]["stderr"])
        self.assertAlmostEqual(ours.lower_bound, theirs["lower_bound"]["per_log_t"])
        assert ours.favourite is not None
        self.assertEqual(ours.favourite.tolist(), theirs["most_shown"]["arms"])

    def test_seed_and_threads(self) -> None:
        def run(**more: object) -> list[float]:
            return lotor.simulate("dp-ucb", means=[0.7, 0.5], horizon=2000, epsilon=1, **more).regret.tolist()

        self.assertEqual(run(seed=3), run(seed=3, threads=1))
        self.assertNotEqual(run(seed=3), run(seed=4))

    def test_problems(self) -> None:
        for algorithm, world in (
            ("omm", {"means": [0.9, 0.8, 0.1, 0.2], "structure": lotor.Partition([0, 0, 1, 1], [1, 1])}),
            ("cucb-dp-lazy", {"instance": "grid:3x3", "epsilon": 1}),
            ("cascade-ucb", {"means": [0.2, 0.2, 0.05, 0.05], "slots": 2}),
            ("rr-klucb", {"means": [0.2, 0.2, 0.05], "slots": 2, "cascade": True, "epsilon": 1}),
            ("jdp-batch", {"arms": 5, "dimension": 3, "epsilon": 1}),
            ("linucb", {"dimension": 2, "gap": 0.1}),
            ("ucb", {"means": [0.3, 0.6], "rewards": "beta", "concentration": 2}),
        ):
            with self.subTest(algorithm=algorithm):
                played = lotor.simulate(algorithm, horizon=500, runs=2, **world)
                self.assertTrue(np.isfinite(played.regret).all())

    def test_refused(self) -> None:
        for arguments, words in (
            ({}, "means"),
            ({"means": [0.5, 1.5]}, "1.5"),
            ({"means": [0.5, 0.6], "arms": 3}, "arms"),
            ({"instance": "c9"}, "c9"),
            ({"means": [0.5, 0.6], "noise_scale": 0}, "noise_scale"),
            ({"means": [0.5, 0.6], "runs": 0}, "runs"),
            ({"means": [0.5, 0.6], "rewards": "gamma"}, "gamma"),
        ):
            with self.subTest(arguments=arguments), self.assertRaises(lotor.Error) as caught:
                lotor.simulate("ucb", horizon=100, **arguments)
            self.assertIn(words, str(caught.exception))

    def test_pickles(self) -> None:
        played = lotor.simulate("ucb", means=[0.7, 0.5], horizon=100, runs=2)
        again = pickle.loads(pickle.dumps(played))
        self.assertEqual(again.regret.tolist(), played.regret.tolist())
        self.assertEqual(str(again.guarantee), str(played.guarantee))


LONG = {"arms": 20, "dimension": 8, "horizon": 1e6, "runs": 50}  # many minutes


class Stopped(unittest.TestCase):
    def test_progress(self) -> None:
        shares: list[float] = []

        def watch(share: float) -> bool:
            shares.append(share)
            return False

        lotor.simulate("linucb", arms=20, dimension=5, horizon=20_000, runs=4, progress=watch)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(shares and 0 <= shares[0] and shares[-1] <= 1)

    def test_stop_before_a_run_is_complete(self) -> None:
        with self.assertRaises(lotor.StoppedError):
            lotor.simulate("linucb", progress=lambda share: True, **LONG)

    def test_an_exception_passes(self) -> None:
        def fail(share: float) -> None:
            raise KeyError(share)

        with self.assertRaises(KeyError):
            lotor.simulate("linucb", progress=fail, **LONG)
        with self.assertRaises(KeyError):
            lotor.audit("jdp-linucb", trials=10**8, progress=fail)

    def check_interrupt(self, call: object) -> None:
        timer = threading.Timer(0.5, interrupt)
        start = time.monotonic()
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                call()  # type: ignore[operator]
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - start, 10 * PATIENCE)

    def test_ctrl_c(self) -> None:
        self.check_interrupt(lambda: lotor.simulate("linucb", **LONG))
        self.check_interrupt(lambda: lotor.audit("jdp-linucb", trials=10**8))


class Audits(unittest.TestCase):
    def test_leaks_are_found(self) -> None:
        found = lotor.audit("cascade-ldp-gauss", epsilon=0.2, trials=20_000, seed=1)
        self.assertTrue(found.violated)
        self.assertGreater(found.found, 0.2)
        self.assertEqual((found.epsilon, found.trials, found.view), (0.2, 20_000, "reports"))
        self.assertIn("click", found.event)
        self.assertIn("cascade-ldp-gauss", str(found))

    def test_honest_noise_passes_and_a_quarter_of_it_does_not(self) -> None:
        honest = lotor.audit("dp-ucb", epsilon=1, trials=20_000, seed=1)
        self.assertFalse(honest.violated)
        self.assertLessEqual(honest.found, 1)
        little = lotor.audit("dp-ucb", epsilon=1, trials=20_000, seed=1, noise_scale=0.25)
        self.assertTrue(little.violated)
        self.assertGreater(little.found, 1)

    def test_refused(self) -> None:
        for arguments in ({"view": "mind"}, {"epsilon": 0}, {"confidence": 2.0}, {"noise_scale": 0}):
            with self.subTest(arguments=arguments), self.assertRaises(lotor.InvalidError):
                lotor.audit("dp-se", **arguments)
        with self.assertRaises(lotor.UnknownError):
            lotor.audit("dp-see")


class Catalog(unittest.TestCase):
    def test_the_same_rows_as_the_command(self) -> None:
        printed = subprocess.run(
            [COMMAND, "algorithms"], check=True, capture_output=True, text=True, timeout=60 * PATIENCE
        ).stdout.split()
        rows = lotor.algorithms()
        self.assertGreater(len(rows), 30)
        for row in rows:
            self.assertIn(row.id, printed)
            self.assertEqual(lotor.algorithm(row.id), row)
            if row.private:
                self.assertIsNone(row.not_private)
                self.assertNotEqual(row.model, "none")
            elif row.model != "none":
                self.assertTrue(row.not_private)
        self.assertEqual(len({row.id for row in rows}), len(rows))
        leaks = lotor.algorithm("cascade-dp")
        self.assertFalse(leaks.private)
        self.assertIn("noise", str(leaks.not_private))
        with self.assertRaises(lotor.UnknownError):
            lotor.algorithm("nothing")


if __name__ == "__main__":
    unittest.main()
