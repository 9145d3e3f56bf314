"""What Claude Code reports by hooks and its status line: which events are asked for, and how a report is read."""

import math
from collections.abc import Mapping
from typing import Any

PERMISSION_EVENT = "PermissionRequest"
"""The one event whose answer may be kept waiting: the CLI draws its question only behind it."""
ACTIVITY_EVENTS = (
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    PERMISSION_EVENT,
    "PermissionDenied",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "SessionEnd",
    "Notification",
)
STARTED_KEY = "pullcept_started_at"
"""The key under which our status line command adds when it started, in seconds of the system's monotonic clock."""


def names_event(event: str, body: Mapping[str, Any]) -> bool:
    """Whether a hook body is about the event it was sent for; one that names none is taken at the path's word."""
    return bool(body.get("hook_event_name", event) == event)


def started_at(body: Mapping[str, Any]) -> float | None:
    """When the command of a status line report started; None when it does not say so."""
    value = body.get(STARTED_KEY)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def text_of(body: Mapping[str, Any], key: str) -> str:
    """A text of a report; "" when it is missing or something else."""
    value = body.get(key)
    return value if isinstance(value, str) else ""
