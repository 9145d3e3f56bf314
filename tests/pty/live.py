"""Real terminals for tests: start a program, wait for what it prints or records, bounded."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pullcept.pty.terminal import ExitStatus, Terminal, Terminals

FAKE = str(Path(__file__).parents[1] / "fakes" / "fake_cli.py")
LIMIT = 20.0


def wait_for(condition: Callable[[], Any], what: str, limit: float = LIMIT) -> Any:
    """Wait until a condition holds; its value. Fails naming what was waited for."""
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited {limit} s for {what}")
        time.sleep(0.005)
    return value


class Live:
    """One program in a terminal, with everything it printed."""

    def __init__(
        self,
        terminals: Terminals,
        argv: Sequence[str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
        on_output: Callable[[bytes], None] = lambda data: None,
    ) -> None:
        self.output = bytearray()
        self.exit: ExitStatus | None = None
        self.exits = 0
        self.exit_at = 0.0
        self._gone = threading.Event()
        self._watch = on_output
        env = dict(os.environ if env is None else env)
        self.terminal: Terminal = terminals.spawn(argv, str(folder), env, *size, self._on_output, self._on_exit)

    def _on_output(self, data: bytes) -> None:
        self.output += data
        self._watch(data)

    def _on_exit(self, status: ExitStatus) -> None:
        self.exit, self.exit_at = status, time.monotonic()
        self.exits += 1
        self._gone.set()

    def wait_output(self, text: bytes) -> None:
        wait_for(lambda: text in self.output, f"{text!r}; printed so far: {bytes(self.output[-2000:])!r}")

    def wait_exit(self, limit: float = LIMIT) -> ExitStatus:
        assert self._gone.wait(limit), f"no exit; printed so far: {bytes(self.output[-2000:])!r}"
        assert self.exit is not None
        return self.exit


class LiveFake(Live):
    """The fake CLI, whose submitted turns can be read."""

    def __init__(self, terminals: Terminals, folder: Path, *options: str, **more: Any) -> None:
        self.record = folder / "record.jsonl"
        argv = [sys.executable, "-S", FAKE, "--record", str(self.record), *options]
        super().__init__(terminals, argv, folder, **more)

    def records(self) -> list[dict[str, str]]:
        if not self.record.exists():
            return []
        lines = self.record.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def turns(self) -> list[str]:
        return [entry["turn"] for entry in self.records() if "turn" in entry]

    def wait_turns(self, count: int, limit: float = LIMIT) -> list[str]:
        wait_for(lambda: len(self.turns()) >= count, f"{count} turns; so far {self.records()!r}", limit)
        return self.turns()


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def closing(terminals: Terminals) -> Iterator[Any]:
    """For fixtures: close the terminals behind the test."""
    try:
        yield terminals
    finally:
        terminals.close()
