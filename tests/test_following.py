"""Which file of a CLI is followed, and what of it reaches the session."""

import asyncio
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pullcept import following
from pullcept.following import Follower
from tests.store.test_tail import append, conversation, rollout

CLAUDE_ID = "11111111-2222-4333-8444-555555555555"


class Seen:
    """A session as a follower sees it; keeps the lines it is given."""

    def __init__(self, role: str, env: Mapping[str, str], conversation_id: str | None = None) -> None:
        self.start = SimpleNamespace(conversation_id=conversation_id, env=env)
        self.launch = SimpleNamespace(role=role, seat="seat")
        self.progress = SimpleNamespace(idle_seen=False)
        self.alive, self.waiting = True, True
        self.lines: list[bytes] = []

    def on_transcript_line(self, line: bytes) -> None:
        self.lines.append(line)

    on_rollout_line = on_transcript_line


async def until(wanted: Any) -> None:
    async with asyncio.timeout(10):
        while not wanted():
            await asyncio.sleep(0.005)


def user_message(text: str) -> bytes:
    item = {"type": "UserMessage", "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}).encode()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "LOOK_EVERY", 0.005)


def follower(seen: Seen, found: list[str]) -> Follower:
    return Follower(seen, found.append)  # type: ignore[arg-type]


def test_a_transcript_that_appears_later_is_read_whole_and_another_one_is_followed_when_told(tmp_path: Path) -> None:
    async def play() -> None:
        seen = Seen("claude_code", {"CLAUDE_CONFIG_DIR": str(tmp_path)}, CLAUDE_ID)
        follow = follower(seen, [])
        path = tmp_path / "projects" / "x" / f"{CLAUDE_ID}.jsonl"
        await asyncio.sleep(0.05)
        append(path, b"one\n")
        await until(lambda: seen.lines == [b"one"])
        follow.on_path(str(path))
        append(path, b"two\n")
        await until(lambda: seen.lines == [b"one", b"two"])
        other = tmp_path / "projects" / "x" / "other.jsonl"
        follow.on_path(str(other))
        await asyncio.sleep(0.05)
        append(other, b"three\n")
        await until(lambda: seen.lines == [b"one", b"two", b"three"])
        seen.alive = False

    asyncio.run(play())


def test_a_codex_conversation_is_found_by_a_post_of_this_seat_and_never_by_being_the_newest(tmp_path: Path) -> None:
    async def play() -> None:
        seen, found = Seen("codex_cli", {"CODEX_HOME": str(tmp_path)}), list[str]()
        follow = follower(seen, found)
        follow.note_post("m-1")
        own, newest = conversation(time.time()), conversation(time.time() + 1)
        append(rollout(tmp_path, newest), user_message("[pullcept] m-9") + b"\n")
        append(rollout(tmp_path, own), user_message("[pullcept] m-1") + b"\n")
        await until(lambda: found)
        assert found == [own]
        append(rollout(tmp_path, newest), b"not ours\n")
        append(rollout(tmp_path, own), b"ours\n")
        await until(lambda: len(seen.lines) == 2)
        assert seen.lines == [user_message("[pullcept] m-1"), b"ours"]
        seen.alive = False

    asyncio.run(play())


def test_a_conversation_that_began_after_this_session_was_ready_is_another_ones(tmp_path: Path) -> None:
    async def play() -> None:
        seen, found = Seen("codex_cli", {"CODEX_HOME": str(tmp_path)}), list[str]()
        follow = follower(seen, found)
        follow.note_post("m-1")
        own, other = conversation(time.time()), conversation(time.time() + 5)
        seen.progress.idle_seen = True
        await until(lambda: follow._ready_at < float("inf"))
        append(rollout(tmp_path, other), user_message("m-1") + b"\n")
        await asyncio.sleep(0.05)
        assert seen.lines == []
        append(rollout(tmp_path, own), user_message("m-1") + b"\n")
        await until(lambda: found == [own])
        seen.alive = False

    asyncio.run(play())


def test_a_conversation_that_the_first_tool_call_told_is_followed(tmp_path: Path) -> None:
    async def play() -> None:
        seen, found = Seen("codex_cli", {"CODEX_HOME": str(tmp_path)}), list[str]()
        follow = follower(seen, found)
        told = conversation(time.time())
        append(rollout(tmp_path, told), b"before\n")
        follow.on_conversation(told)
        await asyncio.sleep(0.05)
        append(rollout(tmp_path, told), user_message("x") + b"\n")
        await until(lambda: user_message("x") in seen.lines)
        assert found == []
        seen.alive = False

    asyncio.run(play())


def test_other_kinds_and_odd_paths_are_not_followed(tmp_path: Path) -> None:
    async def play() -> None:
        seen = Seen("cli", {})
        follow = follower(seen, [])
        follow.on_path(os.devnull)
        follow.on_path("relative.jsonl")
        follow.on_conversation("x")
        assert follow._tail is None

    asyncio.run(play())
