"""Which sets may be shown: every structure, and Python functions that fail."""

import itertools
import signal
import subprocess
import sys
import threading
import time
import unittest

import lotor
import numpy as np
from support import PATIENCE, interrupt

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]  # a square with a diagonal


def shown(structure: lotor.Structure, rounds: int = 40, algorithm: str = "cucb", **more: object) -> list[list[int]]:
    """The sets of some rounds, after different rewards."""
    policy = lotor.Policy(algorithm, structure=structure, **more)
    sets = []
    for i in range(rounds):
        decision = policy.choose()
        sets.append(decision.arms.tolist())
        policy.learn(decision, [(arm * 7 + i) % 5 / 4 for arm in decision.asked])
    return sets


class Kinds(unittest.TestCase):
    def test_partition(self) -> None:
        groups = [0, 0, 0, 1, 1, 2]
        for arms in shown(lotor.Partition(groups, [1, 2, 1]), algorithm="omm"):
            counts = np.bincount([groups[arm] for arm in arms], minlength=3)
            self.assertEqual(counts.tolist(), [1, 2, 1])

    def test_graphic(self) -> None:
        for arms in shown(lotor.Graphic(SQUARE), algorithm="omm"):
            self.assertEqual(len(arms), 3)  # a spanning tree of 4 vertices
            self.assertNotIn(sorted(arms), [[0, 1, 4], [2, 3, 4]])  # the two triangles

    def test_linear(self) -> None:
        vectors = np.array([[1, 0], [2, 0], [0, 1], [0, 3]])
        for arms in shown(lotor.Linear(vectors), algorithm="omm"):
            self.assertEqual(np.linalg.matrix_rank(vectors[arms]), 2)

    def test_path(self) -> None:
        edges = [(0, 1), (1, 3), (0, 2), (2, 3), (1, 2)]
        for arms in shown(lotor.Path(edges, source=0, sink=3)):
            self.assertIn(arms, [[0, 1], [2, 3], [0, 4, 3]])

    def test_coverage(self) -> None:
        edges = [(0, 0), (0, 1), (1, 1), (1, 5), (2, 0)]
        policy = lotor.Policy("cucb", structure=lotor.Coverage(edges, seeds=2))
        decision = policy.choose()
        assert decision.seeds is not None
        self.assertEqual(len(decision.seeds), 2)
        self.assertEqual(sorted(decision.arms), [i for i, (left, _) in enumerate(edges) if left in decision.seeds])
        # A left vertex without edges counts, and a right one does not.
        self.assertEqual(len(lotor.Policy("cucb", structure=lotor.Coverage(edges, seeds=4, left=4)).choose().seeds), 4)
        with self.assertRaises(lotor.InvalidError):
            lotor.Policy("cucb", structure=lotor.Coverage(edges, seeds=4))

    def test_influence(self) -> None:
        edges = [(0, 1), (1, 2), (3, 4)]
        policy = lotor.Policy("cucb", structure=lotor.Influence(edges, seeds=1))
        decision = policy.choose()
        assert decision.seeds is not None
        reached = {0: [0, 1], 1: [1], 2: [], 3: [2], 4: []}[int(decision.seeds[0])]
        self.assertEqual(sorted(decision.arms), reached)

    def test_refused(self) -> None:
        for structure in (
            lotor.Partition([0, 1], [1]),
            lotor.Partition([0, -1], [1, 1]),
            lotor.Graphic([(0, 1, 2)]),
            lotor.Graphic([(0, 7)], vertices=3),
            lotor.Graphic([]),
            lotor.Path([(0, 1), (1, 0)], 0, 1),
            lotor.Path([(0, 1)], 0, 2**32),
            lotor.Linear([[0, 0]]),
            lotor.Linear([[0.5, 1]]),
        ):
            with self.subTest(structure=structure), self.assertRaises(lotor.InvalidError):
                lotor.Policy("cucb", structure=structure)
        with self.assertRaises(lotor.InvalidError):
            lotor.Policy("cucb", structure=lotor.Graphic(SQUARE), arms=4)


class Functions(unittest.TestCase):
    def test_matroid_is_asked(self) -> None:
        groups = [0, 0, 1, 1, 2]

        def may_join(chosen: np.ndarray, arm: int) -> bool:
            self.assertEqual(chosen.dtype, np.intp)
            return groups[arm] not in [groups[other] for other in chosen]

        for arms in shown(lotor.Matroid(may_join, rank=3), algorithm="omm", arms=5):
            self.assertEqual(sorted(groups[arm] for arm in arms), [0, 1, 2])

    def test_oracle_gets_indices(self) -> None:
        seen = []

        def pick(indices: np.ndarray) -> list[int]:
            seen.append(indices)
            return [0, 2] if np.isinf(indices).any() else [int(np.argmax(indices))]

        policy = lotor.Policy("cucb", arms=3, structure=lotor.Oracle(pick, most=2))
        decision = policy.choose()
        self.assertEqual(decision.arms.tolist(), [0, 2])
        policy.learn(decision, [0.25, 1.0])
        self.assertTrue(np.isinf(seen[0]).all() and seen[0].shape == (3,))
        self.assertTrue(np.isfinite(policy_indices(policy, seen)[[0, 2]]).all())

    def test_what_an_oracle_may_not_pick(self) -> None:
        for picked in ([], [0, 0], [3], [0, 1, 2], [-1], [0.5], "no", None):
            policy = lotor.Policy("cucb", arms=3, structure=lotor.Oracle(lambda indices, p=picked: p, most=2))
            with self.subTest(picked=picked), self.assertRaises((lotor.InvalidError, TypeError)):
                policy.choose()

    def test_an_exception_of_an_oracle_passes_and_opens_no_round(self) -> None:
        fails = itertools.cycle([True, False])

        def pick(indices: np.ndarray) -> list[int]:
            if next(fails):
                raise KeyboardInterrupt("now")
            return [1]

        policy = lotor.Policy("cucb", arms=3, structure=lotor.Oracle(pick, most=1))
        for event in (1, 2, 3):
            with self.assertRaisesRegex(KeyboardInterrupt, "now"):
                policy.choose()
            self.assertEqual(policy.choose().event, event)

    def test_an_exception_of_a_matroid_passes(self) -> None:
        calls = itertools.count(1)
        fails_at = [10**9]

        def may_join(chosen: np.ndarray, arm: int) -> bool:
            if next(calls) >= fails_at[0]:
                raise KeyError("no such arm")
            return len(chosen) < 2

        policy = lotor.Policy("omm", arms=4, structure=lotor.Matroid(may_join, rank=2))
        for step in (1, 2):  # at the first arm of a set, and in the middle of one
            fails_at[0] = next(calls) + step
            with self.assertRaises(KeyError):
                policy.choose()
        with self.assertRaises(KeyError):
            lotor.Policy("omm", arms=4, structure=lotor.Matroid(may_join, rank=2))
        fails_at[0] = 10**9
        decision = policy.choose()
        self.assertEqual((decision.event, len(decision.arms)), (1, 2))

    def test_an_oracle_can_not_end_its_own_policy(self) -> None:
        policy: list[lotor.Policy] = []

        def pick(indices: np.ndarray) -> list[int]:
            for use in (policy[0].choose, policy[0].close):
                with self.assertRaisesRegex(RuntimeError, "its own oracle"):
                    use()
            return [1]

        policy.append(lotor.Policy("cucb", arms=3, structure=lotor.Oracle(pick, most=1)))
        for event in (1, 2):  # the functions are still there
            self.assertEqual(policy[0].choose().event, event)
        policy[0].close()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            policy[0].choose()

    def test_a_fork_in_the_middle_of_a_call_ends(self) -> None:
        code = """if True:
            import lotor, os, signal, sys, threading
            patience = int(os.environ.get("LOTOR_TEST_PATIENCE", "1"))
            started, go_on = threading.Event(), threading.Event()
            def pick(indices):
                started.set()
                go_on.wait(20 * patience)
                return [0]
            policy = lotor.Policy("cucb", arms=2, structure=lotor.Oracle(pick, most=1))
            thread = threading.Thread(target=policy.choose)
            thread.start()
            started.wait(20 * patience)
            child = os.fork()
            if child == 0:
                signal.alarm(10 * patience)
                sys.exit(0)  # by all that Python does at its end
            status = os.waitpid(child, 0)[1]
            go_on.set()
            thread.join()
            sys.exit(status != 0)
        """
        # Python 3.12 and later warn about a fork in a process with threads. This test needs one.
        quiet = ["-W", "ignore:This process:DeprecationWarning"]
        subprocess.run([sys.executable, *quiet, "-c", code], check=True, timeout=60 * PATIENCE)

    def test_a_forked_child_can_not_use_a_policy(self) -> None:
        code = """if True:
            import lotor, os, sys
            policy, counter = lotor.Policy("lik-imed", arms=2, epsilon=1), lotor.Counter("hybrid", epsilon=1)
            child = os.fork()
            if child == 0:
                refused = 0
                for call in (policy.choose, policy.save, lambda: counter.add(1), counter.save):
                    try:
                        call()
                    except lotor.InvalidError:
                        refused += 1
                own = lotor.Policy("lik-imed", arms=2, epsilon=1)
                sys.exit(0 if refused == 4 and own.choose().event == 1 else 1)
            status = os.waitpid(child, 0)[1]
            sys.exit(status != 0 or policy.choose().event != 1)
        """
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60 * PATIENCE)

    def test_ctrl_c_in_an_oracle(self) -> None:
        def pick(indices: np.ndarray) -> list[int]:
            time.sleep(30 * PATIENCE)
            return [0]

        policy = lotor.Policy("cucb", arms=3, structure=lotor.Oracle(pick, most=1))
        timer = threading.Timer(0.2, interrupt)
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            policy.choose()
        self.assertLess(time.monotonic() - start, 10 * PATIENCE)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_no_use_from_inside(self) -> None:
        box: list[lotor.Policy] = []
        structure = lotor.Oracle(lambda indices: box[0].choose().arms, most=1)
        box.append(lotor.Policy("cucb", arms=3, structure=structure))
        with self.assertRaisesRegex(RuntimeError, "its own oracle"):
            box[0].choose()

    def test_value_in_a_simulation(self) -> None:
        # Worth the best of two arms instead of their sum: 0.9 a round at most.
        def pick(indices: np.ndarray) -> np.ndarray:
            return np.argsort(-indices, kind="stable")[:2]

        def value(means: np.ndarray, arms: np.ndarray) -> float:
            self.assertEqual(means.shape, (3,))
            return float(max(means[arms]))

        played = lotor.simulate(
            "cucb", means=[0.9, 0.5, 0.1], structure=lotor.Oracle(pick, most=2, value=value), horizon=200, runs=2
        )
        self.assertAlmostEqual(played.best_per_round, 0.9)

        def fails(means: np.ndarray, arms: np.ndarray) -> float:
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            lotor.simulate("cucb", means=[0.9, 0.5], structure=lotor.Oracle(pick, most=2, value=fails), horizon=200)


def policy_indices(policy: lotor.Policy, seen: list[np.ndarray]) -> np.ndarray:
    policy.choose()
    return seen[-1]


if __name__ == "__main__":
    unittest.main()
