"""Who sits where, what they are told, and in which order a post becomes known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pullcept.core.post import Post
from pullcept.core.protocol import (
    PROTOCOL,
    Hello,
    HistoryFrame,
    HistoryResult,
    Identity,
    Paused,
    PostFrame,
    PostResult,
    RoomFrame,
    SessionListFrame,
    SessionResult,
    UsageFrame,
    UsageResult,
)
from pullcept.core.room import Door
from pullcept.host.hub import SCREEN_ORIGIN, Connection, Hub
from tests.host.live_host import TOPIC, RecordingOutside, launch_of

TS = "2026-11-30T00:00:00Z"


class Table:
    """A hub with an open room, and members that remember what they heard."""

    def __init__(self) -> None:
        self.outside = RecordingOutside()
        self.hub = Hub(self.outside, person=lambda: Door("admin", "acc-person", "Person"))
        self.hub.open_room(TOPIC)
        self.heard: dict[str, list[RoomFrame]] = {}

    def member(self, name: str, hello: Hello | None = None, **door: Any) -> Connection:
        heard = self.heard.setdefault(name, [])
        connection = self.hub.connect(heard.append, **door)
        connection.receive(hello or Hello(PROTOCOL, name, TOPIC))
        return connection

    def post(self, member: Connection, message_id: str, content: str = "hi", last_seen: str | None = None) -> None:
        member.receive(PostFrame(message_id, content, TS, last_seen=last_seen))

    def last(self, name: str) -> RoomFrame:
        return self.heard[name][-1]


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_post_is_logged_shown_and_typed_before_its_author_hears_of_it(table: Table) -> None:
    guest = table.member("Guest")
    table.heard["Guest"].clear()
    table.post(guest, "m-1")
    assert table.outside.did == [("log", "m-1"), ("show", "m-1"), ("type", "m-1")]
    assert table.last("Guest") == PostResult("m-1", delivered=True)


def test_a_post_that_cannot_be_logged_is_delivered_and_says_so_to_author_and_screen(table: Table) -> None:
    table.outside.disk_full = True
    table.post(table.member("Guest"), "m-1")
    assert table.last("Guest") == PostResult("m-1", delivered=True, logged=False)
    assert [logged for _, logged in table.outside.shown] == [False]


@pytest.mark.expects_logged_errors
def test_a_screen_that_fails_keeps_neither_the_terminals_nor_the_author_waiting(table: Table) -> None:
    table.outside.screen_broken = True
    table.post(table.member("Guest"), "m-1")
    assert ("type", "m-1") in table.outside.did
    assert table.last("Guest") == PostResult("m-1", delivered=True)


def test_the_author_is_told_who_is_not_typed_to_at_present(table: Table) -> None:
    table.outside.paused = (Paused("Cody", "unsent text"),)
    table.post(table.member("Guest"), "m-1")
    assert table.last("Guest") == PostResult("m-1", delivered=True, paused=(Paused("Cody", "unsent text"),))


def test_a_session_speaks_with_the_name_and_role_of_its_launch_whatever_it_says(table: Table) -> None:
    launch = launch_of()
    seat = table.member("session", Hello(PROTOCOL, "Person", TOPIC, hue=300, account_id="acc-person"), launch=launch)
    table.post(seat, "m-1")
    post = table.outside.logs[TOPIC][0]
    assert (post.speaker, post.role, post.account, post.hue) == ("Cody", "claude_code", "acc-1", 10)
    assert table.heard["session"][0] == Identity("Cody", "Cody")


def test_the_person_at_the_screen_is_the_only_admin(table: Table) -> None:
    screen = table.member("screen", Hello(PROTOCOL, "anything", TOPIC), screen=True)
    table.post(screen, "m-1")
    post = table.outside.logs[TOPIC][0]
    assert (post.speaker, post.role, post.account) == ("Person", "admin", "acc-person")
    assert [member.origin for member in table.hub.participants(TOPIC)] == [SCREEN_ORIGIN]


def test_a_name_cannot_pose_as_a_role_or_as_another_participant(table: Table) -> None:
    table.member("screen", Hello(PROTOCOL, "anything", TOPIC), screen=True)
    table.member("guest", Hello(PROTOCOL, 'Mio" (admin, connected); "X', TOPIC))
    assert table.hub.participant_lines(TOPIC) == (
        '"Person" (admin, connected)',
        '"Mio\\" (admin, connected); \\"X" (guest, connected)',
    )


def test_a_session_may_not_sit_in_the_room_of_another_topic(table: Table) -> None:
    table.hub.open_room("topic-2")
    seat = table.member("session", Hello(PROTOCOL, "Cody", "topic-2"), launch=launch_of())
    table.post(seat, "m-1")
    answer = table.last("session")
    assert isinstance(answer, PostResult)
    assert answer.error is not None
    assert "another room" in answer.error


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        (None, "say hello first"),
        (Hello(None, "G", TOPIC), "protocol"),
        (Hello(8, "G", TOPIC), "protocol 8"),
        (Hello(11, "G", None), "no room"),
        (Hello(11, "G", "elsewhere"), "'elsewhere'"),
        (Hello(11, "x" * 65, TOPIC), "name"),
    ],
)
def test_who_sits_nowhere_is_told_why_on_every_request(table: Table, hello: Hello | None, reason: str) -> None:
    heard: list[RoomFrame] = []
    connection = table.hub.connect(heard.append)
    if hello is not None:
        connection.receive(hello)
    requests = (PostFrame("m-1", "hi", TS), HistoryFrame("r-1"), UsageFrame("r-2"), SessionListFrame("r-3"))
    for request in requests:
        connection.receive(request)
    assert [type(answer) for answer in heard] == [PostResult, HistoryResult, UsageResult, SessionResult]
    told = [str(answer.error) for answer in heard if not isinstance(answer, Identity)]
    assert all(reason in text for text in told[:3])
    assert table.outside.did == []


def test_a_hello_that_cannot_be_read_is_named_in_the_next_answer(table: Table) -> None:
    heard: list[RoomFrame] = []
    connection = table.hub.connect(heard.append)
    connection.receive_text(json.dumps({"type": "hello", "protocol": 11, "room": TOPIC}))
    connection.receive_text(json.dumps({"type": "usage", "request_id": "r"}))
    answer = heard[0]
    assert isinstance(answer, UsageResult)
    assert "name: is missing" in str(answer.error)


def test_of_two_bad_hellos_the_later_one_is_named_too(table: Table) -> None:
    heard: list[RoomFrame] = []
    connection = table.hub.connect(heard.append)
    for room in ("nowhere", None, 1):
        connection.receive_text(json.dumps({"type": "hello", "protocol": 11, "name": "X", "room": room}))
    connection.receive_text(json.dumps({"type": "usage", "request_id": "r"}))
    answer = heard[0]
    assert isinstance(answer, UsageResult)
    assert answer.error == "there is no open room 'nowhere' (its last frame could not be read: room: expected text)"


@pytest.mark.parametrize("protocol", [9, 10, 11, 12, 10**30])
def test_older_spellings_of_the_protocol_and_newer_ones_are_served(table: Table, protocol: int) -> None:
    table.post(table.member("Guest", Hello(protocol, "Guest", TOPIC)), "m-1")
    assert table.last("Guest") == PostResult("m-1", delivered=True)


def test_after_a_refused_hello_a_better_one_is_taken(table: Table) -> None:
    guest = table.member("Guest", Hello(11, "Guest", "elsewhere"))
    guest.receive(Hello(11, "x" * 65, TOPIC))
    guest.receive(Hello(11, "Guest", TOPIC))
    table.post(guest, "m-1")
    assert table.last("Guest") == PostResult("m-1", delivered=True)


def test_a_second_hello_changes_the_name_and_never_the_room(table: Table) -> None:
    table.hub.open_room("topic-2")
    guest = table.member("Guest")
    guest.receive(Hello(11, "Renamed", "topic-2"))
    table.post(guest, "m-1")
    assert [post.speaker for post in table.outside.logs[TOPIC]] == ["Renamed"]


def test_a_dropped_room_tells_its_members_why(table: Table) -> None:
    guest = table.member("Guest")
    table.hub.drop_room(TOPIC, "the topic was deleted")
    table.post(guest, "m-1")
    assert table.last("Guest") == PostResult("m-1", error="the topic was deleted")
    guest.close()


def test_a_notice_of_the_app_is_never_refused_and_has_its_own_role(table: Table) -> None:
    table.post(table.member("Guest"), "m-1")
    table.hub.notice(TOPIC, "All is well (no reply needed)")
    notice: Post = table.outside.logs[TOPIC][1]
    assert (notice.speaker, notice.role, notice.from_app) == ("Pullcept (automatic)", "app", True)


def test_a_renamed_account_speaks_under_its_new_name_at_once(table: Table) -> None:
    seat = table.member("session", launch=launch_of())
    table.hub.rename("acc-1", "Nick", "Cody", 20)
    assert table.last("session") == Identity("Nick", "Cody")
    table.post(seat, "m-1")
    seat.receive(Hello(PROTOCOL, "Cody", TOPIC))
    table.post(seat, "m-2")
    assert [(post.speaker, post.full_name) for post in table.outside.logs[TOPIC]] == [("Nick", "Cody")] * 2


def test_a_session_that_reconnects_keeps_its_place_on_the_floor(table: Table) -> None:
    launch = launch_of()
    table.member("session", launch=launch).close()
    table.post(table.member("Guest"), "m-1")
    table.post(table.member("session", launch=launch), "m-2")
    answer = table.last("session")
    assert isinstance(answer, PostResult)
    assert [item.message_id for item in answer.missed] == ["m-1"]
    assert [member.name for member in table.hub.participants(TOPIC)] == ["Cody", "Guest"]


def test_a_closed_connection_is_neither_heard_nor_told_anything(table: Table) -> None:
    guest = table.member("Guest")
    guest.close()
    guest.close()
    table.post(guest, "m-1")
    assert table.outside.did == []
    assert table.heard["Guest"] == []


def test_an_ended_launch_leaves_no_place_behind(table: Table) -> None:
    launch = launch_of()
    seat = table.member("session", launch=launch)
    table.hub.dismiss(TOPIC, launch.origin)
    assert table.hub.participants(TOPIC) == ()
    table.post(seat, "m-1")
    assert isinstance(table.last("session"), PostResult)
    assert table.outside.logs == {}


def test_figures_are_asked_for_the_seat_of_the_launch(table: Table) -> None:
    launch = launch_of()
    seat = table.member("session", launch=launch)
    seat.receive(UsageFrame("r"))
    assert table.outside.usage_asked == [launch.seat]
    assert table.last("session") == UsageResult("r")


def test_a_post_said_twice_is_logged_once_and_answered_alike(table: Table) -> None:
    guest = table.member("Guest")
    table.post(guest, "m-1")
    table.post(guest, "m-1", "something else")
    assert len(table.outside.logs[TOPIC]) == 1
    assert table.heard["Guest"][-2:] == [PostResult("m-1", delivered=True)] * 2


@pytest.mark.expects_logged_errors
def test_a_log_that_cannot_be_looked_into_is_answered_and_not_raised(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(outside: RecordingOutside, topic_id: str, message_id: str) -> bool:
        raise OSError("the folder is gone")

    monkeypatch.setattr(RecordingOutside, "is_logged", fail)
    table.hub.open_room("topic-2")
    guest = table.member("Guest", Hello(11, "Guest", "topic-2"))
    table.post(guest, "m-1")
    answer = table.last("Guest")
    assert isinstance(answer, PostResult)
    assert answer.error
