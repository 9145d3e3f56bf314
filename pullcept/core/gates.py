"""What keeps the next post from being typed into one session, asked right before its first byte.

Unsent text of a person, a question of the CLI that may be open, a prompt in the CLI's own queue. Structured reports
and the keys of the pane steer this; words on the screen never do. Times in seconds, one clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pullcept.core.cli_queue import ClaudeQueue, CodexQueue, TranscriptNews
from pullcept.core.input_box import BOXES, PLAIN_BOX
from pullcept.core.receipt import Around, Turn
from pullcept.core.unsent import Unsent, UnsentState
from pullcept.core.waits import ClaudeWaits, CodexWaits, Hold, WaitView

UNSENT = "unsent text in the terminal"
MAYBE_UNSENT = "there may be unsent text in the terminal"
PUT_BACK = "the last post may be back in the input box"
QUESTION = "a question is open in the terminal"
QUESTION_UNKNOWN = "a question may still be open in the terminal"
IN_QUEUE = "a prompt waits in the program's own queue"

_HOLD_REASONS = {Hold.PERMISSION: QUESTION, Hold.UNKNOWN: QUESTION_UNKNOWN}
_TURNS = {
    "UserPromptSubmit": Turn.BUSY,
    "PreToolUse": Turn.BUSY,
    "PostToolUse": Turn.BUSY,
    "Stop": Turn.IDLE,
    "StopFailure": Turn.ERROR,
    "SessionEnd": Turn.UNKNOWN,
}
_CODEX_TURNS = {
    "idle": Turn.IDLE,
    "done": Turn.IDLE,
    "working": Turn.BUSY,
    "blocked": Turn.BUSY,
    "error": Turn.ERROR,
    "clear": Turn.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Held:
    """Why the next post waits: "" when it is a matter of a moment. `again_at`: when to look again without news."""

    reason: str
    again_at: float | None = None


class Gates:
    """The gates of one session, from its start to its end. `kind`: what the CLI is and so what it tells.

    `box`: the name of its input box (its typing profile); one that is not known gets the rules for all.
    """

    def __init__(self, kind: str = "", box: str = "", *, columns: int = 80) -> None:
        self.unsent = Unsent(BOXES.get(box, PLAIN_BOX), columns=columns)
        self.turn = Turn.UNKNOWN
        self._claude = ClaudeWaits() if kind == "claude_code" else None
        self._codex = CodexWaits() if kind == "codex_cli" else None
        self._waits_ended = 0
        self._queue = ClaudeQueue() if kind == "claude_code" else None
        self._lines = CodexQueue() if kind == "codex_cli" else None

    # --- what happens -----------------------------------------------------------------------------------------

    def on_keys(self, data: bytes, now: float) -> None:
        """Keys or a paste of the person are written to the terminal."""
        answers = self._claude is not None and self.question_possible and self.unsent.keys_go_to_question(now)
        sent = self.unsent.on_keys(data, now, turn_runs=self.turn is Turn.BUSY)
        if self._lines is not None:
            for text in sent:
                self._lines.on_line(text, now)
        if self._claude is not None and answers:
            self._claude.on_answer_key(now)
        elif self._claude is not None:
            self._claude.on_bytes(now)

    def on_bytes(self, now: float) -> None:
        """Anything else was written to the terminal."""
        self.unsent.on_bytes(now)
        if self._claude is not None:
            self._claude.on_bytes(now)

    def on_event(self, event: str, body: Mapping[str, Any], now: float) -> int | None:
        """A hook event of Claude Code. For a PermissionRequest the wait's id: `on_answered` follows its answer."""
        if self._claude is None:
            return None
        wait_id = self._claude.on_event(event, body, now)
        if not body.get("agent_id"):
            self._set_turn(_TURNS.get(event, self.turn), now)
        if event == "UserPromptSubmit" and self._queue is not None:
            self._queue.on_receipt(now)
            self.unsent.on_turn_began()
        self._pass_question()
        return wait_id

    def on_answered(self, wait_id: int, now: float) -> None:
        """The hook of this PermissionRequest was answered: its question may be drawn from now on."""
        if self._claude is not None:
            self._claude.on_answered(wait_id, now)
            self._pass_question()

    def on_status_line(self, started: float, now: float) -> None:
        """Claude Code ran its status line, whose command began at `started`."""
        if self._claude is not None:
            self._claude.on_status_line(started, now)
            self._pass_question()

    def on_report(self, state: str, kind: str, now: float) -> None:
        """A state report of Codex (OSC 7501)."""
        if self._codex is None:
            return
        self._codex.on_report(state, kind, now)
        self._set_turn(_CODEX_TURNS.get(state, self.turn), now)
        # It reports a question that is drawn already: keys are its answer from now on.
        self.unsent.set_question(self._codex.is_open, is_drawn=True)

    def on_transcript(self, news: TranscriptNews, now: float) -> None:
        """A line of Claude Code's transcript: its queue moved, or the turn was interrupted."""
        if news.operation and self._queue is not None:
            self._queue.on_operation(news.operation, now)
            if news.operation == "dequeue":
                self._set_turn(Turn.BUSY, now)
                self.unsent.on_turn_began()
        if news.interrupted:
            self.unsent.on_interrupted()
            self._set_turn(Turn.IDLE, now)

    def on_user_message(self, now: float, *, is_post: bool) -> None:
        """Codex took a prompt, as its rollout tells: a post, or what the person sent."""
        if self._lines is not None:
            self._lines.on_taken(is_post=is_post, now=now)

    def _set_turn(self, turn: Turn, now: float) -> None:
        self.turn = turn
        if self._queue is not None:
            self._queue.on_turn(is_idle=turn is Turn.IDLE, now=now)
        if self._lines is not None:
            self._lines.on_turn(is_idle=turn is not Turn.BUSY, now=now)

    def _pass_question(self) -> None:
        self.unsent.set_question(self.question_possible)
        waits = self._claude.ended if self._claude is not None else 0
        if waits != self._waits_ended:
            self._waits_ended = waits
            self.unsent.on_next_question()

    # --- what follows -----------------------------------------------------------------------------------------

    @property
    def question_possible(self) -> bool:
        """Whether a question may be drawn at the next pause: keys are its answer, none is kept back."""
        if self._claude is not None:
            return self._claude.question_possible
        return self._codex is not None and self._codex.is_open

    @property
    def has_wait(self) -> bool:
        """Whether a permission wait is open, its question drawn or not."""
        waits = self._claude or self._codex
        return waits is not None and waits.is_open

    def around(self) -> Around:
        """What an extra Enter must look at."""
        return Around(self.turn, self.has_wait, self.unsent.state is not UnsentState.EMPTY)

    def hold(self, now: float) -> Held | None:
        """What keeps the next post from being begun now; None when nothing does."""
        waits = self._claude or self._codex
        view = waits.view(now) if waits is not None else None
        if view is not None:
            return _waiting(view)
        told_by = self.unsent.told_by(now)
        if self.unsent.state is not UnsentState.EMPTY:
            return Held(self._unsent_reason(), told_by)
        return self._queue_hold(now)

    def _unsent_reason(self) -> str:
        if self.unsent.state is UnsentState.UNSENT:
            return UNSENT
        return PUT_BACK if self.unsent.put_back else MAYBE_UNSENT

    def _queue_hold(self, now: float) -> Held | None:
        queue = self._queue or self._lines
        if queue is None:
            return None
        free_at = queue.free_at(now)
        if free_at is None:
            return Held(IN_QUEUE)
        return Held("", free_at) if now < free_at else None


class NoGates(Gates):
    """Nothing ever holds."""

    @property
    def question_possible(self) -> bool:
        """See `Gates`."""
        return False

    def around(self) -> Around:
        """See `Gates`."""
        return Around()

    def hold(self, now: float) -> Held | None:
        """See `Gates`."""
        return None


def _waiting(view: WaitView) -> Held:
    return Held(_HOLD_REASONS.get(view.hold, ""), view.again_at)
