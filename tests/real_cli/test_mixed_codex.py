"""Posts, questions and a typing person at once, on a real Codex."""

import os
import threading
from pathlib import Path

import pytest

from tests.real_cli.codex_model import user_blocks
from tests.real_cli.mixed_plan import Episode, MixedPlan, Moment, plan
from tests.real_cli.mixed_run import Counts, MixedRun
from tests.real_cli.model_server import Body, Step, ToolCall, call
from tests.real_cli.room import RealRoom
from tests.real_cli.seats import RealSeat

SEED = int(os.environ.get("PULLCEPT_SEED", "1"))
RUNS = int(os.environ.get("PULLCEPT_RUNS", "10"))
PLACEHOLDER = "Ask Codex to do anything"
_OWN = ("<environment_context>", "<user_instructions>", "# AGENTS.md", "<turn_aborted>", "<user_shell_command>")


class CodexCli:
    """How Codex is asked, made to work, and read."""

    yes, no = b"y", b"\x1b"
    wipes = ((b"\x15",),)
    clear = (b"\x05", *(b"\x15",) * 20)

    def ask(self, command: str, match: str) -> Step:
        wanted = {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "need it"}
        return call("exec_command", wanted, match=match)

    def work(self, match: str, gate: threading.Event) -> Step:
        return Step(calls=(ToolCall("exec_command", {"cmd": "sleep 1"}),), match=match, gate=gate)

    def delegate(self, match: str, prompt: str) -> Step:
        raise NotImplementedError

    def told(self, body: Body) -> list[str] | None:
        return [text for texts in user_blocks(body) for text in texts if not text.startswith(_OWN)]

    def box(self, screen: str) -> str:
        lines = screen.splitlines()
        at = max((number for number, line in enumerate(lines) if line.startswith("›")), default=None)
        if at is None:
            return ""
        rest = [lines[at][1:].strip()]
        for line in lines[at + 1 :]:
            if not line.startswith("  "):
                break
            rest.append(line)
        text = "\n".join(rest).strip()
        return "" if text == PLACEHOLDER else text


def play(root: Path, seat: RealSeat, drawn: MixedPlan) -> Counts:
    """Play a plan; the verdict must be clean."""
    print(f"seed {drawn.seed}: {len(drawn.posts)} posts, {sum(map(len, drawn.posts))} characters")
    with RealRoom(root, [seat.account]) as room:
        room.start(seat.account)
        run = MixedRun(room, seat, drawn, CodexCli())
        verdict = run.play()
    print(f"seed {drawn.seed}: {'whole' if not verdict.faults else verdict.faults}; {run.counts}")
    assert verdict.faults == (), "\n".join(verdict.faults)
    assert run.counts.retyped == 0
    return run.counts


def test_codex_gets_a_dozen_mixed_posts_whole_once_and_in_order(tmp_path: Path, codex: RealSeat) -> None:
    play(tmp_path, codex, plan(SEED, short=True))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEED, SEED + RUNS))
def test_codex_gets_forty_mixed_posts_whole_once_and_in_order(tmp_path: Path, codex: RealSeat, seed: int) -> None:
    counts = play(tmp_path, codex, plan(seed))
    assert not counts.missed(subagents=False)


@pytest.mark.slow
def test_codex_gets_forty_posts_whole_on_an_idle_seat(tmp_path: Path, codex: RealSeat) -> None:
    posts = plan(SEED).posts
    play(tmp_path, codex, MixedPlan(SEED, (Episode(Moment.IDLE, posts, (0.0,) * len(posts)),)))
