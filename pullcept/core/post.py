"""A post: one thing said in a room. Its log row is in `row.py`, its typed form in `tag.py`."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Role = Literal["admin", "claude_code", "codex_cli", "cli", "mcp", "app", "unknown"]
"""How much weight a post has, decided by the door it came through, never by its text."""


@dataclass(frozen=True, slots=True)
class Post:
    """One post as the room stamped it.

    `message_id`: 1-64 visible ASCII characters, made by the sender. `speaker`: calling name.
    `full_name`: the account's original name when a nickname hides it. `account`: account id of an
    admitted connection or of the screen's person. `to`: calling names, empty for everyone.
    `ts`: UTC, ISO 8601 with `Z`. `hue` (degrees) and `role` travel with the post and are never
    written to the log.
    """

    message_id: str
    speaker: str
    content: str
    ts: str
    full_name: str | None = None
    account: str | None = None
    from_app: bool = False
    to: tuple[str, ...] = ()
    hue: int | None = None
    role: Role = "unknown"


def ts_of(moment: datetime) -> str:
    """How `ts` spells a moment: UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
