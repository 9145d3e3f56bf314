"""From typed to taken: evidence, extra Enters, what a question swallows, and what the person decides afterwards."""

import asyncio

from pullcept.core.gates import Gates
from pullcept.core.receipt import CLAUDE_EVIDENCE, CODEX_EVIDENCE
from pullcept.core.seat import DeliveryState
from pullcept.pty.profiles import CLAUDE_CODE, CODEX_CLI
from pullcept.pty.receipts import CUT, NOT_TAKEN, PROBABLY, PUT_BACK
from pullcept.pty.typist import BEHIND
from tests.pty.virtual import Stage, on_stage, settle

TEXT = '[pullcept] {{"message_id":"{0}"}}\nhello'


def gated(stage: Stage, kind: str = "claude_code") -> Gates:
    gates = Gates(kind, kind)
    gates.unsent.set_ready(True)
    stage.typist._holds = gates
    return gates


def told(stage: Stage, message_id: str = "m1") -> list[tuple[DeliveryState, str]]:
    return [(state, reason) for each, state, reason in stage.states if each == message_id]


def enters(stage: Stage) -> list[float]:
    return [at for at, data in stage.terminal.writes if data == b"\r"]


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_a_submit_with_the_whole_text_makes_a_post_taken_and_lets_the_next_follow(stage: Stage) -> None:
    stage.put()
    stage.put("m2")
    await stage.wait(0.5)
    assert told(stage)[-1] == (DeliveryState.TYPED, "")
    assert b'"m2"' not in stage.terminal.data
    assert stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")
    assert b'"m2"' in stage.terminal.data
    assert enters(stage) == [0.24, 0.74]


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_without_a_submit_enter_is_pressed_three_times_a_second_apart(stage: Stage) -> None:
    stage.put()
    await stage.wait(4.9)
    assert enters(stage) == [0.24, 1.24, 2.24, 3.24]
    assert stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(60)
    assert enters(stage) == [0.24, 1.24, 2.24, 3.24]


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_any_submit_stops_the_extra_enters(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.5)
    assert not stage.typist.on_submit("something of the person")
    await stage.wait(60)
    assert enters(stage) == [0.24]


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_keys_are_kept_until_the_receipt_and_follow_it(stage: Stage) -> None:
    gated(stage)
    stage.put()
    await stage.wait(0.1)
    stage.typist.write_keys(b"k")
    await stage.wait(2)
    assert b"k" not in stage.terminal.data.partition(b"\n")[2].replace(b"pullcept", b"")
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert stage.terminal.data.endswith(b"k")
    assert stage.typing == [True, False]


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_a_program_that_never_takes_enter_leaves_the_post_not_taken_within_fifteen_seconds(stage: Stage) -> None:
    gated(stage)
    stage.put()
    stage.put("m2")
    await stage.wait(14.7)
    assert told(stage)[-1] == (DeliveryState.NOT_TAKEN, NOT_TAKEN)
    assert stage.typist.held() == (1, BEHIND)
    before = len(enters(stage))
    await stage.wait(600)
    assert len(enters(stage)) == before
    assert b'"m2"' not in stage.terminal.data
    assert stage.typist.press_enter()
    await stage.wait(0.5)
    assert len(enters(stage)) == before + 1
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")
    assert b'"m2"' in stage.terminal.data


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_skipping_takes_the_text_out_of_the_box_and_the_next_post_follows(stage: Stage) -> None:
    gated(stage)
    stage.put()
    stage.put("m2")
    await stage.wait(60)
    assert stage.typist.skip("m1")
    await stage.wait(5)
    between = stage.terminal.data.partition(b'"m2"')[0]
    assert between.count(b"\x15") >= 2
    assert b'"m2"' in stage.terminal.data
    assert told(stage)[-1] == (DeliveryState.FAILED, "skipped")


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_sending_again_types_the_post_once_more_before_the_others(stage: Stage) -> None:
    gated(stage)
    stage.put()
    stage.put("m2")
    await stage.wait(60)
    assert stage.typist.send_again("m1")
    await stage.wait(1)
    assert stage.terminal.data.count(b'"m1"') == 2
    assert b'"m2"' not in stage.terminal.data
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")
    assert b'"m2"' in stage.terminal.data


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_a_cut_post_is_said_and_never_repeated_by_itself(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.5)
    stage.typist.on_submit(TEXT.format("m1")[:-2])
    await stage.wait(60)
    assert told(stage)[-1] == (DeliveryState.TAKEN, CUT)
    assert stage.terminal.data.count(b'"m1"') == 1
    assert stage.typist.send_again("m1")
    await stage.wait(1)
    assert stage.terminal.data.count(b'"m1"') == 2


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_no_extra_enter_while_a_question_may_be_drawn(stage: Stage) -> None:
    gates = gated(stage)
    stage.put()
    await stage.wait(0.5)
    wait_id = gates.on_event("PermissionRequest", {"tool_name": "Bash"}, stage.clock.now)
    assert wait_id is not None
    gates.on_answered(wait_id, stage.clock.now)
    stage.typist.on_wait_opened()
    await stage.wait(300)
    assert enters(stage) == [0.24]
    assert not stage.typist.press_enter(), "it would answer the question"


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_a_question_born_inside_a_post_swallows_it_once_enter_alone_comes_first(stage: Stage) -> None:
    gates = gated(stage)
    stage.put()
    await stage.wait(0.1)
    body = {"tool_name": "Bash", "tool_use_id": "t1"}
    wait_id = gates.on_event("PermissionRequest", body, stage.clock.now)
    assert wait_id is not None
    stage.typist.on_wait_opened()
    await stage.wait(0.5)
    assert enters(stage) == [0.24], "the rest and Enter follow at once"
    gates.on_answered(wait_id, stage.clock.now)
    await stage.wait(30)
    assert enters(stage) == [0.24]
    gates.on_event("PostToolUse", body, stage.clock.now)
    stage.typist.look_again()
    await stage.wait(4)
    assert len(enters(stage)) == 2
    assert stage.terminal.data.count(b'"m1"') == 1
    await stage.wait(6)
    assert stage.terminal.data.count(b'"m1"') == 2
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_nobody_is_settled_between_the_first_byte_and_the_receipt(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.1)
    waiting = asyncio.ensure_future(stage.typist.until_settled())
    await stage.wait(0.5)
    assert not waiting.done()
    stage.typist.on_submit(TEXT.format("m1"))
    await settle()
    assert waiting.done()


@on_stage(CODEX_CLI, evidence=CODEX_EVIDENCE)
async def test_codex_at_work_soon_after_enter_has_probably_taken_it(stage: Stage) -> None:
    gates = gated(stage, "codex_cli")
    stage.put()
    stage.put("m2")
    await stage.wait(0.5)
    gates.on_report("working", "", stage.clock.now)
    stage.typist.on_working()
    assert told(stage)[-1] == (DeliveryState.TYPED, PROBABLY)
    await stage.wait(60)
    assert stage.terminal.data.count(b"\r") == 1
    assert b'"m2"' not in stage.terminal.data
    stage.typist.on_submit(TEXT.format("m1") + " ")
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")
    assert b'"m2"' in stage.terminal.data


@on_stage(CODEX_CLI, evidence=CODEX_EVIDENCE)
async def test_codex_gets_an_extra_enter_only_while_it_is_idle(stage: Stage) -> None:
    gates = gated(stage, "codex_cli")
    gates.on_report("idle", "", stage.clock.now)
    stage.put()
    await stage.wait(4.9)
    assert len(stage.terminal.writes) == 1
    await stage.wait(1)
    assert [data for _, data in stage.terminal.writes[1:]] == [b"\r"]
    await stage.wait(60)
    assert len(stage.terminal.writes) == 3
    assert told(stage)[-1] == (DeliveryState.NOT_TAKEN, NOT_TAKEN)


@on_stage(CODEX_CLI, evidence=CODEX_EVIDENCE)
async def test_codex_gets_no_extra_enter_after_an_error(stage: Stage) -> None:
    gates = gated(stage, "codex_cli")
    gates.on_report("error", "", stage.clock.now)
    stage.put()
    await stage.wait(60)
    assert len(stage.terminal.writes) == 1
    assert told(stage)[-1] == (DeliveryState.NOT_TAKEN, NOT_TAKEN)


@on_stage(CODEX_CLI, evidence=CODEX_EVIDENCE)
async def test_a_codex_whose_file_is_never_found_gets_its_posts_one_after_the_other(stage: Stage) -> None:
    gates = gated(stage, "codex_cli")
    for number in (1, 2, 3):
        stage.put(f"m{number}")
    await stage.wait(0.5)
    gates.on_report("working", "", stage.clock.now)
    stage.typist.on_working()
    await stage.wait(30)
    gates.on_report("done", "", stage.clock.now)
    stage.typist.look_again()
    await stage.wait(20)
    assert stage.typed()[-1] == "m3"
    assert told(stage)[-1] == (DeliveryState.TYPED, PROBABLY)
    assert stage.terminal.data.count(b'"m1"') == 1


async def taken_and_escaped(stage: Stage) -> Gates:
    """A post was taken, and the person pressed Escape in its turn."""
    gates = gated(stage)
    stage.put()
    await stage.wait(0.5)
    gates.on_event("UserPromptSubmit", {}, stage.clock.now)
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    stage.typist.write_keys(b"\x1b")
    return gates


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_the_row_says_that_escape_may_have_put_the_last_post_back(stage: Stage) -> None:
    await taken_and_escaped(stage)
    assert told(stage)[-1] == (DeliveryState.TAKEN, PUT_BACK)
    stage.put("m2")
    await stage.wait(3600)
    stage.typist.write_keys(b"\x03")
    await stage.wait(5)
    assert stage.typed() == ["m1", "m2"]
    assert told(stage)[-1] == (DeliveryState.TAKEN, PUT_BACK), "the person wiped it: nobody knows whether it was read"


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_the_row_says_no_such_thing_once_the_turn_is_known_to_be_interrupted(stage: Stage) -> None:
    await taken_and_escaped(stage)
    stage.typist.on_interrupted()
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")


@on_stage(CLAUDE_CODE, evidence=CLAUDE_EVIDENCE)
async def test_a_post_that_was_put_back_and_sent_by_the_person_was_taken(stage: Stage) -> None:
    await taken_and_escaped(stage)
    stage.typist.write_keys(b"\r")
    await stage.wait(3600)
    stage.put("m2")
    assert stage.typist.held()[0] == 1, "Enter may have been a line break"
    stage.typist._holds.on_event("UserPromptSubmit", {}, stage.clock.now)
    stage.typist.on_submit(TEXT.format("m1"))
    await stage.wait(1)
    assert told(stage)[-1] == (DeliveryState.TAKEN, "")
    assert stage.typed() == ["m1", "m2"]
