"""The output of a notebook and of a prompt."""

import math
import re
import unittest
from dataclasses import replace
from xml.etree import ElementTree

import lotor


def text_of(html: str) -> str:
    """The words that a page shows. Fails if the HTML is not well-formed."""
    return " ".join(" ".join(ElementTree.fromstring(html).itertext()).split())


class Html(unittest.TestCase):
    def expect_self_contained(self, html: str) -> None:
        """Nothing is loaded or run, and colours are the page's own, apart from the stripe."""
        self.assertNotRegex(html, r"https?:|//|url\(|<script|<style|<img|<link|\bon[a-z]+=")
        colours = re.findall(r"[^-]color:([^;\"]+)", html)
        self.assertEqual(set(colours), {"inherit"})
        self.assertEqual(set(re.findall(r"background:([^;\"]+)", html)), {"transparent"})

    def test_guarantee(self) -> None:
        promise = lotor.Policy("dp-se", arms=5, epsilon=0.5, horizon=1000).guarantee
        html = promise._repr_html_()
        self.expect_self_contained(html)
        shown = text_of(html)
        self.assertTrue(shown.startswith("private: epsilon = 0.5, central model level strong: epsilon is at most 1"))
        self.assertIn("protected one round's feedback", shown)
        for word in (promise.meaning, promise.mechanism, promise.theorem, promise.assumes, "exact, from the operating system"):
            self.assertIn(" ".join(word.split()), shown)
        self.assertNotIn("None", shown)

    def test_guarantee_of_nothing(self) -> None:
        promise = lotor.Policy("ucb", arms=5, horizon=1000).guarantee
        shown = text_of(promise._repr_html_())
        self.assertTrue(shown.startswith("not private why not "))
        self.assertIn(promise.reason, shown)
        self.assertNotIn("protected", shown)
        simulated = lotor.simulate("dp-se", means=[0.5, 0.4], horizon=100, epsilon=1, runs=1).guarantee
        self.assertIn("protects nobody", text_of(simulated._repr_html_()))
        self.assertIn("protects nobody", repr(simulated))

    def test_texts_are_escaped(self) -> None:
        promise = lotor.Policy("dp-se", arms=5, epsilon=0.5, horizon=1000).guarantee
        hostile = replace(promise, mechanism="<script>alert('1')</script> & \"x\"")
        self.assertNotIn("<script>", hostile._repr_html_())
        self.assertIn("<script>alert('1')</script> & \"x\"", text_of(hostile._repr_html_()))

    def test_policy(self) -> None:
        policy = lotor.Policy("lik-imed", arms=1234, epsilon=1)
        html = policy._repr_html_()
        self.expect_self_contained(html)
        shown = text_of(html)
        self.assertTrue(shown.startswith("Policy algorithm lik-imed arms 1,234 private: epsilon = 1, central model"))
        linear = lotor.Policy("jdp-batch", arms=3, dimension=2, epsilon=1, horizon=100)
        self.assertIn("context 2 numbers for each arm", text_of(linear._repr_html_()))

    def test_closed_policies_are_shown(self) -> None:
        policy = lotor.Policy("lik-imed", arms=3, epsilon=1)
        policy.close()
        self.assertIn("Policy (closed)", text_of(policy._repr_html_()))
        self.assertEqual(repr(policy), "<lotor.Policy: lik-imed, 3 arms; private: epsilon = 1, central model; closed>")


class Prompt(unittest.TestCase):
    def test_policy(self) -> None:
        policy = lotor.Policy("jdp-batch", arms=3, dimension=2, epsilon=1, delta=1e-6, horizon=100)
        told = "private: epsilon = 1, delta = 1e-06, joint model"
        self.assertEqual(repr(policy), f"<lotor.Policy: jdp-batch, 3 arms; {told}>")
        self.assertEqual(repr(policy.guarantee), f"<lotor.Guarantee: {told}>")
        loaded = lotor.Policy.load(policy.save())
        self.assertEqual((repr(loaded), loaded.algorithm), (repr(policy), "jdp-batch"))

    def test_no_noise(self) -> None:
        policy = lotor.Policy("dp-se", arms=3, epsilon=math.inf, horizon=100)
        self.assertEqual(repr(policy), "<lotor.Policy: dp-se, 3 arms; not private>")


if __name__ == "__main__":
    unittest.main()
