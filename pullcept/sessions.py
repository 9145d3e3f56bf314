"""One run of a CLI in a terminal: its output, its gates, its keys and its end."""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pullcept.core.account import BY_HAND, TYPE_ANYWAY
from pullcept.core.cli_queue import parse_transcript_line, parse_user_message
from pullcept.core.gates import Gates
from pullcept.core.launch import Launch
from pullcept.core.receipt import EVIDENCE, NO_EVIDENCE, Evidence
from pullcept.core.seat import DeliveryState, SeatState
from pullcept.core.waits import ANSWER_LIMIT
from pullcept.pty.human_keys import is_report
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import Profile
from pullcept.pty.terminal import ExitStatus, Terminal, Terminals
from pullcept.pty.typist import Typist
from pullcept.term.core import TerminalCore
from pullcept.term.reports import Report

log = logging.getLogger(__name__)

FIRST_SCREEN_AFTER = 5.0
FIRST_SCREEN_SILENCE = 1.0
LISTENS_AFTER_SILENCE = 2.0
END_GRACE = 3.0
END_LIMIT = 10.0
LISTED_LIMIT = 5.0
"""A post that comes before the tools are known reaches a model that cannot answer; some CLIs ask for them late."""
READY = "ready"
NOT_JOINED = "the session has not joined the room yet"
NOT_LISTED = "the session does not know the room's tools yet"
NOT_IDLE = "the session has not reported that it is idle yet"
SIGHTED = "sighted"
SIGHTLESS = "the session cannot show whether it asks something"
TYPED_BY_HAND = "posts to this session are typed by hand"
SIGHTED_LIMIT = 10.0
AT_FIRST_SCREEN = "waiting at its first screen"
BRACKETED_PASTE = 2004


class Listener(Protocol):
    """Who is told what happens to a session. Everything is called on the asyncio thread."""

    def on_state(self, session: "Session") -> None: ...
    async def save_long(self, session: "Session", post: TypedPost, text: str) -> str: ...
    def on_delivery(self, session: "Session", message_id: str, state: DeliveryState, reason: str) -> None: ...
    def on_typing(self, session: "Session", active: bool) -> None: ...
    def on_ended(self, session: "Session", status: ExitStatus) -> None: ...


class Recorder(Protocol):
    """Keeps the bytes typed into and printed by one terminal (the demo's proof)."""

    def typed(self, data: bytes) -> None: ...
    def printed(self, data: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class Start:
    """What a session is started with. `needs_idle`: ready only after an idle report.

    `listens`: the session has no room tools and is ready once it has been silent for a while. `blind`: the person's
    settings keep its hooks from reporting. `sightless`: what the account says about such sessions (`core/account.py`).
    """

    launch: Launch
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    columns: int
    rows: int
    profile: Profile
    conversation_id: str | None
    resumed: bool
    needs_idle: bool = False
    listens: bool = False
    blind: bool = False
    sightless: str | None = None


@dataclass(slots=True)
class Progress:
    """What has been seen of a session since its start."""

    joined: bool = False
    listed: bool = False
    idle_seen: bool = False
    key_pressed: bool = False
    asked_to_end: bool = False
    last_output: float = field(default_factory=time.monotonic)


class Session:
    """A running (or ended) terminal with the typist of its seat.

    Made on the asyncio thread; output arrives on the terminals' own thread and is handed over.
    """

    def __init__(
        self,
        start: Start,
        terminals: Terminals,
        listener: Listener,
        recorder: Recorder | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`clock` in seconds, like `sleep`: the typist and its gates live by them."""
        self.start = start
        self._clock, self._sleep = clock, sleep
        self.state = SeatState.STARTING
        self.progress = Progress()
        self.exit: ExitStatus | None = None
        self.note = ""
        self.screen = TerminalCore(start.columns, start.rows)
        self._listener = listener
        self._recorder = recorder
        self._loop = asyncio.get_running_loop()
        self._gone = asyncio.Event()
        self._early_replies: list[bytes] = []
        self._reply_lock = threading.Lock()
        self._terminal: Terminal | None = None
        terminal = self._spawn(terminals)
        with self._reply_lock:
            self._terminal = terminal
            for reply in self._early_replies:
                terminal.write(reply)
        self._sightless, self._is_late = start.sightless, False
        self._gates = Gates(start.launch.role, start.profile.name, columns=start.columns)
        self.typist = self._make_typist(terminal)
        self._watch = self._loop.create_task(self._watch_first_screen(), name=f"first screen {start.launch.seat}")

    @property
    def launch(self) -> Launch:
        """The launch this session belongs to."""
        return self.start.launch

    def rename(self, name: str, full_name: str | None, hue: int | None) -> None:
        """Its account is called otherwise from now on."""
        launch = replace(self.start.launch, name=name, full_name=full_name, hue=hue)
        self.start = replace(self.start, launch=launch)

    @property
    def alive(self) -> bool:
        """Whether the process has not been seen to end."""
        return self.exit is None

    @property
    def pid(self) -> int:
        """The process id of the CLI."""
        assert self._terminal is not None
        return self._terminal.pid

    def put(self, post: TypedPost) -> None:
        """Queue one post for this terminal; it is typed when every gate is open."""
        self.typist.put(post)

    def held(self) -> tuple[int, str]:
        """How many posts wait, and why ("" when they are merely in turn)."""
        return self.typist.held()

    def write_keys(self, data: bytes) -> None:
        """Pass keys of the person on, in order with what is typed."""
        if not is_report(data):
            self.progress.key_pressed = True
        self.typist.write_keys(data)

    def resize(self, columns: int, rows: int) -> None:
        """Give terminal and screen another size; sizes below 2 x 2 are ignored."""
        if columns < 2 or rows < 2 or self._terminal is None or not self.alive:
            return
        self.screen.resize(columns, rows)
        self._gates.unsent.columns = columns
        self._terminal.resize(columns, rows)

    def on_joined(self) -> None:
        """The sidecar of this session has joined the room."""
        self.progress.joined = True
        if self.state in (SeatState.STARTING, SeatState.FIRST_SCREEN):
            self._change(SeatState.RUNNING)
        self._loop.call_later(LISTED_LIMIT, self.on_listed)
        self._loop.call_later(SIGHTED_LIMIT, self._on_late)
        self._check_ready()

    def on_listed(self) -> None:
        """The CLI knows the room's tools now, or has had its time to ask for them."""
        self.progress.listed = True
        self._check_ready()

    def _on_late(self) -> None:
        """So long after it joined every Codex that reports its state has done so."""
        self._is_late = True
        self._check_ready()
        self._look_again()

    async def end(self) -> None:
        """Ask the process tree to end, then make it; returns when the exit has been seen, or its time is over."""
        if not self.alive or self._terminal is None:
            return
        self.progress.asked_to_end = True
        self._change(SeatState.STOPPING)
        self._terminal.end(END_GRACE)
        try:
            async with asyncio.timeout(END_LIMIT):
                await self._gone.wait()
        except TimeoutError:
            log.error("process %d of %s did not end in time", self.pid, self.launch.seat)

    def _spawn(self, terminals: Terminals) -> Terminal:
        start = self.start
        terminal = terminals.spawn(
            start.argv, start.cwd, start.env, start.columns, start.rows, self._on_output, self._on_exit
        )
        return _RecordingTerminal(terminal, self._recorder) if self._recorder else terminal

    def _make_typist(self, terminal: Terminal) -> Typist:
        typist = Typist(
            terminal,
            self.start.profile,
            on_delivery=lambda *news: self._listener.on_delivery(self, *news),
            on_typing=lambda active: self._listener.on_typing(self, active),
            takes_paste=lambda: self.screen.mode(BRACKETED_PASTE),
            save_long=lambda post, text: self._listener.save_long(self, post, text),
            on_keys=self._on_keys,
            gates=self._gates,
            evidence=_evidence(self.start),
            on_no_evidence=self._on_no_evidence,
            clock=self._clock,
            sleep=self._sleep,
        )
        typist.set_gate(READY, False, NOT_JOINED)
        if self.start.blind and not self._types_blindly:
            typist.set_gate(SIGHTED, False, self._sightless_reason)
        return typist

    def _on_no_evidence(self) -> None:
        """It took a post and told nothing of it. A Claude Code whose hooks are silent tells of no question either."""
        if self.launch.role == "claude_code" and not self._types_blindly:
            self.typist.set_gate(SIGHTED, False, self._sightless_reason)
            self._listener.on_state(self)

    def _on_output(self, data: bytes) -> None:
        self.progress.last_output = time.monotonic()
        if self._recorder:
            self._recorder.printed(data)
        fed = self.screen.feed(data)
        if fed.replies:
            self._reply(fed.replies)
        if fed.reports:
            self._loop.call_soon_threadsafe(self._on_reports, fed.reports)

    def _reply(self, replies: bytes) -> None:
        with self._reply_lock:
            if self._terminal is None:
                self._early_replies.append(replies)
                return
            self._terminal.write(replies)
        self._loop.call_soon_threadsafe(self._on_replied)

    def _on_replied(self) -> None:
        self._gates.on_bytes(self._clock())

    def _on_keys(self, data: bytes) -> None:
        """Keys of the person went to the program: what holds the posts may be another reason now."""
        if self.typist.held()[0]:
            self._listener.on_state(self)

    def _on_reports(self, reports: Sequence[Report]) -> None:
        for report in reports:
            self._gates.on_report(report.state, report.kind, self._clock())
            if report.state == "working":
                self.typist.on_working()
        self._look_again()
        if any(report.state == "idle" for report in reports):
            self.progress.idle_seen = True
            self._check_ready()

    def _check_ready(self) -> None:
        if not self.progress.joined or not self.alive:
            return
        if not self.start.needs_idle or self.progress.idle_seen:
            # Its first screens are behind it: keys go to its box, although posts may still wait for its tools.
            self._gates.unsent.set_ready(True)
        if not self.progress.listed:
            self.typist.set_gate(READY, False, NOT_LISTED)
        elif self.start.needs_idle and not self.progress.idle_seen and not (self._types_blindly and self._is_late):
            self.typist.set_gate(READY, False, self._sightless_reason if self._is_late else NOT_IDLE)
        else:
            self._gates.unsent.set_ready(True)
            self.typist.set_gate(READY, True, "")

    async def _watch_first_screen(self) -> None:
        if self.start.listens:
            await self._wait_silent(LISTENS_AFTER_SILENCE, 0.0)
            self.on_joined()
            self.on_listed()
            return
        await self._wait_silent(FIRST_SCREEN_SILENCE, FIRST_SCREEN_AFTER)
        if self.state is SeatState.STARTING:
            self.typist.set_gate(READY, False, AT_FIRST_SCREEN)
            self._change(SeatState.FIRST_SCREEN)

    async def _wait_silent(self, silence: float, at_least: float) -> None:
        await asyncio.sleep(at_least)
        while (left := self.progress.last_output + silence - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _on_exit(self, status: ExitStatus) -> None:
        self._loop.call_soon_threadsafe(self._on_ended, status)

    def _on_ended(self, status: ExitStatus) -> None:
        self.exit = status
        self._gone.set()
        self._watch.cancel()
        self.screen.on_exit()
        self.state = SeatState.ENDED
        self._listener.on_ended(self, status)

    # -- what the CLI tells -----------------------------------------------------------------------

    def on_activity(self, event: str, body: Mapping[str, Any]) -> Awaitable[None] | None:
        """A hook event. For a PermissionRequest: what its answer waits for, so that no question opens in a post."""
        wait_id = self._gates.on_event(event, body, self._clock())
        if wait_id is not None:
            self.typist.on_wait_opened()
        if event == "UserPromptSubmit" and isinstance(prompt := body.get("prompt"), str):
            self.typist.on_submit(prompt)
        self._look_again()
        return None if wait_id is None else self._answer(wait_id)

    async def _answer(self, wait_id: int) -> None:
        """A question is drawn only after its hook was answered: not while a post is under way."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_LIMIT):
                await self.typist.until_settled()
        self._gates.on_answered(wait_id, self._clock())
        self._look_again()

    def on_status(self, body: Mapping[str, Any], started_at: float | None) -> None:
        """A status line report, whose command began at `started_at` on this session's clock (None: not told)."""
        if started_at is not None:
            self._gates.on_status_line(started_at, self._clock())
            self._look_again()

    def on_transcript_line(self, line: bytes) -> None:
        """A whole line that Claude Code added to its transcript."""
        if news := parse_transcript_line(line):
            self._gates.on_transcript(news, self._clock())
            if news.interrupted:
                self.typist.on_interrupted()
            self._look_again()

    def on_rollout_line(self, line: bytes) -> None:
        """A whole line that Codex added to the rollout of this conversation."""
        if (text := parse_user_message(line)) is not None:
            self._gates.on_user_message(self._clock(), is_post=self.typist.on_submit(text))
            self._look_again()

    @property
    def waiting(self) -> bool:
        """Whether something waits for news of the CLI, so that its files are worth looking at often."""
        return self.typist.held()[0] > 0 or self.typist.awaits_receipt or self._gates.unsent.put_back

    def _look_again(self) -> None:
        """What holds posts may have changed: the typist asks, and the seat shows it."""
        self.typist.look_again()
        if self.typist.held()[0]:
            self._listener.on_state(self)

    # -- what the person decides about their own text --------------------------------------------

    @property
    def is_sightless(self) -> bool:
        """Whether posts wait because this session cannot show whether it asks something."""
        return self.typist.held_by(SIGHTED) or (self._is_late and self.typist.held_by(READY))

    @property
    def _types_blindly(self) -> bool:
        return self._sightless == TYPE_ANYWAY

    @property
    def _sightless_reason(self) -> str:
        return TYPED_BY_HAND if self._sightless == BY_HAND else SIGHTLESS

    def decide_sightless(self, decision: str) -> None:
        """What the person decided for the sessions of this account that cannot show whether they ask something."""
        self._sightless = decision
        if self.typist.held_by(SIGHTED):
            self.typist.set_gate(SIGHTED, self._types_blindly, self._sightless_reason)
        self._check_ready()
        self._look_again()

    def send_anyway(self) -> None:
        """Posts may follow whatever lies unsent in the input box."""
        self._gates.unsent.clear()
        self.typist.look_again()

    def close_typist(self, reason: str) -> tuple[str, ...]:
        """Stop typing for good; returns the ids of the posts that were not typed."""
        return tuple(self.typist.close(reason))

    def _change(self, state: SeatState) -> None:
        self.state = state
        self._listener.on_state(self)


def _evidence(start: Start) -> Evidence:
    """What this session tells of the posts it takes: Claude Code by its hooks, Codex by its conversation's file."""
    return NO_EVIDENCE if start.blind else EVIDENCE.get(start.launch.role, NO_EVIDENCE)


class _RecordingTerminal:
    """A terminal that also notes what is written into it."""

    def __init__(self, terminal: Terminal, recorder: Recorder) -> None:
        self._terminal = terminal
        self._recorder = recorder

    @property
    def pid(self) -> int:
        return self._terminal.pid

    @property
    def exited(self) -> ExitStatus | None:
        return self._terminal.exited

    @property
    def stalled(self) -> bool:
        return self._terminal.stalled

    def write(self, data: bytes, limit: float = 10.0) -> Future[None]:
        self._recorder.typed(data)
        return self._terminal.write(data, limit)

    def resize(self, columns: int, rows: int) -> None:
        self._terminal.resize(columns, rows)

    def end(self, grace: float) -> None:
        self._terminal.end(grace)

    def is_line_mode(self) -> bool | None:
        return self._terminal.is_line_mode()

    def unread(self) -> int | None:
        return self._terminal.unread()
