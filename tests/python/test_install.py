"""The build backend, the installed package, and which library it takes."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from importlib import metadata
from pathlib import Path

import lotor
from lotor import _library
from support import PATIENCE, ROOT

PYTHON = ROOT / "clients" / "python"
SHOWN = (
    "import lotor; p = lotor.Policy('dp-se', arms=5, epsilon=1.0, horizon=10**6); print(p.choose(), p.guarantee)"
)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60 * PATIENCE
    )


class Installed(unittest.TestCase):
    def test_it_is_the_installed_one(self) -> None:
        self.assertNotIn(ROOT, Path(lotor.__file__).parents)
        self.assertEqual(Path(_library.library()._name).parent, Path(lotor.__file__).parent)

    def test_versions(self) -> None:
        self.assertEqual(metadata.version("lotor"), lotor.__version__)
        self.assertEqual(_library.library().lotor_version().decode(), lotor.__version__)

    def test_the_readme_has_no_links_out_of_the_package(self) -> None:
        text = metadata.metadata("lotor").get_payload()
        self.assertIn("docs/python.md is the tutorial", text)
        self.assertNotRegex(text, r"\]\((?!https?:|#)")

    def test_typed(self) -> None:
        self.assertTrue(Path(lotor.__file__).with_name("py.typed").exists())

    def test_the_first_line(self) -> None:
        done = run(SHOWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^show arm [0-4] \(round 1\) private: epsilon = 1, central model, ")

    def test_another_library(self) -> None:
        code = "import lotor._library as l; print(l.library()._name)"
        named = str(ROOT / "build" / "liblotor.so")
        self.assertEqual(run(code, LOTOR_LIBRARY=named).stdout.strip(), named)

    def test_no_library(self) -> None:
        done = run("import lotor; print('imported'); lotor.algorithms()", LOTOR_LIBRARY="/nowhere.so")
        self.assertEqual(done.stdout.strip(), "imported")  # a client does not need the library
        self.assertIn("LOTOR_LIBRARY", done.stderr)

    def test_a_library_that_is_another(self) -> None:
        done = run("import lotor; lotor.algorithms()", LOTOR_LIBRARY="libc.so.6")
        self.assertIn("is not the liblotor of this package", done.stderr)

    def test_a_library_of_another_version(self) -> None:
        code = "import lotor._library as l; l.VERSION = '0.9.0'; l.library()"
        self.assertIn("this package is for 0.9.0", run(code).stderr)


class Built(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="lotor-python.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, what: str, settings: dict[str, str] | None = None, backend: Path = PYTHON) -> Path:
        """Calls the backend as pip does: in a separate process, in the package's folder."""
        code = f"import lotor_build, json, sys; print(lotor_build.{what}(sys.argv[1], json.loads(sys.argv[2])))"
        done = subprocess.run(
            [sys.executable, "-c", code, str(self.folder), json.dumps(settings)],
            env={**os.environ, "PYTHONPATH": str(backend / "build_backend")},
            cwd=backend,
            capture_output=True,
            text=True,
            timeout=600 * PATIENCE,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / done.stdout.strip().splitlines()[-1]

    def test_wheel(self) -> None:
        wheel = self.build("build_wheel")
        self.assertRegex(wheel.name, r"^lotor-[\d.]+-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            self.assertIsNone(archive.testzip())
            record = archive.read(next(name for name in names if name.endswith("RECORD"))).decode()
        self.assertEqual([line.split(",")[0] for line in record.splitlines()], names)
        self.assertIn("lotor/liblotor.so.1", names)
        self.assertIn("lotor/py.typed", names)
        first = wheel.read_bytes()
        self.assertEqual(self.build("build_wheel").read_bytes(), first)  # the same again

    def test_wheel_without_a_library(self) -> None:
        wheel = self.build("build_wheel", {"library": "none"})
        self.assertTrue(wheel.name.endswith("-py3-none-any.whl"))
        with zipfile.ZipFile(wheel) as archive:
            self.assertNotIn("lotor/liblotor.so.1", archive.namelist())
            archive.extractall(self.folder)
        # Then the system's library is used, if there is one.
        code = "import lotor._library as l; print(l.__file__, l.library()._name)"
        done = run(code, PYTHONPATH=str(self.folder), LD_LIBRARY_PATH=str(ROOT / "build"))
        expected = [str(self.folder / "lotor" / "_library.py"), "liblotor.so.1"]
        self.assertEqual(done.stdout.split(), expected, done.stderr)

    def test_wheel_with_another_library(self) -> None:
        other = self.folder / "other.so"
        other.write_bytes(b"other")
        with zipfile.ZipFile(self.build("build_wheel", {"library": str(other)})) as archive:
            self.assertEqual(archive.read("lotor/liblotor.so.1"), b"other")

    def test_source_distribution(self) -> None:
        with tarfile.open(self.build("build_sdist")) as archive:
            archive.extractall(self.folder)
        tree = self.folder / f"lotor-{lotor.__version__}"
        self.assertIn("Name: lotor", (tree / "PKG-INFO").read_text())
        self.assertFalse((tree / "engine" / "tests").exists())
        # All files for a build are there: it can be configured, and has all sources.
        configure = ["cmake", "-S", str(tree / "engine"), "-B", str(self.folder / "b")]
        configured = subprocess.run(configure, capture_output=True, text=True, timeout=120 * PATIENCE)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        for folder in ("src", "include", "cmake", "scripts"):
            ours, theirs = (
                {path.relative_to(top) for path in (top / folder).rglob("*") if path.is_file()}
                for top in (tree / "engine", ROOT)
            )
            self.assertEqual(ours, theirs)
        # It makes a wheel without the source tree.
        library = str(ROOT / "build" / "liblotor.so")
        self.assertTrue(self.build("build_wheel", {"library": library}, backend=tree).exists())

    def test_editable(self) -> None:
        copied = self.folder / "clients" / "python"
        shutil.copytree(PYTHON, copied, ignore=shutil.ignore_patterns("liblotor*", "__pycache__"))
        library = str((ROOT / "build" / "liblotor.so").resolve())
        wheel = self.build("build_editable", {"library": library}, backend=copied)
        with zipfile.ZipFile(wheel) as archive:
            pointed = archive.read("lotor_editable.pth").decode().strip()
        done = run("import lotor; print(lotor.__file__); lotor.algorithms()", PYTHONPATH=pointed)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Path(done.stdout.strip()), copied / "src" / "lotor" / "__init__.py")


class Modules(unittest.TestCase):
    def test_all_names_are_there(self) -> None:
        for name in lotor.__all__:
            self.assertTrue(hasattr(lotor, name), name)


if __name__ == "__main__":
    unittest.main()
