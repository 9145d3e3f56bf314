"""What holds a post before its first byte, with a virtual clock: unsent text, questions, the CLI's own queue."""

from typing import Any

import pytest

from pullcept.core.cli_queue import TranscriptNews
from pullcept.core.gates import MAYBE_UNSENT, PUT_BACK, QUESTION, UNSENT, Gates
from pullcept.core.unsent import CONFIRMED_WITHIN
from pullcept.pty.profiles import CLAUDE_CODE, CODEX_CLI
from tests.pty.virtual import Stage, on_stage


def guarded(stage: Stage, kind: str = "claude_code") -> Gates:
    """Give a stage's typist the gates of a kind, of a session that is ready."""
    gates = Gates(kind, kind)
    gates.unsent.set_ready(True)
    stage.typist._holds = gates
    return gates


@on_stage(CLAUDE_CODE)
async def test_a_half_typed_line_holds_posts_until_it_is_sent(stage: Stage) -> None:
    guarded(stage)
    for key in (b"h", b"i"):
        stage.typist.write_keys(key)
    stage.put()
    stage.put("m2")
    await stage.wait(3600)
    assert stage.terminal.data == b"hi"
    assert stage.typist.held() == (2, UNSENT)
    stage.typist.write_keys(b"\r")
    await stage.wait(5)
    assert stage.typist.held() == (2, MAYBE_UNSENT)
    stage.typist.on_submit("hi")
    await stage.wait(5)
    assert stage.typed() == ["m1", "m2"]
    assert stage.terminal.data.startswith(b"hi\r[pullcept]")
    assert stage.typist.held() == (0, "")


@on_stage(CLAUDE_CODE)
async def test_text_that_is_taken_back_holds_nothing(stage: Stage) -> None:
    guarded(stage)
    for key in ("あ", "\x7f"):
        stage.typist.write_keys(key.encode())
    stage.put()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_a_recalled_line_may_be_unsent_text(stage: Stage) -> None:
    guarded(stage)
    stage.typist.write_keys(b"\x1b[A")
    stage.put()
    await stage.wait(3600)
    assert stage.typist.held() == (1, MAYBE_UNSENT)
    assert b"[pullcept]" not in stage.terminal.data


@on_stage(CLAUDE_CODE)
async def test_mouse_and_focus_reports_hold_nothing(stage: Stage) -> None:
    guarded(stage)
    for report in (b"\x1b[<0;3;4M", b"\x1b[I"):
        stage.typist.write_keys(report)
    stage.put()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_keys_kept_during_a_post_and_passed_behind_it_hold_the_next_post(stage: Stage) -> None:
    guarded(stage)
    stage.put()
    stage.put("m2")
    await stage.wait(0.05)
    stage.typist.write_keys(b"half")
    await stage.wait(60)
    assert stage.typed() == ["m1"]
    assert stage.typist.held() == (1, UNSENT)
    assert stage.terminal.data.endswith(b"hello\rhalf")
    stage.typist.write_keys(b"\r")
    await stage.wait(CONFIRMED_WITHIN)
    assert stage.typed() == ["m1"]
    await stage.wait(5)
    assert stage.typed() == ["m1", "m2"]


@on_stage(CLAUDE_CODE)
async def test_an_escape_in_a_running_turn_may_have_put_the_prompt_back(stage: Stage) -> None:
    gates = guarded(stage)
    gates.on_event("UserPromptSubmit", {"prompt": "x"}, stage.clock.now)
    stage.typist.write_keys(b"\x1b")
    stage.put()
    await stage.wait(3600)
    assert stage.typist.held() == (1, PUT_BACK)
    gates.unsent.on_interrupted()
    stage.typist.look_again()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_sending_anyway_lets_the_posts_follow_the_unsent_text(stage: Stage) -> None:
    gates = guarded(stage)
    stage.typist.write_keys(b"half")
    stage.put()
    await stage.wait(5)
    assert stage.typed() == []
    gates.unsent.clear()
    stage.typist.look_again()
    await stage.wait(5)
    assert stage.typed() == ["m1"]
    assert stage.terminal.data.partition(b"[pullcept]")[0] == b"half"


@on_stage(CLAUDE_CODE)
async def test_discarded_posts_are_never_typed_and_the_unsent_text_stays(stage: Stage) -> None:
    guarded(stage)
    stage.typist.write_keys(b"half")
    stage.put()
    await stage.wait(5)
    stage.typist.discard("not typed")
    assert stage.typist.held()[0] == 0
    stage.typist.write_keys(b"\r")
    await stage.wait(30)
    assert stage.typed() == []
    assert stage.terminal.data == b"half\r"


@on_stage(CODEX_CLI)
async def test_an_open_question_of_codex_holds_posts_and_keys_answer_it(stage: Stage) -> None:
    gates = guarded(stage, "codex_cli")
    gates.on_report("blocked", "permission", stage.clock.now)
    stage.put()
    await stage.wait(60)
    assert stage.terminal.data == b""
    assert stage.typist.held() == (1, QUESTION)
    stage.typist.write_keys(b"y")
    gates.on_report("working", "", stage.clock.now)
    stage.typist.look_again()
    await stage.wait(1.4)
    assert stage.typed() == [], "the next question in line may be drawn"
    await stage.wait(1)
    assert stage.typed() == ["m1"], "the answer was no text of the input box"


@on_stage(CODEX_CLI)
async def test_a_second_question_within_the_pause_holds_on(stage: Stage) -> None:
    gates = guarded(stage, "codex_cli")
    gates.on_report("blocked", "permission", stage.clock.now)
    stage.put()
    await stage.wait(5)
    gates.on_report("working", "", stage.clock.now)
    stage.typist.look_again()
    await stage.wait(1)
    gates.on_report("blocked", "permission", stage.clock.now)
    stage.typist.look_again()
    await stage.wait(600)
    assert stage.terminal.data == b""


def ask(gates: Gates, now: float, **more: Any) -> None:
    """A question of Claude Code whose hook is answered at once."""
    body = {"tool_name": "Bash", "tool_input": {"command": "x"}, **more}
    gates.on_event("PreToolUse", {**body, "tool_use_id": "t1"}, now)
    wait_id = gates.on_event("PermissionRequest", body, now + 0.05)
    assert wait_id is not None
    gates.on_answered(wait_id, now + 0.05)


@on_stage(CLAUDE_CODE)
async def test_an_open_question_of_claude_code_holds_until_its_call_is_done(stage: Stage) -> None:
    gates = guarded(stage)
    ask(gates, stage.clock.now)
    stage.put()
    await stage.wait(60)
    assert stage.terminal.data == b""
    stage.typist.write_keys(b"1")
    gates.on_event("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1"}, stage.clock.now)
    stage.typist.look_again()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_the_main_agents_stop_does_not_end_the_question_of_a_sub_agent(stage: Stage) -> None:
    gates = guarded(stage)
    ask(gates, stage.clock.now, agent_id="sub")
    stage.put()
    gates.on_event("Stop", {}, stage.clock.now)
    stage.typist.look_again()
    await stage.wait(60)
    assert stage.terminal.data == b""
    gates.on_event("SubagentStop", {"agent_id": "sub"}, stage.clock.now)
    stage.typist.look_again()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_a_tool_that_begins_holds_posts_for_half_a_second(stage: Stage) -> None:
    gates = guarded(stage)
    gates.on_event("PreToolUse", {"tool_name": "Bash", "tool_use_id": "t1"}, stage.clock.now)
    stage.put()
    await stage.wait(0.49)
    assert stage.terminal.data == b""
    await stage.wait(0.05)
    assert stage.terminal.data


@on_stage(CLAUDE_CODE)
async def test_a_prompt_in_the_clis_own_queue_holds_the_next_post(stage: Stage) -> None:
    from pullcept.core.cli_queue import TranscriptNews

    gates = guarded(stage)
    gates.on_event("UserPromptSubmit", {"prompt": "of the person"}, stage.clock.now)
    gates.on_transcript(TranscriptNews("enqueue"), stage.clock.now + 0.1)
    stage.put()
    await stage.wait(60)
    assert stage.terminal.data == b""
    gates.on_transcript(TranscriptNews("dequeue"), stage.clock.now)
    stage.typist.look_again()
    await stage.wait(5)
    assert stage.typed() == ["m1"]


def begin_turn(gates: Gates, begins: str, now: float) -> None:
    if begins == "dequeue":
        gates.on_transcript(TranscriptNews("enqueue"), now)
        gates.on_transcript(TranscriptNews("dequeue"), now)
    else:
        gates.on_event(begins, {}, now)


@pytest.mark.parametrize("begins", ["UserPromptSubmit", "dequeue"])
def test_escape_is_noticed_in_each_of_two_turns_without_a_key_between(begins: str) -> None:
    @on_stage(CLAUDE_CODE)
    async def escape_twice(stage: Stage) -> None:
        gates = guarded(stage)
        begin_turn(gates, begins, stage.clock.now)
        stage.typist.write_keys(b"\x1b")
        gates.on_transcript(TranscriptNews(interrupted=True), stage.clock.now)
        assert not gates.unsent.put_back
        begin_turn(gates, begins, stage.clock.now)
        await stage.wait(2)
        stage.typist.write_keys(b"\x1b")
        stage.put()
        await stage.wait(60)
        assert stage.typist.held() == (1, PUT_BACK)

    escape_twice()
