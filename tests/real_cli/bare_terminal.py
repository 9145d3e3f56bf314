"""A program in a terminal of its own, for tests that look at a launch line without the app."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from pullcept.pty.system import make_terminals
from pullcept.pty.terminal import ExitStatus


class BareTerminal:
    """Runs argv directly, keeps all output, ends the whole process tree when it is closed."""

    def __init__(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        self._output = bytearray()
        self._exit: ExitStatus | None = None
        self._changed = threading.Condition()
        self._terminals = make_terminals()
        self._terminal = self._terminals.spawn(argv, cwd, env, 120, 40, self._on_output, self._on_exit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._terminals.close(1.0)

    def write(self, data: bytes) -> None:
        """Type bytes; returns when the terminal has taken them."""
        self._terminal.write(data).result(10)

    def wait_for(self, wanted: Callable[[str], bool], limit: float = 30.0) -> str:
        """The output once it is as wanted; fails with the end of the output."""
        end = time.monotonic() + limit
        with self._changed:
            while not wanted(text := self._output.decode("utf-8", "replace")):
                left = end - time.monotonic()
                if left <= 0 or self._exit:
                    raise AssertionError(f"{self._exit or 'running'}; the terminal shows {text[-3000:]!r}")
                self._changed.wait(left)
            return text

    def wait_for_exit(self, limit: float = 30.0) -> str:
        """Everything the program printed, once it has ended."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._exit is not None, limit), self._output[-3000:]
            return self._output.decode("utf-8", "replace")

    def _on_output(self, data: bytes) -> None:
        with self._changed:
            self._output += data
            self._changed.notify_all()

    def _on_exit(self, status: ExitStatus) -> None:
        with self._changed:
            self._exit = status
            self._changed.notify_all()
