"""Loop guard: when typing pauses, and what comes out when it goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.loop_guard import DEFAULT_LIMIT, Guarded, LoopGuard
from pullcept.core.post import Role


def talked(count: int, *, limit: int = 3) -> LoopGuard[str]:
    guard: LoopGuard[str] = LoopGuard(limit)
    for number in range(1, count + 1):
        guard.take(f"m{number}", "codex_cli")
    return guard


def test_thirty_posts_in_a_row_are_typed_by_default_and_the_next_waits() -> None:
    guard: LoopGuard[int] = LoopGuard()
    outcomes = [guard.take(number, "claude_code") for number in range(DEFAULT_LIMIT + 2)]
    assert [each.released for each in outcomes[:30]] == [(number,) for number in range(30)]
    assert outcomes[30:] == [Guarded((), began=True), Guarded(())]
    assert guard.held == (30, 31)


def test_a_post_of_the_person_resumes_in_order_and_counts_anew() -> None:
    guard = talked(5)
    assert guard.take("human", "admin") == Guarded(("m4", "m5", "human"), ended=True)
    assert [guard.take(name, "cli").released for name in "abcd"] == [("a",), ("b",), ("c",), ()]


def test_continue_resumes_in_order() -> None:
    guard = talked(5)
    assert guard.resume() == Guarded(("m4", "m5"), ended=True)
    assert not guard.is_paused
    assert guard.take("next", "cli").released == ("next",)


def test_skip_all_drops_what_waits_and_keeps_the_pause() -> None:
    guard = talked(5)
    assert guard.skip_all() == ("m4", "m5")
    assert guard.is_paused
    assert guard.take("m6", "cli").released == ()
    assert guard.take("human", "admin").released == ("m6", "human")


@pytest.mark.parametrize("role", ["app", "mcp"])
def test_notices_neither_count_nor_reset(role: Role) -> None:
    guard = talked(2)
    for _ in range(10):
        assert guard.take("notice", role).released == ("notice",)
    assert guard.take("m3", "cli").released == ("m3",)
    assert guard.take("m4", "cli").began
    assert guard.take("notice", role).released == ()
    assert guard.held == ("m4", "notice")


def test_guests_count() -> None:
    guard = talked(3)
    assert guard.take("guest", "unknown").began


def test_zero_switches_the_guard_off() -> None:
    guard = talked(500, limit=0)
    assert not guard.is_paused


def test_switching_it_off_ends_the_pause() -> None:
    guard = talked(5)
    assert guard.set_limit(4) == Guarded()
    assert guard.set_limit(0) == Guarded(("m4", "m5"), ended=True)


def test_a_higher_limit_ends_the_pause_and_goes_on_counting() -> None:
    guard = talked(5)
    assert guard.set_limit(6).released == ("m4", "m5")
    assert guard.take("m6", "cli").released == ("m6",)
    assert guard.take("m7", "cli").began


@given(st.lists(st.sampled_from(["admin", "cli", "unknown", "app", "mcp", "continue"]), max_size=60), st.integers(0, 4))
def test_every_post_leaves_once_in_order(moves: list[str], limit: int) -> None:
    guard: LoopGuard[int] = LoopGuard(limit)
    out: list[int] = []
    for number, move in enumerate(moves):
        released = guard.resume() if move == "continue" else guard.take(number, move)  # type: ignore[arg-type]
        out.extend(released.released)
        assert bool(guard.held) <= guard.is_paused
    out.extend(guard.resume().released)
    assert out == [number for number, move in enumerate(moves) if move != "continue"]


@given(st.lists(st.sampled_from(["cli", "app"]), max_size=40))
def test_never_more_than_the_limit_is_typed_without_a_person(moves: list[Role]) -> None:
    guard: LoopGuard[Role] = LoopGuard(3)
    typed = [each for move in moves for each in guard.take(move, move).released]
    assert typed.count("cli") <= 3
