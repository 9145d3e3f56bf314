"""What is typed of a post: its tag line, the local time in it, and the cleaned body.

The tag is one line of JSON behind `[pullcept] `. A name cannot change it: everything a terminal or a reader could
take for structure is escaped, and so is every `@`, which some CLIs read as a file to attach.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pullcept.core.post import Post
from pullcept.core.text import is_unseen, whole_text

TAG_WORD = "[pullcept]"
_write_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_MAYBE_UNSAFE = re.compile(r"[^ -?A-~\u3001-\u30ff\u4e00-\u9fff]")
_LINE_END = re.compile(r"\r\n?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TIME = re.compile(
    r"(?P<minute>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2})"
    r"(?::(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?"
    r"(?:Z|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3]):?(?P<minutes>[0-5][0-9]))"
)


def tag_line(post: Post, *, local_at: str | None, you: str | None = None, your_full_name: str | None = None) -> str:
    """The tag of a post for one reader, without its line end.

    `you` and `your_full_name` name the reader and stand only in an addressed post.
    """
    said: list[tuple[str, Any]] = [("role", post.role), ("from", post.speaker), ("full_name", post.full_name)]
    said += [("message_id", post.message_id), ("at", local_at)]
    if post.to:
        said += [("to", list(post.to)), ("you", you), ("your_full_name", your_full_name)]
    return f"{TAG_WORD} {_safe_json({key: value for key, value in said if value is not None})}"


def id_in_tag(message_id: str) -> str:
    """How a message id is spelled inside a tag: what to look for in a text that should hold that tag."""
    return _safe_json(message_id)[1:-1]


def local_at(ts: str, utc_offset: Callable[[datetime], timedelta]) -> str | None:
    """The time of a post as a tag shows it: local minutes, cut, with numeric offset; None when `ts` is no time.

    `utc_offset` gives the local offset at a UTC instant. A time without a zone is no time.
    """
    instant = parse_time(ts)
    if instant is None:
        return None
    try:
        offset = int(utc_offset(instant).total_seconds()) // 60
        local = instant + timedelta(minutes=offset)
    except (OverflowError, ValueError, OSError):
        return None
    hours, minutes = divmod(abs(offset), 60)
    sign = "-" if offset < 0 else "+"
    return f"{local.replace(tzinfo=None).isoformat(timespec='minutes')}{sign}{hours:02}:{minutes:02}"


def parse_time(ts: str) -> datetime | None:
    """The UTC minute an ISO 8601 time with zone lies in; None when it is no such time."""
    found = _TIME.fullmatch(ts)
    if found is None:
        return None
    try:
        stated = datetime.fromisoformat(found["minute"]).replace(tzinfo=UTC)
        if found["sign"] is None:
            return stated
        offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]))
        return stated - offset if found["sign"] == "+" else stated + offset
    except (ValueError, OverflowError):
        return None


def clean_body(text: str) -> str:
    """The body as it may be typed: line ends LF, no control character but LF and TAB, no lone surrogate."""
    return _CONTROL.sub("", _LINE_END.sub("\n", whole_text(text)))


def _safe_json(value: Any) -> str:
    return _MAYBE_UNSAFE.sub(_escape, _write_json(value))


def _escape(found: re.Match[str]) -> str:
    char = whole_text(found[0])
    if char == "@" or is_unseen(char):
        units = char.encode("utf-16-be")
        return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
    return char
