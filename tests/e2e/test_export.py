"""Exports and copies of the running app."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pullcept.core.screen import StatusSaid, TopicOpened
from tests.e2e.running_app import PERSON, RunningApp


@pytest.fixture
def app(tmp_path: Path) -> Iterator[RunningApp]:
    with RunningApp(tmp_path, []) as running:
        yield running


def _wait_for_status(app: RunningApp, words: str) -> None:
    app.wait_for(lambda event: isinstance(event, StatusSaid) and words in event.text, words, 0)


def test_a_topic_is_exported_and_a_failure_is_said(app: RunningApp, tmp_path: Path) -> None:
    app.say("hello")
    app.wait_for_row(PERSON.name)
    app.app.export_topic(app.topic_id, str(tmp_path / "out.md"))
    _wait_for_status(app, "out.md.")
    assert "hello" in (tmp_path / "out.md").read_text(encoding="utf-8")
    app.app.export_topic(app.topic_id, str(tmp_path / "missing" / "out.md"))
    _wait_for_status(app, "Not exported")


def test_a_copy_of_everything_opens_as_a_data_folder(app: RunningApp, tmp_path: Path) -> None:
    app.say("hello")
    app.wait_for_row(PERSON.name)
    app.app.save_copy(str(tmp_path / "copy.zip"))
    _wait_for_status(app, "files).")
    (tmp_path / "other").mkdir()
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        archive.extractall(tmp_path / "other" / "data")
    with RunningApp(tmp_path / "other", []) as copy:
        opened = copy.open(app.topic_id)
        assert [post.content for post in opened.rows] == ["hello"]


def test_an_exported_log_is_imported_as_a_topic_that_goes_on(app: RunningApp, tmp_path: Path) -> None:
    log = tmp_path / "old.jsonl"
    row = b'{"message_id":"m1","speaker":"Aki","content":"hello there","to":"Mio","ts":"2025-01-01T00:00:00Z","x":1}\n'
    log.write_bytes(row + b'{"message_id":"torn')
    app.app.import_topic(str(log))
    opened = app.wait_for(lambda event: isinstance(event, TopicOpened) and bool(event.rows), "the topic", 0)
    assert isinstance(opened, TopicOpened)
    assert (opened.title, opened.rows[0].content) == ("hello there", "hello there")
    app.topic_id = opened.topic_id
    app.say("going on")
    app.wait_for_row(PERSON.name)
    assert app.folder.log_path(opened.topic_id).read_bytes().startswith(row)
    assert log.exists()


def test_a_file_that_is_no_log_is_not_imported(app: RunningApp, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"\x00" * 5_000)
    app.app.import_topic(str(tmp_path / "x.jsonl"))
    _wait_for_status(app, "holds no post")
    app.app.import_topic(str(tmp_path / "missing.jsonl"))
    _wait_for_status(app, "no such file")
    assert not list(app.folder.logs.glob("*.jsonl"))
    assert not list(app.folder.logs.glob(".*"))
