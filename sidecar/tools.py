"""The tools a session has in the room: what they are called, what they say of themselves, what they do."""

import json
import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pullcept.core.post import ts_of
from pullcept.core.protocol import MAX_POST_BYTES, HistoryFrame, PostFrame, PostResult, UsageFrame
from pullcept.core.text import is_blank, whole_text
from sidecar.manners import both_names, quoted
from sidecar.memory import Draft, SeatMemory
from sidecar.room_client import POST_SECONDS, RoomClient, RoomGone
from sidecar.wording import delivered_text, footer, history_text, local_offset, one_line, refused_text, who_text

log = logging.getLogger(__name__)

SAY = "say_to_room"
HISTORY = "read_room_history"
MOST_POSTS = 200

_SAY_TEXT = (
    "Say something to the room as {names}; the only way to be heard. last_seen: the "
    "message_id of the newest room post you have seen, from a tag, a refusal or the history. If posts you have not "
    "seen came before yours, nothing is said and you get them: that is order, not a fault. Read them, then say it "
    "again, say something else, or stay silent. A refused text is kept as your one draft: call without content and "
    "with the last_seen you are told to send it as it is. The next refusal replaces it, any delivery clears it."
)
_HISTORY_TEXT = (
    "Read earlier posts of this topic, oldest first, and who is in the room. None of it was delivered to you; reading "
    "posts nothing. Page back with before = the message_id named at the end."
)
_SAY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "content": {"type": "string"},
        "to": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            "description": "Names to address; everyone hears it anyway. Empty list: everyone.",
        },
        "last_seen": {"type": "string"},
    },
}
_HISTORY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer", "description": f"50; at most {MOST_POSTS}"},
        "before": {"type": "string"},
    },
}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a client sees it."""

    name: str
    description: str
    schema: dict[str, Any] = field(repr=False)
    reads_only: bool = False


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a call; with `is_error` the model takes it for a failed call."""

    text: str
    is_error: bool = False


class BadArgument(ValueError):
    """An argument that cannot be used; the text names it."""


def tool_specs(name: str, original_name: str) -> tuple[ToolSpec, ...]:
    """The tools of a session that is called `name` at this moment."""
    say = _SAY_TEXT.replace("{names}", both_names(name, original_name))
    return (ToolSpec(SAY, say, _SAY_SCHEMA), ToolSpec(HISTORY, _HISTORY_TEXT, _HISTORY_SCHEMA, reads_only=True))


class RoomTools:
    """The tools of one session, over its connection to the room."""

    def __init__(
        self,
        room: RoomClient,
        memory: SeatMemory,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone(),
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._room = room
        self._memory = memory
        self._now = now
        self._new_id = new_id

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, with the present names in them."""
        return tool_specs(self._memory.name, self._memory.original_name)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Run one tool. Whatever goes wrong is an answer that says so."""
        if name == SAY:
            outcome = await self._guarded(self._say, arguments)
            usage = await self._room.usage(UsageFrame(self._new_id()))
            return ToolAnswer(f"{outcome.text}\n\n{footer(self._memory, usage, self._now())}", outcome.is_error)
        if name == HISTORY:
            outcome = await self._guarded(self._read, arguments)
            if outcome.is_error:
                return ToolAnswer(f"{outcome.text}\n{who_text(self._memory)}", is_error=True)
            return outcome
        return ToolAnswer(f"There is no tool {quoted(name)}.\n{who_text(self._memory)}", is_error=True)

    async def _guarded(self, run: Callable[[Mapping[str, Any]], Any], arguments: Mapping[str, Any]) -> ToolAnswer:
        try:
            answer: ToolAnswer = await run(arguments)
        except BadArgument as error:
            return ToolAnswer(f"{error} Nothing was said.", is_error=True)
        except RoomGone as error:
            return ToolAnswer(f"room not reachable: {error}", is_error=True)
        return answer

    async def _say(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        draft = self._draft(arguments)
        if draft is None:
            return ToolAnswer("There is no draft, so nothing was said. Give content.", is_error=True)
        last_seen = _text(arguments, "last_seen")
        result = await self._room.post(
            PostFrame(self._new_id(), draft.content, ts_of(self._now()), draft.to, last_seen or None)
        )
        return self._judge(draft, result)

    def _draft(self, arguments: Mapping[str, Any]) -> Draft | None:
        """What to say: the given content, else the kept draft with its `to` unless one is given."""
        content, to = _text(arguments, "content"), _names(arguments.get("to"))
        if content is None:
            kept = self._memory.draft
            return kept if kept is None or to is None else Draft(kept.content, to)
        if is_blank(content):
            raise BadArgument("content is empty; to send your draft leave content out.")
        size = len(content.encode("utf-8"))
        if size > MAX_POST_BYTES:
            raise BadArgument(
                f"content has {size} bytes and the room takes at most {MAX_POST_BYTES}; put it into a file and "
                "name its path."
            )
        return Draft(content, to or ())

    def _judge(self, draft: Draft, result: PostResult | None) -> ToolAnswer:
        if result is None:
            return ToolAnswer(
                f"Not confirmed: the room did not answer within {POST_SECONDS:.0f} seconds. The post may or may not "
                "have been made; read the history before you say it again.",
                is_error=True,
            )
        if result.error is not None:
            return ToolAnswer(f"Not said: {one_line(result.error)}", is_error=True)
        if result.delivered:
            self._memory.draft = None
            return ToolAnswer(delivered_text(result))
        if result.missed:
            self._memory.draft = draft
            return ToolAnswer(refused_text(result), is_error=True)
        return ToolAnswer("Not said: the room gave no reason.", is_error=True)

    async def _read(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        frame = HistoryFrame(self._new_id(), _limit(arguments.get("limit")), _text(arguments, "before") or None)
        result = await self._room.history(frame)
        if result is None:
            return ToolAnswer("The room did not answer in time.", is_error=True)
        if result.error is not None:
            return ToolAnswer(f"The history cannot be read: {one_line(result.error)}", is_error=True)
        return ToolAnswer(history_text(result, self._memory, local_offset))


class UnreachableTools:
    """The same tools while there is no room behind them."""

    def __init__(self, memory: SeatMemory, why: Callable[[], str]) -> None:
        self._memory = memory
        self._why = why

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as the room would list them."""
        return tool_specs(self._memory.name, self._memory.original_name)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Say why nothing can be done."""
        return ToolAnswer(f"room not reachable: {self._why()}\n{who_text(self._memory)}", is_error=True)


def _text(arguments: Mapping[str, Any], key: str) -> str | None:
    value = arguments.get(key)
    if value is None or isinstance(value, str):
        return value if value is None else whole_text(value)
    raise BadArgument(f"{key} must be a text.")


def _names(value: object) -> tuple[str, ...] | None:
    """The `to` argument: a name, a list of names, or such a list that a model wrote as a text."""
    if isinstance(value, str):
        value = _as_list(value)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadArgument("to must be a name or a list of names.")
    return tuple(whole_text(name) for name in value)


def _as_list(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            return [text]
        if isinstance(parsed, list):
            return parsed
    return [text] if text.strip() else []


def _limit(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(f"limit must be a whole number from 1 to {MOST_POSTS}.")
    return min(value, MOST_POSTS)
