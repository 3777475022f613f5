"""Policies: rounds, errors, saved states, threads."""

import copy
import gc
import math
import pickle
import random
import threading
import unittest
import weakref
from unittest import mock

import lotor
import numpy as np
from lotor._library import library


def play(policy: lotor.Policy, means: list[float], rounds: int, seed: int = 1) -> np.ndarray:
    """People who like arm a with probability means[a]; how often each arm was shown."""
    people, shown = random.Random(seed), np.zeros(len(means), int)
    for _ in range(rounds):
        decision = policy.choose()
        shown[decision.arms] += 1
        policy.learn(decision, [float(people.random() < means[arm]) for arm in decision.asked])
    return shown


class Rounds(unittest.TestCase):
    def test_learns(self) -> None:
        # At epsilon 2 the best arm was shown in 3,911 of 4,000 rounds or more, in each of 100 runs.
        shown = play(lotor.Policy("batch-klucb", arms=3, epsilon=2), [0.2, 0.9, 0.3], 4000)
        self.assertEqual(shown.sum(), 4000)
        self.assertGreater(shown[1], 3000)

    def test_decision(self) -> None:
        policy = lotor.Policy("omm", arms=6, slots=3)
        decision = policy.choose()
        self.assertEqual((decision.event, decision.arms.dtype, len(decision.arms)), (1, np.intp, 3))
        self.assertEqual(decision.asked.tolist(), decision.arms.tolist())
        self.assertIsNone(decision.seeds)
        self.assertGreaterEqual(decision.hold, 1)
        self.assertEqual(str(decision), "show arms %d, %d, %d (round 1)" % tuple(decision.arms))
        with self.assertRaises(ValueError):
            decision.arm
        kept = decision.arms.copy()
        for _ in range(20):
            policy.learn(policy.choose(), [1, 0, 0])
        self.assertEqual(decision.arms.tolist(), kept.tolist())  # not the library's own memory

    def test_asked_is_not_always_all(self) -> None:
        decision = lotor.Policy("rr-klucb", arms=6, slots=3, epsilon=1).choose()
        self.assertEqual((len(decision.arms), len(decision.asked)), (3, 1))
        self.assertIn(decision.asked[0], decision.arms)

    def test_one_arm_reads_well(self) -> None:
        policy = lotor.Policy("dp-se", arms=5, epsilon=1.0, horizon=10**6)
        decision = policy.choose()
        self.assertEqual(str(decision), f"show arm {decision.arm} (round 1)")
        self.assertTrue(str(policy.guarantee).startswith("private: epsilon = 1, central model"))

    def test_answers(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=100)
        decision = policy.choose()
        for wrong in (1.5, -0.1, math.nan, math.inf, [1, 0], []):
            with self.subTest(wrong=wrong), self.assertRaises(lotor.RangeError):
                policy.observe(decision, wrong)
        policy.observe(decision, True)
        with self.assertRaises(lotor.DuplicateError):
            policy.observe(decision, 1)
        policy.expire(decision.event)
        policy.expire(decision)
        with self.assertRaises(lotor.LateError):
            policy.observe(decision, 1)
        with self.assertRaises(lotor.UnknownError) as caught:
            policy.observe(99, 1)
        self.assertIn("99", str(caught.exception))
        for arguments in ({}, {"rewards": 1, "click": 1}):
            with self.assertRaises(TypeError):
                policy.observe(policy.choose(), **arguments)
        with self.assertRaises(TypeError):
            policy.observe(policy.choose(), "yes")

    def test_what_is_answered_is_what_counts(self) -> None:
        # Without noise, an arm that never pays is tried until sqrt(2 log(1000) / n) is below 1: 14 times or so.
        policy = lotor.Policy("ucb", arms=3, horizon=1000)
        shown = play(policy, [0.0, 0.0, 1.0], 300)
        self.assertGreater(shown[2], 200)

    def test_no_answer_counts_as_the_default(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=1000, default_reward=1.0)
        shown = [0, 0]
        for _ in range(300):
            decision = policy.choose()
            shown[decision.arm] += 1
            if decision.arm == 0:
                policy.observe(decision, 0.0)
            policy.expire(decision)
        self.assertGreater(shown[1], 200)

    def test_clicks(self) -> None:
        policy = lotor.Policy("cascade-ucb", arms=4, slots=2)
        decision = policy.choose()
        policy.learn(decision, click=2)
        policy.learn(policy.choose(), click=0)
        with self.assertRaises(lotor.RangeError):
            policy.observe(policy.choose(), click=3)
        with self.assertRaises(TypeError):
            policy.observe(policy.choose(), click="first")

    def test_range(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=100, low=-10, high=10)
        policy.learn(policy.choose(), -7.5)
        for wrong in ({"low": 1, "high": 1}, {"low": 0}, {"low": 2, "high": 1}, {"low": 0, "high": math.nan}):
            with self.subTest(wrong=wrong), self.assertRaises(lotor.InvalidError):
                lotor.Policy("ucb", arms=2, horizon=100, **wrong)

    def test_past_the_horizon(self) -> None:
        policy = lotor.Policy("dp-se", arms=2, epsilon=1, horizon=2)
        for _ in range(2):
            policy.learn(policy.choose(), 1)
        decision = policy.choose()
        self.assertEqual(decision.event, 0)
        self.assertIn("past the horizon", str(decision))
        policy.learn(decision, 1)  # nothing to do
        with self.assertRaises(lotor.UnknownError):
            policy.observe(decision, 1)

    def test_contexts(self) -> None:
        policy = lotor.Policy("linucb", arms=3, dimension=2, horizon=1000)
        actions = np.array([[0.6, 0.0], [0.5, 0.5], [0.0, 0.8]], order="F")
        for order, best in ((slice(None), 2), (slice(None, None, -1), 0)):
            shown = np.zeros(3, int)
            for _ in range(300):
                context = actions[order]
                decision = policy.choose(context)
                shown[decision.arm] += 1
                policy.learn(decision, float(context[decision.arm] @ [0.0, 0.9]))
            self.assertEqual(shown.argmax(), best)
            self.assertGreater(shown.max(), 200)
        for wrong in (None, actions[:2], actions.T, actions * 3, actions * math.nan, [[1, 2], [3]]):
            with self.subTest(wrong=wrong), self.assertRaises(ValueError):
                policy.choose(wrong)
        with self.assertRaisesRegex(lotor.InvalidError, "takes no context"):
            lotor.Policy("ucb", arms=3, horizon=9).choose(actions)

    def test_first(self) -> None:
        policy = lotor.Policy("cascade-dp", arms=3, slots=1, epsilon=1, horizon=99, first=[0.0, 1.0, 0.0])
        self.assertFalse(policy.guarantee.private)
        with self.assertRaises(lotor.InvalidError):
            lotor.Policy("cascade-dp", arms=3, slots=1, epsilon=1, horizon=99, first=[0.0, 1.0])

    def test_refusals_say_why(self) -> None:
        for arguments, kind, words in (
            ({"algorithm": "dp-see", "arms": 2}, lotor.UnknownError, "dp-se"),
            ({"algorithm": "dp-se", "arms": 2, "epsilon": 1}, lotor.InvalidError, "horizon"),
            ({"algorithm": "dp-se", "arms": 2, "horizon": 9}, lotor.InvalidError, "epsilon"),
            ({"algorithm": "ucb", "horizon": 9}, lotor.InvalidError, "arms"),
            ({"algorithm": "linucb", "arms": 2, "dimension": 2, "regularizer": 0}, lotor.InvalidError, "regularizer"),
            ({"algorithm": "ucb", "arms": 2, "horizon": 9, "structure": "top"}, TypeError, "structure"),
            ({"algorithm": 3, "arms": 2}, TypeError, "algorithm"),
        ):
            with self.subTest(arguments=arguments), self.assertRaises(kind) as caught:
                lotor.Policy(**arguments)  # type: ignore[arg-type]
            self.assertIn(words, str(caught.exception))
        self.assertTrue(issubclass(lotor.RangeError, ValueError) and issubclass(lotor.UnknownError, LookupError))


class States(unittest.TestCase):
    def test_goes_on_the_same(self) -> None:
        policy = lotor.Policy("dp-se", arms=4, epsilon=1, horizon=5000)
        play(policy, [0.1, 0.9, 0.5, 0.5], 1000)
        saved = policy.save()
        self.assertIsInstance(saved, bytes)
        loaded = lotor.Policy.load(saved)
        self.assertEqual(loaded.arms, 4)
        self.assertEqual(loaded.guarantee, policy.guarantee)
        self.assertEqual(loaded.save(), saved)
        self.assertEqual(loaded.choose().arms.tolist(), policy.choose().arms.tolist())

    def test_contexts_after_loading(self) -> None:
        policy = lotor.Policy("jdp-batch", arms=3, dimension=2, epsilon=1, horizon=100)
        loaded = lotor.Policy.load(policy.save())
        self.assertIn(loaded.choose(np.eye(3, 2)).arm, range(3))
        with self.assertRaises(lotor.InvalidError):
            loaded.choose(np.eye(2, 2))

    def test_damaged(self) -> None:
        saved = bytearray(lotor.Policy("dp-se", arms=4, epsilon=1, horizon=50).save())
        for place in range(0, len(saved), 7):
            forged = bytearray(saved)
            forged[place] ^= 0x41
            with self.assertRaises((lotor.DamagedError, lotor.VersionError)):
                lotor.Policy.load(bytes(forged))
        for cut in (0, 1, len(saved) - 1):
            with self.assertRaises(lotor.DamagedError):
                lotor.Policy.load(bytes(saved[:cut]))

    def test_functions_are_given_again(self) -> None:
        structure = lotor.Matroid(lambda chosen, arm: len(chosen) < 2, rank=2)
        saved = lotor.Policy("omm", arms=4, structure=structure).save()
        self.assertEqual(len(lotor.Policy.load(saved, structure).choose().arms), 2)
        with self.assertRaises(lotor.Error):
            lotor.Policy.load(saved)


class Lives(unittest.TestCase):
    def test_close(self) -> None:
        with lotor.Policy("ucb", arms=2, horizon=9) as policy:
            policy.choose()
        policy.close()
        for call in (policy.choose, policy.save, lambda: policy.guarantee, lambda: policy.expire(1)):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                call()

    def test_forgotten(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=9)
        gone, address, loaded = weakref.ref(policy), policy._turn.address, library()
        free = loaded.lotor_policy_free
        with mock.patch.object(loaded, "lotor_policy_free", side_effect=free) as freed:
            del policy
            gc.collect()
        self.assertIsNone(gone())
        freed.assert_called_once_with(address)

    def test_no_copies(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=9)
        for take in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "two noises"):
                take(policy)

    def test_threads_take_turns(self) -> None:
        policy = lotor.Policy("batch-klucb", arms=5, epsilon=1)
        events: list[int] = []

        def work() -> None:
            for _ in range(500):
                decision = policy.choose()
                events.append(decision.event)
                policy.learn(decision, 1.0)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(events), list(range(1, 2001)))


if __name__ == "__main__":
    unittest.main()
