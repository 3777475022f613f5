"""mathml.py - turns formulas of our documents into MathML: a small part of TeX, and Unicode symbols.

    $e^ε ≤ \\frac{1}{x_i}$  ->  <math><msup><mi>e</mi><mi>ε</mi></msup> ...

A formula stays readable as text, so the documents write ε, ≤ and ∈ themselves, and TeX only for what has no
character: \\frac, \\sqrt, \\sum, scripts of several characters, names such as \\log. An unknown command, a missing brace
or a character that is not understood raises FormulaError. Nothing is guessed.

    formula := atom*
    atom    := nucleus ('^' argument | '_' argument | "'")*
    nucleus := number | letter | symbol | '{' formula '}' | \\command argument*
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

GREEK = {
    name: symbol
    for name, symbol in zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
        "omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(),
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
    )
}
LETTERS = {**GREEK, "infty": "∞", "ell": "ℓ", "emptyset": "∅"}
OPERATORS = {
    "le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "sim": "∼", "propto": "∝", "in": "∈", "subset": "⊂", "to": "→",
    "times": "×", "cdot": "·", "pm": "±", "mid": "∣", "dots": "…", "cdots": "⋯", "lvert": "|", "rvert": "|",
    "lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
    "{": "{", "}": "}", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "implies": "⟹",
}  # fmt: skip
SPACES = {",": "0.167em", ";": "0.278em", "quad": "1em", " ": "0.25em"}
LARGE = {"sum": "∑", "prod": "∏", "int": "∫"}
NAMES = ("log", "ln", "exp", "cosh", "sinh", "min", "max", "inf", "sup", "lim", "liminf", "limsup", "Pr", "det", "arg")
LIMITS = ("min", "max", "inf", "sup", "lim", "liminf", "limsup")  # with the lower script below, in display
FENCES = set("()[]|‖⌊⌋⌈⌉⟨⟩{}")
OPENING, CLOSING = set("([{⌊⌈⟨"), set(")]}⌋⌉⟩")
SYMBOLS = set("+-−±=<>≤≥≠≈∼∝∈∉⊂∪∩→×·∣…⋯,;:.!/*∀∃⟹") | FENCES
MINUS = "−"
SIGNS = ("<mo>−</mo>", "<mo>+</mo>", "<mo>±</mo>")


class FormulaError(ValueError):
    """A formula that is not understood."""


@dataclass
class Atom:
    """A piece of MathML, and its kind, which decides the space around it."""

    xml: str
    kind: str = "ordinary"  # "ordinary", "operator", "opening", "closing", "name", "space"
    limits: bool = False  # scripts go below and above, in display


def row(atoms: list[Atom]) -> str:
    """One element."""
    return atoms[0].xml if len(atoms) == 1 else f"<mrow>{''.join(each.xml for each in atoms)}</mrow>"


def symbol(char: str) -> Atom:
    char = {"-": MINUS, "*": "∗"}.get(char, char)
    kind = "opening" if char in OPENING else "closing" if char in CLOSING else "operator"
    stretch = ' stretchy="false"' if char in FENCES else ""
    tight = ""
    if char in "|‖/":  # as in TeX, no space next to it
        kind, tight = "ordinary", ' lspace="0" rspace="0"'
    return Atom(f"<mo{stretch}{tight}>{escape(char)}</mo>", kind)


class Reader:
    """Reads a formula from left to right."""

    def __init__(self, text: str, display: bool) -> None:
        self.text, self.display, self.at = text, display, 0

    def fail(self, reason: str) -> FormulaError:
        return FormulaError(f"{reason}, at character {self.at + 1} of {self.text!r}")

    def blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.blank()
        return self.text[self.at] if self.at < len(self.text) else ""

    def command(self) -> str:
        """The name behind a backslash."""
        found = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL).match(self.text, self.at)
        if not found:
            raise self.fail("nothing follows the backslash")
        self.at = found.end()
        return found.group(1)

    def words(self) -> str:
        """The text of \\text{...}, as it is."""
        if self.peek() != "{":
            raise self.fail("a text in braces must follow")
        end = self.text.find("}", self.at)
        if end < 0:
            raise self.fail("a brace is not closed")
        inside, self.at = self.text[self.at + 1 : end], end + 1
        return inside

    def argument(self) -> str:
        """A group in braces, or one nucleus."""
        if self.peek() == "":
            raise self.fail("something is missing")
        if self.peek() == "{":
            return row(self.group() or [Atom("<mrow></mrow>")])
        if self.peek() in "^_}'":
            raise self.fail("something is missing")
        if self.text[self.at].isdigit():  # as in TeX, a script without braces is one character
            self.at += 1
            return f"<mn>{self.text[self.at - 1]}</mn>"
        return self.nucleus().xml

    def group(self) -> list[Atom]:
        self.at += 1
        inside = self.atoms("}")
        if self.peek() != "}":
            raise self.fail("a brace is not closed")
        self.at += 1
        return inside

    def atoms(self, stop: str = "") -> list[Atom]:
        """Everything up to `stop` or the end, with the spaces that names need."""
        found: list[Atom] = []
        while self.peek() and self.peek() != stop:
            if self.text.startswith("\\right", self.at):
                break
            atom = self.scripted()
            before = found[-1].kind if found else "opening"
            if atom.kind == "name" and before in ("ordinary", "closing", "name"):
                found.append(Atom('<mspace width="0.167em"></mspace>', "space"))
            elif before == "name" and atom.kind == "ordinary":
                found.append(Atom('<mspace width="0.167em"></mspace>', "space"))
            if atom.xml in SIGNS and before in ("operator", "opening"):
                atom.xml = atom.xml.replace("<mo>", '<mo form="prefix">')
            found.append(atom)
        return found

    def scripted(self) -> Atom:
        """A nucleus with its scripts."""
        base = self.nucleus()
        below, above, primes = "", "", 0
        while self.peek() and self.peek() in "^_'":
            mark, self.at = self.peek(), self.at + 1
            if mark == "'":
                primes += 1
            elif mark == "^":
                if above:
                    raise self.fail("a second superscript")
                above = self.argument()
            else:
                if below:
                    raise self.fail("a second subscript")
                below = self.argument()
        if primes:  # next to the base: most fonts have a prime that is raised already
            base.xml = f'<mrow>{base.xml}<mo lspace="0" rspace="0">{"′" * primes}</mo></mrow>'
        if not below and not above:
            return base
        under = base.limits and self.display
        tags = ("munder", "mover", "munderover") if under else ("msub", "msup", "msubsup")
        tag = tags[2] if below and above else tags[0] if below else tags[1]
        return Atom(f"<{tag}>{base.xml}{below}{above}</{tag}>", base.kind)

    def nucleus(self) -> Atom:
        char = self.peek()
        number = re.compile(r"\d+(?:[.,]\d+)*").match(self.text, self.at)
        if number:
            self.at = number.end()
            return Atom(f"<mn>{number.group()}</mn>")
        if char == "{":
            return Atom(row(self.group() or [Atom("<mrow></mrow>")]))
        if char == "\\":
            return self.named(self.command())
        if char in LARGE.values():
            self.at += 1
            return Atom(f"<mo>{char}</mo>", "name", True)
        if char in SYMBOLS and char not in "{}":
            self.at += 1
            return symbol(char)
        if char.isalpha() or char in "∞ℓ∅⊤":
            self.at += 1
            return Atom(f"<mi>{escape(char)}</mi>")
        raise self.fail(f"{char!r} is not understood")

    def named(self, name: str) -> Atom:
        if name in LETTERS:
            return Atom(f"<mi>{LETTERS[name]}</mi>")
        if name in OPERATORS:
            return symbol(OPERATORS[name])
        if name in SPACES:
            return Atom(f'<mspace width="{SPACES[name]}"></mspace>', "space")
        if name in LARGE:
            return Atom(f"<mo>{LARGE[name]}</mo>", "name", True)
        if name in NAMES:
            shown = {"liminf": "lim inf", "limsup": "lim sup"}.get(name, name)
            return Atom(f"<mi>{shown}</mi>", "name", name in LIMITS)
        if name == "operatorname":
            return Atom(f'<mi mathvariant="normal">{escape(self.words())}</mi>', "name")
        if name == "mathrm":
            return Atom(f'<mi mathvariant="normal">{escape(self.words())}</mi>')
        if name == "text":
            return Atom(f"<mtext>{escape(self.words()).replace(' ', chr(0xA0))}</mtext>")
        if name == "frac":
            return Atom(f"<mfrac>{self.argument()}{self.argument()}</mfrac>")
        if name == "sqrt":
            if self.peek() != "[":
                return Atom(f"<msqrt>{self.argument()}</msqrt>")
            self.at += 1
            degree = self.atoms("]")
            if self.peek() != "]":
                raise self.fail("a bracket is not closed")
            self.at += 1
            return Atom(f"<mroot>{self.argument()}{row(degree)}</mroot>")
        if name == "left":
            return self.fenced()
        raise self.fail(f"there is no \\{name} here: see scripts/mathml.py")

    def fence(self) -> str:
        """The delimiter behind \\left or \\right; '.' is none."""
        char = self.peek()
        if char == "\\":
            char = OPERATORS.get(self.command(), "")
        else:
            self.at += 1
        if char == ".":
            return ""
        if char not in FENCES or not char:
            raise self.fail("a delimiter is missing")
        return f'<mo stretchy="true">{escape(char)}</mo>'

    def fenced(self) -> Atom:
        first = self.fence()
        inside = self.atoms()
        if not self.text.startswith("\\right", self.at):
            raise self.fail("\\right is missing")
        self.at += len("\\right")
        return Atom(f"<mrow>{first}{''.join(each.xml for each in inside)}{self.fence()}</mrow>")


def convert(formula: str, display: bool = False) -> str:
    """The <math> element of a formula. The characters ² and ³ are powers."""
    reader = Reader(formula.replace("²", "^2").replace("³", "^3"), display)
    atoms = reader.atoms()
    if reader.peek():
        raise reader.fail("\\right has no \\left")
    if not atoms:
        raise reader.fail("the formula is empty")
    kind = ' display="block"' if display else ""
    inside = "".join(each.xml for each in atoms)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{kind}><mrow>{inside}</mrow></math>'


# --- formulas in Markdown ---------------------------------------------------------------------------------------------

# Code is left alone: fenced blocks, indented blocks, and spans in backticks. An indented block follows a blank line, a
# heading or another block; other indented lines continue a paragraph or a list. A formula begins before a character
# and ends behind one, so "$ make" and "$5 and $6" are none.
_INDENTED = r"(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+"
_PIECES = re.compile(
    rf"(?P<code>^```.*?^```|(?:\A|(?<=\n\n)){_INDENTED}|^#[^\n]*\n{_INDENTED}|(?P<ticks>`+).+?(?P=ticks))"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|(?<![\\$\w])\$(?P<inline>[^\s$](?:(?:(?!\n\n)[^$`])*[^\s$`])?)\$(?![\d$])",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Formula:
    text: str
    display: bool


def take_formulas(markdown: str) -> tuple[str, list[Formula]]:
    """The text with a placeholder for each formula, and the formulas. put_formulas undoes it in HTML."""
    found: list[Formula] = []

    def take(piece: re.Match[str]) -> str:
        if piece.group("code"):
            return piece.group()
        display = piece.group("display") is not None
        found.append(Formula((piece.group("display") or piece.group("inline")).strip(), display))
        return f"FORMULA{len(found) - 1}END"

    return _PIECES.sub(take, markdown), found


def put_formulas(html: str, formulas: list[Formula]) -> str:
    """Replaces the placeholders by MathML."""
    return re.sub(
        r"FORMULA(\d+)END",
        lambda place: convert(formulas[int(place.group(1))].text, formulas[int(place.group(1))].display),
        html,
    )
