"""A small MCP client: starts the sidecar like a CLI does and calls its tools. Standard library only."""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pullcept

START_SECONDS = 30.0
CALL_SECONDS = 60.0
END_SECONDS = 2.0


class CallFailed(Exception):
    """The sidecar could not be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool said."""

    text: str
    is_error: bool


class Caller:
    """One sidecar process. `start` and `call` wait, so they belong on a thread of their own."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = list(argv)
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any] | None]] = {}
        self._lock = threading.Lock()
        self._last_id = 0
        self._has_ended = False

    def start(self) -> str:
        """Start the sidecar, shake hands, and give the first line of its instructions. Raises CallFailed."""
        try:
            self._process = subprocess.Popen(
                self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise CallFailed(f"the sidecar cannot be started: {error}") from error
        threading.Thread(target=self._read, name="sidecar", daemon=True).start()
        client = {"name": "pullcept-demo-agent", "version": pullcept.__version__}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        result = self._ask("initialize", hello, START_SECONDS)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        # The room types nothing to a session that has not asked for its tools.
        self._ask("tools/list", {}, START_SECONDS)
        return str(result.get("instructions") or "").partition("\n")[0]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Call one tool and wait for what it says. Raises CallFailed."""
        result = self._ask("tools/call", {"name": tool, "arguments": dict(arguments)}, CALL_SECONDS)
        parts = [part.get("text", "") for part in result.get("content", []) if isinstance(part, dict)]
        return Reply("\n".join(parts), bool(result.get("isError")))

    def close(self) -> None:
        """End the sidecar the way a CLI does: close its input, and only then be firm."""
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.close()
            process.wait(END_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()

    def _ask(self, method: str, params: Mapping[str, Any], limit: float) -> dict[str, Any]:
        answers: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        with self._lock:
            if self._has_ended:
                raise CallFailed("the sidecar has ended")
            self._last_id += 1
            asked = self._last_id
            self._answers[asked] = answers
        try:
            self._send({"jsonrpc": "2.0", "id": asked, "method": method, "params": params})
            answer = answers.get(timeout=limit)
        except queue.Empty:
            raise CallFailed(f"the sidecar did not answer {method} within {limit:.0f} seconds") from None
        finally:
            self._answers.pop(asked, None)
        if answer is None:
            raise CallFailed("the sidecar has ended")
        if not isinstance(answer.get("result"), dict):
            raise CallFailed(f"the sidecar refused {method}: {answer.get('error')}")
        result: dict[str, Any] = answer["result"]
        return result

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), json.dumps(message).encode("ascii") + b"\n")
        except (OSError, ValueError) as error:
            raise CallFailed("the sidecar has ended") from error

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._take(line)
        with self._lock:
            self._has_ended = True
            for answers in self._answers.values():
                answers.put(None)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return
        if isinstance(message, dict) and "method" not in message and isinstance(message.get("id"), int):
            answers = self._answers.get(message["id"])
            if answers is not None:
                answers.put(message)
