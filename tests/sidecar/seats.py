"""A seat for tests: the real listener and hub, the seat's MCP server, and bridges in processes of their own."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pullcept.core.launch import Launch, room_environment, sidecar_line
from pullcept.core.protocol import PROTOCOL, Hello
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.server import BridgeArrival
from sidecar.server import Seating, SeatMemory, serve
from tests.host.live_host import TOKEN, WAIT, LiveHost, launch_of

ROOT = Path(__file__).resolve().parents[2]
PULLCEPT = str(ROOT / "pullcept.py")
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class SeatHouse(LiveHost):
    """Serves bridges as the app does: a memory for each launch, an empty server for whoever is not admitted."""

    def __init__(self) -> None:
        super().__init__()
        self.memories: dict[str, SeatMemory] = {}
        self.conversations: list[str] = []
        self.listed: list[str] = []
        self.language: str | None = None
        self.first_lines: list[bytes] = []
        self.serve = self._serve_seat

    def seat(self, name: str = "Cody", account: str = "acc-1", generation: int = 1) -> Launch:
        """A launch that may join, with its memory."""
        launch = launch_of(account, name=name, generation=generation)
        self.memories[launch.launch_secret] = SeatMemory(name)
        self.run(self.admissions.add, launch)
        return launch

    def memory(self, launch: Launch) -> SeatMemory:
        return self.memories[launch.launch_secret]

    def environment(self, launch: Launch) -> dict[str, str]:
        """What a CLI hands to its sidecar, and nothing else but a path."""
        room = room_environment(launch, f"ws://127.0.0.1:{self.port}/room", TOKEN)
        return {"PATH": os.environ.get("PATH", ""), **room}

    def guest_environment(self, name: str = "Guest") -> dict[str, str]:
        return {
            "PULLCEPT_ROOM_URL": f"ws://127.0.0.1:{self.port}/room",
            "PULLCEPT_ROOM_TOKEN": TOKEN,
            "PULLCEPT_ROOM_ID": "topic-1",
            "PULLCEPT_AGENT_NAME": name,
        }

    async def _serve_seat(self, stream: BridgeStream, arrival: BridgeArrival) -> bool:
        return await serve(_Noting(stream, self.first_lines), self._seating(arrival))

    def _seating(self, arrival: BridgeArrival) -> Seating | None:
        launch, guest = arrival.admission.launch, arrival.guest
        if launch is not None:
            return Seating(
                Hello(PROTOCOL, launch.name, launch.seat.topic_id, launch.hue, launch.seat.account_id),
                self.memories[launch.launch_secret],
                lambda receive: self.hub.connect(receive, launch),
                self.conversations.append,
                lambda: self.listed.append(launch.name),
                language=self.language,
            )
        if guest is not None:
            hello = Hello(PROTOCOL, guest.name, guest.room, guest.hue)
            return Seating(hello, SeatMemory(guest.name), self.hub.connect)
        return None


class _Noting:
    """Passes lines on and keeps the first that each connection brings."""

    def __init__(self, stream: BridgeStream, first_lines: list[bytes]) -> None:
        self._stream = stream
        self._first_lines: list[bytes] | None = first_lines

    async def read_line(self) -> bytes | None:
        line = await self._stream.read_line()
        if line is not None and self._first_lines is not None:
            self._first_lines.append(line)
            self._first_lines = None
        return line

    async def write_line(self, line: bytes) -> None:
        await self._stream.write_line(line)


class BridgeProcess:
    """A bridge as a CLI starts it, with its pipes held by the test."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        entry: str = "pullcept-room",
        command: Sequence[str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        line = sidecar_line(sys.executable, PULLCEPT).with_entry(entry)
        self.process = subprocess.Popen(
            command or line.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=cwd,
        )
        self.errors = b""
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._readers = [threading.Thread(target=self._read_lines), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.kill()
        self.process.wait(WAIT)
        for reader in self._readers:
            reader.join(WAIT)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def send(self, message: object) -> None:
        self.send_bytes(json.dumps(message).encode("ascii") + b"\n")

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, limit: float = WAIT) -> dict[str, Any]:
        """The next message; fails when none comes in time."""
        line = self._lines.get(timeout=limit)
        assert line is not None, f"the bridge ended: {self.errors!r}"
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    def read_if_any(self) -> dict[str, Any]:
        """The message a bridge left behind when it ended; empty when there is none."""
        line = self._lines.get(timeout=WAIT)
        return {} if line is None else dict(json.loads(line))

    def has_read_nothing(self) -> bool:
        return self._lines.empty()

    def ask(self, asked: int | str, method: str, params: dict[str, Any] | None = None, limit: float = WAIT) -> Any:
        """Send a request and give the whole answer."""
        self.send({"jsonrpc": "2.0", "id": asked, "method": method, "params": params or {}})
        answer = self.read(limit)
        assert answer.get("id") == asked, answer
        return answer

    def shake_hands(self) -> dict[str, Any]:
        """The classic handshake; gives the result of `initialize`."""
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        result: dict[str, Any] = self.ask("hello", "initialize", hello)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.ask("list", "tools/list")["result"]["tools"]]

    def call(
        self, tool: str, arguments: dict[str, Any] | None = None, limit: float = WAIT, asked: int | str = "call"
    ) -> Any:
        """Call a tool and give its result: `text(result)` is what it said."""
        return self.ask(asked, "tools/call", {"name": tool, "arguments": arguments or {}}, limit)["result"]

    def end_input(self) -> float:
        """Close the bridge's input; the seconds until it ended. Its exit code must be 0."""
        assert self.process.stdin is not None
        begun = time.monotonic()
        self.process.stdin.close()
        assert self.process.wait(WAIT) == 0
        return time.monotonic() - begun

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line


def text(result: dict[str, Any]) -> str:
    """What a tool said."""
    return "\n".join(part["text"] for part in result["content"])
