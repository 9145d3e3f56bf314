"""Terminals on Windows (ConPTY through pywinpty's low-level `PTY`).

What shaped this file, measured or reported of pywinpty 3: output comes as text; no end of file comes after the
exit, and a blocking read may then wait for ever; `write` returns how much it took, sometimes nothing; the program's
path is put in front of the arguments unquoted. So the exit is found by asking, output is drained for a bounded
time, and every wait is on a thread of its own.
"""

import codecs
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

from pullcept.core.text import whole_text
from pullcept.pty.terminal import (
    ExitStatus,
    TerminalEnded,
    TerminalFailed,
    WriteUnsure,
    exit_by_code,
    usable_size,
)
from pullcept.pty.windows_line import WindowsLine, environment_block, windows_line

log = logging.getLogger(__name__)

LOOK_FOR_EXIT = 0.05
DRAIN_QUIET = 0.15
DRAIN_LIMIT = 0.6
RETRY_WRITE = 0.02
EMPTY_READ = 0.01
CONPTY = 0


class Pty(Protocol):
    """The part of `winpty.PTY` that is used."""

    def spawn(
        self, appname: str, cmdline: str | None = None, cwd: str | None = None, env: str | None = None
    ) -> bool: ...
    def set_size(self, cols: int, rows: int) -> None: ...
    def read(self, blocking: bool = False) -> str: ...
    def write(self, to_write: str) -> int: ...
    def isalive(self) -> bool: ...
    def get_exitstatus(self) -> int | None: ...
    def cancel_io(self) -> bool: ...
    @property
    def pid(self) -> int | None: ...


class Job(Protocol):
    """A process tree that ends when it is told to, or when it is let go."""

    def end(self) -> None: ...
    def close(self) -> None: ...


def _native_pty(columns: int, rows: int) -> Pty:
    from winpty import PTY

    return PTY(columns, rows, backend=CONPTY)


def _native_job(pid: int) -> Job:
    if sys.platform == "win32":
        from pullcept.pty.windows_job import WindowsJob

        return WindowsJob(pid)
    raise OSError("job objects exist on Windows only")


def _native_line(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> WindowsLine:
    return windows_line(argv, cwd, env, os.path.isfile)


class WindowsTerminals:
    """All terminals of the app. Each has a reader and a writer thread; one more thread watches for exits."""

    def __init__(
        self,
        make_pty: Callable[[int, int], Pty] = _native_pty,
        make_job: Callable[[int], Job] = _native_job,
        make_line: Callable[[Sequence[str], str, Mapping[str, str]], WindowsLine] = _native_line,
    ) -> None:
        self._make_pty, self._make_job, self._make_line = make_pty, make_job, make_line
        self._lock = threading.Lock()
        self._alive: set[WindowsTerminal] = set()
        self._changed = threading.Condition(self._lock)
        self._closing = False
        self._watcher = threading.Thread(target=self._watch, name="terminals", daemon=True)
        self._watcher.start()

    def spawn(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        columns: int,
        rows: int,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> "WindowsTerminal":
        """See `Terminals.spawn`."""
        if not os.path.isdir(cwd):
            raise TerminalFailed(f"the folder {cwd} does not exist")
        line, block = self._make_line(argv, cwd, env), environment_block(env)
        size = usable_size(columns, rows) or (80, 24)
        with self._changed:
            if self._closing:
                raise TerminalFailed("the app is closing")
            pty = self._started(argv[0], line, cwd, block, size)
            terminal = WindowsTerminal(pty, self._job_of(pty), size, on_output, on_exit)
            self._alive.add(terminal)
            self._changed.notify_all()
        terminal.start()
        return terminal

    def close(self, grace: float = 0.0) -> None:
        """See `Terminals.close`."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            alive = tuple(self._alive)
        for terminal in alive:
            terminal.end(grace)
        with self._changed:
            if not self._changed.wait_for(lambda: not self._alive, grace + 5.0):
                log.error("some programs could not be ended")
                self._alive.clear()
                self._changed.notify_all()
        self._watcher.join(5.0)

    def _started(self, command: str, line: WindowsLine, cwd: str, block: str, size: tuple[int, int]) -> Pty:
        try:
            pty = self._make_pty(*size)
            started = pty.spawn(line.program, line.arguments or None, cwd, block)
        except Exception as error:
            # The native module raises errors of its own class, and others for texts it cannot take.
            raise TerminalFailed(f"{command} could not be started: {error}") from error
        if not started or pty.pid is None:
            raise TerminalFailed(f"{command} could not be started")
        return pty

    def _job_of(self, pty: Pty) -> Job | None:
        try:
            return self._make_job(pty.pid or 0)
        except OSError:
            log.warning("no job object for process %s: its children may outlive it", pty.pid, exc_info=True)
            return None

    def _watch(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._alive) or self._closing)
                if self._closing and not self._alive:
                    return
                alive = tuple(self._alive)
            for terminal in alive:
                if terminal.look():
                    with self._changed:
                        self._alive.discard(terminal)
                        self._changed.notify_all()
            time.sleep(LOOK_FOR_EXIT)


class _Write:
    __slots__ = ("data", "future", "limit")

    def __init__(self, data: bytes, limit: float) -> None:
        self.data, self.limit = data, limit
        self.future: Future[None] = Future()


class WindowsTerminal:
    """See `Terminal`."""

    def __init__(
        self,
        pty: Pty,
        job: Job | None,
        size: tuple[int, int],
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> None:
        self._pty, self._job, self._size = pty, job, size
        self._on_output, self._on_exit = on_output, on_exit
        self._pid = pty.pid or 0
        self._exited: ExitStatus | None = None
        self._writes: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._writing: _Write | None = None
        self._progress_at = 0.0
        self._output_at = 0.0
        self._drain_until = 0.0
        self._reader_done = threading.Event()
        self._threads = [
            threading.Thread(target=self._read_all, name=f"terminal {self._pid} output", daemon=True),
            threading.Thread(target=self._write_all, name=f"terminal {self._pid} input", daemon=True),
        ]

    def start(self) -> None:
        """Begin to read and write."""
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._pid

    @property
    def exited(self) -> ExitStatus | None:
        return self._exited

    @property
    def stalled(self) -> bool:
        write = self._writing
        return write is not None and time.monotonic() - self._progress_at > write.limit

    def write(self, data: bytes, limit: float = 10.0) -> Future[None]:
        """See `Terminal.write`."""
        write = _Write(data, limit)
        if self._exited is not None:
            write.future.set_exception(TerminalEnded())
        else:
            self._writes.put(write)
        return write.future

    def resize(self, columns: int, rows: int) -> None:
        """See `Terminal.resize`."""
        size = usable_size(columns, rows)
        if size is None or size == self._size or self._exited is not None:
            return
        self._size = size
        try:
            self._pty.set_size(*size)
        except Exception:
            log.info("resize of an ended terminal", exc_info=True)

    def end(self, grace: float) -> None:
        """End the whole process tree. ConPTY has no hang-up that a program could answer, so `grace` is not used."""
        if self._exited is not None:
            return
        if self._job is not None:
            self._job.end()
        else:
            self._end_process()

    def unread(self) -> int | None:
        """See `Terminal.unread`: a console does not tell."""
        return None

    def is_line_mode(self) -> bool | None:
        """Not to be known here."""
        return None

    # --- exits, on the watcher's thread ---------------------------------------------------------------------

    def look(self) -> bool:
        """Look for the exit; whether it has been reported now."""
        try:
            if self._exited is None:
                self._look_for_exit()
                return False
            if not self._is_drained():
                return False
            self._report()
        except Exception:
            log.exception("a terminal's callback failed")
        return True

    def _look_for_exit(self) -> None:
        if self._is_alive():
            return
        self._exited = _status(self._exit_code())
        self._writes.put(None)
        self._output_at = now = time.monotonic()
        self._drain_until = now + DRAIN_LIMIT

    def _is_drained(self) -> bool:
        now = time.monotonic()
        quiet = now - self._output_at >= DRAIN_QUIET
        return quiet or now >= self._drain_until or self._reader_done.is_set()

    def _report(self) -> None:
        if self._job is not None:
            self._job.close()
        try:
            # Frees a reader that waits for an end of file which never comes.
            self._pty.cancel_io()
        except Exception:
            log.debug("cancel_io", exc_info=True)
        assert self._exited is not None
        self._on_exit(self._exited)

    def _is_alive(self) -> bool:
        try:
            return self._pty.isalive()
        except Exception:
            log.info("the terminal cannot say whether its process lives", exc_info=True)
            return False

    def _exit_code(self) -> int:
        try:
            return self._pty.get_exitstatus() or 0
        except Exception:
            log.info("no exit code", exc_info=True)
            return 0

    def _end_process(self) -> None:
        try:
            os.kill(self._pid, 9)
        except OSError:
            log.info("process %d was gone already", self._pid)

    # --- output ---------------------------------------------------------------------------------------------

    def _read_all(self) -> None:
        half = ""
        try:
            while True:
                text = half + self._pty.read(blocking=True)
                half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
                self._hand_on(text[: len(text) - len(half)])
        except Exception as error:  # noqa: BLE001
            # The only end a reader knows: the native module's error after the exit or after `cancel_io`.
            log.debug("end of output of process %d: %s", self._pid, error)
        finally:
            self._reader_done.set()

    def _hand_on(self, text: str) -> None:
        if not text:
            time.sleep(EMPTY_READ)
            return
        self._output_at = time.monotonic()
        try:
            self._on_output(whole_text(text).encode("utf-8"))
        except Exception:
            log.exception("a terminal's callback failed")

    # --- input ----------------------------------------------------------------------------------------------

    def _write_all(self) -> None:
        while (write := self._writes.get()) is not None:
            if write.future.set_running_or_notify_cancel():
                self._progress_at = time.monotonic()
                self._writing = write
                self._write_one(write)
                self._writing = None
        while not self._writes.empty():
            rest = self._writes.get()
            if rest is not None and rest.future.set_running_or_notify_cancel():
                rest.future.set_exception(TerminalEnded())

    def _write_one(self, write: _Write) -> None:
        text = self._decoder.decode(write.data)
        begun = False
        while text:
            if self._exited is not None or not self._is_alive():
                write.future.set_exception(TerminalEnded(1 if begun else 0))
                return
            try:
                count = self._pty.write(text)
            except Exception as error:  # noqa: BLE001 (the native module's errors have no common class)
                log.info("a write failed: %s", error)
                write.future.set_exception(WriteUnsure() if self._is_alive() else TerminalEnded(1))
                return
            rest = _rest(text, count)
            if rest is None:
                write.future.set_exception(WriteUnsure())
                return
            if rest == text:
                time.sleep(RETRY_WRITE)
                continue
            begun, text, self._progress_at = True, rest, time.monotonic()
        write.future.set_result(None)


def _rest(text: str, count: int) -> str | None:
    """What is still to be written after `count` was taken of `text`; None when that cannot be known.

    The count may be of bytes or of characters: the same for ASCII. Of other text a part that may mean either is
    not repeated, because a doubled or torn post is worse than one reported as unsure.
    """
    if count <= 0:
        return text
    if count >= len(text.encode("utf-8")) or (count >= len(text) and not text.isascii()):
        return ""
    return text[count:] if text.isascii() else None


def _status(code: int) -> ExitStatus:
    if code >= 0x80000000:
        return ExitStatus(code, None, f"exit code 0x{code:08X}")
    return exit_by_code(code)
