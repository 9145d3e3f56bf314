"""Carries out what a room decided, in the order in which it decided it: first the log, then everybody else."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pullcept.core.effects import (
    Effect,
    LogPost,
    Reached,
    ReadHistory,
    ReadUsage,
    Reply,
    RosterChanged,
    ShowPost,
    TypePost,
)
from pullcept.core.item import fit_history, post_item
from pullcept.core.post import Post
from pullcept.core.protocol import (
    HistoryResult,
    Paused,
    PostResult,
    RoomFrame,
    UsageResult,
)
from pullcept.core.seat import Seat

log = logging.getLogger(__name__)


class Outside(Protocol):
    """What lies around the rooms. Every method is called on the loop's thread and returns soon."""

    def append(self, topic_id: str, post: Post) -> bool:
        """Write one post to the log of its topic; False when that failed."""
        ...

    def is_logged(self, topic_id: str, message_id: str) -> bool:
        """Whether the topic's log holds a post with this id."""
        ...

    def show(self, topic_id: str, post: Post, origin: str, logged: bool) -> None:
        """Hand one post to the screen. `origin` is its speaker's roster key."""
        ...

    def type_post(self, topic_id: str, post: Post, origin: str) -> tuple[Paused, ...]:
        """Queue one post for the terminals of the topic; the seats that are not typed to at present."""
        ...

    def reached(self, topic_id: str, origin: str, message_id: str) -> None:
        """A session spoke and had seen this post."""
        ...

    def read_history(self, topic_id: str, limit: int, before: str | None) -> tuple[Sequence[Post], bool]:
        """The newest `limit` posts (before the one with id `before`), oldest first, and whether older ones exist.

        Raises LookupError for an unknown `before`, OSError when the log cannot be read.
        """
        ...

    def usage(self, seat: Seat | None, request_id: str) -> UsageResult:
        """The figures of a seat; None is a connection that has no seat."""
        ...

    def roster_changed(self, topic_id: str) -> None:
        """Somebody joined, left or was renamed."""
        ...


class House(Protocol):
    """What the runner asks of the hub."""

    def send(self, connection: str, frame: RoomFrame) -> None: ...

    def seat_of(self, connection: str) -> Seat | None: ...

    def participant_lines(self, topic_id: str) -> tuple[str, ...]: ...


class Runner:
    """Runs effects. One that fails is logged and does not keep the later ones from being run."""

    def __init__(self, outside: Outside, house: House) -> None:
        self._outside = outside
        self._house = house

    def run(self, effects: Sequence[Effect]) -> None:
        """Run the effects of one decision, in order."""
        fate = _Fate()
        for effect in effects:
            try:
                self._run_one(effect, fate)
            except Exception:
                log.exception("%s could not be carried out", type(effect).__name__)

    def _run_one(self, effect: Effect, fate: "_Fate") -> None:
        match effect:
            case LogPost(topic_id, post):
                fate.logged[post.message_id] = False
                fate.logged[post.message_id] = self._outside.append(topic_id, post)
            case ShowPost(topic_id, post, origin):
                self._outside.show(topic_id, post, origin, fate.logged.get(post.message_id, True))
            case TypePost(topic_id, post, origin):
                fate.paused[post.message_id] = self._outside.type_post(topic_id, post, origin)
            case Reached(topic_id, origin, message_id):
                self._outside.reached(topic_id, origin, message_id)
            case Reply(connection, frame):
                self._house.send(connection, fate.complete(frame))
            case ReadHistory():
                self._house.send(effect.connection, self._history(effect))
            case ReadUsage(connection, request_id):
                self._house.send(connection, self._outside.usage(self._house.seat_of(connection), request_id))
            case RosterChanged(topic_id):
                self._outside.roster_changed(topic_id)

    def _history(self, effect: ReadHistory) -> HistoryResult:
        try:
            posts, has_more = self._outside.read_history(effect.topic_id, effect.limit, effect.before)
        except LookupError:
            return HistoryResult(effect.request_id, error="before: this topic has no post with that id")
        except OSError as error:
            log.warning("history of a topic could not be read: %s", error)
            return HistoryResult(effect.request_id, error="the log of this topic cannot be read at present")
        items = tuple(post_item(post) for post in posts)
        participants = self._house.participant_lines(effect.topic_id)
        return fit_history(HistoryResult(effect.request_id, items, has_more, participants))


class _Fate:
    """What became of the posts of one decision so far."""

    def __init__(self) -> None:
        self.logged: dict[str, bool] = {}
        self.paused: dict[str, tuple[Paused, ...]] = {}

    def complete(self, frame: RoomFrame) -> RoomFrame:
        """The answer with what only the outside could tell."""
        if not isinstance(frame, PostResult) or not frame.delivered:
            return frame
        logged = self.logged.get(frame.message_id, True)
        paused = self.paused.get(frame.message_id, ())
        return frame if logged and not paused else replace(frame, logged=frame.logged and logged, paused=paused)
