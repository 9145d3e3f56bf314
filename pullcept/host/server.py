"""The one listener of the app: rooms, bridges and hooks on a loopback port that the system gives."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from pullcept.core.launch import Admission, Admissions, Launch
from pullcept.core.protocol import RoomFrame
from pullcept.core.seat import Seat
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.entrance import Entrance
from pullcept.host.http_door import HttpDoor
from pullcept.host.pulse import BEAT_SECONDS, Pulse
from pullcept.host.requests import Refusal, RequestHead
from pullcept.host.room_socket import Member, RoomSocket

log = logging.getLogger(__name__)

BIND_TRIES = 4
BIND_RETRY_SECONDS = 0.1
BACKLOG = 512
MAX_UNADMITTED = 128
MAX_ROOM_CLIENTS = 256
MAX_OTHER_BRIDGES = 64
STOP_SECONDS = 3.0
FAREWELL_SECONDS = 1.0


class HostFailed(Exception):
    """The listener could not be opened; the text says why."""


@dataclass(frozen=True, slots=True)
class GuestClaim:
    """What a bridge without a launch says about itself. The room token is all that it has shown."""

    room: str
    name: str
    hue: int | None = None


@dataclass(frozen=True, slots=True)
class BridgeArrival:
    """A bridge whose connection was taken. Neither admitted nor a guest: it gets an empty server."""

    admission: Admission
    guest: GuestClaim | None = None


class RoomDoor(Protocol):
    """The part of the hub that the listener needs."""

    def connect(self, send: Callable[[RoomFrame], None]) -> Member: ...


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Whom the listener tells. All are called on the loop's thread.

    `serve_mcp` speaks MCP with one bridge until it returns; False means that the bridge only asked what there is and
    never took its seat. The hook callables get seat, generation, (event,) body.
    """

    serve_mcp: Callable[[BridgeStream, BridgeArrival], Awaitable[bool | None]]
    on_status: Callable[[Seat, int, dict[str, Any]], None]
    on_activity: Callable[[Seat, int, str, dict[str, Any]], None]


class RoomServer:
    """Opens the port with `start`, closes it and every connection with `stop`. Lives on one asyncio loop."""

    def __init__(
        self,
        hub: RoomDoor,
        admissions: Admissions,
        token: str,
        callbacks: Callbacks,
        *,
        clock: Callable[[], float] = time.monotonic,
        bind: Callable[[], socket.socket] | None = None,
    ) -> None:
        self._hub = hub
        self._admissions = admissions
        self._token = token
        self._callbacks = callbacks
        self._clock = clock
        self._bind = bind or bind_loopback
        self._server: asyncio.Server | None = None
        self._everyone: set[Entrance] = set()
        self._left = asyncio.Event()
        self._unadmitted: dict[Entrance, None] = {}
        self._clients: dict[Entrance, RoomSocket] = {}
        self._bridges: dict[tuple[str, str], BridgeStream] = {}
        self._other_bridges = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._pulse_task: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self) -> int:
        """Open the port and return its number. Raises HostFailed when the system gives none."""
        listener = await self._bind_patiently()
        self.port = int(listener.getsockname()[1])
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._new_entrance, sock=listener, backlog=BACKLOG)
        self._pulse_task = asyncio.create_task(self._beat(), name="host pulse")
        return self.port

    async def stop(self) -> None:
        """Close the port, tell every client, and wait a bounded time for what is still served."""
        if self._server is None:
            return
        self._server.close()
        if self._pulse_task is not None:
            self._pulse_task.cancel()
        for client in list(self._clients.values()):
            client.end("the app is closing")
        for stream in list(self._bridges.values()):
            stream.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
        await self._say_farewell()
        self._server = None

    async def _say_farewell(self) -> None:
        """Let those who answer the end of their connection do so, for a moment; cut the others off."""
        for entrance in list(self._unadmitted):
            entrance.transport.abort()
        try:
            async with asyncio.timeout(FAREWELL_SECONDS):
                while self._everyone:
                    self._left.clear()
                    await self._left.wait()
        except TimeoutError:
            for entrance in list(self._everyone):
                entrance.transport.abort()

    def sockets(self) -> tuple[socket.socket, ...]:
        """The listening sockets, for those who look after them."""
        return tuple(self._server.sockets) if self._server is not None else ()

    def peers(self) -> tuple[socket.socket, ...]:
        """The sockets of everybody connected."""
        return tuple(entrance.transport.get_extra_info("socket") for entrance in self._everyone)

    def clients(self) -> tuple[RoomSocket, ...]:
        """The clients of the room socket that were let in."""
        return tuple(self._clients.values())

    def connections(self) -> int:
        """How many connections are open, of every sort."""
        return len(self._everyone)

    def drop_launch(self, launch_secret: str) -> None:
        """Close the bridges of a launch that has ended."""
        for (secret, _), stream in list(self._bridges.items()):
            if secret == launch_secret:
                stream.close()

    def find_launch(self, secret: str) -> tuple[Launch, bool] | None:
        """See House."""
        return self._admissions.find(secret) if secret else None

    def refuse_bridge(self, head: RequestHead) -> Refusal | None:
        """See House. A bridge of a launch is never refused for numbers."""
        if self._other_bridges < MAX_OTHER_BRIDGES or self.find_launch(head.one("x-pullcept-launch") or ""):
            return None
        return Refusal(503, "too many bridges are connected")

    def on_status(self, seat: Seat, generation: int, body: dict[str, Any]) -> None:
        """See House."""
        self._callbacks.on_status(seat, generation, body)

    def on_activity(self, seat: Seat, generation: int, event: str, body: dict[str, Any]) -> None:
        """See House."""
        self._callbacks.on_activity(seat, generation, event, body)

    async def _bind_patiently(self) -> socket.socket:
        for attempt in range(1, BIND_TRIES + 1):
            try:
                return self._bind()
            except OSError as error:
                log.warning("no loopback port (try %d of %d): %s", attempt, BIND_TRIES, error)
                if attempt == BIND_TRIES:
                    raise HostFailed(f"no port on 127.0.0.1 could be opened: {error}") from error
            await asyncio.sleep(BIND_RETRY_SECONDS)
        raise AssertionError("unreachable")

    async def _beat(self) -> None:
        pulse = Pulse()
        pulse.beat(time.monotonic(), time.time())
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            self.beat(slept=pulse.beat(time.monotonic(), time.time()))

    def beat(self, *, slept: bool) -> None:
        """Look after every client once. After a long pause nobody is late."""
        if slept:
            log.info("this computer slept or its clock jumped; no client is given up for it")
        for client in list(self._clients.values()):
            client.beat(forgive=slept)

    def _new_entrance(self) -> Entrance:
        return Entrance(
            open_room=self._open_room, open_http=self._open_http, on_arrived=self._on_arrived, on_left=self._on_left
        )

    def _on_arrived(self, entrance: Entrance) -> None:
        self._everyone.add(entrance)
        self._unadmitted[entrance] = None
        if len(self._unadmitted) > MAX_UNADMITTED:
            oldest = next(iter(self._unadmitted))
            del self._unadmitted[oldest]
            oldest.transport.abort()

    def _on_left(self, entrance: Entrance) -> None:
        self._everyone.discard(entrance)
        self._left.set()
        self._unadmitted.pop(entrance, None)
        self._clients.pop(entrance, None)

    def _open_http(self, entrance: Entrance) -> HttpDoor:
        return HttpDoor(
            entrance.transport,
            port=self.port,
            token=self._token,
            house=self,
            upgrade=lambda head, rest: self._open_bridge(entrance, head, rest),
        )

    def _open_room(self, entrance: Entrance) -> RoomSocket:
        def enter(send: Callable[[RoomFrame], None]) -> Member | Refusal:
            if len(self._clients) >= MAX_ROOM_CLIENTS:
                return Refusal(503, "too many clients are connected")
            self._unadmitted.pop(entrance, None)
            self._clients[entrance] = client
            return self._hub.connect(send)

        client = RoomSocket(entrance.transport, port=self.port, token=self._token, enter=enter)
        return client

    def _open_bridge(self, entrance: Entrance, head: RequestHead, rest: bytes) -> None:
        self._unadmitted.pop(entrance, None)
        stream = BridgeStream(entrance.transport)
        arrival = self._admit(head)
        task = asyncio.create_task(self._serve_bridge(stream, arrival, head), name="bridge")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        entrance.become(stream, rest)

    def _admit(self, head: RequestHead) -> BridgeArrival:
        launch = head.one("x-pullcept-launch")
        guest = None if launch else guest_claim(head)
        if guest is not None:
            return BridgeArrival(Admission(None, "a guest has no launch"), guest)
        entry, instance = head.one("x-pullcept-entry"), head.one("x-pullcept-instance")
        control = head.one("x-pullcept-control")
        return BridgeArrival(self._admissions.admit(launch, control, entry, instance, self._clock()))

    async def _serve_bridge(self, stream: BridgeStream, arrival: BridgeArrival, head: RequestHead) -> None:
        while arrival.admission.wait:
            # A CLI that starts its server anew does not ask twice, so the answer waits instead of being empty.
            await asyncio.sleep(arrival.admission.wait)
            if stream.has_ended:
                stream.close()
                return
            arrival = self._admit(head)
        launch, instance = arrival.admission.launch, head.one("x-pullcept-instance") or ""
        key = (launch.launch_secret if launch else "", instance if launch else str(id(stream)))
        if (older := self._bridges.get(key)) is not None:
            older.close()
        self._bridges[key] = stream
        self._other_bridges += launch is None
        took_seat: bool | None = True
        try:
            if launch is None and self._other_bridges > MAX_OTHER_BRIDGES:
                return
            took_seat = await self._callbacks.serve_mcp(stream, arrival)
        except ConnectionError:
            log.info("a bridge left in the middle of something")
        except Exception:
            log.exception("serving a bridge failed")
        finally:
            if self._bridges.get(key) is stream:
                del self._bridges[key]
            if launch is not None and took_seat is False:
                self._admissions.unbind(launch.launch_secret, instance)
            self._other_bridges -= launch is None
            if launch is not None:
                self._admissions.instance_gone(instance, self._clock())
            stream.close()


def guest_claim(head: RequestHead) -> GuestClaim | None:
    """The claim of a guest's bridge, or None when it names no room or no name."""
    room, name = _text(head, "x-pullcept-room"), _text(head, "x-pullcept-name")
    if not room or not name:
        return None
    hue = head.one("x-pullcept-hue") or ""
    return GuestClaim(room, name, int(hue) % 360 if hue.isascii() and hue.isdecimal() and len(hue) <= 4 else None)


def bind_loopback() -> socket.socket:
    """A listening-ready socket on 127.0.0.1 with a port of the system's choice. Raises OSError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        listener.bind(("127.0.0.1", 0))
    except BaseException:
        listener.close()
        raise
    return listener


def _text(head: RequestHead, name: str) -> str:
    """A percent-encoded header value as text; empty when absent or not UTF-8."""
    try:
        return unquote_to_bytes(head.one(name) or "").decode("utf-8").strip()
    except UnicodeDecodeError:
        return ""
