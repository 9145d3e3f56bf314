"""Permission waits: whether a question of the CLI may be open, so that a post's Enter could answer it.

Claude Code tells them by hook events, Codex by OSC 7501 reports. A wait belongs to one agent and one tool call and
ends only by a sign of that very call or agent: the Enter of a post answers any question, so every doubt holds.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

TOOL_PAUSE = 0.5
"""A question follows PreToolUse after 0.03 to 0.18 s; nothing begins to be typed meanwhile."""
AFTER_WAIT = 1.5
"""The next question in line is drawn 1.5 s after the last byte; the gates are asked again then."""
REPORT_AFTER = 2.5
"""Status lines run until a question is drawn, 1.5 s after the last byte; only a later one proves that none is."""
UNKNOWN_AFTER = 120.0
HOOK_TIMEOUT = 30
"""Timeout of the PermissionRequest hook in the launch line; its answer waits while a post is under way."""
ANSWER_LIMIT = 25.0
CALL_LIMIT = 64
WAIT_LIMIT = 64
NAME_LIMIT = 48

_MAIN = ""
_ENDS_OF_CALL = frozenset({"PostToolUse", "PostToolUseFailure", "PermissionDenied"})


class Hold(StrEnum):
    """Why nothing may begin to be typed. `UNKNOWN`: a wait of which nothing was heard for long; shown, still held."""

    PERMISSION = "permission"
    UNKNOWN = "unknown"
    SETTLING = "settling"
    TOOL_BEGINS = "tool_begins"


@dataclass(frozen=True, slots=True)
class WaitView:
    """What holds at present. `tool`: its name, "" when not told. `again_at`: when to look again without news."""

    hold: Hold
    tool: str = ""
    more: int = 0
    again_at: float | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """One tool call: `call_id` is empty when an event does not tell it, then its content stands for it."""

    agent: str
    tool: str
    content: str
    call_id: str
    began: float

    def is_same(self, other: "_Call") -> bool:
        if self.call_id and other.call_id:
            return self.call_id == other.call_id
        return (self.agent, self.tool, self.content) == (other.agent, other.tool, other.content)


@dataclass(slots=True)
class _Wait:
    call: _Call
    asked_at: float | None
    heard_at: float
    hinted: bool = False

    @property
    def drawn_after(self) -> float:
        """The CLI draws the question after its hook was answered, or after it has given the hook up."""
        return self.heard_at + HOOK_TIMEOUT if self.asked_at is None else self.asked_at


class ClaudeWaits:
    """The permission waits of one Claude Code session, from its hook events. Times in seconds, one clock.

    Wait ids count up and name a PermissionRequest until its hook is answered. `ended` counts the waits that are over.
    """

    def __init__(self) -> None:
        self._begun: list[_Call] = []
        self._pausing: list[_Call] = []
        self._waits: dict[int, _Wait] = {}
        self._next_id = 1
        self.ended = 0
        self._last_byte = float("-inf")
        self._ended_at = float("-inf")

    # --- what happens -----------------------------------------------------------------------------------------

    def on_event(self, event: str, body: Mapping[str, Any], now: float) -> int | None:
        """A hook event. Returns the wait's id for a PermissionRequest: tell `on_answered` when its hook is answered.

        Events of other kinds, UserPromptSubmit among them, change nothing.
        """
        if event == "PreToolUse":
            self._begin(_call(body, now))
        elif event == "PermissionRequest":
            return self._ask(_call(body, now), now)
        elif event in _ENDS_OF_CALL:
            self._end_call(_call(body, now), now)
        elif event == "SubagentStop" and (agent := _text(body, "agent_id")):
            self._end_agent(agent, now)
        elif event == "Stop" and not _text(body, "agent_id"):
            # It comes while sub-agents still ask: theirs stay open.
            self._end_agent(_MAIN, now)
        elif event == "SessionEnd":
            self._forget_all(now)
        return None

    def on_answered(self, wait_id: int, now: float) -> None:
        """The hook of this PermissionRequest was answered. Before that no question can be drawn: no report counts."""
        if wait := self._waits.get(wait_id):
            wait.asked_at = now if wait.asked_at is None else wait.asked_at

    def on_bytes(self, now: float) -> None:
        """Anything was written to the terminal: keys, posts, reports of the mouse."""
        self._last_byte = max(self._last_byte, now)

    def on_answer_key(self, now: float) -> None:
        """The person pressed a key into a drawn question. That is a hint only, it may have been no answer: the next
        status line that may count, or the next call that the same agent begins, ends the wait."""
        self.on_bytes(now)
        for wait in self._waits.values():
            wait.heard_at, wait.hinted = now, True

    def on_status_line(self, started: float, now: float) -> None:
        """A status line report, whose command began at `started` (same clock). It is the only sign after Escape.

        It ends every wait whose question would have been drawn by then: status lines do not run under a question.
        """
        if not started <= now:
            return
        for wait_id, wait in list(self._waits.items()):
            if started >= max(wait.drawn_after, self._last_byte) + REPORT_AFTER:
                self._end_wait(wait_id, now)

    # --- what follows -----------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether any agent waits for a permission."""
        return bool(self._waits)

    @property
    def question_possible(self) -> bool:
        """Whether a wait is open whose hook was answered: its question is drawn at the next pause of 1.4 s."""
        return any(wait.asked_at is not None for wait in self._waits.values())

    def view(self, now: float) -> WaitView | None:
        """What keeps a post from being begun now; None when nothing does."""
        if self._waits:
            return self._open_view(now)
        if now < self._ended_at + AFTER_WAIT:
            return WaitView(Hold.SETTLING, again_at=self._ended_at + AFTER_WAIT)
        if pausing := [call for call in self._pausing if now < call.began + TOOL_PAUSE]:
            return WaitView(Hold.TOOL_BEGINS, pausing[-1].tool, again_at=pausing[-1].began + TOOL_PAUSE)
        return None

    def _open_view(self, now: float) -> WaitView:
        first = next(iter(self._waits.values()))
        unknown_at = max(wait.heard_at for wait in self._waits.values()) + UNKNOWN_AFTER
        tool, more = first.call.tool, len(self._waits) - 1
        if now >= unknown_at:
            return WaitView(Hold.UNKNOWN, tool, more)
        return WaitView(Hold.PERMISSION, tool, more, unknown_at)

    # --- calls and waits --------------------------------------------------------------------------------------

    def _begin(self, call: _Call) -> None:
        for wait_id, wait in list(self._waits.items()):
            if wait.hinted and wait.call.agent == call.agent and not wait.call.is_same(call):
                self._end_wait(wait_id, call.began)
        self._begun = [*self._begun[1 - CALL_LIMIT :], call]
        self._pausing = [*self._pausing[1 - CALL_LIMIT :], call]

    def _ask(self, request: _Call, now: float) -> int:
        call = self._asked_call(request)
        self._pausing = [each for each in self._pausing if not each.is_same(call)]
        for wait_id, wait in self._waits.items():
            if wait.call.is_same(call):
                wait.heard_at, wait.asked_at, wait.hinted = now, None, False
                return wait_id
        if len(self._waits) >= WAIT_LIMIT:
            # Merged with the newest, as a call of its own that only a report or the session's end can end.
            call = _Call("?", call.tool, "?", "?", now)
            self._waits.pop(next(reversed(self._waits)))
        wait_id, self._next_id = self._next_id, self._next_id + 1
        self._waits[wait_id] = _Wait(call, None, now)
        return wait_id

    def _asked_call(self, request: _Call) -> _Call:
        """A request has no call id: it is of the newest such call that does not wait yet (two may be alike)."""
        if request.call_id:
            return request
        alike = [call for call in self._begun if call.is_same(request)]
        free = [call for call in alike if not any(wait.call.is_same(call) for wait in self._waits.values())]
        return (free or alike or [request])[-1]

    def _end_call(self, call: _Call, now: float) -> None:
        self._begun = [each for each in self._begun if not each.is_same(call)]
        self._pausing = [each for each in self._pausing if not each.is_same(call)]
        for wait_id, wait in list(self._waits.items()):
            if wait.call.is_same(call):
                self._end_wait(wait_id, now)

    def _end_agent(self, agent: str, now: float) -> None:
        self._begun = [each for each in self._begun if each.agent != agent]
        self._pausing = [each for each in self._pausing if each.agent != agent]
        for wait_id, wait in list(self._waits.items()):
            if wait.call.agent == agent:
                self._end_wait(wait_id, now)

    def _end_wait(self, wait_id: int, now: float) -> None:
        del self._waits[wait_id]
        self.ended += 1
        self._ended_at = now

    def _forget_all(self, now: float) -> None:
        self._begun, self._pausing = [], []
        for wait_id in list(self._waits):
            self._end_wait(wait_id, now)


class CodexWaits:
    """The permission waits of one Codex session, from its OSC 7501 reports."""

    _STATES = frozenset({"idle", "working", "done", "error", "clear"})

    def __init__(self) -> None:
        self._since: float | None = None
        self._kind = ""
        self._ended_at = float("-inf")

    def on_report(self, state: str, kind: str, now: float) -> None:
        """A report. A state that is not known changes nothing."""
        if state == "blocked":
            self._since, self._kind = now if self._since is None else self._since, kind[:NAME_LIMIT]
        elif state in self._STATES and self._since is not None:
            self._since, self._ended_at = None, now

    @property
    def is_open(self) -> bool:
        """Whether a question is open."""
        return self._since is not None

    def view(self, now: float) -> WaitView | None:
        """What keeps a post from being begun now; None when nothing does."""
        if self._since is not None:
            unknown_at = self._since + UNKNOWN_AFTER
            is_unknown = now >= unknown_at
            hold = Hold.UNKNOWN if is_unknown else Hold.PERMISSION
            return WaitView(hold, self._kind, again_at=None if is_unknown else unknown_at)
        settled_at = self._ended_at + AFTER_WAIT
        return WaitView(Hold.SETTLING, again_at=settled_at) if now < settled_at else None


def _call(body: Mapping[str, Any], now: float) -> _Call:
    tool = _text(body, "tool_name")
    return _Call(_text(body, "agent_id"), tool[:NAME_LIMIT], _digest(tool, body), _text(body, "tool_use_id"), now)


def _digest(tool: str, body: Mapping[str, Any]) -> str:
    try:
        content = json.dumps([tool, body.get("tool_input")], sort_keys=True)
    except (RecursionError, TypeError, ValueError):
        content = tool
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    return value if isinstance(value, str) else ""
