"""The build backend of the package (PEP 517 and 660), which pip calls. It needs only Python.

A wheel has the package and liblotor.so. `make` builds the library, in the source tree or in the folder `engine`
of a source distribution. With `--config-settings library=FILE` that file is used instead. With `library=none`
the wheel has no library, and the package looks for the system's library when it is used.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, Iterator, Mapping

HERE = Path(__file__).resolve().parent.parent
PACKAGE = HERE / "src" / "lotor"
DATE = (2020, 1, 1, 0, 0, 0)  # the date of every file, so that the same files give the same wheel
# Folders that a build of the library does not need. The rest of the source tree goes into `engine`.
LEFT_OUT = ("build", ".git", "tests", "fuzz", "bench", "clients/python")

LIBRARY = "liblotor.so.1"  # its name in the package; a name that ends in .so would be a Python module

Settings = Mapping[str, Any] | None


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    return table


def engine() -> Path | None:
    """Where the C sources are."""
    for folder in (HERE / "engine", HERE.parent.parent):
        if (folder / "CMakeLists.txt").is_file() and (folder / "include" / "lotor").is_dir():
            return folder
    return None


def library(settings: Settings) -> Path | None:
    """The library to put into the wheel: the one in the settings, or the one that `make` builds."""
    asked = (settings or {}).get("library")
    if asked == "none":
        return None
    if asked:
        path = Path(str(asked)).expanduser().resolve()
        if not path.is_file():
            raise SystemExit(f"library={asked}: there is no such file")
        return path
    folder = engine()
    if folder is None:
        raise SystemExit(
            "the C sources of Lotor are not here: install from its source tree, or say "
            "--config-settings library=FILE (or library=none, to use the system's liblotor)"
        )
    # Removes the flags of a `make` that called pip.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    if subprocess.run(["make"], cwd=folder, env=environment, stdout=sys.stderr).returncode != 0:
        raise SystemExit(f"`make` failed in {folder}: its messages are above (pip -v shows them)")
    return (folder / "build" / "liblotor.so").resolve(strict=True)


def readme(name: str) -> str:
    """The README without links into the source tree, which lead nowhere from an installed package. See cmake/readme.cmake."""
    text = (HERE / name).read_text()
    text = re.sub(r"\[(docs/[^]\n]*)\]\(\.\./\.\./[^)\n]*\)", r"\1", text)
    return re.sub(r"\[([^]\n]*)\]\(\.\./\.\./([^)#\n]*)(#[^)\n]*)?\)", r"\1 (\2)", text)


def metadata() -> str:
    """The wheel's METADATA and the source distribution's PKG-INFO."""
    about = project()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        f"License: {about['license']['text']}",
        f"Requires-Python: {about['requires-python']}",
        *(f"Classifier: {each}" for each in about["classifiers"]),
        *(f"Requires-Dist: {each}" for each in about["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        readme(about["readme"]),
    ]
    return "\n".join(lines)


def stem() -> str:
    return f"{project()['name']}-{project()['version']}"


def tag(has_library: bool) -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}" if has_library else "py3-none-any"


def about_wheel(wheel_tag: str) -> dict[str, bytes]:
    """The .dist-info folder, without its RECORD."""
    pure = "true" if wheel_tag.endswith("-any") else "false"
    wheel = f"Wheel-Version: 1.0\nGenerator: lotor_build\nRoot-Is-Purelib: {pure}\nTag: {wheel_tag}\n"
    return {
        f"{stem()}.dist-info/METADATA": metadata().encode(),
        f"{stem()}.dist-info/WHEEL": wheel.encode(),
    }


def record(files: Mapping[str, bytes]) -> bytes:
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    rows.append(f"{stem()}.dist-info/RECORD,,\n")
    return "".join(rows).encode()


def write_wheel(folder: str, wheel_tag: str, files: dict[str, bytes]) -> str:
    files = {**files, **about_wheel(wheel_tag)}
    files[f"{stem()}.dist-info/RECORD"] = record(files)
    name = f"{stem()}-{wheel_tag}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(LIBRARY) else 0o644) << 16
            wheel.writestr(entry, content)
    return name


def package_files() -> dict[str, bytes]:
    paths = sorted([*PACKAGE.rglob("*.py"), PACKAGE / "py.typed"])
    return {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in paths}


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Writes the name and the dependencies, which pip can read without a build."""
    folder = Path(metadata_directory) / f"{stem()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    built = library(config_settings)
    files = package_files()
    if built:
        files[f"lotor/{LIBRARY}"] = built.read_bytes()
    return write_wheel(wheel_directory, tag(built is not None), files)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel that points to this folder; the library stays where `make` builds it."""
    built = library(config_settings)
    files = {"lotor_editable.pth": f"{PACKAGE.parent}\n".encode()}
    if built:
        link = PACKAGE / LIBRARY
        link.unlink(missing_ok=True)
        link.symlink_to(built)
    return write_wheel(wheel_directory, tag(built is not None), files)


def engine_files(tree: Path) -> list[str]:
    """The files of the C sources: those that git tracks, or all of them if there is no git."""
    if (tree / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True)
        names = listed.stdout.decode().split("\0")[:-1]
    else:
        names = [path.relative_to(tree).as_posix() for path in sorted(tree.rglob("*"))]
    return [name for name in names if not name.startswith(LEFT_OUT) and (tree / name).is_file()]


def sources() -> Iterator[tuple[str, Path]]:
    """The files of a source distribution, with their names there."""
    for name in ("pyproject.toml", "README.md"):
        yield name, HERE / name
    for folder in ("build_backend", "src", "examples"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.suffix in (".py", ".typed"):
                yield path.relative_to(HERE).as_posix(), path
    tree = engine()
    if tree:
        for name in engine_files(tree):
            yield f"engine/{name}", tree / name


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    name = f"{stem()}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for inner, path in sources():
            archive.add(path, f"{stem()}/{inner}", recursive=False)
        content = metadata().encode()
        entry = tarfile.TarInfo(f"{stem()}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return name
