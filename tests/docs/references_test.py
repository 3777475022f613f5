"""references_test.py - compares docs/references.md with every citation in the documents and in the sources.

A citation is one or more surnames and a year: "Sajed 2019", "Balle and Wang (2018)", "Chen et al. 2020", "Bartlett's
decomposition (1933)". Each must be exactly one entry of docs/references.md. "et al." stands for all authors but the
first. Each entry must be well formed, and every file that it names under "Used in" must cite it. A document with
citations must link docs/references.md.

    /usr/bin/python3 tests/docs/references_test.py [ROOT]
"""

import re
import sys
import unicodedata
from pathlib import Path

FOLDERS = ("bench", "clients", "docs", "examples", "fuzz", "include", "man", "scripts", "src", "tests")
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md")
SKIPPED = {"corpus", "node_modules"}
SUFFIXES = {".c", ".h", ".md", ".py", ".sh", ".js", ".mjs", ".json", ".patch", ".svg"}

# These have the form of a citation, but are not one.
NOT_CITED = {
    "Alpha 1990": "a movie of a test",
    "Beta, The 1991": "a movie of a test",
    "Delta 1993": "a movie of a test",
    "Unseen 1994": "a movie of a test",
    "Two 1992": "a movie of a test",
    "Garden, The 1987": "a movie that the generator could invent",
    "Story 1995": "a movie in a comment",
    "January 2004": "the date of the licence",
    "Alberta 2019": "the university of a thesis",
    "Alberta 2023": "the university of a thesis",
    "CoLLAs 2023": "a conference",
    "Nobody 1999": "a paper that a test invents",
}
# These files are about movies or have citations that are wrong on purpose.
NOT_READ = {
    "docs/references.md": "it has the entries themselves",
    "tests/docs/references_test.py": "its texts are examples",
    "tests/docs/references_self_test.py": "its citations are wrong on purpose",
}

NAME = r"(?:Van )?[A-Z][\w-]*[a-z]"
YEAR = r"(?:19[0-9]{2}|20[0-4][0-9])"
CITATION = re.compile(
    rf"(?<![\w.-])(?P<names>(?:{NAME}(?:, and |, | and ))*{NAME}(?: et al\.?)?)"
    rf"(?:['’]s?(?: [a-z-]+){{0,2}})?,? \(?(?P<years>{YEAR}(?:, {YEAR})*)(?![0-9]|[.-][0-9])"
)
WITHOUT_YEAR = re.compile(rf"{NAME} et al\b(?!\\?\.? \(?{YEAR})")


def plain(text):
    """Without accents: "Cappé" is cited as "Cappe"."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def flat(text):
    """One line, without the marks that a comment or a C string has at the start and at the end of a line."""
    text = re.sub(r'"\s*\\?\n\s*"', "", text)  # a string that goes on in the next line
    text = re.sub(r"\\\n", "\n", text)
    text = re.sub(r"\n[ \t]*(?:\*(?!\*)|//[/!]?|#|>)?[ \t]*", " ", text)
    return re.sub(r"\s+", " ", text)


def surnames(names):
    return [name for name in re.split(r", and |, | and ", names) if name]


def surname(author):
    """The last word of a name; two words for "Van Roy"."""
    return re.search(r"(?:\bVan )?\S+$", author).group()


class Entry:
    def __init__(self, heading, body):
        self.heading, self.body = heading, flat(body).strip()
        self.year = heading.split()[-1]
        self.authors = self.body.split(". *")[0] if ". *" in self.body else ""
        self.names = [surname(plain(author)) for author in surnames(self.authors)]
        used = self.body.partition("Used in ")[2]
        self.files = [name for name in re.findall(r"`([^`]+)`", used) if "/" in name or name.endswith(".md")]

    def fits(self, names, year):
        if year != self.year:
            return False
        if re.search(r" et al\.?$", names):
            return len(self.names) > 2 and names.split(" et al")[0] == self.names[0]
        return surnames(names) == self.names


def entries_of(text):
    return [Entry(*match.groups()) for match in re.finditer(r"^### (.*)\n+((?:(?!#).*\n)*)", text, re.M)]


def citations_of(text):
    """Pairs of names and a year, as written in the text."""
    for match in CITATION.finditer(plain(flat(text))):
        for year in match["years"].split(", "):
            yield match["names"], year


def files_of(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and not SKIPPED & set(path.parts):
                yield path
    for page in PAGES:
        if (root / page).is_file():
            yield root / page


def check_entry(root, entry, entries):
    """Yields what is wrong with an entry."""
    if not re.fullmatch(YEAR, entry.year):
        yield "its heading does not end in a year"
    if not entry.authors or not re.search(r"\. \*[^*]+\*\. ", entry.body):
        yield "it does not begin with 'AUTHORS. *TITLE*. VENUE'"
    found = [other.heading for other in entries if other.fits(plain(entry.heading.rpartition(" ")[0]), entry.year)]
    if found != [entry.heading]:
        yield f"its heading names {found or 'no entry'}"
    if not re.search(r"arXiv \d{4}\.\d{4,5}\b|doi 10\.\d{4,}/\S+|[Nn]o arXiv id", entry.body):
        yield "it has no arXiv id and no DOI, and does not say so"
    if not re.search(rf"\*\. .*\b{entry.year}\b.*Used in ", entry.body):
        yield "its year is not in the venue"
    if not entry.files:
        yield "it does not say where it is used"
    for name in entry.files:
        path = root / name
        if not path.is_file():
            yield f"there is no {name}"
        elif not any(entry.fits(names, year) for names, year in citations_of(path.read_text("utf-8", "replace"))):
            yield f"{name} does not cite it"


def check(root):
    """Yields everything that is wrong."""
    entries = entries_of((root / "docs/references.md").read_text("utf-8"))
    if len(entries) < 40:
        yield f"docs/references.md: only {len(entries)} entries were found"
    for entry in entries:
        for wrong in check_entry(root, entry, entries):
            yield f"docs/references.md, {entry.heading}: {wrong}"
    count = 0
    for path in files_of(root):
        name = path.relative_to(root).as_posix()
        if name in NOT_READ:
            continue
        text = path.read_text("utf-8", "replace")
        cited = list(citations_of(text))
        count += len(cited)
        if cited and name.startswith("docs/") and path.suffix == ".md" and "](references.md" not in text:
            yield f"{name}: it names papers, but does not link references.md"
        for names, year in cited:
            found = [entry.heading for entry in entries if entry.fits(names, year)]
            if f"{names} {year}" not in NOT_CITED and len(found) != 1:
                what = f"is any of {found}" if found else "is not in docs/references.md"
                yield f"{name}: '{names} {year}' {what}"
        for match in WITHOUT_YEAR.finditer(plain(flat(text))):
            yield f"{name}: '{match.group()}' has no year"
    if count < 300:
        yield f"only {count} citations were found"


if __name__ == "__main__":
    problems = list(check(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()))
    print("\n".join(problems))
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)
