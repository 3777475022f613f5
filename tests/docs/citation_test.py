"""citation_test.py - compares CITATION.cff with the project: its version, its licence and its form.

The form is that of the Citation File Format 1.2.0: the required keys, only keys that the format has, and authors that
are entities. The file uses a small part of YAML, which this test reads: keys with a text, and lists.

    /usr/bin/python3 tests/docs/citation_test.py [ROOT]
"""

import re
import sys
from pathlib import Path

REQUIRED = {"authors", "cff-version", "message", "title"}
ALLOWED = REQUIRED | {
    "abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url",
    "version",
}  # fmt: skip


def fields_of(text):
    """The keys and values of the file. A list is a list of texts; an item "key: text" stays as it is."""
    fields, key = {}, None
    for line in text.splitlines():
        if match := re.fullmatch(r"([a-z-]+):(?: (.+))?", line):
            key = match[1]
            if key in fields:
                raise ValueError(f"{key} is there twice")
            fields[key] = match[2].strip('"') if match[2] else []
        elif (match := re.fullmatch(r"  - (.+)", line)) and isinstance(fields.get(key), list):
            fields[key].append(match[1])
        else:
            raise ValueError(f"the line '{line}' is neither a key nor an item of a list")
    return fields


def first(pattern, path):
    match = re.search(pattern, path.read_text("utf-8"), re.M)
    return match[1] if match else None


def check(root):
    """Yields everything that is wrong."""
    fields = fields_of((root / "CITATION.cff").read_text("utf-8"))
    for key in sorted(REQUIRED - set(fields)):
        yield f"{key} is missing"
    for key in sorted(set(fields) - ALLOWED):
        yield f"the format has no {key}"
    if fields.get("cff-version") != "1.2.0":
        yield "cff-version is not 1.2.0"
    if fields.get("type") != "software":
        yield "type is not software"
    if fields.get("authors") != ['name: "The Lotor developers"']:
        yield f"authors is {fields.get('authors')}, expected the entity The Lotor developers"
    versions = {
        "CMakeLists.txt": first(r"^project\(lotor VERSION ([0-9.]+)", root / "CMakeLists.txt"),
        "clients/python/pyproject.toml": first(r'^version = "([^"]+)"', root / "clients/python/pyproject.toml"),
    }
    for name, version in versions.items():
        if fields.get("version") != version:
            yield f"version is {fields.get('version')}, but {name} has {version}"
    licence = first(r"^\s*(Apache License\s+Version 2\.0), January 2004", root / "LICENSE")
    if fields.get("license") != "Apache-2.0" or licence is None:
        yield f"license is {fields.get('license')}, but LICENSE begins with another one"
    python = first(r'^license = \{ text = "([^"]+)" \}', root / "clients/python/pyproject.toml")
    if fields.get("license") != python:
        yield f"license is {fields.get('license')}, but clients/python/pyproject.toml has {python}"


if __name__ == "__main__":
    problems = list(check(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()))
    print("\n".join(problems))
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)
