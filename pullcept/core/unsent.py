"""Unsent input: what a person typed into a terminal and has not sent, known from the keys the pane sends.

While there is any, posts are held: one typed behind it would fuse with it. Hence every doubt counts as unsent and no
timer ever ends it; only a send, a clear, a submit of that very text or the person's own word does.
"""

from collections import deque
from enum import StrEnum

from pullcept.core.grapheme import last_cluster
from pullcept.core.input_box import PLAIN_BOX, Box, width, word_start
from pullcept.core.keystrokes import KeyReader, Keystroke, Stroke
from pullcept.core.submit import same_text

DOUBLE_ESCAPE = 0.7
"""Claude Code takes two Escapes 0.76 s apart for a pair, 0.96 s apart for two single ones."""
QUESTION_AFTER = 1.4
"""Claude Code draws a question 1.4 to 1.5 s after the last byte written to the terminal; until then keys are text."""
REPEATED_AFTER = 1.0
"""Claude Code ignores keys for about half a second after it drew a question: a person looks, and presses again."""
REPORTED_WITHIN = 30.0
CONFIRMED_WITHIN = 10.0
"""A stalled Claude Code drops an Enter that it reads together with a key, and the line stays in its box; what it took,
it tells within 7 s. A line that is not told by then counts as sent, as it does where nothing is told."""
FOLDS_ABOVE = 800
FOLDED_LINES = 3
TEXT_LIMIT = 200_000
UNKNOWN_LINES, CLEAR_LIMIT = 64, 2_000
PROMPT_MARGIN = 6


class UnsentState(StrEnum):
    """`MAYBE`: there may be text that nobody saw being typed (recall, completion, a prompt put back)."""

    EMPTY = "empty"
    UNSENT = "unsent"
    MAYBE = "maybe"


class Unsent:
    """The unsent input of one session, from its start (frozen: not ready) to its end. Times in seconds, one clock."""

    def __init__(self, box: Box = PLAIN_BOX, *, columns: int = 80) -> None:
        """`columns`: width of the terminal, kept up to date by the owner; Ctrl+U takes one drawn line."""
        self.columns = columns
        self._box = box
        self._reader = KeyReader()
        self._is_ready = False
        self._question_open = False
        self._question_drawn = False
        self._question_reader = KeyReader()
        self._answer, self._answered_at = b"", float("-inf")
        self._is_behind_answer = False
        self._last_byte = float("-inf")
        self._sent: deque[tuple[float, str]] = deque(maxlen=16)
        self._untold: deque[tuple[float, str]] = deque(maxlen=16)
        self._sent_now: list[str] = []
        self._put_back_at: float | None = None
        self._escape_at: float | None = None
        self._is_stashed = self._was_interrupted = self._entered_in_doubt = False
        self._empty()

    @property
    def state(self) -> UnsentState:
        """Whether posts must wait for the person, and how sure that is."""
        if self._text or self._reader.is_open:
            return UnsentState.UNSENT
        doubtful = self._recalled or self._menu or self._is_stashed or self._put_back_at is not None or self._untold
        return UnsentState.MAYBE if doubtful else UnsentState.EMPTY

    @property
    def put_back(self) -> bool:
        """Whether the last prompt may be back in the box after an Escape: its row says so."""
        return self._put_back_at is not None

    def told_by(self, now: float) -> float | None:
        """Until when the CLI may still tell that it took what was sent; None when nothing is waited for."""
        while self._untold and now >= self._untold[0][0] + CONFIRMED_WITHIN:
            self._untold.popleft()
        return self._untold[-1][0] + CONFIRMED_WITHIN if self._untold else None

    # --- what keys go to --------------------------------------------------------------------------------------

    def set_ready(self, is_ready: bool) -> None:
        """Before the session is ready its keys answer first screens: nothing is tracked."""
        self._is_ready = is_ready

    def set_question(self, is_open: bool, *, is_drawn: bool = False) -> None:
        """A permission wait is open (from the answer to its hook on: earlier no question can be drawn), or none.

        `is_drawn`: the question stands on the screen already.
        """
        if is_open != self._question_open:
            self._question_open, self._question_drawn = is_open, is_open and is_drawn
            if self._is_behind_answer:
                self._recalled, self._is_behind_answer = True, False
            self.on_next_question()

    def on_next_question(self) -> None:
        """One of several questions ended: the next key may answer another one."""
        self._answer = b""
        self._question_reader = KeyReader()

    def on_bytes(self, now: float) -> None:
        """Anything was written to the terminal: a piece of a post, a report of the mouse. Keys tell it themselves."""
        self._look_at_question(now)
        self._last_byte = now

    def keys_go_to_question(self, now: float) -> bool:
        """Whether keys answer a question now, so that none may be kept back."""
        self._look_at_question(now)
        return not self._is_ready or self._question_drawn

    def _look_at_question(self, now: float) -> None:
        if self._question_open and now - self._last_byte >= QUESTION_AFTER:
            self._question_drawn = True

    # --- what happens -----------------------------------------------------------------------------------------

    def on_keys(self, data: bytes, now: float, *, turn_runs: bool = False) -> tuple[str, ...]:
        """One key press or paste, when it is written to the terminal: the texts that it sent, in order.

        `turn_runs`: the CLI is busy with a prompt.
        """
        is_frozen = self.keys_go_to_question(now)
        self._last_byte = now
        if is_frozen:
            self._note_answer(data, now)
            return ()
        self._sent_now = []
        self._was_interrupted = self._was_interrupted and turn_runs
        for each in self._reader.read(data):
            self._on_stroke(each, now, turn_runs and not self._was_interrupted)
        return tuple(self._sent_now)

    def _note_answer(self, data: bytes, now: float) -> None:
        """The end of a question is told late: text behind a key that may have answered it may lie in the box by then.

        An answer is one character, Enter, Escape or Ctrl+C; and Enter sends, or answers, what came before it.
        """
        is_repeated = data == self._answer and now - self._answered_at >= REPEATED_AFTER
        if not self._question_open or is_repeated:
            self._answered_at = now
            return
        for each in self._question_reader.read(data):
            if each.stroke in (Stroke.ENTER, Stroke.ESCAPE, Stroke.INTERRUPT):
                self._is_behind_answer = self._is_behind_answer and each.stroke is Stroke.ESCAPE
                self._answer, self._answered_at = data, now
            elif each.stroke in (Stroke.TEXT, Stroke.PASTE, Stroke.RECALL, Stroke.STASH):
                self._is_behind_answer = self._is_behind_answer or bool(self._answer)
                if each.stroke is Stroke.TEXT and not self._answer:
                    self._answer, self._answered_at = data, now

    def on_turn_began(self) -> None:
        """The CLI took a prompt. Until then keys behind an interrupting one find it idle, though no event says so."""
        self._was_interrupted = False
        if self._entered_in_doubt:
            self._put_back_at, self._entered_in_doubt = None, False
        self._untold = deque((each for each in self._untold if each[1]), 16)

    def on_submit(self, text: str, now: float) -> None:
        """The CLI took a prompt that is not a post of ours. It empties the box only when it is the box's text.

        Reports of a queued line come seconds late: one of a line that was seen being sent says nothing about now.
        """
        self._note_told(text)
        for sent in self._sent:
            if now - sent[0] <= REPORTED_WITHIN and same_text(sent[1], text):
                self._sent.remove(sent)
                return
        if self._text and same_text(self._text, text):
            self._empty()

    def _note_told(self, text: str) -> None:
        """It is the line of that text; one that the box changed on the way is the oldest. What the CLI tells itself
        begins with a mark of its own and is no line."""
        told = next((each for each in self._untold if same_text(each[1], text)), None)
        if told is None and self._untold and not text.lstrip().startswith("<"):
            told = self._untold[0]
        if told is not None:
            self._untold.remove(told)

    def on_interrupted(self) -> None:
        """The transcript says that the turn was interrupted: its prompt was not put back into the box."""
        self._put_back_at = None

    def on_post_whole(self, entered_at: float) -> bool:
        """A post sent at `entered_at` was taken with exactly its own text: nothing had been put back before it.

        Says whether that was in doubt.
        """
        self._untold = deque((each for each in self._untold if each[0] > entered_at), 16)
        was_doubtful = self._put_back_at is not None and self._put_back_at <= entered_at
        if was_doubtful:
            self._put_back_at = None
        return was_doubtful

    def clear(self) -> None:
        """The person says that there is nothing, or that a post may follow whatever is there."""
        self._is_stashed = False
        self._untold.clear()
        self._empty()

    def clearing_keys(self, text: str | None = None) -> tuple[bytes, ...]:
        """Keys that take `text`, else what is unsent, out of the box and do nothing else: to the end, lines away."""
        is_known = text is not None or (bool(self._text) and self._is_exact)
        widths = (width(line) for line in (self._text if text is None else text).split("\n"))
        drawn = sum(2 + each // max(1, self.columns - PROMPT_MARGIN) for each in widths)
        times = drawn if is_known else max(drawn, UNKNOWN_LINES)
        return (b"\x05", *(b"\x15",) * min(times, CLEAR_LIMIT))

    def _empty(self) -> None:
        self._text = ""
        self._is_exact = True
        self._recalled = self._menu = self._list_taken = False
        self._put_back_at = self._escape_at = None
        self._reader = KeyReader()

    # --- strokes ----------------------------------------------------------------------------------------------

    def _on_stroke(self, each: Keystroke, now: float, turn_runs: bool) -> None:
        stroke = each.stroke
        if stroke is Stroke.NOTHING:
            return
        if stroke is Stroke.ESCAPE:
            self._on_escape(now, turn_runs)
            return
        self._escape_at = None
        if stroke in (Stroke.TEXT, Stroke.PASTE):
            self._add(each.text, is_paste=stroke is Stroke.PASTE)
        elif stroke is Stroke.ENTER:
            self._on_enter(now)
        elif stroke is Stroke.INTERRUPT:
            self._on_interrupt_key(now, turn_runs)
        elif stroke is Stroke.RECALL:
            self._recalled = True
        elif stroke is Stroke.STASH:
            self._recalled, self._is_stashed = True, self._box.stashes
        elif stroke is Stroke.MOVE:
            self._is_exact = self._is_exact and self.state is UnsentState.EMPTY
        elif stroke is Stroke.BACKSPACE:
            self._cut(last_cluster(self._text, extended=self._box.extended))
        elif stroke is Stroke.WORD_BACK:
            self._cut(word_start(self._text, by_blanks=self._box.word_by_blanks))
        else:
            self._on_line_back()

    def _add(self, text: str, *, is_paste: bool) -> None:
        self._text += text
        self._list_taken = False
        # What the box shows as one block, or as other characters, is not removed cluster by cluster.
        may_fold = len(text) > FOLDS_ABOVE or (is_paste and text.count("\n") >= FOLDED_LINES)
        if may_fold or "\t" in text or len(self._text) > TEXT_LIMIT:
            self._text, self._is_exact = self._text[:TEXT_LIMIT], False

    def _on_enter(self, now: float) -> None:
        box, text = self._box, self._text
        if box.reviewed.intersection(text):
            self._text = "".join(char for char in text if char not in box.reviewed)
            self._recalled = True
        elif box.goes_on and text.endswith("\\"):
            self._text = text[:-1] + "\n" if self._is_exact else text
        elif self._opens_list():
            self._recalled = self._list_taken = True
        elif self._menu:
            self._menu, self._recalled = False, True
        else:
            self._on_sent(now)

    def _opens_list(self) -> bool:
        words = self._text.split()
        ends_in_word = bool(words) and not self._text[-1].isspace()
        return ends_in_word and words[-1].startswith(self._box.lists) and not self._list_taken

    def _on_sent(self, now: float) -> None:
        put_back_at = self._put_back_at
        if self._text:
            self._sent.append((now, self._text))
            self._sent_now.append(self._text)
        if self._box.reports and (self._text or self._recalled) and not self._is_command():
            self._untold.append((now, self._text))
        self._empty()
        if put_back_at is not None and self._box.reports:
            # A prompt that is put back lost the blank behind its last backslash: Enter may have been a line break.
            self._put_back_at, self._entered_in_doubt = put_back_at, True
        self._recalled, self._is_stashed = self._is_stashed, False

    def _is_command(self) -> bool:
        return self._text.lstrip().startswith(self._box.commands)

    def _on_interrupt_key(self, now: float, turn_runs: bool) -> None:
        if turn_runs and self._box.puts_back:
            self._interrupt(now)
        else:
            self._untold.clear()
            self._empty()

    def _on_escape(self, now: float, turn_runs: bool) -> None:
        before, self._escape_at = self._escape_at, None
        if turn_runs:
            self._interrupt(now)
        elif before is None or now - before > DOUBLE_ESCAPE:
            self._menu, self._escape_at = False, now
        elif self.state is UnsentState.EMPTY:
            # On an empty box it opens the list of former prompts, and Enter there puts one into the box.
            self._menu = True
        elif self._box.escapes_clear:
            self._empty()
            # A turn that began unseen, behind an agent's end, takes the first of the pair: the text stays.
            self._recalled = self._box.puts_back

    def _interrupt(self, now: float) -> None:
        """The key ends the turn and leaves the text in the box; or it closes a list and the turn goes on."""
        if self._box.puts_back:
            self._put_back_at = now
        self._was_interrupted = not self._text.rpartition(" ")[2].startswith(("/", "@"))

    def _on_line_back(self) -> None:
        if not self._is_exact:
            return
        start = self._text.rfind("\n") + 1
        if start and start == len(self._text):
            start -= 1  # in an empty line it takes the line break
        elif self._box.drawn_lines and width(self._text[start:]) > self.columns - PROMPT_MARGIN:
            return
        self._cut(start)

    def _cut(self, start: int) -> None:
        if not self._text:
            return
        self._text = self._text[:start]
        if not self._text and not self._is_exact:
            self._recalled = True
        self._is_exact = self._is_exact or not self._text
