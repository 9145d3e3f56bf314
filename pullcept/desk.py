"""The place of the person: what is on screen, what they say, and what becomes of it.

The person sits in every opened room through a connection like anyone's; its door says `admin`.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pullcept.attaching import Attaching
from pullcept.clock import utc_now
from pullcept.core.post import Post
from pullcept.core.protocol import PROTOCOL, Hello, Identity, PostFrame, PostItem, PostResult, RoomFrame
from pullcept.core.screen import (
    OlderRows,
    PostAccepted,
    PostRefused,
    RosterListed,
    ScreenEvent,
    SeatChanged,
    StatusSaid,
    TopicOpened,
    TopicsListed,
)
from pullcept.host.hub import SCREEN_ORIGIN, Connection, Hub
from pullcept.reasons import reason_words
from pullcept.seats import Seats
from pullcept.store.attachments import NotAttached
from pullcept.store.export import NotExported
from pullcept.store.importing import NotImported
from pullcept.store.index import TopicNotDeleted
from pullcept.store.settings import NotSaved
from pullcept.store.topic_log import LogUnreadable, Rows, UnknownPost
from pullcept.topics import Topics
from pullcept.ui.texts import gettext as _

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Chair:
    """The person's connection to one room, and the posts that wait for their result."""

    connection: Connection
    waiting: dict[str, str]


class Desk:
    """Carries out what a screen asks about topics and posts. Lives on the asyncio thread."""

    def __init__(
        self,
        topics: Topics,
        seats: Seats,
        hub: Hub,
        tell: Callable[[ScreenEvent], None],
        person: Callable[[], str],
        warm: Callable[[str], None] = lambda topic_id: None,
    ) -> None:
        """`person` tells their name; `warm` reads ahead, off this thread, what a topic's first post will need."""
        self._topics = topics
        self._seats = seats
        self._hub = hub
        self._tell = tell
        self._person = person
        self._warm = warm
        self._attaching = Attaching(topics)
        self._storing: Counter[str] = Counter()
        self._chairs: dict[str, Chair] = {}
        self._deleting: set[str] = set()
        self.on_screen: str | None = None

    # -- topics -----------------------------------------------------------

    def new_topic(self) -> None:
        """Open an empty topic that leaves no trace until something is said or started in it."""
        self.open_topic(self._topics.new())

    def open_topic(self, topic_id: str) -> None:
        """Bring a topic on screen and take a chair in its room."""
        if not self._topics.known(topic_id):
            self._tell(StatusSaid(_("This topic is gone."), "warning"))
            return
        self._sit(topic_id)
        self.on_screen = topic_id
        page = self._read(lambda: self._topics.newest(topic_id))
        self._tell(TopicOpened(topic_id, self._topics.title(topic_id), page.posts, page.has_older, page.skipped))
        for view in self._seats.views(topic_id):
            self._tell(SeatChanged(view))
        self.tell_roster(topic_id)
        self.tell_topics()
        self._warm(topic_id)

    def read_older(self, topic_id: str, before: str) -> None:
        """Rows before `before` come as `OlderRows`."""
        page = self._read(lambda: self._topics.older(topic_id, before))
        self._tell(OlderRows(topic_id, page.posts, page.has_older))

    def rename_topic(self, topic_id: str, title: str) -> None:
        """Give a topic a title by hand; an empty one is refused."""
        title = " ".join(title.split())
        if not title:
            self._tell(StatusSaid(_("A topic needs a title. Type one, or press Esc to keep the old one."), "warning"))
            return
        try:
            self._topics.rename(topic_id, title)
        except NotSaved as error:
            self._tell(StatusSaid(_("The title was not kept: {reason}").format(reason=error), "error"))
        self.tell_topics()

    def delete_topic(self, topic_id: str) -> Coroutine[Any, Any, None]:
        """Stop its sessions, then remove what belongs to it; a failure half-way leaves it listed.

        From this call on, before the work is begun, nothing is said or started there.
        """
        self._deleting.add(topic_id)
        self._seats.shut(topic_id)
        return self._delete_marked(topic_id)

    async def _delete_marked(self, topic_id: str) -> None:
        try:
            await self._delete_topic(topic_id)
        finally:
            self._deleting.discard(topic_id)

    async def _delete_topic(self, topic_id: str) -> None:
        left = await self._seats.end_all(topic_id)
        try:
            if left:
                raise TopicNotDeleted(_("these sessions did not end: {names}").format(names=", ".join(left)))
            async with self._attaching.turn(topic_id):
                self._topics.delete(topic_id)
        except TopicNotDeleted as error:
            self._seats.reopen(topic_id)
            self._tell(StatusSaid(_("The topic was not deleted: {reason}").format(reason=error), "error"))
            self.tell_topics()
            return
        self._hub.drop_room(topic_id, "the topic was deleted")
        if chair := self._chairs.pop(topic_id, None):
            chair.connection.close()
        self._seats.forget(topic_id)
        if self.on_screen == topic_id:
            self.new_topic()
        self.tell_topics()

    async def export_topic(self, topic_id: str, target: Path) -> None:
        """Write a topic as a document for people; the status line says how it went."""
        title = self._topics.title(topic_id) or _("untitled")
        self._tell(StatusSaid(_("Exporting {file}…").format(file=target.name), key=str(target)))
        try:
            await asyncio.to_thread(self._topics.export, topic_id, title, target)
        except NotExported as error:
            said = StatusSaid(_("Not exported: {reason}").format(reason=error), "error", str(target))
        else:
            said = StatusSaid(_("The topic was exported to {file}.").format(file=target), key=str(target))
        self._tell(said)

    async def import_topic(self, source: Path) -> None:
        """Copy a log in as a new topic, and open it."""
        try:
            topic_id = await asyncio.to_thread(self._topics.import_log, source)
            self._topics.adopt(topic_id)
        except NotImported as error:
            self._tell(StatusSaid(_("Not imported: {reason}").format(reason=error), "error"))
            return
        except NotSaved as error:
            self._tell(StatusSaid(_("The title was not kept: {reason}").format(reason=error), "error"))
        self.open_topic(topic_id)

    async def save_copy(self, target: Path) -> None:
        """Write everything into one zip while the room goes on; the status line says how it went."""
        self._tell(StatusSaid(_("Saving a copy to {file}…").format(file=target.name), key=str(target)))
        try:
            count = await asyncio.to_thread(self._topics.save_copy, target)
        except NotExported as error:
            said = StatusSaid(_("No copy was saved: {reason}").format(reason=error), "error", str(target))
        else:
            text = _("A copy of everything was saved to {file} ({count} files).").format(file=target, count=count)
            said = StatusSaid(text, key=str(target))
        self._tell(said)

    def _read(self, page: Callable[[], Rows]) -> Rows:
        """Rows of a log; none, with a word on the status line, when they cannot be read."""
        try:
            return page()
        except (LogUnreadable, UnknownPost) as error:
            self._tell(StatusSaid(_("The log cannot be read: {reason}").format(reason=error), "error"))
            return Rows()

    def tell_topics(self) -> None:
        """Send the list of topics."""
        running: dict[str, int] = {}
        for session in self._seats.running():
            running[session.launch.seat.topic_id] = running.get(session.launch.seat.topic_id, 0) + 1
        self._tell(TopicsListed(self._topics.listed(running)))

    def tell_roster(self, topic_id: str) -> None:
        """Send who can be addressed in a room."""
        names = tuple(
            (member.name, member.role, member.hue)
            for member in self._hub.participants(topic_id)
            if member.origin != SCREEN_ORIGIN
        )
        self._tell(RosterListed(topic_id, names))

    # -- posts ------------------------------------------------------------

    def post(self, topic_id: str, message_id: str, text: str, last_seen: str | None) -> None:
        """Say something in a room; the outcome comes as `PostAccepted` or `PostRefused`."""
        if topic_id in self._deleting or not self._topics.known(topic_id):
            self._refuse_deleted(topic_id, message_id, text)
            return
        self._sit(topic_id)
        chair = self._chairs[topic_id]
        chair.waiting[message_id] = text
        chair.connection.receive(PostFrame(message_id, text, utc_now(), last_seen=last_seen))

    def is_storing(self, topic_id: str) -> bool:
        """Whether files of an earlier post are still being stored, so that a later one must wait its turn."""
        return self._storing[topic_id] > 0

    def post_files(
        self, topic_id: str, message_id: str, text: str, files: Sequence[str], last_seen: str | None
    ) -> Coroutine[Any, Any, None]:
        """Say something with files: all of them are stored first, or nothing is said and all comes back.

        The turn counts from this call on, before the work is begun.
        """
        self._storing[topic_id] += 1
        return self._post_in_turn(topic_id, message_id, text, files, last_seen)

    async def _post_in_turn(
        self, topic_id: str, message_id: str, text: str, files: Sequence[str], last_seen: str | None
    ) -> None:
        try:
            await self._store_and_post(topic_id, message_id, text, files, last_seen)
        finally:
            self._storing[topic_id] -= 1

    async def _store_and_post(
        self, topic_id: str, message_id: str, text: str, files: Sequence[str], last_seen: str | None
    ) -> None:
        async with self._attaching.turn(topic_id):
            if topic_id in self._deleting or not self._topics.known(topic_id):
                self._refuse_deleted(topic_id, message_id, text, files)
                return
            try:
                body = await self._attaching.stored(topic_id, text, files)
            except NotAttached as error:
                reason = _("Not attached, and so not sent: {reason}").format(reason=error)
                self._tell(PostRefused(topic_id, message_id, text, reason=reason, files=tuple(files)))
                return
        if topic_id in self._deleting or not self._topics.known(topic_id):
            self._refuse_deleted(topic_id, message_id, text, files)
            return
        self.post(topic_id, message_id, body, last_seen)

    def _refuse_deleted(self, topic_id: str, message_id: str, text: str, files: Sequence[str] = ()) -> None:
        reason = _("This topic was deleted. Open another one and send it there.")
        self._tell(PostRefused(topic_id, message_id, text, reason=reason, files=tuple(files)))

    def _sit(self, topic_id: str) -> None:
        if topic_id in self._chairs:
            return
        self._hub.open_room(topic_id)
        connection = self._hub.connect(lambda frame: self._on_answer(topic_id, frame), None, screen=True)
        self._chairs[topic_id] = Chair(connection, {})
        connection.receive(Hello(PROTOCOL, self._person(), topic_id))

    def _on_answer(self, topic_id: str, frame: RoomFrame) -> None:
        if isinstance(frame, PostResult):
            self._on_result(topic_id, frame)
        elif not isinstance(frame, Identity):
            log.warning("the screen got an answer it did not ask for: %s", type(frame).__name__)

    def _on_result(self, topic_id: str, result: PostResult) -> None:
        body = self._chairs[topic_id].waiting.pop(result.message_id, "")
        if result.delivered:
            paused = tuple(f"{each.name}: {reason_words(each.reason)}" for each in result.paused)
            self._tell(PostAccepted(topic_id, result.message_id, tuple(result.notes), paused))
            return
        text, files = self._attaching.taken_apart(topic_id, body)
        missed = tuple(_post_of(item) for item in result.missed)
        reason = _(result.error) if result.error else ""
        self._tell(PostRefused(topic_id, result.message_id, text, missed, result.left_out, reason, files))


def _post_of(item: PostItem) -> Post:
    return Post(
        item.message_id,
        item.speaker,
        item.content,
        item.ts,
        full_name=item.full_name,
        account=item.account,
        from_app=item.from_app,
        to=item.to,
        hue=item.hue,
    )
