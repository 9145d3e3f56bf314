"""Exports and copies of the running app."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pullcept.core.screen import StatusSaid
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
