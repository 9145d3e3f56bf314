"""The CLI's own queue of prompts: at most one lies in it, ours or the person's.

Two would be fused by an Escape and could be overtaken at the end of a turn. So after a receipt the next post waits
until the CLI has taken the prompt out of its queue, as its transcript or rollout tells.
"""

import json
from dataclasses import dataclass
from typing import Any

AFTER_RECEIPT = 0.25
"""Claude Code's queue lines come within 0.15 s after the receipt."""
IDLE_CLEARS = 10.0
"""An idle CLI starts what is queued at once: a count that stays is a line that was lost."""
LINE_LIMIT = 20 * 1024 * 1024
_CHANGES = {"enqueue": 1, "dequeue": -1, "remove": -1}
CODEX_COMMANDS = ("/", "!")
INTERRUPTED = "[Request interrupted by user"


@dataclass(frozen=True, slots=True)
class TranscriptNews:
    """What one transcript line of Claude Code tells: a queue operation, or that a turn was interrupted."""

    operation: str = ""
    interrupted: bool = False


class ClaudeQueue:
    """Counts the transcript lines that were written since the session started. Times in seconds, one clock."""

    def __init__(self) -> None:
        self._balance = 0
        self._receipt_at = float("-inf")
        self._still_since = float("-inf")
        self._is_idle = False

    def on_operation(self, operation: str, now: float) -> None:
        """A `queue-operation` line; an operation that is not known changes nothing."""
        if operation == "popAll":
            self._balance = 0
        else:
            self._balance = max(0, self._balance + _CHANGES.get(operation, 0))
        self._still_since = now

    def on_receipt(self, now: float) -> None:
        """A submit was told, of a post or of a line of the person."""
        self._receipt_at = self._still_since = now
        self._is_idle = False

    def on_turn(self, *, is_idle: bool, now: float) -> None:
        """A turn ended (Stop), or the CLI is busy."""
        if is_idle != self._is_idle:
            self._is_idle, self._still_since = is_idle, now

    def free_at(self, now: float) -> float | None:
        """From when on the next post may be typed, as far as the queue goes; None: news must come first."""
        if self._balance == 0:
            return self._receipt_at + AFTER_RECEIPT
        return max(self._receipt_at + AFTER_RECEIPT, self._still_since + IDLE_CLEARS) if self._is_idle else None

    def is_free(self, now: float) -> bool:
        """Whether the next post may be typed now."""
        free_at = self.free_at(now)
        return free_at is not None and now >= free_at


class CodexQueue:
    """Codex tells a prompt in its rollout when it takes it; what a person sends into a running turn waits until then.

    Posts are followed by their receipts, lines of the person are counted here. Times in seconds, one clock.
    """

    def __init__(self) -> None:
        self._lines = 0
        self._taken_at = float("-inf")
        self._still_since = float("-inf")
        self._is_idle = True

    def on_line(self, text: str, now: float) -> None:
        """The person sent this. A command is carried out at once, and an idle Codex takes a line at once."""
        if text and not self._is_idle and not text.startswith(CODEX_COMMANDS):
            self._lines, self._still_since = self._lines + 1, now

    def on_taken(self, *, is_post: bool, now: float) -> None:
        """The rollout holds the UserMessage of a post, or of a line of the person."""
        self._taken_at = self._still_since = now
        if not is_post:
            self._lines = max(0, self._lines - 1)

    def on_turn(self, *, is_idle: bool, now: float) -> None:
        """A turn ended, or Codex is busy."""
        if is_idle != self._is_idle:
            self._is_idle, self._still_since = is_idle, now

    def free_at(self, now: float) -> float | None:
        """From when on the next post may be typed, as far as the queue goes; None: news must come first."""
        if self._lines == 0:
            return self._taken_at + AFTER_RECEIPT
        return self._still_since + IDLE_CLEARS if self._is_idle else None

    def is_free(self, now: float) -> bool:
        """Whether the next post may be typed now."""
        free_at = self.free_at(now)
        return free_at is not None and now >= free_at


def parse_transcript_line(line: str | bytes) -> TranscriptNews | None:
    """What a line of Claude Code's transcript tells about its queue; None when nothing. Never raises."""
    if not _holds(line, "queue-operation") and not _holds(line, INTERRUPTED):
        return None
    row = _object(line)
    if row.get("type") == "queue-operation" and isinstance(operation := row.get("operation"), str):
        return TranscriptNews(operation)
    if row.get("type") == "user" and not row.get("isSidechain"):
        message = row.get("message")
        text = _content_text(message.get("content") if isinstance(message, dict) else None)
        return TranscriptNews(interrupted=True) if text.startswith(INTERRUPTED) else None
    return None


def parse_user_message(line: str | bytes) -> str | None:
    """The text of a UserMessage line of a Codex rollout; None for every other line. Never raises."""
    if not _holds(line, "UserMessage"):
        return None
    row = _object(line)
    payload = row.get("payload")
    item = payload.get("item") if isinstance(payload, dict) else None
    if row.get("type") != "event_msg" or not isinstance(payload, dict) or payload.get("type") != "item_completed":
        return None
    if not isinstance(item, dict) or item.get("type") != "UserMessage":
        return None
    return _content_text(item.get("content"))


def _holds(line: str | bytes, word: str) -> bool:
    if len(line) > LINE_LIMIT:
        return False
    return word in line if isinstance(line, str) else word.encode() in line


def _object(line: str | bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _content_text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str))
