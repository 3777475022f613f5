"""Errors and warnings speak Python: they name parameters as the user types them."""

import inspect
import math
import re
import unittest
import warnings
from typing import Any, Callable

import lotor
import numpy as np
from lotor import _native
from lotor.catalog import algorithms

POLICY, SIMULATE, AUDIT, COUPLE = lotor.Policy, lotor.simulate, lotor.audit, lotor.couple
MEANS = [0.5, 0.4]

LINUCB = {"algorithm": "linucb", "arms": 2, "horizon": 9, "dimension": 2}
DP_SE = {"algorithm": "dp-se", "horizon": 100, "epsilon": 1}

# Calls that are refused: a function, its arguments, and words that the message must contain.
REFUSED: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (POLICY, {"algorithm": "dp-se", "arms": 2, "epsilon": 1}, "horizon"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9}, "epsilon"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 0}, "epsilon"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": -1}, "epsilon"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": math.nan}, "epsilon"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "slots": 2}, "one arm a round"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "delta": 2}, "delta"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "beta": 5}, "beta"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "cascade": True}, "cascade"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "default_reward": 7}, "default reward"),
    (POLICY, {"algorithm": "dp-se", "arms": 2, "horizon": 9, "epsilon": 1, "low": 0, "high": math.inf}, "range"),
    (POLICY, {"algorithm": "ucb", "horizon": 9}, "arms"),
    (POLICY, {"algorithm": "ucb", "arms": 2**40, "horizon": 9}, "arms"),
    (POLICY, {"algorithm": "jdp-linucb-wishart", "arms": 2, "dimension": 2, "horizon": 9, "epsilon": 1}, "simulated"),
    (POLICY, {"algorithm": "linucb", "arms": 2, "horizon": 9}, "dimension"),
    (POLICY, {"algorithm": "linucb", "arms": 2, "horizon": 9, "dimension": 5000}, "dimension"),
    (POLICY, {**LINUCB, "context_length": 1e30}, "context_length"),
    (POLICY, {**LINUCB, "theta_length": 1e30}, "theta_length"),
    (POLICY, {**LINUCB, "regularizer": 1e30}, "regularizer"),
    (POLICY, {**LINUCB, "slots": 2}, "slots"),
    (POLICY, {"algorithm": "cascade-ucb", "arms": 4, "slots": 2, "low": 0, "high": 2}, "range"),
    (POLICY, {"algorithm": "lik-imed", "arms": 4, "epsilon": 1, "caution": 1e9}, "caution"),
    (POLICY, {"algorithm": "lik-imed", "arms": 4, "epsilon": 1, "lag": 1e9}, "lag"),
    (POLICY, {"algorithm": "lik-imed", "arms": 4, "epsilon": 1, "window": 2**62}, "window"),
    (POLICY, {"algorithm": "lik-imed", "arms": 4, "epsilon": 1, "variance": 2}, "variance"),
    (POLICY, {"algorithm": "omm", "arms": 4, "slots": 9}, "arms"),
    (POLICY, {"algorithm": "omm", "structure": lotor.Partition([0, 0, 5], [1, 1])}, "group"),
    (POLICY, {"algorithm": "omm", "structure": lotor.Graphic([[0, 1], [7**8, 1]])}, "vertices"),
    (POLICY, {"algorithm": "omm", "structure": lotor.Path([[0, 1], [1, 2]], 0, 2)}, "matroid"),
    (POLICY, {"algorithm": "cucb", "horizon": 9, "structure": lotor.Path([[0, 1], [1, 0]], 0, 1)}, ""),
    (SIMULATE, DP_SE, "means"),
    (SIMULATE, {**DP_SE, "algorithm": "DP-UCB", "means": MEANS}, "did you mean dp-ucb?"),
    (SIMULATE, {**DP_SE, "means": MEANS, "instance": "c1"}, "instance"),
    (SIMULATE, {**DP_SE, "means": [0.5, 1.5]}, "1.5"),
    (SIMULATE, {**DP_SE, "instance": "c9"}, "instance"),
    (SIMULATE, {**DP_SE, "instance": "table-6.1"}, "give slots"),
    (SIMULATE, {"algorithm": "cascade-dp", "horizon": 100, "epsilon": 1, "instance": "grid:2x2"}, "give slots"),
    (SIMULATE, {**DP_SE, "means": MEANS, "rewards": "gold"}, "rewards"),
    (SIMULATE, {**DP_SE, "means": MEANS, "rewards": "beta", "concentration": -1}, "concen"),
    (SIMULATE, {**DP_SE, "means": MEANS, "world": "spins:3"}, "world"),
    (SIMULATE, {**DP_SE, "means": MEANS, "delay": "soon"}, "delay"),
    (SIMULATE, {**DP_SE, "means": MEANS, "checkpoints": "all"}, "checkpoints"),
    (SIMULATE, {"algorithm": "dp-se", "horizon": 2**60, "epsilon": 1, "means": MEANS}, "rounds"),
    (SIMULATE, {**DP_SE, "means": MEANS, "runs": 10**9}, "runs"),
    (SIMULATE, {**DP_SE, "means": MEANS, "noise_scale": math.inf}, "noise scale"),
    (SIMULATE, {**DP_SE, "means": MEANS, "slots": 2}, "one arm a round"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "means": MEANS}, "give a dimension and the number of arms"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "instance": "c1"}, "dimension"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "arms": 3, "dimension": 2, "rewards": "beta"}, "rewards"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "arms": 3, "dimension": 2, "gap": math.nan}, "gap"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "arms": 3, "dimension": 2, "gap": 9}, "gap"),
    (SIMULATE, {"algorithm": "linucb", "horizon": 100, "arms": 3, "dimension": 5000}, "dimensions"),
    (SIMULATE, {"algorithm": "ucb", "horizon": 100, "means": MEANS, "gap": math.nan}, "gap"),
    (SIMULATE, {**LINUCB, "algorithm": "jdp-linucb-wishart", "epsilon": 1, "noise_scale": 2}, ""),
    (AUDIT, {"algorithm": "dp-se", "epsilon": 0}, "epsilon"),
    (AUDIT, {"algorithm": "dp-se", "view": "windows"}, "view"),
    (AUDIT, {"algorithm": "dp-se", "view": "reports"}, "reports"),
    (AUDIT, {"algorithm": "dp-se", "trials": 3}, "trials"),
    (AUDIT, {"algorithm": "dp-se", "trials": 2**50}, "trials"),
    (AUDIT, {"algorithm": "dp-se", "horizon": 2**50}, "rounds"),
    (AUDIT, {"algorithm": "dp-se", "confidence": 2}, "confidence"),
    (AUDIT, {"algorithm": "dp-se", "noise_scale": math.inf}, "noise scale"),
    (AUDIT, {"algorithm": "dp-se", "delta": 1}, "delta"),
    (AUDIT, {"algorithm": "dp-es"}, "dp-se"),
    (COUPLE, {"algorithm": "dp-es"}, "dp-se"),
    (COUPLE, {"algorithm": "dp-se", "traces": 2**50}, "traces"),
    (COUPLE, {"algorithm": "dp-se", "noise_scale": math.inf}, "noise scale"),
]


def c_only_names() -> set[str]:
    """Fields of the parameters in C that no Python function takes, if they can't be words of a sentence."""
    structs = (_native.PolicyParams, _native.SimulateParams, _native.AuditParams, _native.CoupleParams)
    taken = {name for each in (POLICY, SIMULATE, AUDIT, COUPLE) for name in inspect.signature(each).parameters}
    return {name for each in structs for name, *_ in each._fields_ if "_" in name} - taken


class Messages(unittest.TestCase):
    def test_refusals_name_parameters_of_python(self) -> None:
        spelling = re.compile(r"policy\.|params|\bhas_|\bis_[a-z]|LOTOR_|lotor_|NULL|->|0/0|\blotor run\b|--[a-z]")
        self.assertIn("has_gap", c_only_names())
        self.assertNotIn("noise_scale", c_only_names())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lotor.UnusedOptionWarning)
            for function, arguments, words in REFUSED:
                with self.subTest(function=function.__name__, **arguments):
                    with self.assertRaises(lotor.Error) as caught:
                        function(**arguments)
                    message = str(caught.exception)
                    self.assertIn(words, message)
                    self.assertNotRegex(message, spelling)
                    for name in c_only_names():
                        self.assertNotIn(name, message)

    def test_rounds_name_parameters_of_python(self) -> None:
        policy = lotor.Policy("linucb", arms=3, dimension=2, horizon=9)
        for context in (None, np.full((3, 2), 9.0), np.full((3, 2), math.nan)):
            with self.assertRaises(lotor.Error) as caught:
                policy.choose(context)
            self.assertNotRegex(str(caught.exception), "lotor_|LOTOR_|NULL|policy\\.")


def warned(function: Callable[..., Any], **arguments: Any) -> list[str]:
    """The options that are warned of. Each warning must point to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(**arguments)
    for each in caught:
        assert each.category is lotor.UnusedOptionWarning, each
        assert each.filename == __file__, each.filename
    return sorted(str(each.message).split()[0] for each in caught)


class Unused(unittest.TestCase):
    def test_policies(self) -> None:
        ucb = {"algorithm": "ucb", "arms": 3, "horizon": 99}
        self.assertEqual(warned(lotor.Policy, **ucb), [])
        for option, value in (
            ("epsilon", 1),
            ("delta", 0.1),
            ("beta", 0.1),
            ("caution", 2),
            ("lag", 2),
            ("window", 99),
            ("alarm", True),
            ("variance", 0.1),
            ("dimension", 3),
            ("context_length", 2.0),
            ("theta_length", 2.0),
            ("regularizer", 2.0),
        ):
            with self.subTest(option=option):
                self.assertEqual(warned(lotor.Policy, **ucb, **{option: value}), [option])
        self.assertEqual(warned(lotor.Policy, **ucb, epsilon=math.inf, delta=0, alarm=False), [])

    def test_used_options_are_quiet(self) -> None:
        imed = {"caution": 2, "lag": 2, "window": 99, "alarm": True, "variance": 0.1}
        self.assertEqual(warned(lotor.Policy, algorithm="lik-imed", arms=3, epsilon=1, **imed), [])
        self.assertEqual(
            warned(lotor.Policy, algorithm="rr-imed", arms=3, epsilon=1, **imed), ["alarm", "variance", "window"]
        )
        linear = {"dimension": 2, "context_length": 2, "theta_length": 2, "regularizer": 2}
        self.assertEqual(warned(lotor.Policy, algorithm="linucb", arms=3, horizon=99, **linear), [])
        vectors = lotor.Linear([[1, 0], [0, 1], [1, 1]])
        self.assertEqual(warned(lotor.Policy, algorithm="omm", structure=vectors, dimension=7), ["dimension"])

    def test_every_delta(self) -> None:
        """A delta is taken where the catalog has one, and only there."""
        for row in algorithms():
            if row.private and not row.simulation_only:
                more = {"dimension": 2} if row.problem == "linear" else {}
                given = {"algorithm": row.id, "arms": 4, "horizon": 100, "epsilon": "0.5", "delta": "1e-6", **more}
                with self.subTest(algorithm=row.id):
                    self.assertEqual(warned(lotor.Policy, **given), [] if row.delta else ["delta"])

    def test_simulations(self) -> None:
        world = {"algorithm": "ucb", "means": MEANS, "horizon": 99}
        self.assertEqual(warned(lotor.simulate, **world), [])
        for option, value in (("epsilon", 1), ("gap", 0.1), ("noise_scale", 2), ("concentration", 3), ("delta", 0.1)):
            with self.subTest(option=option):
                self.assertEqual(warned(lotor.simulate, **world, **{option: value}), [option])
        self.assertEqual(warned(lotor.simulate, **world, rewards="beta", concentration=3), [])

    def test_an_unused_option_changes_nothing(self) -> None:
        plain = lotor.simulate("dp-se", means=MEANS, horizon=1000, epsilon=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            more = lotor.simulate("dp-se", means=MEANS, horizon=1000, epsilon=1, delta=0.1, gap=0.1, window=7, lag=2)
        self.assertEqual(plain.regret.tolist(), more.regret.tolist())

    def test_audits(self) -> None:
        audit = {"algorithm": "dp-se", "trials": 1000, "seed": 1}
        self.assertEqual(warned(lotor.audit, **audit), [])
        self.assertEqual(warned(lotor.audit, **audit, delta=0.1), ["delta"])


if __name__ == "__main__":
    unittest.main()
