"""A listener and hub that really run, in a thread of their own, over an outside that records."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any

from websockets.sync.client import ClientConnection, connect

from pullcept.core.launch import Admissions, Launch
from pullcept.core.post import Post
from pullcept.core.protocol import Paused, UsageResult
from pullcept.core.room import Door
from pullcept.core.seat import Seat
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.hub import Hub
from pullcept.host.server import BridgeArrival, Callbacks, RoomServer

TOKEN = "room-token-of-a-test"
TOPIC = "topic-1"
WAIT = 10.0


def wait_for[T](look: Callable[[], T], limit: float = WAIT) -> T:
    """What `look` gives once it is truthy; fails after `limit` seconds, showing the last."""
    end = time.monotonic() + limit
    while not (found := look()):
        assert time.monotonic() < end, f"still {found!r} after {limit} s"
        time.sleep(0.005)
    return found


def launch_of(account: str = "acc-1", topic: str = TOPIC, generation: int = 1, name: str = "Cody") -> Launch:
    """A launch whose secrets tell whose they are."""
    return Launch(
        seat=Seat(account, topic),
        generation=generation,
        launch_secret=f"launch-{account}-{topic}-{generation}",
        control_secret=f"control-{account}-{topic}-{generation}",
        name=name,
        full_name=None,
        hue=10,
        role="claude_code",
        entry="pullcept-room",
        origin=f"origin-{account}-{topic}-{generation}",
    )


class RecordingOutside:
    """Keeps everything in memory; `disk_full` makes the log fail."""

    def __init__(self) -> None:
        self.logs: dict[str, list[Post]] = {}
        self.did: list[tuple[str, str]] = []
        self.shown: list[tuple[Post, bool]] = []
        self.paused: tuple[Paused, ...] = ()
        self.usage_asked: list[Seat | None] = []
        self.rosters = 0
        self.histories_read = 0
        self.disk_full = False
        self.screen_broken = False

    def append(self, topic_id: str, post: Post) -> bool:
        self.did.append(("log", post.message_id))
        if self.disk_full:
            return False
        self.logs.setdefault(topic_id, []).append(post)
        return True

    def is_logged(self, topic_id: str, message_id: str) -> bool:
        return any(post.message_id == message_id for post in self.logs.get(topic_id, ()))

    def show(self, topic_id: str, post: Post, origin: str, logged: bool) -> None:
        self.did.append(("show", post.message_id))
        if self.screen_broken:
            raise RuntimeError("the screen is broken")
        self.shown.append((post, logged))

    def type_post(self, topic_id: str, post: Post, origin: str) -> tuple[Paused, ...]:
        self.did.append(("type", post.message_id))
        return self.paused

    def reached(self, topic_id: str, origin: str, message_id: str) -> None:
        self.did.append(("reached", message_id))

    def read_history(self, topic_id: str, limit: int, before: str | None) -> tuple[Sequence[Post], bool]:
        self.histories_read += 1
        posts = self.logs.get(topic_id, [])
        if before is not None:
            ids = [post.message_id for post in posts]
            if before not in ids:
                raise LookupError(before)
            posts = posts[: ids.index(before)]
        return posts[-limit:], len(posts) > limit

    def usage(self, seat: Seat | None, request_id: str) -> UsageResult:
        self.usage_asked.append(seat)
        return UsageResult(request_id, error=None if seat else "this connection has no account")

    def roster_changed(self, topic_id: str) -> None:
        self.rosters += 1


class LiveHost:
    """Listener, hub and loop of one test. `run` carries a call over to the loop's thread."""

    def __init__(self) -> None:
        self.outside = RecordingOutside()
        self.admissions = Admissions()
        self.hub = Hub(self.outside, person=lambda: Door("admin", name="Person", account_id="acc-person"))
        self.statuses: list[tuple[Seat, int, dict[str, Any]]] = []
        self.activities: list[tuple[Seat, int, str, dict[str, Any]]] = []
        self.arrivals: list[BridgeArrival] = []
        self.streams: list[BridgeStream] = []
        self.serve: Callable[[BridgeStream, BridgeArrival], Coroutine[Any, Any, bool | None]] = echo
        callbacks = Callbacks(
            serve_mcp=self._serve,
            on_status=lambda *report: self.statuses.append(report),
            on_activity=self._on_activity,
        )
        self.hold: Callable[[], Awaitable[None]] | None = None
        self.later = 0.0
        self.server = RoomServer(
            self.hub, self.admissions, TOKEN, callbacks, clock=lambda: time.monotonic() + self.later
        )
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="host of a test")

    def _on_activity(self, seat: Seat, generation: int, event: str, body: dict[str, Any]) -> Awaitable[None] | None:
        self.activities.append((seat, generation, event, body))
        return self.hold() if self.hold and event == "PermissionRequest" else None

    async def _serve(self, stream: BridgeStream, arrival: BridgeArrival) -> bool | None:
        self.arrivals.append(arrival)
        self.streams.append(stream)
        return await self.serve(stream, arrival)

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start(), self.loop).result(WAIT)
        self.run(self.hub.open_room, TOPIC)

    def stop_server(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self.loop).result(WAIT)

    def stop(self) -> None:
        self.stop_server()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(WAIT)
        self.loop.close()

    @property
    def port(self) -> int:
        return self.server.port

    def run[T](self, call: Callable[..., T], *args: Any, **options: Any) -> T:
        """Call something on the loop's thread and give back what it returns."""

        async def inside() -> T:
            return call(*args, **options)

        return asyncio.run_coroutine_threadsafe(inside(), self.loop).result(WAIT)

    def client(self, **headers: str) -> ClientConnection:
        """A room client of the library, with the right token unless told otherwise."""
        sent = {"Authorization": f"Bearer {TOKEN}", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return connect(f"ws://127.0.0.1:{self.port}/room", additional_headers=sent, max_size=None, proxy=None)

    @contextlib.contextmanager
    def guest(self, name: str = "Guest", room: str = TOPIC) -> Iterator[RoomClient]:
        """A client that has said hello."""
        with self.client() as socket_client:
            client = RoomClient(socket_client)
            client.say({"type": "hello", "protocol": 11, "name": name, "room": room})
            yield client

    def raw(self) -> socket.socket:
        """A bare TCP connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def exchange(self, request: bytes) -> bytes:
        """Send bytes, and everything that comes until the connection ends."""
        with self.raw() as wire:
            wire.sendall(request)
            return read_to_end(wire)

    def http(self, method: str, target: str, *headers: str, body: bytes = b"", host: str = "") -> bytes:
        """One HTTP request on its own connection; gives the whole answer."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close"]
        lines += headers
        if body:
            lines.append(f"Content-Length: {len(body)}")
        return self.exchange("\r\n".join([*lines, "", ""]).encode("latin-1") + body)


class RoomClient:
    """Frames as dictionaries over a client of the library."""

    def __init__(self, wire: ClientConnection) -> None:
        self.wire = wire

    def say(self, frame: dict[str, Any]) -> None:
        self.wire.send(json.dumps(frame))

    def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(self.wire.recv(timeout=WAIT))
        return heard

    def ask(self, frame: dict[str, Any]) -> dict[str, Any]:
        self.say(frame)
        return self.hear()

    def post(self, message_id: str, content: str = "hello", **more: Any) -> dict[str, Any]:
        frame = {"type": "post", "message_id": message_id, "content": content, "ts": "2026-11-30T00:00:00Z"}
        return self.ask({**frame, **more})


async def echo(stream: BridgeStream, arrival: BridgeArrival) -> None:
    """Answers each line with itself until the bridge is gone."""
    while (line := await stream.read_line()) is not None:
        await stream.write_line(line)


def read_to_end(wire: socket.socket) -> bytes:
    received = b""
    while True:
        try:
            part = wire.recv(65536)
        except ConnectionResetError:
            return received
        if not part:
            return received
        received += part


def status_of(answer: bytes) -> int:
    """The status of an HTTP answer, 0 when there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
