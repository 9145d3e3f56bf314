"""The loop guard before the terminals: who gets a post now, who later, and what the person is told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from pullcept.core.loop_guard import DEFAULT_LIMIT, REASON
from pullcept.core.post import Post, Role
from pullcept.core.protocol import Paused
from pullcept.core.screen import DeliveryChanged, ScreenEvent, StatusSaid
from pullcept.core.seat import DeliveryState, Seat
from pullcept.guarded import LIMIT_SETTING, GuardedTyping, limit_of

TOPIC = "t"


@dataclass
class Terminals:
    """Seats whose sessions are `running`, by origin; keeps what each was given."""

    running_now: dict[str, str]
    typed: list[tuple[str, str]] = field(default_factory=list)
    held_notes: int = 0

    def listeners(self, topic_id: str, origin: str) -> Mapping[str, str]:
        return {each: name for each, name in self.running_now.items() if each != origin}

    def running(self, topic_id: str) -> Iterable[object]:
        return [
            SimpleNamespace(launch=SimpleNamespace(origin=each, seat=Seat(each, topic_id))) for each in self.running_now
        ]

    def note_held(self, topic_id: str) -> None:
        self.held_notes += 1

    def type_post(self, topic_id: str, post: Post, origin: str, *, only: frozenset[str]) -> tuple[Paused, ...]:
        self.typed += [(post.message_id, each) for each in self.listeners(topic_id, origin) if each in only]
        return ()


class Room:
    def __init__(self, limit: int = 2) -> None:
        self.seats = Terminals({"a": "Aki", "b": "Bo"})
        self.events: list[ScreenEvent] = []
        self.typing = GuardedTyping(self.seats, self.events.append, lambda topic_id: "Plans", limit)  # type: ignore[arg-type]
        self.number = 0

    def post(self, role: Role = "claude_code", origin: str = "a") -> tuple[Paused, ...]:
        self.number += 1
        return self.typing.type_post(TOPIC, Post(f"m{self.number}", "x", "text", "", role=role), origin)

    def said(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, StatusSaid)]

    def marks(self) -> list[tuple[str, str, DeliveryState, str]]:
        changes = (event for event in self.events if isinstance(event, DeliveryChanged))
        return [(event.message_id, event.seat.account_id, event.state, event.reason) for event in changes]


@pytest.fixture
def room() -> Room:
    """Two posts without a person are typed."""
    return Room()


def test_the_post_after_the_limit_waits_and_everybody_is_told_once(room: Room) -> None:
    assert [room.post(), room.post(), room.post(), room.post()] == [(), (), *[(Paused("Bo", REASON),)] * 2]
    assert room.seats.typed == [("m1", "b"), ("m2", "b")]
    assert room.said() == [f"Typing is paused in “Plans”: {REASON}. Any post of yours lets it go on."]
    assert room.marks() == [("m3", "b", DeliveryState.QUEUED, REASON), ("m4", "b", DeliveryState.QUEUED, REASON)]
    assert room.seats.held_notes == 2


def test_a_post_of_the_person_lets_all_go_on_in_order_with_theirs_behind(room: Room) -> None:
    for _ in range(3):
        room.post()
    room.post("admin", "screen")
    assert room.seats.typed[2:] == [("m3", "b"), ("m4", "a"), ("m4", "b")]
    assert room.said()[-1] == "Typing goes on in this topic."


def test_a_session_that_came_after_a_post_is_not_typed_to_when_it_goes_on(room: Room) -> None:
    for _ in range(3):
        room.post()
    room.seats.running_now = {"a": "Aki", "b-2": "Bo"}
    room.typing.resume(TOPIC)
    assert room.seats.typed == [("m1", "b"), ("m2", "b")]


def test_skipping_drops_the_typing_and_the_pause_stays(room: Room) -> None:
    for _ in range(4):
        room.post()
    room.typing.skip_all(TOPIC)
    assert room.marks()[2:] == [(each, "b", DeliveryState.FAILED, "skipped") for each in ("m3", "m4")]
    assert room.said()[-1].startswith("2 posts are not typed")
    assert room.post() == (Paused("Bo", REASON),)
    room.typing.resume(TOPIC)
    assert room.seats.typed[2:] == [("m5", "b")]


def test_what_is_not_paused_cannot_go_on_and_nothing_can_be_skipped(room: Room) -> None:
    room.typing.resume(TOPIC)
    room.typing.skip_all(TOPIC)
    assert room.said() == ["Typing is not paused in this topic.", "No posts wait in this topic."]


def test_the_limit_is_a_setting_and_nought_switches_it_off() -> None:
    assert limit_of({}) == limit_of({LIMIT_SETTING: "5"}) == limit_of({LIMIT_SETTING: True}) == DEFAULT_LIMIT
    assert limit_of({LIMIT_SETTING: 0}) == 0
    room = Room(limit=0)
    assert all(room.post() == () for _ in range(50))
