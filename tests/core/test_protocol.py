"""Frames: what is written, what is read, and what an error names."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.protocol import (
    MAX_FRAME_BYTES,
    ClientFrame,
    FrameError,
    Hello,
    HistoryFrame,
    HistoryResult,
    Identity,
    Paused,
    PostFrame,
    PostItem,
    PostResult,
    RoomFrame,
    SessionControlFrame,
    SessionListFrame,
    SessionResult,
    SessionStatusFrame,
    UsageFrame,
    UsageResult,
    UsageWindow,
    error_answer,
    frame_text,
    parse_client_frame,
    parse_room_frame,
    protocol_problem,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
IDS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=64)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
HUES = st.none() | st.integers(0, 359)
NUMBERS = st.floats(0, 1e12, allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
CLIENT_FRAMES = st.one_of(
    st.builds(
        Hello,
        protocol=st.none() | st.integers(0, 99),
        name=TEXT,
        room=st.none() | TEXT,
        hue=HUES,
        account_id=st.none() | TEXT,
    ),
    st.builds(
        PostFrame,
        message_id=IDS,
        content=TEXT,
        ts=TEXT.filter(bool),
        to=NAMES,
        last_seen=st.none() | TEXT,
    ),
    st.builds(HistoryFrame, request_id=IDS, limit=st.none() | st.integers(1, 500), before=st.none() | TEXT),
    st.builds(UsageFrame, request_id=IDS),
    st.builds(SessionListFrame, request_id=IDS),
    st.builds(SessionStatusFrame, request_id=IDS, operation_id=IDS),
    st.builds(SessionControlFrame, request_id=IDS, operation=OBJECTS),
)
ITEMS = st.builds(
    PostItem,
    message_id=IDS,
    speaker=TEXT,
    content=TEXT,
    ts=TEXT,
    full_name=st.none() | TEXT,
    hue=HUES,
    account=st.none() | TEXT,
    from_app=st.booleans(),
    to=NAMES,
)
WINDOWS = st.none() | st.builds(
    UsageWindow, used_percentage=NUMBERS, received_at=NUMBERS, resets_at=st.none() | NUMBERS
)
ROOM_FRAMES = st.one_of(
    st.builds(
        PostResult,
        message_id=IDS,
        delivered=st.booleans(),
        missed=st.lists(ITEMS, max_size=3).map(tuple),
        left_out=st.integers(0, 600),
        logged=st.booleans(),
        paused=st.lists(st.builds(Paused, name=TEXT, reason=TEXT), max_size=2).map(tuple),
        notes=NAMES,
        error=st.none(),
    ),
    st.builds(
        HistoryResult,
        request_id=IDS,
        posts=st.lists(ITEMS, max_size=3).map(tuple),
        has_more=st.booleans(),
        participants=NAMES,
        error=st.none(),
    ),
    st.builds(
        UsageResult,
        request_id=IDS,
        five_hour=WINDOWS,
        seven_day=WINDOWS,
        context=WINDOWS,
        received_at=st.none() | NUMBERS,
        error=st.none(),
    ),
    st.builds(SessionResult, request_id=IDS, result=OBJECTS, error=st.none()),
    st.builds(Identity, name=TEXT, full_name=TEXT),
    st.builds(PostResult, message_id=IDS, error=TEXT),
    st.builds(HistoryResult, request_id=IDS, error=TEXT),
    st.builds(UsageResult, request_id=IDS, error=TEXT),
    st.builds(SessionResult, request_id=IDS, error=TEXT),
)


def refused(text: str | bytes) -> FrameError:
    with pytest.raises(FrameError) as caught:
        parse_client_frame(text)
    return caught.value


def post_text(**changes: Any) -> str:
    found = {"type": "post", "message_id": "m1", "content": "hi", "ts": "t", **changes}
    return json.dumps({key: value for key, value in found.items() if value is not ...})


@given(CLIENT_FRAMES)
def test_a_client_frame_reads_back_as_it_was_written(frame: ClientFrame) -> None:
    text = frame_text(frame)
    assert parse_client_frame(text) == frame
    assert parse_client_frame(text.encode()) == frame
    assert parse_room_frame(text) is None


@given(ROOM_FRAMES)
def test_a_room_frame_reads_back_as_it_was_written(frame: RoomFrame) -> None:
    text = frame_text(frame)
    assert parse_room_frame(text) == frame
    assert parse_client_frame(text) is None


def has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(has_null(part) for part in value.values())
    return value is None or (isinstance(value, list) and any(has_null(part) for part in value))


@given(ROOM_FRAMES.filter(lambda frame: not isinstance(frame, SessionResult)))
def test_absent_options_are_left_out_and_never_null(frame: RoomFrame) -> None:
    assert not has_null(json.loads(frame_text(frame)))


def test_answers_say_what_is_unusual_only() -> None:
    plain = json.loads(frame_text(PostResult("m1", delivered=True)))
    assert plain == {"type": "post_result", "message_id": "m1", "delivered": True, "missed": []}
    unusual = PostResult("m1", delivered=True, logged=False, paused=(Paused("Lin", "limit"),), notes=("n",))
    assert json.loads(frame_text(unusual)) == {
        **plain,
        "logged": False,
        "paused": [{"name": "Lin", "reason": "limit"}],
        "notes": ["n"],
    }
    assert json.loads(frame_text(PostResult("m1", error="why"))) == {
        "type": "post_result",
        "message_id": "m1",
        "error": "why",
    }


def test_unknown_types_and_keys_are_ignored() -> None:
    assert parse_client_frame('{"type":"dance","with":[1]}') is None
    assert parse_room_frame('{"type":"post"}') is None
    assert parse_client_frame(post_text(speaker="Owner", role="admin", new=None)) == PostFrame("m1", "hi", "t")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"content": ...}, "content"),
        ({"content": None}, "content"),
        ({"ts": ...}, "ts"),
        ({"ts": 1796024400}, "ts"),
        ({"ts": "2" * 65}, "ts"),
        ({"to": "Lin"}, "to"),
        ({"to": ["Lin", 1]}, "to"),
        ({"to": None}, "to"),
        ({"last_seen": 5}, "last_seen"),
        ({"last_seen": None}, "last_seen"),
        ({"message_id": "two words"}, "message_id"),
        ({"message_id": "m" * 65}, "message_id"),
        ({"message_id": "é"}, "message_id"),
    ],
)
def test_a_wrong_key_of_a_post_is_named_in_its_answer(changes: dict[str, Any], key: str) -> None:
    wrong = refused(post_text(**changes))
    assert wrong.key == key
    assert isinstance(wrong.answer, PostResult)
    assert wrong.answer.message_id == changes.get("message_id", "m1")
    assert wrong.answer.error is not None
    assert wrong.answer.error.startswith(f"{key}: ")


@pytest.mark.parametrize("message_id", [..., None, 7, ["m1"], "", "m" * 300])
def test_a_post_whose_id_cannot_be_read_gets_no_answer(message_id: Any) -> None:
    wrong = refused(post_text(message_id=message_id))
    assert (wrong.key, wrong.answer) == ("message_id", None)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"type":"history","request_id":"r","limit":"ten"}', HistoryResult),
        ('{"type":"history","request_id":"r","limit":0}', HistoryResult),
        ('{"type":"history","request_id":"r","limit":true}', HistoryResult),
        ('{"type":"history","request_id":"r","before":1}', HistoryResult),
        ('{"type":"session_status","request_id":"r"}', SessionResult),
        ('{"type":"session_control","request_id":"r","operation":[]}', SessionResult),
        ('{"type":"session_control","request_id":"r","operation":{"a":' + "[" * 90 + "]" * 90 + "}}", SessionResult),
        ('{"type":"session_control","request_id":"r","operation":{"a":[' + "[1]," * 9_000 + "1]}}", SessionResult),
    ],
)
def test_a_wrong_request_is_answered_with_its_own_kind_of_frame(text: str, answer: type) -> None:
    assert isinstance(refused(text).answer, answer)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"hello"}',
        '{"type":"hello","name":5}',
        '{"type":"hello","name":"a","protocol":"11"}',
        '{"type":"hello","name":"a","protocol":true}',
        '{"type":"hello","name":"a","hue":1e999}',
        '{"type":"hello","name":"a","hue":' + "9" * 400 + "}",
        '{"type":"hello","name":"a","hue":true}',
        '{"type":"usage"}',
        '{"type":"usage","request_id":7}',
        '{"type":["post"]}',
        "{}",
        "[]",
        "null",
        "",
        "{",
        "NaN",
        '{"type":NaN}',
        b"\xff",
        "[" * 100_000,
        '{"type":' * 100_000,
        '{"type":"post","content":' + "9" * 5000 + "}",
        "\ufeff{}",
    ],
)
def test_what_cannot_be_read_and_has_no_answer_is_still_a_frame_error(text: str | bytes) -> None:
    assert refused(text).answer is None


def test_a_hue_is_turned_into_a_whole_degree() -> None:
    assert parse_client_frame('{"type":"hello","name":"a","hue":370.4}') == Hello(None, "a", None, hue=10)


def test_a_frame_over_the_transport_limit_is_refused_unread() -> None:
    assert "too large" in str(refused(" " * (MAX_FRAME_BYTES + 1)))


def test_lone_surrogates_from_a_client_are_replaced_at_the_door() -> None:
    frame = parse_client_frame(r'{"type":"post","message_id":"m1","content":"\ud83d","ts":"\ude80","to":["\udc00"]}')
    assert frame == PostFrame("m1", "\ufffd", "\ufffd", ("\ufffd",))
    split = parse_client_frame(r'{"type":"post","message_id":"m1","content":"\ud83d\ude80","ts":"t"}')
    assert split == PostFrame("m1", "🚀", "t")


def test_a_written_frame_always_encodes() -> None:
    assert frame_text(PostFrame("m1", "\ud83d", "t")).encode()
    assert frame_text(SessionResult("r", {"\udc00": "\ud83d"})).encode()


KEYS = st.sampled_from(
    [*("type", "message_id", "content", "ts", "to", "last_seen", "request_id", "limit", "name", "protocol", "hue")]
)
TYPES = st.sampled_from(
    [
        *("hello", "post", "history", "usage", "session_list", "session_status", "session_control"),
        *("post_result", "history_result", "usage_result", "session_result", "identity"),
    ]
)
ODD = JSON | st.floats() | st.text(st.characters(categories=None), max_size=5)


@given(st.dictionaries(KEYS, ODD, max_size=6), TYPES)
def test_any_object_is_a_frame_nothing_or_a_frame_error(found: dict[str, Any], kind: str) -> None:
    text = json.dumps({**found, "type": kind})
    for parse in (parse_client_frame, parse_room_frame):
        answer: ClientFrame | RoomFrame | None
        try:
            answer = parse(text)
        except FrameError as wrong:
            answer = wrong.answer
        if answer is not None:
            again = frame_text(answer)
            assert again.encode()
            assert answer in (parse_room_frame(again), parse_client_frame(again))


@given(st.binary(max_size=100) | st.text(st.characters(categories=None), max_size=100))
def test_any_bytes_are_nothing_or_a_frame_error(text: str | bytes) -> None:
    for parse in (parse_client_frame, parse_room_frame):
        try:
            parse(text)
        except FrameError:
            pass


@given(CLIENT_FRAMES)
def test_every_request_has_an_error_answer_that_pairs(frame: ClientFrame) -> None:
    answer = error_answer(frame, "why")
    if isinstance(frame, Hello):
        assert answer is None
        return
    assert answer is not None
    written = json.loads(frame_text(answer))
    key = "message_id" if isinstance(frame, PostFrame) else "request_id"
    assert written.keys() == {"type", key, "error"}
    assert written[key] == getattr(frame, key)


def test_protocols_from_9_are_served_and_lower_or_missing_ones_are_not() -> None:
    assert [number for number in range(13) if protocol_problem(number) is None] == [9, 10, 11, 12]
    assert protocol_problem(None) is not None
