"""What a terminal is to the rest of the app, whatever the system underneath."""

import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

MIN_COLUMNS, MIN_ROWS = 2, 2
MAX_CELLS = 1000


class TerminalFailed(Exception):
    """A program could not be started. The text says why and can be shown to a person."""


class TerminalEnded(Exception):
    """A write did not go through because the process is gone.

    `written`: bytes of that write the terminal had accepted before; 0 means that none of it arrived.
    """

    def __init__(self, written: int = 0) -> None:
        super().__init__("the session has ended")
        self.written = written


class WriteUnsure(Exception):
    """A write failed half-way: some of it may have arrived, so it must not be repeated."""

    def __init__(self, text: str = "the terminal took only a part of the text") -> None:
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """How a process ended: `code` when it left by itself, `signal` when a signal ended it (one of them is None)."""

    code: int | None
    signal: int | None
    text: str


def exit_by_code(code: int) -> ExitStatus:
    """The status of a process that left with an exit code."""
    return ExitStatus(code, None, f"exit code {code}")


def exit_by_signal(number: int) -> ExitStatus:
    """The status of a process that a signal ended."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return ExitStatus(None, number, f"ended by {name}")


class Terminal(Protocol):
    """One pseudo terminal with its process. Every method may be called from any thread and returns at once."""

    @property
    def pid(self) -> int: ...

    @property
    def exited(self) -> ExitStatus | None:
        """Set as soon as the process is known to be gone, before the exit is reported."""
        ...

    @property
    def stalled(self) -> bool:
        """Whether bytes wait that the program has not taken for longer than their write's limit."""
        ...

    def write(self, data: bytes, limit: float = 10.0) -> Future[None]:
        """Queue bytes for the program; the future is done when the terminal has accepted the last one.

        Writes keep their order, and each begins in a system call of its own. `limit` (seconds without
        progress) never drops anything: it only turns `stalled` on. Fails with `TerminalEnded` or `WriteUnsure`.
        """
        ...

    def resize(self, columns: int, rows: int) -> None:
        """Tell the program its new size. Sizes below 2x2 and repeated sizes are ignored."""
        ...

    def end(self, grace: float) -> None:
        """Ask the process to end, and after `grace` seconds end its whole process tree by force."""
        ...

    def is_line_mode(self) -> bool | None:
        """Whether the program reads whole lines (canonical mode); None where that cannot be known."""
        ...

    def unread(self) -> int | None:
        """How many bytes wait that the program has not read yet; None where that cannot be known."""
        ...


class Terminals(Protocol):
    """Starts programs in terminals. `on_output` and `on_exit` are called on a thread of the terminals,
    maybe before `spawn` has returned; `on_exit` comes once, after the last output."""

    def spawn(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        columns: int,
        rows: int,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> Terminal:
        """Start a program without any shell in between. Raises `TerminalFailed`."""
        ...

    def close(self, grace: float = 0.0) -> None:
        """End every process tree and stop. Blocks for at most `grace` and a few seconds."""
        ...


def usable_size(columns: int, rows: int) -> tuple[int, int] | None:
    """A size a terminal may be given, or None for one that must be ignored."""
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return None
    return min(columns, MAX_CELLS), min(rows, MAX_CELLS)
