"""Every notebook runs from its first cell to its last, with the installed package."""

import asyncio
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from support import PATIENCE, ROOT

FOLDER = ROOT / "clients" / "python" / "notebooks"
SETTINGS = ("JUPYTER_PATH", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "PYDEVD_DISABLE_FILE_VALIDATION")
NAMES = ["contextual-data", "first-steps", "own-algorithm"]


def kernel_folder(folder: Path) -> None:
    """A kernel of this Python, which has the package. Debian's own kernel is another Python."""
    place = folder / "kernels" / "python3"
    place.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (place / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))


class Notebooks(unittest.TestCase):
    def test_all_are_known(self) -> None:
        self.assertEqual(sorted(path.stem for path in FOLDER.glob("*.ipynb")), NAMES)

    def test_outputs_are_not_kept(self) -> None:
        for name in NAMES:
            for cell in json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), f"{name}: clear all outputs before you commit it")

    def test_links_lead_somewhere(self) -> None:
        for name in NAMES:
            for cell in json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]:
                if cell["cell_type"] == "markdown":
                    for link in re.findall(r"\]\(([^)]*)\)", "".join(cell["source"])):
                        self.assertTrue((FOLDER / link).exists(), f"{name}: {link}")

    def run_one(self, name: str) -> list:
        import nbclient
        import nbformat

        with tempfile.TemporaryDirectory(prefix="lotor-notebook.") as folder:
            kernel_folder(Path(folder))
            before = {key: os.environ.get(key) for key in SETTINGS}
            os.environ.update({key: folder for key in SETTINGS}, PYDEVD_DISABLE_FILE_VALIDATION="1")
            try:
                notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
                client = nbclient.NotebookClient(notebook, timeout=300 * PATIENCE, kernel_name="python3")
                asyncio.run(client.async_execute(cwd=folder))
            finally:
                for key, value in before.items():
                    os.environ.pop(key, None)
                    if value is not None:
                        os.environ[key] = value
        return notebook.cells

    def pictures(self, cells: list) -> int:
        return sum("image/png" in output.get("data", {}) for cell in cells for output in cell.get("outputs", []))

    def test_first_steps(self) -> None:
        cells = self.run_one("first-steps")
        self.assertEqual(self.pictures(cells), 1)

    def test_own_algorithm(self) -> None:
        cells = self.run_one("own-algorithm")
        self.assertGreaterEqual(self.pictures(cells), 1)
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        lines = [line for line in code[0].splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 15)
        for word in ("IndexRule", "batch-klucb", "dp-imed", '"imed"', "World(", "plot()", "audit(", "runs=20"):
            self.assertIn(word, code[0])

    def test_contextual_data(self) -> None:
        cells = self.run_one("contextual-data")
        self.assertEqual(self.pictures(cells), 1)


if __name__ == "__main__":
    unittest.main()
