"""The typist: order, gaps, gates, the human's keys, and what happens when a write goes wrong."""

import asyncio
import gc
import re

from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.seat import DeliveryState
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import CLAUDE_CODE, CODEX_CLI, LINE, PASTE, RAW, Profile
from pullcept.pty.terminal import ExitStatus, TerminalEnded, WriteUnsure
from pullcept.pty.typist import LINE_MODE, NO_PASTE, NOT_READING, NOT_READY, SHORTENED, UNSURE_REASON
from tests.pty.virtual import Stage, on_stage, settle

TAG1 = b'[pullcept] {"message_id":"m1"}'


@on_stage(CLAUDE_CODE)
async def test_a_post_is_its_tag_its_body_and_a_separate_enter(stage: Stage) -> None:
    stage.put()
    await stage.wait(2)
    assert stage.terminal.writes == [(0.0, TAG1 + b"\n"), (0.04, b"hello"), (0.24, b"\r")]
    assert stage.states == [("m1", DeliveryState.QUEUED, ""), ("m1", DeliveryState.TYPED, "")]
    assert stage.typing == [True, False]


@on_stage(CLAUDE_CODE)
async def test_a_pause_counts_only_when_the_program_has_read_what_came_before(stage: Stage) -> None:
    stage.terminal.backlog = [31, 31, 0, 5]
    stage.put()
    await stage.wait(2)
    assert stage.terminal.writes == [(0.0, TAG1 + b"\n"), (0.12, b"hello"), (0.52, b"\r")]


@on_stage(CLAUDE_CODE)
async def test_a_program_that_does_not_read_is_named_and_gets_the_rest_when_it_reads_on(stage: Stage) -> None:
    stage.terminal.backlog = [9] * 10_000
    stage.put()
    await stage.wait(12)
    assert stage.typist.held() == (1, NOT_READING)
    assert len(stage.terminal.writes) == 1
    stage.terminal.backlog.clear()
    await stage.wait(2)
    assert stage.typed() == ["m1"]
    assert stage.typist.held() == (0, "")


@on_stage(CODEX_CLI)
async def test_codex_gets_one_paste_with_enter_in_one_write(stage: Stage) -> None:
    stage.put(body="a\n@b")
    await stage.wait(2)
    assert [data for _, data in stage.terminal.writes] == [b"\x1b[200~" + TAG1 + b"\na\n@b \x1b[201~\r"]


@on_stage(CLAUDE_CODE)
async def test_posts_follow_each_other_in_order_without_mixing(stage: Stage) -> None:
    for number in range(5):
        stage.put(f"m{number}", f"body {number}")
    await stage.wait(10)
    turns = stage.terminal.data.decode().split("\r")
    assert [turn.partition("\n")[2] for turn in turns] == [f"body {number}" for number in range(5)] + [""]
    assert stage.typed() == [f"m{number}" for number in range(5)]


@on_stage(CLAUDE_CODE)
async def test_nothing_is_typed_before_the_session_is_ready(stage: Stage) -> None:
    stage.typist.set_gate("ready", False, NOT_READY)
    stage.put()
    await stage.wait(600)
    assert stage.terminal.writes == []
    assert stage.typist.held() == (1, NOT_READY)
    stage.typist.set_gate("ready", True)
    await stage.wait(2)
    assert stage.typed() == ["m1"]
    assert stage.typist.held() == (0, "")


@on_stage(CLAUDE_CODE)
async def test_a_gate_that_closes_under_the_text_holds_enter_until_it_opens(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.1)
    stage.typist.set_gate("permission", False, "a question is open")
    await stage.wait(60)
    assert b"\r" not in stage.terminal.data
    stage.typist.set_gate("permission", True)
    await stage.wait(2)
    assert stage.terminal.data == TAG1 + b"\nhello\r"
    assert stage.typed() == ["m1"]


@on_stage(CLAUDE_CODE)
async def test_keys_reach_the_question_while_enter_is_held(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.1)
    stage.typist.write_keys(b"k")
    stage.typist.set_gate("permission", False, "a question is open")
    await stage.wait(5)
    stage.typist.write_keys(b"2")
    assert stage.terminal.data.endswith(b"hellok2")
    assert stage.typing[-1] is False
    stage.typist.set_gate("permission", True)
    await stage.wait(0.25)
    assert b"\r" not in stage.terminal.data, "no Enter within 0.3 s after a human key"
    await stage.wait(1)
    assert stage.terminal.data.endswith(b"2\r")


@on_stage(CLAUDE_CODE)
async def test_a_gate_may_let_the_enter_of_a_begun_post_through(stage: Stage) -> None:
    stage.put()
    stage.put("m2")
    await stage.wait(0.1)
    stage.typist.set_gate("permission", False, "a question is open", holds_enter=False)
    await stage.wait(60)
    assert stage.typed() == ["m1"]
    assert stage.typist.held() == (1, "a question is open")


@on_stage(CLAUDE_CODE)
async def test_keys_pressed_during_a_post_come_after_it_in_order_and_apart(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.05)
    for key in (b"a", b"b", b"\r", b"\x1b", b"c"):
        stage.typist.write_keys(key)
    await stage.wait(5)
    enter = next(at for at, data in stage.terminal.writes if data == b"\r")
    after = [(round(at - enter, 3), data) for at, data in stage.terminal.writes if at > enter]
    # The Escape is the first one inside the post and went between its pieces, 0.15 s before the next write.
    assert after == [(0.3, b"a"), (0.32, b"b"), (0.47, b"\r"), (0.62, b"c")]
    assert stage.keys == [b"\x1b", b"a", b"b", b"\r", b"c"]


@on_stage(CLAUDE_CODE)
async def test_the_first_escape_goes_between_two_pieces_and_the_next_piece_waits(stage: Stage) -> None:
    stage.put(body="x" * 1000)
    await stage.wait(0.05)
    stage.typist.write_keys(b"\x1b")
    stage.typist.write_keys(b"\x1b")
    await stage.wait(0.1)
    assert stage.terminal.writes[-1] == (0.05, b"\x1b")
    await stage.wait(10)
    times = [at for at, _ in stage.terminal.writes]
    assert times[3] == 0.2, "0.15 s after the Escape"
    assert [data for _, data in stage.terminal.writes].count(b"\x1b") == 2
    assert stage.terminal.writes[-1][1] == b"\x1b", "the second one is kept"


@on_stage(CLAUDE_CODE)
async def test_the_escape_of_an_enhanced_keyboard_goes_at_once_too(stage: Stage) -> None:
    stage.put(body="x" * 1000)
    await stage.wait(0.05)
    stage.typist.write_keys(b"\x1b[27u")
    assert stage.terminal.writes[-1] == (0.05, b"\x1b[27u")


@on_stage(CODEX_CLI)
async def test_an_escape_is_kept_when_the_post_is_a_single_write(stage: Stage) -> None:
    stage.terminal.slow = True
    stage.put()
    await stage.wait(0.01)
    stage.typist.write_keys(b"\x1b")
    assert len(stage.terminal.writes) == 1
    stage.terminal.slow = False
    stage.terminal.pending.pop().set_result(None)
    await stage.wait(2)
    assert [data for _, data in stage.terminal.writes][-1] == b"\x1b"


@on_stage(CLAUDE_CODE)
async def test_a_key_after_a_kept_escape_is_not_read_as_alt(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.3)
    stage.typist.write_keys(b"\x1b")
    await stage.wait(0.245)
    assert stage.terminal.writes[-1][1] == b"\x1b"
    stage.typist.write_keys(b"p")
    await stage.wait(1)
    (before, _), (after, data) = stage.terminal.writes[-2:]
    assert data == b"p"
    assert round(after - before, 6) >= 0.3


@on_stage(CLAUDE_CODE)
async def test_control_c_is_kept_while_a_post_is_typed(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.1)
    stage.typist.write_keys(b"\x03")
    await stage.wait(5)
    assert stage.terminal.data == TAG1 + b"\nhello\r\x03"


@on_stage(CLAUDE_CODE)
async def test_mouse_and_focus_reports_pass_at_any_time_and_are_no_keys(stage: Stage) -> None:
    stage.put()
    await stage.wait(0.1)
    for report in (b"\x1b[<0;3;4M", b"\x1b[<0;3;4m", b"\x1b[I", b"\x1b[O", b"\x1b[M !!"):
        stage.typist.write_keys(report)
        assert stage.terminal.writes[-1] == (0.1, report)
    assert stage.keys == []


@on_stage(CLAUDE_CODE)
async def test_no_text_follows_a_human_key_within_three_tenths_of_a_second(stage: Stage) -> None:
    stage.typist.write_keys(b"a")
    assert stage.terminal.writes == [(0.0, b"a")]
    stage.put()
    await stage.wait(0.2)
    stage.typist.write_keys(b"b")
    await stage.wait(0.29)
    assert stage.terminal.data == b"ab"
    await stage.wait(1)
    assert stage.terminal.writes[2][0] == 0.5


@on_stage(CLAUDE_CODE)
async def test_a_terminal_that_does_not_read_is_named_and_nothing_is_lost(stage: Stage) -> None:
    stage.terminal.slow = True
    stage.put()
    stage.put("m2")
    await stage.wait(5)
    stage.terminal.stalled = True
    await stage.wait(10)
    assert stage.typist.held() == (2, NOT_READING)
    assert len(stage.terminal.writes) == 1
    stage.terminal.stalled = stage.terminal.slow = False
    stage.terminal.pending.pop().set_result(None)
    await stage.wait(5)
    assert stage.typed() == ["m1", "m2"]
    assert stage.terminal.data.count(b"hello") == 2


@on_stage(CLAUDE_CODE)
async def test_a_write_that_failed_half_way_is_never_typed_again(stage: Stage) -> None:
    stage.put(body="x" * 3000)
    stage.put("m2")
    await stage.wait(0.1)
    stage.terminal.errors.append(WriteUnsure())
    await stage.wait(60)
    assert stage.failed() == [("m1", UNSURE_REASON)]
    assert stage.typed() == []
    assert stage.terminal.data.count(TAG1) == 1
    assert stage.typist.held() == (1, UNSURE_REASON)
    stage.typist.set_gate("unsure", True)
    await stage.wait(5)
    assert stage.typed() == ["m2"]


@on_stage(CLAUDE_CODE)
async def test_after_the_process_ended_nothing_is_written_and_the_queue_is_given_back(stage: Stage) -> None:
    stage.terminal.exited = ExitStatus(0, None, "exit code 0")
    stage.put()
    await stage.wait(5)
    assert stage.terminal.writes == []
    assert stage.typist.close() == ("m1",)
    stage.put("m2")
    assert stage.failed() == [("m2", "the session has ended")]


@on_stage(CLAUDE_CODE)
async def test_an_end_before_the_first_byte_gives_the_post_back(stage: Stage) -> None:
    stage.terminal.errors.append(TerminalEnded(0))
    stage.put()
    await stage.wait(5)
    assert stage.failed() == []
    assert stage.typist.close() == ("m1",)


@on_stage(CLAUDE_CODE)
async def test_a_write_that_ends_late_by_an_error_is_told_once(stage: Stage) -> None:
    complaints: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: complaints.append(context["message"]))
    stage.terminal.slow = True
    stage.put()
    await settle()
    stage.terminal.pending.pop().set_exception(TerminalEnded(0))
    await stage.wait(1.0)
    stage.put("m2")
    stage.typist.close()
    await settle()
    gc.collect()
    assert complaints == []


@on_stage(CLAUDE_CODE)
async def test_an_end_in_the_middle_of_a_post_leaves_it_unsure(stage: Stage) -> None:
    stage.put(body="x" * 3000)
    stage.put("m2")
    await stage.wait(0.1)
    assert stage.typist.close("stopped") == ("m2",)
    await settle()
    assert stage.failed() == [("m1", UNSURE_REASON)]
    written = len(stage.terminal.writes)
    await stage.wait(60)
    assert len(stage.terminal.writes) == written
    assert stage.typing == [True, False]


@on_stage(CODEX_CLI, takes_paste=lambda: False)
async def test_a_paste_waits_until_the_program_takes_pastes(stage: Stage) -> None:
    stage.put()
    await stage.wait(60)
    assert stage.terminal.writes == []
    assert stage.typist.held() == (1, NO_PASTE)


@on_stage(CLAUDE_CODE)
async def test_nothing_is_typed_while_the_program_reads_whole_lines(stage: Stage) -> None:
    stage.terminal.line_mode = True
    stage.put()
    await stage.wait(60)
    assert stage.terminal.writes == []
    assert stage.typist.held() == (1, LINE_MODE)
    stage.terminal.line_mode = False
    await stage.wait(3)
    assert stage.typed() == ["m1"]


@on_stage(LINE)
async def test_a_line_too_long_for_the_terminal_is_refused_with_its_reason(stage: Stage) -> None:
    stage.terminal.line_mode = True
    stage.put(body="A" * 6000)
    stage.put("m2", "one\ntwo")
    await stage.wait(3)
    assert [message_id for message_id, _ in stage.failed()] == ["m1"]
    assert "4,096" in stage.failed()[0][1]
    assert stage.terminal.data == b'[pullcept] {"message_id":"m2"} \xe2\x8f\x8e one \xe2\x8f\x8e two\r'


@on_stage(RAW)
async def test_a_generic_program_gets_a_millisecond_for_each_character(stage: Stage) -> None:
    stage.put(body="x" * 1000)
    await stage.wait(5)
    assert [round(at, 3) for at, _ in stage.terminal.writes] == [0.0, round((len(TAG1) + 1001) / 1000, 3)]


def test_a_body_over_the_limit_arrives_as_its_head_and_a_path() -> None:
    saved: list[str] = []

    async def save(post: TypedPost, text: str) -> str:
        saved.append(text)
        return "/data/attachments/t/post-12345678.txt"

    @on_stage(PASTE, save_long=save)
    async def play(stage: Stage) -> None:
        stage.put(body="y" * 70_000)
        await stage.wait(5)
        assert saved == ["y" * 70_000]
        typed = stage.terminal.writes[0][1].decode()
        assert "y" * 2000 in typed
        assert "y" * 2001 not in typed
        assert "/data/attachments/t/post-12345678.txt" in typed
        assert stage.states[-1] == ("m1", DeliveryState.TYPED, SHORTENED)

    play()


def test_a_body_that_cannot_be_saved_fails_with_its_reason_and_the_next_goes_on() -> None:
    async def save(post: TypedPost, text: str) -> str:
        raise OSError(28, "No space left on device")

    @on_stage(PASTE, save_long=save)
    async def play(stage: Stage) -> None:
        stage.put(body="y" * 70_000)
        stage.put("m2")
        await stage.wait(5)
        assert re.search("could not be saved: No space", stage.failed()[0][1])
        assert stage.typed() == ["m2"]

    play()


@on_stage(CLAUDE_CODE)
async def test_keys_in_a_flood_of_posts_are_neither_lost_nor_reordered(stage: Stage) -> None:
    for number in range(10):
        stage.put(f"m{number}")
    pressed = []
    for number in range(40):
        key = f"<{number}>".encode()
        pressed.append(key)
        stage.typist.write_keys(key)
        await stage.wait(0.13)
    await stage.wait(30)
    assert stage.keys == pressed
    assert len(stage.typed()) == 10
    for turn in re.findall(rb"\[pullcept\][^\r]*\r", stage.terminal.data):
        assert b"<" not in turn


@given(
    st.lists(st.tuples(st.sampled_from(["a", "\r", "\x1b", "\x03", "long paste", "post"]), st.integers(0, 700))),
    st.sampled_from([CLAUDE_CODE, CODEX_CLI, RAW]),
)
def test_whatever_a_human_presses_while_posts_come_all_arrives_and_nothing_mixes(
    events: list[tuple[str, int]], profile: Profile
) -> None:
    @on_stage(profile)
    async def play(stage: Stage) -> None:
        pressed, posts = [], 0
        for what, pause in events:
            if what == "post":
                posts += 1
                stage.put(f"m{posts}", "body " * 100)
            else:
                pressed.append(what.encode())
                stage.typist.write_keys(what.encode())
            await stage.wait(pause / 1000)
        await stage.wait(60)
        assert stage.typed() == [f"m{number + 1}" for number in range(posts)]
        assert sorted(stage.keys) == sorted(pressed)
        without_escapes = [key for key in stage.keys if key != b"\x1b"]
        assert without_escapes == [key for key in pressed if key != b"\x1b"], "only Escape may go ahead"
        assert_posts_unmixed(stage, posts)

    play()


def assert_posts_unmixed(stage: Stage, posts: int) -> None:
    writes = [data for _, data in stage.terminal.writes]
    for number in range(1, posts + 1):
        first = next(index for index, data in enumerate(writes) if b'"m%d"' % number in data)
        inside, enter = [], first
        while not writes[enter].endswith(b"\r"):
            inside.append(writes[enter])
            enter += 1
        keys = {b"a", b"\x03", b"long paste"}
        assert not keys & set(inside)
        assert inside.count(b"\x1b") <= 1


def test_a_typist_that_was_never_used_closes_without_a_loop() -> None:
    async def play() -> tuple[str, ...]:
        return Stage(CLAUDE_CODE).typist.close()

    assert asyncio.run(play()) == ()


@on_stage(CLAUDE_CODE)
async def test_enter_is_far_enough_behind_the_last_key_to_be_read_alone(stage: Stage) -> None:
    stage.typist.write_keys(b"y")
    stage.typist.write_keys(b"\r")
    stage.typist.write_keys(b"n")
    await stage.wait(1)
    stage.typist.write_keys(b"\r")
    await stage.wait(1)
    assert stage.terminal.writes == [(0, b"y"), (0.15, b"\r"), (0.3, b"n"), (1, b"\r")]
