"""The fake CLI is as awkward as it says: a test that passes with it must mean something."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("the fake CLI plays POSIX programs", allow_module_level=True)

from pullcept.pty.posix import PosixTerminals
from tests.fakes.fake_cli import Box, options
from tests.pty.live import LiveFake, closing


@pytest.fixture
def terminals() -> Iterator[PosixTerminals]:
    yield from closing(PosixTerminals())


def turns(*reads: tuple[float, str], box: str = "claude", more: tuple[str, ...] = ()) -> list[str]:
    """What a box submits of reads at given times (seconds)."""
    made = Box(options(["--box", box, *more]))
    return [turn for at, read in reads for turn in made.take(read, at)]


def test_enter_in_the_same_read_as_text_is_a_line_break_for_claude_code() -> None:
    assert turns((0, "hello\r")) == []
    assert turns((0, "hello"), (1, "\r")) == ["hello"]
    assert turns((0, "hello\r"), (1, "\r")) == ["hello"]


def test_enter_too_soon_is_swallowed() -> None:
    more = ("--swallow-enter", "150")
    assert turns((0, "hello"), (0.1, "\r"), more=more) == []
    assert turns((0, "hello"), (0.2, "\r"), more=more) == ["hello"]


def test_a_read_of_more_than_eight_hundred_characters_is_folded() -> None:
    assert turns((0, "x" * 800), (1, "\r")) == ["x" * 800]
    assert "pasted_content" in turns((0, "x" * 801), (1, "\r"))[0]
    assert "pasted_content" in turns((0, "𝄞" * 401), (1, "\r"))[0]


def test_a_backslash_at_the_end_and_invisible_characters_put_enter_off() -> None:
    assert turns((0, "a\\"), (1, "\r")) == []
    assert turns((0, "a\u200e"), (1, "\r")) == []
    assert turns((0, "a\u200e"), (1, "\r"), (2, "\r")) == ["a"]


def test_typed_characters_are_a_paste_for_codex_and_enter_is_then_a_line_break() -> None:
    assert turns((0, "hello"), (0.1, "\r"), box="codex") == []
    assert turns((0, "hello"), (0.3, "\r"), box="codex") == ["hello"]
    assert turns((0, "x" * 2000), (1.0, "\r"), box="codex") == []
    assert turns((0, "\x1b[200~two\nlines\x1b[201~\r"), box="codex") == ["two\nlines"]


def test_the_first_screen_leaves_on_enter(terminals: PosixTerminals, tmp_path: Path) -> None:
    fake = LiveFake(terminals, tmp_path, "--trust")
    fake.wait_output(b"trust")
    fake.terminal.write(b"\r").result(5)
    assert fake.wait_exit().code == 1


def test_the_question_takes_the_post_that_is_typed_into_it(terminals: PosixTerminals, tmp_path: Path) -> None:
    fake = LiveFake(terminals, tmp_path, "--permission-after", "0")
    fake.wait_output(b"READY")
    fake.terminal.write(b"a").result(5)
    fake.wait_output(b"QUESTION OPEN")
    fake.terminal.write(b"lost").result(5)
    fake.terminal.write(b"\r").result(5)
    fake.wait_output(b"QUESTION CLOSED")
    assert [key for entry in fake.records() for key in entry][-1] == "answer"
    assert fake.turns() == []


def test_the_environment_is_dumped(terminals: PosixTerminals, tmp_path: Path) -> None:
    target = tmp_path / "env.json"
    fake = LiveFake(terminals, tmp_path, "--dump-env", str(target), "--then-exit", env={"PATH": "/bin", "ONLY": "me"})
    fake.wait_exit()
    assert json.loads(target.read_text("utf-8"))["ONLY"] == "me"
