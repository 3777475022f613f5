"""Every docstring, every line of the README, and every example is run."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lotor
from support import PATIENCE, ROOT, Server

README = ROOT / "clients" / "python" / "README.md"
EXAMPLES = sorted((ROOT / "clients" / "python" / "examples").glob("*.py"))
FLAGS = doctest.ELLIPSIS


class Docstrings(unittest.TestCase):
    def test_docstrings(self) -> None:
        names = [f"lotor.{each.name}" for each in pkgutil.iter_modules(lotor.__path__)]
        modules = [lotor, *map(importlib.import_module, names)]
        attempted = 0
        for module in modules:
            result = doctest.testmod(module, optionflags=FLAGS)
            self.assertEqual(result.failed, 0, module.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 40)

    def test_everything_public_has_one(self) -> None:
        for name in lotor.__all__:
            if name != "__version__":
                self.assertTrue(getattr(lotor, name).__doc__, name)


class Readme(unittest.TestCase):
    def test_snippets(self) -> None:
        with Server() as server:
            text = README.read_text().replace("http://127.0.0.1:8080", server.url)
            test = doctest.DocTestParser().get_doctest(text, {"key": server.key}, "README.md", str(README), 0)
            self.assertGreater(len(test.examples), 12)
            runner = doctest.DocTestRunner(optionflags=FLAGS)
            runner.run(test, clear_globs=False)
            test.globs["client"].close()
        test.globs.clear()  # functions of the README refer to the globals, so only the garbage collector would free the policies
        self.assertEqual(runner.summarize().failed, 0)

    def test_page_of_algorithms(self) -> None:
        page = ROOT / "docs" / "new-algorithm.md"
        test = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
        self.assertGreater(len(test.examples), 6)
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(test)
        self.assertEqual(runner.summarize().failed, 0)

    def test_commands(self) -> None:
        commands = re.findall(r"^    (?!>>>|\.\.\. )((?:/usr/bin/|v/bin/).*)$", README.read_text(), re.M)
        install, *examples = commands
        # `run` runs the first, and test_examples the others.
        self.assertIn("pip install ./clients/python", install)
        self.assertEqual(
            sorted(examples),
            [f"v/bin/python clients/python/examples/{path.name} {path.stem}.png" for path in EXAMPLES],
        )


    def test_what_pip_needs_is_one_command_before_it(self) -> None:
        needs = "sudo apt install python3-venv python3-numpy\n"
        venv = "/usr/bin/python3 -m venv --system-site-packages "
        self.assertIn(f"    {needs}    {venv}v && v/bin/pip install ", README.read_text())
        page = (ROOT / "docs" / "python.md").read_text()
        self.assertIn(f"    $ {needs}    $ {venv}/tmp/v\n    $ /tmp/v/bin/pip install ", page)


class Examples(unittest.TestCase):
    def test_examples(self) -> None:
        self.assertEqual(
            [path.stem for path in EXAMPLES],
            ["cascade", "finite", "linear", "matroid", "max_cut", "own_rule", "semi_bandit", "set_cover"],
        )
        with tempfile.TemporaryDirectory(prefix="lotor-python.") as folder:
            for path in EXAMPLES:
                with self.subTest(example=path.name):
                    picture = Path(folder) / f"{path.stem}.png"
                    done = subprocess.run(
                        [sys.executable, str(path), str(picture)],
                        env={**os.environ, "MPLCONFIGDIR": folder},
                        capture_output=True,
                        text=True,
                        timeout=120 * PATIENCE,
                    )
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("private: epsilon", done.stdout)
                    self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
                    self.assertGreater(picture.stat().st_size, 10_000)


if __name__ == "__main__":
    unittest.main()
