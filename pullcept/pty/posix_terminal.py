# ruff: noqa: E402
"""One terminal on POSIX. What touches its state runs on the terminals' thread; the public methods only ask for it."""

from __future__ import annotations

import collections
import fcntl
import logging
import os
import selectors
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

# Before the imports: the modules below hold nothing on Windows, where nobody imports this one.
assert sys.platform != "win32"

from pullcept.pty.processes import session_members, signal_process, signal_session
from pullcept.pty.spawn import release_process
from pullcept.pty.terminal import (
    ExitStatus,
    TerminalEnded,
    WriteUnsure,
    exit_by_code,
    exit_by_signal,
    usable_size,
)

if TYPE_CHECKING:
    from ptyprocess import PtyProcess

log = logging.getLogger(__name__)

READ_AT_ONCE = 65_536
POLL_EXIT = 0.1
DRAIN_STEP = 0.05
DRAIN_LIMIT = 0.6
SWEEP_GRACE = 1.0
SWEEP_STEP = 0.05
SWEEP_LIMIT = 4.0


class Loop(Protocol):
    """What a terminal needs of the thread it lives on."""

    def call(self, command: Callable[[], None]) -> None: ...
    def call_later(self, seconds: float, command: Callable[[], None]) -> None: ...
    def forget(self, terminal: PosixTerminal) -> None: ...
    @property
    def selector(self) -> selectors.BaseSelector: ...
    @property
    def watch_by_pidfd(self) -> bool: ...


class _Write:
    """Bytes on their way into a terminal."""

    __slots__ = ("data", "future", "limit", "offset")

    def __init__(self, data: bytes, limit: float) -> None:
        self.data = memoryview(data)
        self.offset = 0
        self.limit = limit
        self.future: Future[None] = Future()


class PosixTerminal:
    """See `Terminal`."""

    FORCE = (signal.SIGKILL,)
    HANG_UP = (signal.SIGHUP, signal.SIGCONT)
    POLITE = (signal.SIGTERM, signal.SIGCONT)

    def __init__(
        self,
        loop: Loop,
        process: PtyProcess,
        fd: int,
        size: tuple[int, int],
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> None:
        self.process = process
        self._pid: int = process.pid
        self._loop = loop
        self._fd = fd
        self._size = size
        self._on_output, self._on_exit = on_output, on_exit
        # Held while another thread uses the master, so that its number cannot be closed and given away meanwhile.
        self._fd_lock = threading.Lock()
        self._open = True
        self._writes: collections.deque[_Write] = collections.deque()
        self._progress_at = 0.0
        self._watching_progress = False
        self._stalled = False
        self._exited: ExitStatus | None = None
        self._reading = False
        self._pidfd: int | None = None
        self._drain_until = 0.0
        self._quiet_steps = 0
        self._force_asked = False

    @property
    def pid(self) -> int:
        return self._pid

    @property
    def exited(self) -> ExitStatus | None:
        return self._exited

    @property
    def stalled(self) -> bool:
        return self._stalled

    def write(self, data: bytes, limit: float = 10.0) -> Future[None]:
        """See `Terminal.write`."""
        write = _Write(data, limit)
        self._loop.call(lambda: self._queue(write))
        return write.future

    def resize(self, columns: int, rows: int) -> None:
        """See `Terminal.resize`."""
        size = usable_size(columns, rows)
        with self._fd_lock:
            if size is None or size == self._size or not self._open:
                return
            self._size = size
            try:
                self.process.setwinsize(size[1], size[0])
            except OSError:
                log.debug("resize of an ended terminal", exc_info=True)

    def is_line_mode(self) -> bool | None:
        """See `Terminal.is_line_mode`."""
        with self._fd_lock:
            if not self._open:
                return None
            try:
                return bool(termios.tcgetattr(self._fd)[3] & termios.ICANON)
            except (OSError, termios.error):
                return None

    def unread(self) -> int | None:
        """See `Terminal.unread`."""
        with self._fd_lock:
            if not self._open:
                return None
            try:
                return _waiting_at(os.ptsname(self._fd))
            except OSError:
                return None

    def end(self, grace: float) -> None:
        """See `Terminal.end`: hang-up first, half-way a request to end, at last force against the whole session."""
        self._loop.call(lambda: self._end(grace))

    # --- reading --------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to read, and to watch for the exit."""
        self._loop.selector.register(self._fd, selectors.EVENT_READ, self._on_ready)
        self._reading = True
        if sys.platform == "linux" and self._loop.watch_by_pidfd:
            try:
                self._pidfd = os.pidfd_open(self._pid)
            except OSError:
                log.debug("no pidfd", exc_info=True)
        if self._pidfd is None:
            self._poll_exit()
        else:
            self._loop.selector.register(self._pidfd, selectors.EVENT_READ, lambda mask: self._check_exit())

    def _on_ready(self, mask: int) -> None:
        if mask & selectors.EVENT_WRITE:
            self._write_some()
        if mask & selectors.EVENT_READ and self._reading:
            self._read_some()

    def _read_some(self) -> int:
        chunks, count = [], 0
        while count < READ_AT_ONCE:
            try:
                chunk = os.read(self._fd, READ_AT_ONCE)
            except BlockingIOError:
                break
            except OSError:
                chunk = b""
            if not chunk:
                self._stop_reading()
                break
            chunks.append(chunk)
            count += len(chunk)
        if chunks:
            self._on_output(b"".join(chunks))
        return count

    def _stop_reading(self) -> None:
        # The master of a closed terminal is always "ready": left registered it would keep the thread busy for ever.
        if self._reading:
            self._reading = False
            self._loop.selector.unregister(self._fd)
            self._fail_writes(lambda write: TerminalEnded(write.offset))

    # --- writing --------------------------------------------------------------------------------------------

    def _queue(self, write: _Write) -> None:
        if not write.future.set_running_or_notify_cancel():
            return
        if self._exited is not None or not self._reading:
            write.future.set_exception(TerminalEnded())
            return
        if not write.data:
            write.future.set_result(None)
            return
        if not self._writes:
            self._progress_at = time.monotonic()
        self._writes.append(write)
        self._write_some()

    def _write_some(self) -> None:
        while self._writes and self._is_running():
            write = self._writes[0]
            try:
                count = os.write(self._fd, write.data[write.offset :])
            except BlockingIOError:
                break
            except OSError:
                log.info("a terminal refused a write", exc_info=True)
                self._fail_writes(lambda each: WriteUnsure() if each.offset else TerminalEnded())
                break
            self._note_progress(write, count)
        self._watch_writable()

    def _is_running(self) -> bool:
        # A process that has just ended must not get a byte, whoever holds its terminal now: ask, do not assume.
        if self._exited is None:
            self._check_exit()
        return self._exited is None

    def _note_progress(self, write: _Write, count: int) -> None:
        write.offset += count
        self._progress_at = time.monotonic()
        self._stalled = False
        if write.offset == len(write.data):
            self._writes.popleft()
            write.future.set_result(None)

    def _watch_writable(self) -> None:
        if not self._reading:
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._writes else 0)
        self._loop.selector.modify(self._fd, events, self._on_ready)
        if self._writes and not self._watching_progress:
            self._watching_progress = True
            self._loop.call_later(self._writes[0].limit, self._check_progress)

    def _check_progress(self) -> None:
        self._watching_progress = False
        if not self._writes:
            return
        late = time.monotonic() - self._progress_at - self._writes[0].limit
        self._stalled = late >= 0
        self._watching_progress = True
        self._loop.call_later(self._writes[0].limit if late >= 0 else -late, self._check_progress)

    def _fail_writes(self, error: Callable[[_Write], Exception]) -> None:
        while self._writes:
            write = self._writes.popleft()
            write.future.set_exception(error(write))
        self._stalled = False

    # --- exit -----------------------------------------------------------------------------------------------

    def _poll_exit(self) -> None:
        self._check_exit()
        if self._exited is None:
            self._loop.call_later(POLL_EXIT, self._poll_exit)

    def _check_exit(self) -> None:
        if self._exited is not None:
            return
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self._pid, 0
            log.error("somebody else collected the exit of process %d", self._pid)
        if pid:
            self._on_exited(status)

    def _on_exited(self, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        self._exited = exit_by_code(code) if code >= 0 else exit_by_signal(-code)
        if self._pidfd is not None:
            self._loop.selector.unregister(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        self._fail_writes(lambda write: TerminalEnded(write.offset))
        self._watch_writable()
        self._drain_until = time.monotonic() + DRAIN_LIMIT
        # Never at once: the caller may be in the middle of a write or a read of this terminal.
        self._loop.call_later(0.0, self._drain)

    def _drain(self) -> None:
        # No end of file comes while a grandchild keeps the terminal open: read until it is quiet, not for ever.
        count = self._read_some() if self._reading else 0
        self._quiet_steps = 0 if count else self._quiet_steps + 1
        if self._reading and self._quiet_steps < 3 and time.monotonic() < self._drain_until:
            self._loop.call_later(DRAIN_STEP, self._drain)
            return
        self._finish()

    def _finish(self) -> None:
        self._stop_reading()
        with self._fd_lock:
            self._open = False
            release_process(self.process)
        assert self._exited is not None
        signal_session(self._pid, *self.HANG_UP)
        self._sweep(time.monotonic() + (0.0 if self._force_asked else SWEEP_GRACE))
        self._on_exit(self._exited)

    # --- ending ---------------------------------------------------------------------------------------------

    def _end(self, grace: float) -> None:
        if self._exited is not None:
            self._force_asked = True
            return
        if grace > 0:
            signal_process(self._pid, *self.HANG_UP)
            self._loop.call_later(grace / 2, self._ask_again)
        self._loop.call_later(max(grace, 0.0), self._force)

    def _ask_again(self) -> None:
        if self._exited is None:
            signal_process(self._pid, *self.POLITE)

    def _force(self) -> None:
        self._force_asked = True
        if self._exited is None:
            signal_session(self._pid, *self.FORCE)
            self._loop.call_later(SWEEP_STEP, self._force)

    def _sweep(self, force_at: float) -> None:
        """End what the process left behind in its session, then let the session be forgotten."""
        now = time.monotonic()
        if not session_members(self._pid):
            self._loop.forget(self)
            return
        if now > force_at + SWEEP_LIMIT:
            log.error("processes of session %d could not be ended", self._pid)
            self._loop.forget(self)
            return
        if now >= force_at or self._force_asked:
            signal_session(self._pid, *self.FORCE)
        self._loop.call_later(SWEEP_STEP, lambda: self._sweep(force_at))


def _waiting_at(path: str) -> int:
    """Bytes in the input of a terminal; only its own side knows them, so that side is opened for a moment."""
    own_side = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return int.from_bytes(fcntl.ioctl(own_side, termios.FIONREAD, bytes(4)), sys.byteorder)
    finally:
        os.close(own_side)
