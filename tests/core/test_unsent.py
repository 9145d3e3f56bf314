"""Unsent input: known from keys alone, never ended by time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.input_box import CLAUDE_CODE_BOX, CODEX_BOX, PLAIN_BOX, Box
from pullcept.core.unsent import CONFIRMED_WITHIN, Unsent, UnsentState

EMPTY, UNSENT, MAYBE = UnsentState.EMPTY, UnsentState.UNSENT, UnsentState.MAYBE
ENTER, BACKSPACE, ESCAPE, CTRL_C, CTRL_U, CTRL_W = b"\r", b"\x7f", b"\x1b", b"\x03", b"\x15", b"\x17"
UP, LEFT, TAB, CTRL_R, CTRL_Y = b"\x1b[A", b"\x1b[D", b"\t", b"\x12", b"\x19"
REPORTS = [b"\x1b[I", b"\x1b[O", b"\x1b[<35;10;20M", b"\x1b[<0;3;4m", b"\x1b[Z", b"\x1b[5~", b"\x1bOP", b"\x1bp"]
CLUSTERS = ["a", "日", "é", "e\u0301", "👨‍👩‍👧", "🇯🇵", "👍🏽", "ｶﾞ", "각", "\\", "@", " "]


class Pane:
    """A person at the keyboard: every key a little after the one before."""

    def __init__(self, box: Box = PLAIN_BOX) -> None:
        self.unsent = Unsent(box)
        self.unsent.set_ready(True)
        self.now = 100.0

    def press(self, *keys: bytes | str, apart: float = 0.1, turn_runs: bool = False) -> UnsentState:
        for key in keys:
            self.now += apart
            self.unsent.on_keys(key.encode() if isinstance(key, str) else key, self.now, turn_runs=turn_runs)
        return self.unsent.state


@pytest.fixture
def pane() -> Pane:
    return Pane()


def test_text_is_unsent_until_enter(pane: Pane) -> None:
    assert pane.unsent.state is EMPTY
    assert pane.press(*"merge it only if ") is UNSENT
    assert pane.press("tests pass", ENTER) is EMPTY


def test_no_time_ever_empties_it(pane: Pane) -> None:
    pane.press(*"abc")
    pane.now += 1e6
    assert pane.unsent.state is UNSENT
    assert pane.press(UP) is UNSENT


@pytest.mark.parametrize(
    "clearing", [[ENTER], [CTRL_C], [CTRL_U], [ESCAPE, ESCAPE], [b"\x1b[27u"] * 2, [b"\x1b[99;5u"]]
)
def test_enter_and_the_clearing_keys_empty_it(pane: Pane, clearing: list[bytes]) -> None:
    pane.press(*"abc")
    assert pane.press(*clearing) is EMPTY


def test_ctrl_u_in_a_second_line_leaves_the_first(pane: Pane) -> None:
    assert pane.press(*"abc", b"\n", *"def", CTRL_U) is UNSENT
    assert pane.press(CTRL_U) is UNSENT  # the line break
    assert pane.press(CTRL_U) is EMPTY


def test_ctrl_u_in_a_line_that_is_drawn_as_two_does_not_empty_it(pane: Pane) -> None:
    assert pane.press("漢" * 60, CTRL_U) is UNSENT
    assert Pane(CODEX_BOX).press("漢" * 60, CTRL_U) is EMPTY


def test_two_escapes_far_apart_clear_nothing(pane: Pane) -> None:
    pane.press(*"abc")
    assert pane.press(ESCAPE, ESCAPE, apart=2.0) is UNSENT
    assert pane.press(ESCAPE, "x", ESCAPE) is UNSENT


def test_escape_twice_on_an_empty_box_may_bring_a_former_prompt_back(pane: Pane) -> None:
    assert pane.press(ESCAPE, ESCAPE) is MAYBE
    assert pane.press(ESCAPE) is EMPTY
    assert pane.press(ESCAPE, UP, apart=1.0) is MAYBE
    pane.press(ENTER)
    assert pane.press(ESCAPE, ESCAPE) is MAYBE
    assert pane.press(ENTER) is MAYBE
    assert pane.press(ENTER) is EMPTY


@pytest.mark.parametrize("cluster", ["a", "日", "e\u0301", "👨‍👩‍👧‍👦", "🇯🇵", "👍🏽", "ｶﾞ"])
def test_one_backspace_removes_one_grapheme(pane: Pane, cluster: str) -> None:
    assert pane.press("x", cluster, BACKSPACE) is UNSENT
    assert pane.press(BACKSPACE) is EMPTY


def test_ctrl_w_removes_one_word(pane: Pane) -> None:
    assert pane.press("hello big  world ", CTRL_W, CTRL_W) is UNSENT
    assert pane.press(CTRL_W) is EMPTY


def test_ctrl_w_removes_the_least_that_any_cli_removes(pane: Pane) -> None:
    assert pane.press("foo.bar", CTRL_W, CTRL_W) is UNSENT
    assert pane.press(CTRL_W) is EMPTY
    assert pane.press("日本", CTRL_W) is UNSENT


def test_ctrl_w_takes_all_up_to_a_blank_in_claude_code() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("see 日本語/foo-bar.py  ", CTRL_W) is UNSENT
    assert pane.press(CTRL_W) is EMPTY
    assert pane.press("日本\u3000語", CTRL_W) is UNSENT
    assert pane.press(CTRL_W) is EMPTY
    assert pane.press("one", b"\n", "two", CTRL_W, CTRL_W) is UNSENT
    assert pane.press(CTRL_W) is EMPTY


def test_a_spacing_mark_is_removed_with_its_letter_in_claude_code_and_alone_in_codex() -> None:
    assert Pane(CLAUDE_CODE_BOX).press("षि", BACKSPACE) is EMPTY
    assert Pane(CODEX_BOX).press("षि", BACKSPACE) is UNSENT
    assert Pane(CODEX_BOX).press("กำ", BACKSPACE) is UNSENT


def test_two_escapes_clear_nothing_in_codex() -> None:
    pane = Pane(CODEX_BOX)
    assert pane.press("abc", ESCAPE, ESCAPE) is UNSENT
    assert pane.press(CTRL_C) is EMPTY


def test_text_that_was_put_aside_comes_back_with_the_next_send() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("abc", b"\x13") is UNSENT
    assert pane.press(CTRL_C) is MAYBE
    assert pane.press("other", ENTER) is MAYBE
    pane.unsent.on_submit("other", pane.now)
    assert pane.unsent.state is MAYBE
    assert pane.press(ENTER) is MAYBE
    pane.unsent.on_turn_began()
    assert pane.unsent.state is EMPTY
    pane.press("abc", b"\x13")
    pane.unsent.clear()
    assert pane.unsent.state is EMPTY


@pytest.mark.parametrize("paste", [b"\x1b[200~ab\x1b[201~", b"ab"])
def test_a_paste_is_text_with_its_line_ends(pane: Pane, paste: bytes) -> None:
    assert pane.press(paste) is UNSENT
    assert pane.press(BACKSPACE) is UNSENT
    assert pane.press(BACKSPACE) is EMPTY
    assert pane.press(paste + b"\r") is UNSENT
    assert pane.press(b"\x1b[200~ab\r\x1b[201~") is UNSENT


def test_a_paste_that_may_be_folded_is_not_removed_cluster_by_cluster(pane: Pane) -> None:
    pane.press(b"\x1b[200~a\n\n\nb\x1b[201~")
    assert pane.press(*[BACKSPACE] * 5) is MAYBE
    assert pane.press(ENTER) is EMPTY


def test_a_paste_that_has_only_begun_is_unsent(pane: Pane) -> None:
    assert pane.press(b"\x1b[200~") is UNSENT
    assert pane.press(b"\x1b[201~") is EMPTY


@pytest.mark.parametrize("key", [UP, b"\x1b[B", b"\x1bOA", CTRL_R, CTRL_Y, TAB, b"\x1b[1;1:1A", b"\x10", b"\x16"])
def test_recall_completion_and_yank_may_bring_text(pane: Pane, key: bytes) -> None:
    assert pane.press(key) is MAYBE
    assert pane.press(BACKSPACE, CTRL_W, CTRL_U) is MAYBE
    assert pane.press(ENTER) is EMPTY
    assert pane.press(key, CTRL_C) is EMPTY
    assert pane.press(key, ESCAPE, ESCAPE) is EMPTY


def test_a_removal_behind_a_moved_cursor_does_not_prove_the_box_empty(pane: Pane) -> None:
    pane.press("ab", LEFT, LEFT)
    assert pane.press(CTRL_U) is UNSENT
    assert pane.press(BACKSPACE, BACKSPACE) is MAYBE
    assert pane.press(CTRL_C, LEFT, "a", BACKSPACE) is EMPTY


@pytest.mark.parametrize("report", REPORTS)
def test_reports_and_other_sequences_change_nothing(pane: Pane, report: bytes) -> None:
    assert pane.press(report) is EMPTY
    assert pane.press("a", report) is UNSENT
    assert pane.press(BACKSPACE) is EMPTY


def test_a_report_between_two_escapes_leaves_them_a_pair(pane: Pane) -> None:
    assert pane.press("a", ESCAPE, b"\x1b[<35;1;1M", ESCAPE) is EMPTY


# --- while keys go elsewhere ----------------------------------------------------------------------------------


def test_keys_before_the_session_is_ready_are_answers_to_its_first_screens(pane: Pane) -> None:
    pane.unsent.set_ready(False)
    assert pane.press("1", "yes") is EMPTY
    pane.unsent.set_ready(True)
    assert pane.press("1") is UNSENT


def test_a_question_takes_keys_from_the_first_pause_on(pane: Pane) -> None:
    pane.press(*"abc")
    pane.unsent.set_question(True)
    assert pane.press(BACKSPACE, BACKSPACE, BACKSPACE, apart=1.0) is EMPTY
    assert pane.press("1", apart=1.4) is EMPTY
    assert pane.press("x", apart=0.1) is EMPTY
    assert pane.unsent.keys_go_to_question(pane.now)
    pane.unsent.set_question(False)
    assert pane.press("x") is UNSENT


def test_a_pause_before_a_click_counts_although_a_key_follows_the_click(pane: Pane) -> None:
    pane.unsent.set_question(True)
    pane.now += 5
    pane.unsent.on_bytes(pane.now)
    assert pane.press("1", apart=0.3) is EMPTY


def test_bytes_of_a_post_put_the_question_off(pane: Pane) -> None:
    pane.unsent.on_bytes(pane.now)
    pane.unsent.set_question(True)
    pane.unsent.on_bytes(pane.now + 1.0)
    assert not pane.unsent.keys_go_to_question(pane.now + 2.3)
    assert pane.press("x", apart=2.3) is UNSENT


def asked(pane: Pane) -> None:
    """A question is drawn."""
    pane.unsent.set_question(True)
    pane.now += 2.0
    assert pane.unsent.keys_go_to_question(pane.now)


@pytest.mark.parametrize(
    "keys",
    [["1"], ["y"], [ENTER], [ESCAPE], [CTRL_C], [UP, UP, ENTER], [TAB, *"use the other", ENTER], ["1", "2", ENTER]],
)
def test_keys_that_answer_a_question_leave_nothing_behind(pane: Pane, keys: list[bytes | str]) -> None:
    asked(pane)
    pane.press(*keys)
    pane.unsent.set_question(False)
    assert pane.unsent.state is EMPTY


@pytest.mark.parametrize("keys", [["1", *"and then"], [ENTER, "x"], [ESCAPE, "x", ESCAPE], ["1", UP], ["2", "1"]])
def test_text_behind_an_answer_may_be_in_the_box_although_the_end_of_the_question_was_not_told_yet(
    pane: Pane, keys: list[bytes | str]
) -> None:
    asked(pane)
    pane.press(*keys)
    assert pane.unsent.state is EMPTY
    pane.unsent.set_question(False)
    assert pane.unsent.state is MAYBE
    assert pane.press(ENTER) is EMPTY


def test_the_same_answer_once_more_after_a_look_is_an_answer_still(pane: Pane) -> None:
    asked(pane)
    pane.press("1", "1", apart=1.5)
    pane.unsent.set_question(False)
    assert pane.unsent.state is EMPTY
    asked(pane)
    pane.press("1", "1", apart=0.2)
    pane.unsent.set_question(False)
    assert pane.unsent.state is MAYBE


def test_each_of_several_questions_takes_an_answer(pane: Pane) -> None:
    asked(pane)
    pane.press("1")
    pane.unsent.on_next_question()
    pane.press("1")
    pane.unsent.set_question(False)
    assert pane.unsent.state is EMPTY


def test_enter_into_a_drawn_question_sends_nothing_of_the_box(pane: Pane) -> None:
    pane.press(*"abc")
    pane.unsent.set_question(True)
    assert pane.press(ENTER, CTRL_C, apart=2.0) is UNSENT


# --- submits --------------------------------------------------------------------------------------------------


def test_a_submit_empties_the_box_only_when_it_is_its_text(pane: Pane) -> None:
    pane.press(*"go on")
    pane.unsent.on_submit("something else", pane.now)
    assert pane.unsent.state is UNSENT
    pane.unsent.on_submit("go on", pane.now)
    assert pane.unsent.state is EMPTY


def test_the_late_report_of_a_line_sent_before_does_not_empty_the_same_line_typed_again(pane: Pane) -> None:
    pane.press("go", ENTER, "go")
    pane.unsent.on_submit("go", pane.now)
    assert pane.unsent.state is UNSENT
    pane.unsent.on_submit("go", pane.now)
    assert pane.unsent.state is EMPTY


def test_a_line_whose_report_never_came_is_forgotten(pane: Pane) -> None:
    pane.press("/clear", ENTER, "/clear", apart=1)
    pane.unsent.on_submit("/clear", pane.now + 60)
    assert pane.unsent.state is EMPTY


def test_a_submit_does_not_end_a_doubt_that_has_no_text(pane: Pane) -> None:
    pane.press(UP)
    pane.unsent.on_submit("", pane.now)
    assert pane.unsent.state is MAYBE


def test_the_person_can_say_that_there_is_nothing(pane: Pane) -> None:
    pane.press("abc", UP)
    pane.unsent.clear()
    assert pane.unsent.state is EMPTY


# --- what kinds of CLI do with Enter and Escape -----------------------------------------------------------------


def test_claude_code_may_put_a_prompt_back_after_escape_in_a_turn() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press(ESCAPE, turn_runs=True) is MAYBE
    assert pane.unsent.put_back
    pane.unsent.on_interrupted()
    assert pane.unsent.state is EMPTY


def test_a_post_taken_whole_proves_that_nothing_was_put_back_before_it() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press(ESCAPE, turn_runs=True)
    pane.unsent.on_post_whole(pane.now - 1)
    assert pane.unsent.state is MAYBE
    pane.unsent.on_post_whole(pane.now + 1)
    assert pane.unsent.state is EMPTY


def test_a_prompt_put_back_is_gone_when_the_person_clears() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press(ESCAPE, turn_runs=True)
    assert pane.press(BACKSPACE, CTRL_W) is MAYBE
    assert pane.press(CTRL_C) is EMPTY


def test_the_escape_that_interrupts_is_not_the_first_of_a_pair() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("abc")
    pane.press(ESCAPE, turn_runs=True)
    assert pane.press(ESCAPE) is UNSENT


def test_ctrl_c_in_a_turn_interrupts_like_escape_and_clears_nothing_in_claude_code() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press(CTRL_C, turn_runs=True) is MAYBE
    pane.unsent.on_interrupted()
    pane.unsent.on_turn_began()
    assert pane.press("abc", CTRL_C, turn_runs=True) is UNSENT
    assert Pane(CODEX_BOX).press("abc", CTRL_C, turn_runs=True) is EMPTY


def test_keys_behind_an_interrupting_one_find_an_idle_cli_although_no_event_says_so() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("abc", ESCAPE, turn_runs=True)
    assert pane.press(CTRL_C, turn_runs=True) is EMPTY
    pane.unsent.on_turn_began()
    assert pane.press("abc", CTRL_C, turn_runs=True) is UNSENT


def test_an_escape_that_may_only_have_closed_a_list_interrupts_nothing_for_sure() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("see @fi", ESCAPE, CTRL_C, turn_runs=True) is UNSENT


def test_codex_puts_nothing_back() -> None:
    assert Pane(CODEX_BOX).press(ESCAPE, turn_runs=True) is EMPTY


def test_enter_behind_a_backslash_is_a_line_break_in_claude_code() -> None:
    assert Pane(CLAUDE_CODE_BOX).press("one\\", ENTER) is UNSENT
    assert Pane(CODEX_BOX).press("one\\", ENTER) is EMPTY


def test_the_first_enter_only_removes_invisible_characters_in_claude_code() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("a\u202eb", ENTER) is UNSENT
    assert pane.press(ENTER) is MAYBE
    pane.unsent.on_submit("ab", pane.now)
    assert pane.unsent.state is EMPTY


def test_enter_may_take_the_entry_of_a_list_instead_of_sending() -> None:
    pane = Pane(CODEX_BOX)
    assert pane.press("ask @li", ENTER) is UNSENT
    assert pane.press(ENTER) is EMPTY
    assert pane.press("tell @li", ENTER) is UNSENT
    pane.unsent.on_submit("tell @li", pane.now)
    assert pane.unsent.state is EMPTY
    assert pane.press("ask @lin please", ENTER) is EMPTY
    assert Pane(CLAUDE_CODE_BOX).press("ask @li", ENTER) is MAYBE


def test_a_line_may_still_be_in_the_box_of_claude_code_until_it_is_told() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("one", ENTER) is MAYBE
    assert pane.press("two") is UNSENT
    assert pane.press(ENTER) is MAYBE
    pane.unsent.on_submit("one", pane.now)
    assert pane.unsent.state is MAYBE
    pane.unsent.on_submit("two", pane.now)
    assert pane.unsent.state is EMPTY


def test_a_line_that_the_box_changed_is_told_by_any_prompt() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("look at [Pasted text]", ENTER)
    pane.unsent.on_submit("look at what was pasted", pane.now)
    assert pane.unsent.state is EMPTY


@pytest.mark.parametrize("line", ["/status", "!ls", " /clear", ""])
def test_a_command_is_told_by_nobody(line: str) -> None:
    assert Pane(CLAUDE_CODE_BOX).press(line, ENTER) is EMPTY


def test_a_line_that_was_not_told_in_its_time_counts_as_sent() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("one", ENTER)
    assert pane.unsent.told_by(pane.now) == pane.now + CONFIRMED_WITHIN
    assert pane.unsent.told_by(pane.now + CONFIRMED_WITHIN - 0.1) is not None
    assert pane.unsent.state is MAYBE
    assert pane.unsent.told_by(pane.now + CONFIRMED_WITHIN) is None
    assert pane.unsent.state is EMPTY


def test_a_post_taken_whole_and_a_cleared_box_prove_that_a_line_was_sent() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("one", ENTER)
    pane.unsent.on_post_whole(pane.now - 1)
    assert pane.unsent.state is MAYBE
    pane.unsent.on_post_whole(pane.now)
    assert pane.unsent.state is EMPTY
    pane.press("one", ENTER)
    assert pane.press(CTRL_C) is EMPTY
    pane.press("one", ENTER)
    pane.unsent.clear()
    assert pane.unsent.state is EMPTY


def test_enter_into_a_prompt_that_was_put_back_sends_it_only_when_that_is_told() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press(ESCAPE, turn_runs=True) is MAYBE
    assert pane.press(ENTER) is MAYBE
    assert pane.unsent.told_by(pane.now + 3600) is None
    assert pane.unsent.state is MAYBE
    pane.unsent.on_turn_began()
    assert pane.unsent.state is EMPTY
    pane.press(ESCAPE, turn_runs=True)
    pane.press(ENTER)
    assert pane.press(CTRL_C) is EMPTY
    pane.unsent.on_turn_began()
    assert pane.unsent.state is EMPTY


def test_a_former_prompt_that_is_sent_again_may_be_in_the_box_until_a_prompt_is_told() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press(UP)
    assert pane.press(ENTER) is MAYBE
    pane.unsent.on_turn_began()
    assert pane.unsent.state is EMPTY


def test_two_escapes_leave_a_doubt_in_claude_code() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    assert pane.press("x", ESCAPE, ESCAPE) is MAYBE
    assert pane.press(CTRL_C) is EMPTY


def test_what_the_cli_tells_itself_is_no_line_of_the_person() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press("x", ENTER)
    pane.unsent.on_submit("<task-notification>\n<task-id>1</task-id>", pane.now)
    assert pane.unsent.state is MAYBE


# --- properties -----------------------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.sampled_from(CLUSTERS), st.sampled_from([BACKSPACE, *REPORTS])), max_size=40))
def test_backspace_is_exact_for_any_typing(keys: list[str | bytes]) -> None:
    pane = Pane()
    box: list[str] = []
    for key in keys:
        state = pane.press(key)
        if key == BACKSPACE:
            del box[-1:]
        elif isinstance(key, str):
            box.append(key)
        assert state is (UNSENT if box else EMPTY)


@given(st.lists(st.lists(st.sampled_from(CLUSTERS), min_size=1, max_size=5), max_size=6), st.booleans(), st.data())
def test_backspace_is_exact_for_pastes(pastes: list[list[str]], bracketed: bool, data: st.DataObject) -> None:
    pane = Pane()
    count = 0
    for paste in pastes:
        text = "".join(paste).encode()
        pane.press(b"\x1b[200~" + text + b"\x1b[201~" if bracketed else text)
        count += len(paste)
    for left in reversed(range(count)):
        assert pane.press(BACKSPACE) is (UNSENT if left else EMPTY)


@given(st.lists(st.text("abcxyz01", min_size=1, max_size=5), min_size=1, max_size=8))
def test_ctrl_w_is_exact_for_words(words: list[str]) -> None:
    pane = Pane()
    pane.press(" ".join(words))
    for left in reversed(range(len(words))):
        assert pane.press(CTRL_W) is (UNSENT if left else EMPTY)


@given(
    st.lists(st.binary(min_size=1, max_size=8), max_size=12), st.sampled_from([PLAIN_BOX, CLAUDE_CODE_BOX, CODEX_BOX])
)
def test_what_was_typed_stays_unsent_whatever_follows_but_a_removing_key(writes: list[bytes], box: Box) -> None:
    removing = {ENTER, BACKSPACE, b"\x08", ESCAPE, CTRL_C, CTRL_U, CTRL_W}
    pane = Pane(box)
    pane.press("abc")
    for write in writes:
        if write not in removing and not write.endswith(b"u"):
            assert pane.press(write) is UNSENT


@given(
    st.lists(st.one_of(st.binary(max_size=6), st.sampled_from([ENTER, ESCAPE, CTRL_C, UP, b"\x1b[200~"])), max_size=20)
)
def test_no_keys_make_it_raise_and_ctrl_c_outside_a_paste_empties_it(writes: list[bytes]) -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    for write in writes:
        pane.press(write, turn_runs=len(write) % 2 == 0)
    pane.press(b"\x1b[201~", CTRL_C)
    assert pane.press(CTRL_C, ENTER, CTRL_C) is EMPTY


def test_a_second_interrupting_escape_counts_once_the_cli_has_taken_the_next_prompt() -> None:
    pane = Pane(CLAUDE_CODE_BOX)
    pane.press(ESCAPE, turn_runs=True)
    pane.unsent.on_interrupted()
    assert pane.unsent.state is EMPTY
    pane.unsent.on_turn_began()
    assert pane.press(ESCAPE, apart=5.0, turn_runs=True) is MAYBE
    assert pane.unsent.put_back
