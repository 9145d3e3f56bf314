"""The process a CLI starts: it carries MCP messages between the CLI and the server of its seat in the app.

It must start like a bare interpreter, so it uses plain sockets and imports as little as it can. It never ends by
itself: it ends when its standard input closes, or when the CLI that started it is gone.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time

from sidecar.lines import LineReader
from sidecar.relay import OFFLINE, Relay
from sidecar.room_line import PIECE_BYTES, RoomLine, Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
TICK_SECONDS = 1.0
SHORT_TICK_SECONDS = 0.1
LAST_WORDS_SECONDS = 0.5


def main(argv: Sequence[str]) -> int:
    """Serve the CLI on standard input and output until it closes them. `argv`: `--entry NAME`. Does not return."""
    entry = argv[argv.index("--entry") + 1] if "--entry" in argv[:-1] else ""
    wire_in, wire_out = _claim_wires()
    # A Ctrl+C in the CLI's terminal reaches its whole process group, and is not meant for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Bridge(RoomLine(os.environ, entry), wire_out).run(wire_in)
    return 0


class Bridge:
    """One thread reads the client, one the room, and one decides: only that one touches the relay."""

    def __init__(self, room: RoomLine, wire_out: int) -> None:
        self._room = room
        self._wire_out = wire_out
        self._events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._sockets: dict[int, socket.socket] = {}
        self._link = OFFLINE
        self._offline: queue.SimpleQueue[bytes] | None = None
        self._parent = _Parent()
        self._last_words = threading.Event()
        self._is_ending = False
        self._relay = Relay(self, has_room=room.is_named, now=time.monotonic(), wall=time.time())

    def run(self, wire_in: int) -> None:
        """Read the client to its end, then end the process."""
        threading.Thread(target=self._decide, name="relay", daemon=True).start()
        if self._room.is_named:
            threading.Thread(target=self._keep_connected, name="room", daemon=True).start()
        reader = LineReader()
        while data := _read(wire_in):
            self._take_lines(reader.feed(data))
        self._take_lines(reader.rest())
        self._events.put(self._end)
        self._last_words.wait(LAST_WORDS_SECONDS)
        _end_process()

    # What the relay asks for, on its own thread.

    def answer(self, line: bytes) -> None:
        """Write one line to the client; a client that is gone ends the process."""
        data = memoryview(line + b"\n")
        try:
            while data:
                data = data[os.write(self._wire_out, data) :]
        except OSError:
            _end_process()

    def send(self, end: int, line: bytes) -> None:
        """Write one line to the room or to the server in this process."""
        if end == OFFLINE:
            self._open_offline().put(line)
            return
        door = self._sockets.get(end)
        if door is None:
            return
        try:
            door.sendall(line + b"\n")
        except OSError:
            _shut(door)

    def dial(self) -> None:
        """Cut the pause before the next attempt short."""
        self._wake.set()

    def hang_up(self) -> None:
        """Close the present connection; its reader takes what is left and reports the end."""
        self._wake.set()
        door = self._sockets.get(self._link)
        if door is not None:
            _shut(door)

    def say(self, text: str) -> None:
        """One line on the error stream."""
        if sys.stderr is not None:
            sys.stderr.write(f"pullcept sidecar: {text}\n")
            sys.stderr.flush()

    # The relay's thread.

    def _decide(self) -> None:
        while True:
            try:
                event = self._events.get(timeout=SHORT_TICK_SECONDS if self._relay.is_waiting else TICK_SECONDS)
            except queue.Empty:
                event = self._parent.check
            try:
                self._relay.on_time(time.monotonic(), time.time())
                event()
            except Exception as error:  # noqa: BLE001 - one bad message must not make the seat mute
                self.say(f"a message was lost: {type(error).__name__}: {error}")
            if self._is_ending and self._relay.is_quiet:
                self._last_words.set()

    def _take_lines(self, lines: list[bytes | None]) -> None:
        for line in lines:
            self._events.put(lambda line=line: self._relay.on_line(line))  # type: ignore[misc]

    def _take_answers(self, end: int, lines: list[bytes | None]) -> None:
        for line in lines:
            if line is not None:
                self._events.put(lambda line=line: self._relay.on_answer(end, line))  # type: ignore[misc]

    def _end(self) -> None:
        self._is_ending = True

    def _take_link(self, end: int, door: socket.socket) -> None:
        self._sockets[end] = door
        self._link = end
        self._relay.on_up(end)

    def _lose_link(self, end: int) -> None:
        door = self._sockets.pop(end, None)
        if door is not None:
            door.close()
        self._relay.on_down(end, "the connection to the room ended")

    # The room's thread.

    def _keep_connected(self) -> None:
        pause = FIRST_PAUSE
        for end in range(1, sys.maxsize):
            try:
                door, rest = self._room.open()
            except Unreachable as unreachable:
                reason = str(unreachable)
                self._events.put(lambda reason=reason: self._relay.on_failed(reason))  # type: ignore[misc]
            else:
                pause = FIRST_PAUSE
                self._events.put(lambda end=end, door=door: self._take_link(end, door))  # type: ignore[misc]
                self._carry(end, door, rest)
                self._events.put(lambda end=end: self._lose_link(end))  # type: ignore[misc]
            # Many seats lose the room at one moment, and should not all come back at one moment.
            self._wake.wait(pause * (0.5 + os.urandom(1)[0] / 512))
            self._wake.clear()
            pause = min(LONGEST_PAUSE, pause * 2)

    def _carry(self, end: int, door: socket.socket, rest: bytes) -> None:
        """Take the room's lines until the connection ends."""
        reader = LineReader()
        self._take_answers(end, reader.feed(rest))
        while True:
            try:
                data = door.recv(PIECE_BYTES)
            except TimeoutError:
                continue
            except OSError:
                return
            if not data:
                return
            self._take_answers(end, reader.feed(data))

    # The server in this process, loaded only when there is no room.

    def _open_offline(self) -> queue.SimpleQueue[bytes]:
        if self._offline is None:
            self._offline = queue.SimpleQueue()
            threading.Thread(target=self._run_offline, args=(self._offline,), name="offline", daemon=True).start()
        return self._offline

    def _run_offline(self, lines: queue.SimpleQueue[bytes]) -> None:
        try:
            offline = __import__("sidecar.offline", fromlist=["run"])
            offline.run(lines.get, self._answer_offline, self._why_offline)
        except Exception as error:  # noqa: BLE001 - the edge of a thread: whatever it was, the client must hear of it
            reason = f"{type(error).__name__}: {error}"
            self._events.put(lambda: self._relay.on_offline_failed(reason))

    def _answer_offline(self, line: bytes) -> None:
        self._events.put(lambda: self._relay.on_answer(OFFLINE, line))

    def _why_offline(self) -> str | None:
        return (self._relay.reason or "connecting") if self._room.is_named else None


class _Parent:
    """The CLI that started this process. `check` ends the process when that CLI is gone."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._handle = self._open_handle()

    def check(self) -> None:
        """Called once a second at most."""
        if sys.platform == "win32":
            import _winapi

            if self._handle and _winapi.WaitForSingleObject(self._handle, 0) == _winapi.WAIT_OBJECT_0:
                _end_process()
        elif os.getppid() != self._pid:
            _end_process()

    def _open_handle(self) -> int:
        if sys.platform != "win32":
            return 0
        import _winapi

        try:
            return _winapi.OpenProcess(_winapi.SYNCHRONIZE, False, self._pid)
        except OSError:
            return 0


def _claim_wires() -> tuple[int, int]:
    """Keep standard input and output for the protocol: a stray `print` or a child of ours must not reach them."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire_in, os.O_BINARY)
        msvcrt.setmode(wire_out, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    return wire_in, wire_out


def _read(wire_in: int) -> bytes:
    try:
        return os.read(wire_in, PIECE_BYTES)
    except OSError:
        return b""


def _shut(door: socket.socket) -> None:
    try:
        door.shutdown(2)
    except OSError:
        door.close()


def _end_process() -> None:
    """End at once, whatever the other threads wait for."""
    os._exit(0)
