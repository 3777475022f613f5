"""Makes pandas DataFrames, if pandas is installed."""

from __future__ import annotations

import importlib
from typing import Any, Mapping


def optional(name: str, what: str) -> Any:
    """Imports a package that only a few calls need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{what} needs {package}: apt install python3-{package}, or pip install {package}") from error


def frame_of(columns: Mapping[str, Any], about: Mapping[str, Any]) -> Any:
    """A DataFrame with these columns; `about` goes into its attrs."""
    frame = optional("pandas", "to_frame()").DataFrame(dict(columns))
    frame.attrs.update(about)
    return frame
