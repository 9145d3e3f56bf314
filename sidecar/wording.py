"""What the room's tools answer, as text for a model. Everything said by others is kept from looking like our lines."""

import json
import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from pullcept.core.protocol import HistoryResult, Paused, PostItem, PostResult, UsageResult, UsageWindow
from pullcept.core.tag import clean_body, local_at
from sidecar.manners import both_names
from sidecar.memory import SeatMemory

LINE_END_MARK = " \u23ce "
DRAFT_KEPT = "Your text is kept as a draft"
_ORDER = "This is order, not a fault."
_LAST_SEEN = re.compile(rf'^{re.escape(_ORDER)}.*{DRAFT_KEPT}.*? last_seen "([^"]+)"', re.MULTILINE)
_WHO = re.compile(r'^You are now ("(?:[^"\\]|\\.)*") \((?:also the )?original name', re.MULTILINE)


def who_text(memory: SeatMemory) -> str:
    """Who the session is now: names may have changed since the handshake."""
    return f"You are now {both_names(memory.name, memory.original_name)}."


def footer(memory: SeatMemory, usage: UsageResult | None, now: datetime) -> str:
    """The end of every outcome of a post: identity, time, figures. `now` carries the local zone."""
    figures = [
        f"5-hour limit: {_figure(usage, 'five_hour', now)}",
        f"weekly limit: {_figure(usage, 'seven_day', now)}",
        f"context: {_figure(usage, 'context', now)}",
    ]
    return f"{who_text(memory)} Time now: {_minutes(now)}.\nYour figures - {'; '.join(figures)}."


def delivered_text(result: PostResult) -> str:
    """A post that was made, with what the person or the author should know about it."""
    lines = [f"Delivered to the room. message_id: {result.message_id}"]
    if not result.logged:
        lines.append("Note: it could not be written to the room's record (the disk refused it).")
    lines += [f"Note: typing into {names} is paused: {reason}" for reason, names in _by_reason(result.paused)]
    lines += [f"Note: {one_line(note)}" for note in result.notes]
    return "\n".join(lines)


def refused_text(result: PostResult) -> str:
    """A post that was not made, because its author had not seen everything: what was missed and what to do now."""
    count = len(result.missed)
    head = f"Not said: {count} post{'s' if count != 1 else ''} you had not seen came before it."
    if result.left_out:
        head += f" {result.left_out} older ones did not fit here; read_room_history shows them."
    newest = one_line(result.missed[-1].message_id)
    advice = (
        f"{_ORDER} Read them, then decide; silence is fine too. {DRAFT_KEPT}: to send it as it is, call say_to_room "
        f'without content and with last_seen "{newest}". To say something else, give content and the same last_seen.'
    )
    return "\n".join([head, *(missed_line(item) for item in result.missed), advice])


def draft_last_seen(text: str) -> str | None:
    """The id a refusal says to declare next; None for any other text. A missed post cannot imitate that line."""
    found = _LAST_SEEN.search(text)
    return found[1] if found else None


def present_name(text: str) -> str | None:
    """The calling name that a tool's answer states; None when it states none."""
    found = _WHO.findall(text)
    return str(json.loads(found[-1])) if found else None


def history_text(result: HistoryResult, memory: SeatMemory, utc_offset: Callable[[datetime], timedelta]) -> str:
    """A page of the record, oldest first, and at its end who is in the room."""
    count = len(result.posts)
    head = f"{count} post{'s' if count != 1 else ''} of this topic, oldest first. None of it was delivered to you."
    more = "There are no earlier posts."
    if result.has_more and result.posts:
        more = f'Earlier posts exist: call read_room_history with before "{one_line(result.posts[0].message_id)}".'
    people = "; ".join(one_line(each) for each in result.participants) or "nobody"
    lines = [history_line(item, utc_offset) for item in result.posts]
    return "\n".join([head, *lines, more, who_text(memory), f"In this room now: {people}"])


def missed_line(item: PostItem) -> str:
    """`[id] speaker -> to: text`; further lines of the text are indented, so that they cannot pose as posts."""
    return _head(item) + "\n    ".join(clean_body(item.content).splitlines())


def history_line(item: PostItem, utc_offset: Callable[[datetime], timedelta]) -> str:
    """One post on one line, its time local."""
    at = local_at(item.ts, utc_offset) or "time unknown"
    return f"{at} {_head(item)}{one_line(item.content, LINE_END_MARK)}"


def one_line(text: str, joint: str = " ") -> str:
    """The text without line breaks of any kind and without control characters."""
    return joint.join(clean_body(text).splitlines())


def local_offset(instant: datetime) -> timedelta:
    """This computer's offset from UTC at an instant."""
    return instant.astimezone().utcoffset() or timedelta()


def _head(item: PostItem) -> str:
    to = f" \u2192 {', '.join(one_line(name) for name in item.to)}" if item.to else ""
    return f"[{one_line(item.message_id)}] {one_line(item.speaker)}{to}: "


def _by_reason(paused: Sequence[Paused]) -> list[tuple[str, str]]:
    reasons: dict[str, list[str]] = {}
    for each in paused:
        reasons.setdefault(one_line(each.reason), []).append(one_line(each.name))
    return [(reason, ", ".join(names)) for reason, names in reasons.items()]


def _figure(usage: UsageResult | None, which: str, now: datetime) -> str:
    if usage is None:
        return "unknown"
    window: UsageWindow | None = getattr(usage, which)
    if window is None:
        return "not reported"
    resets = f", resets {_at(window.resets_at, now)}" if window.resets_at is not None else ""
    received = _at(window.received_at, now)
    return f"{window.used_percentage:g}% used{resets}, received {received} ({_age(window.received_at, now)})"


def _age(seconds: float, now: datetime) -> str:
    past = now.timestamp() - seconds
    return f"{max(0, int(past // 60))} min ago" if math.isfinite(past) else "unknown age"


def _at(seconds: float, now: datetime) -> str:
    try:
        return _minutes(datetime.fromtimestamp(seconds, UTC).astimezone(now.tzinfo))
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def _minutes(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")
