"""Progress of long calls: how a C loop reports to a Python function, and how the function stops the loop."""

from __future__ import annotations

from typing import Any, Callable

from . import _native
from ._trap import Trap

Progress = Callable[[float], object]
"""Called from time to time with the finished share in [0, 1]. A true result stops the work."""


def watch(progress: Progress | None, trap: Trap) -> Any:
    """The C callback. It returns true to stop the work, also after an exception. A waiting Ctrl-C is raised in
    it."""
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress must be a function that takes the finished share, such as print, not {progress!r}: "
            "leave it out if you need no reports"
        )

    def call(_context: Any, share: float) -> bool:
        return bool(progress(share)) if progress is not None else False

    return _native.Progress(trap.guard(True, call))
