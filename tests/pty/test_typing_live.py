"""Posts typed into real terminals: whole through the right profile of a kind of CLI, lost through another."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

from pullcept.core.seat import DeliveryState
from pullcept.pty.posix import PosixTerminals
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import CLAUDE_CODE, CODEX_CLI, LINE, PASTE, RAW, Enter, Plan, Profile, Write, plan
from pullcept.pty.typist import Typist
from pullcept.term.core import BRACKETED_PASTE, TerminalCore
from tests.pty.live import LIMIT, LiveFake, closing, wait_for

TAG = '[pullcept] {"role":"claude_code","from":"Hana","message_id":"m1"}'


@pytest.fixture
def terminals() -> Iterator[PosixTerminals]:
    yield from closing(PosixTerminals())


class Seat:
    """A fake CLI with a typist, as a session has them."""

    def __init__(self, terminals: PosixTerminals, folder: Path, profile: Profile, *options: str) -> None:
        self.screen = TerminalCore(80, 24)
        self.states: list[tuple[str, DeliveryState, str]] = []
        self.changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def on_output(data: bytes) -> None:
            self.screen.feed(data)
            loop.call_soon_threadsafe(self.changed.set)

        self.fake = LiveFake(terminals, folder, *options, on_output=on_output)
        self.typist = Typist(
            self.fake.terminal,
            profile,
            on_delivery=self._on_delivery,
            takes_paste=lambda: self.screen.mode(BRACKETED_PASTE),
        )

    def _on_delivery(self, *state: object) -> None:
        self.states.append(state)  # type: ignore[arg-type]
        self.changed.set()

    async def close(self) -> tuple[str, ...]:
        left = self.typist.close()
        self.fake.terminal.end(0)
        await asyncio.to_thread(self.fake.wait_exit)
        return left

    async def until(self, condition: Callable[[], bool], limit: float = LIMIT) -> None:
        async with asyncio.timeout(limit):
            while not condition():
                self.changed.clear()
                if not condition():
                    await self.changed.wait()

    async def ready(self, mark: bytes = b"READY") -> None:
        await self.until(lambda: mark in self.fake.output)
        self.typist.set_gate("ready", True)

    def put(self, body: str, message_id: str = "m1") -> None:
        self.typist.put(TypedPost(message_id, TAG, body))

    async def typed(self, count: int = 1) -> None:
        await self.until(lambda: sum(state is DeliveryState.TYPED for _, state, _ in self.states) >= count)

    async def turns(self, count: int = 1) -> list[str]:
        await self.until(lambda: len(self.fake.turns()) >= count)
        return self.fake.turns()


def play(test: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await test()

    asyncio.run(run())


BODY = "first line\n\n- ｱｲｳ 漢字 👨‍👩‍👧\n" + "\n".join(f"{number}: " + "x" * 70 for number in range(60)) + "\nend"

RIGHT = [
    (CLAUDE_CODE, ["--box", "claude", "--swallow-enter", "10"]),
    (CODEX_CLI, ["--box", "codex"]),
    (RAW, ["--box", "plain", "--swallow-enter", "150"]),
    (PASTE, ["--box", "plain", "--swallow-enter", "150"]),
]


@pytest.mark.parametrize(("profile", "options"), RIGHT, ids=[profile.name for profile, _ in RIGHT])
def test_a_long_post_is_one_turn_exactly_as_said(
    terminals: PosixTerminals, tmp_path: Path, profile: Profile, options: list[str]
) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, profile, *options)
        await seat.ready()
        seat.put(BODY)
        assert await seat.turns() == [f"{TAG}\n{BODY}"]
        await seat.close()

    play(test)


def bytes_of(profile: Profile, body: str) -> int:
    """How many bytes a post is, Enter included."""
    planned = plan(profile, TAG, body, from_admin=False, line_limit=None)
    assert isinstance(planned, Plan)
    return sum(len(step.text.encode()) if isinstance(step, Write) else step == Enter() for step in planned.steps)


WRONG = [
    (RAW, ["--box", "claude"], "x" * 900),
    (PASTE, ["--box", "claude"], "x" * 900),
    (RAW, ["--box", "claude"], "ends in \\"),
    (RAW, ["--box", "claude"], "\u200erule"),
    (CODEX_CLI, ["--box", "claude"], "hello"),
    (CLAUDE_CODE, ["--box", "codex"], "x" * 380),
    (LINE, ["--box", "codex"], "hello"),
    (LINE, ["--box", "claude"], "hello"),
]


@pytest.mark.parametrize(("profile", "options", "body"), WRONG)
def test_through_the_wrong_profile_the_post_is_lost(
    terminals: PosixTerminals, tmp_path: Path, profile: Profile, options: list[str], body: str
) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, profile, *options, "--note-reads")
        await seat.ready()
        if profile.bracketed:
            seat.screen.feed(b"\x1b[?2004h")
        typed = bytes_of(profile, body)
        seat.put(body)
        await seat.typed()
        await asyncio.to_thread(wait_for, lambda: {"read": str(typed)} in seat.fake.records(), f"{typed} bytes read")
        assert f"{TAG}\n{body}" not in seat.fake.turns()
        await seat.close()

    play(test)


RULES = [
    (replace(CLAUDE_CODE, piece=0), "x" * 900, "x" * 900),
    (replace(CLAUDE_CODE, spaces_for_tab=False), "a\tb", "a    b"),
    (replace(CLAUDE_CODE, left_out=frozenset()), "\u200erule", "rule"),
    (replace(CLAUDE_CODE, closing=""), "ends in \\", "ends in \\"),
]


@pytest.mark.parametrize(("without", "body", "taken"), RULES)
def test_without_one_rule_of_its_profile_the_post_is_lost(
    terminals: PosixTerminals, tmp_path: Path, without: Profile, body: str, taken: str
) -> None:
    async def turns_through(profile: Profile, folder: Path) -> list[str]:
        seat = Seat(terminals, folder, profile, "--box", "claude", "--note-reads")
        await seat.ready()
        seat.put(body)
        await seat.typed()
        typed = bytes_of(profile, body)
        await asyncio.to_thread(wait_for, lambda: {"read": str(typed)} in seat.fake.records(), f"{typed} bytes read")
        await seat.close()
        return [turn.rstrip(" ") for turn in seat.fake.turns()]

    async def test() -> None:
        right = f"{TAG}\n{taken}"
        assert await turns_through(CLAUDE_CODE, whole) == [right]
        assert right not in await turns_through(without, lost)

    whole, lost = tmp_path / "whole", tmp_path / "lost"
    for folder in (whole, lost):
        folder.mkdir()
    play(test)


def test_a_line_program_gets_lines_and_a_line_that_would_be_cut_is_refused(
    terminals: PosixTerminals, tmp_path: Path
) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, LINE, "--line-mode")
        await seat.ready()
        seat.put("A" * 6000)
        seat.put("one\ntwo", "m2")
        assert await seat.turns() == [f"{TAG} ⏎ one ⏎ two"]
        assert [message_id for message_id, state, _ in seat.states if state is DeliveryState.FAILED] == ["m1"]
        await seat.close()

    play(test)


@pytest.mark.parametrize(("profile", "expected"), [(LINE, [f"{TAG} ⏎ a ⏎ - b"]), (RAW, [TAG, "a", "- b"])])
def test_a_program_that_sends_on_line_feeds_gets_one_turn_through_the_line_profile_only(
    terminals: PosixTerminals, tmp_path: Path, profile: Profile, expected: list[str]
) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, profile, "--lf-sends")
        await seat.ready()
        seat.put("a\n- b")
        assert await seat.turns(len(expected)) == expected
        await seat.close()

    play(test)


def test_the_tag_can_be_read_even_where_line_feeds_are_lost(terminals: PosixTerminals, tmp_path: Path) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, RAW, "--delete-lf")
        await seat.ready()
        seat.put("AAA\nBBB")
        (turn,) = await seat.turns()
        text = turn.removeprefix("[pullcept] ")
        tag, end = json.JSONDecoder().raw_decode(text)
        assert tag["message_id"] == "m1"
        assert text[end:] == "AAABBB"
        await seat.close()

    play(test)


def test_nothing_is_typed_before_the_program_listens(terminals: PosixTerminals, tmp_path: Path) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, RAW, "--flush-at-start", "0.5")
        seat.put("hello")
        await seat.ready()
        assert await seat.turns() == [f"{TAG}\nhello"]
        await seat.close()

    play(test)


def test_enter_is_not_pressed_into_a_question_that_opened_under_the_text(
    terminals: PosixTerminals, tmp_path: Path
) -> None:
    async def test() -> None:
        seat = Seat(
            terminals, tmp_path, CLAUDE_CODE, "--permission-after", "50", "--permission-for", "600", "--reports"
        )
        await seat.ready()
        reports = seat.screen.feed

        def gate(data: bytes) -> object:
            fed = reports(data)
            for report in fed.reports:
                blocked = report.state == "blocked"
                loop.call_soon_threadsafe(seat.typist.set_gate, "permission", not blocked, "a question is open")
            return fed

        loop = asyncio.get_running_loop()
        seat.screen.feed = gate  # type: ignore[method-assign, assignment]
        seat.put("hello")
        assert await seat.turns() == [f"{TAG}\nhello"]
        assert not [entry for entry in seat.fake.records() if "answer" in entry]
        await seat.close()

    play(test)


def test_a_post_to_a_dying_program_is_unsure_and_the_rest_is_given_back(
    terminals: PosixTerminals, tmp_path: Path
) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, CLAUDE_CODE, "--box", "claude", "--die-after", "500")
        await seat.ready()
        seat.put("x" * 5000)
        seat.put("next", "m2")
        await seat.until(lambda: any(state is DeliveryState.FAILED for _, state, _ in seat.states))
        assert [message_id for message_id, state, _ in seat.states if state is DeliveryState.FAILED] == ["m1"]
        assert await seat.close() == ("m2",)

    play(test)


def test_numbered_lines_of_sixty_thousand_characters_arrive_whole(terminals: PosixTerminals, tmp_path: Path) -> None:
    async def test() -> None:
        body = "\n".join(f"line {number:05}" for number in range(5000))
        seat = Seat(terminals, tmp_path, CODEX_CLI, "--box", "codex")
        await seat.ready()
        seat.put(body)
        assert await seat.turns() == [f"{TAG}\n{body}"]
        await seat.close()

    play(test)


def test_a_human_line_and_a_post_are_two_turns(terminals: PosixTerminals, tmp_path: Path) -> None:
    async def test() -> None:
        seat = Seat(terminals, tmp_path, CLAUDE_CODE, "--box", "claude")
        await seat.ready()
        seat.put("hello")
        await seat.until(lambda: seat.typist.typing is not None or bool(seat.fake.turns()))
        for key in "merge it\r":
            seat.typist.write_keys(key.encode())
        assert await seat.turns(2) == [f"{TAG}\nhello", "merge it"]
        await seat.close()

    play(test)
