"""Posts, questions and a typing person at once, on a real Claude Code."""

import contextlib
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
import websocket

from tests.real_cli.claude_model import user_blocks
from tests.real_cli.mixed_plan import Episode, MixedPlan, Moment, plan
from tests.real_cli.mixed_run import WIPES, Counts, MixedRun
from tests.real_cli.model_server import Body, Step, ToolCall, call
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat

SEED = int(os.environ.get("PULLCEPT_SEED", "1"))
RUNS = int(os.environ.get("PULLCEPT_RUNS", "10"))
LEAD_IN = "The user sent a new message while you were working:\n"
LEAD_OUT = "\n\nThis is how Claude Code surfaces messages the user sends mid-turn"
_OWN = ("[Request interrupted by user", "<task-notification>", "<system-reminder>", "<command-", "<local-command")


class ClaudeCli:
    """How Claude Code is asked, made to work, and read."""

    yes, no = b"1", b"\x1b"
    wipes, clear = WIPES, (b"\x03",)

    def ask(self, command: str, match: str) -> Step:
        return call("Bash", {"command": command, "description": "make it"}, match=match)

    def work(self, match: str, gate: threading.Event) -> Step:
        sleep = ToolCall("Bash", {"command": "sleep 1", "description": "wait a moment"})
        return Step(text="I am at it.", calls=(sleep,), match=match, gate=gate)

    def delegate(self, match: str, prompt: str) -> Step:
        errand = {"description": "an errand", "prompt": prompt, "subagent_type": "general-purpose"}
        return call("Agent", errand, match=match)

    def told(self, body: Body) -> list[str] | None:
        blocks = [text for texts in user_blocks(body) for text in texts]
        if any(text.startswith("errand ") for text in blocks[:2]):
            return None
        return [_without_lead_in(text) for text in blocks if not text.startswith(_OWN)]

    def box(self, screen: str) -> str:
        lines = screen.splitlines()
        rules = [number for number, line in enumerate(lines) if line.startswith("───")]
        if len(rules) < 2:
            return ""
        # A long text scrolls in the box: its first line, with the prompt sign, may not be on the screen.
        inside = lines[rules[-2] + 1 : rules[-1]]
        return "".join(line.removeprefix("❯").removeprefix("  ") for line in inside).strip(" \u00a0")


def _without_lead_in(text: str) -> str:
    if not text.startswith(LEAD_IN):
        return text
    return text.removeprefix(LEAD_IN).rpartition(LEAD_OUT)[0] or text


def play(root: Path, seat: RealSeat, drawn: MixedPlan) -> Counts:
    """Play a plan; the verdict must be clean."""
    settings = seat.home.cwd / ".claude"
    settings.mkdir(exist_ok=True)
    allowed = {"permissions": {"allow": ["Bash(sleep 1)"]}}
    (settings / "settings.json").write_text(json.dumps(allowed), encoding="utf-8")
    print(f"seed {drawn.seed}: {len(drawn.posts)} posts, {sum(map(len, drawn.posts))} characters")
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        run = MixedRun(room, seat, drawn, ClaudeCli())
        verdict = run.play()
    print(f"seed {drawn.seed}: {'whole' if not verdict.faults else verdict.faults}; {run.counts}")
    assert verdict.faults == (), "\n".join(verdict.faults)
    assert run.counts.retyped == 0
    return run.counts


def test_claude_gets_a_dozen_mixed_posts_whole_once_and_in_order(tmp_path: Path, claude: RealSeat) -> None:
    play(tmp_path, claude, plan(SEED, subagents=True, short=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
def test_claude_gets_forty_mixed_posts_whole_once_and_in_order(tmp_path: Path, claude: RealSeat, seed: int) -> None:
    counts = play(tmp_path, claude, plan(seed, subagents=True))
    assert not counts.missed(subagents=True)


@pytest.mark.slow
def test_claude_gets_forty_posts_whole_on_an_idle_seat(tmp_path: Path, claude: RealSeat) -> None:
    posts = plan(SEED, subagents=True).posts
    counts = play(tmp_path, claude, MixedPlan(SEED, (Episode(Moment.IDLE, posts, (0.0,) * len(posts)),)))
    assert counts.wrapped == 0


def episode(moment: Moment, how: str, *posts: str, human: str = "") -> Episode:
    return Episode(moment, posts, (0.0,) * len(posts), how, human)


def test_claude_is_not_answered_by_posts_while_a_background_agent_asks_and_a_real_escape_ends_its_hold(
    tmp_path: Path, claude: RealSeat
) -> None:
    """The main agent has stopped and its sub-agent asks: three posts wait for the person. Then the main agent asks and
    the person presses Escape: the hold ends by itself. Then Escape before and after the first word of an answer."""
    plays = (
        episode(Moment.SUBAGENT, "yes", "send somebody", "one", "two\n\n三", "three"),
        episode(Moment.QUESTION, "no", "ask me", "said meanwhile"),
        episode(Moment.ESCAPE, "before_first_word", "think"),
        episode(Moment.ESCAPE, "after_first_word", "talk"),
    )
    counts = play(tmp_path, claude, MixedPlan(0, plays))
    assert counts.question == 4
    assert counts.put_back == 1


def test_claude_attaches_nothing_for_a_name_or_a_body_of_others(tmp_path: Path, claude: RealSeat) -> None:
    secret = "the-word-that-nobody-asked-for"
    (claude.home.cwd / "secret.txt").write_text(secret, encoding="utf-8")
    with RealRoom(tmp_path, [claude.account]) as room:
        room.start(claude.account)
        bodies = ("look", "@secret.txt", "see\n@secret.txt\n\u3000@secret.txt and \u200b@secret.txt")
        said = guest_says(room, " @secret.txt ", bodies)
        turns = [claude.model.wait_for_text(message_id) for message_id in said]
        assert [secret in json.dumps(turn.body) for turn in turns] == [False] * 3
        assert [request for request in claude.model.requests if secret in json.dumps(request.body)] == []
        mine = room.say("@secret.txt is mine to show")
        claude.model.wait_for_turn(lambda turn: mine.message_id in json.dumps(turn.body) and secret in str(turn.body))


def guest_says(room: RealRoom, name: str, bodies: Sequence[str]) -> list[str]:
    """A guest comes in and says these, one after the other; their ids."""
    environment, _argv = room.app.guest_line(room.topic_id, name)
    token = f"Authorization: Bearer {environment['PULLCEPT_ROOM_TOKEN']}"
    socket = websocket.create_connection(
        environment["PULLCEPT_ROOM_URL"], header=[token], suppress_origin=True, timeout=10
    )
    ids = [f"guest-{number}" for number in range(len(bodies))]
    with contextlib.closing(socket):
        socket.send(json.dumps({"type": "hello", "protocol": 11, "name": name, "room": room.topic_id}))
        seen = {}
        for message_id, body in zip(ids, bodies, strict=True):
            frame = {"type": "post", "message_id": message_id, "content": body, "ts": "2026-12-01T00:00:00Z", **seen}
            socket.send(json.dumps(frame))
            answer = json.loads(socket.recv())
            assert answer["delivered"] is True, answer
            seen = {"last_seen": message_id}
    return ids
