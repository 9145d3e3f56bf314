"""The topics of the app: their logs, kept open while in use, and the index that annotates them.

Lives on the asyncio thread. A topic in which nothing was said and nothing started leaves no trace.
"""

import contextlib
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from pullcept.clock import utc_now
from pullcept.core.post import Post
from pullcept.core.screen import TopicView
from pullcept.core.seat import Seat
from pullcept.store.attachments import find_attachment, store_files
from pullcept.store.export import export_topic, save_copy
from pullcept.store.folder import DataFolder, host_id
from pullcept.store.importing import import_log
from pullcept.store.index import IndexFile, TopicNotDeleted
from pullcept.store.topic_log import LogUnreadable, Rows, TopicLog, UnknownPost

PAGE = 120


class Topics:
    """Opens logs when they are first needed; the screen and the rooms read through here."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._index = IndexFile(folder, host=host_id(), new_id=lambda: str(uuid.uuid4()))
        self._index.load()
        self._logs: dict[str, TopicLog] = {}
        self._unsaid: set[str] = set()

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong with the files at the start, for the status line."""
        broken = (self._index.broken,) if self._index.broken else ()
        return (*broken, *self._index.problems)

    def new(self) -> str:
        """The id of a topic that exists in memory only."""
        topic_id = str(uuid.uuid4())
        self._unsaid.add(topic_id)
        return topic_id

    def known(self, topic_id: str) -> bool:
        """Whether this topic exists, said or unsaid."""
        return topic_id in self._unsaid or self._index.find(topic_id) is not None

    def title(self, topic_id: str) -> str:
        """Its title; empty while nothing was said."""
        entry = self._index.find(topic_id)
        return entry.title if entry else ""

    def listed(self, running: Mapping[str, int]) -> tuple[TopicView, ...]:
        """The list for the screen, newest first; `running` counts sessions by topic id."""
        return tuple(
            TopicView(line.topic_id, line.title, line.ts, running=running.get(line.topic_id, 0))
            for line in self._index.topics()
        )

    # -- posts ------------------------------------------------------------

    def append(self, topic_id: str, post: Post) -> None:
        """Write a post to its log. Raises `LogFailed`."""
        self._log(topic_id).append(post)

    def note_post(self, topic_id: str, post: Post) -> None:
        """Keep the list up to date; the first post gives a topic its entry and title. Raises `NotSaved`."""
        self._unsaid.discard(topic_id)
        self._index.note_post(topic_id, post)

    def is_logged(self, topic_id: str, message_id: str) -> bool:
        """Whether the log holds a post with this id; False when the log cannot be read."""
        try:
            return self._log(topic_id).contains(message_id)
        except LogUnreadable:
            return False

    def newest(self, topic_id: str) -> Rows:
        """The newest rows. Raises `LogUnreadable`."""
        return self._log(topic_id).tail(PAGE)

    def older(self, topic_id: str, before: str) -> Rows:
        """Rows before a message id. Raises `UnknownPost`, `LogUnreadable`."""
        return self._log(topic_id).before(before, PAGE)

    def history(self, topic_id: str, limit: int, before: str | None) -> tuple[Sequence[Post], bool]:
        """Rows for an answer. Raises LookupError for an unknown `before`, OSError when the log cannot be read."""
        log = self._log(topic_id)
        try:
            rows = log.tail(limit) if before is None else log.before(before, limit)
        except UnknownPost as error:
            raise LookupError(before) from error
        except LogUnreadable as error:
            raise OSError(str(error)) from error
        return rows.posts, rows.has_older

    def has_posts(self, topic_id: str) -> bool:
        """Whether anything was said here before."""
        try:
            return bool(self._log(topic_id).tail(1).posts)
        except LogUnreadable:
            return True

    def warm(self, topic_id: str) -> None:
        """Read the ids of a topic ahead of its first post; for a worker thread. An unreadable log is told elsewhere."""
        with contextlib.suppress(LogUnreadable):
            self._log(topic_id).warm()

    # -- conversations -----------------------------------------------------

    def conversation(self, seat: Seat) -> str | None:
        """The conversation this computer can resume."""
        return self._index.conversation(seat.topic_id, seat.account_id)

    def conversation_elsewhere(self, seat: Seat) -> bool:
        """Whether only another computer has a conversation of this seat."""
        return self._index.conversation_elsewhere(seat.topic_id, seat.account_id)

    def session_started(self, seat: Seat) -> None:
        """The topic has an entry from now on. Raises `NotSaved`."""
        self._index.session_started(seat.topic_id, utc_now())
        self._unsaid.discard(seat.topic_id)

    def record_conversation(self, seat: Seat, conversation_id: str) -> None:
        """Record a conversation. Raises `NotSaved`."""
        self._index.record_conversation(seat.topic_id, seat.account_id, conversation_id, utc_now())

    def drop_conversation(self, seat: Seat, conversation_id: str) -> bool:
        """Forget a conversation if the record still is that one; says whether it was. Raises `NotSaved`."""
        return self._index.drop_conversation(seat.topic_id, seat.account_id, conversation_id)

    def attachments_folder(self, topic_id: str) -> Path:
        """Where files of this topic lie."""
        return self._folder.attachments(topic_id)

    def store_files(self, topic_id: str, sources: Sequence[str]) -> tuple[str, ...]:
        """Copy files in, all or none; for a worker thread. Raises `NotAttached`."""
        return tuple(str(path) for path in store_files(self._folder, topic_id, sources))

    def find_attachment(self, topic_id: str, path: str) -> Path | None:
        """The stored file that a path of a post of this topic names; see `store.attachments`."""
        return find_attachment(self._folder, topic_id, path)

    def export(self, topic_id: str, title: str, target: Path) -> None:
        """Write a topic as a document; for a worker thread. Raises `NotExported`."""
        export_topic(self._folder, topic_id, title, target)

    def save_copy(self, target: Path) -> int:
        """Write everything into one zip; for a worker thread. Raises `NotExported`."""
        return save_copy(self._folder, target)

    def import_log(self, source: Path) -> str:
        """Copy a log in as a new topic, which `adopt` lists; for a worker thread. Raises `NotImported`."""
        topic_id = str(uuid.uuid4())
        import_log(self._folder, source, topic_id)
        return topic_id

    def adopt(self, topic_id: str) -> None:
        """List an imported topic. Raises `NotSaved`; it is listed all the same."""
        self._index.adopt(topic_id)

    # -- life -------------------------------------------------------------

    def rename(self, topic_id: str, title: str) -> None:
        """Give a title by hand; an unsaid topic gets its entry by it. Raises `NotSaved`."""
        if self._index.find(topic_id) is None:
            self._index.session_started(topic_id, utc_now())
            self._unsaid.discard(topic_id)
        self._index.rename(topic_id, title)

    def delete(self, topic_id: str) -> None:
        """Remove everything of a topic. Raises `TopicNotDeleted`; it stays listed then."""
        try:
            # The log stays with us: a late post finds it and is refused, where a new one would make the file again.
            self._index.delete(topic_id, self._log(topic_id))
        except TopicNotDeleted:
            self._logs.pop(topic_id, None)
            raise
        self._unsaid.discard(topic_id)

    def close(self) -> None:
        """Let go of every file."""
        for log in self._logs.values():
            log.close()

    def _log(self, topic_id: str) -> TopicLog:
        log = self._logs.get(topic_id)
        if log is None:
            log = self._logs[topic_id] = TopicLog(self._folder.log_path(topic_id))
        return log
