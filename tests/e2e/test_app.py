"""The whole app in this process, on a real data folder, with demo agents and small programs in real terminals."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from pullcept.app import App, AppFailed, main_window
from pullcept.core.account import APP_COMMAND, Account
from pullcept.core.screen import (
    DeliveryChanged,
    PostAccepted,
    PostRefused,
    RaiseAsked,
    RowAdded,
    SeatChanged,
    StatusSaid,
    TopicOpened,
    TopicsListed,
)
from pullcept.core.seat import DeliveryState, SeatState
from pullcept.raising import ask_to_raise
from pullcept.store.folder import DataFolder, DataFolderLocked
from tests.e2e.running_app import RunningApp

AKI = Account("aki", "Aki", "cli", command=APP_COMMAND, args=("demo-agent", "--sidecar", "{sidecar}"), hue=145)
REN = Account("ren", "Ren", "cli", command=APP_COMMAND, args=("demo-agent", "--sidecar", "{sidecar}"), hue=300)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[RunningApp]:
    with RunningApp(tmp_path, [AKI, REN]) as running:
        yield running


def test_a_new_topic_in_which_nothing_happens_leaves_no_trace(app: RunningApp) -> None:
    app.app.new_topic()
    app.wait_for(lambda event: isinstance(event, TopicOpened) and event.topic_id != app.topic_id, "another topic")
    assert not list(app.folder.logs.glob("*.jsonl"))
    assert not app.folder.index.exists()


def test_the_first_post_names_and_lists_the_topic(app: RunningApp) -> None:
    app.say("計画を\n立てよう")
    listed = app.wait_for(lambda event: isinstance(event, TopicsListed) and bool(event.topics), "the list")
    assert isinstance(listed, TopicsListed)
    assert [topic.title for topic in listed.topics] == ["計画を 立てよう"]
    index = json.loads(app.folder.index.read_text(encoding="utf-8"))
    assert index["topics"][0]["title"] == "計画を 立てよう"


def test_a_post_is_answered_by_an_agent_and_an_addressed_one_only_by_its_addressee(app: RunningApp) -> None:
    app.start(AKI, REN)
    app.say("@Aki are you there?")
    answer = app.wait_for_row("Aki")
    assert "are you there?" in answer.content
    assert app.typed_into(REN).count('"to":["Aki"]') == 1
    assert [row["speaker"] for row in app.log()] == ["Mio", "Aki"]


def test_a_stopped_session_is_told_apart_from_one_that_ended_by_itself(app: RunningApp) -> None:
    app.start(AKI, REN)
    app.stop(AKI)
    app.app.write_keys(app.seat(REN), b"\x03")
    app.app.write_keys(app.seat(REN), b"\x03")
    app.wait_for_state(REN, SeatState.ENDED)
    ended = {event.view.seat: event.view for event in app.events if isinstance(event, SeatChanged)}
    assert ended[app.seat(AKI)].asked
    assert not ended[app.seat(REN)].asked
    assert any("Ren ended by itself" in line for line in app.status_lines())
    assert any("Aki was stopped" in line for line in app.status_lines())


def test_deleting_a_topic_ends_its_sessions_and_never_brings_it_back(app: RunningApp) -> None:
    app.start(AKI)
    app.say("hello")
    app.wait_for_row("Aki")
    deleted = app.topic_id
    app.app.delete_topic(deleted)
    app.wait_for_state(AKI, SeatState.ENDED)
    app.wait_for(lambda event: isinstance(event, TopicOpened) and event.topic_id != deleted, "a fresh topic")
    assert not app.folder.log_path(deleted).exists()
    assert deleted not in app.folder.index.read_text(encoding="utf-8")
    before = len(app.events)
    app.app.post(deleted, "too late", None)
    refused = app.wait_for(lambda event: isinstance(event, PostRefused), "a refusal", since=before)
    assert isinstance(refused, PostRefused)
    assert refused.text == "too late"
    assert "deleted" in refused.reason
    assert not app.folder.log_path(deleted).exists()


def test_a_reopened_topic_shows_what_was_said(tmp_path: Path) -> None:
    with RunningApp(tmp_path, [AKI]) as first:
        first.say("one")
        first.say("two")
        topic_id = first.topic_id
    with RunningApp(tmp_path, [AKI]) as second:
        opened = second.open(topic_id)
        assert [post.content for post in opened.rows] == ["one", "two"]
        second.say("three")
        assert [row["content"] for row in second.log()] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("account", "words"),
    [
        (Account("lost", "Lost", "cli", command="no-such-program-here"), "“no-such-program-here” was not found"),
        (Account("lost", "Lost", "cli", command=sys.executable, cwd="/no/such/folder"), "“/no/such/folder”"),
        (Account("lost", "Lost", "claude_code", command=sys.executable, args=("--print",)), "--print"),
        (Account("lost", "Lost", "cli", command=sys.executable, typing_profile="shout"), "shout"),
    ],
)
def test_a_start_that_cannot_work_says_why(tmp_path: Path, account: Account, words: str) -> None:
    with RunningApp(tmp_path, [account]) as app:
        app.app.start(app.seat(account), 80, 24)
        failed = app.wait_for(
            lambda event: isinstance(event, SeatChanged) and event.view.state is SeatState.FAILED, "a failure"
        )
        assert isinstance(failed, SeatChanged)
        assert words in failed.view.detail
        assert any(words in line for line in app.status_lines())
        app.say("the room goes on")


def test_a_seat_that_runs_is_not_started_twice(app: RunningApp) -> None:
    app.start(AKI)
    before = len(app.events)
    app.app.start(app.seat(AKI), 80, 24)
    app.wait_for(lambda event: isinstance(event, StatusSaid) and "already running" in event.text, "a word", before)


def test_posts_wait_until_the_session_has_joined(tmp_path: Path) -> None:
    silent = Account("silent", "Silent", "cli", command=sys.executable, args=("-c", "input('trust? ')"))
    with RunningApp(tmp_path, [silent]) as app:
        app.app.start(app.seat(silent), 80, 24)
        app.wait_for_state(silent, SeatState.FIRST_SCREEN)
        app.say("anyone?")
        app.wait_for(lambda event: isinstance(event, SeatChanged) and event.view.held == 1, "one held post")
        assert app.typed_into(silent) == ""
        app.stop(silent)
        failed = app.wait_for(
            lambda event: isinstance(event, DeliveryChanged) and event.state is DeliveryState.FAILED, "not typed"
        )
        assert isinstance(failed, DeliveryChanged)


def test_a_listener_without_the_room_tools_is_typed_to_once_it_is_silent(tmp_path: Path) -> None:
    reader = "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('got', line, flush=True)"
    listener = Account(
        "ears", "Ears", "cli", command=sys.executable, args=("-c", reader), typing_profile="line", listens=True
    )
    with RunningApp(tmp_path, [listener]) as app:
        app.start(listener)
        app.say("two\nlines")
        typed = app.wait_for_typed(listener, "lines")
        assert typed.startswith("[pullcept] {")
        assert typed.count("\r") == 1


def test_a_very_long_post_is_saved_and_its_head_is_typed(app: RunningApp) -> None:
    app.start(AKI)
    row = app.say("あ" * 70_000)
    path = app.folder.attachments(app.topic_id) / f"post-{row.message_id[:8]}.txt"
    typed = app.wait_for_typed(AKI, str(path))
    assert typed.count("あ") == 2_000
    assert path.read_text(encoding="utf-8") == "あ" * 70_000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_log_that_cannot_be_written_is_told_and_the_post_still_reaches_the_room(app: RunningApp) -> None:
    app.start(AKI)
    path = app.folder.log_path(app.topic_id)
    path.symlink_to("/dev/full")
    app.say("not on disk")
    app.wait_for(lambda event: isinstance(event, RowAdded) and not event.logged, "an unlogged row")
    assert any("Cannot write the log" in line for line in app.status_lines())
    app.wait_for_typed(AKI, "not on disk")
    path.unlink()
    app.say("on disk again")
    app.wait_for(lambda event: isinstance(event, StatusSaid) and "written again" in event.text, "the good word")
    assert "on disk again" in path.read_text(encoding="utf-8")


def test_a_second_app_on_the_same_folder_is_refused_and_raises_the_first(app: RunningApp) -> None:
    with pytest.raises(DataFolderLocked) as refused:
        App(DataFolder(app.folder.root), app.queue)
    assert refused.value.pid == os.getpid()
    ask_to_raise(app.folder)
    app.wait_for(lambda event: isinstance(event, RaiseAsked), "the wish to be in front")


def test_a_port_that_cannot_be_had_ends_the_start_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(10013, "an attempt was made to access a socket in a way forbidden")

    monkeypatch.setattr("pullcept.host.server.bind_loopback", refuse)
    app = App(DataFolder(tmp_path), RunningApp.unused_queue(), accounts=[])
    with pytest.raises(AppFailed, match="forbidden"), app:
        pass


def test_two_posts_of_the_person_in_a_row_pass_without_news_between(app: RunningApp) -> None:
    ids = [app.app.post(app.topic_id, text, None) for text in ("a", "b", "c")]
    app.wait_for(lambda event: isinstance(event, PostAccepted) and event.message_id == ids[-1], "the last answer")
    assert [row["content"] for row in app.log()] == ["a", "b", "c"]


def test_history_tells_what_each_session_is_doing(app: RunningApp) -> None:
    app.start(AKI)
    app.say("hello")
    app.wait_for_row("Aki")
    environment, _argv = app.app.guest_line(app.topic_id, "Guest")
    headers = {"Authorization": f"Bearer {environment['PULLCEPT_ROOM_TOKEN']}"}
    with connect(environment["PULLCEPT_ROOM_URL"], additional_headers=headers) as room:
        room.send(json.dumps({"type": "hello", "protocol": 11, "name": "Guest", "room": app.topic_id}))
        room.send(json.dumps({"type": "history", "request_id": "1"}))
        answer = json.loads(room.recv(timeout=10))
    assert answer["participants"] == ['"Mio" (admin, connected)', '"Aki" (cli, running)', '"Guest" (guest, connected)']


@pytest.mark.parametrize(("screen", "code"), [("window", 0), ("console", 3)])
def test_a_window_started_on_a_folder_in_use_leaves_it_to_whoever_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], screen: str, code: int
) -> None:
    folder = DataFolder(tmp_path)
    with folder.lock() as lock:
        lock.describe(screen=screen)
        assert main_window(["--data-dir", str(tmp_path)]) == code
    told = capsys.readouterr()
    assert str(os.getpid()) in told.out + told.err
    assert (tmp_path / "raise").exists() is (screen == "window")
