"""Types posts into one terminal: one after the other, whole, never into a human's keys and never twice."""

import asyncio
import logging
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from pullcept.core.gates import Gates, Held, NoGates
from pullcept.core.receipt import NO_EVIDENCE, Do, Evidence, Progress
from pullcept.core.seat import DeliveryState
from pullcept.core.submit import Match
from pullcept.pty.human_keys import HumanKeys, is_report
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import Enter, Plan, Profile, Refused, Spill, Step, Wait, Write, plan, spilled_body
from pullcept.pty.receipts import Followed, Receipts
from pullcept.pty.terminal import Terminal, TerminalEnded, WriteUnsure

log = logging.getLogger(__name__)

LINE_LIMIT = 1_024 if sys.platform == "darwin" else 4_096
AFTER_ENTER = 0.3
LOOK_AGAIN = 0.25
RECEIPT_LOOK = 0.1
STALL_LOOK = 1.0
NOT_READING_AFTER = 10.0

READY, UNSURE = "ready", "unsure"
NOT_READY = "the session is not ready yet"
NOT_READING = "the program does not read its input"
LINE_MODE = "the program reads whole lines at the moment"
NO_PASTE = "the program does not take pastes yet"
UNSURE_REASON = "unsure: a part of the post may have arrived"
ENDED = "the session has ended"
BEHIND = "an earlier post was not taken"
TOO_LONG = "too long to be typed"
SHORTENED = "too long to be typed: the terminal got its beginning and the path of the whole text"


@dataclass(slots=True, eq=False)
class _Queued:
    post: TypedPost
    body: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Gate:
    reason: str
    holds_enter: bool


class Typist:
    """The delivery queue of one seat's session, on one asyncio loop, from the start of the session to its end.

    Gates are named conditions; `ready` begins closed, every other one open. They are asked right before the first
    byte of a post and, where Enter is a write of its own, again before Enter: with one closed then, the text stays
    in the program's input, keys pass, and Enter follows when the gates are open.
    """

    def __init__(
        self,
        terminal: Terminal,
        profile: Profile,
        *,
        on_delivery: Callable[[str, DeliveryState, str], None],
        on_typing: Callable[[bool], None] = lambda active: None,
        on_keys: Callable[[bytes], None] = lambda data: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        takes_paste: Callable[[], bool] = lambda: True,
        save_long: Callable[[TypedPost, str], Awaitable[str]] | None = None,
        line_limit: int = LINE_LIMIT,
        gates: Gates | None = None,
        evidence: Evidence = NO_EVIDENCE,
        on_no_evidence: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_typing`: keys are kept back now, or no longer. `on_keys`: told of human keys when they are passed on.
        `takes_paste`: whether the program switched bracketed paste on. `save_long(post, text)`: saves a text that is
        too long to be typed and returns its absolute path, or raises OSError. `clock` in seconds, like `sleep`.
        `gates`: what else holds; they are told of every byte, and whoever changes them calls `look_again`.
        `evidence`: what the program tells of the posts it takes, by `on_submit` and `on_working`; `on_no_evidence` is
        called when it turns out to tell nothing."""
        self._terminal, self._profile = terminal, profile
        self._on_delivery, self._on_typing = on_delivery, on_typing
        self._sleep, self._takes_paste, self._save_long = sleep, takes_paste, save_long
        self._line_limit = line_limit
        self._clock = clock
        self._holds = gates or NoGates()
        self._told_on_keys = on_keys
        self._evidence, self._evidence_seen = evidence, False
        self._on_no_evidence = on_no_evidence
        self._receipts = Receipts(evidence, on_delivery)
        self._followed: Followed | None = None
        self._settled = asyncio.Event()
        self._settled.set()
        self._queue: deque[_Queued] = deque()
        self._gates: dict[str, _Gate] = {READY: _Gate(NOT_READY, holds_enter=True)}
        self._obstacle = self._told_reason = ""
        self._changed = asyncio.Event()
        self._keys = HumanKeys(terminal, sleep, clock, self._on_keys, self._wake)
        self._typing: _Queued | None = None
        self._keeping = False
        self._closed: str | None = None
        self._task: asyncio.Task[None] | None = None

    # --- what others call, on the loop ----------------------------------------------------------------------

    def put(self, post: TypedPost) -> None:
        """Queue a post. `on_delivery` tells its state: queued, then typed or failed."""
        if self._closed is not None:
            self._on_delivery(post.message_id, DeliveryState.FAILED, self._closed)
            return
        self._queue.append(_Queued(post, post.body))
        self._on_delivery(post.message_id, DeliveryState.QUEUED, self.held()[1])
        self._wake()

    def write_keys(self, data: bytes) -> None:
        """A key press or a paste of the human, one call each. Kept back while a post is typed, never dropped."""
        if self._closed is None and data:
            if is_report(data):
                self._holds.on_bytes(self._clock())
            self._keys.take(data)

    def press_keys(self, keys: Iterable[bytes]) -> None:
        """Keys that the person asked for by a button, one after the other."""
        if self._closed is None:
            self._keys.line_up(keys)
            self._wake()

    def on_submit(self, text: str) -> bool:
        """The program took a prompt; says whether it was a post typed here."""
        self._evidence_seen, self._receipts.evidence = True, self._evidence
        ours = self._receipts.on_submit(text)
        for each in ours:
            if each.receipt.match is Match.WHOLE:
                self._on_whole(each)
        if not ours:
            self._holds.unsent.on_submit(text, self._clock())
        self._changed.set()
        return bool(ours)

    def _on_whole(self, followed: Followed) -> None:
        """Nothing lay in the box before a post that was taken with exactly its own text."""
        if self._holds.unsent.on_post_whole(followed.entered_at):
            self._receipts.on_not_put_back()

    def on_working(self) -> None:
        """The program began to work."""
        self._receipts.on_working(self._clock())
        self._changed.set()

    def on_reached(self, message_id: str) -> None:
        """The session spoke in the room and had seen this post."""
        self._receipts.on_reached(message_id)
        self._changed.set()

    def on_wait_opened(self) -> None:
        """A permission wait began: inside a post its question may swallow the text."""
        if self._followed is not None:
            self._followed.receipt.on_wait_opened(self._clock())
            self._changed.set()

    @property
    def awaits_receipt(self) -> bool:
        """Whether a post was begun whose evidence has not come."""
        return self._followed is not None

    async def until_settled(self) -> None:
        """Until no post is between its first byte and its receipt (or known not to be taken)."""
        await self._settled.wait()

    def press_enter(self) -> bool:
        """Enter once more for the post that was not taken; False when there is none or a question may be drawn."""
        followed = self._followed
        if followed is None or followed.receipt.progress not in (Progress.TYPED, Progress.NOT_TAKEN):
            return False
        if self._closed is not None or self._holds.around().question:
            return False
        followed.receipt.on_entered(self._clock(), by_person=True)
        self._receipts.tell(followed)
        self.press_keys((b"\r",))
        return True

    def skip(self, message_id: str = "") -> bool:
        """Give a post up that was not taken, and take its text out of the input box; the next one follows."""
        followed = self._followed
        if followed is None or not followed.post.message_id.startswith(message_id):
            return False
        if followed.receipt.progress not in (Progress.TYPED, Progress.NOT_TAKEN) or self._holds.around().question:
            return False
        followed.receipt.skip()
        self._receipts.tell(followed)
        if self._holds.around().unsent is False:
            self.press_keys(self._holds.unsent.clearing_keys(followed.text))
        self._changed.set()
        return True

    def send_again(self, message_id: str = "") -> bool:
        """Type a post once more, before all others; one that waits for its receipt is given up first."""
        found = self._receipts.find(message_id)
        if found is None or any(each.post is found.post for each in self._queue):
            return False
        if found is self._followed and not self.skip(found.post.message_id):
            return False
        self._queue.appendleft(_Queued(found.post, found.post.body))
        self._on_delivery(found.post.message_id, DeliveryState.QUEUED, "")
        self._wake()
        return True

    def look_again(self) -> None:
        """What holds has changed: the next post may be typed now, or no longer."""
        self._changed.set()

    def set_gate(self, name: str, is_open: bool, reason: str = "", *, holds_enter: bool = True) -> None:
        """Open or close a gate. `holds_enter`: whether it also holds the Enter of a post whose text is typed."""
        if is_open:
            self._gates.pop(name, None)
        else:
            self._gates[name] = _Gate(reason or name, holds_enter)
        self._changed.set()

    def held_by(self, name: str) -> bool:
        """Whether this gate is closed."""
        return name in self._gates

    def held(self) -> tuple[int, str]:
        """How many posts are not typed yet, and what is in their way (empty: nothing)."""
        reason = next((gate.reason for gate in self._gates.values()), self._obstacle)
        return len(self._queue), reason or self._not_taken_reason() or self._held_reason()

    def _not_taken_reason(self) -> str:
        followed = self._followed
        return BEHIND if followed is not None and followed.receipt.progress is Progress.NOT_TAKEN else ""

    def _held_reason(self) -> str:
        held = self._holds.hold(self._clock())
        return held.reason if held is not None else ""

    def on_interrupted(self) -> None:
        """The CLI tells that a turn was interrupted: its prompt was not put back into the box."""
        self._receipts.on_not_put_back()

    def _on_keys(self, data: bytes) -> None:
        was_put_back = self._holds.unsent.put_back
        self._holds.on_keys(data, self._clock())
        if self._holds.unsent.put_back and not was_put_back:
            self._receipts.on_put_back()
        self._told_on_keys(data)
        self._changed.set()

    @property
    def typing(self) -> str | None:
        """The message id of the post that is being typed now."""
        return self._typing.post.message_id if self._typing else None

    @property
    def keeps_keys(self) -> bool:
        """Whether keys of the human wait for the end of a post."""
        return self._keys.are_waiting

    def discard(self, reason: str) -> None:
        """Drop the posts of which no byte was typed; one in the middle of being typed goes on."""
        kept = [each for each in self._queue if each.post.message_id == self.typing]
        dropped = [each for each in self._queue if each.post.message_id != self.typing]
        self._queue.clear()
        self._queue.extend(kept)
        for each in dropped:
            self._on_delivery(each.post.message_id, DeliveryState.FAILED, reason)

    def close(self, reason: str = ENDED) -> tuple[str, ...]:
        """Stop for good: nothing is written from now on. Returns the ids of the posts of which no byte was typed.

        A post in the middle is reported as failed, because a part of it may have arrived.
        """
        if self._closed is None:
            self._closed = reason
            if self._task is not None:
                self._task.cancel()
            self._fail_half_typed()
            self._keys.drop()
        left = tuple(each.post.message_id for each in self._queue)
        self._queue.clear()
        return left

    # --- the queue ------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="typist")
        self._changed.set()

    async def _run(self) -> None:
        while self._closed is None:
            try:
                await self._take_turn()
            except TerminalEnded:
                self._fail_half_typed()
                self._say_obstacle(ENDED)
                return
            except WriteUnsure:
                log.warning("a write into process %d failed half-way", self._terminal.pid)
                self._stop_unsure()
            except Exception:
                log.exception("a post could not be typed whole")
                self._stop_unsure()

    async def _take_turn(self) -> None:
        if self._keys.are_waiting and not self._keeping:
            await self._keys.pass_kept()
        elif self._followed is not None:
            await self._follow(self._followed)
        elif self._queue and not self._gates:
            await self._begin(self._queue[0])
        else:
            self._changed.clear()
            await self._changed.wait()

    async def _begin(self, queued: _Queued) -> None:
        planned = await self._planned(queued)
        # Nothing may be awaited between the last look at the gates and the first write.
        if planned is not None and await self._may_begin():
            await self._type(queued, planned)

    async def _wait_changed(self, seconds: float | None) -> None:
        """Until something changes, at most so long."""
        self._changed.clear()
        if seconds is None:
            await self._changed.wait()
            return
        waits = [asyncio.ensure_future(self._sleep(max(0.0, seconds))), asyncio.ensure_future(self._changed.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    async def _planned(self, queued: _Queued) -> Plan | None:
        outcome = self._plan(queued)
        if isinstance(outcome, Spill):
            outcome = await self._spill(queued, outcome.text)
        if isinstance(outcome, Plan):
            return outcome
        self._queue.remove(queued)
        reason = outcome.reason if isinstance(outcome, Refused) else TOO_LONG
        self._on_delivery(queued.post.message_id, DeliveryState.FAILED, reason)
        return None

    def _plan(self, queued: _Queued) -> Plan | Spill | Refused:
        post, profile = queued.post, self._profile
        limit = self._line_limit if not profile.needs_raw and self._terminal.is_line_mode() else None
        return plan(profile, post.tag, queued.body, from_admin=post.from_admin, line_limit=limit)

    async def _spill(self, queued: _Queued, text: str) -> Plan | Spill | Refused:
        if self._save_long is None:
            return Refused(TOO_LONG)
        try:
            path = await self._save_long(queued.post, text)
        except OSError as error:
            return Refused(f"{TOO_LONG}, and it could not be saved: {error.strerror or error}")
        queued.body, queued.note = spilled_body(text, path), SHORTENED
        return self._plan(queued)

    async def _may_begin(self) -> bool:
        now = self._clock()
        self._obstacle = self._present_obstacle()
        held = Held(self._obstacle, now + LOOK_AGAIN) if self._obstacle else self._holds.hold(now)
        self._tell_reason(held.reason if held is not None else "")
        if held is not None:
            await self._wait_changed(None if held.again_at is None else held.again_at - now)
            return False
        if self._keys.quiet_in() > 0:
            await self._sleep(self._keys.quiet_in())
            return False
        return not self._gates and not self._keys.are_waiting

    def _present_obstacle(self) -> str:
        if self._terminal.exited is not None:
            raise TerminalEnded
        if self._profile.needs_raw and self._terminal.is_line_mode():
            return LINE_MODE
        if self._profile.bracketed and not self._takes_paste():
            return NO_PASTE
        return ""

    def _say_obstacle(self, reason: str) -> None:
        self._obstacle = reason
        self._tell_reason(reason)

    def _tell_reason(self, reason: str) -> None:
        if reason == self._told_reason:
            return
        self._told_reason = reason
        if self._queue:
            self._on_delivery(self._queue[0].post.message_id, DeliveryState.QUEUED, reason)

    # --- one post -------------------------------------------------------------------------------------------

    async def _type(self, queued: _Queued, planned: Plan) -> None:
        steps = planned.steps
        self._keep_keys(escape_may_pass=len(steps) > 1)
        self._follow_from(self._receipts.begin(queued.post, planned.text, queued.note))
        try:
            for number, step in enumerate(steps):
                await self._run_step(queued, step, is_last=number == len(steps) - 1)
            self._queue.remove(queued)
            self._typing = None
            self._on_entered()
            if not self._receipts.evidence.names_posts:
                await self._sleep(AFTER_ENTER)
        except BaseException:
            self._follow_from(None)
            raise
        finally:
            if self._followed is None or not self._receipts.evidence.names_posts:
                self._release_keys()

    # -- its receipt ---------------------------------------------------------------------------------------

    def _follow_from(self, followed: Followed | None) -> None:
        self._followed = followed
        if followed is None:
            self._settled.set()
        else:
            self._settled.clear()

    def _on_entered(self) -> None:
        assert self._followed is not None
        now = self._clock()
        self._followed.entered_at = now
        self._followed.receipt.on_entered(now)
        self._receipts.tell(self._followed)

    async def _follow(self, followed: Followed) -> None:
        """One look at the receipt of the post that was typed last; the next post waits until it is settled."""
        receipt, now = followed.receipt, self._clock()
        if receipt.is_settled:
            self._follow_from(None)
            self._release_keys()
            return
        around = self._holds.around()
        if self._keeping and not receipt.keeps_keys(now, question=self._holds.question_possible):
            self._release_keys()
            return
        following = receipt.look(now, around)
        if receipt.progress is Progress.NOT_TAKEN and receipt.probably and not self._evidence_seen:
            self._go_without_evidence()
            return
        if following.do is Do.PRESS_ENTER:
            await self._press_again(followed)
        elif following.do is Do.TYPE_AGAIN and self._holds.hold(now) is None and self._keys.quiet_in() <= 0:
            await self._type_again(followed)
        else:
            await self._wait_for_receipt(followed, following.again_at)

    def _go_without_evidence(self) -> None:
        """It worked on the post but its file was not found: posts end at typed until evidence comes after all."""
        log.warning("process %d tells nothing of the posts it takes", self._terminal.pid)
        self._receipts.evidence = NO_EVIDENCE
        self._on_no_evidence()
        self._follow_from(None)
        self._release_keys()

    async def _wait_for_receipt(self, followed: Followed, again_at: float | None) -> None:
        self._receipts.tell(followed)
        if followed.receipt.progress is Progress.NOT_TAKEN:
            self._settled.set()
            self._tell_reason(BEHIND)
        now = self._clock()
        if self._keeping or (again_at is not None and again_at <= now):
            again_at = now + RECEIPT_LOOK
        await self._wait_changed(None if again_at is None else again_at - now)

    async def _press_again(self, followed: Followed) -> None:
        if self._keys.quiet_in() > 0:
            await self._sleep(self._keys.quiet_in())
            return
        if self._terminal.exited is not None:
            raise TerminalEnded
        self._holds.on_bytes(self._clock())
        future = self._terminal.write(b"\r")
        followed.receipt.on_entered(self._clock())
        await self._wait_written(asyncio.wrap_future(future))

    async def _type_again(self, followed: Followed) -> None:
        """The question swallowed the text (Enter alone was tried): the post is typed once more."""
        outcome = self._plan(_Queued(followed.post, followed.post.body))
        if not isinstance(outcome, Plan):
            followed.receipt.skip()
            return
        self._keep_keys(escape_may_pass=len(outcome.steps) > 1)
        followed.receipt.on_typing(followed.text, again=True)
        self._settled.clear()
        queued = _Queued(followed.post, followed.post.body, followed.note)
        for number, step in enumerate(outcome.steps):
            await self._run_step(queued, step, is_last=number == len(outcome.steps) - 1)
        self._typing = None
        self._on_entered()

    async def _run_step(self, queued: _Queued, step: Step, *, is_last: bool) -> None:
        if isinstance(step, Wait):
            await self._pause(step.seconds)
            return
        await self._keys.settle_escape()
        if isinstance(step, Enter):
            await self._wait_for_enter()
        if is_last:
            self._keys.keep_escape()
        await self._write(queued, step.text if isinstance(step, Write) else "\r")

    async def _pause(self, seconds: float) -> None:
        """A pause counts only when the program has kept up: what it reads at once, it takes for one paste."""
        since = self._clock()
        await self._sleep(seconds)
        while self._terminal.unread():
            if self._terminal.exited is not None:
                raise TerminalEnded
            is_stalled = self._clock() - since > NOT_READING_AFTER
            if is_stalled:
                self._say_obstacle(NOT_READING)
            await self._sleep(LOOK_AGAIN if is_stalled else seconds)
        self._say_obstacle("")

    async def _wait_for_enter(self) -> None:
        while any(gate.holds_enter for gate in self._gates.values()) or self._keys.quiet_in() > 0:
            if not any(gate.holds_enter for gate in self._gates.values()):
                await self._sleep(self._keys.quiet_in())
                continue
            self._release_keys()
            await self._wait_for_gates()
            self._keep_keys(escape_may_pass=False)

    async def _wait_for_gates(self) -> None:
        while any(gate.holds_enter for gate in self._gates.values()):
            await self._keys.pass_kept()
            self._changed.clear()
            await self._changed.wait()
        await self._keys.pass_kept()

    async def _write(self, queued: _Queued, text: str) -> None:
        if self._terminal.exited is not None:
            raise TerminalEnded
        self._typing, is_first = queued, self._typing is None
        self._holds.on_bytes(self._clock())
        future = self._terminal.write(text.encode("utf-8"))
        try:
            if not future.done():
                await self._wait_written(asyncio.wrap_future(future))
            future.result()
        except TerminalEnded as error:
            if is_first and error.written == 0:
                self._typing = None
            raise

    async def _wait_written(self, future: asyncio.Future[None]) -> None:
        future.add_done_callback(_seen)
        while not future.done():
            look = asyncio.ensure_future(self._sleep(STALL_LOOK))
            try:
                await asyncio.wait({future, look}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                look.cancel()
            self._say_obstacle(NOT_READING if self._terminal.stalled else "")

    def _fail_half_typed(self) -> None:
        queued, self._typing = self._typing, None
        if queued is not None and queued in self._queue:
            self._queue.remove(queued)
            self._on_delivery(queued.post.message_id, DeliveryState.FAILED, UNSURE_REASON)

    def _stop_unsure(self) -> None:
        # What lies in the program's input now is not known: a person looks before anything more is typed.
        self._fail_half_typed()
        self.set_gate(UNSURE, False, UNSURE_REASON)

    def _keep_keys(self, *, escape_may_pass: bool) -> None:
        self._keys.keep(escape_may_pass=escape_may_pass)
        self._keeping = True
        self._on_typing(True)

    def _release_keys(self) -> None:
        self._keys.release()
        if self._keeping:
            self._keeping = False
            self._on_typing(False)


def _seen(future: asyncio.Future[None]) -> None:
    """Its error is told by the write it stands for; nobody needs to hear of it a second time."""
    if not future.cancelled():
        future.exception()
