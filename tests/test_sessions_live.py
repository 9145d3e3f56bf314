"""Sessions with awkward programs in real terminals: questions, first screens, and Enter that is never taken."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

from pullcept.core.account import TYPE_ANYWAY
from pullcept.core.launch import Launch
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.pty.posix import PosixTerminals
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import PROFILES
from pullcept.pty.terminal import ExitStatus
from pullcept.sessions import SIGHTLESS, Session, Start
from tests.pty.live import FAKE

LIMIT = 20.0


class Seen:
    """A listener that keeps how far each post came."""

    def __init__(self) -> None:
        self.deliveries: list[tuple[str, DeliveryState]] = []

    def on_state(self, session: Session) -> None: ...

    async def save_long(self, session: Session, post: TypedPost, text: str) -> str:
        return ""

    def on_delivery(self, session: Session, message_id: str, state: DeliveryState, reason: str) -> None:
        self.deliveries.append((message_id, state))

    def on_typing(self, session: Session, active: bool) -> None: ...
    def on_ended(self, session: Session, status: ExitStatus) -> None: ...


class Scene:
    """One fake program as a session of a seat."""

    def __init__(self, folder: Path, terminals: PosixTerminals, role: str, *options: str) -> None:
        self.record = folder / "record.jsonl"
        self.seen = Seen()
        launch = Launch(Seat("a", "t"), 1, "s", "c", "Haru", None, None, role, "pullcept-room", "o")
        argv = (sys.executable, "-S", FAKE, "--record", str(self.record), *options)
        env = {"PATH": "/usr/bin:/bin"}
        start = Start(
            launch, argv, str(folder), env, 80, 24, PROFILES[role], None, False, needs_idle=role == "codex_cli"
        )
        self.session = Session(start, terminals, self.seen, None)

    def records(self) -> list[dict[str, str]]:
        text = self.record.read_text("utf-8") if self.record.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def turns(self) -> list[str]:
        return [entry["turn"] for entry in self.records() if "turn" in entry]

    def put(self, message_id: str, body: str = "hello") -> None:
        self.session.put(TypedPost(message_id, f'[pullcept] {{"message_id":"{message_id}"}}', body))

    async def until(self, condition: Callable[[], object], what: str) -> None:
        async with asyncio.timeout(LIMIT):
            while not condition():
                await asyncio.sleep(0.02)
        assert condition(), what

    async def shows(self, text: str) -> None:
        await self.until(lambda: text in self.session.screen.text(), text)

    async def join(self) -> None:
        await self.shows("READY")
        self.session.on_joined()
        self.session.on_listed()


def play(folder: Path, role: str, options: tuple[str, ...], test: Callable[[Scene], Awaitable[None]]) -> None:
    async def run() -> None:
        terminals = PosixTerminals()
        try:
            scene = Scene(folder, terminals, role, *options)
            await test(scene)
            scene.session.close_typist("over")
            await scene.session.end()
        finally:
            await asyncio.to_thread(terminals.close)

    asyncio.run(run())


def test_a_question_that_opens_over_a_half_typed_line_gets_the_persons_keys_only(tmp_path: Path) -> None:
    async def scene_of(scene: Scene) -> None:
        await scene.join()
        scene.session.write_keys(b"h")
        await scene.shows("QUESTION OPEN")
        scene.put("m1")
        await scene.until(lambda: scene.session.held()[1].startswith("a question"), "held")
        scene.session.write_keys(b"y")
        await scene.shows("QUESTION CLOSED")
        await scene.until(lambda: scene.session.held() == (1, "unsent text in the terminal"), "held for the line")
        scene.session.write_keys(b"\r")
        await scene.until(lambda: len(scene.turns()) == 2, "the line, then the post")
        assert scene.turns()[0] == "h"
        assert scene.turns()[1].startswith('[pullcept] {"message_id":"m1"}')
        assert [entry for entry in scene.records() if "turn" not in entry] == [{"answer": "y"}]

    play(tmp_path, "codex_cli", ("--box", "codex", "--reports", "--permission-after", "0"), scene_of)


def test_posts_wait_for_the_answer_to_a_first_screen_and_come_in_order(tmp_path: Path) -> None:
    async def scene_of(scene: Scene) -> None:
        await scene.shows("Do you trust")
        for number in (1, 2, 3):
            scene.put(f"m{number}")
        assert scene.session.state is SeatState.STARTING
        scene.session.write_keys(b"y")
        await scene.join()
        for number in (1, 2, 3):
            await scene.until(lambda number=number: len(scene.turns()) == number, f"post {number}")
            scene.session.on_activity("UserPromptSubmit", {"prompt": scene.turns()[-1]})
            scene.session.on_activity("Stop", {})
        assert [turn[:30] for turn in scene.turns()] == [f'[pullcept] {{"message_id":"m{n}"}}'[:30] for n in (1, 2, 3)]
        assert scene.records()[0] == {"answer": "y"}
        assert scene.session.held() == (0, "")

    play(tmp_path, "claude_code", ("--box", "claude", "--trust"), scene_of)


def test_a_program_that_never_takes_enter_leaves_its_post_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pullcept.core.receipt.NOT_TAKEN_AFTER", 2.0)

    async def scene_of(scene: Scene) -> None:
        await scene.join()
        scene.put("m1")
        scene.put("m2")
        await scene.until(lambda: ("m1", DeliveryState.NOT_TAKEN) in scene.seen.deliveries, "not taken")
        assert scene.session.held() == (1, "an earlier post was not taken")
        assert scene.session.typist.press_enter()
        assert scene.turns() == []

    play(tmp_path, "claude_code", ("--box", "claude", "--no-enter"), scene_of)


def test_a_claude_code_that_took_a_post_and_told_nothing_cannot_show_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pullcept.core.receipt.NOT_TAKEN_AFTER", 1.0)

    async def scene_of(scene: Scene) -> None:
        await scene.join()
        scene.put("m1")
        scene.put("m2")
        await scene.until(scene.turns, "the first post")
        scene.session.typist.on_reached("m1")
        await scene.until(lambda: scene.session.held() == (1, SIGHTLESS), "the second one waits")
        scene.session.decide_sightless(TYPE_ANYWAY)
        await scene.until(lambda: len(scene.turns()) == 2, "the second post")

    play(tmp_path, "claude_code", ("--box", "claude"), scene_of)
