"""A room with its log for the rows that measure rooms: real hub, real file, no screen and no terminals."""

from collections.abc import Sequence
from pathlib import Path

from pullcept.core.launch import Launch
from pullcept.core.post import Post
from pullcept.core.protocol import PROTOCOL, Hello, Paused, RoomFrame, UsageResult
from pullcept.core.room import Door
from pullcept.core.row import row_line
from pullcept.core.seat import Seat
from pullcept.host.hub import Connection, Hub
from pullcept.store.topic_log import LogFailed, TopicLog

TOPIC = "bench-topic"
TS = "2026-10-09T08:07:06.543Z"


class LogOutside:
    """The outside of one room: its log on disk; nobody watches and nobody is typed to."""

    def __init__(self, path: Path) -> None:
        self.log = TopicLog(path)
        self.log.warm()

    def append(self, topic_id: str, post: Post) -> bool:
        """See `host.runner.Outside`."""
        try:
            self.log.append(post)
        except LogFailed:
            return False
        return True

    def is_logged(self, topic_id: str, message_id: str) -> bool:
        """See `host.runner.Outside`."""
        return self.log.contains(message_id)

    def show(self, topic_id: str, post: Post, origin: str, logged: bool) -> None:
        """See `host.runner.Outside`."""

    def type_post(self, topic_id: str, post: Post, origin: str) -> tuple[Paused, ...]:
        """See `host.runner.Outside`."""
        return ()

    def reached(self, topic_id: str, origin: str, message_id: str) -> None:
        """See `host.runner.Outside`."""

    def read_history(self, topic_id: str, limit: int, before: str | None) -> tuple[Sequence[Post], bool]:
        """See `host.runner.Outside`."""
        rows = self.log.tail(limit) if before is None else self.log.before(before, limit)
        return rows.posts, rows.has_older

    def usage(self, seat: Seat | None, request_id: str) -> UsageResult:
        """See `host.runner.Outside`."""
        return UsageResult(request_id)

    def roster_changed(self, topic_id: str) -> None:
        """See `host.runner.Outside`."""


def open_house(path: Path) -> tuple[Hub, LogOutside]:
    """A hub whose one room is open over the log at `path`."""
    outside = LogOutside(path)
    hub = Hub(outside, person=lambda: Door("admin", "person", "Person"))
    hub.open_room(TOPIC)
    return hub, outside


class MemorySeat:
    """A seat in memory; `heard` keeps its answers until they are taken."""

    def __init__(self, hub: Hub, number: int) -> None:
        name = f"Seat {number}"
        launch = Launch(
            Seat(f"acc-{number}", TOPIC), 1, f"l-{number}", f"c-{number}", name, None, number, "cli", "e", f"o-{number}"
        )
        self.heard: list[RoomFrame] = []
        self.connection: Connection = hub.connect(self.heard.append, launch)
        self.connection.receive(Hello(PROTOCOL, name, TOPIC))

    def take(self) -> list[RoomFrame]:
        """The answers since the last time."""
        heard = self.heard.copy()
        self.heard.clear()
        return heard


def write_posts(path: Path, count: int) -> None:
    """A log of `count` ordinary posts."""
    body = "details follow, 詳細は続く。" * 4
    with path.open("wb") as file:
        file.writelines(row_line(Post(f"old-{n}", f"Seat {n % 8}", f"{n}: {body}", TS)) for n in range(count))
