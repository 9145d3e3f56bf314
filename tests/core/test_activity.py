"""Reports of Claude Code: what they are about, and when a status line's command started."""

import pytest

from pullcept.core.activity import names_event, started_at, text_of
from sidecar.statusline import STARTED_KEY


def test_a_body_about_another_event_is_told_apart() -> None:
    assert names_event("Stop", {"hook_event_name": "Stop"})
    assert names_event("Stop", {})
    assert not names_event("Stop", {"hook_event_name": "SubagentStop"})
    assert not names_event("Stop", {"hook_event_name": None})


def test_the_start_of_a_status_line_is_read_under_the_key_our_command_writes() -> None:
    assert started_at({STARTED_KEY: 12}) == 12.0


@pytest.mark.parametrize("value", [None, "12", True, float("nan"), float("inf"), 10**400, [], {}])
def test_a_start_that_is_no_time_is_none(value: object) -> None:
    assert started_at({STARTED_KEY: value}) is None
    assert started_at({}) is None


def test_only_texts_are_texts() -> None:
    assert text_of({"a": "x"}, "a") == "x"
    assert text_of({"a": 1}, "a") == text_of({}, "a") == ""
