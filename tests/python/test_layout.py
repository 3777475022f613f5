"""The structs and functions that the package declares are those of the headers."""

import ctypes
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from lotor import _native
from lotor._library import library
from lotor.errors import BY_STATUS
from lotor.guarantee import MODELS

from support import PATIENCE, ROOT

HEADERS = sorted((ROOT / "include" / "lotor").rglob("*.h"))

# Functions that Python does not need. A new function must be wrapped, or named here.
NOT_WRAPPED = {
    "lotor_status_name",
    "lotor_ratio_from_double",
    "lotor_ratio_to_double",
    "lotor_ratio_is_infinite",
    "lotor_counter_check",
    "lotor_stopping_check",
    "lotor_policy_check",
    "lotor_policy_tick",  # for half-lives in seconds, which Python does not have
    "lotor_model_name",
    "lotor_sampler_new",
    "lotor_sampler_free",
    "lotor_sampler_draw",
    "lotor_advise_mean",
    "lotor_advise_run",
    "lotor_simulate_is_recorded",
    "lotor_simulate_problem_check",
    "lotor_simulate_problem_describe",
    "lotor_simulate_problem_free",
    "lotor_simulate_problem_new",
    "lotor_simulate_problem_run",
    "lotor_simulate_problem_structure",
    "lotor_watch_run",
    "lotor_watch_free",
    "lotor_verify_count",
    "lotor_verify_at",
    "lotor_verify_run",
}

# One letter for each type of number; everything else is a pointer.
KINDS = {
    "bool": ctypes.c_bool,
    "double": ctypes.c_double,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,  # and size_t, which is the same here
}


def header_text() -> str:
    text = "\n".join(path.read_text() for path in HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^\s*#.*$", "", text, flags=re.M)


def struct_fields(text: str) -> dict[str, list[str]]:
    """struct -> the names of its fields, in their order."""
    found = {}
    for match in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, flags=re.S):
        names = []
        for line in match.group(2).split(";"):
            function = re.search(r"\(\*(\w+)\)\(", line)
            if function:
                names.append(function.group(1))
                continue
            for part in line.split(","):
                name = re.search(r"(\w+)\s*(?:\[\d+\])?\s*$", part)
                if name:
                    names.append(name.group(1))
        found[match.group(1)] = names
    return found


def kind_of(declared: str, structs: dict[str, type]) -> object:
    """The kind of a C type: a class of ctypes, "pointer", or None for void."""
    if "*" in declared:
        return "pointer"
    word = declared.replace("const ", "").split()[0]
    if word == "void":
        return None
    if word in ("lotor_status", "lotor_level", "int"):
        return ctypes.c_int
    return structs.get(word) or {**KINDS, "size_t": ctypes.c_size_t}[word]


def kind_here(declared: object) -> object:
    pointers = (ctypes.c_void_p, ctypes.c_char_p)
    is_pointer = declared in pointers or (isinstance(declared, type) and issubclass(declared, ctypes._Pointer))
    return "pointer" if is_pointer else declared


def probe() -> str:
    """A C program that prints: struct, its size; and each field's offset, size and kind."""
    kinds = ", ".join(f'{c}: "{c}"' for c in KINDS) + ', default: "other"'
    headers = [path.relative_to(ROOT / "include") for path in HEADERS]
    lines = [f"#include <{path}>" for path in ("stddef.h", "stdio.h", *headers)] + ["int main(void) {"]
    for struct, here in _native.STRUCTS.items():
        lines.append(f'printf("{struct} . %zu 0 other\\n", sizeof({struct}));')
        for name, *_ in here._fields_:
            it = f"(({struct} *)0)->{name}"
            values = f"offsetof({struct}, {name}), sizeof({it}), _Generic({it}, {kinds})"
            lines.append(f'printf("{struct} {name} %zu %zu %s\\n", {values});')
    return "\n".join([*lines, "return 0; }", ""])


class Layout(unittest.TestCase):
    def test_sizes_and_offsets(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "probe.c"
            source.write_text(probe())
            command = ["cc", "-std=c17", "-I", str(ROOT / "include"), str(source), "-o", f"{folder}/probe"]
            subprocess.run(command, check=True, timeout=60 * PATIENCE)
            printed = subprocess.run([f"{folder}/probe"], check=True, capture_output=True, text=True, timeout=60 * PATIENCE)
        rows = [line.split() for line in printed.stdout.splitlines()]
        self.assertGreater(len(rows), 150)
        for struct, name, first, second, kind in rows:
            here = _native.STRUCTS[struct]
            with self.subTest(struct=struct, field=name):
                if name == ".":
                    self.assertEqual(int(first), ctypes.sizeof(here))
                    continue
                field = getattr(here, name)
                self.assertEqual((int(first), int(second)), (field.offset, field.size))
                if kind in KINDS:
                    self.assertIs(dict((f[0], f[1]) for f in here._fields_)[name], KINDS[kind])

    def test_every_field_is_here(self) -> None:
        theirs = struct_fields(header_text())
        self.assertEqual(set(theirs), set(_native.STRUCTS))
        for struct, names in theirs.items():
            self.assertEqual(names, [field[0] for field in _native.STRUCTS[struct]._fields_], struct)

    def test_functions(self) -> None:
        found = re.findall(r"LOTOR_API\s+([^;(]*?)(\w+)\(([^;]*)\);", header_text())
        names = {name for _, name, _ in found}
        self.assertEqual(names, set(_native.FUNCTIONS) | NOT_WRAPPED)
        self.assertFalse(set(_native.FUNCTIONS) & NOT_WRAPPED)
        for returns, name, arguments in found:
            if name in NOT_WRAPPED:
                continue
            with self.subTest(function=name):
                gives, takes = _native.FUNCTIONS[name]
                self.assertEqual(kind_of(returns, _native.STRUCTS), kind_here(gives))
                listed = [] if arguments.strip() == "void" else arguments.split(",")
                theirs = [kind_of(each.strip(), _native.STRUCTS) for each in listed]
                self.assertEqual(theirs, [kind_here(each) for each in takes])

    def test_statuses(self) -> None:
        name_of = library().lotor_status_name
        name_of.restype = ctypes.c_char_p
        self.assertEqual(name_of(0).decode(), "ok")
        for number, kind in enumerate(BY_STATUS, 1):
            self.assertEqual(name_of(number).decode(), kind.status)
        # The last status in Python is the last status in the header.
        numbers = re.findall(r"LOTOR_[A-Z]+ = (\d+)", re.search(r"enum lotor_status \{(.*?)\}", header_text(), re.S)[1])
        self.assertEqual(max(map(int, numbers)), len(BY_STATUS))

    def test_models(self) -> None:
        models = re.search(r"enum lotor_model \{(.*?)\}", header_text(), re.S)[1]
        found = re.findall(r"LOTOR_MODEL_(\w+) = (\d+)", models)
        self.assertEqual(tuple(name.lower() for name, _ in sorted(found, key=lambda f: int(f[1]))), MODELS)


if __name__ == "__main__":
    unittest.main()
