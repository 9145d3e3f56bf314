"""The typing profiles: every measured rule, on tables and on arbitrary text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.pty.pieces import cut, units
from pullcept.pty.profiles import (
    BIDI_CHARACTERS,
    CLAUDE_CODE,
    CODEX_CLI,
    LINE,
    PASTE,
    PROFILES,
    RAW,
    TYPING_LIMIT,
    Enter,
    Plan,
    Profile,
    Refused,
    Spill,
    Step,
    Wait,
    Write,
    plan,
    spilled_body,
)

TAG = '[pullcept] {"from":"Hana"}'


def steps(profile: Profile, body: str, **options: object) -> tuple[Step, ...]:
    made = plan(profile, TAG, body, **options)  # type: ignore[arg-type]
    assert isinstance(made, Plan)
    return made.steps


def writes(profile: Profile, body: str, **options: object) -> list[str]:
    return [step.text for step in steps(profile, body, **options) if isinstance(step, Write)]


def body_typed(profile: Profile, body: str, **options: object) -> str:
    return "".join(writes(profile, body, **options)).partition("\n")[2]


def test_claude_code_gets_the_tag_alone_then_pieces_then_enter_alone() -> None:
    made = steps(CLAUDE_CODE, "x" * 400)
    texts = [step.text for step in made if isinstance(step, Write)]
    assert texts == [TAG + "\n", "x" * 380, "x" * 20]
    waits = [step.seconds for step in made if isinstance(step, Wait)]
    assert waits[0] >= 0.02
    assert waits[1] >= 0.04
    assert waits[-1] == 0.2
    assert isinstance(made[-1], Enter)


def test_codex_gets_one_write_that_ends_in_enter() -> None:
    assert steps(CODEX_CLI, "see\n@b") == (Write(f"\x1b[200~{TAG}\nsee\n@b \x1b[201~\r"),)


def test_a_line_program_gets_one_line() -> None:
    assert steps(LINE, "a\nb") == (Write(f"{TAG} ⏎ a ⏎ b\r"),)


def test_generic_programs_get_one_write_and_a_gap_that_grows() -> None:
    assert steps(RAW, "hi") == (Write(f"{TAG}\nhi"), Wait(0.2), Enter())
    assert steps(PASTE, "x" * 1000)[1] == Wait((len(TAG) + 1001) * 0.001)
    assert writes(PASTE, "hi") == [f"\x1b[200~{TAG}\nhi\x1b[201~"]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.parametrize("body", ["line one\r", "line one\r\nline two\r\r", "ok\x03\x04\x1b\x08\x7f\x85\x9b31m end"])
def test_nothing_in_a_body_is_a_key(profile: Profile, body: str) -> None:
    typed = "".join(writes(profile, body))
    typed = typed.removeprefix("\x1b[200~").removesuffix("\r").removesuffix("\x1b[201~")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", typed)


def test_a_body_cannot_end_the_paste() -> None:
    assert "".join(writes(CODEX_CLI, "a\x1b[201~\rrm\x9b201~")).count("\x1b[201~") == 1


def test_lone_surrogates_are_replaced_and_everything_can_be_encoded() -> None:
    for profile in PROFILES.values():
        "".join(writes(profile, "\ud83d \udc00 \U0010ffff")).encode("utf-8")
    assert "\ufffd" in body_typed(CLAUDE_CODE, "\ud83d")


@pytest.mark.parametrize(
    ("body", "typed"),
    [
        ("@etc", "＠etc"),
        ("a @etc", "a ＠etc"),
        ("a\u3000@etc", "a\u3000＠etc"),
        ("a\n@etc", "a\n＠etc"),
        ("a\t@etc", "a    ＠etc"),
        ("a\u00a0@etc", "a\u00a0＠etc"),
        (" \u200b@etc", " \u200b＠etc"),
        (" \ufe0f@etc", " \ufe0f＠etc"),
        ("\u202e@etc", "＠etc"),
        ("\ufeff@etc", "\ufeff＠etc"),
        ("mail@host", "mail@host"),
        ("@@x", "＠@x"),
    ],
)
def test_others_cannot_make_claude_code_read_a_file(body: str, typed: str) -> None:
    assert body_typed(CLAUDE_CODE, body) == typed


def test_the_person_may_name_files() -> None:
    assert body_typed(CLAUDE_CODE, "read @notes.txt", from_admin=True) == "read @notes.txt"


@pytest.mark.parametrize(
    ("body", "typed"),
    [
        ("ends in \\", "ends in \\ "),
        ("ends in \\\u200e", "ends in \\ "),
        ("a\\\n", "a\\\n"),
        ("a\tb", "a    b"),
        ("".join(sorted(BIDI_CHARACTERS)) + "x", "x"),
    ],
)
def test_what_claude_code_stumbles_over_is_typed_otherwise(body: str, typed: str) -> None:
    assert body_typed(CLAUDE_CODE, body) == typed


def test_a_body_over_the_limit_is_spilled_after_clean_up_only() -> None:
    for profile in PROFILES.values():
        assert isinstance(plan(profile, TAG, "x" * TYPING_LIMIT + "\x00" * 10), Plan)
        assert plan(profile, TAG, "x\x00" * (TYPING_LIMIT + 1)) == Spill("x" * (TYPING_LIMIT + 1))


def test_a_spilled_body_is_its_head_and_the_path() -> None:
    text = spilled_body("y" * 1999 + "👨‍👩‍👧" + "z" * 9000, "/data/post.txt")
    assert text.startswith("y" * 1999 + "\n")
    assert "/data/post.txt" in text


def test_a_line_over_the_limit_is_refused_naming_the_limit() -> None:
    fits = 4096 - len(f"{TAG} ⏎ ".encode()) - 1
    assert isinstance(plan(LINE, TAG, "A" * fits, line_limit=4096), Plan)
    refused = plan(LINE, TAG, "A" * (fits + 1), line_limit=4096)
    assert isinstance(refused, Refused)
    assert "4,096" in refused.reason
    assert isinstance(plan(RAW, TAG, "あ" * 1365 + "\nb", line_limit=4096), Plan)
    assert isinstance(plan(RAW, TAG, "あ" * 1366, line_limit=4096), Refused)


def test_a_tag_longer_than_a_piece_still_comes_first_and_alone() -> None:
    made = plan(CLAUDE_CODE, "[pullcept] " + "n" * 900, "body")
    assert isinstance(made, Plan)
    texts = [step.text for step in made.steps if isinstance(step, Write)]
    assert [len(text) for text in texts] == [380, 380, 152, 4]
    assert texts[2].endswith("\n")


CLUSTERS = ["👨‍👩‍👧", "e\u0301", "🇯🇵", "👍🏽", "ｶﾞ", "❤️", "각", "漢", "x", "𝄞"]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_piece_never_ends_inside_a_cluster(cluster: str) -> None:
    pieces = cut(cluster * 300, 50)
    assert "".join(pieces) == cluster * 300
    assert all(len(piece) % len(cluster) == 0 for piece in pieces)


def test_a_cluster_longer_than_a_piece_is_cut_all_the_same() -> None:
    pieces = cut("z" + "\u0301" * 1000, 380)
    assert "".join(pieces) == "z" + "\u0301" * 1000
    assert all(len(piece) <= 380 for piece in pieces)


texts = st.lists(st.sampled_from([*CLUSTERS, "\n", " ", "\u200d", "\u0301", "🇯", "\t", "abc" * 20]), max_size=200)


@given(texts.map("".join), st.integers(2, 400))
def test_pieces_join_to_the_text_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = cut(text, limit)
    assert "".join(pieces) == text
    assert all(piece and sum(map(units, piece)) <= limit for piece in pieces)


@given(st.text(max_size=3000), st.booleans())
def test_any_body_reaches_claude_code_as_said_but_for_the_stated_changes(body: str, from_admin: bool) -> None:
    typed = body_typed(CLAUDE_CODE, body, from_admin=from_admin)
    assert len(typed) <= 4 * len(body) + 1
    assert not BIDI_CHARACTERS & set(typed)
    assert all(sum(map(units, text)) <= 380 for text in writes(CLAUDE_CODE, body))
    if not from_admin:
        assert not re.search(r"(^|\s)@", typed)
