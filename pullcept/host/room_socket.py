"""The WebSocket side of the listener: one client of the room. The protocol itself is the library's, without I/O.

Frames are handled for a moment per turn of the loop, and not at all while the client does not read its answers, so
that no client can keep the others waiting. A client that never reads is dropped.
"""

import asyncio
import http
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from websockets.exceptions import PayloadTooBig
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import CLOSED, CLOSING, OPEN
from websockets.server import ServerProtocol
from websockets.typing import BytesLike

from pullcept.core.protocol import MAX_FRAME_BYTES, RoomFrame, frame_text
from pullcept.host.pulse import Silence
from pullcept.host.requests import Refusal, refuse_stranger, refuse_token, request_head
from pullcept.host.wires import end_writing

log = logging.getLogger(__name__)
wire_log = logging.getLogger("pullcept.host.wire")
wire_log.setLevel(logging.WARNING)

TURN_SECONDS = 0.004
WRITE_HIGH_BYTES = 2 * 1024 * 1024
WRITE_MOST_BYTES = 16 * 1024 * 1024
STALLED_BEATS = 6
OPENING_SECONDS = 10.0
CLOSING_SECONDS = 5.0
HEAD_END = b"\r\n\r\n"


class Member(Protocol):
    """The hub's end of a client."""

    def receive_text(self, text: str | bytes) -> None: ...

    def close(self) -> None: ...


class RoomSocket:
    """One client. `enter(send)` gives the hub's end once the client is let in, or a refusal when the house is full."""

    def __init__(
        self,
        transport: asyncio.Transport,
        *,
        port: int,
        token: str,
        enter: Callable[[Callable[[RoomFrame], None]], Member | Refusal],
    ) -> None:
        self._transport = transport
        self._port = port
        self._token = token
        self._enter = enter
        self._wire = ServerProtocol(max_size=MAX_FRAME_BYTES, logger=wire_log)
        self._member: Member | None = None
        self._waiting: deque[Frame] = deque()
        self._message = bytearray()
        self._is_text = False
        self._busy = False
        self._turn_due = False
        self._reading = True
        self._writable = True
        self._finished = False
        self._head_tail = b""
        self._stalled = 0
        self._silence = Silence()
        self._timer: asyncio.TimerHandle | None = asyncio.get_running_loop().call_later(OPENING_SECONDS, self._on_late)
        transport.set_write_buffer_limits(high=WRITE_HIGH_BYTES)

    def feed(self, data: bytes) -> None:
        """Take bytes from the connection."""
        if self._finished:
            return
        self._silence.heard()
        if self._member is None:
            head, data = self._split_head(data)
            self._receive(head)
        if self._member is not None and data:
            self._receive(data)

    def feed_eof(self) -> None:
        """The client has sent all it will send."""
        if not self._finished:
            self._wire.receive_eof()
            self._flush()
        self._transport.close()

    def lost(self) -> None:
        """The connection is gone."""
        self._stop_timer()
        self._waiting.clear()
        member, self._member = self._member, None
        if member is not None:
            member.close()

    def send(self, frame: RoomFrame) -> None:
        """Send one frame to the client; silently nothing once it is leaving."""
        if self._wire.state is not OPEN:
            return
        self._wire.send_text(frame_text(frame).encode())
        if not self._busy:
            self._flush()

    @property
    def holds_back(self) -> bool:
        """Whether nothing is handled for this client at present, because it does not read its answers."""
        return not self._writable

    def end(self, reason: str) -> None:
        """Close the connection from our side, as a server that goes away."""
        if self._wire.state is OPEN:
            self._wire.send_close(CloseCode.GOING_AWAY, reason)
            self._flush()
        else:
            self._transport.close()

    def beat(self, *, forgive: bool) -> None:
        """One beat of the pulse: look after a silent client, drop a stalled or dead one."""
        if self._member is None:
            return
        if forgive:
            self._silence.heard()
            self._stalled = 0
        ask, gone = self._silence.beat()
        self._stalled = 0 if self._writable else self._stalled + 1
        if self._stalled >= STALLED_BEATS:
            self._drop("does not read its answers")
        elif gone:
            self._drop("gave no sign of life")
        elif (ask or forgive) and self._wire.state is OPEN:
            self._wire.send_ping(b"")
            self._flush()

    def pause_writing(self) -> None:
        """The connection's outgoing buffer is full: handle nothing more from this client."""
        self._writable = False
        self._pace_reading()

    def resume_writing(self) -> None:
        """The connection's outgoing buffer has room again."""
        self._writable = True
        self._handle_frames()

    def _split_head(self, data: bytes) -> tuple[bytes, bytes]:
        """What belongs to the request, and what came behind it: the library would take that before our answer."""
        joined = self._head_tail + data
        at = joined.find(HEAD_END)
        if at < 0:
            self._head_tail = joined[1 - len(HEAD_END) :]
            return data, b""
        end = at + len(HEAD_END) - len(self._head_tail)
        return data[:end], data[end:]

    def _receive(self, data: bytes) -> None:
        self._wire.receive_data(data)
        for event in self._wire.events_received():
            if isinstance(event, Request):
                self._open(event)
            elif isinstance(event, Frame):
                self._waiting.append(event)
        if self._member is None and self._wire.handshake_exc is not None:
            self._explain_bad_request()
        self._handle_frames()

    def _open(self, request: Request) -> None:
        head = request_head(request.method, request.path, request.headers.raw_items())
        refused = refuse_stranger(head, self._port) or refuse_token(head, self._token)
        response = self._wire.accept(request) if refused is None else None
        if refused is None and response is not None and response.status_code == 101:
            member = self._enter(self.send)
            if isinstance(member, Refusal):
                refused = member
            else:
                self._member = member
                self._stop_timer()
        if refused is not None:
            response = self._wire.reject(refused.status, refused.text + "\n")
            for name, value in refused.extra:
                response.headers[name] = value
        if response is not None:
            self._wire.send_response(response)

    def _explain_bad_request(self) -> None:
        """The library closes without a word on a request it cannot read; say why before that."""
        writes = self._wire.data_to_send()
        if not any(writes):
            response = self._wire.reject(http.HTTPStatus.BAD_REQUEST, "not a valid request\n")
            writes.insert(0, response.serialize())
        self._write(writes)

    def _handle_frames(self) -> None:
        if self._busy:
            return
        self._busy = True
        try:
            until = time.perf_counter() + TURN_SECONDS
            while self._waiting and self._writable:
                self._take_frame(self._waiting.popleft())
                if time.perf_counter() > until:
                    break
        finally:
            self._busy = False
        self._flush()
        self._pace_reading()
        if self._waiting and self._writable and not self._turn_due:
            self._turn_due = True
            asyncio.get_running_loop().call_soon(self._on_turn)

    def _on_turn(self) -> None:
        self._turn_due = False
        self._handle_frames()

    def _pace_reading(self) -> None:
        reading = self._writable and not self._waiting
        if reading == self._reading or self._transport.is_closing():
            return
        self._reading = reading
        if reading:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def _take_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._is_text = frame.opcode is Opcode.TEXT
            if frame.fin:
                self._take_message(frame.data)
                return
            self._message[:] = frame.data
        elif frame.opcode is Opcode.CONT:
            self._message += frame.data
            if frame.fin:
                message, self._message = self._message, bytearray()
                self._take_message(message)

    def _take_message(self, message: BytesLike) -> None:
        if self._member is None:
            return
        try:
            text = str(message, "utf-8")
        except UnicodeDecodeError:
            if self._is_text and self._wire.state is OPEN:
                self._wire.fail(CloseCode.INVALID_DATA, "a text message is not UTF-8")
            return
        self._member.receive_text(text)

    def _flush(self) -> None:
        self._write(self._wire.data_to_send())

    def _write(self, writes: list[bytes]) -> None:
        if self._finished or self._transport.is_closing():
            return
        if data := b"".join(writes):
            self._transport.write(data)
        if self._transport.get_write_buffer_size() > WRITE_MOST_BYTES:
            self._drop("does not read its answers")
        elif writes and not writes[-1]:
            self._finish()
        elif self._wire.state is CLOSING and self._timer is None:
            self._start_timer(CLOSING_SECONDS)

    def _finish(self) -> None:
        """We have said all; leave the client a moment to read it."""
        self._finished = True
        if isinstance(self._wire.parser_exc, PayloadTooBig):
            log.warning("a client was cut off: one message over %d bytes", MAX_FRAME_BYTES)
        end_writing(self._transport)
        self._start_timer(CLOSING_SECONDS)

    def _drop(self, why: str) -> None:
        log.warning("a client of the room was dropped: it %s", why)
        self._transport.abort()

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._on_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_late(self) -> None:
        self._timer = None
        if self._member is None and self._wire.state not in (CLOSING, CLOSED) and not self._wire.eof_sent:
            response = self._wire.reject(http.HTTPStatus.REQUEST_TIMEOUT, "the request took too long\n")
            self._transport.write(response.serialize())
            self._transport.close()
        else:
            self._transport.abort()
