"""The plan of a mixed run and its judge, without any CLI."""

import json
from collections.abc import Sequence

import pytest

from tests.real_cli.mixed_check import SaidPost, Story, check, comparable, expected_body
from tests.real_cli.mixed_plan import LONG, LONGEST, Moment, plan


def text_of(message_id: str, body: str) -> str:
    return f"[pullcept] {json.dumps({'role': 'admin', 'from': 'Mio', 'message_id': message_id})}\n{body}"


POSTS = [SaidPost("m1", "一つ\ttwo\r\nthree\x1b[201~ \\"), SaidPost("m2", "second"), SaidPost("m3", "x" * 900)]
WHOLE = [text_of("m1", "一つ    two\nthree[201~ \\"), text_of("m2", "second"), text_of("m3", "x" * 900)]


def faults(texts: Sequence[str], **more: object) -> tuple[str, ...]:
    story = Story("claude_code", list(POSTS), **more)  # type: ignore[arg-type]
    return check(story, [texts]).faults


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("subagents", [True, False])
def test_every_plan_keeps_its_quotas(seed: int, subagents: bool) -> None:
    drawn = plan(seed, subagents=subagents)
    assert len(drawn.posts) == 40
    assert drawn.met(Moment.QUESTION, Moment.SUBAGENT) >= 5
    assert drawn.met(Moment.HALF_LINE) >= 5
    assert drawn.met(Moment.BUSY) >= 15
    assert drawn.met(Moment.ESCAPE) >= 1
    assert bool(drawn.met(Moment.SUBAGENT)) == subagents
    assert all(len(body) >= LONG - 10 for each in drawn.episodes if each.moment is Moment.KEYS for body in each.posts)
    assert max(map(len, drawn.posts)) > LONGEST * 0.98
    assert min(map(len, drawn.posts)) == 1
    assert 60_000 < sum(map(len, drawn.posts)) < 700_000
    assert all(body.strip() for body in drawn.posts)


def test_a_plan_is_the_same_for_its_seed_and_another_for_the_next() -> None:
    assert plan(7) == plan(7)
    assert plan(7) != plan(8)
    assert len(plan(7, short=True).posts) == 10
    assert len(plan(7, short=True, subagents=True).posts) == 12


def test_the_plans_hold_every_awkward_piece() -> None:
    said = "\n\0".join(body for seed in range(5) for body in plan(seed).posts)
    controls = ("\x1b[201~", "\r", "\x00", "\t", "\u200b", "\u202e")
    for piece in (*controls, "</pasted_content>", "\N{MAN}\u200d\N{WOMAN}", "\n\n\n", "部屋"):
        assert piece in said
    assert all(f"\n{first}" in said for first in "/!#@")
    assert any(body.endswith("\\") for body in plan(1).posts)


def test_a_run_in_which_all_arrived_has_no_fault() -> None:
    assert faults(WHOLE) == ()
    assert faults([WHOLE[0], "my line", *WHOLE[1:]], lines=["my line"]) == ()


def test_a_body_that_the_cli_wrapped_counts_as_whole_when_its_inside_is_exact() -> None:
    inside = f'\n\n<pasted_content id="ab12">\n{"x" * 900}\n</pasted_content id="ab12">\n'
    verdict = check(Story("claude_code", list(POSTS)), [[*WHOLE[:2], WHOLE[2].replace("x" * 900, inside)]])
    assert verdict.faults == ()
    assert verdict.wrapped == ("m3",)
    assert faults([*WHOLE[:2], WHOLE[2].replace("x" * 900, inside.replace("xx", "x", 1))])


def test_the_clis_own_escape_is_expected() -> None:
    body = 'a<pasted_content id="1">b</pasted_content>'
    escaped = body.replace("<", "<\\")
    assert comparable("claude_code", escaped) == expected_body("claude_code", body)
    assert comparable("codex_cli", escaped) != expected_body("codex_cli", body)


@pytest.mark.parametrize(
    ("what", "texts"),
    [
        ("fused with the next", [WHOLE[0], WHOLE[1] + WHOLE[2]]),
        ("fused behind a human half line", [WHOLE[0], "half a l" + WHOLE[1], WHOLE[2]]),
        ("doubled", [*WHOLE, WHOLE[1]]),
        ("cut", [WHOLE[0], WHOLE[1][:-2], WHOLE[2]]),
        ("scrambled inside", [WHOLE[0], WHOLE[1], WHOLE[2][:-9] + "y" + WHOLE[2][-8:]]),
        ("reordered", [WHOLE[0], WHOLE[2], WHOLE[1]]),
        ("missing", [WHOLE[0], WHOLE[2]]),
        ("tag not first", [WHOLE[0], "second\n" + WHOLE[1], WHOLE[2]]),
        ("nothing at all", []),
    ],
)
def test_the_judge_finds_a_post_that_is(what: str, texts: list[str]) -> None:
    assert faults(texts), what


@pytest.mark.parametrize(
    ("what", "texts", "more"),
    [
        ("submitted by us", [*WHOLE, "half a line"], {"wiped": ["half a line"]}),
        ("lost", WHOLE, {"lines": ["half a line"]}),
        ("sent cut", [*WHOLE, "half a"], {"lines": ["half a line"]}),
        ("sent twice", [*WHOLE, "yes", "yes"], {"lines": ["yes"]}),
    ],
)
def test_the_judge_finds_text_of_the_person_that_was(what: str, texts: list[str], more: dict[str, object]) -> None:
    assert faults(texts, **more), what


def test_the_judge_finds_a_question_that_we_answered() -> None:
    assert faults(WHOLE, ran={"touch a"}, allowed=set())
    assert faults(WHOLE, ran={"touch a"}, allowed={"touch a"}) == ()


def test_a_post_that_was_put_back_may_be_missing_but_is_never_fused_or_doubled() -> None:
    assert faults([WHOLE[0], WHOLE[2]], put_back={"m2"}) == ()
    assert faults([WHOLE[0], WHOLE[2], WHOLE[1]], put_back={"m2"}) == ()
    assert faults([WHOLE[0], WHOLE[1] + WHOLE[2]], put_back={"m2"})
    assert faults([*WHOLE, WHOLE[1]], put_back={"m2"})


def test_the_judge_looks_at_requests_whose_texts_were_taken_back_later() -> None:
    story = Story("claude_code", list(POSTS), put_back={"m2"})
    assert check(story, [[WHOLE[0], WHOLE[1]], WHOLE]).faults == ()
    assert check(story, [[WHOLE[0], "half" + WHOLE[1]], WHOLE]).faults
    assert check(story, [[WHOLE[0], WHOLE[1][:-1]], [WHOLE[0], WHOLE[2]]]).faults
