"""One TCP connection, from its first bytes to the door it belongs to."""

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

FIRST_BYTES_SECONDS = 10.0
ROOM_START = b"GET /room"


class Door(Protocol):
    """What takes a connection over once it is known what it wants."""

    def feed(self, data: bytes) -> None: ...

    def feed_eof(self) -> None: ...

    def lost(self) -> None: ...

    def pause_writing(self) -> None: ...

    def resume_writing(self) -> None: ...


class Entrance(asyncio.Protocol):
    """Looks at the first bytes and hands the connection to `open_room` or `open_http`.

    `on_arrived` and `on_left` keep the house's list of connections.
    """

    transport: asyncio.Transport

    def __init__(
        self,
        *,
        open_room: Callable[["Entrance"], Door],
        open_http: Callable[["Entrance"], Door],
        on_arrived: Callable[["Entrance"], None],
        on_left: Callable[["Entrance"], None],
    ) -> None:
        self._open_room = open_room
        self._open_http = open_http
        self._on_arrived = on_arrived
        self._on_left = on_left
        self._first = b""
        self._timer: asyncio.TimerHandle | None = None
        self.door: Door | None = None

    def become(self, door: Door, rest: bytes) -> None:
        """Hand the connection to another door, with what was read but not used."""
        self.door = door
        if rest:
            door.feed(rest)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer: socket.socket = transport.get_extra_info("socket")
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._timer = asyncio.get_running_loop().call_later(FIRST_BYTES_SECONDS, transport.abort)
        self._on_arrived(self)

    def data_received(self, data: bytes) -> None:
        try:
            if self.door is None:
                data = self._first = self._first + data
                self._choose()
            if self.door is not None:
                self.door.feed(data)
        except Exception:
            log.exception("a connection failed and was dropped")
            self.transport.abort()

    def eof_received(self) -> bool:
        try:
            if self.door is None:
                self.transport.close()
            else:
                self.door.feed_eof()
        except Exception:
            log.exception("a connection failed and was dropped")
            self.transport.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if self.door is not None:
            self.door.lost()
        self._on_left(self)

    def pause_writing(self) -> None:
        if self.door is not None:
            self.door.pause_writing()

    def resume_writing(self) -> None:
        if self.door is not None:
            self.door.resume_writing()

    def _choose(self) -> None:
        wanted = wants_room(self._first)
        if wanted is None:
            return
        self._stop_timer()
        self._first = b""
        self.door = self._open_room(self) if wanted else self._open_http(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def wants_room(first: bytes) -> bool | None:
    """Whether a connection's first bytes ask for the room socket; None while too few have come to know."""
    if len(first) <= len(ROOM_START):
        return None if ROOM_START.startswith(first) else False
    return first.startswith(ROOM_START) and first[len(ROOM_START) :][:1] in (b" ", b"?")
