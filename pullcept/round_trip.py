"""Says one thing through a sidecar, as a program would that this app did not start, and tells what the room saw."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from typing import IO, Any, Self

from pullcept import __version__
from pullcept.app import App, AppFailed
from pullcept.core.account import Account
from pullcept.core.screen import RowAdded, ScreenEvent, TopicOpened
from pullcept.store.folder import DataFolder

LIMIT = 30.0


class NoRoundTrip(RuntimeError):
    """A step of the round trip did not happen in time; the text says which."""


def say_as_guest(folder: DataFolder, text: str) -> str:
    """Open a room in `folder`, let a guest's sidecar say `text`, and return the row the room shows for it.

    Raises NoRoundTrip.
    """
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    person = Account(id="person", name="Doctor", kind="admin")
    try:
        with App(folder, events, accounts=[person]) as app:
            opened = _wait(events, TopicOpened, "the room did not open")
            environment, argv = app.guest_line(opened.topic_id, "Guest")
            with _Client(argv, {**os.environ, **environment}) as client:
                client.call("initialize", _hello())
                client.note("notifications/initialized")
                client.call("tools/call", {"name": "say_to_room", "arguments": {"content": text}})
            return _wait(events, RowAdded, "the room saw nothing").post.content
    except AppFailed as error:
        raise NoRoundTrip(str(error)) from error


def _hello() -> dict[str, Any]:
    client = {"name": "pullcept-doctor", "version": __version__}
    return {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}


def _wait[E: ScreenEvent](events: queue.SimpleQueue[ScreenEvent], kind: type[E], failure: str) -> E:
    """The next event of a kind; others are passed over."""
    deadline = time.monotonic() + LIMIT
    while (left := deadline - time.monotonic()) > 0:
        try:
            event = events.get(timeout=left)
        except queue.Empty:
            break
        if isinstance(event, kind):
            return event
    raise NoRoundTrip(failure)


class _Client:
    """The client's side of a sidecar's standard streams: one request at a time."""

    def __init__(self, argv: tuple[str, ...], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[bytes] = self._process.stdin
        self._out: IO[bytes] = self._process.stdout
        self._reader = threading.Thread(target=self._read, name="doctor's sidecar", daemon=True)
        self._number = 0

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._close(self._in.close)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(5)
        self._close(self._out.close)

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Ask and return the result. Raises NoRoundTrip when the answer is an error or does not come."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        result = self._answer(self._number, method)
        if isinstance(result, dict) and result.get("isError"):
            raise NoRoundTrip(f"{method}: {json.dumps(result.get('content'), ensure_ascii=False)}")
        return result

    def note(self, method: str) -> None:
        """Send a notification."""
        self._send({"method": method})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._in.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._in.flush()
        except OSError as error:
            raise NoRoundTrip(f"the sidecar ended: {error}") from error

    def _answer(self, number: int, method: str) -> Any:
        deadline = time.monotonic() + LIMIT
        while (left := deadline - time.monotonic()) > 0:
            try:
                message = json.loads(self._lines.get(timeout=left) or b'{"ended": true}')
            except queue.Empty:
                break
            if message.get("ended"):
                raise NoRoundTrip(f"the sidecar ended before it answered {method}")
            if message.get("id") == number and "error" in message:
                raise NoRoundTrip(f"{method}: {message['error'].get('message')}")
            if message.get("id") == number and "method" not in message:
                return message.get("result")
        raise NoRoundTrip(f"the sidecar did not answer {method}")

    def _read(self) -> None:
        for line in self._out:
            self._lines.put(line)
        self._lines.put(b"")

    @staticmethod
    def _close(close: Callable[[], None]) -> None:
        try:
            close()
        except OSError:
            return
