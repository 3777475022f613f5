"""site_test.py - builds the site of the documents and checks it: links, search, formulas, no other host.

    /usr/bin/python3 -B tests/docs/site_test.py
"""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
# Elements whose address is loaded with the page. A link (a href) is only followed by the reader.
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data", "embed": "src"}


class Elements(HTMLParser):
    """The ids, links and loaded addresses of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.maths, self.current = [], [], [], 0, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
            if values.get("aria-current") == "page":
                self.current.append(values["href"])
        if tag in LOADED and LOADED[tag] in values:
            self.loaded.append(values[LOADED[tag]])
        self.maths += tag == "math"


def build(folder, *options):
    pages = [option for option in options if str(option).endswith(".md")]
    options = [option for option in options if option not in pages]
    return subprocess.run([ROOT / "scripts/site", *options, folder, *pages], capture_output=True, text=True)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.site = Path(scratch.name) / "site"
        report = Path(scratch.name) / "report"
        report.mkdir()
        (report / "index.html").write_text('<!DOCTYPE html><html><head><title>Report</title></head><body id="top"><main><h1>R</h1></main></body></html>')
        made = build(cls.site, "--report", report)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        cls.pages = {page: Elements(page.read_text("utf-8")) for page in cls.site.rglob("*.html")}
        index = (cls.site / "assets/search-index.js").read_text("utf-8")
        cls.index = json.loads(re.fullmatch(r"window\.lotorIndex=(.*);\n", index, re.S)[1])

    def inside(self, page, address):
        """The file and the anchor of an address."""
        path, _, anchor = unquote(address).partition("#")
        return ((page.parent / path).resolve() if path else page), anchor

    def test_links_lead_to_pages_and_sections(self):
        count = 0
        for page, elements in self.pages.items():
            for address in elements.links:
                if re.match(r"(?:https?|mailto):", address):
                    continue
                file, anchor = self.inside(page, address)
                self.assertTrue(file.is_relative_to(self.site.resolve()), f"{page}: {address} leaves the site")
                self.assertTrue(file.is_file(), f"{page}: {address} does not exist")
                if anchor:
                    self.assertIn(anchor, self.pages[file].ids, f"{page}: {address}")
                count += 1
        self.assertGreater(count, 5000)

    def test_nothing_is_loaded_from_other_hosts(self):
        for page, elements in self.pages.items():
            for address in elements.loaded:
                file, _ = self.inside(page, address)
                self.assertTrue(file.is_file() and file.is_relative_to(self.site.resolve()), f"{page} loads {address}")
        for file in ("site.css", "site.js"):
            self.assertNotRegex((self.site / "assets" / file).read_text("utf-8"), r"https?:|//\w|url\(|@import|fetch\(", file)

    def test_ids_are_unique(self):
        for page, elements in self.pages.items():
            self.assertEqual(len(elements.ids), len(set(elements.ids)), page)

    def test_every_document_is_a_page_in_the_navigation(self):
        start = (self.site / "index.html").resolve()
        linked = {self.inside(start, address)[0] for address in self.pages[self.site / "index.html"].links}
        sources = [*ROOT.glob("docs/*.md"), *ROOT.glob("man/*.md"), *ROOT.glob("src/**/*.md")]
        self.assertGreater(len(sources), 70)
        for source in sources:
            page = (self.site / source.relative_to(ROOT)).with_suffix(".html")
            self.assertTrue(page.is_file(), source)
            if source.name != "README.md":
                self.assertIn(page.resolve(), linked, "the start page's menu has no such page")
                self.assertEqual(len(set(self.pages[page].current)), 1, f"{page}: its line of the menu is not marked")
        self.assertIn((self.site / "report/index.html").resolve(), linked)

    def test_the_four_kinds(self):
        text = (self.site / "index.html").read_text("utf-8")
        for kind in ("Tutorials", "How-to guides", "Reference", "Explanation"):
            self.assertIn(f"<h2>{kind}</h2>", text)

    def test_search_finds_words(self):
        """As docs/site/site.js does: every word occurs in the title, the heading or the text of a section."""
        for query, page in (("sensitivity laplace", "docs/mathematics.html"), ("--tls-certificate", "man/lotor-serve.1.html"),
                            ("popcount", "src/privacy/release/tree.html"), ("raccoon zebra", None)):  # fmt: skip
            found = {row[0].partition("#")[0] for row in self.index if all(word in " ".join(row[1:]).lower() for word in query.split())}
            self.assertTrue(page in found if page else not found, (query, sorted(found)))
        for address, *_ in self.index:
            file, anchor = self.inside(self.site / "index.html", address)
            self.assertTrue(not anchor or anchor in self.pages[self.site / file.relative_to(self.site.resolve())].ids, address)

    def test_formulas_are_typeset(self):
        self.assertGreater(self.pages[self.site / "docs/mathematics.html"].maths, 100)

    def test_no_marks_of_markdown_are_left(self):
        """Outside of code and formulas, in pages and in the texts that the search shows."""
        for page in self.site.rglob("*.html"):
            text = page.read_text("utf-8")
            if 'class="frame code"' in text or not page.relative_to(self.site).parts[0] in ("docs", "man", "src", "README.html"):
                continue
            main = re.search(r"<main.*</main>", text, re.S)[0]
            words = unescape(re.sub(r"<[^>]*>", "", re.sub(r"<(pre|code|math)\b.*?</\1>", "", main, flags=re.S)))
            for mark in (r"\*\*", r"\]\([\w./#-]+\.(?:md|html)", r"^\$ ", r"\*\w+\*", r"\$\S+\$"):
                self.assertIsNone(re.search(rf".*{mark}.*", words, re.M), page)
        self.assertFalse([row for row in self.index if row[0].startswith("man/") and "[**" in row[-1]])

    def test_every_page_has_one_title(self):
        for page in self.site.rglob("*.html"):
            self.assertEqual(page.read_text("utf-8").count("<h1"), 1, page)

    def test_the_report_has_the_bar_of_the_site(self):
        page = self.site / "report/index.html"
        self.assertIn((self.site / "index.html").resolve(), [self.inside(page, address)[0] for address in self.pages[page].links])
        self.assertEqual(self.pages[page].loaded, ["../assets/mask.svg", "../assets/bar.css", "../assets/site.js"])
        self.assertIn("search", self.pages[page].ids)
        bar = (self.site / "assets/bar.css").read_text("utf-8")
        for name in (".top", ".brand", "#results", ".skip", "@media"):
            self.assertIn(name, bar)

    def test_the_report_has_the_colours_of_the_site(self):
        style = re.sub(r'"\s*"', "", (ROOT / "src/papers/page_style.c").read_text("utf-8"))
        console = (ROOT / "src/service/dashboard/app.css").read_text("utf-8")
        parts = [re.findall(r":root\s*\{.*?\}", text, re.S)[:2] for text in (style, console)]
        for mine, theirs in zip(*parts):  # light, then dark
            values = [dict(re.findall(r"--([\w-]+):\s*(#\w+)", part)) for part in (mine, theirs)]
            self.assertGreater(len(values[0]), 10)
            for name, value in values[0].items():
                self.assertEqual(value.replace("#fff", "#ffffff", value == "#fff"), values[1][name], name)

    def test_the_search_shows_formulas_as_text(self):
        texts = " ".join(row[-1] for row in self.index if row[0].startswith("docs/mathematics.html"))
        self.assertIn("P(Z = k) = (1-x)/(1+x) x^(|k|), x = e^(-1/b)", texts)
        for row in self.index:
            self.assertNotRegex(row[-1], r"\\frac|FORMULA\d|<math|alttext")

    def test_underscores_in_words_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "a.md"
            page.write_text("# A\n\nValues x_1, ..., x_T of lotor_policy_new.\n")
            self.assertEqual(build(Path(folder) / "out", page).stderr, "")
            self.assertIn("x_1, ..., x_T of lotor_policy_new", (Path(folder) / "out/a.html").read_text("utf-8"))

    def test_both_schemes_have_colours(self):
        style = (self.site / "assets/site.css").read_text("utf-8")
        self.assertIn("prefers-color-scheme: dark", style)
        shared = style.removesuffix((ROOT / "docs/site/site.css").read_text("utf-8"))
        self.assertNotRegex(re.sub(r":root[^{]*\{[^{}]*\}|@media[^{]*\{|\}", "", shared), r"\S", "it has other rules of the dashboard")
        for name in set(re.findall(r"var\(--([\w-]+)", (ROOT / "docs/site/site.css").read_text("utf-8"))):
            self.assertGreaterEqual(len(re.findall(rf"--{name}\s*:", style)), 2, f"--{name} has one value for light and dark")


class Refusals(unittest.TestCase):
    """A site with a mistake is not built."""

    def problem(self, change):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "project"
            (root / "src/service/dashboard").mkdir(parents=True)
            for name in ("app.css", "mask.svg"):
                shutil.copy(ROOT / "src/service/dashboard" / name, root / "src/service/dashboard")
            shutil.copytree(ROOT / "docs/site", root / "docs/site")
            (root / "man").mkdir()
            (root / "man/lotor.1.md").write_text("title: LOTOR\nsection: 1\ndate: 2026-11-18\n\n# NAME\n\nlotor - x\n")
            (root / "README.md").write_text("# Lotor\n\nText.\n")
            kinds = "".join(f"## {kind}\n- [A](a.md): text.\n\n" for kind in ("Tutorials", "How-to guides", "Reference", "Explanation"))
            (root / "docs/README.md").write_text(f"# Documents\n\n{kinds}")
            (root / "docs/a.md").write_text("# A\n\nText.\n")
            change(root)
            made = build(Path(folder) / "site", "--root", root)
            return made.returncode, made.stderr

    def test_a_small_site(self):
        self.assertEqual(self.problem(lambda root: None), (0, ""))

    def test_a_link_that_leads_nowhere(self):
        status, words = self.problem(lambda root: (root / "docs/a.md").write_text("# A\n\n[b](b.md)\n"))
        self.assertEqual((status, words), (1, "site: docs/a.md: the link b.md leads nowhere\n"))

    def test_a_report_without_a_head(self):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report"
            report.mkdir()
            (report / "index.html").write_text("<!DOCTYPE html><title>Report</title>")
            made = build(Path(folder) / "site", "--report", report)
            self.assertEqual(made.returncode, 1)
            self.assertIn("index.html: it has 0 times </head>, expected one", made.stderr)

    def test_a_kind_without_pages(self):
        status, words = self.problem(lambda root: (root / "docs/README.md").write_text("# Documents\n\n## Tutorials\n- [A](a.md)\n"))
        self.assertEqual((status, words), (1, "site: docs/README.md: there is no list below '## How-to guides'\n"))

    def test_a_colour_that_the_dashboard_dropped(self):
        status, words = self.problem(lambda root: (root / "src/service/dashboard/app.css").write_text(":root { --ink: #000; }\n"))
        self.assertEqual(status, 1)
        self.assertIn("there is no colour --ground", words)


if __name__ == "__main__":
    unittest.main()
