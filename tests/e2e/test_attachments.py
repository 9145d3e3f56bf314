"""Posts with files in the whole app."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pullcept.core.attachment import split_attachments
from pullcept.core.screen import PostRefused, RowAdded
from tests.e2e.running_app import PERSON, RunningApp


@pytest.fixture
def app(tmp_path: Path) -> Iterator[RunningApp]:
    with RunningApp(tmp_path, []) as running:
        yield running


def _refused(app: RunningApp) -> PostRefused:
    event = app.wait_for(lambda event: isinstance(event, PostRefused), "a refusal", 0)
    assert isinstance(event, PostRefused)
    return event


def test_a_posted_file_lies_in_its_topic_and_is_named_in_the_post(app: RunningApp, tmp_path: Path) -> None:
    source = tmp_path / "@cat.png"
    source.write_bytes(b"meow" * 1000)
    app.app.post_files(app.topic_id, "look", [str(source)], None)
    row = app.wait_for_row(PERSON.name)
    text, paths = split_attachments(row.content)
    assert text == "look"
    assert [Path(path).read_bytes() for path in paths] == [source.read_bytes()]
    assert Path(paths[0]).parent == app.folder.attachments(app.topic_id).resolve()


def test_a_line_written_while_files_are_stored_comes_behind_them(app: RunningApp, tmp_path: Path) -> None:
    source = tmp_path / "big.bin"
    source.write_bytes(b"x" * 30_000_000)
    app.app.post_files(app.topic_id, "first", [str(source)], None)
    app.app.post(app.topic_id, "second", None)
    app.wait_for(lambda event: isinstance(event, RowAdded) and event.post.content == "second", "the second", 0)
    rows = [event.post.content for event in app.events if isinstance(event, RowAdded)]
    assert rows[0].startswith("first")


def test_a_file_that_cannot_be_stored_keeps_the_post_from_being_made(app: RunningApp, tmp_path: Path) -> None:
    app.app.post_files(app.topic_id, "look", [str(tmp_path / "gone.png")], None)
    refused = _refused(app)
    assert "gone.png" in refused.reason
    assert (refused.text, refused.files) == ("look", (str(tmp_path / "gone.png"),))
    assert not list(app.folder.logs.glob("*.jsonl"))


def test_a_refused_post_returns_its_stored_files_which_are_not_stored_twice(app: RunningApp, tmp_path: Path) -> None:
    source = tmp_path / "cat.png"
    source.write_bytes(b"meow")
    too_long = "x" * (3 * 1024 * 1024)
    app.app.post_files(app.topic_id, too_long, [str(source)], None)
    refused = _refused(app)
    assert refused.text == too_long
    assert [Path(path).name for path in refused.files] == ["cat.png"]
    source.unlink()
    app.app.post_files(app.topic_id, "look", refused.files, None)
    row = app.wait_for_row(PERSON.name)
    assert split_attachments(row.content) == ("look", refused.files)
    assert [path.name for path in app.folder.attachments(app.topic_id).iterdir()] == ["cat.png"]


def test_deleting_the_topic_deletes_its_files(app: RunningApp, tmp_path: Path) -> None:
    source = tmp_path / "cat.png"
    source.write_bytes(b"meow")
    topic_id = app.topic_id
    app.app.post_files(topic_id, "", [str(source)], None)
    app.wait_for_row(PERSON.name)
    app.app.delete_topic(topic_id)
    app.app.post_files(topic_id, "late", [str(source)], None)
    refused = _refused(app)
    assert refused.files == (str(source),)
    app.wait_for(lambda event: not app.folder.attachments(topic_id).exists(), "the files are gone", 0)
