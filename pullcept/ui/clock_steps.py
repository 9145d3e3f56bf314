"""Keeps the window alive when the computer's clock is set back.

Tk counts its timers by that clock: set back by an hour, nothing that waits would run for an hour, the events of the
app included. A thread watches for such steps by a clock that never jumps; whatever waits then runs at once. (Windows
gives no way to wake Tk like this.)
"""

import contextlib
import os
import sys
import threading
import time
import tkinter as tk
from collections.abc import Callable

LOOK_SECONDS = 0.5
SMALLEST_STEP = 0.3


def clock_offset() -> float:
    """How far the computer's clock is ahead of the one that never jumps."""
    return time.time() - time.monotonic()


class ClockSteps:
    """Watches from `start` to `stop`; both on the Tk thread."""

    def __init__(self, root: tk.Tk, *, offset: Callable[[], float] = clock_offset, look: float = LOOK_SECONDS) -> None:
        self._root, self._offset, self._look = root, offset, look
        self._stopped = threading.Event()
        self._pipe: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch."""
        if sys.platform != "win32":
            self._pipe = os.pipe()
            self._root.tk.createfilehandler(self._pipe[0], tk.READABLE, lambda file, mask: self._on_step())
            watched = (self._pipe[1], self._offset())
            self._thread = threading.Thread(target=self._watch, args=watched, name="clock steps", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Watch no more; the window may be gone already."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        if self._pipe is not None and sys.platform != "win32":
            with contextlib.suppress(tk.TclError):
                self._root.tk.deletefilehandler(self._pipe[0])
            for descriptor in self._pipe:
                os.close(descriptor)
            self._pipe = None

    def _watch(self, wake: int, before: float) -> None:
        while not self._stopped.wait(self._look):
            now = self._offset()
            if now < before - SMALLEST_STEP:
                os.write(wake, b"\0")
            before = now

    def _on_step(self) -> None:
        if self._pipe is not None:
            os.read(self._pipe[0], 64)
        run_waiting(self._root)


def run_waiting(root: tk.Tk) -> None:
    """Let every timer that waits run now, whatever it was set to."""
    tcl = root.tk
    for timer in tcl.splitlist(tcl.call("after", "info")):
        script, kind = tcl.splitlist(tcl.call("after", "info", timer))
        if kind == "timer":
            tcl.call("after", "cancel", timer)
            tcl.call("after", 0, script)
