"""What a submit proves about a post."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pullcept.core.submit import Match, compare, same_text

TAG = '[pullcept] {"role":"admin","from":"Master","message_id":"m-1"}'
BODIES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)


def verdict(body: str, submitted: str) -> Match:
    return compare(f"{TAG}\n{body}", submitted, "m-1")


def test_the_same_text_is_whole() -> None:
    assert verdict("一つ目", f"{TAG}\n一つ目") is Match.WHOLE


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        ("e\u0301tude", "étude"),
        ("か\u3099", "が"),
        ("a\u200bb", "ab"),
        ("a\u200b\u0301", "á"),
        ("one\u2028two\u2029three", "one\ntwo\nthree"),
        ("x </pasted_content> y", "x <\\/pasted_content> y"),
        ('x <pasted_content id="1"> y', 'x <\\pasted_content id="1"> y'),
        ("tail \\ ", "tail \\"),
        ("a\tb", "a    b"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("family 👨‍👩‍👧", "family 👨👩👧"),
        ("body\n\n", "body"),
    ],
)
def test_what_the_cli_changes_by_itself_is_still_whole(body: str, taken: str) -> None:
    assert verdict(body, f"{TAG}\n{taken}") is Match.WHOLE


@pytest.mark.parametrize("taken", ["first line", "first line\nthird", "", "first line\n\nsecond\nthird"])
def test_lost_or_added_text_is_cut(taken: str) -> None:
    assert verdict("first line\nsecond\nthird", f"{TAG}\n{taken}") is Match.CUT


@pytest.mark.parametrize(
    "taken",
    [
        f'{TAG}\n\n\n<pasted_content id="a1b2">\none\n\ntwo\n</pasted_content id="a1b2">\n',
        f'{TAG}\n\n\n<pasted_content id="a1b2">\none\n\ntwo\n</pasted_content id="a1b2">',
        f'{TAG}\n\n<pasted_content id="a1b2">\none\n\ntwo\n</pasted_content id="a1b2">',
        f'\n\n<pasted_content id="a1b2">\n{TAG}\none\n\ntwo\n</pasted_content id="a1b2">\n',
        f'{TAG}\none\n\n\n\n<pasted_content id="a1b2">\ntwo\n</pasted_content id="a1b2">\n',
        f'{TAG}\none\n\n\n<pasted_content id="a">\n\ntw\n</pasted_content id="a">\no',
    ],
)
def test_a_block_that_the_cli_wrapped_is_whole_when_its_inside_is_exact(taken: str) -> None:
    assert verdict("one\n\ntwo", taken) is Match.WHOLE


def test_a_wrapped_block_with_a_line_missing_is_cut() -> None:
    taken = f'{TAG}\n\n\n<pasted_content id="a1b2">\none\ntwo\n</pasted_content id="a1b2">\n'
    assert verdict("one\n\ntwo", taken) is Match.CUT


def test_the_id_counts_anywhere_and_other_text_around_is_told() -> None:
    assert verdict("body", f"half a line of a person{TAG}\nbody") is Match.JOINED
    assert verdict("body", f"{TAG}\nbody\n\nand more") is Match.JOINED


def test_a_submit_without_the_id_is_not_ours() -> None:
    assert verdict("body", "body") is Match.NOT_OURS
    assert verdict("body", f"{TAG}\nbody".replace("m-1", "m-10")) is Match.NOT_OURS


def test_an_id_that_is_a_common_word_does_not_match_any_text() -> None:
    assert compare('[pullcept] {"message_id":"a"}\nx', "a person says a lot", "a") is Match.NOT_OURS


def test_an_id_is_looked_for_as_the_tag_spells_it() -> None:
    typed = '[pullcept] {"message_id":"m\\u00401"}\nx'
    assert compare(typed, typed, "m@1") is Match.WHOLE


def test_the_end_of_a_sub_agent_that_quotes_the_tag_proves_nothing() -> None:
    assert verdict("body", f"<task-notification>\n<result>{TAG}</result>") is Match.NOT_OURS


def test_same_text_overlooks_what_a_cli_changes() -> None:
    assert same_text("go\u200b on ", "go on")
    assert not same_text("go on", "go off")


@given(BODIES)
def test_every_body_is_whole_when_it_comes_as_typed(body: str) -> None:
    assert verdict(body, f"{TAG}\n{body}") is Match.WHOLE
    assert verdict(body, unicodedata.normalize("NFC", f"{TAG}\n{body}").rstrip()) is Match.WHOLE


@given(st.text("abc日 \n", min_size=2, max_size=60), st.data())
def test_a_body_with_a_letter_missing_is_never_whole(body: str, data: st.DataObject) -> None:
    assume(body.strip())
    index = data.draw(st.integers(0, len(body) - 1))
    assume(not body[index].isspace())
    assert verdict(body, f"{TAG}\n{body[:index]}{body[index + 1 :]}") is Match.CUT


@given(st.text(max_size=80), st.text(max_size=80), st.text("ab@1", min_size=1, max_size=4))
def test_it_never_raises(typed: str, submitted: str, message_id: str) -> None:
    assert compare(typed, submitted, message_id) in Match
