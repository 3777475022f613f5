"""Calls functions in forked processes, several at once.

A forked process has the functions, closures and arrays of its parent, so nothing has to be pickled on the way in. The
result of a function is pickled on the way back.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import traceback
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Iterator, Mapping

from .errors import Error

Report = Callable[[float], None]
Task = Callable[[Report], Any]
"""The work of one process. It calls its argument with the finished share from time to time."""


def _work(task: Task, pipe: Connection, of_parent: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends the others
    for other in of_parent:  # so that a report fails, and ends this process, when the parent is gone
        other.close()
    try:
        outcome: tuple[str, Any] = ("done", task(lambda share: pipe.send(("share", share))))
    except BaseException as error:
        outcome = ("failed", _portable(error))
    with contextlib.suppress(BrokenPipeError):  # the parent is gone
        pipe.send(outcome)


def _portable(error: BaseException) -> tuple[BaseException | None, str]:
    """The exception (None: it can't be pickled) and its traceback, which is not pickled with it."""
    text = "".join(traceback.format_exception(error))
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        again = None
    return (error if type(again) is type(error) else None), text


def each_done(
    tasks: Mapping[Any, Task], jobs: int, watch: Callable[[Any, float], None]
) -> Iterator[tuple[Any, Any]]:
    """Runs the tasks, at most `jobs` at once. Yields (key, result) as soon as one is done.

    `watch` is called in this process with the finished share of a task. If a task raises, so does this function. All
    processes are ended when the iterator is closed.
    """
    fork = multiprocessing.get_context("fork")
    waiting = list(tasks.items())
    running: dict[Connection, tuple[Any, Any]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                key, task = waiting.pop(0)
                ours, theirs = fork.Pipe(duplex=False)
                process = fork.Process(target=_work, args=(task, theirs, [ours, *running]), daemon=True)
                process.start()
                theirs.close()  # so that the end of the process is the end of the pipe
                running[ours] = (key, process)
            for pipe in wait(list(running)):
                assert isinstance(pipe, Connection)
                key, process = running[pipe]
                kind, value = _next(pipe, process)
                if kind == "share":
                    watch(key, value)
                    continue
                del running[pipe]
                pipe.close()
                process.join()
                if kind == "failed":
                    error, text = value
                    told = RuntimeError(f"in a process of lotor.compare: {text}")
                    raise told if error is None else error from told
                yield key, value
    finally:
        for pipe, (_, process) in running.items():
            process.terminate()
            process.join()
            pipe.close()


def _next(pipe: Connection, process: Any) -> tuple[str, Any]:
    try:
        told: tuple[str, Any] = pipe.recv()
        return told
    except EOFError:
        process.join()
        status = process.exitcode
        return "failed", (Error(f"a process of lotor.compare ended with status {status}, perhaps for lack of memory"), "")
