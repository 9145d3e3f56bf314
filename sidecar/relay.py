"""What the bridge does with each message: which end gets it, what is kept, what is said when an end breaks.

Rules only. Lines, numbers of connections and times come in; the calls of `Outside` go out. Nothing here waits.
Loaded on every start of a sidecar, so it imports next to nothing.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    Id = str | int | float

    class Outside(Protocol):
        """What the rules ask for. `end` is the number of a connection to the room, or OFFLINE."""

        def answer(self, line: bytes) -> None:
            """Write one line to the client."""

        def send(self, end: int, line: bytes) -> None:
            """Write one line to an end; a failure comes back as `on_down`."""

        def dial(self) -> None:
            """Try to reach the room now instead of at the end of the pause."""

        def hang_up(self) -> None:
            """Close the present connection; what it still brings is taken, then `on_down` follows."""

        def say(self, text: str) -> None:
            """Tell the person who reads the error stream."""


OFFLINE = 0
"""The end that answers while the room cannot be reached: a server in this process."""

JUMP_SECONDS = 30.0
CALL_SECONDS = 45.0
PATIENCE_SECONDS = 0.5
CALL_PATIENCE_SECONDS = 3.0
TRIES = 2
REPLAY_ID = "pullcept-handshake-again"
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
LOST = (
    "{cause} If this was a post, it may or may not have been made: read the room with read_room_history "
    "before you say it again."
)


class Request:
    """A request of the client that has no answer yet. `end` is None while nobody has it."""

    __slots__ = ("end", "id", "line", "method", "since", "tries")

    def __init__(self, id: Id, method: str, line: bytes, since: float) -> None:  # noqa: A002
        self.id = id
        self.method = method
        self.line = line
        self.since = since
        self.end: int | None = None
        self.tries = 0

    @property
    def is_call(self) -> bool:
        """A tool call may have an effect, so it is never sent twice."""
        return self.method == "tools/call"


class Relay:
    """One client and the ends that may serve it. `on_time` is called before every other `on_...`."""

    def __init__(self, outside: Outside, *, has_room: bool, now: float, wall: float) -> None:
        self.reason = "still connecting" if has_room else "no room was named"
        self._outside = outside
        self._has_room = has_room
        self._now = now
        self._wall = wall
        self._link: int | None = None
        self._hello: dict[str, Any] | None = None
        self._ready: bytes | None = None
        self._greeted: dict[int, int] = {}
        self._pending: dict[Id, Request] = {}
        self._offline_error = ""

    @property
    def is_quiet(self) -> bool:
        """No request waits for an answer."""
        return not self._pending

    @property
    def is_waiting(self) -> bool:
        """Some request waits for an end."""
        return any(request.end is None for request in self._pending.values())

    def on_time(self, now: float, wall: float) -> None:
        """Take in the time: `now` never jumps in seconds of running, `wall` is the clock of the computer."""
        has_jumped = abs(wall - self._wall) > JUMP_SECONDS
        self._now, self._wall = now, wall
        if has_jumped:
            self._distrust_link()
        self._give_up_waiting()
        self._give_up_calls()

    def on_line(self, raw: bytes | None) -> None:
        """A line of the client; None for one that was too long."""
        if raw is None:
            self._refuse(INVALID_REQUEST, "the message is too long")
            return
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()
        if not text:
            return
        try:
            message = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            self._refuse(PARSE_ERROR, "not a JSON message")
            return
        if not isinstance(message, dict):
            self._refuse(INVALID_REQUEST, "not a JSON-RPC message")
            return
        self._take(message, text.encode("utf-8", "replace"))

    def on_up(self, end: int) -> None:
        """A connection to the room stands."""
        self._link = end
        self.reason = ""
        waiting = self._waiting()
        for request in waiting:
            self._hand(request, end)
        self._greet(end)

    def on_down(self, end: int, reason: str) -> None:
        """A connection has ended. Its unanswered calls are answered; other requests are asked again."""
        if self._link == end:
            self._link = None
        self.reason = self.reason or reason
        self._greeted.pop(end, None)
        for request in [request for request in self._pending.values() if request.end == end]:
            self._take_back(request)
        if self.is_waiting:
            self._outside.dial()

    def on_failed(self, reason: str) -> None:
        """The room could not be reached."""
        if reason != self.reason:
            self._outside.say(f"room not reachable: {reason}")
        self.reason = reason
        self._go_offline(self._waiting())

    def on_offline_failed(self, reason: str) -> None:
        """The server in this process cannot run: its requests get an error, now and later."""
        self._offline_error = reason
        for request in [request for request in self._pending.values() if request.end == OFFLINE]:
            self._answer_offline_error(request)

    def on_answer(self, end: int, line: bytes) -> None:
        """A line of an end. Only what the client waits for, or is told by the end that serves it, goes through."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._outside.say("a line that is no message was left out")
        elif "method" in message:
            if end == (OFFLINE if self._link is None else self._link):
                self._outside.answer(line)
        else:
            self._pass_answer(end, message, line)

    def _pass_answer(self, end: int, message: dict[str, Any], line: bytes) -> None:
        answered = message.get("id")
        if answered == REPLAY_ID:
            if "error" in message:
                self._outside.say(f"the handshake was refused: {message['error']}")
            return
        request = self._pending.get(answered) if isinstance(answered, str | int | float) else None
        if request is None or request.end != end:
            return
        del self._pending[request.id]
        if request.method == "initialize" and "error" in message:
            self._hello = None
        self._outside.answer(line)

    def _take(self, message: dict[str, Any], line: bytes) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            if self._link is not None and "id" in message:
                self._outside.send(self._link, line)
            elif "id" not in message:
                self._refuse(INVALID_REQUEST, "neither a request nor an answer")
        elif "id" not in message:
            self._tell(method, message, line)
        elif _is_id(message["id"]):
            self._ask(message["id"], method, message, line)
        else:
            self._refuse(INVALID_REQUEST, "the id of a request is a text or a number")

    def _ask(self, asked: Id, method: str, message: dict[str, Any], line: bytes) -> None:
        if method == "initialize":
            self._hello, self._ready = message, None
        request = Request(asked, method, line, self._now)
        self._pending[asked] = request
        if self._link is not None:
            self._hand(request, self._link)
        elif self._has_room:
            self._outside.dial()
        else:
            self._go_offline([request])

    def _tell(self, method: str, message: dict[str, Any], line: bytes) -> None:
        if method == "notifications/initialized":
            self._ready = line
            for end in list(self._greeted):
                self._greet(end)
            return
        target = self._link
        if method == "notifications/cancelled":
            target = self._cancel(message.get("params"), target)
        if target is not None:
            self._outside.send(target, line)

    def _cancel(self, params: object, otherwise: int | None) -> int | None:
        """Forget the cancelled request and tell which end has it."""
        cancelled = params.get("requestId") if isinstance(params, dict) else None
        request = self._pending.pop(cancelled, None) if isinstance(cancelled, str | int | float) else None
        return otherwise if request is None else request.end

    def _hand(self, request: Request, end: int) -> None:
        request.end = end
        request.since = self._now
        request.tries += 1
        if request.method == "initialize":
            self._greeted[end] = 1
        else:
            self._greet(end)
        self._outside.send(end, request.line)

    def _greet(self, end: int) -> None:
        """Give an end the part of the handshake that it has not seen. A client of the new era has none."""
        level = self._greeted.setdefault(end, 0)
        if level == 0 and self._hello is not None and not self._is_asking_hello():
            replayed = {**self._hello, "id": REPLAY_ID}
            self._outside.send(end, json.dumps(replayed, ensure_ascii=True).encode("ascii"))
            level = 1
        if level == 1 and self._ready is not None:
            self._outside.send(end, self._ready)
            level = 2
        self._greeted[end] = level

    def _is_asking_hello(self) -> bool:
        return any(request.method == "initialize" and request.end is None for request in self._pending.values())

    def _take_back(self, request: Request) -> None:
        if request.is_call:
            self._answer_lost(request, "The connection to the room broke before an answer came.")
        elif request.tries >= TRIES:
            self._go_offline([request])
        else:
            request.end = None
            request.since = self._now

    def _go_offline(self, requests: list[Request]) -> None:
        for request in requests:
            if self._offline_error:
                self._answer_offline_error(request)
            else:
                self._hand(request, OFFLINE)

    def _waiting(self) -> list[Request]:
        return [request for request in self._pending.values() if request.end is None]

    def _distrust_link(self) -> None:
        """The computer slept, or this process was stopped: what the connection is worth is unknown."""
        for request in self._pending.values():
            request.since = self._now
        if self._link is not None:
            self._link = None
            self.reason = "connecting again after a pause"
            self._outside.hang_up()

    def _give_up_waiting(self) -> None:
        for request in self._waiting():
            limit = CALL_PATIENCE_SECONDS if request.is_call else PATIENCE_SECONDS
            if self._now - request.since > limit:
                self._go_offline([request])

    def _give_up_calls(self) -> None:
        for request in list(self._pending.values()):
            if request.is_call and request.end and self._now - request.since > CALL_SECONDS:
                self._answer_lost(request, f"No answer came within {CALL_SECONDS:.0f} seconds.")

    def _answer_lost(self, request: Request, cause: str) -> None:
        del self._pending[request.id]
        content = [{"type": "text", "text": LOST.format(cause=cause)}]
        result = {"content": content, "isError": True, "resultType": "complete"}
        self._reply({"jsonrpc": "2.0", "id": request.id, "result": result})

    def _answer_offline_error(self, request: Request) -> None:
        del self._pending[request.id]
        error = {"code": INTERNAL_ERROR, "message": f"room not reachable: {self.reason} ({self._offline_error})"}
        self._reply({"jsonrpc": "2.0", "id": request.id, "error": error})

    def _refuse(self, code: int, text: str) -> None:
        self._reply({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}})

    def _reply(self, message: dict[str, Any]) -> None:
        self._outside.answer(json.dumps(message, ensure_ascii=True).encode("ascii"))


def _is_id(value: object) -> bool:
    """A text or a number that can be written back as it came."""
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
