"""new_algorithm_test.py LOTOR [BUILD] - follows docs/new-algorithm.md to the letter.

It copies the sources, makes the edits that the page shows, builds the command without warnings, and runs the commands
of the page: page_test.sh compares their outputs. An edit is a block of code below a line

    In `FILE`, above the line `LINE`, insert:        (or: below the line)

LOTOR is the command of these sources. It must not know the new id. The build takes most of a minute of processor time,
so this test belongs to the long ones. With BUILD the test keeps the copy and its build in that folder.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/new-algorithm.md"
ID = "my-ucb"
EDIT = re.compile(r"^In `([^`]+)`, (above|below) the line `([^`]+)`, insert:\n\n((?:    .*\n|\n)+)", re.M)


def edits_of(text):
    """The edits of the page: file, "above" or "below", a line of the file, and the lines to insert there."""
    for name, where, line, block in EDIT.findall(text):
        yield name, where, line, [code[4:] for code in block.rstrip().split("\n")]


def insert(tree, name, where, line, block):
    path = tree / name
    lines = path.read_text("utf-8").split("\n")
    found = [number for number, text in enumerate(lines) if text.strip() == line]
    if len(found) != 1:
        sys.exit(f"{PAGE}: {name} has the line `{line}` {len(found)} times, expected once")
    at = found[0] + (where == "below")
    lines[at:at] = block
    path.write_text("\n".join(lines), "utf-8")


def copy_sources(tree):
    """All sources, without what was built."""
    tree.mkdir(parents=True)
    for item in ROOT.iterdir():
        if item.name.startswith((".git", "build")):
            continue
        if item.is_dir():
            shutil.copytree(item, tree / item.name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy2(item, tree)


def run(*command, **options):
    print("$", *command, flush=True)
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    return result.returncode, result.stdout


def must(*command, **options):
    code, said = run(*command, **options)
    if code != 0:
        sys.exit(f"exit status {code}:\n{said[-3000:]}")
    return said


def follow(lotor, folder):
    code, said = run(lotor, "run", ID, "--means", "0.6,0.5", "--horizon", "100")
    if code != 2 or ID not in said:
        sys.exit(f"{lotor} knows {ID} already, or does not refuse it: choose another id for the page\n{said}")

    tree, build = folder / "source", folder / "source/build"
    copy_sources(tree)
    edits = list(edits_of((ROOT / PAGE).read_text("utf-8")))
    if len(edits) != 3:
        sys.exit(f"{PAGE} has {len(edits)} edits, expected 3")
    for edit in edits:
        insert(tree, *edit)

    # Little optimization: the same numbers, and half the time.
    options = ("-DLOTOR_TESTS=OFF", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1")
    must("cmake", "-S", tree, "-B", build, *options)
    must("cmake", "--build", build, f"-j{os.cpu_count()}", "--target", "lotor")

    # In the copy the commands with the new id are run, too.
    rules = tree / "tests/docs/rules"
    kept = [rule for rule in rules.read_text("utf-8").split("\n") if not rule.startswith(f"{PAGE} :: never :: {ID}")]
    rules.write_text("\n".join(kept), "utf-8")
    print(must("sh", tree / "tests/docs/page_test.sh", build / "lotor", "long", PAGE))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 3:
        follow(sys.argv[1], Path(sys.argv[2]).resolve())
    else:
        with tempfile.TemporaryDirectory(prefix="lotor-test.") as name:
            follow(sys.argv[1], Path(name))
