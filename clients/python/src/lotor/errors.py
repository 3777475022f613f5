"""The exceptions: one for each status of the library, with the library's message."""

from __future__ import annotations


class Error(Exception):
    """The base of all exceptions of Lotor. `str()` says what was wrong with which value, and what to do.

    >>> import lotor
    >>> lotor.Policy('dp-see', arms=5, epsilon=1)
    Traceback (most recent call last):
    ...
    lotor.errors.UnknownError: there is no algorithm "dp-see": did you mean dp-se?
    """

    status = "error"


class InvalidError(Error, ValueError):
    """A parameter is not valid; the message names it."""

    status = "invalid"


class RangeError(Error, ValueError):
    """A value is not a number, or is outside the declared range. The round stays open."""

    status = "range"


class TooLargeError(Error, OverflowError):
    """Sums or noise of this size would not fit in 64 bits."""

    status = "overflow"


class NoMemoryError(Error, MemoryError):
    """An allocation failed; nothing changed."""

    status = "memory"


class EntropyError(Error):
    """The kernel gave no random bytes; nothing changed. Try again later."""

    status = "entropy"


class HorizonError(Error):
    """Past the declared horizon; nothing changed."""

    status = "horizon"


class DamagedError(Error, ValueError):
    """Saved bytes were changed."""

    status = "damaged"


class VersionError(Error, ValueError):
    """Saved bytes come from a newer version."""

    status = "version"


class UnknownError(Error, LookupError):
    """No such name, or no such round."""

    status = "unknown"


class LateError(Error):
    """Feedback came after its round was over. It is not counted."""

    status = "late"


class DuplicateError(Error):
    """A second feedback for one round. It is not counted: the first one counts."""

    status = "duplicate"


class ReleasedError(Error):
    """This was released before, and can't be released otherwise."""

    status = "released"


class UnfinishedError(Error):
    """Not released yet."""

    status = "unfinished"


class IoError(Error, OSError):
    """A file, a connection or another program failed; the message says how."""

    status = "io"


class StoppedError(Error):
    """Stopped before there was a result, because `progress` asked for it."""

    status = "stopped"


class BusyError(Error):
    """A resource is in use, or the machine is too slow now. Try again later."""

    status = "busy"


class ServiceError(Error):
    """A decision service refused a request.

    `code` is stable ("bad_value", "no_such_campaign", ...; docs/openapi.json has them all), `field` says where
    in the request, `http_status` is the reply's number. In a local campaign, neither the message nor anything
    that was sent contains raw feedback.
    """

    status = "service"

    def __init__(self, message: str, *, code: str = "", field: str | None = None, http_status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.http_status = http_status


class RefusedError(ServiceError):
    """Some rewards of a list were refused. All others were accepted.

    `refused` has the place of each in the list, with its own `ServiceError`; their events are still open. `late` is
    how many of the accepted ones came after their rounds were over. `code`, `field` and the message are those of the
    first.
    """

    status = "refused"

    def __init__(self, refused: dict[int, ServiceError], late: int) -> None:
        first = next(iter(refused.values()))
        count = f"{len(refused)} rewards were" if len(refused) > 1 else "a reward was"
        super().__init__(
            f"{count} refused, the first because: {first}", code=first.code, field=first.field, http_status=first.http_status
        )
        self.refused = refused
        self.late = late


class UnreachableError(ServiceError, ConnectionError):
    """No reply came from the service, even after all retries that are safe."""

    status = "unreachable"


class UnusedOptionWarning(UserWarning):
    """An option that has no effect: the algorithm or the world has no use for it. It is ignored.

    >>> import lotor, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     policy = lotor.Policy('ucb', arms=5, horizon=1000, epsilon=1)
    >>> print(caught[0].message)
    epsilon is not used: ucb adds no noise
    """


# In the order of lotor_status, from 1.
BY_STATUS: tuple[type[Error], ...] = (
    InvalidError,
    RangeError,
    TooLargeError,
    NoMemoryError,
    EntropyError,
    HorizonError,
    DamagedError,
    VersionError,
    UnknownError,
    LateError,
    DuplicateError,
    ReleasedError,
    UnfinishedError,
    IoError,
    StoppedError,
    BusyError,
)
