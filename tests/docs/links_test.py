"""links_test.py - every relative link and anchor in the documents exists, and every page of docs/ is linked.

    /usr/bin/python3 -B tests/docs/links_test.py

A link is `[text](target)`, `![text](target)` or `[name]: target`, outside of code. Addresses of other hosts are not
visited. The index docs/README.md must list every page (facts_test.sh), and so it does not count as the page that links
another one.
"""

import re
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bench", "clients", "docs", "examples", "fuzz", "man", "src", "tests")
SKIPPED = {"node_modules", "corpus"}
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)", re.M)


def blank(match):
    """Lines stay where they are."""
    return re.sub(r"[^\n]", " ", match[0])


def without_code(text):
    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.M | re.S)
    text = re.sub(r"(?:^|(?<=\n\n))(?:(?: {4}|\t)[^\n]*(?:\n|$)|\n(?= {4}))+", blank, text)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", blank, text, flags=re.S)


def slug(heading):
    """The anchor that GitHub makes of a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    """All anchors of a page. A heading that occurs twice gets a number."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.M | re.S), re.M):
        name, number = slug(heading), 0
        while name in found:
            number += 1
            name = f"{slug(heading)}-{number}"
        found.add(name)
    return found


def pages(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        for page in sorted((root / folder).rglob("*.md")):
            if not SKIPPED & set(page.relative_to(root).parts):
                yield page


def check(root):
    """Yields everything that is wrong."""
    linked = {page: set() for page in (root / "docs").glob("*.md")}
    for page in pages(root):
        text = without_code(page.read_text("utf-8"))
        name = page.relative_to(root).as_posix()
        for match in sorted([*LINK.finditer(text), *REFERENCE.finditer(text)], key=lambda found: found.start()):
            target = unquote(match[1])
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {target}"
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if path.startswith("/") or not file.is_relative_to(root.resolve()):
                yield f"{where}: the link leaves the project"
            elif not file.exists():
                yield f"{where}: the file does not exist"
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text("utf-8"))):
                yield f"{where}: the page has no such heading"
            if file in linked and file != page and name != "docs/README.md":
                linked[file].add(name)
    for page, sources in sorted(linked.items()):
        if not sources and page.name != "README.md":
            yield f"{page.relative_to(root).as_posix()}: only docs/README.md links this page: link it where readers need it"


class Links(unittest.TestCase):
    def test_every_link_of_the_project(self):
        problems = list(check(ROOT))
        self.assertEqual(problems, [], "\n" + "\n".join(problems))


class Self(unittest.TestCase):
    """The check notices what is wrong."""

    def problems(self, text, more=""):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "docs/README.md").write_text("# Index\n\n[a](a.md)\n")
            (root / "docs/a.md").write_text("# A page\n\n## One `two`, three\n\n## One\n\n## One\n")
            (root / "README.md").write_text(f"# Top\n\n[a](docs/a.md) {more}\n\n{text}\n")
            return list(check(root))

    def test_good_links(self):
        for text in (
            "[a](docs/a.md#one-two-three)", "[a](docs/a.md#one-1)", "![a](docs/a.md)", "[here](#top)", "[a][a]\n\n[a]: docs/a.md",
            "[host](https://example.invalid/none)", "`[code](none.md)`", "    [code](none.md)", "```\n[code](none.md)\n```",
            "[`a`\nb](docs/a.md)", "[![a](docs/a.md)](docs/a.md)",
        ):  # fmt: skip
            self.assertEqual(self.problems(text), [], text)

    def test_bad_links(self):
        for text, line in (
            ("[a](docs/none.md)", 5), ("[a](docs/a.md#none)", 5), ("[a](docs/a.md#one-2)", 5), ("![a](none.png)", 5),
            ("[here](#none)", 5), ("text\n[a]: none.md", 6), ("[a](../a.md)", 5), ("[a](/docs/a.md)", 5), ("- [a](none.md)", 5),
            ("[a\nb](none.md)", 5), ("[![a](docs/a.md)](none.md)", 5),
        ):  # fmt: skip
            found = self.problems(text)
            self.assertEqual(len(found), 1, (text, found))
            self.assertTrue(found[0].startswith(f"README.md:{line}: "), found)

    def test_a_page_without_links(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "docs/README.md").write_text("[a](a.md)\n")
            (root / "docs/a.md").write_text("# A page\n\n[itself](a.md)\n")
            self.assertIn("only docs/README.md links this page", list(check(root))[0])


if __name__ == "__main__":
    unittest.main()
