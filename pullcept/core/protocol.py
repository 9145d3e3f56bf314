"""The frames of the room socket (protocol 11): JSON objects, one per message.

Parsing is strict about known keys and blind to unknown ones: an unknown type gives None, an unknown
key is ignored, a missing or wrong key raises `FrameError` naming it. Absent options are left out
when written, never null.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

PROTOCOL = 11
OLDEST_PROTOCOL = 9
MAX_POST_BYTES = 1024 * 1024
MAX_ANSWER_BYTES = 900 * 1024
MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_MESSAGE_ID = 64


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
