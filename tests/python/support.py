"""Functions that the tests share."""

import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Time limits are multiplied by this: see scripts/patience.
PATIENCE = int(os.environ.get("LOTOR_TEST_PATIENCE", "1"))
COMMAND = os.environ.get("LOTOR", str(ROOT / "build" / "lotor"))

# As on a terminal. A program that a script runs in the background would ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Server:
    """`lotor serve` on a free port, with its own store. At the end of the block the server is ended and the
    store deleted."""

    def __enter__(self) -> "Server":
        self._folder = tempfile.TemporaryDirectory(prefix="lotor-python.")
        folder = Path(self._folder.name)
        store = str(folder / "a.db")
        ask = [COMMAND, "key", "--store", store, "--role", "admin"]
        made = subprocess.run(ask, check=True, capture_output=True, text=True, timeout=30 * PATIENCE)
        self.key = made.stdout.strip()
        self._log = open(folder / "log", "w")
        self._process = subprocess.Popen(
            [COMMAND, "serve", "--store", store, "--port", "0", "--port-file", str(folder / "port"), "--allow-weak-epsilon"],
            stderr=self._log,
            stdout=self._log,
        )
        try:
            self.port = self._wait_for_port(folder)
        except BaseException:
            self.__exit__()
            raise
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def _wait_for_port(self, folder: Path) -> int:
        for _ in range(100 * PATIENCE):
            port = folder / "port"
            if port.exists() and port.read_text().strip():
                return int(port.read_text())
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(f"lotor serve did not start: {(folder / 'log').read_text()}")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10 * PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._folder.cleanup()


def free_port() -> int:
    """A port on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def interrupt() -> None:
    """Sends Ctrl-C to the main thread."""
    ident = threading.main_thread().ident
    assert ident is not None
    signal.pthread_kill(ident, signal.SIGINT)
