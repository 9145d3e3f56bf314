"""The receipt of one post in one seat: queued, typed, taken; and what to do when no evidence comes.

*Taken* needs evidence that names the post, never the mere passing of time or a busy program. Only Enter is ever
repeated, a few times, and only where it can neither answer a question nor send what a person typed.
"""

from dataclasses import dataclass
from enum import StrEnum

from pullcept.core.submit import Match, compare

AFTER_ENTER = 0.3
"""Keys are kept back for so long after Enter when no evidence is waited for."""
KEYS_LIMIT = 5.0
EARLY_EVERY = 1.0
LATE_EVERY = 5.0
SWALLOWED_AFTER = 5.0
PERSON_WAITS = 5.0
NOT_TAKEN_AFTER = 14.0
WORKING_WITHIN = 2.0


class Progress(StrEnum):
    """How far a post is. `NOT_TAKEN` waits for the person; evidence that comes late still makes it taken."""

    QUEUED = "queued"
    TYPING = "typing"
    TYPED = "typed"
    TAKEN = "taken"
    NOT_TAKEN = "not_taken"
    SKIPPED = "skipped"


class Turn(StrEnum):
    """What the CLI does: `IDLE` after Claude Code's Stop or Codex's idle and done, `ERROR` after a turn that failed."""

    UNKNOWN = "unknown"
    IDLE = "idle"
    BUSY = "busy"
    ERROR = "error"


class Do(StrEnum):
    """What to do next. `TYPE_AGAIN`: the question swallowed the text, the gates hold for it like for any post."""

    WAIT = "wait"
    PRESS_ENTER = "press_enter"
    TYPE_AGAIN = "type_again"


@dataclass(frozen=True, slots=True)
class Next:
    """`again_at`: when to look again without news; None when only news can change anything."""

    do: Do
    again_at: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a kind of CLI tells about posts, and how often Enter may be repeated for it.

    `early`: extra Enters one second apart, busy or not (a stalled program takes the first for a line break); any
    submit stops them. `late`: extra Enters five seconds apart, only while idle. `told_when_queued`: the evidence comes
    although a turn runs, so its absence means something then. `can_swallow`: a question may open inside a post.
    """

    early: int = 0
    late: int = 0
    told_when_queued: bool = False
    can_swallow: bool = False

    @property
    def names_posts(self) -> bool:
        """Whether evidence that names the post is told at all; else a post ends at typed, or at the room's word."""
        return self.late > 0


CLAUDE_EVIDENCE = Evidence(early=3, late=2, told_when_queued=True, can_swallow=True)
CODEX_EVIDENCE = Evidence(late=2)
NO_EVIDENCE = Evidence()
EVIDENCE = {"claude_code": CLAUDE_EVIDENCE, "codex_cli": CODEX_EVIDENCE}


@dataclass(frozen=True, slots=True)
class Around:
    """What else is so in this seat. `question`: one may be open. `unsent`: a person's text may be in the box."""

    turn: Turn = Turn.UNKNOWN
    question: bool = False
    unsent: bool = False


class Receipt:
    """One post on its way into one session. Times in seconds, one clock; `look` may be asked at any time."""

    def __init__(self, message_id: str, evidence: Evidence) -> None:
        self.message_id = message_id
        self.progress = Progress.QUEUED
        self.match: Match | None = None
        self.probably = False
        self._evidence = evidence
        self._typed = ""
        self._typed_again = False
        self._start()

    def _start(self) -> None:
        self._entered_at = self._last_enter = self._base = 0.0
        self._early = self._late = 0
        self._submit_seen = self._wait_inside = self._was_blocked = self._by_person = False
        self._was_reached = False
        self._wait_enter: float | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the next post may follow, as far as this one goes."""
        if not self._evidence.names_posts and self.progress is Progress.TYPED:
            return True
        return self.progress in (Progress.TAKEN, Progress.SKIPPED)

    # --- what happens -----------------------------------------------------------------------------------------

    def on_typing(self, typed: str, *, again: bool = False) -> None:
        """The first byte of `typed` (all text but paste marks and Enter) is written. `again`: after `TYPE_AGAIN`."""
        self._typed, self._typed_again = typed, self._typed_again or again
        self.progress, self.match, self.probably = Progress.TYPING, None, False
        self._start()

    def on_entered(self, now: float, *, by_person: bool = False) -> None:
        """Enter was written: the first behind the text, an extra one, or one the person asked for."""
        if self.progress is Progress.TYPING:
            self.progress = Progress.TAKEN if self._was_reached else Progress.TYPED
            self._entered_at = self._base = now
        elif self.progress in (Progress.TYPED, Progress.NOT_TAKEN):
            self._count_enter(now, by_person)
        self._last_enter = now

    def _count_enter(self, now: float, by_person: bool) -> None:
        if by_person:
            self.progress, self._by_person, self._base = Progress.TYPED, True, now
        elif self._wait_inside and self._wait_enter is None:
            self._wait_enter = now
        elif self._early < self._evidence.early:
            self._early += 1
        else:
            self._late += 1

    def on_wait_opened(self, now: float) -> None:
        """A permission wait began. Inside the post (or as good as) its question may have swallowed the text."""
        is_inside = self.progress is Progress.TYPING or (
            self.progress is Progress.TYPED and now - self._entered_at <= AFTER_ENTER
        )
        self._wait_inside = self._wait_inside or (is_inside and self._evidence.can_swallow)

    def on_submit(self, text: str) -> Match:
        """The CLI took a prompt. What it holds of this post; `match` keeps the answer of the one that counted."""
        if not self._typed:
            return Match.NOT_OURS
        match = compare(self._typed, text, self.message_id)
        if match is not Match.NOT_OURS:
            if self.progress is not Progress.TAKEN or self.match is Match.CUT:
                self.progress, self.match = Progress.TAKEN, match
        elif self.progress is Progress.TYPED:
            self._submit_seen = True
        return match

    def on_reached(self) -> None:
        """The session spoke in the room and had seen this post: all the evidence there is for other kinds.

        Where the CLI itself should tell, that it did not is worth knowing: the post was probably taken.
        """
        if self._evidence.names_posts:
            self.probably = self.probably or self.progress in (Progress.TYPED, Progress.NOT_TAKEN)
            return
        if self.progress is Progress.TYPING:
            self._was_reached = True  # it answered before the write was seen to be done
        elif self.progress is Progress.TYPED:
            self.progress, self.match = Progress.TAKEN, Match.WHOLE

    def on_working(self, now: float) -> None:
        """The CLI began to work. Soon after our Enter the post was probably taken: Enter is not repeated for it."""
        if self.progress is Progress.TYPED and now - self._last_enter <= WORKING_WITHIN:
            self.probably = True

    def skip(self) -> None:
        """The person gives this post up: the next one may follow."""
        if self.progress is not Progress.TAKEN:
            self.progress = Progress.SKIPPED

    # --- what follows -----------------------------------------------------------------------------------------

    def keeps_keys(self, now: float, *, question: bool = False) -> bool:
        """Whether keys of the person are kept back for this post: else an extra Enter would send them with it."""
        if self.progress is Progress.TYPING:
            return True
        if self.progress is not Progress.TYPED or question or self._by_person:
            return False
        if now < self._entered_at + AFTER_ENTER:
            return True
        if not self._evidence.early or self._submit_seen or self._wait_inside or now >= self._entered_at + KEYS_LIMIT:
            return False
        return self._early < self._evidence.early or (not self._late and now < self._last_enter + EARLY_EVERY)

    def look(self, now: float, around: Around) -> Next:
        """What to do now. May find that the post was not taken. A press is told by `on_entered`, a retyping by
        `on_typing`; until then the answer stays the same."""
        if self.progress is not Progress.TYPED or not self._evidence.names_posts:
            return Next(Do.WAIT)
        if self._is_blocked(now, around):
            return Next(Do.WAIT)
        if self._by_person:
            return self._wait_or_give_up(now, self._base + PERSON_WAITS)
        if self._wait_inside:
            return self._after_wait(now, around)
        return self._press(now, around)

    def _is_blocked(self, now: float, around: Around) -> bool:
        """While a question is open nothing counts, and neither does a turn of a CLI that tells nothing meanwhile."""
        is_silent = around.turn is Turn.BUSY and not self._evidence.told_when_queued
        if around.question or is_silent:
            self._was_blocked = True
            return True
        if self._was_blocked:
            self._was_blocked, self._base = False, now
        return False

    def _after_wait(self, now: float, around: Around) -> Next:
        if self._wait_enter is None:
            return self._unless_unsent(now, around, Do.PRESS_ENTER)
        if now < self._wait_enter + SWALLOWED_AFTER:
            return Next(Do.WAIT, self._wait_enter + SWALLOWED_AFTER)
        if not self._typed_again:
            return self._unless_unsent(now, around, Do.TYPE_AGAIN)
        return self._wait_or_give_up(now, self._wait_enter + SWALLOWED_AFTER)

    def _unless_unsent(self, now: float, around: Around, do: Do) -> Next:
        return self._wait_or_give_up(now, self._base + NOT_TAKEN_AFTER) if around.unsent else Next(do)

    def _press(self, now: float, around: Around) -> Next:
        end = max(self._base + NOT_TAKEN_AFTER, self._last_enter + WORKING_WITHIN)
        if now >= end:
            return self._wait_or_give_up(now, end)
        told_otherwise = self._submit_seen and self._evidence.told_when_queued
        if around.unsent or told_otherwise or self.probably:
            return Next(Do.WAIT, end)
        if self._early < self._evidence.early:
            return self._press_at(now, max(self._last_enter, self._base) + EARLY_EVERY)
        if self._late < self._evidence.late and around.turn is Turn.IDLE:
            since = self._last_enter if self._late else self._base
            return self._press_at(now, max(since + LATE_EVERY, self._last_enter + EARLY_EVERY))
        return Next(Do.WAIT, end)

    def _press_at(self, now: float, due: float) -> Next:
        return Next(Do.PRESS_ENTER) if now >= due else Next(Do.WAIT, due)

    def _wait_or_give_up(self, now: float, end: float) -> Next:
        if now < end:
            return Next(Do.WAIT, end)
        self.progress = Progress.NOT_TAKEN
        return Next(Do.WAIT)
