"""The frames of the room socket (protocol 11): JSON objects, one per message.

Parsing is strict about known keys and blind to unknown ones: an unknown type gives None, an unknown
key is ignored, a missing or wrong key raises `FrameError` naming it. Absent options are left out
when written, never null.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from pullcept.core.text import whole_text

PROTOCOL = 11
OLDEST_PROTOCOL = 9
MAX_POST_BYTES = 1024 * 1024
MAX_ANSWER_BYTES = 900 * 1024
MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_MESSAGE_ID = 64
MAX_REQUEST_ID = 256
MAX_TIME_TEXT = 64
MAX_DEPTH = 64
MAX_PARTS = 10_000


class FrameError(ValueError):
    """A frame that cannot be read. `key` names what is wrong; `answer` pairs an error answer."""

    def __init__(self, message: str, *, key: str = "", answer: "RoomFrame | None" = None) -> None:
        super().__init__(message)
        self.key = key
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Hello:
    """A connection says who it is and which room (topic id) it wants."""

    protocol: int | None
    name: str
    room: str | None
    hue: int | None = None
    account_id: str | None = None


@dataclass(frozen=True, slots=True)
class PostFrame:
    """A wish to say something. `ts` is UTC ISO 8601; `last_seen` the newest post the author has seen."""

    message_id: str
    content: str
    ts: str
    to: tuple[str, ...] = ()
    last_seen: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryFrame:
    """A wish to read earlier posts, newest `limit` of those before `before` (a message id)."""

    request_id: str
    limit: int | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class UsageFrame:
    """A wish to read one's own usage figures."""

    request_id: str


@dataclass(frozen=True, slots=True)
class SessionListFrame:
    """A wish to list accounts and their sessions."""

    request_id: str


@dataclass(frozen=True, slots=True)
class SessionStatusFrame:
    """A wish to read the record of one operation."""

    request_id: str
    operation_id: str


@dataclass(frozen=True, slots=True)
class SessionControlFrame:
    """A wish to start, stop or restart a session; `operation` is read by the control rules."""

    request_id: str
    operation: dict[str, Any]


ClientFrame = (
    Hello | PostFrame | HistoryFrame | UsageFrame | SessionListFrame | SessionStatusFrame | SessionControlFrame
)


@dataclass(frozen=True, slots=True)
class PostItem:
    """A post as answers carry it (`missed`, history)."""

    message_id: str
    speaker: str
    content: str
    ts: str
    full_name: str | None = None
    hue: int | None = None
    account: str | None = None
    from_app: bool = False
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paused:
    """A seat that is not typed to at present, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class PostResult:
    """The fate of one post. With `error` nothing was judged; else `delivered` says it."""

    message_id: str
    delivered: bool = False
    missed: tuple[PostItem, ...] = ()
    left_out: int = 0
    logged: bool = True
    paused: tuple[Paused, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryResult:
    """Earlier posts, oldest first, and who is in the room now (lines for people and models)."""

    request_id: str
    posts: tuple[PostItem, ...] = ()
    has_more: bool = False
    participants: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class UsageWindow:
    """A limit window: used percent, reset time (unix s) and when that was received (unix s)."""

    used_percentage: float
    received_at: float
    resets_at: float | None = None


@dataclass(frozen=True, slots=True)
class UsageResult:
    """The last reported figures of one's own seat; what was never reported is absent."""

    request_id: str
    five_hour: UsageWindow | None = None
    seven_day: UsageWindow | None = None
    context: UsageWindow | None = None
    received_at: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The answer to a session request."""

    request_id: str
    result: dict[str, Any] | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Who this connection is now, after a rename."""

    name: str
    full_name: str


RoomFrame = PostResult | HistoryResult | UsageResult | SessionResult | Identity


_MESSAGE_ID = re.compile(r"[!-~]{1,64}")
_FRAME_TYPES: Mapping[type, str] = {
    Hello: "hello",
    PostFrame: "post",
    HistoryFrame: "history",
    UsageFrame: "usage",
    SessionListFrame: "session_list",
    SessionStatusFrame: "session_status",
    SessionControlFrame: "session_control",
    PostResult: "post_result",
    HistoryResult: "history_result",
    UsageResult: "usage_result",
    SessionResult: "session_result",
    Identity: "identity",
}
_SAID_ONLY_WHEN_SET = frozenset({"to", "from_app", "left_out", "logged", "paused", "notes"})
_FIELDS: Mapping[type, tuple[tuple[str, Any], ...]] = {
    kind: tuple((field.name, field.default) for field in fields(kind))
    for kind in (*_FRAME_TYPES, PostItem, Paused, UsageWindow)
}
_write_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def is_message_id(text: str) -> bool:
    """Whether this may be a post's id: 1-64 visible ASCII characters."""
    return _MESSAGE_ID.fullmatch(text) is not None


def protocol_problem(protocol: int | None) -> str | None:
    """Why a client of this protocol number cannot be seated, or None. Higher numbers are served."""
    if protocol is None:
        return f"hello carried no protocol number; this room speaks {PROTOCOL}"
    if protocol < OLDEST_PROTOCOL:
        return f"protocol {protocol} is too old; this room speaks {OLDEST_PROTOCOL} to {PROTOCOL}"
    return None


def error_answer(frame: ClientFrame, reason: str) -> RoomFrame | None:
    """The answer that tells a client why its request could not be served; None for a frame without an answer."""
    match frame:
        case PostFrame():
            return PostResult(frame.message_id, error=reason)
        case HistoryFrame():
            return HistoryResult(frame.request_id, error=reason)
        case UsageFrame():
            return UsageResult(frame.request_id, error=reason)
        case SessionListFrame() | SessionStatusFrame() | SessionControlFrame():
            return SessionResult(frame.request_id, error=reason)
        case Hello():
            return None


# Writing


def frame_text(frame: ClientFrame | RoomFrame) -> str:
    """One frame as compact JSON that always encodes to UTF-8. What is absent is left out."""
    return whole_text(_write_json({"type": _FRAME_TYPES[type(frame)], **_frame_object(frame)}))


def item_text(item: PostItem) -> str:
    """One post item as it stands in a written answer; its UTF-8 length is its cost there."""
    return whole_text(_write_json(_plain(item)))


def _frame_object(frame: ClientFrame | RoomFrame) -> dict[str, Any]:
    if (error := getattr(frame, "error", None)) is not None:
        key = "message_id" if isinstance(frame, PostResult) else "request_id"
        return {key: getattr(frame, key), "error": error}
    if isinstance(frame, PostResult) and _is_plain_success(frame):
        return {"message_id": frame.message_id, "delivered": True, "missed": []}
    if isinstance(frame, SessionControlFrame | SessionResult):
        return {name: value for name, _ in _FIELDS[type(frame)] if (value := getattr(frame, name)) is not None}
    found: dict[str, Any] = _plain(frame)
    return found


def _is_plain_success(result: PostResult) -> bool:
    """Nearly every answer is one of these, so it is not taken apart field by field."""
    said_more = result.missed or result.left_out or result.paused or result.notes
    return result.delivered and result.logged and not said_more


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    names = _FIELDS.get(type(value))
    if names is None:
        return value
    return {
        name: _plain(part)
        for name, default in names
        if (part := getattr(value, name)) is not None and not (name in _SAID_ONLY_WHEN_SET and part == default)
    }


# Reading


class _Keys:
    """The keys of one JSON object; every reader raises `FrameError` naming a missing or wrong key."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found

    def wrong(self, key: str, expected: str) -> NoReturn:
        said = f"{key}: expected {expected}" if key in self.found else f"{key}: is missing"
        raise FrameError(said, key=key)

    def text(self, key: str, longest: int | None = None) -> str:
        value = self.found.get(key)
        if not isinstance(value, str):
            self.wrong(key, "text")
        if longest is not None and not 0 < len(value) <= longest:
            self.wrong(key, f"text of 1 to {longest} characters")
        return whole_text(value)

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if key in self.found else None

    def message_id(self) -> str:
        value = self.text("message_id")
        if not is_message_id(value):
            self.wrong("message_id", f"1 to {MAX_MESSAGE_ID} visible ASCII characters")
        return value

    def flag(self, key: str) -> bool:
        value = self.found.get(key)
        if not isinstance(value, bool):
            self.wrong(key, "true or false")
        return value

    def whole(self, key: str, least: int | None = None) -> int:
        value = self.found.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
            self.wrong(key, "a whole number" if least is None else f"a whole number from {least}")
        return value

    def number(self, key: str) -> float:
        value = self.found.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.wrong(key, "a number")
        try:
            number = float(value)
        except OverflowError:
            self.wrong(key, "a number of ordinary size")
        if not math.isfinite(number):
            self.wrong(key, "a number of ordinary size")
        return number

    def hue(self) -> int | None:
        return round(self.number("hue")) % 360 if "hue" in self.found else None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.found.get(key)
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self.wrong(key, "a list of texts")
        return tuple(whole_text(part) for part in value)

    def nested(self, key: str) -> "_Keys":
        value = self.found.get(key)
        if not isinstance(value, dict):
            self.wrong(key, "an object")
        return _Keys(value)

    def several(self, key: str) -> "list[_Keys]":
        value = self.found.get(key)
        if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
            self.wrong(key, "a list of objects")
        return [_Keys(part) for part in value]

    def free(self, key: str) -> dict[str, Any]:
        value = dict(self.nested(key).found)
        if not _is_small(value):
            self.wrong(key, f"an object of at most {MAX_DEPTH} levels and {MAX_PARTS} parts")
        return value


def parse_client_frame(text: str | bytes) -> ClientFrame | None:
    """Read a frame a client sent; None for an unknown type.

    Raises `FrameError` (and nothing else), with the answer to send where the request could be told.
    """
    kind, keys = _typed_object(text)
    reader = _CLIENT_READERS.get(kind)
    if reader is None:
        return None
    try:
        return reader(keys)
    except FrameError as wrong:
        wrong.answer = _error_for(kind, keys, str(wrong))
        raise


def parse_room_frame(text: str | bytes) -> RoomFrame | None:
    """Read a frame the room sent; None for an unknown type. Raises `FrameError` and nothing else."""
    kind, keys = _typed_object(text)
    reader = _ROOM_READERS.get(kind)
    return None if reader is None else reader(keys)


def parse_json(text: str | bytes) -> Any:
    """Read JSON from a stranger. Raises ValueError for everything that is not JSON, too deep or too large."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


def _typed_object(text: str | bytes) -> tuple[str, _Keys]:
    if len(text) > MAX_FRAME_BYTES:
        raise FrameError("the frame is too large")
    try:
        found = parse_json(text)
    except ValueError as wrong:
        raise FrameError(f"not a JSON text: {wrong}") from None
    if not isinstance(found, dict):
        raise FrameError("a frame is a JSON object")
    keys = _Keys(found)
    return keys.text("type"), keys


def _error_for(kind: str, keys: _Keys, reason: str) -> RoomFrame | None:
    key = "message_id" if kind == "post" else "request_id"
    request_id = keys.found.get(key)
    if not isinstance(request_id, str) or not 0 < len(request_id) <= MAX_REQUEST_ID:
        return None
    request_id = whole_text(request_id)
    match kind:
        case "post":
            return PostResult(request_id, error=reason)
        case "history":
            return HistoryResult(request_id, error=reason)
        case "usage":
            return UsageResult(request_id, error=reason)
        case "session_list" | "session_status" | "session_control":
            return SessionResult(request_id, error=reason)
    return None


def _is_small(value: dict[str, Any]) -> bool:
    """Whether an object of any shape has few levels and few parts; looks at no more than it allows."""
    level: list[Any] = [value]
    parts = 0
    for _ in range(MAX_DEPTH + 1):
        parts += sum(len(each) for each in level)
        if parts > MAX_PARTS:
            return False
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [part for each in inner for part in each if isinstance(part, dict | list)]
        if not level:
            return True
    return False


def _read_hello(keys: _Keys) -> Hello:
    return Hello(
        protocol=keys.whole("protocol") if "protocol" in keys.found else None,
        name=keys.text("name"),
        room=keys.text_or_none("room"),
        hue=keys.hue(),
        account_id=keys.text_or_none("account_id"),
    )


def _read_post(keys: _Keys) -> PostFrame:
    return PostFrame(
        message_id=keys.message_id(),
        content=keys.text("content"),
        ts=keys.text("ts", MAX_TIME_TEXT),
        to=keys.texts("to") if "to" in keys.found else (),
        last_seen=keys.text_or_none("last_seen"),
    )


def _request_id(keys: _Keys) -> str:
    return keys.text("request_id", MAX_REQUEST_ID)


def _read_history(keys: _Keys) -> HistoryFrame:
    limit = keys.whole("limit", 1) if "limit" in keys.found else None
    return HistoryFrame(_request_id(keys), limit, keys.text_or_none("before"))


def _read_item(keys: _Keys) -> PostItem:
    return PostItem(
        message_id=keys.text("message_id"),
        speaker=keys.text("speaker"),
        content=keys.text("content"),
        ts=keys.text("ts"),
        full_name=keys.text_or_none("full_name"),
        hue=keys.hue(),
        account=keys.text_or_none("account"),
        from_app=keys.flag("from_app") if "from_app" in keys.found else False,
        to=keys.texts("to") if "to" in keys.found else (),
    )


def _read_post_result(keys: _Keys) -> PostResult:
    if "error" in keys.found:
        return PostResult(keys.text("message_id"), error=keys.text("error"))
    paused = keys.several("paused") if "paused" in keys.found else []
    return PostResult(
        message_id=keys.text("message_id"),
        delivered=keys.flag("delivered"),
        missed=tuple(_read_item(item) for item in keys.several("missed")),
        left_out=keys.whole("left_out", 0) if "left_out" in keys.found else 0,
        logged=keys.flag("logged") if "logged" in keys.found else True,
        paused=tuple(Paused(one.text("name"), one.text("reason")) for one in paused),
        notes=keys.texts("notes") if "notes" in keys.found else (),
    )


def _read_history_result(keys: _Keys) -> HistoryResult:
    if "error" in keys.found:
        return HistoryResult(_request_id(keys), error=keys.text("error"))
    return HistoryResult(
        request_id=_request_id(keys),
        posts=tuple(_read_item(item) for item in keys.several("posts")),
        has_more=keys.flag("has_more"),
        participants=keys.texts("participants"),
    )


def _read_window(keys: _Keys, key: str) -> UsageWindow | None:
    if key not in keys.found:
        return None
    window = keys.nested(key)
    resets_at = window.number("resets_at") if "resets_at" in window.found else None
    return UsageWindow(window.number("used_percentage"), window.number("received_at"), resets_at)


def _read_usage_result(keys: _Keys) -> UsageResult:
    if "error" in keys.found:
        return UsageResult(_request_id(keys), error=keys.text("error"))
    return UsageResult(
        request_id=_request_id(keys),
        five_hour=_read_window(keys, "five_hour"),
        seven_day=_read_window(keys, "seven_day"),
        context=_read_window(keys, "context"),
        received_at=keys.number("received_at") if "received_at" in keys.found else None,
    )


def _read_session_result(keys: _Keys) -> SessionResult:
    if "error" in keys.found:
        return SessionResult(_request_id(keys), error=keys.text("error"))
    return SessionResult(_request_id(keys), keys.free("result"))


_CLIENT_READERS: Mapping[str, Callable[[_Keys], ClientFrame]] = {
    "hello": _read_hello,
    "post": _read_post,
    "history": _read_history,
    "usage": lambda keys: UsageFrame(_request_id(keys)),
    "session_list": lambda keys: SessionListFrame(_request_id(keys)),
    "session_status": lambda keys: SessionStatusFrame(_request_id(keys), keys.text("operation_id", MAX_REQUEST_ID)),
    "session_control": lambda keys: SessionControlFrame(_request_id(keys), keys.free("operation")),
}
_ROOM_READERS: Mapping[str, Callable[[_Keys], RoomFrame]] = {
    "post_result": _read_post_result,
    "history_result": _read_history_result,
    "usage_result": _read_usage_result,
    "session_result": _read_session_result,
    "identity": lambda keys: Identity(keys.text("name"), keys.text("full_name")),
}
