"""Own algorithms: they play like those of the library, see released numbers alone, and fail in the open."""

import copy
import ctypes
import gc
import pickle
import subprocess
import tempfile
import threading
import time
import unittest
from typing import Any
import weakref
from pathlib import Path
from types import SimpleNamespace

import lotor
import numpy as np
from support import PATIENCE, ROOT, interrupt

MEANS = [0.7, 0.5, 0.3, 0.5]


def ucb(t: int, board: lotor.Board) -> np.ndarray:
    """AdaP-UCB of Azize and Basu 2022."""
    sure = 3.1 * np.log(t)
    return board.means + np.sqrt(0.5 * sure / board.counts) + sure / (board.epsilon * board.counts)


UCB = lotor.IndexRule("my-ucb", statistic="episodes", index=ucb)


def best(t: int, board: lotor.Board) -> np.ndarray:
    return np.argsort(-np.where(board.batches > 0, board.means, np.inf), kind="stable")[: board.slots]


class Play(unittest.TestCase):
    def test_like_the_library(self) -> None:
        """The same formula and the same seed give the same curve."""
        for more in ({}, {"slots": 2}, {"slots": 2, "cascade": True}):
            asked = {"means": MEANS, "horizon": 3000, "epsilon": 2, "runs": 5, "seed": 3, **more}
            theirs, ours = lotor.simulate("adap-ucb", **asked), lotor.simulate(UCB, **asked)
            np.testing.assert_array_equal(ours.curves, theirs.curves)
        self.assertEqual(ours.algorithm, "my-ucb")
        self.assertEqual(ours.guarantee.epsilon, 2)

    def test_threads(self) -> None:
        asked = {"means": MEANS, "horizon": 2000, "epsilon": 1, "runs": 6}
        one, three = (lotor.simulate(UCB, threads=threads, **asked) for threads in (1, 3))
        np.testing.assert_array_equal(one.curves, three.curves)

    def test_shortcuts(self) -> None:
        """Rewards that are always 0 or 1 are the same with and without shortcuts."""
        for statistic in ("growing", "episodes", "doubling", "tree", "reports"):
            for each in (False, True):
                rule = lotor.IndexRule("own", statistic, index=ucb, asks_every_round=each)
                fast, slow = (
                    lotor.simulate(rule, means=[0, 1, 0], horizon=400, epsilon=1, runs=2, exact_rounds=exact)
                    for exact in (False, True)
                )
                np.testing.assert_array_equal(fast.curves, slow.curves, statistic)

    def test_asked_when_released(self) -> None:
        asked = []

        def index(t: int, board: lotor.Board) -> np.ndarray:
            asked.append((t, int(board.batches.sum())))
            return ucb(t, board)

        lotor.simulate(lotor.IndexRule("own", index=index), means=MEANS, horizon=10_000, epsilon=1, runs=1)
        self.assertLess(len(asked), 150)
        releases = [released for _, released in asked]
        self.assertEqual(releases, list(range(len(asked))))  # once before the first release, and once after each
        del asked[:]
        each = lotor.IndexRule("own", index=index, asks_every_round=True)
        lotor.simulate(each, means=MEANS, horizon=500, epsilon=1, runs=1)
        self.assertEqual([t for t, _ in asked], list(range(1, 501)))

    def test_choose(self) -> None:
        rule = lotor.IndexRule("greedy", choose=best)
        played = lotor.simulate(rule, means=MEANS, horizon=2000, epsilon=1, slots=2)
        self.assertLess(played.regret[-1], 600)  # at random it would be 800
        policy = lotor.Policy(rule, arms=4, slots=2, epsilon=1)
        self.assertEqual(policy.choose().arms.tolist(), [0, 1])
        with self.assertRaisesRegex(lotor.InvalidError, "leave the structure out"):
            lotor.Policy(rule, structure=lotor.Partition([0, 1], [1, 1]), epsilon=1)
        with self.assertRaisesRegex(lotor.InvalidError, r"what choose of own returned has shape \(3,\), expected \(1\)"):
            lotor.Policy(lotor.IndexRule("own", choose=lambda t, board: [0, 1, 2]), arms=4, epsilon=1).choose()
        with self.assertRaisesRegex(lotor.InvalidError, "in round 1 its choose function picked arm 9 in place 0"):
            lotor.Policy(lotor.IndexRule("own", choose=lambda t, board: 9), arms=4, epsilon=1).choose()

    def test_structures(self) -> None:
        path = lotor.Path([(0, 1), (0, 2), (1, 3), (2, 3)], 0, 3)
        policy = lotor.Policy(UCB, structure=path, epsilon=1)
        for _ in range(50):
            decision = policy.choose()
            self.assertIn(sorted(decision.arms.tolist()), [[0, 2], [1, 3]])
            policy.learn(decision, 0.5)

    def test_save_and_load(self) -> None:
        for statistic, more in (("growing", {}), ("doubling", {}), ("tree", {"horizon": 1000})):
            rule = lotor.IndexRule("own", statistic, index=ucb)
            policy = lotor.Policy(rule, arms=4, epsilon=1, **more)
            for _ in range(40):
                policy.learn(policy.choose(), 0.25)
            saved = policy.save()
            with self.assertRaisesRegex(lotor.DamagedError, 'plays "own", which this library does not have'):
                lotor.Policy.load(saved)
            with self.assertRaisesRegex(lotor.DamagedError, "if it is your own algorithm, give that algorithm, too"):
                lotor.Policy.load(saved)
            with self.assertRaisesRegex(lotor.DamagedError, 'with function "index", but the algorithm .* has choose'):
                lotor.Policy.load(saved, rule=lotor.IndexRule("own", statistic, choose=best))
            with self.assertRaisesRegex(lotor.DamagedError, "with statistic"):
                lotor.Policy.load(saved, rule=lotor.IndexRule("own", "episodes", index=ucb))
            loaded = lotor.Policy.load(saved, rule=rule)
            self.assertEqual(loaded.choose().arm, policy.choose().arm)

    def test_lab(self) -> None:
        self.assertFalse(lotor.couple(UCB, traces=60).violated)
        self.assertTrue(lotor.couple(UCB, traces=60, noise_scale=0.5).violated)
        audited = lotor.audit(UCB, epsilon=1, trials=10_000, seed=1)
        self.assertFalse(audited.violated)
        self.assertEqual(audited.algorithm, "my-ucb")
        self.assertTrue(lotor.audit(UCB, epsilon=1, trials=10_000, seed=1, noise_scale=0.5).violated)


class Guarantee(unittest.TestCase):
    def test_derived(self) -> None:
        self.assertTrue(UCB.info.private)
        self.assertEqual((UCB.info.model, UCB.info.problem), ("central", "any"))
        self.assertEqual(lotor.IndexRule("own", "bits", index=ucb).info.model, "local")
        exact = lotor.IndexRule("own", "exact", index=ucb)
        self.assertFalse(exact.info.private)
        guarantee = lotor.Policy(exact, arms=3, epsilon=1).guarantee
        self.assertFalse(guarantee.private)
        self.assertIn("it adds no noise", str(guarantee))
        leak = lotor.IndexRule("own", "reports", problem="cascade", index=ucb)
        self.assertIn("how many positions of a list were looked at", leak.info.not_private)

    def test_every_statistic_is_there(self) -> None:
        self.assertEqual(len(lotor.statistics()), 14)
        for statistic in lotor.statistics():
            self.assertEqual(lotor.IndexRule("own", statistic, index=ucb).info.private, statistic != "exact")

    def test_ids_of_the_library(self) -> None:
        with self.assertRaisesRegex(lotor.InvalidError, "dp-se is the id of another algorithm"):
            lotor.IndexRule("dp-se", index=ucb)
        self.assertNotIn("my-ucb", {each.id for each in lotor.algorithms()})


class Boards(unittest.TestCase):
    def test_a_board_can_be_kept_but_not_changed(self) -> None:
        kept: list[tuple[lotor.Board, list[float]]] = []

        def keeps(t: int, board: lotor.Board) -> Any:
            kept.append((board, board.sums.tolist()))
            with self.assertRaises(ValueError):
                board.sums[0] = 1.0
            with self.assertRaises(ValueError):
                board.sums.flags.writeable = True
            with self.assertRaisesRegex(AttributeError, "a board can't be changed"):
                board.counts = np.maximum(board.counts, 1)  # type: ignore[misc]
            return board.means

        rule = lotor.IndexRule("keeps", statistic="growing", index=keeps)
        lotor.simulate(rule, means=[0.7, 0.5], horizon=2000, epsilon=1, runs=3, seed=1)
        self.assertGreater(len(kept), 10)
        for board, sums in kept:
            self.assertEqual(board.sums.tolist(), sums)

    def test_the_guarantee_says_what_it_assumes_of_the_function(self) -> None:
        for statistic in ("growing", "bits"):
            rule = lotor.IndexRule("own", statistic=statistic, index=lambda t, board: board.means)
            assumed = lotor.Policy(rule, arms=2, epsilon=1).guarantee.assumes
            self.assertIn("the own function reads only the board that it is given", assumed)
        self.assertNotIn("own function", lotor.Policy("lik-imed", arms=2, epsilon=1).guarantee.assumes)

    def test_numbers(self) -> None:
        """By hand, with a noise that is too small to be seen."""
        seen = []

        def index(t: int, board: lotor.Board) -> list[float]:
            seen.append({name: np.copy(getattr(board, name)) for name in lotor.Board.__annotations__} | {"t": t})
            return [1, 0]

        rule = lotor.IndexRule("own", "growing", index=index)
        policy = lotor.Policy(rule, arms=2, epsilon=10**6, low=-1, high=3, horizon=100)
        rewards = iter([3.0, -1.0, 1.0, 3.0, 3.0, -1.0])  # scaled: 1, 0, 0.5, 1, 1, 0
        shown = []
        for reward in rewards:
            decision = policy.choose()
            shown.append(decision.arm)
            policy.learn(decision, reward)
        policy.choose()
        first = shown[0]  # both arms once, then arm 0 alone: batches of 1, 1, 1, 2
        self.assertEqual(shown[1:], [1 - first, 0, 0, 0, 0])
        last = seen[-1]
        expected = [(1 if first == 0 else 0) + 0.5 + 1 + 1, 0 if first == 0 else 1]
        np.testing.assert_allclose(last["sums"], expected, atol=0.01)
        self.assertEqual(last["counts"].tolist(), [5, 1])
        self.assertEqual(last["batches"].tolist(), [4, 1])
        self.assertEqual(last["times"].tolist(), [6, 2 - first])
        self.assertEqual(last["shown"].tolist(), [5, 1])
        np.testing.assert_allclose(last["batch_sums"][:4, 0], [expected[0] - 2.5, 0.5, 1, 1], atol=0.01)
        self.assertEqual(last["batch_counts"][:4, 0].tolist(), [1, 1, 1, 2])
        self.assertEqual((last["arms"], last["slots"], last["horizon"], last["epsilon"]), (2, 1, 100, 10**6))
        self.assertEqual((last["low"], last["high"], last["t"]), (-1, 3, 7))
        self.assertAlmostEqual(float(last["noise"]), 1e-6, places=5)
        self.assertEqual(seen[0]["batches"].tolist(), [0, 0])

    def test_read_only_and_not_copied(self) -> None:
        def index(t: int, board: lotor.Board) -> np.ndarray:
            for name in ("sums", "counts", "batches", "times", "shown", "batch_sums", "batch_counts"):
                array = getattr(board, name)
                with self.assertRaises(ValueError):
                    array[...] = 0
                self.assertIsNotNone(array.base)
            return board.sums

        lotor.Policy(lotor.IndexRule("own", index=index), arms=3, epsilon=1).choose()

    def test_means(self) -> None:
        def index(t: int, board: lotor.Board) -> np.ndarray:
            known = board.batches > 0
            self.assertTrue(np.isinf(board.means[~known]).all())
            np.testing.assert_array_equal(board.means[known], board.sums[known] / board.counts[known])
            return board.means

        lotor.simulate(lotor.IndexRule("own", index=index), means=MEANS, horizon=200, epsilon=1, runs=2)


class Failures(unittest.TestCase):
    def rule(self, index: object, **more: object) -> lotor.IndexRule:
        return lotor.IndexRule("own", index=index, **more)

    def test_exceptions(self) -> None:
        class Own(Exception):
            pass

        def index(t: int, board: lotor.Board) -> np.ndarray:
            if t > 1:
                raise Own(t)
            return board.sums

        rule = self.rule(index)
        policy = lotor.Policy(rule, arms=3, epsilon=1)
        policy.learn(policy.choose(), 1.0)
        for _ in range(2):
            with self.assertRaises(Own):
                policy.choose()
        calls = (
            lambda: lotor.simulate(rule, means=MEANS, horizon=100, epsilon=1),
            lambda: lotor.simulate(rule, means=MEANS, horizon=100, epsilon=1, threads=3),
            lambda: lotor.simulate(rule, means=MEANS, horizon=100, epsilon=1, exact_rounds=True),
            lambda: lotor.audit(rule, trials=1000, seed=1),
            lambda: lotor.couple(rule, traces=20),
        )
        for call in calls:
            with self.assertRaises(Own):
                call()

    def test_answers(self) -> None:
        for answer, error, text in (
            ([1, 2], lotor.InvalidError, r"what index of own returned has shape \(2,\), expected \(3\)"),
            (1.0, lotor.InvalidError, r"has shape \(\), expected"),
            (["a", "b", "c"], TypeError, "must be an array of numbers"),
            (None, TypeError, "must be an array of numbers"),
            (np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), lotor.InvalidError, "masked"),
        ):
            with self.assertRaisesRegex(error, text):
                lotor.Policy(self.rule(lambda t, board: answer), arms=3, epsilon=1).choose()
        unseen = self.rule(lambda t, board: [1, np.nan, 2], weighs_unseen=True)
        with self.assertRaisesRegex(lotor.InvalidError, "in round 1 its index function gave NaN for arm 1"):
            lotor.Policy(unseen, arms=3, epsilon=1).choose()
        first = self.rule(lambda t, board: [1, np.inf, 2], weighs_unseen=True)
        self.assertEqual(lotor.Policy(first, arms=3, epsilon=1).choose().arm, 1)
        ignored = self.rule(lambda t, board: [np.nan] * 3)  # no arm has a release
        lotor.Policy(ignored, arms=3, epsilon=1).choose()

    def test_recipes(self) -> None:
        for error, text, arguments in (
            (TypeError, "give either index", {}),
            (TypeError, "give either index", {"index": ucb, "choose": best}),
            (TypeError, "index must be a function, not 3", {"index": 3}),
            (lotor.UnknownError, "there is no statistic \"trees\": choose from growing,", {"index": ucb, "statistic": "trees"}),
            (lotor.UnknownError, "there is no problem", {"index": ucb, "problem": "linear"}),
            (lotor.InvalidError, "can't be used with problem", {"index": ucb, "feedback": "semi"}),
        ):
            with self.assertRaisesRegex(error, text):
                lotor.IndexRule("own", **arguments)
        with self.assertRaisesRegex(lotor.InvalidError, "an id has 1 to 40 letters"):
            lotor.IndexRule("my own", index=ucb)
        with self.assertRaises(TypeError):
            lotor.IndexRule(3, index=ucb)  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "or a lotor.IndexRule, not 3"):
            lotor.simulate(3, means=MEANS, horizon=10)  # type: ignore[arg-type]
        with self.assertRaisesRegex(lotor.InvalidError, "needs a horizon"):
            lotor.Policy(lotor.IndexRule("own", "tree", index=ucb), arms=2, epsilon=1)

    def test_interrupt(self) -> None:
        def index(t: int, board: lotor.Board) -> np.ndarray:
            if t == 50:
                interrupt()
            return board.sums

        with self.assertRaises(KeyboardInterrupt):
            lotor.simulate(self.rule(index, asks_every_round=True), means=MEANS, horizon=1e9, epsilon=1)

    def test_interrupt_of_a_slow_rule(self) -> None:
        """Ctrl-C waits for the present call of the rule, and not for the next ones."""
        calls: list[float] = []

        def index(t: int, board: lotor.Board) -> np.ndarray:
            if not calls:
                threading.Timer(0.1, interrupt).start()
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                pass
            calls.append(time.monotonic())
            return board.sums

        rule = self.rule(index, asks_every_round=True)
        for play in (
            lambda: lotor.simulate(rule, means=MEANS, horizon=1000, epsilon=1),
            lambda: lotor.simulate(rule, means=MEANS, horizon=1000, epsilon=1, exact_rounds=True),
            lambda: lotor.compare([rule], means=MEANS, horizon=1000, epsilon=1, jobs=1, progress=False),
        ):
            calls.clear()
            with self.assertRaises(KeyboardInterrupt):
                play()
            self.assertLess(time.monotonic() - calls[-1], 1 * PATIENCE)
            self.assertLessEqual(len(calls), 2)

    def test_pickles(self) -> None:
        for rule in (UCB, lotor.IndexRule("own", "episodes", choose=best, problem="finite", asks_every_round=True)):
            lotor.simulate(rule, means=MEANS, horizon=100, epsilon=1)
            again = pickle.loads(pickle.dumps(rule))
            self.assertEqual(repr(again), repr(rule))
            self.assertEqual(again.asks_every_round, rule.asks_every_round)
            one, two = (lotor.simulate(each, means=MEANS, horizon=500, epsilon=1) for each in (rule, again))
            self.assertEqual(one.curves.tolist(), two.curves.tolist())
            self.assertIs(copy.deepcopy(rule), rule)
        with self.assertRaisesRegex(TypeError, "IndexRule own: its index function can't be pickled .*top of a module"):
            pickle.dumps(lotor.IndexRule("own", index=lambda t, board: board.sums))
        compiled = ctypes.CFUNCTYPE(ctypes.c_bool)(lambda: True)
        with self.assertRaisesRegex(TypeError, "IndexRule own: its index function is compiled code"):
            pickle.dumps(lotor.IndexRule("own", index=compiled))

    def test_memory(self) -> None:
        """The function lives as long as its policy, and not longer."""

        def make() -> tuple[lotor.Policy, weakref.ref]:
            def index(t: int, board: lotor.Board) -> np.ndarray:
                return board.sums

            return lotor.Policy(self.rule(index), arms=3, epsilon=1), weakref.ref(index)

        policy, function = make()
        gc.collect()
        self.assertIsNotNone(function())
        policy.choose()
        policy.close()
        del policy
        gc.collect()
        self.assertIsNone(function())


class Compiled(unittest.TestCase):
    SOURCE = """
#include <math.h>
#include <lotor/experimental/catalog.h>
bool ucb(void *context, uint64_t t, const lotor_recipe_board *board, double *indices)
{
    const double sure = 3.1 * log((double)t);
    (void)context;
    for (size_t i = 0; i < board->arms; i++) {
        const double n = board->counts[i];
        indices[i] = board->sums[i] / n + sqrt(0.5 * sure / n) + sure / (board->epsilon * n);
    }
    return true;
}
bool first(void *context, uint64_t t, const lotor_recipe_board *board, size_t slots, uint32_t *arms)
{
    (void)context, (void)t, (void)board;
    for (size_t i = 0; i < slots; i++) {
        arms[i] = (uint32_t)i;
    }
    return true;
}
"""

    def test_like_python(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder) / "rule.c", Path(folder) / "rule.so"
            source.write_text(self.SOURCE)
            command = ["cc", "-std=c17", "-O2", "-shared", "-fPIC", "-I", str(ROOT / "include"), str(source), "-o", str(made)]
            subprocess.run([*command, "-lm"], check=True, timeout=60 * PATIENCE)
            loaded = ctypes.CDLL(str(made))
        cfunc = SimpleNamespace(address=ctypes.cast(loaded.ucb, ctypes.c_void_p).value)  # as Numba's
        asked = {"means": MEANS, "horizon": 3000, "epsilon": 2, "runs": 5, "seed": 3}
        expected = lotor.simulate(UCB, **asked)
        for function in (loaded.ucb, cfunc, SimpleNamespace(ctypes=loaded.ucb)):
            found = lotor.simulate(lotor.IndexRule("own", "episodes", index=function), **asked)
            np.testing.assert_allclose(found.curves, expected.curves)
        policy = lotor.Policy(lotor.IndexRule("own", choose=loaded.first), arms=5, slots=3, epsilon=1)
        self.assertEqual(policy.choose().arms.tolist(), [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
