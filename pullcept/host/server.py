"""The one listener of the app: rooms, bridges and hooks on a loopback port that the system gives."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pullcept.core.launch import Admissions, Launch
from pullcept.core.protocol import RoomFrame
from pullcept.core.seat import Seat
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.bridges import BridgeArrival, Bridges, GuestClaim
from pullcept.host.entrance import Entrance
from pullcept.host.http_door import HttpDoor
from pullcept.host.pulse import BEAT_SECONDS, Pulse
from pullcept.host.requests import Refusal, RequestHead
from pullcept.host.room_socket import Member, RoomSocket

__all__ = ["BridgeArrival", "Callbacks", "GuestClaim", "HostFailed", "RoomServer", "bind_loopback"]

log = logging.getLogger(__name__)

BIND_TRIES = 4
BIND_RETRY_SECONDS = 0.1
BACKLOG = 512
MAX_UNADMITTED = 128
MAX_ROOM_CLIENTS = 256
FAREWELL_SECONDS = 1.0


class HostFailed(Exception):
    """The listener could not be opened; the text says why."""


class RoomDoor(Protocol):
    """The part of the hub that the listener needs."""

    def connect(self, send: Callable[[RoomFrame], None]) -> Member: ...


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Whom the listener tells. All are called on the loop's thread.

    `serve_mcp` speaks MCP with one bridge until it returns; False means that the bridge only asked what there is and
    never took its seat. The hook callables get seat, generation, (event,) body; what `on_activity` gives back for a
    PermissionRequest is waited for before that hook is answered.
    """

    serve_mcp: Callable[[BridgeStream, BridgeArrival], Awaitable[bool | None]]
    on_status: Callable[[Seat, int, dict[str, Any]], None]
    on_activity: Callable[[Seat, int, str, dict[str, Any]], Awaitable[None] | None]


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
        self._bind = bind or bind_loopback
        self._server: asyncio.Server | None = None
        self._everyone: set[Entrance] = set()
        self._left = asyncio.Event()
        self._unadmitted: dict[Entrance, None] = {}
        self._clients: dict[Entrance, RoomSocket] = {}
        self._bridges = Bridges(admissions, callbacks.serve_mcp, clock)
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
        await self._bridges.close()
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
        self._bridges.drop_launch(launch_secret)

    def find_launch(self, secret: str) -> tuple[Launch, bool] | None:
        """See House."""
        return self._admissions.find(secret) if secret else None

    def refuse_bridge(self, head: RequestHead) -> Refusal | None:
        """See House."""
        return self._bridges.refuse(head)

    def on_status(self, seat: Seat, generation: int, body: dict[str, Any]) -> None:
        """See House."""
        self._callbacks.on_status(seat, generation, body)

    def on_activity(self, seat: Seat, generation: int, event: str, body: dict[str, Any]) -> Awaitable[None] | None:
        """See House."""
        return self._callbacks.on_activity(seat, generation, event, body)

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
        entrance.become(self._bridges.open(entrance.transport, head), rest)


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
