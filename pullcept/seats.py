"""The seats of every topic: their sessions are started here, posts go into their terminals, and they end here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pullcept.core.account import Account
from pullcept.core.activity import names_event, started_at, text_of
from pullcept.core.kinds import LaunchRefused, kind_for
from pullcept.core.launch import Admissions, Launch, LaunchLineError
from pullcept.core.post import Post
from pullcept.core.protocol import Paused
from pullcept.core.screen import (
    DeliveryChanged,
    ScreenEvent,
    SeatChanged,
    SeatView,
    StatusSaid,
    TerminalOpened,
    TypingPost,
)
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.core.tag import clean_body, tag_line
from pullcept.following import Follower
from pullcept.pty.post import TypedPost
from pullcept.pty.terminal import ExitStatus, TerminalFailed, Terminals
from pullcept.reasons import reason_words
from pullcept.sessions import Recorder, Session
from pullcept.starting import LaunchFolder, Prepared, Starter, StartRefused, TopicBook
from pullcept.store.long_posts import save_long_post
from pullcept.store.settings import NotSaved
from pullcept.term.core import TerminalCore
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

log = logging.getLogger(__name__)

_REFUSALS = (StartRefused, LaunchRefused, LaunchLineError, TerminalFailed, NotSaved, OSError)


@dataclass(frozen=True, slots=True)
class Parts:
    """What `Seats` works with; put together by `app`."""

    terminals: Terminals
    admissions: Admissions
    topics: TopicBook
    launches: LaunchFolder
    starter: Starter
    account: Callable[[str], Account | None]
    save_account: Callable[[Account], None]
    tell: Callable[[ScreenEvent], None]
    local_at: Callable[[str], str | None]
    on_launch_ended: Callable[[Launch], None]
    recorder: Callable[[Seat, str], Recorder | None]


class Seats:
    """All seats with their sessions. Lives on the asyncio thread; only `screen_of` may be called from any."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tell = parts.tell
        self._sessions: dict[Seat, Session] = {}
        self._followers: dict[Seat, Follower] = {}
        self._failed: dict[Seat, str] = {}
        self._generations: dict[Seat, int] = {}
        self._missed_posts: set[Seat] = set()
        self._said_in: set[str] = set()
        self._shut: set[str | None] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def running(self, topic_id: str | None = None) -> tuple[Session, ...]:
        """Sessions whose process lives, of one topic or of all."""
        return tuple(
            session for seat, session in self._sessions.items() if session.alive and topic_id in (None, seat.topic_id)
        )

    def screen_of(self, seat: Seat) -> TerminalCore | None:
        """The terminal picture of a seat, while there is one."""
        session = self._sessions.get(seat)
        return session.screen if session else None

    def views(self, topic_id: str) -> Iterable[SeatView]:
        """Every seat of a topic that was started in this run of the app."""
        for seat, session in self._sessions.items():
            if seat.topic_id == topic_id and seat not in self._failed:
                yield _view(session)
        for seat, reason in self._failed.items():
            if seat.topic_id == topic_id:
                yield SeatView(seat, SeatState.FAILED, detail=reason)

    def state_words(self, seat: Seat) -> str:
        """What the session of a seat is doing, in English, for the other sessions."""
        session = self._sessions.get(seat)
        if session is None:
            return "connected"
        count, reason = session.held() if session.alive else (0, "")
        held = f", {count} posts wait: {reason}" if count and reason else ""
        return f"{session.state.value.replace('_', ' ')}{held}"

    # -- starting ---------------------------------------------------------

    def start(self, seat: Seat, columns: int, rows: int) -> None:
        """Start the session of a seat. Every failure is told on the seat and the status line."""
        if self.is_shut(seat.topic_id):
            self._tell(StatusSaid(_("Nothing is started here any more: this topic is being closed."), "warning"))
            return
        if (session := self._sessions.get(seat)) and session.alive:
            self._tell(StatusSaid(_("This session is already running here."), "warning"))
            return
        self._failed.pop(seat, None)
        try:
            prepared = self._prepare(seat, columns, rows)
            self._run(seat, prepared)
        except _REFUSALS as error:
            self._fail(seat, str(error))

    def _prepare(self, seat: Seat, columns: int, rows: int) -> Prepared:
        account = self._parts.account(seat.account_id)
        if account is None:
            raise StartRefused(_("This account is gone."))
        generation = self._generations.get(seat, 0) + 1
        missed = seat in self._missed_posts or (seat not in self._sessions and seat.topic_id in self._said_in)
        prepared = self._parts.starter.prepare(
            seat, account, generation, missed_posts=missed, columns=columns, rows=rows
        )
        self._generations[seat] = generation
        return prepared

    def _run(self, seat: Seat, prepared: Prepared) -> None:
        start = prepared.start
        for path, text in prepared.files:
            self._parts.launches.write(Path(path), text)
        self._parts.admissions.add(start.launch)
        try:
            recorder = self._parts.recorder(seat, start.launch.name)
            session = Session(start, self._parts.terminals, self, recorder)
        except (TerminalFailed, OSError):
            self._parts.admissions.end(seat, start.launch.generation)
            raise
        self._sessions[seat] = session
        self._followers[seat] = Follower(session, lambda found: self._on_found(start.launch, found))
        self._missed_posts.discard(seat)
        self._record_start(seat, None if start.resumed else start.conversation_id)
        self._tell(TerminalOpened(seat))
        self._tell_seat(session)
        self._tell(StatusSaid(prepared.word))
        self._keep(self._note_version(session), f"version {seat}")

    async def _note_version(self, session: Session) -> None:
        account = self._parts.account(session.launch.seat.account_id)
        if account is None:
            return
        session.note = await asyncio.to_thread(self._parts.starter.version_note, account, session.start.argv[0])
        if session.note and session.alive:
            self._tell_seat(session)

    def _keep(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _record_start(self, seat: Seat, conversation_id: str | None) -> None:
        try:
            self._parts.topics.session_started(seat)
            if conversation_id:
                self._parts.topics.record_conversation(seat, conversation_id)
        except NotSaved as error:
            self._tell(StatusSaid(str(error), "error"))

    def _fail(self, seat: Seat, reason: str) -> None:
        self._failed[seat] = reason
        self._tell(SeatChanged(SeatView(seat, SeatState.FAILED, detail=reason)))
        self._tell(StatusSaid(reason, "error"))

    # -- typing -----------------------------------------------------------

    def listeners(self, topic_id: str, origin: str) -> dict[str, str]:
        """Whom a post of `origin` is typed to at present: calling names by the origin of their launch."""
        launches = (session.launch for session in self.running(topic_id))
        return {launch.origin: launch.name for launch in launches if launch.origin != origin}

    def note_held(self, topic_id: str) -> None:
        """A post waits before the terminals: a session that ends before it is typed has missed it."""
        self._note_absent(topic_id)
        self._missed_posts.update(session.launch.seat for session in self.running(topic_id))

    def type_post(
        self, topic_id: str, post: Post, origin: str, *, only: frozenset[str] | None = None
    ) -> tuple[Paused, ...]:
        """Queue a post for every running terminal of the topic but the speaker's own.

        `only`: the launches it was meant for, when it was made some time ago. Returns the names that are not typed to
        at present, with the reason.
        """
        paused = []
        body = clean_body(post.content)
        for session in self.running(topic_id):
            launch = session.launch
            if launch.origin == origin or (only is not None and launch.origin not in only):
                continue
            self._followers[launch.seat].note_post(post.message_id)
            session.put(TypedPost(post.message_id, self._tag(post, launch), body, from_admin=post.role == "admin"))
            count, reason = session.held()
            if count and reason:
                paused.append(Paused(launch.name, reason))
        self._note_absent(topic_id)
        return tuple(paused)

    def on_reached(self, topic_id: str, origin: str, message_id: str) -> None:
        """A session spoke in the room and had seen this post."""
        for session in self.running(topic_id):
            if session.launch.origin == origin:
                session.typist.on_reached(message_id)

    def _note_absent(self, topic_id: str) -> None:
        """Seats without a session miss this post; their next start is told that there are posts."""
        self._said_in.add(topic_id)
        self._missed_posts.update(
            seat for seat, session in self._sessions.items() if seat.topic_id == topic_id and not session.alive
        )

    def _tag(self, post: Post, launch: Launch) -> str:
        addressed = launch.name in post.to
        return tag_line(
            post,
            local_at=self._parts.local_at(post.ts),
            you=launch.name if addressed else None,
            your_full_name=launch.full_name if addressed else None,
        )

    def write_keys(self, seat: Seat, data: bytes) -> None:
        """Pass the person's keys on to the terminal they look at."""
        if (session := self._sessions.get(seat)) and session.alive:
            session.write_keys(data)

    def send_anyway(self, seat: Seat) -> None:
        """Posts may follow what the person has not sent in this terminal."""
        if session := self._living(seat):
            session.send_anyway()
            self._tell_seat(session)

    def decide_sightless(self, seat: Seat, decision: str) -> None:
        """What becomes of posts for sessions of this account that cannot show whether they ask something.

        `decision`: one of `core.account.SIGHTLESS`; it is kept with the account.
        """
        account = self._parts.account(seat.account_id)
        if account is None:
            return
        try:
            self._parts.save_account(replace(account, sightless=decision))
        except NotSaved as error:
            self._tell(StatusSaid(str(error), "error", key=str(error)))
        for session in self.running():
            if session.launch.seat.account_id == seat.account_id:
                session.decide_sightless(decision)
                self._tell_seat(session)

    def discard_held(self, seat: Seat) -> None:
        """Do not type the posts that wait for this terminal. What the person has half typed there is left alone."""
        if session := self._living(seat):
            session.typist.discard(_("not typed: you decided so"))
            self._tell_seat(session)

    def press_enter(self, seat: Seat) -> None:
        """Press Enter for a post that was not taken."""
        self._decide(seat, lambda session: session.typist.press_enter())

    def send_again(self, seat: Seat, message_id: str) -> None:
        """Type a post once more, before the others; without an id the newest one."""
        self._decide(seat, lambda session: session.typist.send_again(message_id))

    def skip(self, seat: Seat, message_id: str) -> None:
        """Give up the post that was not taken; the next one follows."""
        self._decide(seat, lambda session: session.typist.skip(message_id))

    def _decide(self, seat: Seat, decide: Callable[[Session], bool]) -> None:
        session = self._living(seat)
        if session is None or not decide(session):
            account = self._parts.account(seat.account_id)
            text = _("No post waits for this in {name}.").format(name=account.name if account else "?")
            self._tell(StatusSaid(text, "warning"))
        else:
            self._tell_seat(session)

    def _living(self, seat: Seat) -> Session | None:
        session = self._sessions.get(seat)
        return session if session is not None and session.alive else None

    def rename(self, account: Account) -> None:
        """An account is called otherwise: the tags of the next posts say so."""
        self._parts.admissions.rename(account.id, account.calling_name, account.full_name, account.hue)
        for session in self._sessions.values():
            if session.launch.seat.account_id == account.id:
                session.rename(account.calling_name, account.full_name, account.hue)

    def resize(self, seat: Seat, columns: int, rows: int) -> None:
        """Give the terminal of a seat another size."""
        if session := self._sessions.get(seat):
            session.resize(columns, rows)

    async def save_long(self, session: Session, post: TypedPost, text: str) -> str:
        """Save a body too long to be typed beside the topic's attachments; returns the absolute path."""
        folder = self._parts.topics.attachments_folder(session.launch.seat.topic_id)
        return str(await asyncio.to_thread(save_long_post, folder, post.message_id, text))

    # -- what sidecars report ----------------------------------------------

    def on_joined(self, launch: Launch) -> None:
        """The sidecar of a launch has joined the room; late news of an older launch change nothing."""
        if (session := self._current(launch)) and session.alive:
            session.on_joined()

    def on_listed(self, launch: Launch) -> None:
        """The CLI of a launch has asked for the room's tools."""
        if (session := self._current(launch)) and session.alive:
            session.on_listed()

    def on_conversation(self, launch: Launch, conversation_id: str) -> None:
        """A CLI has told its conversation id through a tool call."""
        if self._current(launch) is None or not kind_for(launch.role).tells_conversation:
            return
        self._followers[launch.seat].on_conversation(conversation_id)
        self._on_found(launch, conversation_id)

    def _on_found(self, launch: Launch, conversation_id: str) -> None:
        if self._current(launch) and self._parts.topics.conversation(launch.seat) != conversation_id:
            self._record_start(launch.seat, conversation_id)

    def on_activity(self, seat: Seat, generation: int, event: str, body: Mapping[str, Any]) -> Awaitable[None] | None:
        """A hook event; one of an older generation, or whose body is about another event, changes nothing.

        What it gives back for a PermissionRequest is waited for before the hook is answered.
        """
        session = self._alive(seat, generation)
        if session is None or not names_event(event, body):
            return None
        if event == "UserPromptSubmit":
            self._followers[seat].on_path(text_of(body, "transcript_path"))
        return session.on_activity(event, body)

    def on_status(self, seat: Seat, generation: int, body: Mapping[str, Any]) -> None:
        """A status line report; one of an older generation changes nothing."""
        if session := self._alive(seat, generation):
            session.on_status(body, started_at(body))

    def _current(self, launch: Launch) -> Session | None:
        session = self._sessions.get(launch.seat)
        return session if session and session.launch.generation == launch.generation else None

    def _alive(self, seat: Seat, generation: int) -> Session | None:
        session = self._sessions.get(seat)
        return session if session and session.alive and session.launch.generation == generation else None

    # -- ending -----------------------------------------------------------

    def stop(self, seat: Seat) -> None:
        """Ask a session to end; its exit is told when it is seen."""
        if (session := self._sessions.get(seat)) and session.alive:
            self._keep(session.end(), f"end {seat}")

    async def end_all(self, topic_id: str | None = None) -> tuple[str, ...]:
        """End every session (of a topic), side by side, and start none there from now on (see `reopen`).

        Returns when all are gone or have been given their time: the names of those that still run.
        """
        self.shut(topic_id)
        await asyncio.gather(*(session.end() for session in self.running(topic_id)))
        return tuple(session.launch.name for session in self.running(topic_id))

    def shut(self, topic_id: str | None) -> None:
        """Start nothing in this topic (None: anywhere) from now on."""
        self._shut.add(topic_id)

    def is_shut(self, topic_id: str) -> bool:
        """Whether nothing is started in this topic any more."""
        return topic_id in self._shut or None in self._shut

    def reopen(self, topic_id: str) -> None:
        """The topic stays after all: sessions may be started in it again."""
        self._shut.discard(topic_id)

    def forget(self, topic_id: str) -> None:
        """Drop what is kept of a deleted topic."""
        for seat in {*self._sessions, *self._failed, *self._missed_posts}:
            if seat.topic_id == topic_id:
                self._sessions.pop(seat, None)
                self._followers.pop(seat, None)
                self._failed.pop(seat, None)
                self._missed_posts.discard(seat)

    # -- what sessions report ------------------------------------------------

    def on_state(self, session: Session) -> None:
        """A session changed its state."""
        self._tell_seat(session)

    def on_delivery(self, session: Session, message_id: str, state: DeliveryState, reason: str) -> None:
        """A post moved on its way into a terminal."""
        self._tell(DeliveryChanged(session.launch.seat, message_id, state, reason_words(reason)))
        self._tell_seat(session)

    def on_typing(self, session: Session, active: bool) -> None:
        """A post is being typed, or no longer."""
        self._tell(TypingPost(session.launch.seat, active))

    def on_ended(self, session: Session, status: ExitStatus) -> None:
        """A process has ended: what was not typed stays untyped, and the screen says so."""
        launch = session.launch
        self._parts.admissions.end(launch.seat, launch.generation)
        self._parts.on_launch_ended(launch)
        untyped = session.close_typist(_("the session ended"))
        for message_id in untyped:
            self._tell(DeliveryChanged(launch.seat, message_id, DeliveryState.FAILED, _("the session ended")))
        if untyped:
            self._missed_posts.add(launch.seat)
        words = _ending_words(session, status, len(untyped))
        if self._drop_dead_resume(session):
            words += " " + _("Its earlier conversation cannot be resumed; the next start begins a new one.")
        self._tell_seat(session)
        self._tell(StatusSaid(words, _ending_level(session)))

    def _drop_dead_resume(self, session: Session) -> bool:
        """A resumed session that ended by itself without ever joining had no conversation to go on with.

        Says whether its record was dropped.
        """
        progress, conversation_id = session.progress, session.start.conversation_id
        if not session.start.resumed or conversation_id is None:
            return False
        if progress.joined or progress.asked_to_end or progress.key_pressed:
            return False
        try:
            return self._parts.topics.drop_conversation(session.launch.seat, conversation_id)
        except NotSaved as error:
            self._tell(StatusSaid(str(error), "error", key=str(error)))
            return True

    def _tell_seat(self, session: Session) -> None:
        if self._sessions.get(session.launch.seat) is session:
            self._tell(SeatChanged(_view(session)))


def _view(session: Session) -> SeatView:
    held, reason = session.held() if session.alive else (0, "")
    return SeatView(
        session.launch.seat,
        session.state,
        detail=session.exit.text if session.exit else session.note,
        held=held,
        hold_reason=reason_words(reason),
        exit_code=session.exit.code if session.exit else None,
        asked=session.progress.asked_to_end,
    )


def _ending_words(session: Session, status: ExitStatus, untyped: int) -> str:
    asked = session.progress.asked_to_end
    words = _("{name} was stopped.") if asked else _("{name} ended by itself ({how}).")
    text = words.format(name=session.launch.name, how=status.text)
    if untyped:
        more = ngettext("{count} post was not typed into it.", "{count} posts were not typed into it.", untyped)
        text += " " + more.format(count=untyped)
    return text


def _ending_level(session: Session) -> Literal["info", "warning"]:
    return "info" if session.progress.asked_to_end else "warning"
