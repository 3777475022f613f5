"""Budgets, whole numbers and arrays, on their way to the library."""

import math
import unittest
from decimal import Decimal
from fractions import Fraction

import lotor
import numpy as np
from lotor._numbers import array_of, ratio_of, whole


def pair(value: object) -> tuple[int, int]:
    ratio = ratio_of(value, "epsilon")  # type: ignore[arg-type]
    return ratio.num, ratio.den


class Budgets(unittest.TestCase):
    def test_exact(self) -> None:
        cases = [
            (1, (1, 1)),
            (0.1, (1, 10)),
            (1e-5, (1, 100000)),
            (2.5, (5, 2)),
            ("0.1", (1, 10)),
            (Fraction(1, 3), (1, 3)),
            (Decimal("0.25"), (1, 4)),
            (np.float64(0.1), (1, 10)),
            (np.float32(0.1), (1, 10)),
            (np.int64(3), (3, 1)),
            (math.inf, (1, 0)),
            ("inf", (1, 0)),
            (Decimal("Infinity"), (1, 0)),
            (0, (0, 1)),
            (2**53 + 1, (2**53 + 1, 1)),
        ]
        for value, expected in cases:
            with self.subTest(value=value):
                self.assertEqual(pair(value), expected)

    def test_what_does_not_fit_is_rounded_down(self) -> None:
        for value in (Fraction(10**30 // 3, 10**30), Fraction(2**80 + 1, 2**78), Fraction(math.pi)):
            num, den = pair(value)
            self.assertTrue(0 <= value - Fraction(num, den) < Fraction(1, 10**17))

    def test_a_text_ends_where_it_ends(self) -> None:
        """The library's texts end at a character 0."""
        for call in (
            lambda: ratio_of("1\0e9", "epsilon"),
            lambda: lotor.Policy("dp-se\0-acc", arms=2, epsilon=1, horizon=10),
            lambda: lotor.simulate("dp-se", instance="c1\0", horizon=10),
            lambda: lotor.Counter("tree\0", epsilon=1, horizon=10),
        ):
            with self.assertRaisesRegex(lotor.InvalidError, "character 0"):
                call()

    def test_what_is_masked_is_no_number(self) -> None:
        hidden = np.ma.masked_array([0.5, 0.25], [False, True])
        policy = lotor.Policy("cucb", arms=3, slots=2)
        decision = policy.choose()
        for rewards in (hidden, np.ma.masked):
            with self.assertRaisesRegex(lotor.InvalidError, "masked"):
                policy.observe(decision, rewards)
        with self.assertRaisesRegex(lotor.InvalidError, "masked"):
            lotor.Counter("tree", epsilon=1, horizon=10).add(hidden)
        with self.assertRaisesRegex(lotor.InvalidError, "masked"):
            lotor.simulate("dp-se", means=hidden, horizon=10)
        policy.observe(decision, np.ma.masked_array([0.5, 0.25]))

    def test_refused(self) -> None:
        negative, small = (-1, -0.5, "-1", Fraction(-1, 2)), (Fraction(1, 10**30), "1e-30")
        for value in (*negative, *small, math.nan, "a", "", 2**63, 1e30, Decimal("NaN"), Decimal("1e999999999"),
                      Decimal("1e-999999999"), Decimal(-1)):
            with self.subTest(value=value), self.assertRaises(lotor.InvalidError) as caught:
                pair(value)
            self.assertIn("epsilon", str(caught.exception))
        for value in (True, None, [1], 1j):
            with self.subTest(value=value), self.assertRaises(TypeError):
                pair(value)


class Whole(unittest.TestCase):
    def test_whole(self) -> None:
        self.assertEqual([whole(v, "x") for v in (3, 1e6, np.int32(4), np.float64(5))], [3, 10**6, 4, 5])
        for value in (True, 1.5, "3", None, math.inf, math.nan):
            with self.subTest(value=value), self.assertRaises(TypeError):
                whole(value, "x")  # type: ignore[arg-type]
        for value in (-1, 2**64):
            with self.subTest(value=value), self.assertRaises(lotor.InvalidError):
                whole(value, "x")


class Arrays(unittest.TestCase):
    def test_copies_where_it_has_to(self) -> None:
        straight = np.arange(6.0).reshape(2, 3)
        self.assertIs(array_of(straight, np.float64, "x", (2, 3)), straight)
        turned = array_of(straight.T, np.float64, "x", (3, 2))
        self.assertTrue(turned.flags.c_contiguous)
        self.assertEqual(turned.tolist(), straight.T.tolist())
        self.assertEqual(array_of([True, False], np.float64, "x", (None,)).tolist(), [1.0, 0.0])
        self.assertEqual(array_of([1.0, 2.0], np.uint32, "x", (None,)).tolist(), [1, 2])

    def test_refused(self) -> None:
        for values, dtype, shape in (
            ([1, 2], np.float64, (3,)),
            ([[1, 2]], np.float64, (None,)),
            (1.0, np.float64, (None,)),
            ([0.5], np.uint32, (None,)),
            ([-1], np.uint32, (None,)),
            ([2**32], np.uint32, (None,)),
            ([2**63], np.int64, (None,)),
            ([math.nan], np.uint32, (None,)),
        ):
            with self.subTest(values=values), self.assertRaises(lotor.InvalidError):
                array_of(values, dtype, "x", shape)
        for values in (["a"], [None], [1j]):
            with self.subTest(values=values), self.assertRaises(TypeError):
                array_of(values, np.float64, "x", (None,))


if __name__ == "__main__":
    unittest.main()
