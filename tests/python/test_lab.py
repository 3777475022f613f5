"""Simulations and audits: numbers, and how they are stopped."""

import inspect
import io
import json
import math
import pickle
import subprocess
import tempfile
import threading
import time
import unittest
from dataclasses import fields
from fractions import Fraction
from functools import partial
from unittest import mock

import lotor
import numpy as np
from lotor import _native
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
        self.assertEqual(ours.lower_bound_theorem, theirs["lower_bound"]["theorem"])
        self.assertAlmostEqual(ours.classical_bound, theirs["classical_bound"]["per_log_t"])
        self.assertEqual(ours.classical_bound_theorem, theirs["classical_bound"]["theorem"])
        self.assertGreater(ours.lower_bound, ours.classical_bound)
        assert ours.favourite is not None
        self.assertEqual(ours.favourite.tolist(), theirs["most_shown"]["arms"])

    def test_single_runs_as_in_the_command(self) -> None:
        line = "run lik-imed --means 0.6,0.5,0.3 --horizon 2e4 --epsilon 0.5 --runs 200 --seed 3 --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)["regret_of_runs"]
        ours = lotor.simulate("lik-imed", means=[0.6, 0.5, 0.3], horizon=2e4, epsilon=0.5, runs=200, seed=3)
        self.assertAlmostEqual(ours.regret_median, theirs["median"])
        self.assertAlmostEqual(ours.regret_99, theirs["q99"])
        self.assertAlmostEqual(ours.regret_largest, theirs["largest"])
        self.assertLess(ours.regret_median, ours.regret_99)
        self.assertLess(ours.regret_99, ours.regret_largest)

    def test_what_was_played(self) -> None:
        """The settings in the result are those that the library chose, and the rest is as in the command."""
        line = "run cucb-dp2 --instance grid:3x3 --oracle shortest-path --horizon 2e3 --epsilon 0.1 --runs 2 --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)
        ours = lotor.simulate("cucb-dp2", instance="grid:3x3", horizon=2e3, epsilon=0.1, runs=2)
        self.assertEqual((ours.epsilon, ours.delta), (Fraction(1, 10), 0))
        self.assertEqual(theirs["settings"]["delta"], 0)
        self.assertEqual(ours.slots, theirs["settings"]["slots"])
        self.assertEqual(ours.feedback, theirs["settings"]["feedback"])
        self.assertEqual(ours.best_share, theirs["regret_against"]["share_of_optimum"])
        self.assertEqual(ours.best_is_bound, theirs["regret_against"]["is_bound"])
        self.assertEqual((ours.favourite_rounds, ours.last_rounds), (theirs["most_shown"]["rounds"], 200))
        self.assertAlmostEqual(ours.favourite_value, theirs["most_shown"]["value"])
        self.assertIsNone(ours.favourite_seeds)
        self.assertGreater(ours.rounds_per_second, 0)
        self.assertEqual((ours.indefinite_rounds, ours.late_release), (0, 0))

        without = lotor.simulate("ucb", means=[0.6, 0.5], horizon=50)
        self.assertIsNone(without.epsilon)
        self.assertEqual(lotor.simulate("lik-imed", means=[0.6, 0.5], epsilon="inf", horizon=10).epsilon, math.inf)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as graph:
            graph.write("0 3 0.9\n0 4 0.9\n1 3 0.1\n2 4 0.1\n")
            graph.flush()
            covered = lotor.simulate("cucb", instance=f"coverage:{graph.name}", horizon=2000)
        assert covered.favourite_seeds is not None
        self.assertEqual(covered.favourite_seeds.tolist(), [0])
        late = lotor.simulate("jdp-bayes", arms=5, dimension=3, epsilon=0.001, horizon=50)
        self.assertGreater(late.late_release, 50)
        self.assertIsNone(late.favourite)

    def test_every_field_is_shown(self) -> None:
        """Every field of lotor_simulate_params is an argument, and every field of lotor_simulate_result an attribute."""
        renamed = {
            "points": "rounds",  # and regret, standard_error
            "point_count": "rounds",
            "regret_error": "standard_error",
            "round_error": "per_round_error",
            "favourite_count": "favourite",
            "favourite_seed_count": "favourite_seeds",
            "regrets": "curves",
        }
        shown = {each.name for each in fields(lotor.Simulation)}
        for name, *_ in _native.SimulateResult._fields_:
            self.assertIn(renamed.get(name, name), shown)

        takes = set(inspect.signature(lotor.simulate).parameters)
        renamed = {"has_gap": "gap", "has_expiry": "expiry", "progress_context": "progress", "checkpoints_at": "checkpoints"}
        renamed["own_world"] = "world"
        for name, *_ in _native.SimulateParams._fields_:
            if name != "policy":
                self.assertIn(renamed.get(name, name), takes)
        # `structure` has all of these; the world of a simulation decides the others.
        of_structure = {"group", "capacity", "groups", "from", "to", "vertices", "source", "sink", "seeds", "vectors"}
        of_structure |= {"independent", "context", "rank", "pick", "value", "alpha", "oracle_beta"}
        of_structure |= {"catalog"}  # an own rule is an algorithm
        of_structure |= {"half_life_in_seconds"}  # in Python a half-life is a number of rounds
        of_world = {"low", "high", "default_reward", "first", "context_length", "theta_length"}
        for name, *_ in _native.PolicyParams._fields_:
            if name not in of_structure | of_world:
                self.assertIn(name, takes)
        policy = set(inspect.signature(lotor.Policy).parameters)
        for name, *_ in _native.PolicyParams._fields_:
            if name not in of_structure:
                self.assertIn(name, policy)

    def test_exact_rounds(self) -> None:
        """Without shortcuts every round is drawn, so the numbers are others, of the same law."""
        fast = lotor.simulate("lik-imed", means=[0.7, 0.3], horizon=2000, epsilon=1, runs=100)
        exact = lotor.simulate("lik-imed", means=[0.7, 0.3], horizon=2000, epsilon=1, runs=100, exact_rounds=True)
        self.assertNotEqual(fast.regret.tolist(), exact.regret.tolist())
        apart = math.hypot(fast.standard_error[-1], exact.standard_error[-1])
        self.assertLess(abs(fast.regret[-1] - exact.regret[-1]), 5 * apart)

    def test_options_of_imed(self) -> None:
        """Each option gives the numbers of the command, and other numbers than without it."""
        line = "run lik-imed --instance c2 --horizon 1e4 --epsilon 1 --runs 3 --seed 7 --json"
        setting = {"instance": "c2", "horizon": 1e4, "epsilon": 1, "runs": 3, "seed": 7}
        plain = lotor.simulate("lik-imed", **setting).regret[-1]
        for options, arguments in (
            ("--caution 1", {"caution": 1}),
            ("--window 1000", {"window": 1000}),
            ("--half-life 500", {"half_life": 500}),
            ("--alarm --caution 8", {"alarm": True, "caution": 8}),
            ("--variance 0.25", {"variance": 0.25}),
            ("--slots 2 --lag 3", {"slots": 2, "lag": 3}),
        ):
            with self.subTest(options=options):
                ask = [COMMAND, *line.split(), *options.split()]
                printed = subprocess.run(ask, check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
                ours = lotor.simulate("lik-imed", **setting, **arguments).regret[-1]
                self.assertAlmostEqual(ours, json.loads(printed.stdout)["regret"]["mean"])
                self.assertNotEqual(ours, plain)
        with self.assertWarnsRegex(lotor.UnusedOptionWarning, "window"):
            lotor.simulate("rr-imed", **setting, window=1000)
        with self.assertWarnsRegex(lotor.UnusedOptionWarning, "half_life"):
            lotor.simulate("batch-klucb", **setting, half_life=1000)
        with self.assertRaisesRegex(lotor.InvalidError, "caution"):
            lotor.simulate("lik-imed", **setting, caution=0)

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
            ("jdp-bayes", {"arms": 5, "dimension": 3, "epsilon": 1}),
            ("linucb", {"dimension": 2, "gap": 0.1}),
            ("ucb", {"means": [0.3, 0.6], "rewards": "beta", "concentration": 2}),
        ):
            with self.subTest(algorithm=algorithm):
                played = lotor.simulate(algorithm, horizon=500, runs=2, **world)
                self.assertTrue(np.isfinite(played.regret).all())

    def test_delay_and_change_as_in_the_command(self) -> None:
        line = "run batch-klucb --instance c2 --horizon 1e4 --runs 3 --delay 500 --world swaps:4 --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)
        for delay in (500, "500"):
            ours = lotor.simulate("batch-klucb", instance="c2", horizon=1e4, runs=3, delay=delay, world="swaps:4")
            self.assertEqual(ours.regret.tolist(), [point["mean"] for point in theirs["checkpoints"]])
            self.assertTrue(np.isnan(ours.lower_bound))

    def test_expiry_as_in_the_command(self) -> None:
        line = "run lik-imed --instance c2 --horizon 1e4 --runs 3 --delay pareto:10:2 --expiry 9 --missing 0.2 --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)
        ours = lotor.simulate("lik-imed", instance="c2", horizon=1e4, runs=3, delay="pareto:10:2", expiry=9, missing=0.2)
        self.assertEqual(ours.regret.tolist(), [point["mean"] for point in theirs["checkpoints"]])
        self.assertAlmostEqual(ours.lost_share, 0.4)  # 0.2, and a quarter of the other 0.8

    def test_arms_that_come_and_go(self) -> None:
        played = lotor.simulate("ucb", means=[0.2, 0.5, 0.8], schedule="11:-0,11:+1,31:-1,31:+2", horizon=100, runs=2)
        self.assertAlmostEqual(played.regret[-1], 0)
        self.assertEqual(played.shown.tolist(), [[10, 20, 70]] * 2)

    def test_clipped_rewards(self) -> None:
        played = lotor.simulate("ucb", means=[0.9, 1], rewards="pareto:2", horizon=2, runs=2)
        self.assertAlmostEqual(played.best_per_round, 0.75)  # of shape 2, the mean m becomes m - m^2/4
        self.assertAlmostEqual(played.regret[-1], 0.75 - 0.6975)
        self.assertAlmostEqual(played.clipped_share, 0.25)
        self.assertEqual(lotor.simulate("ucb", means=[0.9, 1], horizon=2, runs=2).clipped_share, 0)

    def test_means_that_never_change_have_a_lower_bound(self) -> None:
        plain = lotor.simulate("lik-imed", means=[0.5, 0.6], horizon=100, epsilon=1)
        steps = lotor.simulate("lik-imed", means=[0.5, 0.6], horizon=100, epsilon=1, world="steps:51=0.9,0.1")
        self.assertAlmostEqual(steps.best_per_round, 0.75)
        for world in ("fixed", "swaps:1"):
            ours = lotor.simulate("lik-imed", means=[0.5, 0.6], horizon=100, epsilon=1, world=world)
            self.assertEqual(ours.regret.tolist(), plain.regret.tolist())
            self.assertEqual(ours.lower_bound, plain.lower_bound)

    def test_refused(self) -> None:
        for arguments, words in (
            ({"means": [0.5, 0.6], "delay": "soon"}, "soon"),
            ({"means": [0.5, 0.6], "delay": -1}, "delay"),
            ({"means": [0.5, 0.6], "world": "upside-down"}, "upside-down"),
            ({}, "means"),
            ({"means": [0.5, 1.5]}, "1.5"),
            ({"means": [0.5, 0.6], "arms": 3}, "arms"),
            ({"means": []}, "means is empty"),
            ({"means": [0.5, 0.6], "delay": "uniform:5-3"}, "A at most B"),
            ({"instance": "c9"}, "c9"),
            ({"means": [0.5, 0.6], "noise_scale": 0}, "noise_scale"),
            ({"means": [0.5, 0.6], "runs": 0}, "runs"),
            ({"means": [0.5, 0.6], "rewards": "gamma"}, "gamma"),
            ({"means": [0.5, 0.6], "rewards": "gaussian:2"}, "standard deviation"),
            ({"means": [0.5, 0.6], "missing": 0.1}, "expiry"),
            ({"means": [0.5, 0.6], "schedule": "9:+2"}, "there is no arm 2"),
            ({"means": [0.5, 0.6], "expiry": -1}, "expiry"),
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
    def test_progress_is_a_function(self) -> None:
        for call in (
            partial(lotor.simulate, "ucb", means=[0.5, 0.4], horizon=10),
            partial(lotor.audit, "dp-se", trials=1000),
            partial(lotor.audit, len, neighbours=([], [1])),
            partial(lotor.couple, "dp-se", traces=1),
        ):
            for wrong in (True, 3):
                if wrong is True and call.func is lotor.simulate:  # it draws a bar, as compare does
                    continue
                words = f"progress must be a function that takes the finished share, such as print, not {wrong}: leave it out"
                with self.subTest(call=call.func.__name__), self.assertRaisesRegex(TypeError, words):
                    call(progress=wrong)  # type: ignore[operator]

    def test_progress(self) -> None:
        shares: list[float] = []

        def watch(share: float) -> bool:
            shares.append(share)
            return False

        lotor.simulate("linucb", arms=20, dimension=5, horizon=20_000, runs=4, progress=watch)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(shares and 0 <= shares[0] and shares[-1] <= 1)

    def test_bar(self) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        def drawn(stream: io.StringIO, after: float, progress: bool | None) -> str:
            with mock.patch("sys.stderr", stream), mock.patch("lotor.simulation._BAR_AFTER", after):
                lotor.simulate("linucb", arms=20, dimension=5, horizon=5_000, runs=4, progress=progress)
            return stream.getvalue()

        for progress in (None, True):
            text = drawn(Terminal(), 0, progress)
            self.assertIn("linucb, 5,000 rounds, 4 runs", text)
            self.assertTrue(text.endswith("\r"))  # nothing of it stays
        self.assertEqual(drawn(Terminal(), 0, False), "")
        self.assertEqual(drawn(Terminal(), 100, None), "")  # a short simulation
        self.assertEqual(drawn(io.StringIO(), 0, True), "")  # a file

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
        self.assertIn("4 open rounds", honest.exercised)
        self.assertIn("more than", honest.not_exercised)
        little = lotor.audit("dp-ucb", epsilon=1, trials=20_000, seed=1, noise_scale=0.25)
        self.assertTrue(little.violated)
        self.assertGreater(little.found, 1)

    def test_refused(self) -> None:
        for arguments in ({"view": "mind"}, {"epsilon": 0}, {"confidence": 2.0}, {"noise_scale": 0}):
            with self.subTest(arguments=arguments), self.assertRaises(lotor.InvalidError):
                lotor.audit("dp-se", **arguments)
        with self.assertRaises(lotor.UnknownError):
            lotor.audit("dp-see")


class Coupled(unittest.TestCase):
    def test_proofs_hold_and_less_noise_is_noticed(self) -> None:
        honest = lotor.couple("batch-klucb", traces=200)
        self.assertEqual((honest.violated, honest.claimed, honest.traces), (False, True, 200))
        self.assertAlmostEqual(honest.worst, 1.0, places=3)
        self.assertEqual(honest.violation, "")
        self.assertIn("holds", str(honest))
        less = lotor.couple("batch-klucb", traces=200, noise_scale=0.9)
        self.assertTrue(less.violated)
        self.assertAlmostEqual(less.worst, 1 / 0.9, places=3)
        self.assertIn("violated", str(less))

    def test_leaks_and_tables(self) -> None:
        leak = lotor.couple("ucb", traces=50, seed=3)
        self.assertEqual((leak.violated, leak.claimed), (True, False))
        self.assertTrue(leak.setting)
        self.assertTrue(lotor.couple("rr-imed").table)

    def test_refused(self) -> None:
        with self.assertRaises(lotor.UnknownError):
            lotor.couple("lik-imd")
        with self.assertRaises(lotor.InvalidError):
            lotor.couple("lik-imed", traces=0)


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
