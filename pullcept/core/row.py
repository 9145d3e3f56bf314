"""A post as one line of its topic's log: written whole, read strictly.

Absent keys are left out, never null. Colour, role and "own" are not stored: they belong to the door and the viewer.
"""

import json
from typing import Any

from pullcept.core.post import Post
from pullcept.core.protocol import parse_json
from pullcept.core.text import whole_text

_write_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowError(ValueError):
    """A log line that is no row; the text says why."""


def row_line(post: Post) -> bytes:
    """The log line of a post, UTF-8, ending in its only LF."""
    row: dict[str, Any] = {"message_id": post.message_id, "speaker": post.speaker}
    if post.full_name is not None:
        row["full_name"] = post.full_name
    if post.account is not None:
        row["account"] = post.account
    if post.from_app:
        row["from_app"] = True
    row["content"] = post.content
    if post.to:
        row["to"] = list(post.to)
    row["ts"] = post.ts
    return whole_text(_write_json(row) + "\n").encode("utf-8")


def parse_row(line: bytes) -> Post:
    """Read one log line, with or without its line end. Raises `RowError` and nothing else.

    Rows of the earlier app are understood: `to` as one text, null for an absent key, a byte order mark in front.
    """
    try:
        row = parse_json(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as wrong:
        raise RowError(f"not a JSON text: {wrong}") from None
    if not isinstance(row, dict):
        raise RowError("a row is a JSON object")
    from_app = _from_app(row)
    return Post(
        message_id=_text(row, "message_id") or _refuse("message_id"),
        speaker=_text(row, "speaker"),
        content=_text(row, "content"),
        ts=_text(row, "ts"),
        full_name=_text_or_none(row, "full_name"),
        account=_text_or_none(row, "account"),
        from_app=from_app,
        to=_addressees(row),
        role="app" if from_app else "unknown",
    )


def _refuse(key: str) -> Any:
    raise RowError(f"{key} is missing or wrong")


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return whole_text(value) if isinstance(value, str) else str(_refuse(key))


def _text_or_none(row: dict[str, Any], key: str) -> str | None:
    return None if row.get(key) is None else _text(row, key)


def _from_app(row: dict[str, Any]) -> bool:
    value = row.get("from_app")
    return value if isinstance(value, bool) else value is not None and bool(_refuse("from_app"))


def _addressees(row: dict[str, Any]) -> tuple[str, ...]:
    value = row.get("to")
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return (whole_text(value),)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        _refuse("to")
    return tuple(whole_text(name) for name in value)
