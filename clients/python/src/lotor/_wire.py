"""Requests to a decision service: connections that are kept, and retries that are safe."""

from __future__ import annotations

import http.client
import io
import json
import math
import os
import random
import select
import socket
import ssl
import threading
import time
from typing import Any, Mapping
from urllib.parse import urlsplit

import numpy as np

from .errors import InvalidError, ServiceError, UnreachableError

_IDLE = 5.0  # seconds; the server closes connections that were silent for 10
_LONGEST_WAIT = 30.0  # seconds; even if Retry-After says more
_MOST_BYTES = 256 << 20  # of a reply


class _NotSent(Exception):
    """There was no connection, so nothing of the request was sent."""


class _Reply:
    def __init__(self, status: int, wait: str | None, content: bytes) -> None:
        self.status = status
        self.wait = wait
        self.content = content


class _Patience(io.RawIOBase):
    """Reads a reply until `deadline`, since the timeout of a socket starts again with every byte."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """A reply that is complete within the socket's timeout, or None."""

    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Patience(sock, time.monotonic() + (sock.gettimeout() or math.inf)))


class Wire:
    """Sends requests, from any number of threads at once. Each thread uses a separate connection."""

    def __init__(self, url: str, key: str | None, timeout: float, retries: int) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise InvalidError(f"{url!r} is not the address of a service: {error}") from None
        if parts.username is not None or parts.password is not None:
            raise InvalidError("the address has a name or a password in it: leave it out, and give the key as `key`")
        if not 0 < timeout <= 1e6:
            raise InvalidError(f"timeout is {timeout}: give seconds above 0")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InvalidError(f"{url!r} is not the address of a service: give one such as http://127.0.0.1:8080")
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
            raise InvalidError("the key has characters that no key has: give it as `lotor key` printed it")
        self.url = url.rstrip("/")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._prefix = parts.hostname, port, parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if self._secure else None
        self._headers = {"Accept": "application/json", "User-Agent": "lotor-python"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        self._timeout, self.retries = timeout, retries
        self._lock = threading.Lock()
        self._idle: list[tuple[http.client.HTTPConnection, float]] = []
        self._process = os.getpid()

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None, *, again: bool = True) -> Any:
        """The reply's JSON. `again`: the request may be sent again even if the first one may have arrived.

        A request that was not sent, or that the server refused for now (429, 503), is always tried again.
        """
        data = None if body is None else json.dumps(body, allow_nan=False, default=_plain).encode()
        failure: Exception | None = None
        reply: _Reply | None = None
        for attempt in range(self.retries + 1):
            if attempt > 0:
                time.sleep(_pause(attempt, reply))
            failure = reply = None
            try:
                reply = self._once(method, self._prefix + path, data)
            except _NotSent as error:
                failure = error
            except (OSError, http.client.HTTPException) as error:
                failure = error
                if not again:
                    break
            if reply is not None and reply.status not in (429, 503):
                break
        if reply is None:
            raise UnreachableError(f"{self.url} did not reply: {failure or 'no reason'}") from failure
        return _read(reply)

    def wait(self, attempt: int) -> None:
        """Pauses before a caller's own attempt (from 1) to send something again."""
        time.sleep(_pause(attempt, None))

    def _once(self, method: str, path: str, data: bytes | None) -> _Reply:
        connection = self._take()
        connection.sock.settimeout(self._timeout)  # the previous reply may have left a shorter timeout
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            reply = _Reply(response.status, response.getheader("Retry-After"), _content(response))
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        return reply

    def _take(self) -> http.client.HTTPConnection:
        """A kept connection that still works, otherwise a new one."""
        with self._lock:
            is_mine = self._process == os.getpid()  # after a fork, the parent still uses its connections
            self._process = os.getpid()
            while self._idle:
                connection, since = self._idle.pop()
                if is_mine and time.monotonic() - since < _IDLE and _is_quiet(connection.sock):
                    return connection
                connection.close()
        if self._tls is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        connection.response_class = _Response
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise _NotSent(str(error)) from error
        return connection

    def close(self) -> None:
        with self._lock:
            for connection, _ in self._idle:
                connection.close()
            self._idle = []


def _content(response: http.client.HTTPResponse) -> bytes:
    """Reads a whole reply. A reply that is longer than any reply of the service is read only until that is
    clear."""
    content = b""
    if response.length is None:
        content = response.read(_MOST_BYTES + 1)
    elif response.length <= _MOST_BYTES:
        content = response.read()
    if len(content) > _MOST_BYTES or (response.length or 0) > _MOST_BYTES:
        raise http.client.HTTPException(f"the reply has more than {_MOST_BYTES} bytes")
    return content


def _plain(value: object) -> Any:
    """Converts NumPy's numbers and arrays to JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} can't be sent as JSON")


def _is_quiet(sock: socket.socket | None) -> bool:
    """True if there is nothing to read: the server has not closed the connection, and has sent nothing
    unexpected."""
    if sock is None:
        return False
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return not poll.poll(0)


def _pause(attempt: int, reply: _Reply | None) -> float:
    """Seconds before the next attempt: longer each time, and at least as long as the server asks for."""
    asked = float(reply.wait) if reply is not None and reply.wait and reply.wait.isascii() and reply.wait.isdigit() else 0.0
    pause = 0.1 * 2.0 ** (attempt - 1) * (1 + random.random())
    return min(max(pause, asked), _LONGEST_WAIT)


def _read(reply: _Reply) -> Any:
    try:
        content = json.loads(reply.content)
    except (ValueError, RecursionError):
        content = None
    if 200 <= reply.status < 300 and content is not None:
        return content
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        raise ServiceError(f"the reply {reply.status} is not from a Lotor service", http_status=reply.status)
    refusal = refusal_of(error, reply.status)
    refused = content.get("refused")
    raise AllRefused(refusal, refused) if refused and isinstance(refused, list) else refusal


def refusal_of(error: Mapping[str, Any], status: int) -> ServiceError:
    """The exception for an error of the service."""
    where, message = error.get("field"), str(error.get("message", ""))
    text = f"{where}: {message}" if where else message
    return ServiceError(text, code=str(error.get("code", "")), field=where, http_status=status)


class AllRefused(ServiceError):
    """The service refused every reward of a list."""

    def __init__(self, first: ServiceError, refused: list[Any]) -> None:
        super().__init__(str(first), code=first.code, field=first.field, http_status=first.http_status)
        self.refused = refused
