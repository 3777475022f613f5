"""mathml_test.py - formulas become MathML: by hand, in all documents, and what is not understood is refused."""

import re
import sys
import tempfile
import unittest
from pathlib import Path
from subprocess import run
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from mathml import FormulaError, convert, put_formulas, take_formulas  # noqa: E402

SPACE = '<mspace width="0.167em"></mspace>'
OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
BAR = '<mo stretchy="false" lspace="0" rspace="0">|</mo>'

# Pages whose formulas are all typeset.
TYPESET = ("docs/mathematics.md", "docs/errata.md", "docs/choosing.md", "docs/limits.md", "src/learn/rules.md",
           "src/privacy/release/statistic.md", "src/privacy/release/episodes.md")

# A formula, and what is inside its <math><mrow>, written by hand.
GOLDEN = {
    "x": "<mi>x</mi>",
    "12.5": "<mn>12.5</mn>",
    "10,000": "<mn>10,000</mn>",
    "ε": "<mi>ε</mi>",
    r"\epsilon": "<mi>ε</mi>",
    "xy": "<mi>x</mi><mi>y</mi>",
    "e^ε": "<msup><mi>e</mi><mi>ε</mi></msup>",
    "x_i": "<msub><mi>x</mi><mi>i</mi></msub>",
    "x_i^2": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    "x^2_i": "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>",
    "x²": "<msup><mi>x</mi><mn>2</mn></msup>",
    "x_i³": "<msubsup><mi>x</mi><mi>i</mi><mn>3</mn></msubsup>",
    "x^12": "<msup><mi>x</mi><mn>1</mn></msup><mn>2</mn>",
    "x^{12}": "<msup><mi>x</mi><mn>12</mn></msup>",
    "e^{-q}": '<msup><mi>e</mi><mrow><mo form="prefix">−</mo><mi>q</mi></mrow></msup>',
    "a - b": "<mi>a</mi><mo>−</mo><mi>b</mi>",
    "a = -b": '<mi>a</mi><mo>=</mo><mo form="prefix">−</mo><mi>b</mi>',
    "D'": '<mrow><mi>D</mi><mo lspace="0" rspace="0">′</mo></mrow>',
    "s_1'": '<msub><mrow><mi>s</mi><mo lspace="0" rspace="0">′</mo></mrow><mn>1</mn></msub>',
    "a ≤ b": "<mi>a</mi><mo>≤</mo><mi>b</mi>",
    r"a \le b": "<mi>a</mi><mo>≤</mo><mi>b</mi>",
    "a < b": "<mi>a</mi><mo>&lt;</mo><mi>b</mi>",
    "f(x)": f"<mi>f</mi>{OPEN}<mi>x</mi>{CLOSE}",
    "|x|": f"{BAR}<mi>x</mi>{BAR}",
    "a/b": '<mi>a</mi><mo lspace="0" rspace="0">/</mo><mi>b</mi>',
    r"\frac{1}{x+1}": "<mfrac><mn>1</mn><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></mfrac>",
    r"\frac12": "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
    r"\sqrt{2}": "<msqrt><mn>2</mn></msqrt>",
    r"\sqrt[3]{x}": "<mroot><mi>x</mi><mn>3</mn></mroot>",
    r"\log t": f"<mi>log</mi>{SPACE}<mi>t</mi>",
    r"t \log t": f"<mi>t</mi>{SPACE}<mi>log</mi>{SPACE}<mi>t</mi>",
    r"\log(t)": f"<mi>log</mi>{OPEN}<mi>t</mi>{CLOSE}",
    r"\log^3 t": f"<msup><mi>log</mi><mn>3</mn></msup>{SPACE}<mi>t</mi>",
    r"\log_2 t": f"<msub><mi>log</mi><mn>2</mn></msub>{SPACE}<mi>t</mi>",
    r"\operatorname{kl}(z, y)": f'<mi mathvariant="normal">kl</mi>{OPEN}<mi>z</mi><mo>,</mo><mi>y</mi>{CLOSE}',
    r"\text{for all } x": "<mtext>for\u00a0all\u00a0</mtext><mi>x</mi>",
    r"\text{a<b}": "<mtext>a&lt;b</mtext>",
    r"\min_z z": f"<msub><mi>min</mi><mi>z</mi></msub>{SPACE}<mi>z</mi>",
    r"\sum_i x_i": f"<msub><mo>∑</mo><mi>i</mi></msub>{SPACE}<msub><mi>x</mi><mi>i</mi></msub>",
    r"\{0\}": '<mo stretchy="false">{</mo><mn>0</mn><mo stretchy="false">}</mo>',
    r"\left(\frac{1}{2}\right)": '<mrow><mo stretchy="true">(</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>'
    '<mo stretchy="true">)</mo></mrow>',
    r"a \quad b": '<mi>a</mi><mspace width="1em"></mspace><mi>b</mi>',
    "∞": "<mi>∞</mi>",
    "z^*": "<msup><mi>z</mi><mo>∗</mo></msup>",
}

DISPLAY = {
    r"\sum_{i=1}^n x": "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
    f"{SPACE}<mi>x</mi>",
    r"\liminf_T R": f"<munder><mi>lim inf</mi><mi>T</mi></munder>{SPACE}<mi>R</mi>",
    r"\log_2 t": f"<msub><mi>log</mi><mn>2</mn></msub>{SPACE}<mi>t</mi>",
}

REFUSED = {
    r"\foo": r"there is no \foo here",
    "x^": "something is missing",
    "x_": "something is missing",
    "x^_2": "something is missing",
    "x^2^3": "a second superscript",
    "x_1_2": "a second subscript",
    "{x": "a brace is not closed",
    "x}": "'}' is not understood",
    r"\frac{1}": "something is missing",
    r"\sqrt[3{x}": "a bracket is not closed",
    r"\text x": "a text in braces",
    r"\text{x": "a brace is not closed",
    r"\left( x": r"\right is missing",
    r"x \right)": r"\right has no \left",
    r"\left x": "a delimiter is missing",
    "\\": "nothing follows the backslash",
    "a & b": "'&' is not understood",
    "a # b": "'#' is not understood",
    "": "the formula is empty",
    "  ": "the formula is empty",
}


class Formulas(unittest.TestCase):
    def test_by_hand(self) -> None:
        for display, table in ((False, GOLDEN), (True, DISPLAY)):
            kind = ' display="block"' if display else ""
            for formula, inside in table.items():
                with self.subTest(formula=formula, display=display):
                    whole = f'<math xmlns="http://www.w3.org/1998/Math/MathML"{kind}><mrow>{inside}</mrow></math>'
                    self.assertEqual(convert(formula, display), whole)
                    ElementTree.fromstring(whole)

    def test_refused(self) -> None:
        for formula, words in REFUSED.items():
            with self.subTest(formula=formula), self.assertRaises(FormulaError) as caught:
                convert(formula)
            self.assertIn(words, str(caught.exception))


class Markdown(unittest.TestCase):
    def test_what_is_a_formula(self) -> None:
        for text, wanted in (
            ("a $x$ b", ["x"]),
            ("$x$, $y$", ["x", "y"]),
            ("$x\ny$", ["x\ny"]),
            ("$$x$$", ["x"]),
            ("$$\nx\n$$", ["x"]),
            ("it costs $5 and $6", []),
            ("`$x$`", []),
            ("``a ` $x$``", []),
            ("    $ make x$", []),
            ("```\n$x$\n```", []),
            ("$ x$ and $x $", []),
            ("$x\n\ny$", []),
            (r"\$x$", []),
            ("a`b` $x$ `c`", ["x"]),
            ("# A\n    $x$\n\n    $y$\n", []),
            ("- a\n    - b $x$\n    c $y$\n", ["x", "y"]),  # a list goes on
            ("a\n\n    $x$\n    $y$\n\n$z$", ["z"]),
        ):
            with self.subTest(text=text):
                self.assertEqual([each.text for each in take_formulas(text)[1]], wanted)

    def test_formulas_return(self) -> None:
        text, formulas = take_formulas("a $x$ b $$y$$ `$z$`")
        self.assertEqual([each.display for each in formulas], [False, True])
        self.assertEqual(put_formulas(text, formulas), f"a {convert('x')} b {convert('y', True)} `$z$`")


class Documents(unittest.TestCase):
    def test_every_formula_converts(self) -> None:
        found = 0
        for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.md")]):
            for formula in take_formulas(page.read_text())[1]:
                with self.subTest(page=page.name, formula=formula.text):
                    ElementTree.fromstring(convert(formula.text, formula.display))
                    found += 1
        self.assertGreater(found, 100)  # docs/mathematics.md alone has more

    def test_no_formula_is_left_as_text(self) -> None:
        """Outside of code and formulas, these pages have no powers, roots and relations in ASCII."""
        for page in TYPESET:
            text = re.sub(r"(?<=\n\n)(?:    [^\n]*\n)+|(`+).+?\1", "", take_formulas((ROOT / page).read_text())[0], flags=re.DOTALL)
            for line in text.splitlines():
                with self.subTest(page=page, line=line):
                    self.assertNotRegex(line, r"\w\^|<=|>=|\bsqrt\b|\$|\w_[({]")

    def test_pages(self) -> None:
        """Each page has one <math> for each formula."""
        pages = sorted(ROOT.glob("docs/*.md"))
        with tempfile.TemporaryDirectory() as folder:
            made = run([ROOT / "scripts" / "site", folder, *pages], capture_output=True, text=True)
            self.assertEqual(made.stderr, "")
            for page in pages:
                html = (Path(folder) / f"{page.stem}.html").read_text()
                self.assertEqual(html.count("<math "), len(take_formulas(page.read_text())[1]), page.name)
                self.assertNotRegex(html, r"FORMULA\d|<script|<link")
                self.assertEqual(html.count("<h1"), 1, page.name)

    def test_a_wrong_formula_stops_the_build(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "wrong.md"
            page.write_text("# Wrong\n\nA $\\nothing$.\n")
            made = run([ROOT / "scripts" / "site", folder, page], capture_output=True, text=True)
            self.assertEqual(made.returncode, 1)
            self.assertIn("wrong.md: there is no \\nothing here", made.stderr)
            self.assertFalse((Path(folder) / "wrong.html").exists())


if __name__ == "__main__":
    unittest.main()
