"""At most one prompt in the CLI's own queue."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.cli_queue import (
    AFTER_RECEIPT,
    IDLE_CLEARS,
    ClaudeQueue,
    CodexQueue,
    TranscriptNews,
    parse_transcript_line,
    parse_user_message,
)


def after(*operations: str, now: float = 10.0) -> ClaudeQueue:
    queue = ClaudeQueue()
    for operation in operations:
        queue.on_operation(operation, now)
    return queue


def test_an_untouched_queue_is_free() -> None:
    assert ClaudeQueue().is_free(0.0)
    assert CodexQueue().is_free(0.0)


def test_after_a_receipt_the_queue_lines_are_given_a_moment() -> None:
    queue = ClaudeQueue()
    queue.on_receipt(10.0)
    assert not queue.is_free(10.2)
    assert queue.free_at(10.2) == 10.0 + AFTER_RECEIPT
    assert queue.is_free(10.0 + AFTER_RECEIPT)


@pytest.mark.parametrize(
    ("operations", "is_free"),
    [
        (["enqueue"], False),
        (["enqueue", "dequeue"], True),
        (["enqueue", "remove"], True),
        (["enqueue", "enqueue", "dequeue"], False),
        (["enqueue", "enqueue", "popAll"], True),
        (["dequeue", "enqueue"], False),
        (["enqueue", "somethingNew"], False),
    ],
)
def test_the_queue_is_free_when_its_lines_balance(operations: list[str], is_free: bool) -> None:
    assert after(*operations).is_free(99.0) is is_free


def test_only_news_frees_a_queue_while_the_cli_is_busy() -> None:
    queue = after("enqueue")
    assert queue.free_at(1e6) is None


def test_a_lost_line_does_not_hold_for_ever_once_the_cli_is_idle() -> None:
    queue = after("enqueue")
    queue.on_turn(is_idle=True, now=20.0)
    assert not queue.is_free(20.0 + IDLE_CLEARS - 0.1)
    assert queue.is_free(20.0 + IDLE_CLEARS)
    queue.on_operation("enqueue", 40.0)
    assert not queue.is_free(45.0)
    queue.on_receipt(46.0)
    assert queue.free_at(1e6) is None


@given(st.lists(st.sampled_from(["enqueue", "dequeue", "remove", "popAll"]), max_size=40))
def test_a_queue_that_was_emptied_counts_anew(operations: list[str]) -> None:
    queue = after(*operations, "popAll")
    assert queue.is_free(99.0)
    queue.on_operation("enqueue", 99.0)
    assert not queue.is_free(200.0)
    queue.on_operation("dequeue", 200.0)
    assert queue.is_free(201.0)


def busy_codex() -> CodexQueue:
    queue = CodexQueue()
    queue.on_turn(is_idle=False, now=1.0)
    return queue


def test_codex_rests_a_moment_after_each_prompt_it_took() -> None:
    queue = busy_codex()
    queue.on_taken(is_post=True, now=10.0)
    assert not queue.is_free(10.1)
    assert queue.is_free(10.0 + AFTER_RECEIPT)


def test_a_line_sent_into_a_running_turn_of_codex_holds_until_codex_took_it() -> None:
    queue = busy_codex()
    queue.on_line("and this?", 5.0)
    queue.on_taken(is_post=True, now=6.0)
    assert queue.free_at(1e6) is None
    queue.on_taken(is_post=False, now=10.0)
    assert queue.free_at(10.0) == 10.0 + AFTER_RECEIPT


@pytest.mark.parametrize("text", ["", "/status", "!ls"])
def test_what_codex_does_at_once_holds_nothing(text: str) -> None:
    queue = busy_codex()
    queue.on_line(text, 5.0)
    assert queue.is_free(5.0)


def test_an_idle_codex_takes_a_line_at_once() -> None:
    queue = CodexQueue()
    queue.on_line("hello", 5.0)
    assert queue.is_free(5.0)


def test_a_line_that_an_idle_codex_never_told_of_does_not_hold_for_ever() -> None:
    queue = busy_codex()
    queue.on_line("lost", 5.0)
    queue.on_turn(is_idle=True, now=20.0)
    assert not queue.is_free(20.0 + IDLE_CLEARS - 0.1)
    assert queue.is_free(20.0 + IDLE_CLEARS)


# --- lines ----------------------------------------------------------------------------------------------------------


def line(**row: object) -> str:
    return json.dumps(row)


def test_queue_operations_are_read_from_the_transcript() -> None:
    row = line(type="queue-operation", operation="enqueue", content="text", sessionId="s")
    assert parse_transcript_line(row) == TranscriptNews("enqueue")
    assert parse_transcript_line(row.encode()) == TranscriptNews("enqueue")


@pytest.mark.parametrize(
    "content",
    ["[Request interrupted by user]", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]],
)
def test_an_interrupted_turn_is_read_from_the_transcript(content: object) -> None:
    row = line(type="user", message={"role": "user", "content": content})
    assert parse_transcript_line(row) == TranscriptNews(interrupted=True)


@pytest.mark.parametrize(
    "row",
    [
        line(type="user", message={"role": "user", "content": 'said "[Request interrupted by user"'}),
        line(type="user", isSidechain=True, message={"role": "user", "content": "[Request interrupted by user]"}),
        line(type="assistant", message={"content": "[Request interrupted by user]"}),
        line(type="user", message={"content": "about queue-operation"}),
        line(type="queue-operation", operation=5),
        line(type="user", message="queue-operation"),
        '{"type":"queue-operation","operation":"enq',
        '["queue-operation"]',
        "[" * 100_000 + "queue-operation",
        "",
    ],
)
def test_other_lines_of_a_transcript_tell_nothing(row: str) -> None:
    assert parse_transcript_line(row) is None


def rollout(text: object = "hello", *, item: str = "UserMessage", event: str = "item_completed") -> str:
    content = [{"type": "text", "text": text, "text_elements": []}]
    return line(type="event_msg", payload={"type": event, "item": {"type": item, "id": "1", "content": content}})


def test_user_messages_are_read_from_the_rollout() -> None:
    assert parse_user_message(rollout("[pullcept] 日本語")) == "[pullcept] 日本語"


@pytest.mark.parametrize(
    "row",
    [
        rollout(item="AgentMessage"),
        rollout("UserMessage", item="AgentMessage"),
        rollout(event="item_started"),
        line(type="response_item", payload={"item": {"type": "UserMessage"}}),
        line(type="event_msg", payload="UserMessage"),
        line(type="event_msg", payload={"type": "item_completed", "item": "UserMessage"}),
        '{"UserMessage',
        "",
    ],
)
def test_other_lines_of_a_rollout_tell_nothing(row: str) -> None:
    assert parse_user_message(row) is None


@pytest.mark.parametrize(
    "content", [None, 5, [], [5, {"type": "image"}, {"type": "text"}, {"type": "text", "text": 5}]]
)
def test_a_user_message_without_text_is_empty(content: object) -> None:
    row = line(
        type="event_msg", payload={"type": "item_completed", "item": {"type": "UserMessage", "content": content}}
    )
    assert parse_user_message(row) == ""
