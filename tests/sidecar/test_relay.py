"""The bridge's rules, told as a dialogue between a client, the room and the clock."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.relay import (
    CALL_PATIENCE_SECONDS,
    CALL_SECONDS,
    JUMP_SECONDS,
    OFFLINE,
    PATIENCE_SECONDS,
    REPLAY_ID,
    Relay,
)

HELLO: dict[str, Any] = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
READY: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(asked: Any, method: str = "tools/list", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked, "method": method, "params": params}


def call(asked: Any) -> dict[str, Any]:
    return request(asked, "tools/call", name="say_to_room", arguments={"content": "x"})


def answer(asked: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked, **(more or {"result": {}})}


class Scene:
    """Records what the relay asks for; `client`, `room` and `later` are the cues."""

    def __init__(self, *, has_room: bool = True) -> None:
        self.told: list[dict[str, Any]] = []
        self.sent: list[tuple[int, dict[str, Any]]] = []
        self.dials = 0
        self.hang_ups = 0
        self.said: list[str] = []
        self._now = 100.0
        self._wall = 1_000_000.0
        self.relay = Relay(self, has_room=has_room, now=self._now, wall=self._wall)

    def answer(self, line: bytes) -> None:
        self.told.append(json.loads(line))

    def send(self, end: int, line: bytes) -> None:
        self.sent.append((end, json.loads(line)))

    def dial(self) -> None:
        self.dials += 1

    def hang_up(self) -> None:
        self.hang_ups += 1

    def say(self, text: str) -> None:
        self.said.append(text)

    def client(self, *messages: object) -> None:
        for message in messages:
            self.relay.on_line(json.dumps(message).encode())

    def room(self, message: object, end: int = 1) -> None:
        self.relay.on_answer(end, json.dumps(message).encode())

    def later(self, seconds: float, *, wall: float | None = None) -> None:
        """Time goes on, in steps of at most a second as the bridge takes them."""
        self._now += seconds
        steps = max(1, int(seconds)) if wall is None else 1
        for step in range(1, steps + 1):
            passed = (wall if wall is not None else seconds) * step / steps
            self.relay.on_time(self._now - seconds + seconds * step / steps, self._wall + passed)
        self._wall += wall if wall is not None else seconds

    def shake_hands(self, end: int = 1) -> None:
        self.relay.on_up(end)
        self.client(HELLO)
        self.room(answer(0), end)
        self.client(READY)
        self.forget()

    def forget(self) -> None:
        self.told.clear()
        self.sent.clear()
        self.dials = 0


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_messages_pass_both_ways_unchanged(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(request(1))
    scene.room(answer(1, result={"tools": [1]}))
    assert scene.sent == [(1, request(1))]
    assert scene.told == [answer(1, result={"tools": [1]})]


def test_a_request_before_the_connection_waits_for_it(scene: Scene) -> None:
    scene.client(HELLO)
    assert (scene.sent, scene.dials) == ([], 1)
    scene.relay.on_up(1)
    assert scene.sent == [(1, HELLO)]


def test_a_room_that_cannot_be_reached_gives_the_request_to_the_offline_server(scene: Scene) -> None:
    scene.client(HELLO)
    scene.relay.on_failed("closed")
    assert scene.sent == [(OFFLINE, HELLO)]
    scene.room(answer(0), OFFLINE)
    assert scene.told == [answer(0)]
    assert scene.said == ["room not reachable: closed"]


def test_a_reason_is_said_once(scene: Scene) -> None:
    for _ in range(5):
        scene.relay.on_failed("closed")
    assert scene.said == ["room not reachable: closed"]


def test_a_handshake_waits_only_shortly_for_a_connection_that_hangs(scene: Scene) -> None:
    scene.client(HELLO)
    scene.later(PATIENCE_SECONDS + 0.1)
    assert scene.sent == [(OFFLINE, HELLO)]


def test_a_call_waits_longer_than_a_handshake(scene: Scene) -> None:
    scene.client(call(1))
    scene.later(PATIENCE_SECONDS + 0.1)
    assert scene.sent == []
    scene.later(CALL_PATIENCE_SECONDS)
    assert scene.sent == [(OFFLINE, call(1))]


def test_without_a_room_everything_is_offline_at_once() -> None:
    scene = Scene(has_room=False)
    scene.client(HELLO, READY, request(1))
    assert scene.sent == [(OFFLINE, HELLO), (OFFLINE, READY), (OFFLINE, request(1))]


def test_a_new_connection_sees_the_handshake_again_and_its_answer_is_swallowed(scene: Scene) -> None:
    scene.shake_hands()
    scene.relay.on_down(1, "gone")
    scene.relay.on_up(2)
    assert scene.sent == [(2, {**HELLO, "id": REPLAY_ID}), (2, READY)]
    scene.room(answer(REPLAY_ID), 2)
    assert scene.told == []


def test_a_client_of_the_new_era_has_no_handshake_to_be_played_again(scene: Scene) -> None:
    scene.relay.on_up(1)
    scene.client(request(1, "server/discover", _meta={}))
    scene.room(answer(1))
    scene.relay.on_down(1, "gone")
    scene.relay.on_up(2)
    assert [end for end, _ in scene.sent] == [1]


def test_a_handshake_that_was_refused_is_not_played_again(scene: Scene) -> None:
    scene.relay.on_up(1)
    scene.client(HELLO)
    scene.room(answer(0, error={"code": -32022, "message": "another era"}))
    scene.relay.on_down(1, "gone")
    scene.relay.on_up(2)
    assert [end for end, _ in scene.sent] == [1]


def test_the_offline_server_sees_the_handshake_before_its_first_request(scene: Scene) -> None:
    scene.shake_hands()
    scene.relay.on_down(1, "gone")
    scene.client(request(1))
    scene.relay.on_failed("closed")
    assert scene.sent == [(OFFLINE, {**HELLO, "id": REPLAY_ID}), (OFFLINE, READY), (OFFLINE, request(1))]


def test_an_unanswered_call_is_answered_with_the_doubt_and_never_sent_again(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(call(1))
    scene.relay.on_down(1, "gone")
    (told,) = scene.told
    assert told["id"] == 1
    assert told["result"]["isError"]
    assert "may or may not have been made" in told["result"]["content"][0]["text"]
    assert "read_room_history" in told["result"]["content"][0]["text"]
    scene.forget()
    scene.relay.on_up(2)
    assert call(1) not in [message for _, message in scene.sent]


def test_other_unanswered_requests_are_asked_again_but_not_for_ever(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(request(1))
    scene.relay.on_down(1, "gone")
    assert scene.dials == 1
    scene.relay.on_up(2)
    assert (2, request(1)) in scene.sent
    scene.relay.on_down(2, "gone")
    assert (OFFLINE, request(1)) in scene.sent


def test_an_answer_that_comes_from_an_older_connection_after_all_goes_through(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(call(1))
    scene.later(1, wall=JUMP_SECONDS + 5)
    scene.room(answer(1))
    assert scene.told == [answer(1)]
    scene.relay.on_down(1, "gone")
    assert scene.told == [answer(1)]


def test_a_second_answer_to_one_request_is_swallowed(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(call(1))
    scene.room(answer(1))
    scene.room(answer(1))
    scene.room(answer(2))
    assert scene.told == [answer(1)]


@pytest.mark.parametrize("wall", [JUMP_SECONDS + 1, -JUMP_SECONDS - 2, 86_400.0])
def test_after_a_jump_of_the_clock_a_fresh_connection_is_asked_for_before_anything_is_sent(
    scene: Scene, wall: float
) -> None:
    scene.shake_hands()
    scene.later(1, wall=wall)
    scene.client(call(1))
    assert (scene.hang_ups, scene.sent) == (1, [])
    scene.relay.on_down(1, "gone")
    scene.relay.on_up(2)
    assert scene.sent[-1] == (2, call(1))
    assert [message for _, message in scene.sent].count(call(1)) == 1


def test_two_minutes_of_sleep_do_not_make_a_call_late(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(call(1))
    scene._now += 120
    scene.relay.on_time(scene._now, scene._wall + 120)
    assert scene.told == []


def test_a_call_without_an_answer_is_given_up_in_the_end(scene: Scene) -> None:
    scene.shake_hands()
    scene.client(call(1))
    scene.later(CALL_SECONDS - 1)
    assert scene.told == []
    scene.later(2)
    assert "may or may not" in scene.told[0]["result"]["content"][0]["text"]
    scene.room(answer(1))
    assert len(scene.told) == 1


def test_a_cancelled_request_is_forgotten_and_its_end_is_told(scene: Scene) -> None:
    scene.shake_hands()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    scene.client(call(1), cancel)
    assert scene.sent == [(1, call(1)), (1, cancel)]
    scene.relay.on_down(1, "gone")
    assert scene.told == []


def test_a_request_cancelled_while_it_waits_is_never_sent(scene: Scene) -> None:
    scene.client(call(1), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    scene.relay.on_up(1)
    assert scene.sent == []


def test_notices_of_the_room_pass_only_from_the_end_that_serves(scene: Scene) -> None:
    scene.shake_hands()
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    scene.room(note, OFFLINE)
    assert scene.told == []
    scene.room(note, 1)
    assert scene.told == [note]


def test_a_line_of_the_room_that_is_no_message_never_reaches_the_client(scene: Scene) -> None:
    scene.shake_hands()
    for line in (b"warning: something", b"[]", b"[" * 100_000):
        scene.relay.on_answer(1, line)
    assert scene.told == []


def test_a_broken_offline_server_answers_every_request_with_its_reason(scene: Scene) -> None:
    scene.client(HELLO)
    scene.relay.on_failed("closed")
    scene.relay.on_offline_failed("ModuleNotFoundError: mcp")
    scene.client(request(1))
    scene.relay.on_failed("closed")
    assert [told["id"] for told in scene.told] == [0, 1]
    assert "closed" in scene.told[1]["error"]["message"]


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_of_a_client_break_the_rules(lines: list[bytes]) -> None:
    scene = Scene()
    scene.shake_hands()
    for line in lines:
        scene.relay.on_line(line)
    scene.client(request("end"))
    assert scene.sent[-1] == (1, request("end"))


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "method", "params", "requestId", "x"]), inner)
    ),
    max_leaves=8,
)
_message = st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), _value)
_cue = st.tuples(st.sampled_from(["client", "room", "up", "down", "failed", "offline", "second", "jump"]), _message)


@given(st.lists(_cue, max_size=25))
def test_every_request_gets_at_most_one_answer_whatever_happens(cues: list[tuple[str, dict[str, Any]]]) -> None:
    scene = Scene()
    end = 1
    scene.relay.on_up(end)
    asked = 0
    for cue, message in cues:
        if cue == "client":
            scene.client(message, call(f"call-{asked}"))
            asked += 1
        elif cue == "room":
            scene.room({**message, "id": f"call-{max(0, asked - 1)}"}, end)
        elif cue == "up":
            end += 1
            scene.relay.on_up(end)
        elif cue == "down":
            scene.relay.on_down(end, "gone")
        elif cue == "failed":
            scene.relay.on_failed("closed")
        elif cue == "offline":
            scene.room({**message, "id": f"call-{max(0, asked - 1)}"}, OFFLINE)
        else:
            scene.later(1.0, wall=100.0 if cue == "jump" else 1.0)
    told = [each["id"] for each in scene.told if "method" not in each and str(each.get("id")).startswith("call-")]
    assert len(told) == len(set(told))
    sent = [message["id"] for _, message in scene.sent if message.get("method") == "tools/call"]
    own = [each for each in sent if str(each).startswith("call-")]
    assert len(own) == len(set(own))
