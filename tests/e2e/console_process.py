"""The real console role as a process of its own, driven through its standard streams."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 30.0


@dataclass(frozen=True)
class GuestLine:
    """How a program joins as a guest."""

    env: dict[str, str]
    argv: list[str]

    @property
    def url(self) -> str:
        return self.env["PULLCEPT_ROOM_URL"]

    @property
    def token(self) -> str:
        return self.env["PULLCEPT_ROOM_TOKEN"]

    @property
    def room(self) -> str:
        return self.env["PULLCEPT_ROOM_ID"]


def demo_account(account_id: str, name: str) -> dict[str, Any]:
    return {
        "id": account_id,
        "name": name,
        "kind": "cli",
        "command": "{pullcept}",
        "args": ["demo-agent", "--sidecar", "{sidecar}"],
    }


def write_config(folder: Path, accounts: Sequence[dict[str, Any]]) -> None:
    person = {"id": "person", "name": "Mio", "kind": "admin"}
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"accounts": [person, *accounts]}, ensure_ascii=False)
    (folder / "config.json").write_text(text, encoding="utf-8")


class ConsoleProcess:
    """A running console. Every wait has a limit and shows what was printed instead."""

    def __init__(self, folder: Path) -> None:
        self.printed: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        environment = {**os.environ, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "pullcept.py"), "console", "--data-dir", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self._reader.join(5)
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self._lines.put(None)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def wait_for(self, text: str) -> str:
        """The next printed line that holds `text`."""
        end = time.monotonic() + LIMIT
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                break
            self.printed.append(line)
            if text in line:
                return line
        raise AssertionError(f"not printed: {text!r}\n" + "\n".join(self.printed[-30:]))

    def guest(self, name: str) -> GuestLine:
        self.type(f"/guest {name}")
        told = json.loads(self.wait_for('{"env"'))
        return GuestLine(told["env"], told["argv"])

    def descendants(self) -> list[psutil.Process]:
        """Every process below the console now."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)


def all_gone(processes: Sequence[psutil.Process], limit: float = 5.0) -> list[psutil.Process]:
    """Wait until the processes have ended; those that have not."""
    _gone, alive = psutil.wait_procs(list(processes), timeout=limit)
    return [process for process in alive if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
