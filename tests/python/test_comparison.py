"""Single runs of simulations, and comparisons: their numbers, files, processes and pictures."""

import io
import json
import math
import operator
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import lotor
import lotor.lab
import numpy as np
from lotor._bar import Bar
from lotor._describe import describe, differences
from lotor._student import t_quantile
from support import COMMAND, PATIENCE, interrupt

MEANS = [0.7, 0.5, 0.4]


def one_arm(most: int = 1) -> lotor.Oracle:
    """A structure of a Python function: cells with it are played in processes."""
    return lotor.Oracle(lambda indices: np.argsort(-indices)[:most], most=most)


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="lotor-python.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "results.npz"


class Curves(unittest.TestCase):
    def test_by_hand(self) -> None:
        """Two rounds of ucb show each arm once: one pays 1, the other costs 1."""
        played = lotor.simulate(
            "ucb", means=[1, 0], horizon=2, runs=8, seed=5, checkpoints="linear:2", shown_at_checkpoints=True
        )
        self.assertEqual(played.rounds.tolist(), [1, 2])
        self.assertEqual(played.curves[:, 1].tolist(), [1.0] * 8)
        self.assertEqual(played.rewards[:, 1].tolist(), [1.0] * 8)
        self.assertEqual((played.curves + played.rewards)[:, 0].tolist(), [1.0] * 8)
        assert played.shown is not None and played.shown_at is not None
        self.assertEqual(played.shown.tolist(), [[1, 1]] * 8)
        self.assertEqual(played.shown_at.shape, (8, 2, 2))
        self.assertEqual(played.shown_at[:, 0, 0].tolist(), played.rewards[:, 0].tolist())
        self.assertEqual(played.shares.tolist(), [[0.5, 0.5]] * 8)
        self.assertEqual(played.seed, 5)

    def test_means_of_the_runs(self) -> None:
        """The regret is the mean of the curves, added up in the order of the runs."""
        for algorithm in ("dp-se", "lik-imed", "ucb"):
            played = lotor.simulate(algorithm, means=MEANS, horizon=3000, runs=7)
            mean = np.zeros(len(played.rounds))
            for run, curve in enumerate(played.curves):
                mean += (curve - mean) / (run + 1)
            self.assertEqual(mean.tolist(), played.regret.tolist())
            np.testing.assert_allclose(
                played.curves.std(axis=0, ddof=1) / math.sqrt(7), played.standard_error, rtol=1e-9, atol=1e-12
            )
            assert played.shown is not None
            self.assertEqual(played.shown.sum(axis=1).tolist(), [3000] * 7)
            np.testing.assert_allclose(played.shown @ MEANS, played.rewards[:, -1], rtol=1e-9)
            self.assertEqual(played.quantile(0.5)[-1], played.regret_median)
            self.assertEqual(played.quantile(0.99)[-1], played.regret_99)
            self.assertEqual(played.quantile(1)[-1], played.regret_largest)

    def test_threads(self) -> None:
        def run(threads: int) -> bytes:
            played = lotor.simulate("dp-ucb", means=MEANS, horizon=2000, epsilon=1, threads=threads)
            assert played.shown is not None
            return played.curves.tobytes() + played.rewards.tobytes() + played.shown.tobytes()

        self.assertEqual(run(1), run(2))
        self.assertEqual(run(1), run(3))

    def test_as_in_the_command(self) -> None:
        line = "run dp-ucb --means 0.7,0.5,0.4 --horizon 500 --runs 3 --seed 7 --checkpoints 20,300 --curves --json"
        printed = subprocess.run([COMMAND, *line.split()], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        theirs = json.loads(printed.stdout)["curves"]
        ours = lotor.simulate("dp-ucb", means=MEANS, horizon=500, runs=3, seed=7, checkpoints=[20, 300])
        assert ours.shown is not None
        self.assertEqual(ours.curves.tolist(), theirs["regret"])
        self.assertEqual(ours.rewards.tolist(), theirs["reward"])
        self.assertEqual(ours.shown.tolist(), theirs["shown"])

    def test_checkpoints(self) -> None:
        def rounds(checkpoints: Any) -> list[int]:
            found: list[int] = lotor.simulate("ucb", means=MEANS, horizon=100, checkpoints=checkpoints).rounds.tolist()
            return found

        self.assertEqual(rounds("linear:4"), [25, 50, 75, 100])
        self.assertEqual(rounds("log:3"), [1, 10, 100])
        self.assertEqual(rounds(3), [1, 10, 100])
        self.assertEqual(rounds([7]), [7, 100])
        self.assertEqual(rounds([100]), [100])
        self.assertEqual(rounds(np.array([7.0, 50.0])), [7, 50, 100])
        self.assertEqual(rounds(range(98, 101)), [98, 99, 100])
        for wrong, words in (
            ([], "empty"),
            ([0, 5], "checkpoints"),
            ([5, 5], "increasing"),
            ([101], "past the last round"),
            ([-1, 5], "checkpoints"),
            ([1.5], "whole"),
            ([math.nan], "whole"),
            ([[1, 2]], "shape"),
            ("linear:0", "linear:0"),
            ("soon", "soon"),
            (0, "checkpoints"),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(lotor.Error) as caught:
                rounds(wrong)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(TypeError):
            rounds(["a"])

    def test_linear_worlds_count_no_arms(self) -> None:
        played = lotor.simulate("linucb", dimension=2, horizon=50, runs=2)
        self.assertIsNone(played.shown)
        self.assertEqual(played.curves.shape, played.rewards.shape)
        with self.assertRaisesRegex(lotor.InvalidError, "linear"):
            _ = played.shares
        with self.assertRaisesRegex(lotor.InvalidError, "q is 2"):
            played.quantile(2)

    def test_frame(self) -> None:
        played = lotor.simulate("ucb", means=MEANS, horizon=100, runs=3, checkpoints=5, seed=9)
        frame = played.to_frame()
        self.assertEqual(list(frame.columns), ["run", "round", "regret", "reward"])
        self.assertEqual(len(frame), 15)
        self.assertEqual(frame[frame["run"] == 2]["regret"].tolist(), played.curves[2].tolist())
        self.assertEqual(frame.attrs, {"lotor": lotor.__version__, "algorithm": "ucb", "seed": 9})
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "python3-pandas"):
            played.to_frame()


SETTING: dict[str, Any] = {
    "epsilons": [0.5, 2],
    "worlds": {"easy": [0.9, 0.1], "hard": {"means": [0.5, 0.45], "rewards": "beta"}},
    "horizon": 2000,
    "runs": 6,
    "seed": 4,
}


def arrays(result: lotor.Comparison) -> dict[Any, bytes]:
    return {key: played.curves.tobytes() + played.rewards.tobytes() for key, played in result.items()}


class Comparisons(Folder):
    def test_cells(self) -> None:
        result = lotor.compare(["ucb", "dp-se", "lik-imed"], **SETTING)
        self.assertEqual(len(result), 2 * (1 + 2 + 2))
        self.assertEqual(result.algorithms, ("ucb", "dp-se", "lik-imed"))
        self.assertEqual((result.epsilons, result.worlds), ((0.5, 2.0), ("easy", "hard")))
        ours = result["lik-imed", 0.5, "hard"]
        alone = lotor.simulate(
            "lik-imed", means=[0.5, 0.45], rewards="beta", epsilon=0.5, horizon=2000, runs=6, seed=4
        )
        self.assertEqual(ours.curves.tolist(), alone.curves.tolist())
        self.assertIs(result["ucb", 0.5, "easy"], result["ucb", 2, "easy"])  # it was played once
        self.assertIs(result["ucb", None, "easy"], result["ucb", "0.5", "easy"])
        self.assertIn(("dp-se", Fraction(1, 2), "easy"), result)
        for wrong in (("dp-se", 0.5), ("dp-se", 3, "easy"), ("dp-se", 0.5, "none"), "omm", ("ucb", 3, "easy"), (), 5):
            with self.subTest(wrong=wrong):
                self.assertNotIn(wrong, result)
                with self.assertRaises(KeyError):
                    result[wrong]

    def test_one_world(self) -> None:
        result = lotor.compare("lik-imed", instance="c2", horizon=500, epsilon="0.1", runs=2)
        self.assertEqual(list(result), [("lik-imed", 0.1, "c2")])
        self.assertEqual(result["lik-imed"].horizon, 500)
        self.assertEqual(list(lotor.compare("linucb", dimension=2, horizon=20, runs=2)), [("linucb", None, "world")])

    def test_options_of_one_algorithm(self) -> None:
        result = lotor.compare(
            {"bold": ("lik-imed", {"caution": 1}), "default": "lik-imed"}, means=MEANS, horizon=1000, runs=3
        )
        bold = lotor.simulate("lik-imed", means=MEANS, horizon=1000, runs=3, caution=1)
        self.assertEqual(result["bold"].curves.tolist(), bold.curves.tolist())
        self.assertNotEqual(result["default"].curves.tolist(), bold.curves.tolist())

    def test_jobs_change_nothing(self) -> None:
        """Equal arrays for any number of threads and processes."""
        algorithms = {"c": "lik-imed", "python": ("cucb", {"structure": one_arm()})}
        one = lotor.compare(algorithms, jobs=1, **SETTING)
        for jobs in (2, 3):
            self.assertEqual(arrays(lotor.compare(algorithms, jobs=jobs, **SETTING)), arrays(one))
        self.assertEqual(len(one), 2 * (2 + 1))

    def test_python_runs_in_other_processes(self) -> None:
        seen = self.folder / "seen"

        def pick(indices: Any) -> Any:
            with open(seen, "a") as file:
                file.write(f"{os.getpid()}\n")
            return [int(np.argmax(indices))]

        structure = lotor.Oracle(pick, most=1)
        for jobs, same in ((1, True), (2, False)):
            seen.write_text("")
            lotor.compare({"a": "cucb", "b": "cucb-dp"}, means=MEANS, horizon=20, runs=1, jobs=jobs, structure=structure)
            processes = set(seen.read_text().split())
            self.assertEqual(processes == {str(os.getpid())}, same)
            self.assertEqual(len(processes), jobs)

    def test_own_rules(self) -> None:
        """A rule runs in processes, and in a file it is told apart by its code. Without noise it is played once."""

        def rule(width: float, statistic: str = "growing") -> lotor.IndexRule:
            return lotor.IndexRule(
                f"mine-{statistic}", statistic, lambda t, board: board.means + width * np.sqrt(np.log(t) / board.counts)
            )

        ours = [rule(1.0), rule(1.0, "exact"), "lik-imed"]
        one = lotor.compare(ours, jobs=1, file=self.file, **SETTING)
        self.assertEqual(len(one), 2 * (2 + 1 + 2))
        self.assertEqual(one["mine-growing", 2, "easy"].algorithm, "mine-growing")
        self.assertEqual(arrays(lotor.compare(ours, jobs=2, **SETTING)), arrays(one))
        lotor.compare(rule(1.0), file=self.file, **SETTING)
        with self.assertRaisesRegex(lotor.InvalidError, "algorithm.index.code"):
            lotor.compare(rule(2.0), file=self.file, **SETTING)

    def test_own_worlds(self) -> None:
        """Functions run in processes, tables on threads, and both give the same numbers for any number of jobs."""

        def reward(t: int, arms: Any, rng: Any) -> Any:
            return rng.random(len(arms)) < 0.3 + 0.2 * arms

        worlds = {
            "functions": lotor.World(reward=reward, arms=3),
            "table": lotor.World(means=[[0.9, 0.1]] * 50 + [[0.1, 0.9]] * 50),
        }
        setting: dict[str, Any] = {"worlds": worlds, "horizon": 100, "runs": 3}
        one = lotor.compare(["ucb", "lik-imed"], jobs=1, **setting)
        for jobs in (2, 3):
            self.assertEqual(arrays(lotor.compare(["ucb", "lik-imed"], jobs=jobs, **setting)), arrays(one))
        self.assertTrue(np.isnan(one["ucb", None, "functions"].regret).all())
        self.assertGreater(one["ucb", None, "functions"].rewards[0, -1], 0)
        self.assertIn("functions", str(one))
        one.plot()

    def test_exceptions_of_processes(self) -> None:
        def pick(indices: Any) -> Any:
            raise KeyError("mine")

        structure = lotor.Oracle(pick, most=1)
        with self.assertRaises(KeyError) as caught:
            lotor.compare(["cucb", "cucb-dp"], means=MEANS, horizon=20, runs=1, jobs=2, structure=structure)
        self.assertIn("in pick", str(caught.exception.__cause__))

        def leave(indices: Any) -> Any:
            os._exit(3)

        structure = lotor.Oracle(leave, most=1)
        with self.assertRaisesRegex(lotor.Error, "ended with status 3"):
            lotor.compare(["cucb", "cucb-dp"], means=MEANS, horizon=20, runs=1, jobs=2, structure=structure)

    def test_refused(self) -> None:
        for changed, words in (
            ({"epsilon": 1}, "both given"),
            ({"epsilons": []}, "at least one"),
            ({"epsilons": "1"}, "at least one"),
            ({"epsilons": [1, "1.0"]}, "twice"),
            ({"epsilons": [-1]}, "epsilon"),
            ({"epsilons": [math.nan]}, "epsilon"),
            ({"means": MEANS}, "both given"),
            ({"jobs": 0}, "jobs"),
            ({"runs": 0}, "runs"),
            ({"horizon": 0}, "horizon"),
            ({"worlds": {"bad": [0.5, 1.5]}}, "ucb, bad: "),
            ({"worlds": {"bad": "c9"}}, "c9"),
        ):
            with self.subTest(changed=changed), self.assertRaises(lotor.Error) as caught:
                lotor.compare("ucb", **{**SETTING, **changed})
            self.assertIn(words, str(caught.exception))
        for changed in ({"worlds": [1]}, {"worlds": {}}, {"worlds": {"a": None}}, {"colour": 1}, {"threads": 2}):
            with self.subTest(changed=changed), self.assertRaises(TypeError):
                lotor.compare("ucb", **{**SETTING, **changed})
        for changed, words in (
            ({"epsilons": 1}, r"epsilons must be a list with at least one number, such as \[0.1, 1\], not 1: give epsilon=1"),
            ({"progress": 5}, "progress must be a function .* not 5"),
        ):
            with self.subTest(changed=changed), self.assertRaisesRegex(TypeError, words):
                lotor.compare("ucb", **{**SETTING, **changed})  # type: ignore[arg-type]
        with self.assertRaisesRegex(lotor.InvalidError, "twice"):
            lotor.compare(["ucb", "ucb"], **SETTING)
        with self.assertRaisesRegex(lotor.InvalidError, "empty"):
            lotor.compare([], **SETTING)
        with self.assertRaises(lotor.UnknownError):
            lotor.compare(["ucbb"], **SETTING)
        with self.assertRaises(TypeError):
            lotor.compare([3], **SETTING)
        with self.assertRaisesRegex(TypeError, "epsilon"):
            lotor.compare({"a": ("dp-se", {"epsilon": 1})}, **SETTING)

    def test_tables(self) -> None:
        result = lotor.compare(["ucb", "dp-se"], **{**SETTING, "worlds": {"<b>": [0.9, 0.1], "x": MEANS}})
        text = str(result).splitlines()
        self.assertEqual(text[0], f"lotor {lotor.__version__}, seed 4, 2,000 rounds, 6 runs")
        self.assertEqual(text[2].split()[:4], ["world", "algorithm", "epsilon", "regret"])
        self.assertEqual(len(text), 3 + 6 + 2)
        self.assertEqual({len(line) for line in text[2:9]}, {len(text[2])})
        html = result._repr_html_()
        self.assertNotIn("<b>", html)
        self.assertIn("&lt;b&gt;", html)
        self.assertEqual(html.count("<tr>"), 7)
        self.assertEqual(repr(result), "<lotor.Comparison of 6 cells>")
        frame = result.to_frame()
        self.assertEqual(list(frame.columns), ["algorithm", "epsilon", "world", "run", "round", "regret", "reward"])
        self.assertEqual(len(frame), sum(played.curves.size for played in result.values()))
        end = frame[(frame["algorithm"] == "dp-se") & (frame["epsilon"] == 2) & (frame["world"] == "x")]
        self.assertEqual(end["regret"].tolist(), result["dp-se", 2, "x"].curves.ravel().tolist())
        self.assertEqual(frame.attrs["seed"], 4)
        self.assertEqual(frame.attrs["worlds"]["x"], {"means": MEANS})
        self.assertEqual(frame.attrs["lotor"], lotor.__version__)
        json.dumps(result.settings)
        self.assertEqual(arrays(pickle.loads(pickle.dumps(result))), arrays(result))

    def test_difference_by_hand(self) -> None:
        result = lotor.compare(["ucb", "imed"], means=MEANS, horizon=1000, runs=4)
        found = result.difference("ucb", "imed")
        apart = (result["ucb"].curves - result["imed"].curves)[:, -1]
        self.assertAlmostEqual(found.mean[-1], sum(apart) / 4)
        spread = math.sqrt(sum((each - found.mean[-1]) ** 2 for each in apart) / 3)
        self.assertAlmostEqual(found.standard_error[-1], spread / 2)
        self.assertAlmostEqual(found.high[-1] - found.mean[-1], 3.182446 * spread / 2, places=4)  # Student, 3 degrees
        self.assertAlmostEqual(found.mean[-1] - found.low[-1], found.high[-1] - found.mean[-1])
        self.assertEqual((found.runs, found.confidence), (4, 0.95))
        self.assertTrue((result.difference("ucb", "ucb").mean == 0).all())
        one = lotor.compare(["ucb", "imed"], means=MEANS, horizon=100, runs=1).difference("ucb", "imed")
        self.assertTrue(np.isnan(one.standard_error).all() and np.isfinite(one.mean).all())
        with self.assertRaisesRegex(lotor.InvalidError, "confidence"):
            result.difference("ucb", "imed", confidence=1)
        two = lotor.compare("ucb", **SETTING)
        with self.assertRaisesRegex(lotor.InvalidError, "two worlds"):
            two.difference(("ucb", None, "easy"), ("ucb", None, "hard"))

    def test_pairing_helps(self) -> None:
        """Two epsilons of one algorithm share rewards and noise: the share was 0.02."""
        result = lotor.compare("dp-se", instance="c2", epsilons=[2, 2.1], horizon=2e5, runs=100)
        found = result.difference(("dp-se", 2), ("dp-se", 2.1))
        self.assertLess(found.variance_share, 0.2)
        independent = math.hypot(*(played.standard_error[-1] for played in result.values()))
        self.assertLess(found.standard_error[-1], 0.5 * independent)

    def test_student(self) -> None:
        for share, freedom, value in ((0.975, 1, 12.7062), (0.975, 2, 4.302653), (0.95, 30, 1.697261), (0.995, 10, 3.169273)):
            self.assertAlmostEqual(t_quantile(share, freedom), value, places=3)
        self.assertAlmostEqual(t_quantile(0.975, 10_000), t_quantile(0.975, 10_001), places=3)


class Progress(Folder):
    def test_share_goes_up_to_one(self) -> None:
        shares: list[float] = []
        lotor.compare(["ucb", "dp-se"], progress=shares.append, **SETTING)
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(shares[-1], 1)

    def test_stop(self) -> None:
        with self.assertRaises(lotor.StoppedError):
            lotor.compare(["ucb", "dp-se"], progress=lambda share: share >= 0.5, file=self.file, **SETTING)
        with np.load(self.file, allow_pickle=False) as archive:
            self.assertIn(int(archive["count"]), range(1, 6))

    def test_bar(self) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        screen, file = Terminal(), io.StringIO()
        for stream in (screen, file):
            bar = Bar(stream)
            bar.show(0.5, "dp-se")
            bar.show(1.0, "dp-se")
            bar.clear()
        self.assertIn("#...", screen.getvalue())
        self.assertIn("100% dp-se", screen.getvalue())
        self.assertTrue(screen.getvalue().endswith("\r"))
        self.assertEqual(file.getvalue(), "")

    def test_ctrl_c_ends_all_processes(self) -> None:
        pids = self.folder / "pids"

        def pick(indices: Any) -> Any:
            with open(pids, "a") as file:
                file.write(f"{os.getpid()}\n")
            time.sleep(0.01)
            return [int(np.argmax(indices))]

        structure = lotor.Oracle(pick, most=1)
        timer = threading.Timer(1.0, interrupt)
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                lotor.compare(["cucb", "cucb-dp"], means=MEANS, horizon=10**6, runs=1, jobs=2, structure=structure)
        finally:
            timer.cancel()
        for pid in set(pids.read_text().split()):
            self.assertFalse(Path(f"/proc/{pid}/stat").exists() and b") Z" not in Path(f"/proc/{pid}/stat").read_bytes())


class Files(Folder):
    def compare(self, algorithms: Any = ("ucb", "dp-se", "lik-imed"), **changed: Any) -> lotor.Comparison:
        return lotor.compare(algorithms, **{**SETTING, "file": self.file, **changed})

    def test_results_are_kept(self) -> None:
        first = self.compare()
        with mock.patch("lotor.comparison.simulate", side_effect=AssertionError("it was played again")):
            second = self.compare()
        self.assertEqual(arrays(first), arrays(second))
        for key, played in first.items():
            again = vars(second[key])
            for name, value in vars(played).items():
                np.testing.assert_equal(again[name], value)
            self.assertEqual(str(played.guarantee), str(second[key].guarantee))
        self.assertEqual(str(first), str(second))
        self.assertEqual([each.name for each in self.folder.iterdir()], ["results.npz"])

    def test_more_cells(self) -> None:
        """A file can grow: only new cells are played."""
        self.compare(["ucb"], epsilons=[0.5])
        played: list[str] = []

        def note(algorithm: str, **more: Any) -> lotor.Simulation:
            played.append(algorithm)
            return lotor.simulate(algorithm, **more)

        with mock.patch("lotor.comparison.simulate", side_effect=note):
            result = self.compare(["ucb", "dp-se"])
        self.assertEqual(played, ["dp-se"] * 4)
        self.assertEqual(arrays(result), arrays(lotor.compare(["ucb", "dp-se"], **SETTING)))

    def test_other_settings_are_refused(self) -> None:
        self.compare(["ucb"])
        for changed, words in (
            ({"seed": 5}, "seed: 5 here, 4 there"),
            ({"runs": 7}, "runs: 7 here, 6 there"),
            ({"horizon": 100}, "horizon: 100 here, 2000 there"),
            ({"checkpoints": 9}, "checkpoints: 9 here, 50 there"),
            ({"worlds": {"easy": [0.9, 0.2]}}, r"means: \[0.9, 0.2\] here, \[0.9, 0.1\] there"),
            ({"delay": 3}, "delay: 3 here, None there"),
        ):
            with self.subTest(changed=changed), self.assertRaisesRegex(lotor.InvalidError, words):
                self.compare(["ucb"], **changed)
        with mock.patch("lotor.comparison.VERSION", "9.9"), self.assertRaisesRegex(lotor.InvalidError, "lotor: '9.9' here"):
            self.compare(["ucb"])

    def test_functions_are_told_apart(self) -> None:
        setting = {"means": MEANS, "horizon": 50, "runs": 1, "file": self.file, "jobs": 1}

        def play(most: int, twist: float) -> None:
            pick = lambda indices: np.argsort(-indices * twist)[:most]  # noqa: E731
            lotor.compare("cucb", structure=lotor.Oracle(pick, most=most), **setting)

        play(1, 1.0)
        play(1, 1.0)  # the same code and the same closure
        with self.assertRaisesRegex(lotor.InvalidError, "structure.pick.code"):
            play(1, 2.0)
        with self.assertRaisesRegex(lotor.InvalidError, "structure.pick.code"):
            lotor.compare("cucb", structure=lotor.Oracle(lambda indices: [0], most=1), **setting)

    def test_descriptions(self) -> None:
        class Thing:
            def __init__(self, x: Any) -> None:
                self.x = x

        long = np.arange(1000.0)
        for a, b in ((1, 2), (1.0, math.nan), ([1], [1, 1]), (Thing(1), Thing(2)), (long, long + 1), (Fraction(1, 3), 1)):
            self.assertEqual(differences(describe(a), describe(a)), [])
            self.assertNotEqual(differences(describe(a), describe(b)), [])
            json.dumps(describe(a), allow_nan=False)
        loop = Thing(1)
        loop.x = loop
        self.assertIn("not checked", json.dumps(describe(loop)))

    def test_damaged_files_are_refused(self) -> None:
        self.compare(["ucb"])
        good = self.file.read_bytes()
        for bad in (b"", b"nonsense", good[:100], good[:-30], b"PK" + good[2:200]):
            self.file.write_bytes(bad)
            with self.subTest(bad=bad[:10]), self.assertRaises(lotor.DamagedError):
                self.compare(["ucb"])
            self.assertEqual(self.file.read_bytes(), bad)  # nothing is overwritten
        np.savez(self.file, other=np.arange(3))
        with self.assertRaises(lotor.DamagedError):
            self.compare(["ucb"])
        with self.assertRaises(lotor.IoError):
            self.compare(["ucb"], file=self.folder / "none" / "results.npz")

    def test_two_programs_are_noticed(self) -> None:
        def disturb(share: float) -> None:
            if share > 0:
                self.file.write_bytes(b"another program")

        with self.assertRaisesRegex(lotor.IoError, "another program"):
            self.compare(progress=disturb)

    def test_resume_after_ctrl_c(self) -> None:
        count = 0

        def stop(share: float) -> None:
            nonlocal count
            count += share >= 0.4
            if count:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.compare(progress=stop)
        with np.load(self.file, allow_pickle=False) as archive:
            self.assertIn(int(archive["count"]), range(1, 10))
        self.assertEqual(arrays(self.compare()), arrays(lotor.compare(["ucb", "dp-se", "lik-imed"], **SETTING)))

    def test_resume_after_kill(self) -> None:
        """Kills a process that plays two cells at once, as soon as its file has a cell. The next call goes on."""
        program = self.folder / "program.py"
        program.write_text(
            "import sys, lotor, numpy as np\n"
            "pick = lotor.Oracle(lambda indices: np.argsort(-indices)[:1], most=1)\n"
            "def play(file):\n"
            "    return lotor.compare({'fast': 'ucb', 'slow': ('cucb', {'structure': pick}), 'also': ('cucb-dp', {'structure': pick})},\n"
            "                         means=[0.7, 0.5, 0.4], horizon=5000, runs=5, jobs=2, file=file)\n"
            "if __name__ == '__main__':\n"
            "    play(sys.argv[1])\n"
        )
        process = subprocess.Popen([sys.executable, str(program), str(self.file)])
        limit = time.monotonic() + 60 * PATIENCE
        while not self.file.exists() and time.monotonic() < limit and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with np.load(self.file, allow_pickle=False) as archive:
            self.assertGreaterEqual(int(archive["count"]), 1)
        ask = f"import sys; sys.path.insert(0, {str(self.folder)!r}); import program, hashlib\n"
        ask += "for file in (sys.argv[1], None):\n"
        ask += "    print(hashlib.sha256(b''.join(p.curves.tobytes() for p in program.play(file).values())).hexdigest())"
        done = subprocess.run(
            [sys.executable, "-c", ask, str(self.file)], check=True, capture_output=True, text=True, timeout=120 * PATIENCE
        )
        resumed, whole = done.stdout.split()
        self.assertEqual(resumed, whole)


class Descriptions(unittest.TestCase):
    """Two functions that compute something else have different descriptions."""

    def test_parts_of_a_function_count(self) -> None:
        def scaled(t: int, *, scale: float = 1.0) -> float:
            return t * scale

        def other(t: int, *, scale: float = 2.0) -> float:
            return t * scale

        other.__name__ = "scaled"

        def caller(sign: int) -> Any:
            class Rule:
                __slots__ = ("scale",)

                def __init__(self, scale: float) -> None:
                    self.scale = scale

                if sign > 0:

                    def __call__(self, t: int) -> float:
                        return self.scale * t

                else:

                    def __call__(self, t: int) -> float:
                        return -self.scale * t

            return Rule

        for one, two in (
            (partial(scaled, scale=0.1), partial(scaled, scale=30.0)),
            (partial(divmod, 1), partial(divmod, 2)),
            (scaled, other),
            (caller(1)(1.0), caller(1)(2.0)),
            (caller(1)(1.0), caller(-1)(1.0)),
        ):
            self.assertEqual(describe(one), describe(one))
            self.assertNotEqual(describe(one), describe(two))

    def test_resuming_warns_of_what_is_not_checked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            whole = operator.itemgetter(slice(None))  # C code, whose state is not known
            rule = lotor.IndexRule("own", index=lambda t, board: whole(board.means))
            ask = dict(means=[0.6, 0.4], horizon=100, runs=2, seed=1, epsilon=1, file=Path(folder) / "a.npz")
            lotor.compare([rule], **ask)
            with self.assertWarnsRegex(RuntimeWarning, "can't be checked that .* did not change"):
                lotor.compare([rule], **ask)


class Unused(unittest.TestCase):
    """An option that one of several algorithms uses is not a mistake."""

    def warned(self, algorithms: list[str], **options: object) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lotor.compare(algorithms, means=[0.6, 0.4], horizon=100, runs=2, seed=1, **options)
        return [str(each.message) for each in caught]

    def test_one_uses_it(self) -> None:
        self.assertEqual(self.warned(["ucb", "lik-imed"], epsilon=1, caution=2.0), [])

    def test_none_uses_it(self) -> None:
        said = self.warned(["ucb", "dp-se"], epsilon=1, caution=2.0)
        self.assertEqual(said, ["caution is not used: it makes no difference to any of ucb, dp-se"])


class Seeded(unittest.TestCase):
    def play(self, policy: lotor.Policy, rounds: int = 300) -> list[int]:
        shown = []
        for _ in range(rounds):
            decision = policy.choose()
            shown.append(decision.arm)
            policy.learn(decision, float(decision.arm == 2))
        return shown

    def test_the_same_seed_twice(self) -> None:
        def shown(seed: int) -> list[int]:
            return self.play(lotor.lab.Policy("dp-ucb", arms=4, epsilon=1, horizon=1000, seed=seed))

        self.assertEqual(shown(7), shown(7))
        self.assertNotEqual(shown(7), shown(8))

    def test_it_stays_a_simulation(self) -> None:
        policy = lotor.lab.Policy("lik-imed", arms=4, epsilon=1, seed=7)
        self.play(policy)
        saved = policy.save()
        loaded = lotor.lab.Policy.load(saved)
        for each in (policy, loaded):
            self.assertFalse(each.guarantee.private)
            self.assertEqual(each.guarantee.noise, "simulation")
            self.assertIn("simulation: protects nobody", str(each.guarantee.reason))
            self.assertFalse(json.loads(each.guarantee.json())["private"])
            self.assertIn("not private", str(each.guarantee))
        self.assertEqual(self.play(policy), self.play(loaded))
        with self.assertRaisesRegex(lotor.InvalidError, "protects nobody"):
            lotor.Policy.load(saved)
        with self.assertRaises(lotor.DamagedError):
            lotor.lab.Policy.load(lotor.Policy("lik-imed", arms=4, epsilon=1).save())

    def test_refused(self) -> None:
        with self.assertRaises(TypeError):
            lotor.lab.Policy("lik-imed", arms=4, epsilon=1)  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            lotor.Policy("lik-imed", arms=4, epsilon=1, seed=1)  # type: ignore[call-arg]
        for seed in (-1, 2**64):
            with self.assertRaisesRegex(lotor.InvalidError, "seed"):
                lotor.lab.Policy("lik-imed", arms=4, epsilon=1, seed=seed)
        with self.assertRaises(lotor.UnknownError):
            lotor.lab.Policy("lik", arms=4, epsilon=1, seed=1)


class Pictures(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.result = lotor.compare(["ucb", "dp-se", "lik-imed"], **SETTING)

    def test_labels(self) -> None:
        """Every panel names its curves at their ends, and has a lower bound where one is proved."""
        picture = self.folder / "regret.png"
        figure = self.result.plot(picture, footer=True)
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(len(figure.axes), 4)
        titles = [axes.get_title(loc="left") for axes in figure.axes]
        self.assertEqual(titles, ["easy, epsilon 0.5", "easy, epsilon 2", "hard, epsilon 0.5", "hard, epsilon 2"])
        for axes, title in zip(figure.axes, titles):
            words = {text.get_text() for text in axes.texts}
            self.assertTrue({"ucb", "dp-se", "lik-imed"} <= words)
            # no bound is proved for beta rewards
            self.assertEqual(any("lower bound" in word for word in words), title.startswith("easy"))
            self.assertIsNone(axes.get_legend())
            heights = sorted(text.get_window_extent().y0 for text in axes.texts)
            self.assertTrue((np.diff(heights) > 5).all())  # pixels: no name on another one
        notes = figure.texts[0].get_text().replace("\n", " ")
        self.assertIn("They hold as T grows", notes)
        self.assertIn("10% to the 90% quantile", notes)
        self.assertIn(f"lotor {lotor.__version__}, seed 4", notes)
        self.assertNotIn("seed", self.result.plot().texts[0].get_text())

    def test_bound_is_drawn_where_it_makes_sense(self) -> None:
        axes = self.result.plot().axes[1]
        dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
        self.assertTrue(dashed)
        for line in dashed:
            self.assertEqual((round(min(line.get_xdata())), round(max(line.get_xdata()))), (200, 2000))
        per_log = self.result["lik-imed", 2, "easy"].lower_bound
        self.assertTrue(any(abs(max(line.get_ydata()) - per_log * math.log(2000)) < 1e-9 for line in dashed))
        self.assertFalse([line for line in self.result.plot(bound=False).axes[1].lines if line.get_linestyle() == "--"])

    def test_every_bound_has_its_own_name(self) -> None:
        def names(algorithms: Any, **more: Any) -> list[str]:
            axes = lotor.compare(algorithms, means=MEANS, horizon=2000, runs=2, **more).plot().axes[0]
            self.assertEqual(len({text.get_text() for text in axes.texts}), len(axes.texts))
            return sorted(text.get_text() for text in axes.texts if "lower bound" in text.get_text())

        # The first one has a delta, and no bound with privacy is proved for it.
        both = ["lower bound, local", "lower bound, no privacy"]
        self.assertEqual(names(["cucb-ldp-gauss", "rr-imed"], epsilon=0.5), both)
        self.assertEqual(names(["cucb-ldp-gauss", "rr-imed", "ucb"], epsilon=0.5), both)
        self.assertEqual(names(["rr-imed", "lik-imed"], epsilon=0.5), ["lower bound, central", "lower bound, local"])
        # Two bounds for the same privacy: the worlds are not the same.
        lists = {"one": "rr-imed", "two": ("rr-imed", {"slots": 2}), "central": "lik-imed"}
        expected = ["lower bound of one", "lower bound of two", "lower bound, central"]
        self.assertEqual(names(lists, epsilon=0.5), expected)

    def test_curves(self) -> None:
        played = self.result["dp-se", 0.5, "easy"]
        for center, values in (("mean", played.regret), ("median", played.quantile(0.5))):
            axes = self.result.plot(center=center, log=False, band=None).axes[0]
            line = next(each for each in axes.lines if each.get_label() == "dp-se")
            self.assertEqual(line.get_ydata().tolist(), values.tolist())
            self.assertEqual(axes.get_ylabel(), f"{center} regret")
            self.assertFalse(axes.collections)

    def test_band_of_the_mean(self) -> None:
        played = self.result["dp-se", 0.5, "easy"]
        for log in (False, True):
            figure = self.result.plot(band="ci", log=log)
            self.assertIn("95% confidence interval of the mean", figure.texts[0].get_text().replace("\n", " "))
            band = figure.axes[0].collections[list(self.result.algorithms).index("dp-se")]
            heights = band.get_paths()[0].vertices[:, 1]
            wide = t_quantile(0.975, played.runs - 1) * played.standard_error[-1]
            for end in (played.regret[-1] - wide, played.regret[-1] + wide):
                self.assertTrue(np.isclose(heights, end).any())
        with self.assertRaisesRegex(lotor.InvalidError, "band 'ci' is about the mean: give center='mean'"):
            self.result.plot(band="ci", center="median")

    def test_own_axes(self) -> None:
        from matplotlib.figure import Figure

        figure = Figure()
        left, right = figure.subplots(1, 2)
        one = lotor.compare(["ucb", "dp-se"], means=MEANS, horizon=1000, runs=3)
        self.assertIs(one.plot(self.folder / "two.png", ax=right), figure)
        self.assertEqual((len(figure.axes), len(left.lines), figure.texts), (2, 0, []))
        self.assertLessEqual({"ucb", "dp-se"}, {text.get_text() for text in right.texts})
        self.assertTrue((self.folder / "two.png").exists())
        with self.assertRaisesRegex(lotor.InvalidError, "ax has room for one panel, and this plot has 4"):
            self.result.plot(ax=left)
        with self.assertRaisesRegex(lotor.InvalidError, "footer"):
            one.plot(ax=left, footer=True)
        with self.assertRaisesRegex(TypeError, "ax must be a matplotlib Axes, not 3"):
            one.plot(ax=3)

    def test_rewards(self) -> None:
        """Where no regret is known, the rewards are drawn, and the table has no regret."""
        played = self.result["dp-se", 0.5, "easy"]
        axes = self.result.plot(what="reward").axes[0]
        line = next(each for each in axes.lines if each.get_label() == "dp-se")
        np.testing.assert_allclose(line.get_ydata(), (played.rewards / played.rounds).mean(axis=0))
        self.assertEqual(axes.get_ylabel(), "mean reward per round")
        nan = np.full_like(played.regret, math.nan)
        unknown = replace(played, regret=nan, standard_error=nan, curves=nan + played.curves, regret_median=math.nan)
        result = lotor.Comparison({("a", 1.0, "w"): unknown}, [1.0], self.result.settings)
        self.assertEqual(result.plot().axes[0].get_ylabel(), "mean reward per round")
        self.assertEqual(str(result).splitlines()[3].split()[2], "-")

    def test_hostile(self) -> None:
        one = lotor.compare(["ucb"], means=[0.5, 0.5], horizon=1, runs=1)  # nothing is lost: a log axis shows nothing
        one.plot(self.folder / "empty.svg")
        many = lotor.compare({f"$x_{i} <b> \\frac": "ucb" for i in range(12)}, means=MEANS, horizon=100, runs=2)
        many.plot(self.folder / "many.pdf")
        for wrong in ({"center": "mode"}, {"band": (0.9, 0.1)}, {"band": (0, 2)}, {"what": "fun"}):
            with self.subTest(wrong=wrong), self.assertRaises(lotor.InvalidError):
                one.plot(**wrong)
        for band in ("mean", "01", 0.9, (0.1, "x"), [0.5], {}, True):
            words = re.escape(f"band is {band!r}: give two shares of the runs such as (0.1, 0.9), 'ci', or None")
            with self.subTest(band=band), self.assertRaisesRegex(lotor.InvalidError, words):
                one.plot(band=band)
        one.plot(band=np.array([0.25, 0.75]))
        with mock.patch.dict(sys.modules, {"matplotlib": None}), self.assertRaisesRegex(ImportError, "python3-matplotlib"):
            one.plot()


if __name__ == "__main__":
    unittest.main()
