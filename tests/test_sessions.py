"""When a session is ready for posts: it sits in the room, knows the room's tools, and says that it is idle."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pullcept import sessions
from pullcept.core.account import BY_HAND, TYPE_ANYWAY
from pullcept.core.launch import Launch
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import CODEX_CLI
from pullcept.pty.terminal import ExitStatus, Terminal, exit_by_code
from pullcept.sessions import Session, Start
from tests.pty.virtual import NotedTerminal, VirtualClock, settle

IDLE = b"\x1b]7501;state=idle:app=codex\x1b\\\x1b[?2004h"
POST = TypedPost("m1", "[pullcept] {}", "hello")


class OneTerminal:
    """Starts nothing: gives a terminal that notes what is written."""

    def __init__(self) -> None:
        self.terminal = NotedTerminal(VirtualClock())
        self.on_output: Callable[[bytes], None] = lambda data: None
        self.on_exit: Callable[[ExitStatus], None] = lambda status: None

    def spawn(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        columns: int,
        rows: int,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[ExitStatus], None],
    ) -> Terminal:
        self.on_output, self.on_exit = on_output, on_exit
        return self.terminal

    def close(self) -> None: ...


class Silent:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.states: list[SeatState] = []

    def on_state(self, session: Session) -> None:
        self.states.append(session.state)

    async def save_long(self, session: Session, post: TypedPost, text: str) -> str:
        return ""

    def on_delivery(self, session: Session, message_id: str, state: DeliveryState, reason: str) -> None: ...
    def on_typing(self, session: Session, active: bool) -> None: ...
    def on_ended(self, session: Session, status: ExitStatus) -> None: ...


Play = Callable[[Session, OneTerminal], Coroutine[Any, Any, None]]


def with_session(
    play: Play,
    *,
    needs_idle: bool = False,
    blind: bool = False,
    sightless: str | None = None,
    terminals: OneTerminal | None = None,
) -> None:
    terminals = terminals or OneTerminal()

    async def run() -> None:
        launch = Launch(Seat("a", "t"), 1, "s", "c", "Haru", None, None, "codex_cli", "pullcept-room", "o")
        start = Start(launch, ("x",), "/", {}, 80, 24, CODEX_CLI, None, False, needs_idle=needs_idle, blind=blind)
        start = replace(start, sightless=sightless)
        session = Session(start, terminals, Silent(), None)
        terminals.on_output(b"\x1b[?2004h")
        session.put(POST)
        await play(session, terminals)
        terminals.on_exit(exit_by_code(0))
        await settle()
        session.close_typist("over")
        await settle()

    asyncio.run(run())


def test_a_post_waits_until_the_session_knows_the_rooms_tools() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        await settle()
        assert session.state is SeatState.RUNNING
        assert session.held() == (1, "the session does not know the room's tools yet")
        assert terminals.terminal.data == b""
        session.on_listed()
        await settle()
        assert b"hello" in terminals.terminal.data

    with_session(play)


def test_tools_that_are_listed_before_the_room_is_joined_count() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_listed()
        await settle()
        assert terminals.terminal.data == b""
        session.on_joined()
        await settle()
        assert b"hello" in terminals.terminal.data

    with_session(play)


def test_a_cli_that_never_asks_for_the_tools_gets_its_posts_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "LISTED_LIMIT", 0.0)

    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        await settle()
        assert b"hello" in terminals.terminal.data

    with_session(play)


def test_a_cli_that_reports_idle_gets_nothing_before_its_report() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        await settle()
        assert session.held() == (1, "the session has not reported that it is idle yet")
        terminals.on_output(IDLE)
        await settle()
        assert b"hello" in terminals.terminal.data

    with_session(play, needs_idle=True)


def test_news_after_the_end_change_nothing() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        terminals.on_exit(exit_by_code(0))
        await settle()
        session.on_joined()
        session.on_listed()
        await settle()
        assert session.state is SeatState.ENDED
        assert terminals.terminal.data == b""

    with_session(play)


def test_what_the_program_asks_for_before_its_start_has_returned_is_answered() -> None:
    class Eager(OneTerminal):
        """A program that asks where the cursor is at once."""

        def spawn(self, *arguments: Any) -> Terminal:
            terminal = super().spawn(*arguments)
            self.on_output(b"\x1b[6n")
            return terminal

    async def play(session: Session, terminals: OneTerminal) -> None:
        assert terminals.terminal.data == b"\x1b[1;1R"

    with_session(play, terminals=Eager())


def test_mouse_and_focus_reports_are_no_keys_of_the_person() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.write_keys(b"\x1b[I")
        session.write_keys(b"\x1b[<0;3;4M")
        assert not session.progress.key_pressed
        session.write_keys(b"y")
        assert session.progress.key_pressed

    with_session(play)


@pytest.mark.expects_logged_errors
def test_a_program_that_cannot_be_ended_is_given_up_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "END_LIMIT", 0.01)

    async def play(session: Session, terminals: OneTerminal) -> None:
        await session.end()
        assert session.alive
        assert session.state is SeatState.STOPPING

    with_session(play)


BLOCKED = b"\x1b]7501;state=blocked:app=codex:kind=permission\x1b\\"
WORKING = b"\x1b]7501;state=working:app=codex\x1b\\"


def test_a_question_of_codex_holds_its_posts_and_the_seat_says_why() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        terminals.on_output(IDLE + BLOCKED)
        await settle()
        assert session.held() == (1, "a question is open in the terminal")
        assert terminals.terminal.data == b""

    with_session(play, needs_idle=True)


def test_unsent_text_holds_posts_until_the_person_decides() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        session.write_keys(b"half")
        await settle()
        assert terminals.terminal.data == b"half"
        assert session.held() == (1, "unsent text in the terminal")
        session.send_anyway()
        assert session.held() == (1, "")

    with_session(play)


def test_keys_into_a_first_screen_are_no_unsent_text() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.write_keys(b"1")
        session.on_joined()
        session.on_listed()
        await settle()
        assert session.held()[1] == ""

    with_session(play)


def test_keys_before_the_tools_are_known_are_unsent_text() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.write_keys(b"half")
        session.on_listed()
        await settle()
        assert session.held() == (1, "unsent text in the terminal")

    with_session(play)


def test_a_codex_that_reports_nothing_cannot_show_questions_and_the_person_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "SIGHTED_LIMIT", 0.0)

    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        await settle()
        await leave_to_the_person_then_type(session, terminals)

    with_session(play, needs_idle=True)


def test_a_session_whose_hooks_are_switched_off_holds_its_posts_until_the_person_decides() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        await settle()
        await leave_to_the_person_then_type(session, terminals)

    with_session(play, blind=True)


async def leave_to_the_person_then_type(session: Session, terminals: OneTerminal) -> None:
    assert session.is_sightless
    assert session.held() == (1, sessions.SIGHTLESS)
    session.send_anyway()
    session.decide_sightless(BY_HAND)
    await settle()
    assert session.held() == (1, sessions.TYPED_BY_HAND)
    assert terminals.terminal.data == b""
    session.decide_sightless(TYPE_ANYWAY)
    await settle()
    assert not session.is_sightless
    assert b"hello" in terminals.terminal.data


def test_what_the_person_decided_for_the_account_counts_from_the_start() -> None:
    async def play(session: Session, terminals: OneTerminal) -> None:
        session.on_joined()
        session.on_listed()
        await settle()
        assert not session.is_sightless
        assert b"hello" in terminals.terminal.data

    with_session(play, blind=True, sightless=TYPE_ANYWAY)
