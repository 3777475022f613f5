"""Counters, stopping rules, guarantees, accounting, randomizers."""

import json
import math
import pickle
import unittest

import lotor
import lotor.account as account

POSITION = {"mechanism": "position", "slot": 0, "epsilon": 1, "scale": 0, "unit": 0, "low": 0, "high": 1, "slots": 3}


class Counters(unittest.TestCase):
    def test_counts(self) -> None:
        counter = lotor.Counter("tree", epsilon=10, horizon=1000)
        counter.add([1, 0] * 250)
        counter.add(1.0)
        self.assertEqual((counter.added, counter.covered), (501, 501))
        # Ten levels of scale 1 or so: off by more than 60 less often than once in 10^15.
        self.assertLess(abs(counter.value - 251), 60)
        self.assertEqual(counter.value, counter.value)

    def test_without_noise_it_is_exact(self) -> None:
        counter = lotor.Counter("hybrid", epsilon=math.inf, low=-5, high=5)
        counter.add([-5, 2.5, 4])
        self.assertEqual(counter.value, 1.5)

    def test_refused(self) -> None:
        counter = lotor.Counter("tree", epsilon=1, horizon=3)
        with self.assertRaises(lotor.RangeError):
            counter.add([1, 2, 1])
        self.assertEqual(counter.added, 1)
        counter.add([0, 0])
        with self.assertRaises(lotor.HorizonError):
            counter.add(1)
        with self.assertRaises(lotor.UnknownError):
            lotor.Counter("abacus", epsilon=1)
        with self.assertRaises(lotor.InvalidError):
            lotor.Counter("gaussian-tree", epsilon=1, horizon=10)

    def test_saved(self) -> None:
        counter = lotor.Counter("tree", epsilon=1, horizon=10)
        counter.add([1, 1, 0])
        loaded = lotor.Counter.load(counter.save())
        self.assertEqual((loaded.value, loaded.added), (counter.value, 3))
        with self.assertRaises(lotor.DamagedError):
            lotor.Counter.load(b"counter")
        with counter:
            pass
        with self.assertRaises(RuntimeError):
            counter.add(1)


class Stopping(unittest.TestCase):
    def test_stops(self) -> None:
        rule = lotor.Stopping("nas", alpha=0.5, beta=0.1)
        with self.assertRaises(lotor.UnfinishedError):
            rule.estimate
        count = 1
        while not rule.add(0.5):
            count += 1
        self.assertEqual(rule.samples, count)
        self.assertAlmostEqual(rule.estimate, 0.5, delta=0.25)
        with self.assertRaises(lotor.ReleasedError):
            rule.add(0.5)
        self.assertFalse(rule.guarantee.private)


class Guarantees(unittest.TestCase):
    def test_fields_are_those_of_the_json(self) -> None:
        for policy in (
            lotor.Policy("dp-se", arms=3, epsilon=0.5, horizon=100),
            lotor.Policy("ucb", arms=3, horizon=100),
            lotor.Policy("jdp-batch", arms=3, dimension=2, epsilon=1, horizon=100),
            lotor.Policy("cascade-dp", arms=3, slots=2, epsilon=1, horizon=100, first=[0, 0, 0]),
        ):
            promise = policy.guarantee
            fields = json.loads(promise.json())
            if fields["epsilon"] is None:
                fields["epsilon"] = math.inf
            for name, value in fields.items():
                ours = getattr(promise, name)
                if isinstance(value, float):
                    self.assertAlmostEqual(value, ours, places=9)
                else:
                    self.assertEqual(value, ours, name)
            self.assertEqual(pickle.loads(pickle.dumps(promise)), promise)
            self.assertEqual(hash(promise), hash(policy.guarantee))

    def test_per_user(self) -> None:
        promise = lotor.Policy("dp-se", arms=3, epsilon=0.5, horizon=100).guarantee.per_user(4)
        self.assertEqual((promise.epsilon, promise.unit), (2.0, "one user, up to 4 rounds"))
        self.assertIn("one user", str(promise))
        with self.assertRaises(lotor.InvalidError):
            promise.per_user(0)

    def test_frozen(self) -> None:
        promise = lotor.Counter("tree", epsilon=1, horizon=9).guarantee
        with self.assertRaises(AttributeError):
            promise.epsilon = 0.1  # type: ignore[misc]


class Accounts(unittest.TestCase):
    def test_by_hand(self) -> None:
        self.assertAlmostEqual(account.adversary_failure((0, 0)), 0.5)
        self.assertEqual(account.compose([(0.5, 1e-6), (0.25, 0)]), (0.75, 1e-6))
        self.assertEqual(account.group((0.5, 0), 3), (1.5, 0))
        self.assertEqual(account.zcdp_of_gaussian(2, 4), 0.125)
        self.assertEqual(account.zcdp_of_pure(2), 2)
        many = account.compose_same((0.1, 0), 100, 1e-5)
        self.assertTrue(3 < many[0] < 10 and many[1] <= 1e-5)
        mixed = account.compose([(0.1, 0)] * 100, slack=1e-5)
        self.assertTrue(many[0] <= mixed[0] < 10)
        rho = account.zcdp_rho((1, 1e-5))
        self.assertLessEqual(account.zcdp_delta(rho, 1), 1e-5)
        self.assertAlmostEqual(account.zcdp_epsilon(rho, 1e-5), 1, places=6)
        sigma = account.gaussian_sigma(1, (1, 1e-5))
        self.assertAlmostEqual(account.gaussian_delta(1, sigma, 1), 1e-5, delta=1e-9)

    def test_refused(self) -> None:
        with self.assertRaises(lotor.InvalidError):
            account.compose([(-1, 0)])
        with self.assertRaises(lotor.InvalidError):
            account.zcdp_epsilon(-1, 0.5)


class Randomizers(unittest.TestCase):
    def test_the_answer_goes_in(self) -> None:
        # The C tests check the law. This test checks that reports depend on the feedback. Of four positions,
        # the true one is reported with probability e / (e + 3) = 0.475, each other one with 0.175. Of 2,000
        # reports 0.375 and 0.275 lie 9 deviations off.
        for click, place in ((1, 1), (3, 3), (0, 4)):
            draws = [lotor.randomize(POSITION, click=click) for _ in range(2000)]
            for other in (1, 2, 3, 4):
                self.assertEqual(draws.count(other) > 600, other == place)
                self.assertLess(abs(draws.count(other) / 2000 - (0.475 if other == place else 0.175)), 0.1)
        bit = {**POSITION, "mechanism": "bit", "slot": 2, "epsilon": 20}  # false once in 400 million
        self.assertEqual([lotor.randomize(bit, click=place) for place in (0, 1, 2, 3)], [0, 0, 1, 0])
        self.assertEqual([lotor.randomize(bit, rewards=reward) for reward in (0, 1)], [0, 1])

        whole = {**POSITION, "mechanism": "sum-bit", "epsilon": 20}  # of rewards that are all high, or all low
        self.assertEqual([lotor.randomize(whole, rewards=3 * [reward]) for reward in (0, 1)], [0, 1])
        anything = {**POSITION, "mechanism": "click-bit", "epsilon": 20}
        self.assertEqual([lotor.randomize(anything, click=place) for place in (0, 1, 2, 3)], [0, 1, 1, 1])

    def test_shapes(self) -> None:
        cube = {**POSITION, "mechanism": "cube"}
        report = lotor.randomize(cube, rewards=[1, 0, 0.5])
        self.assertTrue(isinstance(report, list) and len(report) == 3 and set(report) <= {0, 1})
        unit = 2.0**-20
        laplace = {**POSITION, "mechanism": "laplace", "unit": unit, "scale": 3 * 2**20}
        report = lotor.randomize(lotor.Randomizer.of(laplace), rewards=[1, 0])
        self.assertEqual(len(report), 2)  # type: ignore[arg-type]

    def test_refused(self) -> None:
        for changes, answer in (
            ({"epsilon": 0}, {"click": 1}),
            ({"epsilon": math.inf}, {"click": 1}),
            ({"mechanism": "none"}, {"click": 1}),
            ({"mechanism": "laplace", "unit": 2.0**-20, "scale": 2**20}, {"rewards": [1, 0]}),  # too little noise
            ({"slots": 5000}, {"click": 1}),
            ({"colour": 1}, {"click": 1}),
        ):
            with self.subTest(changes=changes), self.assertRaises(lotor.InvalidError):
                lotor.randomize({**POSITION, **changes}, **answer)
        with self.assertRaises(lotor.RangeError):
            lotor.randomize(POSITION, click=4)
        with self.assertRaises(lotor.RangeError):
            lotor.randomize({**POSITION, "mechanism": "cube"}, rewards=[2, 0, 0])
        with self.assertRaises(lotor.RangeError):
            lotor.randomize({**POSITION, "mechanism": "sum-bit"}, rewards=[1, 0])
        with self.assertRaises(lotor.RangeError):
            lotor.randomize({**POSITION, "mechanism": "click-bit"}, rewards=[1])
        with self.assertRaises(lotor.InvalidError):
            lotor.randomize({"mechanism": "bit"}, click=1)


if __name__ == "__main__":
    unittest.main()
