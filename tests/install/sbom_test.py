"""sbom_test.py BUILD CC - the bill of materials of a build has what SPDX 2.3 requires, and every linked library.

    /usr/bin/python3 -B tests/install/sbom_test.py build-check cc
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD, CC = Path("build-check"), "cc"
# Required fields, from the SPDX specification 2.3, sections 6 to 11.
DOCUMENT = {"spdxVersion": str, "dataLicense": str, "SPDXID": str, "name": str, "documentNamespace": str, "creationInfo": dict}
PACKAGE = {"SPDXID": str, "name": str, "downloadLocation": str, "versionInfo": str, "licenseConcluded": str,
           "licenseDeclared": str, "copyrightText": str, "filesAnalyzed": bool, "supplier": str}  # fmt: skip
FILE = {"SPDXID": str, "fileName": str, "checksums": list, "licenseConcluded": str, "copyrightText": str}
RELATION = {"spdxElementId": str, "relationshipType": str, "relatedSpdxElement": str}
LICENCES = {"Apache-2.0", "BSD-3-Clause", "GPL-3.0-or-later WITH GCC-exception-3.1", "ISC", "LGPL-2.1-or-later", "MIT", "PostgreSQL", "blessing"}


def problems(document):
    """Yields everything that SPDX 2.3 does not allow."""

    def fields(row, required, name):
        for field, kind in required.items():
            if not isinstance(row.get(field), kind) or row[field] == "":
                yield f"{name}: {field} is missing or not a {kind.__name__}"

    yield from fields(document, DOCUMENT, "document")
    if document.get("spdxVersion") != "SPDX-2.3" or document.get("dataLicense") != "CC0-1.0":
        yield "document: another version or licence of the data"
    if document.get("SPDXID") != "SPDXRef-DOCUMENT":
        yield "document: another id"
    if not re.match(r"[a-z][a-z0-9+.-]*:[^#]+$", document.get("documentNamespace", "")):
        yield "document: documentNamespace is not an address without #"
    made = document.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.get("created", "")):
        yield "creationInfo: created is not a date"
    if not made.get("creators") or any(not re.match(r"(?:Tool|Person|Organization): \S", name) for name in made["creators"]):
        yield "creationInfo: creators"
    ids = ["SPDXRef-DOCUMENT"]
    for kind, required in (("packages", PACKAGE), ("files", FILE)):
        for row in document.get(kind, []):
            name = f"{kind}: {row.get('name') or row.get('fileName')}"
            yield from fields(row, required, name)
            ids.append(row.get("SPDXID"))
            if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", row.get("SPDXID", "")):
                yield f"{name}: its id"
            if row.get("licenseConcluded") not in LICENCES:
                yield f"{name}: its licence"
            if kind == "files" and {each["algorithm"] for each in row.get("checksums", [])} != {"SHA1", "SHA256"}:
                yield f"{name}: its checksums"
    if len(ids) != len(set(ids)):
        yield "an id occurs twice"
    for row in document.get("relationships", []):
        yield from fields(row, RELATION, "relationship")
        for end in (row.get("spdxElementId"), row.get("relatedSpdxElement")):
            if end not in ids:
                yield f"relationship: there is no {end}"
    if not any(row.get("relationshipType") == "DESCRIBES" for row in document.get("relationships", [])):
        yield "nothing is described"


def make(build, out, **environment):
    return subprocess.run([ROOT / "scripts/sbom", build, out], capture_output=True, text=True, env={**os.environ, **environment})


class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        made = make(BUILD, cls.folder / "bill.json", SOURCE_DATE_EPOCH="1700000000")
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        cls.document = json.loads((cls.folder / "bill.json").read_text("utf-8"))

    def test_required_fields(self):
        self.assertEqual(list(problems(self.document)), [])
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")

    def test_every_linked_library_is_listed(self):
        names = {package["name"] for package in self.document["packages"]}
        text = subprocess.run(["readelf", "-d", BUILD / "lotor"], capture_output=True, text=True, check=True).stdout
        self.assertIn("libsodium", text)
        for word, name in (("libsodium", "libsodium"), ("liblapacke", "lapacke"), ("libmicrohttpd", "libmicrohttpd"), ("libgnutls", "gnutls"),
                           ("libjansson", "jansson"), ("libsqlite3", "sqlite3"), ("libpq", "libpq"), ("libc.so", "glibc")):  # fmt: skip
            self.assertEqual(word in text, name in names, name)
        for package in self.document["packages"]:
            self.assertRegex(package["versionInfo"], r"^[0-9]+(\.[0-9]+)+", package["name"])
        sodium = subprocess.run(["pkg-config", "--modversion", "libsodium"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertIn(("libsodium", sodium), {(package["name"], package["versionInfo"]) for package in self.document["packages"]})

    def test_checksums_are_those_of_the_files(self):
        for row in self.document["files"]:
            words = subprocess.run(["sha256sum", BUILD / row["fileName"]], capture_output=True, text=True, check=True).stdout
            self.assertIn(words.split()[0], [each["checksumValue"] for each in row["checksums"]])

    def test_the_same_build_gives_the_same_bytes(self):
        make(BUILD, self.folder / "again.json", SOURCE_DATE_EPOCH="1700000000")
        self.assertEqual((self.folder / "again.json").read_bytes(), (self.folder / "bill.json").read_bytes())

    def test_an_unknown_library_is_refused(self):
        folder = self.folder / "unknown"
        folder.mkdir()
        (folder / "zebra.c").write_text("int zebra(void); int zebra(void) { return 1; }\n")
        (folder / "main.c").write_text("int zebra(void); int main(void) { return zebra(); }\n")
        subprocess.run([CC, "-shared", "-fPIC", "-Wl,-soname,libzebra.so.1", "zebra.c", "-o", "libzebra.so"], cwd=folder, check=True)
        subprocess.run([CC, "main.c", "-L.", "-lzebra", "-o", "lotor"], cwd=folder, check=True)
        made = make(folder, folder / "bill.json")
        self.assertEqual(made.returncode, 1)
        self.assertIn("lotor links libzebra.so.1, which is not in the table", made.stderr)
        self.assertFalse((folder / "bill.json").exists())

    def test_no_build(self):
        empty = self.folder / "empty"
        empty.mkdir()
        made = make(empty, empty / "bill.json")
        self.assertEqual(made.returncode, 1)
        self.assertIn("run make first", made.stderr)

    def test_the_check_notices_mistakes(self):
        def change(edit):
            document = json.loads(json.dumps(self.document))
            edit(document)
            return list(problems(document))

        for edit in (
            lambda document: document.pop("documentNamespace"),
            lambda document: document.update(spdxVersion="SPDX-2.2"),
            lambda document: document["creationInfo"].update(created="today"),
            lambda document: document["creationInfo"].update(creators=[]),
            lambda document: document["packages"][1].pop("downloadLocation"),
            lambda document: document["packages"][1].update(licenseConcluded="Free"),
            lambda document: document["packages"][1].update(SPDXID="SPDXRef-Package-lotor"),
            lambda document: document["files"][0]["checksums"].pop(),
            lambda document: document["relationships"].pop(0),
            lambda document: document["relationships"][0].update(relatedSpdxElement="SPDXRef-none"),
        ):
            self.assertNotEqual(change(edit), [])


if __name__ == "__main__":
    BUILD, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1])
