"""Bytes of every shape at the doors: no crash, no hang, nothing kept."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.launch import Launch
from pullcept.core.protocol import RoomFrame
from pullcept.core.room import Door as RoomDoor
from pullcept.core.seat import Seat
from pullcept.host.entrance import Door, Entrance
from pullcept.host.http_door import HttpDoor, parse_body
from pullcept.host.hub import Hub
from pullcept.host.requests import Refusal, RequestHead
from pullcept.host.room_socket import Member, RoomSocket
from tests.host.live_host import TOKEN, TOPIC, RecordingOutside, launch_of

PORT = 4711
LAUNCH = launch_of()
HEAD = f"Host: 127.0.0.1:{PORT}\r\n"
HOOK = (
    f"POST /hooks/status/topic-1/acc-1 HTTP/1.1\r\n{HEAD}Authorization: Bearer {LAUNCH.launch_secret}\r\n"
    'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n'
).encode()
BRIDGE = (
    f"GET /mcp HTTP/1.1\r\n{HEAD}Authorization: Bearer {TOKEN}\r\nUpgrade: pullcept-mcp\r\nConnection: upgrade\r\n\r\n"
).encode()
HELLO = b'{"type":"hello","protocol":11,"name":"F","room":"topic-1"}'
ROOM = (
    f"GET /room HTTP/1.1\r\n{HEAD}Authorization: Bearer {TOKEN}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
).encode() + b"\x81%c\x00\x00\x00\x00%s\x89\x80\x00\x00\x00\x00\x88\x80\x00\x00\x00\x00" % (0x80 + len(HELLO), HELLO)


class StrictTransport(asyncio.Transport):
    """Refuses what a real one refuses: writing after the end."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.ended = False
        self.closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self

    def setsockopt(self, *option: int) -> None: ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Any) -> None:
        if self.ended:
            raise RuntimeError("written after the end")
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class House:
    """Knows one launch; takes whatever is reported."""

    def find_launch(self, secret: str) -> tuple[Launch, bool] | None:
        return (LAUNCH, False) if secret == LAUNCH.launch_secret else None

    def refuse_bridge(self, head: RequestHead) -> Refusal | None:
        return None

    def on_status(self, seat: Seat, generation: int, body: dict[str, Any]) -> None: ...

    def on_activity(self, seat: Seat, generation: int, event: str, body: dict[str, Any]) -> None: ...


class Doorstep:
    """One listener without sockets: connections are fed by hand."""

    def __init__(self) -> None:
        self.hub = Hub(RecordingOutside(), person=lambda: RoomDoor("admin", name="Person"))
        self.hub.open_room(TOPIC)
        self.here = 0

    def visit(self, chunks: list[bytes]) -> StrictTransport:
        """One whole connection, from its first byte to its end."""
        transport = StrictTransport()
        entrance = Entrance(
            open_room=self._open_room, open_http=self._open_http, on_arrived=self._arrive, on_left=self._leave
        )
        entrance.connection_made(transport)
        for chunk in chunks:
            if transport.closed:
                break
            entrance.data_received(chunk)
        if not transport.closed:
            entrance.eof_received()
        entrance.connection_lost(None)
        return transport

    def _arrive(self, entrance: Entrance) -> None:
        self.here += 1

    def _leave(self, entrance: Entrance) -> None:
        self.here -= 1

    def _open_http(self, entrance: Entrance) -> Door:
        return HttpDoor(
            entrance.transport,
            port=PORT,
            token=TOKEN,
            house=House(),
            upgrade=lambda head, rest: entrance.transport.close(),
        )

    def _open_room(self, entrance: Entrance) -> Door:
        def enter(send: Callable[[RoomFrame], None]) -> Member:
            return self.hub.connect(send)

        return RoomSocket(entrance.transport, port=PORT, token=TOKEN, enter=enter)


def visit_once(chunks: list[bytes]) -> StrictTransport:
    async def play() -> StrictTransport:
        doorstep = Doorstep()
        transport = doorstep.visit(chunks)
        assert doorstep.here == 0
        assert doorstep.hub.participants(TOPIC) == ()
        return transport

    return asyncio.run(play())


def cut(data: bytes, places: list[int]) -> list[bytes]:
    marks = sorted(place % (len(data) + 1) for place in places)
    return [data[a:b] for a, b in zip([0, *marks], [*marks, len(data)], strict=True) if a < b]


@given(
    st.sampled_from([(HOOK, b"200"), (BRIDGE, b"101"), (ROOM, b"101")]), st.lists(st.integers(0, 10_000), max_size=6)
)
def test_a_good_request_is_served_however_it_is_cut(request: tuple[bytes, bytes], places: list[int]) -> None:
    data, status = request
    assert b"HTTP/1.1 " + status in visit_once(cut(data, places)).written


@given(st.sampled_from([b"", HOOK, BRIDGE, ROOM]), st.binary(max_size=80), st.integers(0, 2000), st.integers(0, 80))
def test_a_spoilt_request_ends_in_order(start: bytes, noise: bytes, place: int, eaten: int) -> None:
    at = place % (len(start) + 1)
    visit_once(cut(start[:at] + noise + start[at + eaten :], [at]))


@given(st.binary(max_size=200))
def test_a_hook_body_is_an_object_or_nothing(data: bytes) -> None:
    body = parse_body(data)
    assert body is None or isinstance(body, dict)


@pytest.mark.slow
@pytest.mark.parametrize("good", [HOOK, BRIDGE, ROOM], ids=["hook", "bridge", "room"])
def test_a_hundred_thousand_spoilt_requests_end_in_order(good: bytes) -> None:
    seed = int.from_bytes(os.urandom(4))
    rng = random.Random(seed)

    async def play() -> None:
        doorstep = Doorstep()
        for number in range(100_000):
            data = bytearray(good)
            for _ in range(rng.randrange(1, 5)):
                at = rng.randrange(len(data) + 1)
                data[at : at + rng.choice([0, 0, 1, 1, 20])] = rng.randbytes(rng.choice([0, 1, 2, 8]))
            doorstep.visit(cut(bytes(data), [rng.randrange(len(data) + 1)]))
            assert doorstep.here == 0, f"seed {seed}, input {number}"
            if number % 1000 == 0:
                await asyncio.sleep(0)
        assert doorstep.hub.participants(TOPIC) == ()

    asyncio.run(play())
