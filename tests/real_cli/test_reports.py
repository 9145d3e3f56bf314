"""What a real Claude Code reports to its seat: hooks with the launch's secret, and our status line with its time."""

import time
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pullcept.sessions import Session
from tests.host.live_host import wait_for
from tests.real_cli.model_server import LIMIT
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
