"""The topics of a data folder: logs found in the directory, annotated by index.json.

The index is written on deliberate acts only. Every change raises `NotSaved` when it could not be written.
"""

import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pullcept.core.post import Post
from pullcept.core.topic import (
    TopicEntry,
    TopicIdError,
    TopicIndex,
    TopicIndexError,
    check_topic_id,
    index_object,
    parse_index,
    time_of,
    title_of,
)
from pullcept.store.folder import DataFolder
from pullcept.store.settings import JsonFile, NotSaved, reason_of, retried
from pullcept.store.topic_log import LogUnreadable, TopicLog, first_post


class TopicNotDeleted(Exception):
    """Something of a topic could not be removed; it stays in the list and can be deleted again."""


@dataclass(frozen=True, slots=True)
class TopicLine:
    """One topic of the list. `ts`: its last post, else its creation (ISO 8601, empty when unknown)."""

    topic_id: str
    title: str
    ts: str


class IndexFile:
    """The topics of one data folder, as seen from one computer (`host`, see `host_id`).

    A topic deleted in this run never comes back: late news about it changes nothing.
    """

    def __init__(self, folder: DataFolder, *, host: str, new_id: Callable[[], str]) -> None:
        self._folder = folder
        self._host = host
        self._new_id = new_id
        self._file = JsonFile(folder.index)
        self._index = TopicIndex()
        self._last: dict[str, str] = {}
        self._deleted: set[str] = set()
        self.problems: tuple[str, ...] = ()

    @property
    def broken(self) -> str:
        """Why the index cannot be used; empty when it can. Its topics are then listed from their logs alone."""
        return self._file.broken

    def load(self) -> None:
        """Read the index, move an old single log in, and adopt logs without an entry. Writes no index."""
        self.problems = ()
        obj = self._file.load()
        try:
            self._index = parse_index(obj)
        except TopicIndexError as error:
            self._file.refuse(str(error))
            self._index = TopicIndex()
        self._move_old_log()
        self._last = {}
        for topic_id in self._logged_topics():
            self._look_at(topic_id)

    def set_aside(self) -> Path:
        """Put a broken index out of the way and go on from the logs. Raises `NotSaved`."""
        aside = self._file.set_aside()
        self.load()
        return aside

    def topics(self) -> tuple[TopicLine, ...]:
        """Every topic, the one with the newest post (or else creation) first."""
        lines = (
            TopicLine(entry.topic_id, entry.title, self._last.get(entry.topic_id) or entry.created_at)
            for entry in self._index.entries
        )
        return tuple(sorted(lines, key=lambda line: time_of(line.ts), reverse=True))

    def find(self, topic_id: str) -> TopicEntry | None:
        """The entry of a topic, or None for one in which nothing was said and nothing started."""
        return self._index.find(topic_id)

    def note_post(self, topic_id: str, post: Post) -> bool:
        """A post was made. Saves only when it is the one that gives the topic its entry or title; says whether."""
        if topic_id in self._deleted:
            return False
        self._last[topic_id] = post.ts
        changed = self._index.first_post(topic_id, post.content, post.ts)
        return self._keep(changed)

    def session_started(self, topic_id: str, now: str) -> bool:
        """A session was started: the topic has an entry from now on."""
        if topic_id in self._deleted:
            return False
        return self._keep(self._index.session_started(topic_id, now))

    def adopt(self, topic_id: str) -> None:
        """Take in a log that has come into the folder. Raises `NotSaved`; it is listed all the same."""
        before = self._index
        self._look_at(topic_id)
        if self._index is not before:
            self._file.save(index_object(self._index))

    def conversation(self, topic_id: str, account_id: str) -> str | None:
        """The conversation to resume on this computer."""
        entry = self._index.find(topic_id)
        return entry.conversation(account_id, self._host) if entry else None

    def conversation_elsewhere(self, topic_id: str, account_id: str) -> bool:
        """Whether only another computer has a conversation of this account."""
        entry = self._index.find(topic_id)
        return entry is not None and entry.conversation_elsewhere(account_id, self._host)

    def record_conversation(self, topic_id: str, account_id: str, conversation_id: str, now: str) -> bool:
        """Record the conversation that this computer can resume."""
        if topic_id in self._deleted:
            return False
        return self._keep(self._index.record_conversation(topic_id, account_id, conversation_id, self._host, now))

    def drop_conversation(self, topic_id: str, account_id: str, conversation_id: str) -> bool:
        """Forget a conversation, if the record still is that one; says whether it was."""
        return self._keep(self._index.drop_conversation(topic_id, account_id, conversation_id, self._host))

    def rename(self, topic_id: str, title: str) -> None:
        """Give a title by hand. Raises `UnknownTopic`; with `NotSaved` the old title stays."""
        if topic_id not in self._deleted:
            self._commit(self._index.rename(topic_id, title))

    def delete(self, topic_id: str, log: TopicLog | None = None) -> None:
        """Remove log, attachments, mailbox and then the entry. Raises `TopicNotDeleted` where it stops.

        `log`: the open log of the topic, which takes no post any more afterwards.
        """
        try:
            (log or TopicLog(self._folder.log_path(topic_id))).delete()
            _remove_tree(self._folder.attachments(topic_id))
            with contextlib.suppress(FileNotFoundError):
                retried(self._folder.mailbox(topic_id).unlink)
        except OSError as error:
            raise TopicNotDeleted(f"{Path(error.filename or topic_id).name}: {reason_of(error)}") from error
        remaining = self._index.delete(topic_id)
        try:
            if not self.broken and remaining.entries != self._index.entries:
                self._commit(remaining)
        except NotSaved as error:
            raise TopicNotDeleted(str(error)) from error
        self._index = remaining
        self._last.pop(topic_id, None)
        self._deleted.add(topic_id)

    def _keep(self, changed: TopicIndex) -> bool:
        """Take a change over, saved or not: what happened has happened. The next save carries it."""
        if changed is self._index:
            return False
        self._index = changed
        self._file.save(index_object(changed))
        return True

    def _commit(self, changed: TopicIndex) -> None:
        """Take a change over only when it is saved."""
        self._file.save(index_object(changed))
        self._index = changed

    def _logged_topics(self) -> list[str]:
        found = []
        try:
            with os.scandir(self._folder.logs) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".jsonl") and entry.is_file())
        except OSError as error:
            self._problem(f"{self._folder.logs}: {reason_of(error)}")
            return []
        for name in names:
            try:
                found.append(check_topic_id(name.removesuffix(".jsonl")))
            except TopicIdError as error:
                self._problem(f"{name}: {error}")
        return found

    def _look_at(self, topic_id: str) -> None:
        """Learn the time of the last post, and adopt the log when it has no entry."""
        path = self._folder.log_path(topic_id)
        try:
            newest = TopicLog(path).tail(1).posts
            if newest:
                self._last[topic_id] = newest[0].ts
            entry = self._index.find(topic_id)
            if entry is None or not entry.title:
                self._adopt(topic_id, path)
        except (OSError, LogUnreadable) as error:
            self._problem(f"{path.name}: {error}")
            self._index = self._index.adopt(topic_id, "", "")

    def _adopt(self, topic_id: str, path: Path) -> None:
        post = first_post(path)
        if post is not None:
            self._index = self._index.first_post(topic_id, post.content, post.ts)
        else:
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
            self._index = self._index.adopt(topic_id, title_of(""), written.replace("+00:00", "Z"))

    def _move_old_log(self) -> None:
        """The single log of an early version becomes one topic. It is moved: one conversation, one order."""
        old = self._folder.old_log
        with contextlib.suppress(FileNotFoundError):
            try:
                if old.is_file() and old.stat().st_size:
                    retried(lambda: os.rename(old, self._folder.log_path(self._new_id())))
            except OSError as error:
                self._problem(f"{old.name} could not be moved in: {reason_of(error)}")

    def _problem(self, text: str) -> None:
        self.problems = (*self.problems, text)


def _remove_tree(folder: Path) -> None:
    """Remove a folder; a link in its place is removed, not followed. Raises OSError."""
    if folder.is_symlink() or folder.is_junction():
        retried(folder.unlink)
        return
    with contextlib.suppress(FileNotFoundError):
        retried(lambda: shutil.rmtree(folder))
