"""Seats through stops, deletions, restarts of the app and resumes that fail, with small programs in real terminals."""

import sys
from pathlib import Path

import pytest

from pullcept.core.account import Account
from pullcept.core.screen import PostRefused, SeatChanged, StatusSaid, TopicOpened
from pullcept.core.seat import SeatState
from tests.e2e.running_app import RunningApp

DEAF = """
import signal, time
for each in (signal.SIGHUP, signal.SIGTERM):
    signal.signal(each, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(3600)
"""
WAITS = "import os\nprint('history', os.environ.get('PULLCEPT_UNSEEN_HISTORY'), flush=True)\ninput()"
FRESH = "import sys\nprint('fresh', flush=True)\ninput()"


def program(name: str, code: str, *more: str, resume: str | None = None) -> Account:
    """An account whose program reads nothing of the room but counts as a listener."""
    line = None if resume is None else f'"{sys.executable}" -c "{resume}" {{session_id}}'
    return Account(
        name, name.title(), "cli", command=sys.executable, args=("-c", code, *more), listens=True, resume_command=line
    )


def test_nothing_is_started_or_said_in_a_topic_that_is_being_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pullcept.sessions.END_GRACE", 1.0)
    deaf, waits = program("deaf", DEAF), program("waits", WAITS)
    with RunningApp(tmp_path, [deaf, waits]) as app:
        app.start(deaf)
        deleted, before = app.topic_id, len(app.events)
        app.app.delete_topic(deleted)
        app.wait_for_state(deaf, SeatState.STOPPING, since=before)
        app.app.start(app.seat(waits), 80, 24)
        app.app.post(deleted, "too late", None)
        app.wait_for(lambda event: isinstance(event, StatusSaid) and "being closed" in event.text, "a word", before)
        refused = app.wait_for(lambda event: isinstance(event, PostRefused), "a refusal", before)
        assert isinstance(refused, PostRefused)
        assert refused.text == "too late"
        app.wait_for(lambda event: isinstance(event, TopicOpened), "a fresh topic", before)
        later = len(app.events)
        app.app.start(app.seat(waits), 80, 24)
        app.wait_for(lambda event: isinstance(event, StatusSaid) and "being closed" in event.text, "a word", later)
        assert not app.folder.attachments(deleted).exists()
        assert not any(
            isinstance(event, SeatChanged) and event.view.seat == app.seat(waits) for event in app.events[before:]
        )


def test_a_topic_whose_session_does_not_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deaf = program("deaf", DEAF)
    with RunningApp(tmp_path, [deaf]) as app:
        app.start(deaf)
        app.say("keep me")
        with monkeypatch.context() as patch:
            patch.setattr("pullcept.sessions.Session.end", _end_nothing)
            app.app.delete_topic(app.topic_id)
            app.wait_for(
                lambda event: isinstance(event, StatusSaid) and "did not end: Deaf" in event.text, "why it stays"
            )
        assert [row["content"] for row in app.log()] == ["keep me"]


async def _end_nothing(session: object) -> None:
    """Stands for a process that the system cannot end."""


def test_a_conversation_that_cannot_be_resumed_is_dropped_and_the_screen_says_so(tmp_path: Path) -> None:
    account = program("aki", FRESH, "{session_id}", resume="import sys; sys.exit(4)")
    with RunningApp(tmp_path, [account]) as app:
        app.start(account)
        app.stop(account)
        before = len(app.events)
        app.app.start(app.seat(account), 80, 24)
        app.wait_for(lambda event: isinstance(event, StatusSaid) and "resumes" in event.text, "a resume", before)
        app.wait_for(
            lambda event: (
                isinstance(event, StatusSaid) and "ended by itself" in event.text and "cannot be resumed" in event.text
            ),
            "the dropped record",
            before,
        )
        before = len(app.events)
        app.start(account)
        app.wait_for(
            lambda event: isinstance(event, StatusSaid) and "starts a new conversation" in event.text, "fresh", before
        )


def test_a_resumed_session_is_told_of_posts_made_while_it_was_not_there(tmp_path: Path) -> None:
    code = WAITS.replace("\n", "; ").replace("'", "'")
    account = program("aki", FRESH, "{session_id}", resume=code)
    with RunningApp(tmp_path, [account]) as first:
        first.start(account)
        first.say("while it is there")
        topic_id = first.topic_id
    with RunningApp(tmp_path, [account]) as second:
        second.open(topic_id)
        second.start(account)
        assert _printed(second, account) == "history None"
        second.stop(account)
    with RunningApp(tmp_path, [account]) as third:
        third.open(topic_id)
        third.say("while it is gone")
        third.start(account)
        assert _printed(third, account) == "history 1"


def _printed(app: RunningApp, account: Account) -> str:
    return bytes(app.recordings[app.seat(account)].out).decode().strip()


def test_a_session_that_ended_and_failed_leaves_nothing_behind_in_a_deleted_topic(tmp_path: Path) -> None:
    lost = Account("lost", "Lost", "cli", command="no-such-program-here")
    with RunningApp(tmp_path, [lost]) as app:
        app.say("something")
        app.app.start(app.seat(lost), 80, 24)
        app.wait_for(lambda event: isinstance(event, SeatChanged) and event.view.state is SeatState.FAILED, "a failure")
        deleted, before = app.topic_id, len(app.events)
        app.app.delete_topic(deleted)
        app.wait_for(lambda event: isinstance(event, TopicOpened), "a fresh topic", before)
        assert not list(app.app._seats.views(deleted))
