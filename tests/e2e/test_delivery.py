"""Posts into awkward programs through the whole app: marked, held and typed as promised, and no other seat notices."""

import json
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("POSIX terminals", allow_module_level=True)

from pullcept.core.account import APP_COMMAND, Account, EnvEntry
from pullcept.core.post import Post
from pullcept.core.screen import DeliveryChanged, SeatChanged
from pullcept.core.seat import DeliveryState, SeatState
from tests.e2e.running_app import RunningApp

FAKE = str(Path(__file__).parents[1] / "fakes" / "fake_claude.py")
LEAVES_A_SHELL = """
import subprocess, sys, threading
print("here", flush=True)
sys.stdin.readline()
shell = "trap '' HUP; while read line; do echo $line >> %s; done"
subprocess.Popen(["sh", "-c", shell % sys.argv[1]], start_new_session=False)
"""


def claude(folder: Path, name: str, *options: str) -> Account:
    """An account of Claude Code whose program is the fake one; what it took is in `<name>.jsonl`."""
    wanted = " ".join(("--box claude", f"--record '{folder / name}.jsonl'", *options))
    program = folder / f"claude-{name}"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    env = (EnvEntry("FAKE_CLI_OPTIONS", wanted),)
    return Account(f"id-{name}", name, "claude_code", str(program), cwd=str(folder), hue=30, env=env)


def turns(folder: Path, name: str) -> list[str]:
    """The prompts a fake took."""
    path = folder / f"{name}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [entry["turn"] for entry in map(json.loads, lines) if "turn" in entry]


def wait_state(app: RunningApp, account: Account, post: Post, state: DeliveryState) -> float:
    """Until a post has this mark in this seat; seconds that took."""
    begun = time.monotonic()
    app.wait_for(
        lambda event: (
            isinstance(event, DeliveryChanged)
            and (event.seat, event.message_id, event.state) == (app.seat(account), post.message_id, state)
        ),
        f"{post.content[:40]}: {state}",
    )
    return time.monotonic() - begun


def test_a_program_that_never_takes_enter_is_named_and_the_persons_enter_goes_on(tmp_path: Path) -> None:
    haru = claude(tmp_path, "Haru", "--lose-enters 4")
    with RunningApp(tmp_path, [haru]) as app:
        app.start(haru)
        first = app.say("Is anybody there?")
        wait_state(app, haru, first, DeliveryState.TYPED)
        assert wait_state(app, haru, first, DeliveryState.NOT_TAKEN) <= 15.0
        second = app.say("The next one.")
        app.wait_for(lambda event: isinstance(event, SeatChanged) and event.view.held == 1, "the next post waits")
        assert [row["message_id"] for row in app.log()].count(first.message_id) == 1
        assert turns(tmp_path, "Haru") == []
        app.app.press_enter(app.seat(haru))
        wait_state(app, haru, first, DeliveryState.TAKEN)
        wait_state(app, haru, second, DeliveryState.TAKEN)
        assert [turn.partition("\n")[2] for turn in turns(tmp_path, "Haru")] == [first.content, second.content]


def test_a_program_that_stops_reading_keeps_nobody_waiting_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pullcept.pty.typist.NOT_READING_AFTER", 1.0)
    deaf, haru = claude(tmp_path, "Deaf", "--never-read"), claude(tmp_path, "Haru")
    with RunningApp(tmp_path, [deaf, haru]) as app:
        app.start(deaf, haru)
        long = app.say("長い投稿です。" * 3_000)
        wait_state(app, haru, long, DeliveryState.TAKEN)
        app.wait_for(
            lambda event: isinstance(event, SeatChanged) and "does not read" in event.view.hold_reason, "it is named"
        )
        begun = time.monotonic()
        short = app.say("A short one.")
        assert time.monotonic() - begun < 0.1
        wait_state(app, haru, short, DeliveryState.TAKEN)
        assert time.monotonic() - begun < 1.0
        app.stop(deaf)
        assert [turn.partition("\n")[2] for turn in turns(tmp_path, "Haru")] == [long.content, short.content]


def test_nothing_is_typed_into_the_shell_that_a_program_leaves_behind(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    leaver = Account(
        "leaver", "Leaver", "cli", sys.executable, ("-c", LEAVES_A_SHELL, str(heard)), str(tmp_path), listens=True
    )
    with RunningApp(tmp_path, [leaver]) as app:
        app.start(leaver)
        app.say("Leave, please.")
        app.wait_for_state(leaver, SeatState.ENDED)
        before = app.typed_into(leaver)
        later = app.say("rm -rf everything")
        app.app.write_keys(app.seat(leaver), b"typed by hand\r")
        app.wait_for_row("Mio", later.content)
        assert app.typed_into(leaver) == before
    assert not heard.exists()


def test_posts_before_the_answer_to_a_first_screen_arrive_in_order_behind_it(tmp_path: Path) -> None:
    haru = claude(tmp_path, "Haru", "--trust")
    with RunningApp(tmp_path, [haru]) as app:
        app.app.start(app.seat(haru), 120, 40)
        app.wait_for_state(haru, SeatState.FIRST_SCREEN)
        said = [app.say(f"post {number}") for number in range(3)]
        assert app.typed_into(haru) == ""
        app.app.write_keys(app.seat(haru), b"y")
        for post in said:
            wait_state(app, haru, post, DeliveryState.TAKEN)
        assert [turn.partition("\n")[2] for turn in turns(tmp_path, "Haru")] == [post.content for post in said]


def test_a_program_that_tells_nothing_proves_by_its_answer_what_reached_it(tmp_path: Path) -> None:
    aki = Account("aki", "Aki", "cli", command=APP_COMMAND, args=("demo-agent", "--sidecar", "{sidecar}"), hue=145)
    with RunningApp(tmp_path, [aki]) as app:
        app.start(aki)
        post = app.say("hello")
        app.wait_for_row("Aki")
        wait_state(app, aki, post, DeliveryState.TAKEN)
