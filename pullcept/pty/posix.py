# ruff: noqa: E402
"""Terminals on POSIX: one thread waits for all of them, reads, writes, and learns of every exit."""

import collections
import functools
import heapq
import itertools
import logging
import os
import selectors
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

# Before the imports: the modules below hold nothing on Windows, where nobody imports this one.
assert sys.platform != "win32"

from pullcept.pty.guard import Guard
from pullcept.pty.posix_terminal import PosixTerminal
from pullcept.pty.processes import signal_session
from pullcept.pty.spawn import release_process, spawn_process
from pullcept.pty.terminal import ExitStatus, TerminalFailed, usable_size

log = logging.getLogger(__name__)

LONGEST_WAIT = 60.0


class PosixTerminals:
    """All terminals of the app. Callbacks of a terminal are called on the one thread and should be short."""

    def __init__(self, *, watch_by_pidfd: bool = True) -> None:
        self._watch_by_pidfd = watch_by_pidfd and hasattr(os, "pidfd_open")
        self._selector = selectors.DefaultSelector()
        self._commands: collections.deque[Callable[[], None]] = collections.deque()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ, self._on_wake)
        self._lock = threading.Lock()
        self._alive: set[PosixTerminal] = set()
        self._all_gone = threading.Event()
        self._all_gone.set()
        self._closing = False
        self._stopped = False
        self._guard = Guard()
        self._thread = threading.Thread(target=self._run, name="terminals", daemon=True)
        self._thread.start()

    def spawn(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        columns: int,
        rows: int,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> PosixTerminal:
        """See `Terminals.spawn`."""
        size = usable_size(columns, rows) or (80, 24)
        with self._lock:
            if self._closing:
                raise TerminalFailed("the app is closing")
            process, fd = spawn_process(argv, cwd, env, *size)
            self._guard.watch(process.pid)
            terminal = PosixTerminal(self, process, fd, size, on_output, on_exit)
            self._alive.add(terminal)
            self._all_gone.clear()
        self.call(terminal.start)
        return terminal

    def close(self, grace: float = 0.0) -> None:
        """See `Terminals.close`. May be called twice; not from a terminal's callback."""
        with self._lock:
            self._closing = True
            alive = tuple(self._alive)
        for terminal in alive:
            terminal.end(grace)
        if not self._all_gone.wait(grace + 5.0):
            log.error("some programs could not be ended")
        self.call(self._stop)
        self._thread.join(5.0)
        with self._lock:
            self._guard.close()

    # --- for the terminals, on any thread -------------------------------------------------------------------

    def call(self, command: Callable[[], None]) -> None:
        """Run a command on the terminals' thread, soon and in order."""
        self._commands.append(command)
        try:
            os.write(self._wake_write, b"\0")
        except (BlockingIOError, OSError):
            pass

    # --- for the terminals, on the terminals' thread ---------------------------------------------------------

    @property
    def selector(self) -> selectors.BaseSelector:
        return self._selector

    @property
    def watch_by_pidfd(self) -> bool:
        return self._watch_by_pidfd

    def call_later(self, seconds: float, command: Callable[[], None]) -> None:
        """Run a command on this thread after some seconds."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), command))

    def forget(self, terminal: PosixTerminal) -> None:
        """A terminal's whole process tree is gone."""
        with self._lock:
            self._guard.forget(terminal.pid)
            self._alive.discard(terminal)
            if not self._alive:
                self._all_gone.set()

    # --- the thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopped:
            for key, mask in self._selector.select(self._wait_seconds()):
                self._guarded(functools.partial(key.data, mask))
            self._run_commands()
            self._run_timers()
        self._release_all()

    def _wait_seconds(self) -> float:
        if self._commands:
            return 0.0
        if not self._timers:
            return LONGEST_WAIT
        return max(0.0, min(self._timers[0][0] - time.monotonic(), LONGEST_WAIT))

    def _run_commands(self) -> None:
        for _ in range(len(self._commands)):
            self._guarded(self._commands.popleft())

    def _run_timers(self) -> None:
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            self._guarded(heapq.heappop(self._timers)[2])

    def _guarded(self, command: Callable[[], None]) -> None:
        try:
            command()
        except Exception:
            log.exception("a terminal's callback failed")

    def _on_wake(self, mask: int) -> None:
        try:
            while os.read(self._wake_read, 4096):
                pass
        except BlockingIOError:
            pass

    def _stop(self) -> None:
        self._stopped = True

    def _release_all(self) -> None:
        for terminal in tuple(self._alive):
            signal_session(terminal.pid, *terminal.FORCE)
            release_process(terminal.process)
        self._selector.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
