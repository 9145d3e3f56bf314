"""A scripted model service on loopback: answers each turn of a real CLI from a script and keeps every request."""

import contextlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Body = dict[str, Any]
Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
LIMIT = 30.0


@dataclass(frozen=True)
class ToolCall:
    """A tool the model calls. `arguments` may be made at the moment of the call."""

    tool: str
    arguments: Arguments

    def arguments_text(self) -> str:
        """The arguments as the JSON text of the answer."""
        given = self.arguments() if callable(self.arguments) else self.arguments
        return json.dumps(given, ensure_ascii=False)


@dataclass(frozen=True)
class Step:
    """One answer: a text or tool calls. `match`: taken only when the newest text holds it. `first`: taken only
    while no tool has answered yet.

    `delay` and `gate` hold the answer back in the middle of its first part; `begun` is set when it waits there.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    error: int = 0
    delay: float = 0.0
    match: str = ""
    first: bool = False
    gate: threading.Event | None = None
    begun: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Recorded:
    """One request. `turn`: it is a turn of the conversation, not something the CLI asks on the side."""

    path: str
    headers: Mapping[str, str]
    body: Body
    turn: bool


def say(text: str, *, match: str = "", delay: float = 0.0, gate: threading.Event | None = None) -> Step:
    """The model answers with plain text (nobody in the room hears it)."""
    return Step(text=text, match=match, delay=delay, gate=gate)


def call(
    tool: str, arguments: Arguments, *, match: str = "", first: bool = False, gate: threading.Event | None = None
) -> Step:
    """The model calls one tool."""
    return Step(calls=(ToolCall(tool, arguments),), match=match, first=first, gate=gate)


def fail(status: int, *, match: str = "") -> Step:
    """The service answers with an HTTP error."""
    return Step(error=status, match=match)


class ModelServer(ABC):
    """The part both services share. Use as a context manager; every wait has a limit."""

    def __init__(self, default: Step | None = None) -> None:
        self.default = default or say("ok")
        self.requests: list[Recorded] = []
        self.open_turns = 0
        self._steps: list[Step] = []
        self._numbers = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="model", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._thread.join(LIMIT)
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def script(self, *steps: Step) -> None:
        """Append to the script. A turn takes the first step that fits, else the default one."""
        with self._changed:
            self._steps.extend(steps)

    def turns(self) -> list[Recorded]:
        """The turns of the conversation so far."""
        with self._changed:
            return [request for request in self.requests if request.turn]

    def wait_for_turn(self, wanted: Callable[[Recorded], bool], limit: float = LIMIT) -> Recorded:
        """The first turn that fits; fails with what was seen instead."""
        end = time.monotonic() + limit
        with self._changed:
            while True:
                found = next((request for request in self.requests if request.turn and wanted(request)), None)
                if found:
                    return found
                left = end - time.monotonic()
                if left <= 0:
                    seen = [self.user_texts(request.body)[-1:] for request in self.requests if request.turn]
                    raise AssertionError(f"no such turn in {limit} s; the model was given {seen!r:.4000}")
                self._changed.wait(left)

    def wait_for_text(self, text: str, limit: float = LIMIT) -> Recorded:
        """The first turn whose newest user text holds `text`."""
        return self.wait_for_turn(lambda request: text in self.newest_text(request.body), limit)

    def newest_text(self, body: Body) -> str:
        """The newest user text of a request."""
        return (self.user_texts(body) or [""])[-1]

    def next_id(self, prefix: str) -> str:
        with self._changed:
            self._numbers += 1
            return f"{prefix}_{self._numbers:06d}"

    def take(self, path: str, headers: Mapping[str, str], body: Body) -> Step | None:
        """Keep a request; the step that answers it, None for what is no request to the model."""
        asks, turn = self.asks_model(path), self.is_turn(path, headers, body)
        with self._changed:
            self.requests.append(Recorded(path, headers, body, turn))
            self._changed.notify_all()
            if not asks:
                return None
            return self._next_step(body) if turn else self.side_step(body)

    @contextlib.contextmanager
    def answering(self, *, turn: bool) -> Iterator[None]:
        """An answer is under way: the model is busy with a turn."""
        with self._changed:
            self.open_turns += turn
        try:
            yield
        finally:
            with self._changed:
                self.open_turns -= turn

    def pause(self, step: Step) -> None:
        """Wait as the step says, never longer than the server lives."""
        step.begun.set()
        if step.gate:
            end = time.monotonic() + LIMIT
            while not (step.gate.wait(0.05) or self._stopping.is_set() or time.monotonic() > end):
                pass
        if step.delay:
            self._stopping.wait(step.delay)

    def _next_step(self, body: Body) -> Step:
        newest, answered = self.newest_text(body), bool(self.tool_results(body))
        fitting = next((step for step in self._steps if step.match in newest and not (step.first and answered)), None)
        if fitting is None:
            return self.default
        self._steps.remove(fitting)
        return fitting

    @abstractmethod
    def asks_model(self, path: str) -> bool:
        """Whether a POST to this path wants an answer of the model."""

    @abstractmethod
    def is_turn(self, path: str, headers: Mapping[str, str], body: Body) -> bool:
        """Whether this request is a turn of the conversation."""

    @abstractmethod
    def side_step(self, body: Body) -> Step:
        """The answer to what the CLI asks on the side."""

    @abstractmethod
    def user_texts(self, body: Body) -> list[str]:
        """The texts given as user input, oldest first."""

    @abstractmethod
    def tool_results(self, body: Body) -> list[str]:
        """The texts of the tool results, oldest first."""

    @abstractmethod
    def events(self, step: Step, model: str) -> Iterator[tuple[str, Body]]:
        """The streamed answer as (event name, data); it pauses in its first part."""

    @abstractmethod
    def other_answer(self, path: str, raw: bytes) -> tuple[int, Body]:
        """Status and answer for every other request."""


def texts_of(content: Any, kinds: Sequence[str]) -> list[str]:
    """The texts of a message content: a string, or a list of blocks of the given types."""
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or () if block.get("type") in kinds]


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Keep the output of the tests clean."""

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self._answer_request(b"")

        def do_POST(self) -> None:
            self._answer_request(self.rfile.read(int(self.headers.get("content-length") or 0)))

        def _answer_request(self, raw: bytes) -> None:
            path = self.path.partition("?")[0]
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                body = json.loads(raw) if raw else {}
            except ValueError:
                body = {}
            step = server.take(path, headers, body)
            if step is None:
                self._send_json(*server.other_answer(path, raw))
                return
            with server.answering(turn=server.is_turn(path, headers, body)):
                self._answer_model(step, body)

        def _answer_model(self, step: Step, body: Body) -> None:
            if step.error:
                server.pause(step)
                self._send_json(step.error, {"type": "error", "error": {"type": "api_error", "message": "scripted"}})
                return
            self._send_stream(server.events(step, str(body.get("model", ""))))

        def _send_json(self, status: int, document: Body) -> None:
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _send_stream(self, events: Iterator[tuple[str, Body]]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            try:
                for name, data in events:
                    self.wfile.write(f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode())
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                pass  # the CLI gave the turn up

    return Handler
