"""A program in a terminal of its own, for tests that look at a launch line without the app."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import ptyprocess


class BareTerminal:
    """Spawns argv directly, keeps all output, ends the whole session when it is closed."""

    def __init__(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        self._process = ptyprocess.PtyProcess.spawn(list(argv), cwd=cwd, env=dict(env), dimensions=(40, 120))
        self._output = bytearray()
        self._changed = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="bare-terminal", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number in (signal.SIGHUP, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            self._reader.join(3)
            if not self._reader.is_alive():
                break
        self._process.close(force=True)

    def write(self, data: bytes) -> None:
        self._process.write(data)

    def output(self) -> str:
        with self._changed:
            return self._output.decode("utf-8", "replace")

    def wait_for(self, wanted: Callable[[str], bool], limit: float = 30.0) -> str:
        """The output once it is as wanted; fails with the end of the output."""
        end = time.monotonic() + limit
        with self._changed:
            while not wanted(text := self._output.decode("utf-8", "replace")):
                left = end - time.monotonic()
                if left <= 0 or self._ended:
                    raise AssertionError(f"the terminal shows {text[-3000:]!r}")
                self._changed.wait(left)
            return text

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._process.fd, 65536)
            except OSError:
                data = b""
            with self._changed:
                self._output += data
                self._ended = not data
                self._changed.notify_all()
            if not data:
                return
