"""What lies around the rooms: the topics' logs, the screen and the terminals, joined for the host's runner."""

from collections.abc import Callable, Sequence

from pullcept.core.post import Post
from pullcept.core.protocol import Paused, UsageResult
from pullcept.core.screen import RowAdded, ScreenEvent, StatusSaid
from pullcept.core.seat import Seat
from pullcept.guarded import GuardedTyping
from pullcept.host.hub import SCREEN_ORIGIN
from pullcept.store.settings import NotSaved
from pullcept.store.topic_log import LogFailed
from pullcept.topics import Topics
from pullcept.ui.texts import gettext as _

LOG_KEY = "log"


class AppOutside:
    """The `Outside` of the app (see `host/runner.py`). Lives on the asyncio thread."""

    def __init__(
        self,
        topics: Topics,
        typing: GuardedTyping,
        tell: Callable[[ScreenEvent], None],
        on_roster: Callable[[str], None],
        on_post: Callable[[], None],
    ) -> None:
        self._topics = topics
        self._typing = typing
        self._tell = tell
        self._on_roster = on_roster
        self._on_post = on_post
        self._log_failed = False

    def append(self, topic_id: str, post: Post) -> bool:
        """Write one post; a failure stays on the status line until an append works again."""
        try:
            self._topics.append(topic_id, post)
        except LogFailed as error:
            self._log_failed = True
            self._tell(StatusSaid(_("Cannot write the log: {reason}").format(reason=error), "error", key=LOG_KEY))
            return False
        if self._log_failed:
            self._log_failed = False
            self._tell(StatusSaid(_("The log is written again."), key=LOG_KEY))
        self._note(topic_id, post)
        return True

    def _note(self, topic_id: str, post: Post) -> None:
        try:
            self._topics.note_post(topic_id, post)
        except NotSaved as error:
            self._tell(StatusSaid(str(error), "error", key=str(error)))
        self._on_post()

    def is_logged(self, topic_id: str, message_id: str) -> bool:
        """Whether the topic's log holds this id."""
        return self._topics.is_logged(topic_id, message_id)

    def show(self, topic_id: str, post: Post, origin: str, logged: bool) -> None:
        """Hand one post to the screen."""
        self._tell(RowAdded(topic_id, post, own=origin == SCREEN_ORIGIN, logged=logged))

    def type_post(self, topic_id: str, post: Post, origin: str) -> tuple[Paused, ...]:
        """Queue one post for the terminals of the topic; its guard may keep it."""
        return self._typing.type_post(topic_id, post, origin)

    def reached(self, topic_id: str, origin: str, message_id: str) -> None:
        """A session spoke and had seen this post."""
        self._typing.on_reached(topic_id, origin, message_id)

    def read_history(self, topic_id: str, limit: int, before: str | None) -> tuple[Sequence[Post], bool]:
        """Rows of the log, oldest first, and whether older ones exist."""
        return self._topics.history(topic_id, limit, before)

    def usage(self, seat: Seat | None, request_id: str) -> UsageResult:
        """Nothing is reported before status lines are read."""
        if seat is None:
            return UsageResult(request_id, error="this connection has no account")
        return UsageResult(request_id)

    def roster_changed(self, topic_id: str) -> None:
        """Somebody joined, left or was renamed."""
        self._on_roster(topic_id)
