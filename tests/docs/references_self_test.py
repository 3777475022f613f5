"""references_self_test.py - checks that references_test.py and citation_test.py notice mistakes.

    /usr/bin/python3 -B tests/docs/references_self_test.py
"""

import shutil
import tempfile
import unittest
from pathlib import Path

import citation_test
import references_test

ROOT = Path(__file__).resolve().parents[2]


class Citations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("docs", "src"):
            (self.root / name).mkdir()
        shutil.copy(ROOT / "docs/references.md", self.root / "docs")

    def problems(self, text):
        (self.root / "src/a.c").write_text(text, "utf-8")
        return [problem for problem in references_test.check(self.root) if problem.startswith("src/a.c: ")]

    def test_known_papers_pass(self):
        for text in (
            "/* Sajed 2019, Algorithm 9 */",
            "/* (Balle and\n * Wang 2018). */",
            "/* Chan, Shi and Song 2010, 2011 */",
            "/* Chen et al. 2020; Chen, Wang and Yuan 2013 */",
            "/* Garivier and Cappé (2011) */",
            '"Kairouz, Oh and "\n    "Viswanath 2014"',
            "/* Bartlett's decomposition (1933) */",
            "/* Russo and Van Roy 2014 */",
            "/* as of 2019, at T = 2000; version 1.2.0 */",
        ):
            self.assertEqual(self.problems(text), [], text)

    def test_unknown_papers_fail(self):
        for text in (
            "/* Nobody 2019 */",
            "/* See Nobody 2019. */",
            "| `x` | (Nobody, 2019) |",
            ".paper = \"Nobody 2019\",",
            "**Nobody 2019, Theorem 3**",
            "/* Sajed 2018 */",
            "/* Russo and Roy 2014 */",
            "/* Van Roy 2014 */",
            "/* Balle and Wangler\n * 2018 */",
            "/* Nobody and Sajed 2019 */",
            "/* Chan, Shi and Song 2010, 2012 */",
            "/* Sajed et al. 2019 */",
            "/* Dwork et al. 2006: there are two */",
            "/* Nobody's method (1998) */",
            "/* as in Chen et al., Theorem 3 */",
            '"Kairouz, Oh and "\n    "Viswanath 2013"',
        ):
            self.assertEqual(len(self.problems(text)), 1, text)

    def test_wrong_entries_fail(self):
        page = self.root / "docs/references.md"
        text = page.read_text("utf-8")
        for old, new, said in (
            ("### Sajed 2019", "### Sajed 2018", "Sajed 2018: its year is not in the venue"),
            ("doi 10.1145/3230636", "doi 3230636", "Lemire 2019: it has no arXiv id and no DOI"),
            ("Used in `src/choice/path.c`", "Used in `src/choice/road.c`", "Kahn 1962: there is no src/choice/road.c"),
            ("Touqir Sajed. *Optimal", "Touqir Wajed. *Optimal", "Sajed 2019: its heading names no entry"),
        ):
            self.assertIn(old, text)
            page.write_text(text.replace(old, new), "utf-8")
            self.assertTrue(any(said in problem for problem in references_test.check(self.root)), said)


class Project(unittest.TestCase):
    def test_wrong_fields_fail(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "clients/python").mkdir(parents=True)
            for file in ("CITATION.cff", "CMakeLists.txt", "LICENSE", "clients/python/pyproject.toml"):
                shutil.copy(ROOT / file, root / file)
            self.assertEqual(list(citation_test.check(root)), [])
            page = root / "CITATION.cff"
            text = page.read_text("utf-8")
            for old, new in (
                ("\nversion: ", "\nversion: 9."),
                ("Apache-2.0", "MIT"),
                ("title:", "titel:"),
                ("cff-version: 1.2.0", "cff-version: 1.1.0"),
                ("The Lotor developers", "Somebody"),
            ):
                self.assertIn(old, text)
                page.write_text(text.replace(old, new), "utf-8")
                self.assertNotEqual(list(citation_test.check(root)), [], new)


if __name__ == "__main__":
    unittest.main()
