"""Worlds of your own: numbers by hand, functions that misbehave, tables, labelled data and logs."""

import math
import pickle
import tempfile
import unittest
from pathlib import Path
from typing import Any

import lotor
import numpy as np

P = np.array([0.3, 0.5, 0.7])


def pay(t: int, arms: Any, rng: np.random.Generator) -> Any:
    return rng.random(len(arms)) < P[arms]


def numbers_of(played: lotor.Simulation) -> list[Any]:
    return [played.curves.tolist(), played.rewards.tolist(), played.per_round]


class Functions(unittest.TestCase):
    def test_the_same_numbers_on_any_number_of_threads(self) -> None:
        world = lotor.World(reward=pay, means=lambda t: P, arms=3)
        one = lotor.simulate("ucb", world=world, horizon=200, runs=6, seed=5, threads=1)
        for threads in (1, 3):
            again = lotor.simulate("ucb", world=world, horizon=200, runs=6, seed=5, threads=threads)
            self.assertEqual(numbers_of(one), numbers_of(again))
        other = lotor.simulate("ucb", world=world, horizon=200, runs=6, seed=6)
        self.assertNotEqual(numbers_of(one), numbers_of(other))
        self.assertEqual(len({tuple(run) for run in one.curves.tolist()}), 6)  # every run has its own numbers

    def test_the_law_of_the_built_in_world(self) -> None:
        """The mean regrets of 200 runs differ by at most 5 standard errors: a false alarm once in 1.7 million."""
        ours = lotor.simulate("ucb", world=lotor.World(reward=pay, means=P), horizon=300, runs=200, seed=1)
        theirs = lotor.simulate("ucb", means=P, horizon=300, runs=200, seed=2)
        error = math.hypot(ours.standard_error[-1], theirs.standard_error[-1])
        self.assertLess(abs(ours.regret[-1] - theirs.regret[-1]), 5 * error)
        self.assertGreater(abs(ours.regret[-1] - 1.2 * theirs.regret[-1]), 5 * error)

    def test_what_the_functions_get(self) -> None:
        seen: list[Any] = []

        def reward(t: int, arms: Any, rng: np.random.Generator) -> list[float]:
            seen.append((t, arms.tolist(), isinstance(rng, np.random.Generator)))
            return [0.25] * len(arms)

        played = lotor.simulate("cucb", world=lotor.World(reward=reward, arms=3), slots=2, horizon=4, runs=2)
        self.assertEqual([t for t, _, _ in seen], [1, 2, 3, 4] * 2)
        self.assertTrue(all(len(arms) == 2 and drawn for _, arms, drawn in seen))
        self.assertTrue(math.isnan(played.regret[-1]) and math.isnan(played.best_per_round))
        self.assertEqual(played.per_round, 0.5)  # both arms pay
        self.assertEqual(played.rewards[:, -1].tolist(), [2.0, 2.0])
        self.assertIn("regret is not known", str(played))

    def test_means_without_rewards_are_coins(self) -> None:
        by_function = lotor.World(means=lambda t: [0, 1] if t <= 50 else [1, 0], arms=2)
        by_table = lotor.World(means=[[0, 1]] * 50 + [[1, 0]] * 50)
        one = lotor.simulate("ucb", world=by_function, horizon=100, runs=1)
        two = lotor.simulate("ucb", world=by_table, horizon=100, runs=1)
        self.assertEqual(one.best_per_round, 1)
        self.assertEqual(one.curves.tolist(), two.curves.tolist())  # these rewards are not random

    def test_contexts(self) -> None:
        theta = np.array([0.5, -0.5])
        contexts: list[Any] = []

        def context(t: int, rng: np.random.Generator) -> Any:
            contexts.append(rng.uniform(-0.5, 0.5, (4, 2)))
            return contexts[-1]

        world = lotor.World(
            reward=lambda t, arms, rng, actions: actions[arms] @ theta,
            means=lambda t, actions: actions @ theta,
            context=context,
            arms=4,
            dimension=2,
        )
        self.assertEqual(repr(world), "<lotor.World: functions, 4 arms, 2 dimensions>")
        played = lotor.simulate("linucb", world=world, horizon=300, runs=2)
        self.assertLess(played.regret[-1], 30)
        best = np.mean([(each @ theta).max() for each in contexts])
        self.assertAlmostEqual(played.best_per_round, best)
        first = contexts[:]
        contexts.clear()
        lotor.simulate("ucb", world=world, horizon=300, runs=2)  # shows other arms, and sees the same contexts
        self.assertTrue(np.array_equal(first, contexts))

    def test_exceptions_come_out(self) -> None:
        def until_round_7(value: Any) -> Any:
            def function(t: int, *_: Any) -> Any:
                if t == 7:
                    raise KeyError("round 7")
                return value

            return function

        actions = until_round_7(np.zeros((3, 2)))
        for name, world in (
            ("ucb", lotor.World(reward=until_round_7(0.5), arms=3)),
            ("ucb", lotor.World(reward=pay, means=until_round_7(P), arms=3)),
            ("linucb", lotor.World(reward=lambda t, arms, rng, x: 0.5, context=actions, arms=3, dimension=2)),
        ):
            for threads in (1, 3):
                with self.subTest(world=world, threads=threads), self.assertRaisesRegex(KeyError, "round 7"):
                    lotor.simulate(name, world=world, horizon=10, threads=threads)
        with self.assertRaises(KeyboardInterrupt):
            lotor.simulate("ucb", world=lotor.World(reward=interrupted, arms=3), horizon=10)

    def test_results_that_make_no_sense(self) -> None:
        cases: list[tuple[Any, type[Exception], str]] = [
            (lambda t, arms, rng: 1.5, lotor.RangeError, "in round 1 of run 0, the reward of arm . is 1.5; .*[0,1]"),
            (lambda t, arms, rng: math.nan, lotor.RangeError, "is nan"),
            (lambda t, arms, rng: math.inf, lotor.RangeError, "is inf"),
            (lambda t, arms, rng: -0.5, lotor.RangeError, "is -0.5"),
            (lambda t, arms, rng: None, TypeError, "reward must return numbers, not None"),
            (lambda t, arms, rng: "a lot", TypeError, "reward must return numbers, not 'a lot'"),
            (lambda t, arms, rng: 1j, TypeError, "numbers"),
            (lambda t, arms, rng: [0.5, 0.5], lotor.InvalidError, r"reward returned an array of shape \(2,\) in round 1: .*\(1,\)"),
            (lambda t, arms, rng: [], lotor.InvalidError, r"shape \(0,\)"),
            (lambda t: 0.5, TypeError, "argument"),
        ]
        for reward, kind, says in cases:
            with self.subTest(says=says), self.assertRaisesRegex(kind, says):
                lotor.simulate("ucb", world=lotor.World(reward=reward, arms=3), horizon=10, runs=1)
        for means in ([0.5, 0.5], [[0.5] * 3], 0.5):
            world = lotor.World(reward=pay, means=lambda t, means=means: means, arms=3)
            with self.assertRaisesRegex(lotor.InvalidError, r"means returned an array of shape .* expected \(3,\)"):
                lotor.simulate("ucb", world=world, horizon=10)

    def test_a_wide_range(self) -> None:
        stars = lotor.World(reward=lambda t, arms, rng: 1.0 + arms, means=[1, 2, 5], low=1, high=5)
        played = lotor.simulate("ucb", world=stars, horizon=50, runs=1)
        self.assertEqual(played.best_per_round, 5)
        self.assertTrue(1 <= played.per_round <= 5)

    def test_arguments_that_make_no_sense(self) -> None:
        cases: list[tuple[dict[str, Any], type[Exception], str]] = [
            ({}, lotor.InvalidError, "what does the world pay"),
            ({"reward": pay}, lotor.InvalidError, "arms is missing"),
            ({"reward": 0.5, "arms": 2}, TypeError, "reward must be a function, not float"),
            ({"reward": pay, "arms": 0}, lotor.InvalidError, "arms is 0"),
            ({"reward": pay, "arms": 2, "context": pay}, lotor.InvalidError, "context and dimension belong together"),
            ({"reward": pay, "arms": 2, "dimension": 2}, lotor.InvalidError, "context and dimension belong together"),
            ({"reward": pay, "arms": 2, "means": [0.5] * 3}, lotor.InvalidError, "arms is 2, but means has 3 columns"),
            ({"means": [0.5] * 3, "arms": 2}, lotor.InvalidError, "arms is 2, but means has 3 columns"),
            ({"means": np.zeros((3, 4, 5))}, lotor.InvalidError, r"means has shape \(3, 4, 5\): expected \(rounds, arms\)"),
            ({"means": []}, lotor.InvalidError, r"means has shape \(0,\): expected \(rounds, arms\)"),
            ({"means": 0.5}, lotor.InvalidError, r"means has shape \(\): expected"),
            ({"means": ["a", "b"]}, TypeError, "means must be an array of numbers"),
            ({"means": [0.5], "low": 0, "high": 2}, lotor.InvalidError, "low and high are for functions"),
            ({"reward": pay, "arms": 2, "low": 1}, lotor.InvalidError, "give both"),
        ]
        for arguments, kind, says in cases:
            with self.subTest(says=says), self.assertRaisesRegex(kind, says):
                lotor.World(**arguments)
        world = lotor.World(means=P)
        for name, value in {"means": P, "instance": "c1", "arms": 3, "rewards": "beta", "gap": 0.1}.items():
            with self.subTest(name=name), self.assertRaisesRegex(lotor.InvalidError, f"{name} and a World are both given"):
                lotor.simulate("ucb", world=world, horizon=10, **{name: value})
        with self.assertRaisesRegex(TypeError, "world must be a lotor.World"):
            lotor.simulate("ucb", world=P, horizon=10)  # type: ignore[arg-type]
        with self.assertRaisesRegex(lotor.InvalidError, "linucb chooses among actions"):
            lotor.simulate("linucb", world=lotor.World(reward=pay, arms=3), horizon=10)


def interrupted(t: int, arms: Any, rng: np.random.Generator) -> float:
    raise KeyboardInterrupt


class Tables(unittest.TestCase):
    def test_the_caller_may_change_the_arrays_afterwards(self) -> None:
        means = np.array([[0.9, 0.1]])
        arms, rewards = np.array([0, 1] * 50, np.uint32), np.tile([1.0, 0.0], 50)
        worlds = [lotor.World(means=means), lotor.World.from_log(arms, rewards, unbiased=False)]
        before = [lotor.simulate("ucb", world=world, horizon=100, runs=2, seed=1).per_round for world in worlds]
        means[:], arms[:], rewards[:] = 0.5, 0, 0.5
        after = [lotor.simulate("ucb", world=world, horizon=100, runs=2, seed=1).per_round for world in worlds]
        self.assertEqual(before, after)

    def test_rewards_by_hand(self) -> None:
        """The columns add up to 3, 1 and 0, so arm 0 is best in hindsight. A run shows each arm once: what it loses in
        a round is the difference to arm 0."""
        table = np.array([[1, 0, 0], [1, 0.5, 0], [1, 0.5, 0]])
        played = lotor.simulate("ucb", world=lotor.World.from_rewards(table), horizon=3, runs=30, shown_at_checkpoints=True)
        assert played.shown_at is not None
        shown = np.diff(played.shown_at, axis=1, prepend=0)  # (runs, rounds, arms): 1 for the arm of the round
        paid = (shown * table).sum(axis=2).cumsum(axis=1)
        self.assertTrue(np.allclose(played.rewards, paid))
        self.assertTrue(np.allclose(played.curves, np.array([1, 2, 3]) - paid))
        self.assertEqual(played.best_per_round, 1)

    def test_means_are_the_built_in_worlds(self) -> None:
        means = np.array([0.75, 0.5, 0.25])
        rows = np.array([np.roll(means, shift) for shift in range(3)])
        for name in ("ucb", "dp-se", "batch-klucb"):
            fixed = lotor.simulate(name, means=means, horizon=3000, epsilon=None if name == "ucb" else 1, seed=3)
            again = lotor.simulate(name, world=lotor.World(means=means), horizon=3000, epsilon=None if name == "ucb" else 1, seed=3)
            self.assertEqual(numbers_of(fixed), numbers_of(again))
            self.assertEqual(fixed.lower_bound, again.lower_bound)
            for law in ("bernoulli", "beta", "uniform", "gaussian:0.2"):
                arguments: dict[str, Any] = {"horizon": 3000, "runs": 3, "epsilon": None if name == "ucb" else 1}
                swaps = lotor.simulate(name, means=means, world="swaps:3", rewards=law, **arguments)
                for world in (
                    lotor.World.from_means(rows, starts=[0, 1000, 2000], rewards=law),
                    lotor.World.from_means(np.repeat(rows, 1000, axis=0), rewards=law),
                ):
                    self.assertEqual(numbers_of(swaps), numbers_of(lotor.simulate(name, world=world, **arguments)))

    def test_refusals(self) -> None:
        for table, says in (
            ([[0.5, 1.5]], "the reward of arm 1 in row 0 .* is 1.5; it must lie in .0,1."),
            ([[0.5, math.nan]], "is nan"),
            ([[0.5, 0.5]], "the table of rewards has 1 rows, but the horizon is 5"),
        ):
            with self.subTest(says=says), self.assertRaisesRegex(lotor.Error, says):
                lotor.simulate("ucb", world=lotor.World.from_rewards(table), horizon=5)
        for shape in ((3,), (0, 2), (2, 0), (2, 2, 2)):
            with self.assertRaisesRegex(lotor.InvalidError, r"table has shape .*: expected \(rounds, arms\)"):
                lotor.World.from_rewards(np.zeros(shape))
        two = [[0.5, 0.5], [0.1, 0.2]]
        with self.assertRaisesRegex(lotor.InvalidError, "the table of means has 2 rows, but the horizon is 5"):
            lotor.simulate("ucb", world=lotor.World.from_means(two), horizon=5)
        with self.assertRaisesRegex(lotor.InvalidError, "starts must increase"):
            lotor.simulate("ucb", world=lotor.World.from_means(two, starts=[0, 0]), horizon=5)
        with self.assertRaisesRegex(lotor.InvalidError, "starts has shape"):
            lotor.World.from_means(two, starts=[0])
        with self.assertRaisesRegex(lotor.InvalidError, "starts must have whole numbers"):
            lotor.World.from_means(two, starts=[-1, 5])
        with self.assertRaisesRegex(lotor.InvalidError, "rewards"):
            lotor.simulate("ucb", world=lotor.World.from_means(two, rewards="gamma"), horizon=2)


class Labels(unittest.TestCase):
    def test_by_hand(self) -> None:
        """In order, the classes are a, b, a, b, ... So the regret of a run is the number of rounds in which it shows the
        other class, and both classes are right in half of the rounds."""
        world = lotor.World.from_labels([[1.0, 0], [0, 1]], ["a", "b"], order="in order")
        played = lotor.simulate("ucb", world=world, horizon=6, runs=20, checkpoints="linear:6", shown_at_checkpoints=True)
        assert played.shown_at is not None
        shown = np.diff(played.shown_at, axis=1, prepend=0)
        right = np.tile([[1, 0], [0, 1]], (3, 1))
        self.assertTrue(np.array_equal(played.rewards, (shown * right).sum(axis=2).cumsum(axis=1)))
        self.assertTrue(np.array_equal(played.curves, np.arange(1, 7) - played.rewards))
        self.assertEqual(played.context_scale, 1)

    def test_orders(self) -> None:
        rng = np.random.default_rng(3)
        x, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
        for order in ("drawn", "shuffled", "in order"):
            world = lotor.World.from_labels(x, y, order=order)
            one = lotor.simulate("linucb", world=world, horizon=100, runs=4, threads=1)
            three = lotor.simulate("linucb", world=world, horizon=100, runs=4, threads=3)
            self.assertEqual(numbers_of(one), numbers_of(three))
            longest = np.linalg.norm(x, axis=1).max()
            self.assertAlmostEqual(one.context_scale / longest, 1)

    def test_every_linear_algorithm(self) -> None:
        world = lotor.World.from_labels([[3.0, 0], [0, 2], [-3, -1]], ["cat", "dog", "hen"])
        for each in lotor.algorithms():
            if each.problem == "linear":
                with self.subTest(algorithm=each.id):
                    played = lotor.simulate(each.id, world=world, horizon=50, runs=2)
                    self.assertTrue(0 <= played.per_round <= 1)
                    self.assertEqual(played.arms, 3)

    def test_a_csv_of_a_log_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "visits.csv"
            for header, label, columns in (
                ("arm,reward,propensity", "reward", "3 columns 'arm', 'reward', 'propensity'"),
                ("Age,Action,Clicked", "Action", "2 columns 'Action', 'Clicked'"),
                ("x,y,propensity", "y", "1 column 'propensity'"),
                ("x,variant,click", "variant", "2 columns 'variant', 'click'"),
            ):
                file.write_text(f"{header}\n0,1,1\n1,0,1\n")
                words = f"visits.csv looks like a log of decisions, with its {columns}.*from_log.*features="
                with self.subTest(header), self.assertRaisesRegex(lotor.InvalidError, words):
                    lotor.World.from_csv(file, label=label)
                first = header.split(",")[0]  # a user who names the features knows what the file is
                self.assertIn("labels", repr(lotor.World.from_csv(file, label=label, features=[first])))
            file.write_text("arm,weight,kind\n0,1,a\n1,0,b\n")  # an arm of the body, and no reward
            lotor.World.from_csv(file, label="kind")
            file.write_text("age,propensity_score,treated\n30,0.5,yes\n40,0.25,no\n")  # of a study, not of a log
            lotor.World.from_csv(file, label="treated")

    def test_csv(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "flowers.csv"

            def write(text: str) -> Path:
                file.write_text(text)
                return file

            world = lotor.World.from_csv(write('width, length,species\n1,2,"iris, blue"\n3,4,rose\n\n5,6,rose\n'), label="species")
            self.assertEqual(repr(world), "<lotor.World: labels, 3 examples, 2 features, 2 classes>")
            self.assertEqual(world.classes, ["iris, blue", "rose"])
            same = lotor.World.from_labels([[1, 2], [3, 4], [5, 6]], ["iris, blue", "rose", "rose"])
            one, two = (lotor.simulate("linucb", world=each, horizon=20) for each in (world, same))
            self.assertEqual(numbers_of(one), numbers_of(two))
            some = lotor.World.from_csv(write("a,colour,kind\n1,red,x\n2,blue,y\n"), label="kind", features=["a"])
            self.assertIn("1 feature,", repr(some))
            for text, says in (
                ("a,colour,kind\n1,red,x\n", "flowers.csv, line 2: 'colour' is 'red', but features are numbers"),
                ("a,b\n1,2\n", "no column 'kind': its columns are 'a', 'b'"),
                ("kind\nx\n", "no features"),
                ("a,kind\n", "no lines after its header"),
                ("", "no column 'kind'"),
                ("a,kind\n1\n", "line 2: 1 fields, but the header has 2"),
                ("a,a,kind\n1,2,x\n", "two columns of the same name"),
                ("kind,kind\n1,2\n", "more than one column 'kind'"),
                ("a,kind\nnan,x\n2,y\n", "feature 0 of example 0"),
            ):
                with self.subTest(text=text), self.assertRaisesRegex(lotor.Error, says):
                    lotor.simulate("linucb", world=lotor.World.from_csv(write(text), label="kind"), horizon=3)
            with self.assertRaises(FileNotFoundError):
                lotor.World.from_csv(Path(folder) / "none.csv", label="kind")

    def test_refusals(self) -> None:
        for x, y, says in (
            ([1, 2], [0, 1], r"features has shape \(2,\): expected \(examples, features\)"),
            ([[1], [2]], [0], r"labels has shape \(1,\): expected \(2,\)"),
            ([[1], [2]], [0, math.nan], "NaN"),
        ):
            with self.assertRaisesRegex(lotor.InvalidError, says):
                lotor.World.from_labels(x, y)
        with self.assertRaisesRegex(lotor.InvalidError, "order is 'random'"):
            lotor.World.from_labels([[1], [2]], [0, 1], order="random")


class Logs(unittest.TestCase):
    def test_unbiased_by_hand(self) -> None:
        """One arm, so every event is accepted: 1, 0, 1, 1. The standard error is sqrt(0.25/4)."""
        played = lotor.simulate("ucb", world=lotor.World.from_log([0] * 4, [1, 0, 1, 1]), horizon=10, runs=3)
        self.assertEqual((played.per_round, played.per_round_error), (0.75, 0.25))
        self.assertEqual((played.logged_events, played.accepted_events), (4, 4))
        self.assertEqual(played.shares.tolist(), [[1.0]] * 3)
        self.assertTrue(np.isnan(played.curves).all())
        self.assertEqual(str(played), "ucb: reward 0.750 +- 0.250 a round, unbiased replay: 4 of 4 events accepted, 3 runs")

    def test_propensities_make_it_unbiased(self) -> None:
        """People of two kinds, logged by a choice that depends on the kind. Arm 0 pays 0.5 on average, and 0.74 among those
        who were shown it. A policy that shows arm 0 for ever is one with a single arm: events of the other arm are left
        out. The estimates of 300 logs average 0.5 within 5 standard errors (a false alarm once in 1.7 million)."""
        rng = np.random.default_rng(1)
        found: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(300):
            kind = rng.random(400) < 0.5
            chance = np.where(kind, 0.8, 0.2)
            shown = rng.random(400) < chance
            paid = (rng.random(400) < np.where(kind, 0.9, 0.1))[shown]
            for weighted, values in found.items():
                world = lotor.World.from_log(np.zeros(shown.sum()), paid, chance[shown] if weighted else None)
                values.append(lotor.simulate("ucb", world=world, horizon=400, runs=1).per_round)
        for weighted, truth in ((True, 0.5), (False, 0.74)):
            mean, error = np.mean(found[weighted]), np.std(found[weighted], ddof=1) / math.sqrt(300)
            self.assertLess(abs(mean - truth), 5 * error)
        self.assertGreater(abs(float(np.mean(found[False])) - 0.5), 0.1)

    def test_contexts(self) -> None:
        rng = np.random.default_rng(2)
        contexts = rng.uniform(-0.7, 0.7, (3000, 3, 2))
        arms = rng.integers(3, size=3000)
        rewards = contexts[np.arange(3000), arms] @ [1, 0]
        world = lotor.World.from_log(arms, rewards, contexts=contexts)
        played = lotor.simulate("linucb", world=world, horizon=3000, runs=2)
        self.assertGreater(played.per_round, 0.25)  # the best of three has 0.35 on average, a random one 0
        self.assertTrue(900 < played.accepted_events < 1100)
        again = lotor.simulate("linucb", world=world, horizon=3000, runs=2, threads=3)
        self.assertEqual(played.per_round, again.per_round)
        with self.assertRaisesRegex(lotor.InvalidError, r"contexts has shape \(3000, 2\): expected \(3000, arms, dimension\)"):
            lotor.World.from_log(arms, rewards, contexts=contexts[:, 0])
        with self.assertRaisesRegex(lotor.RangeError, "action 0 of event 0 .* is longer than 1"):
            lotor.simulate("linucb", world=lotor.World.from_log(arms, rewards, contexts=contexts + 3), horizon=10)

    def test_bootstrap(self) -> None:
        """The same numbers as a replay of a file."""
        arms, rewards = [0, 0, 1, 1, 2], [1, 0, 0.25, 0.75, 0.9]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "log.csv"
            file.write_text("arm,reward\n" + "".join(f"{arm},{reward}\n" for arm, reward in zip(arms, rewards)))
            theirs = lotor.simulate("ucb", instance=f"replay:{file}", horizon=500)
            unbiased = lotor.simulate("ucb", instance=f"unbiased-replay:{file}", horizon=500)
        ours = lotor.simulate("ucb", world=lotor.World.from_log(arms, rewards, unbiased=False), horizon=500)
        self.assertEqual(numbers_of(ours), numbers_of(theirs))
        again = lotor.simulate("ucb", world=lotor.World.from_log(arms, rewards), horizon=500)
        self.assertEqual(unbiased.per_round, again.per_round)
        self.assertEqual(unbiased.logged_events, 5)

    def test_refusals(self) -> None:
        cases: list[tuple[tuple[Any, ...], str]] = [
            (([], []), "arms is empty"),
            (([0, 1], [1]), r"rewards has shape \(1,\)"),
            (([0, 2, 2], [1, 1, 1]), "no reward of arm 1"),
            (([0, 1], [1, 2]), "the reward of event 1 .* is 2"),
            (([0, 1], [1, 1], [0.5, 0]), "the propensity of event 1 .* is 0"),
            (([0, 1], [1, 1], [0.5]), r"propensities has shape \(1,\)"),
            (([0, -1], [1, 1]), "arms must have whole numbers"),
            (([0, 0.5], [1, 1]), "arms must have whole numbers"),
        ]
        for arguments, says in cases:
            with self.subTest(says=says), self.assertRaisesRegex(lotor.Error, says):
                lotor.simulate("ucb", world=lotor.World.from_log(*arguments), horizon=5)
        with self.assertRaisesRegex(lotor.InvalidError, "^propensities are for unbiased replay: .* leave propensities out"):
            lotor.World.from_log([0, 1], [1, 1], [0.5, 0.5], unbiased=False)
        with self.assertRaisesRegex(lotor.InvalidError, "contexts are for unbiased replay"):
            lotor.World.from_log([0], [1], unbiased=False, contexts=[[[1.0]]])
        with self.assertRaisesRegex(lotor.InvalidError, "leave slots and structure out"):
            lotor.simulate("cucb", world=lotor.World.from_log([0, 1], [1, 1]), slots=2, horizon=5)


class Comparisons(unittest.TestCase):
    def test_worlds(self) -> None:
        functions = lotor.World(reward=pay, means=P)
        table = lotor.World.from_means([P, P[::-1]], starts=[0, 100])
        rule = lotor.IndexRule("mine", statistic="growing", index=lambda t, board: board.sums / np.maximum(board.counts, 1))
        result = lotor.compare(
            ["ucb", rule], worlds={"functions": functions, "table": table}, horizon=200, runs=3, jobs=2, progress=False
        )
        alone = lotor.simulate("ucb", world=functions, horizon=200, runs=3)
        self.assertEqual(result["ucb", None, "functions"].curves.tolist(), alone.curves.tolist())
        self.assertEqual(len(result), 4)

    def test_unknown_regret(self) -> None:
        world = lotor.World.from_log([0, 1] * 50, [1] * 100)
        result = lotor.compare(["ucb"], world=world, horizon=20, progress=False)
        self.assertNotIn("nan", str(result))
        self.assertIn("1.0000", str(result).splitlines()[3])  # all rewards are 1

    def test_a_world_without_lambdas_can_be_pickled(self) -> None:
        for world in (lotor.World(reward=pay, arms=3), lotor.World(means=P)):
            again = pickle.loads(pickle.dumps(world))
            one, two = (lotor.simulate("ucb", world=each, horizon=50) for each in (world, again))
            self.assertEqual(one.rewards.tolist(), two.rewards.tolist())


if __name__ == "__main__":
    unittest.main()
