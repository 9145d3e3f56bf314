"""What the room asks the outside to do. The room decides; `host/runner.py` runs these in order."""

from dataclasses import dataclass

from pullcept.core.post import Post
from pullcept.core.protocol import RoomFrame


@dataclass(frozen=True, slots=True)
class LogPost:
    """Append one post to the log of its topic, before anything later in the same list is run."""

    topic_id: str
    post: Post


@dataclass(frozen=True, slots=True)
class ShowPost:
    """Show one post on the screen. `origin` is the roster key of its speaker."""

    topic_id: str
    post: Post
    origin: str


@dataclass(frozen=True, slots=True)
class TypePost:
    """Queue one post for every running terminal of the topic, except the one of `origin`."""

    topic_id: str
    post: Post
    origin: str


@dataclass(frozen=True, slots=True)
class Reached:
    """The speaker of `origin` had seen this post when it spoke: proof that it reached its session."""

    topic_id: str
    origin: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer one connection. The runner fills in what only it knows (`logged`, `paused`)."""

    connection: str
    frame: RoomFrame


@dataclass(frozen=True, slots=True)
class ReadHistory:
    """Read rows of the topic's log and answer with a `history_result`."""

    connection: str
    topic_id: str
    request_id: str
    limit: int
    before: str | None


@dataclass(frozen=True, slots=True)
class ReadUsage:
    """Answer with the figures of the seat behind this connection."""

    connection: str
    request_id: str


@dataclass(frozen=True, slots=True)
class RosterChanged:
    """Somebody joined, left or was renamed."""

    topic_id: str


Effect = LogPost | ShowPost | TypePost | Reached | Reply | ReadHistory | ReadUsage | RosterChanged
