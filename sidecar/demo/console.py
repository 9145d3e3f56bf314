"""The terminal the demo agent runs in: raw mode on and off, its size, bytes in and out. POSIX and Windows."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

READ_BYTES = 65_536


class NoTerminal(Exception):
    """Standard input or output is no terminal."""


@contextmanager
def raw_mode() -> Iterator[None]:
    """Every key arrives as it is pressed, unechoed, until the block ends. Raises NoTerminal."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise NoTerminal("the demo agent needs a terminal")
    if sys.platform == "win32":
        with _windows_raw_mode():
            yield
    else:
        import termios
        import tty

        before = termios.tcgetattr(0)
        # Text that came early stays in the queue: nobody's words are thrown away.
        tty.setraw(0, termios.TCSANOW)
        try:
            yield
        finally:
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def read_keys() -> bytes:
    """Wait for keys; empty at the end of input. UTF-8 on every system."""
    try:
        # On Windows this is the console's own reader, which turns its UTF-16 into UTF-8.
        source: Any = sys.stdin.buffer
        return source.raw.read(READ_BYTES) or b""
    except OSError:
        return b""


def write(text: str) -> None:
    """Write everything now. A terminal that is gone raises OSError."""
    if sys.platform == "win32":
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
        return
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[os.write(1, data) :]


def size() -> tuple[int, int]:
    """Columns and rows."""
    try:
        found = os.get_terminal_size(1)
    except OSError:
        return 80, 24
    return found.columns or 80, found.lines or 24


if sys.platform == "win32":
    STD_INPUT, STD_OUTPUT = -10, -11
    VIRTUAL_INPUT, VIRTUAL_OUTPUT = 0x0200, 0x0004
    COOKED = 0x0001 | 0x0002 | 0x0004

    @contextmanager
    def _windows_raw_mode() -> Iterator[None]:
        """Console modes: no line editing, no echo, no Ctrl+C signal; escape sequences both ways."""
        import ctypes
        from ctypes import wintypes

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.GetStdHandle.restype = wintypes.HANDLE
        modes = []
        for which, clear, add in ((STD_INPUT, COOKED, VIRTUAL_INPUT), (STD_OUTPUT, 0, VIRTUAL_OUTPUT)):
            handle = wintypes.HANDLE(kernel.GetStdHandle(which))
            mode = wintypes.DWORD()
            if not kernel.GetConsoleMode(handle, ctypes.byref(mode)):
                raise NoTerminal("the demo agent needs a console")
            kernel.SetConsoleMode(handle, (mode.value & ~clear) | add)
            modes.append((handle, mode.value))
        try:
            yield
        finally:
            for handle, before in modes:
                kernel.SetConsoleMode(handle, before)
