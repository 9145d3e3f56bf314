"""Permission waits: what opens them, and that only their own signs end them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.waits import (
    AFTER_WAIT,
    HOOK_TIMEOUT,
    REPORT_AFTER,
    TOOL_PAUSE,
    UNKNOWN_AFTER,
    WAIT_LIMIT,
    ClaudeWaits,
    CodexWaits,
    Hold,
    WaitView,
)


class Session:
    """Hook events of one Claude Code, each a little after the one before."""

    def __init__(self) -> None:
        self.waits = ClaudeWaits()
        self.now = 1000.0

    def event(
        self, name: str, call: str = "", *, agent: str = "", tool: str = "Bash", command: str = "x", **more: Any
    ) -> int | None:
        body: dict[str, Any] = {"hook_event_name": name, "tool_name": tool, "tool_input": {"command": command}, **more}
        if call:
            body["tool_use_id"] = call
        if agent:
            body["agent_id"] = agent
        self.now += 0.05
        return self.waits.on_event(name, body, self.now)

    def ask(self, call: str, *, agent: str = "", tool: str = "Bash", command: str = "x") -> None:
        self.event("PreToolUse", call, agent=agent, tool=tool, command=command)
        wait_id = self.event("PermissionRequest", agent=agent, tool=tool, command=command)
        assert wait_id is not None
        self.waits.on_answered(wait_id, self.now)

    @property
    def hold(self) -> Hold | None:
        view = self.waits.view(self.now)
        return view.hold if view else None


@pytest.fixture
def session() -> Session:
    return Session()


def test_nothing_holds_at_first(session: Session) -> None:
    assert session.waits.view(0.0) is None


def test_a_permission_request_holds_with_the_name_of_its_tool(session: Session) -> None:
    session.ask("t1")
    assert session.waits.view(session.now) == WaitView(Hold.PERMISSION, "Bash", 0, session.now + UNKNOWN_AFTER)


@pytest.mark.parametrize("end", ["PostToolUse", "PostToolUseFailure", "PermissionDenied"])
def test_an_end_of_that_call_ends_the_wait_and_the_gates_are_asked_again_later(session: Session, end: str) -> None:
    session.ask("t1")
    session.event(end, "t1")
    assert session.waits.view(session.now) == WaitView(Hold.SETTLING, again_at=session.now + AFTER_WAIT)
    session.now += AFTER_WAIT
    assert session.hold is None


@pytest.mark.parametrize("end", ["PostToolUse", "PostToolUseFailure", "PermissionDenied"])
def test_the_end_of_another_call_or_agent_ends_nothing(session: Session, end: str) -> None:
    session.ask("t1")
    session.event(end, "t2")
    session.event(end, "t3", agent="a1", command="other")
    assert session.hold is Hold.PERMISSION


@pytest.mark.parametrize(
    "name", ["UserPromptSubmit", "Notification", "SubagentStart", "StopFailure", "PreToolUse", "Nonsense"]
)
def test_other_events_end_nothing(session: Session, name: str) -> None:
    session.ask("t1")
    session.event(name, "t9", command="other")
    assert session.hold is Hold.PERMISSION


def test_stop_ends_the_waits_of_the_main_agent_only(session: Session) -> None:
    session.ask("t1")
    session.ask("t2", agent="a1")
    session.event("Stop")
    assert session.waits.is_open
    session.now += 60
    assert session.hold is Hold.PERMISSION
    session.event("SubagentStop", agent="a1")
    assert not session.waits.is_open


def test_the_stop_of_a_sub_agent_ends_only_its_own_waits(session: Session) -> None:
    session.ask("t1")
    session.ask("t2", agent="a1")
    session.event("SubagentStop", agent="a2")
    session.event("SubagentStop")
    session.event("SubagentStop", agent="a1")
    assert session.hold is Hold.PERMISSION
    session.event("Stop", agent="a1")
    assert session.hold is Hold.PERMISSION


def test_the_end_of_the_session_ends_every_wait(session: Session) -> None:
    session.ask("t1")
    session.ask("t2", agent="a1")
    session.event("SessionEnd")
    assert not session.waits.is_open


def test_only_a_permission_request_then_stop(session: Session) -> None:
    session.event("PermissionRequest")
    session.event("Stop")
    assert not session.waits.is_open


def test_a_permission_request_told_twice_is_one_wait(session: Session) -> None:
    session.ask("t1")
    session.event("PermissionRequest")
    session.event("PostToolUse", "t1")
    assert not session.waits.is_open


def test_a_request_without_its_pre_tool_use_ends_with_the_same_tool_and_input(session: Session) -> None:
    session.event("PermissionRequest", command="one")
    session.event("PostToolUse", "t5", command="two")
    assert session.waits.is_open
    session.event("PostToolUse", "t4", command="one")
    assert not session.waits.is_open


def test_two_calls_alike_are_two_waits(session: Session) -> None:
    session.event("PreToolUse", "t1")
    session.event("PreToolUse", "t2")
    session.event("PermissionRequest")
    session.event("PermissionRequest")
    session.event("PostToolUse", "t2")
    assert session.hold is Hold.PERMISSION
    session.event("PostToolUse", "t1")
    assert not session.waits.is_open


def test_the_same_call_of_another_agent_is_another_wait(session: Session) -> None:
    session.ask("t1", agent="a1")
    session.ask("t2", agent="a2")
    session.event("PostToolUse", "t2", agent="a2")
    view = session.waits.view(session.now)
    assert view is not None
    assert (view.hold, view.more) == (Hold.PERMISSION, 0)


def test_a_request_takes_the_newest_call_with_its_tool_and_input(session: Session) -> None:
    session.event("PreToolUse", "t1", command="a")
    session.event("PreToolUse", "t2", command="b")
    session.event("PermissionRequest", command="a")
    session.event("PostToolUse", "t2", command="b")
    assert session.waits.is_open
    session.event("PostToolUse", "t1", command="a")
    assert not session.waits.is_open


# --- status lines -----------------------------------------------------------------------------------------------


def test_a_status_line_that_started_late_enough_ends_the_wait(session: Session) -> None:
    session.ask("t1")
    asked = session.now
    session.waits.on_status_line(asked + REPORT_AFTER - 0.01, asked + 9)
    assert session.waits.is_open
    session.waits.on_status_line(asked + REPORT_AFTER, asked + 9)
    assert not session.waits.is_open


def test_a_key_or_a_post_puts_the_status_line_off(session: Session) -> None:
    session.ask("t1")
    session.waits.on_bytes(session.now + 4)
    session.waits.on_status_line(session.now + 6, session.now + 7)
    assert session.waits.is_open
    session.waits.on_status_line(session.now + 6.5, session.now + 7)
    assert not session.waits.is_open


def test_no_status_line_counts_before_the_hook_was_answered(session: Session) -> None:
    wait_id = session.event("PermissionRequest")
    assert wait_id is not None
    assert not session.waits.question_possible
    session.waits.on_status_line(session.now + 10, session.now + 10)
    assert session.waits.is_open
    session.waits.on_answered(wait_id, session.now + 11)
    assert session.waits.question_possible
    session.waits.on_status_line(session.now + 12, session.now + 12)
    assert session.waits.is_open
    session.waits.on_status_line(session.now + 13.5, session.now + 14)
    assert not session.waits.is_open


def test_a_hook_that_was_never_answered_counts_as_given_up_after_its_timeout(session: Session) -> None:
    session.event("PermissionRequest")
    late = session.now + HOOK_TIMEOUT + REPORT_AFTER
    session.waits.on_status_line(late, late)
    assert not session.waits.is_open


@pytest.mark.parametrize("started", [float("nan"), float("inf"), 1e9])
def test_a_status_line_from_the_future_proves_nothing(session: Session, started: float) -> None:
    session.ask("t1")
    session.waits.on_status_line(started, session.now + 1)
    assert session.waits.is_open


def test_a_status_line_ends_older_waits_and_leaves_a_new_one(session: Session) -> None:
    session.ask("t1")
    session.now += 10
    session.ask("t2", agent="a1", command="y")
    session.waits.on_status_line(session.now + 1, session.now + 1)
    view = session.waits.view(session.now + 1)
    assert view is not None
    assert (view.hold, view.more) == (Hold.PERMISSION, 0)


# --- answer keys, unknown, tool pauses ------------------------------------------------------------------------------


def test_an_answer_key_alone_ends_nothing(session: Session) -> None:
    session.ask("t1")
    session.waits.on_answer_key(session.now + 3)
    assert session.waits.is_open
    session.waits.on_status_line(session.now + 5, session.now + 5)
    assert session.waits.is_open


def test_after_an_answer_key_the_next_call_of_the_same_agent_ends_the_wait(session: Session) -> None:
    session.ask("t1")
    session.waits.on_answer_key(session.now)
    session.event("PreToolUse", "t2", agent="a1", command="other")
    session.event("UserPromptSubmit")
    assert session.waits.is_open
    session.event("PreToolUse", "t3", command="other")
    assert not session.waits.is_open


def test_a_wait_of_which_nothing_is_heard_is_shown_and_still_held(session: Session) -> None:
    session.ask("t1")
    session.now += UNKNOWN_AFTER
    assert session.waits.view(session.now) == WaitView(Hold.UNKNOWN, "Bash")
    session.waits.on_answer_key(session.now)
    assert session.hold is Hold.PERMISSION


def test_nothing_begins_for_half_a_second_after_pre_tool_use(session: Session) -> None:
    session.event("PreToolUse", "t1", agent="a1", tool="Edit")
    assert session.waits.view(session.now) == WaitView(Hold.TOOL_BEGINS, "Edit", again_at=session.now + TOOL_PAUSE)
    session.now += TOOL_PAUSE
    assert session.hold is None


def test_the_end_of_that_call_ends_the_pause(session: Session) -> None:
    session.event("PreToolUse", "t1")
    session.event("PreToolUse", "t2", command="y")
    session.event("PostToolUse", "t1")
    assert session.hold is Hold.TOOL_BEGINS
    session.event("PostToolUse", "t2", command="y")
    assert session.hold is None


def test_a_request_turns_the_pause_into_a_wait(session: Session) -> None:
    session.event("PreToolUse", "t1")
    session.event("PermissionRequest")
    assert session.hold is Hold.PERMISSION


@pytest.mark.parametrize(
    "body", [{}, {"tool_name": 5, "tool_input": None, "agent_id": [], "tool_use_id": 3}, {"tool_input": {"a": [1, {}]}}]
)
def test_odd_bodies_hold_and_raise_nothing(session: Session, body: dict[str, Any]) -> None:
    assert session.waits.on_event("PermissionRequest", body, 1.0) is not None
    session.waits.on_event("PostToolUse", body, 2.0)
    assert not session.waits.is_open


def test_a_flood_of_requests_is_bounded_and_still_holds(session: Session) -> None:
    for number in range(WAIT_LIMIT * 3):
        session.ask(f"t{number}", command=str(number))
    for number in range(WAIT_LIMIT * 3):
        session.event("PostToolUse", f"t{number}", command=str(number))
    assert session.waits.is_open
    session.waits.on_status_line(session.now + 5, session.now + 5)
    assert not session.waits.is_open


AGENTS = st.sampled_from(["", "a1", "a2"])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["PreToolUse", "PostToolUse", "PermissionDenied", "SubagentStop", "Stop", "UserPromptSubmit"]
            ),
            AGENTS,
            st.sampled_from(["t1", "t2", "t3"]),
        ),
        max_size=30,
    ),
    AGENTS,
)
def test_a_wait_lasts_until_a_sign_of_its_own(events: list[tuple[str, str, str]], agent: str) -> None:
    session = Session()
    session.ask("mine", agent=agent, command="mine")
    for name, other, call in events:
        if other != agent:
            session.event(name, call, agent=other)
    assert session.waits.is_open
    session.event("PostToolUse", "mine", agent=agent, command="mine")
    assert not session.waits.is_open


# --- Codex ------------------------------------------------------------------------------------------------------


def test_codex_waits_while_it_reports_blocked() -> None:
    waits = CodexWaits()
    assert waits.view(0.0) is None
    waits.on_report("blocked", "permission", 10.0)
    assert waits.view(11.0) == WaitView(Hold.PERMISSION, "permission", again_at=10.0 + UNKNOWN_AFTER)
    waits.on_report("blocked", "permission", 20.0)
    assert waits.view(10.0 + UNKNOWN_AFTER) == WaitView(Hold.UNKNOWN, "permission")
    waits.on_report("strange", "", 150.0)
    assert waits.is_open
    waits.on_report("working", "", 151.0)
    assert waits.view(151.0) == WaitView(Hold.SETTLING, again_at=151.0 + AFTER_WAIT)
    assert waits.view(151.0 + AFTER_WAIT) is None


@pytest.mark.parametrize("state", ["idle", "working", "done", "error", "clear"])
def test_every_other_state_of_codex_ends_the_wait(state: str) -> None:
    waits = CodexWaits()
    waits.on_report("blocked", "permission", 1.0)
    waits.on_report(state, "", 2.0)
    assert not waits.is_open
