"""version_test.py - every file has the version of CMakeLists.txt, and scripts/set-version changes them all.

    /usr/bin/python3 -B tests/docs/version_test.py
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from datetime import datetime, timezone
from email.utils import format_datetime
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADER = SourceFileLoader("set_version", str(ROOT / "scripts/set-version"))
SCRIPT = module_from_spec(spec_from_loader("set_version", LOADER))
LOADER.exec_module(SCRIPT)
SYMBOLS = next(ROOT.glob("debian/liblotor*.symbols")).relative_to(ROOT).as_posix()
FILES = [*SCRIPT.PLACES, "CHANGELOG.md", "debian/changelog", "cmake/liblotor.map", SYMBOLS]
NEWER = "7.8.9"


def run(root, *words):
    """The exit status, the output and the errors of scripts/set-version."""
    done = subprocess.run([ROOT / "scripts/set-version", "--root", root, *words], capture_output=True, text=True,
                          env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"})  # fmt: skip
    return done.returncode, done.stdout, done.stderr


class Version(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)

    def change(self, name, pattern, replacement):
        text = (self.root / name).read_text("utf-8")
        new, count = re.subn(pattern, replacement, text, count=1, flags=re.M | re.S)
        self.assertEqual(count, 1, name)
        (self.root / name).write_text(new, "utf-8")

    def test_the_project_has_one_version(self):
        self.assertEqual(run(ROOT, "--check"), (0, "", ""))

    def test_set_a_version(self):
        self.change("CHANGELOG.md", r"^## Unreleased\n.*?(?=^## )", "## Unreleased\n\n- A change.\n\n")
        status, out, errors = run(self.root, NEWER)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(set(out.split()), {*SCRIPT.PLACES, "CHANGELOG.md", "debian/changelog"})
        for name in SCRIPT.PLACES:
            self.assertEqual(set(SCRIPT.found(self.root, name)), {NEWER}, name)
            self.assertEqual(len(SCRIPT.found(self.root, name)), len(SCRIPT.found(ROOT, name)), name)
        self.assertIn(f"## Unreleased\n\nNothing yet.\n\n## {NEWER} (2027-01-15)\n\n- A change.\n\n## ", (self.root / "CHANGELOG.md").read_text())
        date = format_datetime(datetime.fromtimestamp(1800000000, timezone.utc))
        entry = (self.root / "debian/changelog").read_text("utf-8")
        self.assertTrue(entry.startswith(f"lotor ({NEWER}-1) unstable; urgency=medium\n"), entry[:200])
        self.assertIn(f" -- Lotor developers <lotor@packages.invalid>  {date}\n\nlotor (", entry)
        for name in (SYMBOLS, "cmake/liblotor.map"):
            self.assertEqual((self.root / name).read_bytes(), (ROOT / name).read_bytes(), "it names the first version of a function")
        self.assertEqual(run(self.root, NEWER), (0, "", ""))  # a second time changes nothing

    def test_each_file_that_differs_is_named(self):
        for name, pattern in SCRIPT.PLACES.items():
            if name == "CMakeLists.txt":
                continue
            with self.subTest(file=name):
                kept = (self.root / name).read_text("utf-8")
                self.change(name, pattern, lambda match: match[0].replace(match[1], "0.0.7"))
                status, _, errors = run(self.root, "--check")
                self.assertEqual(status, 1)
                self.assertRegex(errors, rf"\A{re.escape(name)}: it states 0\.0\.7, but CMakeLists.txt has \S+\n\Z")
                (self.root / name).write_text(kept, "utf-8")

    def test_other_differences(self):
        for name, pattern, replacement, words in (
            ("debian/changelog", r"\Alotor \([^-]+", "lotor (0.0.7", "debian/changelog: the newest version is 0.0.7, but"),
            ("CHANGELOG.md", r"^## \d\S*", "## 0.0.7", "CHANGELOG.md: the newest version is 0.0.7, but"),
            ("CHANGELOG.md", r"^(#.*)\Z", "nothing", "CHANGELOG.md: the newest version is missing, but"),
            ("CITATION.cff", r"^version: \S+", "other: 1", "CITATION.cff: it states no version"),
            ("CMakeLists.txt", r"SOVERSION \d+", "SOVERSION 8", "SOVERSION is 8, but there is no debian/liblotor8.symbols"),
            (SYMBOLS, r"\(symver\)LOTOR_\S+", "(symver)LOTOR_0.0", ", as in cmake/liblotor.map"),
            (SYMBOLS, r"\Aliblotor.so.\d+", "liblotor.so.8", "expected liblotor.so."),
            ("cmake/liblotor.map", r"^LOTOR_[\d.]+ ", "LOTOR_9.9 ", "cmake/liblotor.map: LOTOR_9.9 is newer than version"),
        ):
            with self.subTest(file=name, words=words):
                kept = (self.root / name).read_text("utf-8")
                self.change(name, pattern, replacement)
                status, _, errors = run(self.root, "--check")
                self.assertEqual(status, 1)
                self.assertIn(words, errors)
                (self.root / name).write_text(kept, "utf-8")

    def test_a_file_that_the_script_does_not_know(self):
        (self.root / "docs/new.md").write_text(f"Lotor {SCRIPT.current(ROOT)}.\n")
        status, _, errors = run(self.root, "--check")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"\Adocs/new\.md: it states \S+, but scripts/set-version does not know it: add it to PLACES\n\Z")

    def test_refusals(self):
        for version, words in (
            ("1.0", "expected MAJOR.MINOR.PATCH"),
            ("v1.2.3", "expected MAJOR.MINOR.PATCH"),
            ("1.02.3", "expected MAJOR.MINOR.PATCH"),
            ("0.0.7", "which is newer"),
            (NEWER, "the section 'Unreleased' is empty"),
        ):
            with self.subTest(version=version):
                self.change("CHANGELOG.md", r"^## Unreleased\n.*?(?=^## )", "## Unreleased\n\nNothing yet.\n\n")
                status, out, errors = run(self.root, version)
                self.assertEqual((status, out), (1, ""))
                self.assertIn(words, errors)
                self.assertEqual((self.root / "CMakeLists.txt").read_bytes(), (ROOT / "CMakeLists.txt").read_bytes())


if __name__ == "__main__":
    unittest.main()
