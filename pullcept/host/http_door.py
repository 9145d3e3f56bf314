"""The HTTP side of the listener: hook POSTs, and the upgrade of a bridge. h11 reads and writes the wire.

Refusals come before the body is read. A refused client that is still sending gets its answer, and the
rest of what it sends is thrown away for a short while, so that the answer is not lost with the connection.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

import h11

from pullcept.core.activity import ACTIVITY_EVENTS, PERMISSION_EVENT
from pullcept.core.launch import Launch
from pullcept.core.protocol import parse_json
from pullcept.core.seat import Seat
from pullcept.core.waits import ANSWER_LIMIT
from pullcept.host.requests import (
    MCP_UPGRADE,
    HookPath,
    Refusal,
    RequestHead,
    bearer,
    hook_path,
    path_of,
    refuse_stranger,
    refuse_token,
    request_head,
    unauthorized,
)
from pullcept.host.wires import end_writing

log = logging.getLogger(__name__)

MAX_HOOK_BYTES = 4 * 1024 * 1024
MAX_HEAD_BYTES = 16 * 1024
REQUEST_SECONDS = 20.0
IDLE_SECONDS = 30.0
LINGER_SECONDS = 3.0


class House(Protocol):
    """Who knows the launches and takes what hooks report. Reports are handed on after the answer went out.

    Only a PermissionRequest is handed on before it: what `on_activity` gives back is waited for, at most `ANSWER_LIMIT`
    s, and cancelled when the caller has gone.
    """

    def find_launch(self, secret: str) -> tuple[Launch, bool] | None:
        """The launch of a secret and whether it has ended; None for an unknown secret."""
        ...

    def refuse_bridge(self, head: RequestHead) -> Refusal | None:
        """Why there is no place for this bridge, whoever it is; None when there is."""
        ...

    def on_status(self, seat: Seat, generation: int, body: dict[str, Any]) -> None: ...

    def on_activity(self, seat: Seat, generation: int, event: str, body: dict[str, Any]) -> Awaitable[None] | None: ...


@dataclass(frozen=True, slots=True)
class HookCall:
    """An admitted hook POST, waiting for its body."""

    launch: Launch
    path: HookPath


@dataclass(frozen=True, slots=True)
class BridgeCall:
    """An admitted upgrade of a bridge."""

    head: RequestHead


class HttpDoor:
    """One HTTP connection. `upgrade(head, rest)` is called once the connection belongs to a bridge."""

    def __init__(
        self,
        transport: asyncio.Transport,
        *,
        port: int,
        token: str,
        house: House,
        upgrade: Callable[[RequestHead, bytes], None],
    ) -> None:
        self._transport = transport
        self._port = port
        self._token = token
        self._house = house
        self._upgrade = upgrade
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._call: HookCall | BridgeCall | Refusal | None = None
        self._body = bytearray()
        self._lingering = False
        self._timer: asyncio.TimerHandle | None = None
        self._in_request = False
        self._is_head = False
        self._waiting: asyncio.Task[None] | None = None

    def feed(self, data: bytes) -> None:
        """Take bytes from the connection."""
        if self._lingering:
            return
        if not self._in_request:
            self._in_request = True
            self._set_timer(REQUEST_SECONDS)
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError as error:
            self._refuse_now(Refusal(error.error_status_hint, f"not a valid request: {error}"))
        else:
            self._read_on()

    def feed_eof(self) -> None:
        """The client has sent all it will send; half a request is answered as that."""
        if self._in_request and not self._lingering:
            self.feed(b"")
        self.lost()
        self._transport.close()

    def lost(self) -> None:
        """The connection is gone."""
        self._stop_timer()
        if self._waiting is not None:
            self._waiting.cancel()

    def pause_writing(self) -> None:
        """Answers are tiny; nothing to hold back."""

    def resume_writing(self) -> None:
        """Answers are tiny; nothing was held back."""

    def _read_events(self) -> None:
        while not self._lingering:
            event = self._http.next_event()
            if isinstance(event, h11.Request):
                self._on_head(event)
            elif isinstance(event, h11.Data):
                self._on_data(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                if self._on_end():
                    return
            else:
                self._continue_if_awaited()
                return

    def _continue_if_awaited(self) -> None:
        if self._http.they_are_waiting_for_100_continue:
            self._send(h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue"))

    def _on_head(self, event: h11.Request) -> None:
        headers = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
        head = request_head(event.method.decode("latin-1"), event.target.decode("latin-1"), headers)
        self._is_head = head.method == "HEAD"
        self._body.clear()
        self._call = self._judge(head)
        if isinstance(self._call, Refusal) and _has_body(head):
            self._refuse_now(self._call)

    def _judge(self, head: RequestHead) -> HookCall | BridgeCall | Refusal:
        if stranger := refuse_stranger(head, self._port):
            return stranger
        if path_of(head.target) == "/mcp":
            return self._judge_bridge(head)
        path = hook_path(head.target)
        if path is None:
            return Refusal(404, "there is nothing here")
        return self._judge_hook(head, path)

    def _judge_bridge(self, head: RequestHead) -> BridgeCall | Refusal:
        if head.method != "GET":
            return Refusal(405, "only GET is served here", (("Allow", "GET"),))
        if refused := refuse_token(head, self._token):
            return refused
        if (head.one("upgrade") or "").strip().lower() != MCP_UPGRADE:
            return Refusal(426, f"this needs the upgrade {MCP_UPGRADE}", (("Upgrade", MCP_UPGRADE),))
        if _has_body(head):
            return Refusal(400, "an upgrade has no body")
        if full := self._house.refuse_bridge(head):
            return full
        return BridgeCall(head)

    def _judge_hook(self, head: RequestHead, path: HookPath) -> HookCall | Refusal:
        if head.method != "POST":
            return Refusal(405, "only POST is served here", (("Allow", "POST"),))
        found = self._house.find_launch(bearer(head))
        if found is None:
            return unauthorized("the launch secret is missing or unknown")
        launch, ended = found
        if launch.seat != Seat(path.account_id, path.topic_id):
            return Refusal(403, "this secret belongs to another seat")
        if ended:
            return Refusal(410, "this launch has ended")
        if path.event is not None and path.event not in ACTIVITY_EVENTS:
            return Refusal(404, "this event is not declared")
        if _stated_size(head) > MAX_HOOK_BYTES:
            return _too_large()
        return HookCall(launch, path)

    def _on_data(self, data: bytes) -> None:
        self._body += data
        if len(self._body) > MAX_HOOK_BYTES:
            self._refuse_now(_too_large())

    def _on_end(self) -> bool:
        """Answer a whole request. True when the connection is no longer ours to read."""
        call, self._call = self._call, None
        if isinstance(call, BridgeCall):
            self._become_bridge(call.head)
            return True
        if isinstance(call, HookCall):
            self._answer_hook(call)
            if self._waiting is not None:
                return True
        elif call is not None:
            self._respond(call.status, call.text + "\n", call.extra)
        return not self._next_request()

    def _answer_hook(self, call: HookCall) -> None:
        body = parse_body(bytes(self._body))
        self._body.clear()
        if body is None:
            self._respond(400, "the body is not a JSON object\n")
        elif call.path.event == PERMISSION_EVENT:
            if wait := self._hand_on(call, body):
                self._stop_timer()
                self._waiting = asyncio.ensure_future(self._answer_later(wait))
            else:
                self._respond_done()
        else:
            self._respond_done()
            self._hand_on(call, body)

    def _respond_done(self) -> None:
        self._respond(200, "{}", content_type="application/json")

    def _hand_on(self, call: HookCall, body: dict[str, Any]) -> Awaitable[None] | None:
        launch, path = call.launch, call.path
        try:
            if path.event is not None:
                return self._house.on_activity(launch.seat, launch.generation, path.event, body)
            self._house.on_status(launch.seat, launch.generation, body)
        except Exception:
            log.exception("a hook report could not be taken")
        return None

    async def _answer_later(self, wait: Awaitable[None]) -> None:
        """Answer when `wait` is over; what else came on this connection follows then."""
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                await wait
        except TimeoutError:
            log.info("a hook was answered because its time was over")
        except Exception:
            log.exception("the answer to a hook could not be waited for")
        self._waiting = None
        self._respond_done()
        if self._next_request():
            self._read_on()

    def _read_on(self) -> None:
        try:
            self._read_events()
        except h11.RemoteProtocolError as error:
            self._refuse_now(Refusal(error.error_status_hint, f"not a valid request: {error}"))

    def _become_bridge(self, head: RequestHead) -> None:
        self._stop_timer()
        headers = [("Connection", "Upgrade"), ("Upgrade", MCP_UPGRADE)]
        self._send(h11.InformationalResponse(status_code=101, headers=headers, reason=b"Switching Protocols"))
        self._upgrade(head, self._http.trailing_data[0])

    def _next_request(self) -> bool:
        if self._http.our_state is h11.MUST_CLOSE or self._http.their_state is not h11.DONE:
            self._stop_timer()
            self._transport.close()
            return False
        self._http.start_next_cycle()
        self._in_request = bool(self._http.trailing_data[0])
        self._set_timer(REQUEST_SECONDS if self._in_request else IDLE_SECONDS)
        return True

    def _refuse_now(self, refusal: Refusal) -> None:
        """Answer at once and throw away whatever else is being sent."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._respond(refusal.status, refusal.text + "\n", (*refusal.extra, ("Connection", "close")))
        self._lingering = True
        self._body.clear()
        self._call = None
        end_writing(self._transport)
        self._set_timer(LINGER_SECONDS)

    def _respond(
        self,
        status: int,
        text: str,
        extra: tuple[tuple[str, str], ...] = (),
        content_type: str = "text/plain; charset=utf-8",
    ) -> None:
        body = text.encode()
        headers = [("Content-Type", content_type), ("Content-Length", str(len(body))), *extra]
        reason = HTTPStatus(status).phrase.encode("ascii")
        self._send(h11.Response(status_code=status, headers=headers, reason=reason))
        if not self._is_head:
            self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())

    def _send(self, event: h11.InformationalResponse | h11.Response | h11.Data | h11.EndOfMessage) -> None:
        if (data := self._http.send(event)) and not self._transport.is_closing():
            self._transport.write(data)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._on_late)

    def _on_late(self) -> None:
        self._timer = None
        if self._lingering:
            self._transport.abort()
        elif self._in_request:
            self._refuse_now(Refusal(408, "the request took too long"))
        else:
            self._transport.close()


def parse_body(data: bytes) -> dict[str, Any] | None:
    """The JSON object of a hook body, or None when it is anything else."""
    try:
        body = parse_json(data)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _has_body(head: RequestHead) -> bool:
    return bool(head.all("transfer-encoding")) or _stated_size(head) > 0


def _stated_size(head: RequestHead) -> int:
    """The Content-Length; h11 has already refused what is not a plain number."""
    return int((head.all("content-length") or ("0",))[0].partition(",")[0])


def _too_large() -> Refusal:
    return Refusal(413, f"the body is over {MAX_HOOK_BYTES} bytes")
