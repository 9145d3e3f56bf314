"""A `winpty.PTY` that behaves as pywinpty 3 was measured to: text out, no end of file, counts from `write`.

The program behind it is real; pipes stand in for the console.
"""

import codecs
import contextlib
import os
import queue
import signal
import subprocess
import threading

from tests.pty.windows_rules import argv_of


class WinptyError(Exception):
    """As the native module raises it."""


class FakePty:
    """`refuse`: how many writes take nothing first. `counts`: what `write` counts, "bytes" or "chars"."""

    def __init__(self, columns: int, rows: int, *, refuse: int = 0, counts: str = "bytes") -> None:
        if columns <= 0 or rows <= 0:
            raise WinptyError("PTY cols and rows must be positive and non-zero")
        self.sizes = [(columns, rows)]
        self.refuse, self.counts = refuse, counts
        self.writes: list[str] = []
        self._output: queue.Queue[str | None] = queue.Queue()
        self._process: subprocess.Popen[bytes] | None = None

    def spawn(self, appname: str, cmdline: str | None = None, cwd: str | None = None, env: str | None = None) -> bool:
        # The library joins both with a blank and lets the system find the end of the program's path.
        argv = argv_of(f"{appname} {cmdline}" if cmdline else appname)
        entries = [entry for entry in (env or "").split("\0") if entry]
        self._process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(entry.split("=", 1) for entry in entries),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        threading.Thread(target=self._pump, daemon=True).start()
        return True

    def _pump(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with contextlib.suppress(ValueError, OSError):
            while data := os.read(self._process.stdout.fileno(), 4096):
                self._output.put(decoder.decode(data).replace("\n", "\r\n"))

    def read(self, blocking: bool = False) -> str:
        """No end of file: after the exit a blocking read waits until somebody cancels."""
        text = self._output.get() if blocking else ""
        if text is None:
            raise WinptyError("the operation was aborted")
        return text

    def cancel_io(self) -> bool:
        self._output.put(None)
        assert self._process is not None
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        return True

    def write(self, to_write: str) -> int:
        data = to_write.encode("utf-8")  # a lone surrogate fails here, as it does in the native module
        if self.refuse:
            self.refuse -= 1
            return 0
        assert self._process is not None
        assert self._process.stdin is not None
        self.writes.append(to_write)
        try:
            self._process.stdin.write(data.replace(b"\r", b"\n"))
        except (OSError, ValueError) as error:
            raise WinptyError(str(error)) from error
        return len(data) if self.counts == "bytes" else len(to_write)

    def set_size(self, cols: int, rows: int) -> None:
        if cols <= 0 or rows <= 0:
            raise WinptyError("PTY cols and rows must be positive and non-zero")
        self.sizes.append((cols, rows))

    def isalive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def get_exitstatus(self) -> int | None:
        code = self._process.poll() if self._process else None
        return None if code is None else code % 2**32

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None


class FakeJob:
    """A process tree: here the session the program leads."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        self.end()
