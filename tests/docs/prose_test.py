"""prose_test.py - every rule of scripts/prose flags bad examples and accepts good ones.

    /usr/bin/python3 -B tests/docs/prose_test.py
"""

import subprocess
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load(path):
    loader = SourceFileLoader("prose", str(path))
    module = module_from_spec(spec_from_loader("prose", loader))
    loader.exec_module(module)
    return module


prose = load(ROOT / "scripts/prose")

# A sentence that is flagged, and the plain one to write instead. There is a pair for each pattern, in the same order.
WORDS = (
    ("This is for who takes several.", "This is for clients that take several."),
    ("Whoever uses another address needs a proxy.", "To listen on another address, use a proxy."),
    ("Lotor mends the proof.", "Lotor corrects the proof, and recommends a test."),
    ("Local is dear below epsilon 1.", "Local privacy needs more data below epsilon 1."),
    ("That the sum is noisy is no news.", "The sum is noisy, as the last section says."),
    ("The proof stands in the file.", "The proof is in the file, and R stands for the range."),
    ("The key is beside the store.", "The key is next to the store, and there is a log besides."),
    ("The numbers come again with the seed.", "The same seed gives the same numbers."),
    ("A list that counted is let go.", "The server ends the list, and lets the client go on."),
    ("The file is written anew.", "The file is written again."),
    ("The checksum is no signature.", "The checksum is not a signature, and there is no key."),
    ("The client runs an errand.", "The client sends a request, which overrides the first."),
    ("The owner enters rounds in each turn.", "The owner handles 20 requests a minute, and the arms take turns."),
    ("No answer can be told from the output.", "The output does not reveal any answer."),
    ("The head tells a copy from the newest one.", "The head tells the client the time."),
    ("The test sees that the file is there.", "The test checks that the file exists."),
    ("The header says that it is of this kind.", "The header says that it is ready."),
    ("No server knows of the key.", "No server knows the key."),
    ("The server waits in vain.", "The server waits for nothing."),
    ("Of too many, the oldest go first.", "If there are too many, the oldest go first."),
    ("It opens all that is sealed.", "It opens everything that is sealed, and all that."),
    ("The page is the one of the server.", "The page is the server's, and one of the two."),
    ("The message goes to and fro.", "The message goes back and forth."),
    ("The script takes it away.", "The script removes the package."),
    ("The epsilon is, as it were, a price.", "The epsilon is as it was before."),
)

LONG = " ".join(["one"] + ["word"] * 35) + "."  # 36 words
SHORT = " ".join(["one"] + ["word"] * 34) + "."  # 35 words
OPENING = "# Page\n\nThis page is for operators. See the [guide](guide.md).\n\n"


class Rules(unittest.TestCase):
    def rules(self, path, text):
        return [finding.rule for finding in prose.check(path, text)]

    def test_words(self):
        self.assertEqual(len(WORDS), len(prose.WORDS), "each pattern has one pair of examples")
        for (bad, good), (pattern, _) in zip(WORDS, prose.WORD_RULES):
            self.assertTrue(pattern.search(bad), bad)
            self.assertIn("word", self.rules("src/x.md", f"# Noun\n\n{bad}\n"), bad)
            self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{good}\n"), [], good)

    def test_bare_subjects(self):
        for bad in ("Who can read the memory sees sums.", "What was released stays there."):
            self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{bad}\n"), ["word"], bad)
        for good in ("Anyone who can read the memory sees sums.", "What was released and when?"):
            self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{good}\n"), [], good)
        self.assertEqual(self.rules("a.c", "/* Whether the key fits. */"), ["word"])
        self.assertEqual(self.rules("a.c", "/* True if the key fits. Whether it fits depends on the lock. */"), [])
        self.assertEqual(self.rules("a.c", 'puts("Whether and when a report came");'), [])

    def test_long_sentences(self):
        for path, form in (
            ("src/x.md", "# Noun\n\n{}\n"),
            ("src/x.md", "# Noun\n\nA list:\n\n- {}\n"),
            ("src/x.md", "# Noun\n\nA table:\n\n| a |\n|---|\n| {} |\n"),
            ("a.c", "/* {} */"),
            ("a.c", "// {}"),
            ("a.c", 'puts("{}");'),
            ("a.js", "say('{}');"),
            ("a.js", "say(`{}`);"),
            ("a.py", '"""{}"""\n'),
            ("a.py", "x = 1  # {}\n"),
            ("a.py", 'raise ValueError("{}")\n'),
            ("a.py", 'raise ValueError(f"{}")\n'),
            ("a.sh", '#!/bin/sh\necho "{}"\n'),
            ("a.sh", "#!/bin/sh\nprintf '{}' >&2\n"),
            ("a.sh", '#!/bin/sh\nfail "{}"\n'),
            ("docs/a.json", '{{"description": "{}"}}'),
            ("package.json", '{{\n  "description": "{}"\n}}'),
            ("pyproject.toml", 'description = "{}"\n'),
            ("debian/control", "Package: a\nDescription: a short text\n {}\n"),
            ("debian/changelog", "a (1) b\n\n  * {}\n\n -- c\n"),
            ("a.sh", "#!/bin/sh\n# {}\n"),
            ("a.html", "<body><p>{}</p></body>"),
            ("a.html", '<button title="{}">'),
            ("a.html", '<svg role="img" aria-label="{}">'),
            ("src/x.md", "# Noun\n\n> {}\n"),
        ):
            self.assertEqual(self.rules(path, form.format(LONG)), ["long"], f"{path}: {form}")
            self.assertEqual(self.rules(path, form.format(SHORT)), [], f"{path}: {form}")

    def test_text_over_several_lines(self):
        words = LONG.split()
        half = " ".join(words[:18]), " ".join(words[18:])
        self.assertEqual(self.rules("a.c", f"/* {half[0]}\n * {half[1]}\n */"), ["long"])
        self.assertEqual(self.rules("a.c", f'puts("{half[0]} "\n     "{half[1]}");'), ["long"])
        self.assertEqual(self.rules("a.sh", f"#!/bin/sh\n# {half[0]}\n# {half[1]}\n"), ["long"])
        self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{half[0]}\n{half[1]}\n"), ["long"])
        self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{half[0]}\n\n{half[1]}\n"), [])
        self.assertEqual(self.rules("a.sh", f"#!/bin/sh\n# a [NAME...] - {half[0]}\n# a --table - {half[1]}\n"), [])
        found = prose.check("src/x.md", f"# Noun\n\nOne line.\nAnother line. {LONG.capitalize()}\n")
        self.assertEqual([finding.line for finding in found], [4])

    def test_what_is_not_a_sentence(self):
        for text in (
            f"A block:\n\n    {LONG}\n    {LONG}\n",
            f"A block:\n\n```\n{LONG} Mend.\n```\n",
            f"A formula:\n\n$$\n{LONG}\n$$\n",
            f"Some `{LONG}` of code.\n",
            "The word “mend” and the word \"dear\" are quoted.\n",
            f"<!-- {LONG} -->\nText.\n",
        ):
            self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{text}"), [], text)
        self.assertEqual(self.rules("a.c", 'run("SELECT a FROM b WHERE c IS dear AND there are many words");'), [])
        self.assertEqual(self.rules("a.c", "/* Text.\n *\n *     a   drawing   beside   b\n */"), [])

    def test_headings(self):
        for bad in (
            "Looking", "Changing", "Taking it away", "What is not protected", "Who is trusted", "From your own program",
            "3. Adding promises up", "Run it with a control group", "Why believe it?", "To count",
        ):  # fmt: skip
            self.assertEqual(self.rules("docs/x.md", OPENING + f"## {bad}\n"), ["heading"], bad)
        for good in (
            "Monitoring", "Edit a campaign", "Uninstalling", "Limits", "Getting started", "NAME", "Sajed 2019", "How it works", "How-to guides",
            "4.1 Growing batches", "`tree`", "1.0.0 (2026-11-18)", "lotor/watch.h - look at a campaign while it learns",
        ):  # fmt: skip
            self.assertEqual(self.rules("docs/x.md", OPENING + f"## {good}\n"), [], good)

    def test_sentences_as_headings(self):
        for bad in ("The server deletes the rows", "You can do this today", "It is fast", "The noise is discrete", "Doing", "Being sure"):
            self.assertEqual(self.rules("docs/x.md", OPENING + f"## {bad}\n"), ["heading"], bad)
        for good in ("The server's rows", "A server that deletes rows", "Strings of bytes", "The rows of the table", "Bring your own world"):
            self.assertEqual(self.rules("docs/x.md", OPENING + f"## {good}\n"), [], good)

    def test_underlined_headings(self):
        self.assertEqual(self.rules("docs/x.md", OPENING + "Looking\n-------\n\nText.\n"), ["heading"])
        self.assertEqual(self.rules("docs/x.md", OPENING + "Being sure\n==========\n\nText.\n"), ["heading"])
        self.assertEqual(self.rules("docs/x.md", OPENING + "Monitoring\n----------\n\nText.\n"), [])
        self.assertEqual(self.rules("a.py", '"""a.py - a page.\n\nWhat it does\n------------\nText.\n"""\n'), ["heading"])

    def test_headings_in_comments(self):
        for bad in ("what a key may do", "looking", "how it ends", "every allocation can fail", "the server deletes the rows"):
            self.assertEqual(self.rules("a.c", f"/* --- {bad} {'-' * 40} */"), ["heading"], bad)
            self.assertEqual(self.rules("a.js", f"// --- {bad} {'-' * 40}"), ["heading"], bad)
            self.assertEqual(self.rules("a.sh", f"#!/bin/sh\n# --- {bad}\n"), ["heading"], bad)
        for good in ("permissions of a key", "reading the log", "lists", "the end", "a kernel that may refuse"):
            self.assertEqual(self.rules("a.c", f"/* --- {good} {'-' * 40} */"), [], good)

    def test_metaphors(self):
        for bad in ("It has two stages.", "The vault seals bytes.", "A turn of the owner ends."):
            self.assertIn("word", self.rules("src/x.md", f"# Noun\n\n{bad}\n"), bad)
        for good in ("It turns a counter into words.", "It shows its arms in turn.", "A staged file is moved.", "An eighth of a turn."):
            self.assertEqual(self.rules("src/x.md", f"# Noun\n\n{good}\n"), [], good)

    def test_descriptions(self):
        for bad in ("It did.", "As it is now.", "Of the noise, in units.", "Whether it fits.", "What holds.", "Made."):
            self.assertIn("word", self.rules("docs/a.json", f'{{"description": "{bad}"}}'), bad)
            self.assertIn("word", self.rules("docs/a.json", f'{{"summary": "{bad}"}}'), bad)
        for good in ("The scale of the noise, in units.", "True if the key fits.", "Close the campaign."):
            self.assertEqual(self.rules("docs/a.json", f'{{"description": "{good}"}}'), [], good)

    def test_messages(self):
        for path, form in (
            ("a.py", 'raise RangeError("a reward {} finite number: give one")\n'),
            ("a.py", "raise RangeError(\n    f\"{{x!r}} {} address \"\n    'of a service')\n"),
            ("a.sh", '#!/bin/sh\necho "the file {} regular file: $name"\n'),
            ("a.sh", '#!/bin/sh\nif a; then echo "the $x {} regular file of mine" >&2; fi\n'),
            ("a.js", "const x = h('p', {{ title: 'this key {} admin key today' }});"),
        ):
            self.assertEqual(self.rules(path, form.format("is no")), ["word"], form)
            self.assertEqual(self.rules(path, form.format("is not a")), [], form)
        self.assertEqual(self.rules("a.sh", "#!/bin/sh\necho \"$(sed 's/is no file of mine/x/')\"\n"), [])

    def test_openings(self):
        for bad in (
            "No heading.\n",
            "# Page\n\n## Section\n\nYou read this [page](a.md).\n",
            "# Page\n\n- an item for you, [here](a.md)\n",
            "# Page\n\n    code for you\n\n[A link](a.md) for you.\n",
            "# Page\n\nEvery endpoint is [here](a.md).\n",
        ):
            self.assertEqual(self.rules("docs/x.md", bad), ["opening"], bad)
        self.assertEqual(self.rules("docs/x.md", OPENING), [])
        self.assertEqual(self.rules("docs/x.md", "# Page\n\nHow you [link](a.md) pages.\n"), [])
        self.assertEqual(self.rules("src/x.md", "# Proof\n\nEvery step.\n"), [])

    def test_links(self):
        self.assertEqual(self.rules("docs/x.md", "# Page\n\nThis page is for operators.\n"), ["links"])
        self.assertEqual(self.rules("docs/x.md", "# Page\n\nThis page is for [operators](#page).\n"), ["links"])

    def test_command(self):
        bad = subprocess.run([ROOT / "scripts/prose", "--as", "src/x.md"], input="# Noun\n\nA dear sum.\n", text=True, capture_output=True)
        self.assertEqual(bad.returncode, 1)
        self.assertRegex(bad.stdout, r"^src/x\.md:3: word: .*: A dear sum\.\n$")
        good = subprocess.run([ROOT / "scripts/prose", "--as", "src/x.md"], input="# Noun\n\nA sum.\n", text=True, capture_output=True)
        self.assertEqual((good.returncode, good.stdout), (0, ""))
        summary = subprocess.run(
            [ROOT / "scripts/prose", "--summary", "--as", "src/x.md"], input="# Noun\n\nA dear sum.\n", text=True, capture_output=True
        )
        self.assertEqual(summary.stdout.split(), ["1", "src/x.md", "1", "in", "all"])

    def test_files_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder).resolve() / "page.md"
            page.write_text("# Noun\n\nA dear sum.\n", "utf-8")
            made = subprocess.run([ROOT / "scripts/prose", page], text=True, capture_output=True)
        self.assertEqual((made.returncode, made.stderr), (1, ""))
        self.assertIn("A dear sum.", made.stdout)


class Tree(unittest.TestCase):
    def test_every_text_of_the_project(self):
        made = subprocess.run([ROOT / "scripts/prose"], text=True, capture_output=True)
        self.assertEqual(made.returncode, 0, f"\n{made.stdout}{made.stderr}")


if __name__ == "__main__":
    unittest.main()
