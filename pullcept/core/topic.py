"""Topics: their ids, titles and the index that annotates their logs. Reads and writes the JSON of index.json.

The directory of logs is the truth. The index adds titles, creation times and resumable conversations. Every
change gives a new index; keys of other versions of the app survive.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

from pullcept.core.text import is_unseen, whole_text

MAX_TITLE = 40
MAX_ID_BYTES = 200
_JOINER = "\u200d"
_FORBIDDEN = frozenset('<>:"/\\|?*')
_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{name}{n}" for name in ("COM", "LPT") for n in "0123456789¹²³"]
)


class TopicIdError(ValueError):
    """A topic id that is not one plain file name on every platform."""


class TopicIndexError(ValueError):
    """An index that is not of the known shape."""


class UnknownTopic(LookupError):
    """The index has no entry for this topic."""


def check_topic_id(text: str) -> str:
    """Return the id unchanged when it is one plain file name everywhere; raises `TopicIdError` saying why not."""
    if not text or text in {".", ".."}:
        raise TopicIdError("a topic id is a file name")
    if any(char in _FORBIDDEN or not char.isprintable() for char in text):
        raise TopicIdError("a topic id holds no separators, drive letters or control characters")
    if text != text.strip(" ") or text.endswith("."):
        raise TopicIdError("a topic id neither begins with a blank nor ends in a blank or dot")
    if is_device(text):
        raise TopicIdError("a topic id is not the name of a device")
    if len(text.encode("utf-8", "replace")) > MAX_ID_BYTES:
        raise TopicIdError(f"a topic id is at most {MAX_ID_BYTES} bytes long")
    return text


def is_device(name: str) -> bool:
    """Whether Windows takes a file name for one of its devices, whatever its extension."""
    return name.split(".")[0].rstrip(" ").upper() in _DEVICES


def title_of(content: str) -> str:
    """A title made of a first post: white space collapsed, control characters gone, at most 40 characters."""
    words = " ".join(whole_text(content[: MAX_TITLE * 100]).split())
    seen = "".join(char for char in words if char == _JOINER or not is_unseen(char))
    return seen[:MAX_TITLE].strip(f" {_JOINER}")


def time_of(ts: str) -> float:
    """Seconds since 1970 of an ISO 8601 text, for ordering; 0.0 when it cannot be read. No offset means UTC."""
    try:
        moment = datetime.fromisoformat(ts)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


@dataclass(frozen=True, slots=True)
class TopicEntry:
    """What the index knows about one topic. An empty title means that nothing was said yet.

    `sessions`: account id → newest conversation id. `hosts`: account id → host → the conversation recorded on that
    computer. `original`: the entry as it was read.
    """

    topic_id: str
    title: str = ""
    created_at: str = ""
    sessions: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    original: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def conversation(self, account_id: str, host: str) -> str | None:
        """The conversation to resume on this computer. One recorded without a host counts as ours."""
        newest = self.sessions.get(account_id)
        recorded = self.hosts.get(account_id, {})
        if newest is not None and newest not in recorded.values():
            return newest
        return recorded.get(host)

    def conversation_elsewhere(self, account_id: str, host: str) -> bool:
        """Whether another computer has a conversation of this account and this one has none."""
        return self.conversation(account_id, host) is None and bool(self.hosts.get(account_id))

    def with_conversation(self, account_id: str, conversation_id: str, host: str) -> "TopicEntry":
        """Record a conversation of this computer beside those of others."""
        recorded = {**self.hosts.get(account_id, {}), host: conversation_id}
        return replace(
            self,
            sessions={**self.sessions, account_id: conversation_id},
            hosts={**self.hosts, account_id: recorded},
        )

    def without_conversation(self, account_id: str, conversation_id: str, host: str) -> "TopicEntry":
        """Drop this computer's record if it still is this conversation; anything else stays."""
        if self.conversation(account_id, host) != conversation_id:
            return self
        others = {key: value for key, value in self.hosts.get(account_id, {}).items() if key != host}
        sessions = {key: value for key, value in self.sessions.items() if key != account_id}
        hosts = {key: value for key, value in self.hosts.items() if key != account_id}
        if others:
            hosts[account_id] = others
            newest = self.sessions.get(account_id, "")
            sessions[account_id] = newest if newest in others.values() else list(others.values())[-1]
        return replace(self, sessions=sessions, hosts=hosts)


@dataclass(frozen=True, slots=True)
class TopicIndex:
    """All entries, in the order of the file. `unreadable`: items of the file that no entry could be made of."""

    entries: tuple[TopicEntry, ...] = ()
    unreadable: tuple[Any, ...] = ()
    original: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def find(self, topic_id: str) -> TopicEntry | None:
        """The entry of a topic, or None."""
        return next((entry for entry in self.entries if entry.topic_id == topic_id), None)

    def adopt(self, topic_id: str, title: str, created_at: str) -> "TopicIndex":
        """Make an entry for a log that has none; an entry that is there stays as it is."""
        if self.find(topic_id) is not None:
            return self
        return self._put(TopicEntry(check_topic_id(topic_id), title, created_at))

    def first_post(self, topic_id: str, content: str, ts: str) -> "TopicIndex":
        """Note the first post of a topic: it makes the title, once; a title given before stays."""
        entry = self.find(topic_id) or TopicEntry(check_topic_id(topic_id), created_at=ts)
        return self if entry.title else self._put(replace(entry, title=title_of(content)))

    def record_conversation(
        self, topic_id: str, account_id: str, conversation_id: str, host: str, now: str
    ) -> "TopicIndex":
        """Record a conversation; makes the entry when the topic has none (`now`: UTC, ISO 8601)."""
        entry = self.find(topic_id) or TopicEntry(check_topic_id(topic_id), created_at=now)
        return self._put(entry.with_conversation(account_id, conversation_id, host))

    def session_started(self, topic_id: str, now: str) -> "TopicIndex":
        """Make the entry of a topic in which a session was started."""
        return self.adopt(topic_id, "", now)

    def drop_conversation(self, topic_id: str, account_id: str, conversation_id: str, host: str) -> "TopicIndex":
        """Drop a record only if it still is that id, and only this computer's."""
        entry = self.find(topic_id)
        changed = entry.without_conversation(account_id, conversation_id, host) if entry else None
        return self if changed is None or changed == entry else self._put(changed)

    def rename(self, topic_id: str, title: str) -> "TopicIndex":
        """Give a title by hand (white space collapsed, 40 characters). Raises `UnknownTopic`."""
        entry = self.find(topic_id)
        if entry is None:
            raise UnknownTopic(topic_id)
        return self._put(replace(entry, title=title_of(title)))

    def delete(self, topic_id: str) -> "TopicIndex":
        """Remove an entry; one that is not there is no error."""
        return replace(self, entries=tuple(entry for entry in self.entries if entry.topic_id != topic_id))

    def _put(self, changed: TopicEntry) -> "TopicIndex":
        entries = tuple(changed if entry.topic_id == changed.topic_id else entry for entry in self.entries)
        return replace(self, entries=entries if self.find(changed.topic_id) else (*self.entries, changed))


def parse_index(obj: object) -> TopicIndex:
    """Read the JSON form. Raises `TopicIndexError`; single items that are no entries are kept aside, not refused."""
    if not isinstance(obj, dict):
        raise TopicIndexError("the index is not an object")
    items = obj.get("topics", [])
    if not isinstance(items, list):
        raise TopicIndexError("topics is not a list")
    entries: dict[str, TopicEntry] = {}
    unreadable: list[Any] = []
    for item in items:
        entry = _parse_entry(item)
        if entry is None or entry.topic_id in entries:
            unreadable.append(item)
        else:
            entries[entry.topic_id] = entry
    return TopicIndex(tuple(entries.values()), tuple(unreadable), cast("dict[str, Any]", obj))


def index_object(index: TopicIndex) -> dict[str, Any]:
    """The JSON form, with every key and item that was read and not understood."""
    return {**index.original, "topics": [*map(_entry_object, index.entries), *index.unreadable]}


def _parse_entry(item: object) -> TopicEntry | None:
    if not isinstance(item, dict) or not isinstance(item.get("topic_id"), str):
        return None
    try:
        topic_id = check_topic_id(item["topic_id"])
    except TopicIdError:
        return None
    title = item.get("title")
    return TopicEntry(
        topic_id,
        title_of(title) if isinstance(title, str) else "",
        _created_at(item.get("created_at")),
        _texts(item.get("sessions")),
        {key: _texts(value) for key, value in _objects(item.get("hosts"))},
        cast("dict[str, Any]", item),
    )


def _entry_object(entry: TopicEntry) -> dict[str, Any]:
    """Keys whose meaning did not change are written as they were read."""
    before = _parse_entry(entry.original)
    fresh = _plain_object(entry)
    if before is None:
        return fresh
    unchanged = {key for key, value in _plain_object(before).items() if fresh.get(key) == value}
    written = {**entry.original, **{key: value for key, value in fresh.items() if key not in unchanged}}
    if before.hosts and not entry.hosts:
        written.pop("hosts", None)
    return written


def _plain_object(entry: TopicEntry) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "topic_id": entry.topic_id,
        "title": entry.title,
        "created_at": entry.created_at,
        "sessions": dict(entry.sessions),
    }
    if entry.hosts:
        plain["hosts"] = {account: dict(recorded) for account, recorded in entry.hosts.items()}
    return plain


def _created_at(value: object) -> str:
    """Times of other versions may be numbers: seconds, or milliseconds when they are too large for that."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    try:
        seconds = value / 1000 if value > 1e11 else value
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _objects(value: object) -> Iterable[tuple[str, object]]:
    return value.items() if isinstance(value, dict) else ()


def _texts(value: object) -> dict[str, str]:
    return {key: text for key, text in _objects(value) if isinstance(text, str) and text}
