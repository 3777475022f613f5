"""Policies: rounds, errors, saved states, threads."""

import copy
import gc
import math
import pickle
import random
import struct
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

    def test_a_refusal_says_which_reward(self) -> None:
        # But never its value: test_messages.c.
        policy, pairs = lotor.Policy("ucb", arms=2, horizon=100), lotor.Policy("omm", arms=4, slots=2)
        range_of = "in the declared range 0 to 1: send a reward in the range"
        for refusing, wrong, message in (
            (policy, math.nan, f"the reward is NaN, not a number {range_of}"),
            (policy, 1.5, f"the reward is not {range_of}"),
            (pairs, [1, math.nan], f"reward 2 of 2 is NaN, not a number {range_of}"),
            (pairs, [-1, math.nan], f"reward 1 of 2 is not {range_of}"),
        ):
            decision = refusing.choose()
            with self.subTest(message), self.assertRaises(lotor.RangeError) as caught:
                refusing.learn(decision, wrong)
            self.assertIn(str(caught.exception), (message, f"round {decision.event}: {message}"))

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

    def test_options_of_imed(self) -> None:
        """A saved state has them as words of 8 bytes."""
        given = {"window": 12345, "alarm": True, "variance": 0.1875, "caution": 2.625, "lag": 1.375}
        saved = lotor.Policy("lik-imed", arms=3, slots=2, epsilon=1, **given).save()
        self.assertIn(struct.pack("<ddQQd", 2.625, 1.375, 12345, 1, 0.1875), saved)
        self.assertNotIn(struct.pack("<Q", 12345), lotor.Policy("lik-imed", arms=3, slots=2, epsilon=1).save())
        given = {"half_life": 54321, "alarm": True, "variance": 0.1875}
        saved = lotor.Policy("lik-imed", arms=3, slots=2, epsilon=1, **given).save()
        self.assertIn(struct.pack("<QQQd", 0, 3, 54321, 0.1875), saved)
        self.assertIn(struct.pack("<dd", 2, 3), lotor.Policy("rr-imed", arms=3, epsilon=1, caution=2, lag=3).save())
        for algorithm, wrong, reason in (
            ("lik-imed", {"window": 0}, "window"),
            ("lik-imed", {"window": 2**61}, "2\\^61"),
            ("lik-imed", {"half_life": 0}, "half_life"),
            ("lik-imed", {"half_life": 2**57}, "2\\^57"),
            ("lik-imed", {"half_life": 8, "window": 9}, "both forget"),
            ("lik-imed", {"caution": 0}, "caution"),
            ("lik-imed", {"caution": float("nan")}, "caution"),
            ("lik-imed", {"lag": 0.5}, "lag"),
            ("lik-imed", {"variance": 0.3}, "0.25"),
            ("lik-imed", {"low": 0, "high": 2, "variance": 1.1}, "at most 1,"),
        ):
            with self.subTest(algorithm=algorithm, wrong=wrong), self.assertRaisesRegex(lotor.InvalidError, reason):
                lotor.Policy(algorithm, arms=3, epsilon=1, **wrong)


    def test_rewards_of_many_types(self) -> None:
        """One number, lists and arrays count alike, whether they take the fast way or not."""
        kinds = (1.0, 1, True, np.float64(1), np.float32(1), np.int8(1), np.bool_(True), [1.0], (1,), [np.int64(1)])
        kinds += (np.ones(1), np.ones(1, np.float32), np.ones(1, bool), np.array(1.0), [True], np.ones(2)[::2])
        saved = lotor.Policy("batch-klucb", arms=2, epsilon=math.inf).save()
        states = set()
        for kind in kinds:
            policy = lotor.Policy.load(saved)
            for _ in range(50):
                decision = policy.choose()
                policy.learn(decision, kind if decision.arm else 0.0)
            states.add(policy.save())
        self.assertEqual(len(states), 1)

    def test_wrong_rewards_leave_the_round_open(self) -> None:
        policy = lotor.Policy("batch-klucb", arms=2, epsilon=1)
        decision = policy.choose()
        before = policy.save()
        for wrong, kind in (
            (math.nan, lotor.RangeError),
            (np.array([math.nan]), lotor.RangeError),
            ([1.0, 1.0], lotor.RangeError),
            ([], lotor.RangeError),
            (np.zeros(100), lotor.RangeError),
            ([0.5] * 100, lotor.RangeError),
            (["1.0"], TypeError),
            ("1.0", TypeError),
            ([[1.0]], ValueError),
            (1j, TypeError),
            (None, TypeError),
            (np.ma.masked, ValueError),
            (np.ma.array([1.0], mask=[True]), ValueError),
            (np.array(["1"]), TypeError),
        ):
            for learn in (policy.learn, policy.observe):
                with self.subTest(wrong=wrong, learn=learn.__name__), self.assertRaises(kind):
                    learn(decision, wrong)
                self.assertEqual(policy.save(), before)
        for huge in (10**400, [10**400]):
            with self.assertRaises(lotor.RangeError):
                policy.learn(decision, huge)
        self.assertEqual(policy.save(), before)
        policy.learn(decision, 1.0)
        with self.assertRaises(lotor.LateError) as caught:
            policy.learn(decision, 1.0)
        self.assertEqual(str(caught.exception), "round 1: the round is final, so the feedback is dropped")

    def test_an_error_leaves_no_trace_in_the_next(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=9)
        decision = policy.choose()
        with self.assertRaises(lotor.RangeError) as first:
            policy.learn(decision, 7.0)
        with self.assertRaises(lotor.UnknownError) as second:
            policy.learn(77, 0.5)
        self.assertIn("range", str(first.exception))
        self.assertEqual(str(second.exception), "round 77: it was never shown")
        policy.learn(decision, 1.0)

    def test_decisions_are_values(self) -> None:
        policy = lotor.Policy("rr-klucb", arms=6, slots=3, epsilon=1)
        decision = policy.choose()
        self.assertIs(decision.arms, decision.arms)
        copied = pickle.loads(pickle.dumps(decision))
        self.assertEqual((copied.event, copied.hold), (decision.event, decision.hold))
        self.assertEqual(copied.asked.tolist(), decision.asked.tolist())
        policy.learn(copied, 1.0)
        self.assertEqual(repr(decision), "<lotor.Decision: show arms %d, %d, %d (round 1)>" % tuple(decision.arms))
        for name in ("event", "hold", "arms", "asked", "seeds", "arm"):
            with self.assertRaises(AttributeError):
                setattr(decision, name, 0)


class Many(unittest.TestCase):
    def test_the_same_as_single_rounds(self) -> None:
        """Without noise, two policies of one saved state are the same after the same feedback."""
        for algorithm, more in (
            ("batch-klucb", {}),
            ("batch-klucb", {"slots": 2}),
            ("lik-imed", {"slots": 2}),
            ("lik-imed", {}),
            ("dp-se", {"horizon": 1500}),
            ("ucb", {"horizon": 3000}),
            ("omm", {"slots": 3}),
        ):
            with self.subTest(algorithm=algorithm, **more):
                noise = {} if algorithm in ("ucb", "omm") else {"epsilon": math.inf}
                saved = lotor.Policy(algorithm, arms=5, **noise, **more).save()
                single, many = lotor.Policy.load(saved), lotor.Policy.load(saved)
                people, rounds, longest = np.random.default_rng(3), 0, 0
                while rounds < 2000:
                    held = many.choose_many(300)
                    means = 0.9 - 0.2 * held.asked
                    rewards = (people.random((len(held), len(means))) < means).astype(float)
                    for row in rewards:
                        decision = single.choose()
                        self.assertEqual(decision.arms.tolist(), held.arms.tolist())
                        self.assertEqual(decision.asked.tolist(), held.asked.tolist())
                        single.learn(decision, row)
                    many.learn_many(held, rewards[:, 0] if len(held.asked) == 1 and rounds % 2 else rewards)
                    self.assertEqual(many.save(), single.save())
                    rounds += len(held)
                    longest = max(longest, len(held))
                self.assertEqual(longest > 16, algorithm in ("batch-klucb", "lik-imed"))

    def test_decisions(self) -> None:
        policy = lotor.Policy("dp-se", arms=1, epsilon=1, horizon=7)
        held = policy.choose_many(5.0)
        self.assertEqual((len(held), held.events, held.arm, held.seeds), (5, range(1, 6), 0, None))
        self.assertEqual(repr(held), "<lotor.Decisions: show arm 0 (rounds 1 to 5)>")
        policy.learn_many(held, [1, 0, 1, 0, 1])
        rest = policy.choose_many(10**12)
        self.assertEqual(rest.events, range(6, 8))
        policy.learn_many(rest, np.zeros((2, 1)))
        past = policy.choose_many(4)
        self.assertEqual((len(past), past.events), (4, range(0)))
        self.assertEqual(str(past), "show arm 0 (4 rounds past the horizon)")
        policy.learn_many(past, np.zeros(4))  # nothing to do

    def test_clicks(self) -> None:
        saved = lotor.Policy("batch-klucb", arms=5, slots=2, cascade=True, epsilon=math.inf).save()
        single, many = lotor.Policy.load(saved), lotor.Policy.load(saved)
        rounds = 0
        while rounds < 500:
            held = many.choose_many(100)
            clicks = np.arange(rounds, rounds + len(held)) % 3
            many.learn_many(held, clicks=clicks)
            for click in clicks:
                single.learn(single.choose(), click=click)
            rounds += len(held)
            self.assertEqual(many.save(), single.save())
        held = many.choose_many(2)
        before = many.save()
        for wrong in (3, -1, 0.5, math.nan, 2**70):
            with self.subTest(wrong=wrong), self.assertRaises(ValueError) as caught:
                many.learn_many(held, clicks=[0] * (len(held) - 1) + [wrong])
            self.assertNotIn(str(wrong), str(caught.exception).replace("from 1 to 2", ""))
            self.assertEqual(many.save(), before)

    def test_nothing_is_taken_in_part(self) -> None:
        policy = lotor.Policy("dp-se", arms=1, epsilon=1, horizon=100)
        held = policy.choose_many(4)
        before = policy.save()
        for wrong, kind in (
            ([1, 1, 1, math.nan], lotor.RangeError),
            ([1, 1, 1, 1.5], lotor.RangeError),
            ([1, 1, 1], lotor.InvalidError),
            ([1] * 5, lotor.InvalidError),
            (np.ones((2, 4)), lotor.InvalidError),
            (np.ones((4, 2)), lotor.InvalidError),
            (1.0, lotor.InvalidError),
            ([], lotor.InvalidError),
            (["1"] * 4, TypeError),
            (None, TypeError),
            (np.ma.array(np.ones(4), mask=[0, 0, 0, 1]), lotor.InvalidError),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(kind):
                policy.learn_many(held, wrong)
            self.assertEqual(policy.save(), before)
        with self.assertRaisesRegex(lotor.RangeError, "round 4: the reward is not in the declared range 0 to 1"):
            policy.learn_many(held, [1, 1, 1, 7])
        with self.assertRaisesRegex(TypeError, "choose_many"):
            policy.learn_many(1, [1])  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "learn_many"):
            policy.learn(held, 1)  # type: ignore[arg-type]
        policy.learn(2, 1.0)
        with self.assertRaises(lotor.LateError):
            policy.learn_many(held, [1, 1, 1, 1])
        for wrong in (0, -1, 1.5, "3", 2**64):
            with self.subTest(limit=wrong), self.assertRaises((TypeError, ValueError)):
                policy.choose_many(wrong)  # type: ignore[arg-type]
        with self.assertRaisesRegex(lotor.InvalidError, "context"):
            lotor.Policy("linucb", arms=3, dimension=2, horizon=10).choose_many(2)

    def test_python_functions(self) -> None:
        structure = lotor.Matroid(lambda chosen, arm: len(chosen) < 2, rank=2)
        policy = lotor.Policy("omm", arms=4, structure=structure)
        held = policy.choose_many(10)
        policy.learn_many(held, np.ones((len(held), 2)))

        def fails(chosen: list[int], arm: int) -> bool:
            if broken:
                raise ArithmeticError("mine")
            return len(chosen) < 2

        broken = False
        policy = lotor.Policy("omm", arms=4, structure=lotor.Matroid(fails, rank=2))
        broken = True
        for choose in (policy.choose, lambda: policy.choose_many(3)):
            with self.assertRaisesRegex(ArithmeticError, "mine"):
                choose()


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
        calls = (policy.choose, policy.save, lambda: policy.guarantee, lambda: policy.expire(1))
        for call in (*calls, lambda: policy.learn(1, 1.0), lambda: policy.choose_many(2)):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                call()

    def test_forgotten(self) -> None:
        policy = lotor.Policy("ucb", arms=2, horizon=9)
        gone, address, loaded = weakref.ref(policy), policy._turn.address, library()
        free = loaded.lotor_policy_free
        gc.collect()  # otherwise the block might also free policies of earlier tests
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

    def test_a_signal_handler_does_not_disturb_a_call(self) -> None:
        """A handler runs in the thread that makes the call: it can't wait for it, so it is refused."""
        policy = lotor.Policy("batch-klucb", arms=5, epsilon=1)
        policy._turn.is_on = True  # as if the handler ran inside `choose`
        for call in (policy.choose, lambda: policy.learn(1, 1.0), lambda: policy.choose_many(2), policy.close):
            with self.assertRaises(RuntimeError):
                call()
        policy._turn.is_on = False
        self.assertEqual(policy.choose().event, 1)


if __name__ == "__main__":
    unittest.main()
