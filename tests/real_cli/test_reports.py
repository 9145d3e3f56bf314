"""What real CLIs report to their seats: hooks, our status line with its time, and the files they write."""

import json
import threading
import time
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pullcept.core.cli_queue import parse_transcript_line, parse_user_message
from pullcept.sessions import Session
from tests.host.live_host import wait_for
from tests.real_cli.model_server import LIMIT, say
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat


def test_claude_tells_its_seat_of_a_turn_and_its_status_line_says_when_it_began(
    tmp_path: Path, claude: RealSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, Mapping[str, Any]]] = []
    started: list[float | None] = []
    take_event, take_status = Session.on_activity, Session.on_status

    def on_activity(session: Session, event: str, body: Mapping[str, Any]) -> Awaitable[None] | None:
        events.append((event, body))
        return take_event(session, event, body)

    def on_status(session: Session, body: Mapping[str, Any], started_at: float | None) -> None:
        started.append(started_at)
        take_status(session, body, started_at)

    monkeypatch.setattr(Session, "on_activity", on_activity)
    monkeypatch.setattr(Session, "on_status", on_status)
    begun = time.monotonic()
    with RealRoom(tmp_path, [claude.account]) as room:
        room.start(claude.account)
        post = room.say("こんにちは、 what do you report?")
        claude.model.wait_for_text(post.message_id)
        wait_for(lambda: [name for name, _ in events if name == "Stop"], LIMIT)
        wait_for(lambda: len(started) >= 2, LIMIT)
    prompts = [body["prompt"] for name, body in events if name == "UserPromptSubmit"]
    assert len(prompts) == 1
    assert post.message_id in prompts[0]
    assert all(body["hook_event_name"] == name for name, body in events)
    assert all(at is not None and begun <= at <= time.monotonic() for at in started)


def test_codex_is_found_by_the_post_in_its_rollout_before_it_calls_a_tool(
    tmp_path: Path, codex: RealSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    take = Session.on_rollout_line

    def on_rollout_line(session: Session, line: bytes) -> None:
        taken.append(parse_user_message(line) or "")
        take(session, line)

    monkeypatch.setattr(Session, "on_rollout_line", on_rollout_line)
    with RealRoom(tmp_path, [codex.account]) as room:
        room.start(codex.account)
        for text in ("はじめの投稿", "the second one"):
            post = room.say(text)
            turn = codex.model.wait_for_text(post.message_id)
            wait_for(lambda post=post: [text for text in taken if post.message_id in text], LIMIT)  # type: ignore[misc]
        sessions = json.loads(room.folder.index.read_text("utf-8"))["topics"][0]["sessions"]
        assert sessions == {codex.account.id: codex.conversation(turn)}


def test_claude_tells_in_its_transcript_what_lies_in_its_queue(
    tmp_path: Path, claude: RealSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations: list[str] = []
    take = Session.on_transcript_line

    def on_transcript_line(session: Session, line: bytes) -> None:
        if (news := parse_transcript_line(line)) and news.operation:
            operations.append(news.operation)
        take(session, line)

    monkeypatch.setattr(Session, "on_transcript_line", on_transcript_line)
    with RealRoom(tmp_path, [claude.account]) as room:
        room.start(claude.account)
        gate = threading.Event()
        busy = say("I think about it.", gate=gate)
        claude.model.script(busy)
        room.say("こんにちは")
        assert busy.begun.wait(LIMIT)
        room.say("while you are busy")
        wait_for(lambda: operations, LIMIT)
        gate.set()
        wait_for(lambda: operations[1:], LIMIT)
    assert operations[0] == "enqueue"
    assert operations[1] in ("dequeue", "remove")
