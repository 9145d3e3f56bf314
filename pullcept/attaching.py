"""Sending a post with files: they are stored first, off the room's thread, and only then the post is made."""

import asyncio
from collections.abc import Sequence

from pullcept.core.attachment import head_for, split_attachments, with_attachments
from pullcept.store.attachments import NotAttached
from pullcept.topics import Topics
from pullcept.ui.texts import language_in_use


class Attaching:
    """Stores the files of one post after the other, topic by topic. Lives on the asyncio thread.

    Who holds `turn(topic_id)` has the topic's attachment folder alone: nothing is stored in a topic being deleted.
    """

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._turns: dict[str, asyncio.Lock] = {}

    def turn(self, topic_id: str) -> asyncio.Lock:
        """The topic's turn, given in the order in which it was asked for."""
        return self._turns.setdefault(topic_id, asyncio.Lock())

    async def stored(self, topic_id: str, text: str, files: Sequence[str]) -> str:
        """The body of the post, its files stored. Raises `NotAttached`; nothing was stored then."""
        paths = await asyncio.to_thread(self._topics.store_files, topic_id, files)
        try:
            return with_attachments(text, paths, head_for(language_in_use() == "ja"))
        except ValueError as error:
            raise NotAttached(f"{self._topics.attachments_folder(topic_id)}: {error}") from error

    def taken_apart(self, topic_id: str, body: str) -> tuple[str, tuple[str, ...]]:
        """Text and files of a body that was made by `stored`; any other body is all text."""
        text, paths = split_attachments(body)
        if paths and all(self._topics.find_attachment(topic_id, path) for path in paths):
            return text, paths
        return body, ()
