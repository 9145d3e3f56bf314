"""Posts, questions and a typing person at once, on a real Claude Code."""

import json
import os
import threading
from pathlib import Path

import pytest

from tests.real_cli.claude_model import user_blocks
from tests.real_cli.mixed_plan import plan
from tests.real_cli.mixed_run import WIPES, MixedRun
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
        at = max((number for number, line in enumerate(lines) if line.startswith("❯")), default=None)
        if at is None:
            return ""
        rest = [lines[at][1:].strip(" \u00a0")]
        for line in lines[at + 1 :]:
            if line.startswith("─"):
                break
            rest.append(line.removeprefix("  "))
        return "".join(rest).strip()


def _without_lead_in(text: str) -> str:
    if not text.startswith(LEAD_IN):
        return text
    return text.removeprefix(LEAD_IN).rpartition(LEAD_OUT)[0] or text


def play(root: Path, seat: RealSeat, seed: int, *, short: bool) -> None:
    settings = seat.home.cwd / ".claude"
    settings.mkdir(exist_ok=True)
    allowed = {"permissions": {"allow": ["Bash(sleep 1)"]}}
    (settings / "settings.json").write_text(json.dumps(allowed), encoding="utf-8")
    drawn = plan(seed, subagents=True, short=short)
    print(f"seed {seed}: {len(drawn.posts)} posts, {sum(map(len, drawn.posts))} characters")
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        run = MixedRun(room, seat, drawn, ClaudeCli())
        verdict = run.play()
    print(f"seed {seed}: {run.counts}")
    assert verdict.faults == (), "\n".join(verdict.faults)
    assert short or not run.counts.missed(subagents=True)


def test_claude_gets_a_dozen_mixed_posts_whole_once_and_in_order(tmp_path: Path, claude: RealSeat) -> None:
    play(tmp_path, claude, SEED, short=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
def test_claude_gets_forty_mixed_posts_whole_once_and_in_order(tmp_path: Path, claude: RealSeat, seed: int) -> None:
    play(tmp_path, claude, seed, short=False)
