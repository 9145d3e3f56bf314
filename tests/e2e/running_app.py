"""The whole app on a data folder of its own, driven as a screen drives it, with real programs in its seats."""

import contextlib
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pullcept.app import App
from pullcept.core.account import Account
from pullcept.core.post import Post
from pullcept.core.screen import PostAccepted, PostRefused, RowAdded, ScreenEvent, SeatChanged, StatusSaid, TopicOpened
from pullcept.core.seat import Seat, SeatState
from pullcept.store.folder import DataFolder

LIMIT = 40.0
PERSON = Account("person", "Mio", "admin", hue=200)


@dataclass
class Recording:
    """The bytes that went into one terminal and came out of it."""

    into: bytearray = field(default_factory=bytearray)
    out: bytearray = field(default_factory=bytearray)

    def typed(self, data: bytes) -> None:
        self.into += data

    def printed(self, data: bytes) -> None:
        self.out += data


class RunningApp:
    """A running app. Every wait has a limit and says what was seen instead."""

    def __init__(
        self, root: Path, accounts: Sequence[Account], *, data: str = "data", path: str = os.environ["PATH"]
    ) -> None:
        self.folder = DataFolder(root / data)
        self.events: list[ScreenEvent] = []
        self.recordings: dict[Seat, Recording] = {}
        self.topic_id = ""
        self.queue: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
        home = root / "app-home"
        home.mkdir(exist_ok=True)
        self.app = App(
            self.folder,
            self.queue,
            environment={"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"},
            accounts=(PERSON, *accounts),
            recorder=self._record,
        )

    def __enter__(self) -> Self:
        self.app.__enter__()
        opened = self.wait_for(lambda event: isinstance(event, TopicOpened), "a topic on screen")
        assert isinstance(opened, TopicOpened)
        self.topic_id = opened.topic_id
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.app.__exit__(kind, error, at)

    def _record(self, seat: Seat, name: str) -> Recording:
        return self.recordings.setdefault(seat, Recording())

    # -- what the person does ------------------------------------------------

    def seat(self, account: Account) -> Seat:
        return Seat(account.id, self.topic_id)

    def open(self, topic_id: str) -> TopicOpened:
        """Bring an earlier topic on screen."""
        before = len(self.events)
        self.topic_id = topic_id
        self.app.open_topic(topic_id)
        opened = self.wait_for(
            lambda event: isinstance(event, TopicOpened) and event.topic_id == topic_id, "the topic", before
        )
        assert isinstance(opened, TopicOpened)
        return opened

    def start(self, *accounts: Account) -> None:
        """Press start on each, and wait until all of them sit in the room."""
        before = self._now()
        for account in accounts:
            self.app.start(self.seat(account), 120, 40)
        for account in accounts:
            self.wait_for_state(account, SeatState.RUNNING, since=before)

    def stop(self, account: Account) -> None:
        """Stop a seat and wait for its end."""
        before = self._now()
        self.app.stop(self.seat(account))
        self.wait_for_state(account, SeatState.ENDED, since=before)

    def say(self, text: str) -> Post:
        """Say something as the person, having seen everything; the row it became."""
        message_id = self.app.post(self.topic_id, text, self.rows()[-1].message_id if self.rows() else None)
        outcome = self.wait_for(
            lambda event: isinstance(event, PostAccepted | PostRefused) and event.message_id == message_id, "an answer"
        )
        assert isinstance(outcome, PostAccepted), outcome
        return next(row for row in self.rows() if row.message_id == message_id)

    @staticmethod
    def unused_queue() -> "queue.SimpleQueue[ScreenEvent]":
        """Somewhere for events that nobody reads."""
        return queue.SimpleQueue()

    # -- what is seen --------------------------------------------------------

    def rows(self) -> list[Post]:
        """Every row this screen has been shown in this run, in order."""
        self._drain()
        return [event.post for event in self.events if isinstance(event, RowAdded)]

    def status_lines(self) -> list[str]:
        self._drain()
        return [event.text for event in self.events if isinstance(event, StatusSaid)]

    def log(self) -> list[dict[str, Any]]:
        """The rows of the topic's log file."""
        lines = self.folder.log_path(self.topic_id).read_bytes().splitlines()
        return [json.loads(line) for line in lines]

    def wait_for_row(self, speaker: str, text: str = "") -> Post:
        event = self.wait_for(
            lambda event: isinstance(event, RowAdded) and event.post.speaker == speaker and text in event.post.content,
            f"a row of {speaker} with {text!r}",
        )
        assert isinstance(event, RowAdded)
        return event.post

    def wait_for_state(self, account: Account, state: SeatState, since: int = 0) -> None:
        seat = self.seat(account)

        began = state is not SeatState.RUNNING

        def reached(event: ScreenEvent) -> bool:
            nonlocal began
            if not isinstance(event, SeatChanged) or event.view.seat != seat:
                return False
            seen = event.view.state
            # The end of an earlier session may still be told after the next one was asked for.
            began = began or seen is SeatState.STARTING
            failed = seen is SeatState.FAILED or (seen is SeatState.ENDED and began)
            assert seen is state or not failed, (event.view, self._terminal_text(seat))
            return seen is state

        self.wait_for(reached, f"{account.name} {state}", since)

    def wait_for(self, wanted: Callable[[ScreenEvent], bool], what: str, since: int = 0) -> ScreenEvent:
        """The first event that fits, past ones from number `since` on included."""
        end = time.monotonic() + LIMIT
        at = since
        while True:
            for event in self.events[at:]:
                if wanted(event):
                    return event
            at = max(at, len(self.events))
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not seen in {LIMIT} s: {what}\n{self._terminals()}\n{self.events[-12:]}")
            self._drain(left)

    def typed_into(self, account: Account) -> str:
        """Everything that was typed into the terminal of a seat."""
        return bytes(self.recordings[self.seat(account)].into).decode("utf-8")

    def wait_for_typed(self, account: Account, text: str) -> str:
        """What was typed into a terminal, once it holds `text`."""
        end = time.monotonic() + LIMIT
        pause = threading.Event()
        while text not in (typed := self.typed_into(account)):
            assert time.monotonic() < end, f"not typed into {account.name}: {text!r}\n{self._terminals()}"
            pause.wait(0.05)
        return typed

    def _now(self) -> int:
        """How many events there were up to now."""
        self._drain()
        return len(self.events)

    def _drain(self, limit: float = 0.0) -> None:
        """Take everything the app has told, waiting at most `limit` s for the first event."""
        with contextlib.suppress(queue.Empty):
            self.events.append(self.queue.get(timeout=limit) if limit else self.queue.get_nowait())
            while True:
                self.events.append(self.queue.get_nowait())

    def _terminals(self) -> str:
        return "\n".join(f"{seat.account_id}: {self._terminal_text(seat)}" for seat in self.recordings)

    def _terminal_text(self, seat: Seat) -> str:
        recording = self.recordings.get(seat)
        return bytes(recording.out[-1500:]).decode("utf-8", "replace") if recording else ""
