"""Topics on disk: the directory is the truth, the index is annotation, a deleted topic never comes back."""

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pullcept.core.post import Post
from pullcept.core.row import row_line
from pullcept.core.topic import UnknownTopic
from pullcept.store.folder import DataFolder
from pullcept.store.index import IndexFile, TopicLine, TopicNotDeleted
from pullcept.store.settings import FileBroken, NotSaved
from pullcept.store.topic_log import LogFailed, TopicLog


def post(content: str = "hello", ts: str = "2026-10-09T08:00:00Z") -> Post:
    return Post(f"m-{ts}", "Lin", content, ts)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path)
    folder.logs.mkdir(parents=True)
    return folder


def opened(folder: DataFolder, host: str = "here") -> IndexFile:
    ids = count(1)
    index = IndexFile(folder, host=host, new_id=lambda: f"new-{next(ids)}")
    index.load()
    return index


def on_disk(folder: DataFolder) -> Any:
    return json.loads(folder.index.read_bytes())


def write_log(folder: DataFolder, topic_id: str, *posts: Post) -> None:
    folder.log_path(topic_id).write_bytes(b"".join(map(row_line, posts)))


def test_a_start_leaves_no_trace(folder: DataFolder) -> None:
    assert opened(folder).topics() == ()
    assert list(folder.logs.iterdir()) == []


def test_the_first_post_makes_an_entry_and_later_ones_write_nothing(folder: DataFolder) -> None:
    index = opened(folder)
    assert index.note_post("t", post("Plan  the day"))
    written = folder.index.stat().st_mtime_ns
    assert not index.note_post("t", post("again", "2026-10-09T09:00:00Z"))
    assert folder.index.stat().st_mtime_ns == written
    assert on_disk(folder)["topics"][0]["title"] == "Plan the day"
    assert index.topics() == (TopicLine("t", "Plan the day", "2026-10-09T09:00:00Z"),)


def test_a_log_without_an_entry_is_adopted_from_its_first_post(folder: DataFolder) -> None:
    write_log(folder, "t", post("first words", "2026-01-01T00:00:00Z"), post("last", "2026-02-01T00:00:00Z"))
    index = opened(folder)
    assert index.topics() == (TopicLine("t", "first words", "2026-02-01T00:00:00Z"),)
    entry = index.find("t")
    assert entry is not None
    assert entry.created_at == "2026-01-01T00:00:00Z"
    assert not folder.index.exists()


def test_a_log_without_a_readable_row_is_adopted_untitled(folder: DataFolder) -> None:
    folder.log_path("t").write_bytes(b"\xff\0")
    (line,) = opened(folder).topics()
    assert (line.title, line.ts[:2]) == ("", "20")


def test_an_entry_without_a_title_gets_it_from_a_post_that_reached_the_log_only(folder: DataFolder) -> None:
    opened(folder).session_started("t", "2026-01-01T00:00:00Z")
    write_log(folder, "t", post("said before the power went"))
    assert opened(folder).topics()[0].title == "said before the power went"


def test_an_entry_without_a_log_stays(folder: DataFolder) -> None:
    opened(folder).session_started("t", "2026-01-01T00:00:00Z")
    assert opened(folder).topics() == (TopicLine("t", "", "2026-01-01T00:00:00Z"),)


def test_topics_are_ordered_by_last_post_else_creation(folder: DataFolder) -> None:
    write_log(folder, "old", post("a", "2026-01-01T00:00:00Z"))
    write_log(folder, "new", post("b", "2026-03-01T09:00:00+09:00"))
    index = opened(folder)
    index.session_started("started", "2026-02-01T00:00:00Z")
    assert [line.topic_id for line in index.topics()] == ["new", "started", "old"]
    index.note_post("old", post("c", "2026-04-01T00:00:00Z"))
    assert [line.topic_id for line in index.topics()] == ["old", "new", "started"]


def test_files_that_are_no_topics_are_named_and_left(folder: DataFolder) -> None:
    (folder.logs / "CON.jsonl").write_bytes(row_line(post()))
    (folder.logs / "dir.jsonl").mkdir()
    (folder.logs / "notes.txt").write_text("x")
    index = opened(folder)
    assert index.topics() == ()
    assert [problem.split(":")[0] for problem in index.problems] == ["CON.jsonl"]


@pytest.mark.parametrize("data", [b'{"topics":[{"topic_id":"t"', b"", b"[]", b'{"topics":{}}'])
def test_a_broken_index_is_left_alone_and_the_topics_come_from_the_logs(folder: DataFolder, data: bytes) -> None:
    folder.index.write_bytes(data)
    write_log(folder, "t", post("still here"))
    index = opened(folder)
    assert "index.json" in index.broken
    assert [line.title for line in index.topics()] == ["still here"]
    with pytest.raises(FileBroken):
        index.rename("t", "x")
    with pytest.raises(FileBroken):
        index.note_post("other", post())
    assert folder.index.read_bytes() == data
    index.delete("t")
    assert not folder.log_path("t").exists()
    assert folder.index.read_bytes() == data


def test_a_broken_index_set_aside_is_built_anew(folder: DataFolder) -> None:
    folder.index.write_bytes(b"{")
    write_log(folder, "t", post("still here"))
    index = opened(folder)
    assert index.set_aside().read_bytes() == b"{"
    index.rename("t", "mine")
    assert on_disk(folder)["topics"][0]["title"] == "mine"


def test_the_single_log_of_an_early_version_is_moved_in_as_one_topic(folder: DataFolder) -> None:
    folder.old_log.write_bytes(
        b'{"message_id":"m","speaker":"x","content":"from before","to":"Lay","ts":"2025-01-01"}\n'
    )
    index = opened(folder)
    assert index.topics() == (TopicLine("new-1", "from before", "2025-01-01"),)
    assert not folder.old_log.exists()
    assert [line.topic_id for line in opened(folder).topics()] == ["new-1"]


def test_conversations_belong_to_the_computer_they_were_recorded_on(folder: DataFolder) -> None:
    index = opened(folder)
    index.record_conversation("t", "a", "c1", "2026-01-01T00:00:00Z")
    assert opened(folder).conversation("t", "a") == "c1"
    there = opened(folder, "there")
    assert there.conversation("t", "a") is None
    assert there.conversation_elsewhere("t", "a")
    assert not there.drop_conversation("t", "a", "c1")
    assert index.drop_conversation("t", "a", "c1")
    assert not index.drop_conversation("t", "a", "c1")
    assert index.conversation("none", "a") is None
    assert not index.conversation_elsewhere("none", "a")


def test_a_title_that_could_not_be_saved_is_not_shown(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    index = opened(folder)
    index.note_post("t", post("first"))
    with monkeypatch.context() as patch:
        patch.setattr("pullcept.store.settings.atomic_write", refuse)
        with pytest.raises(NotSaved):
            index.rename("t", "mine")
    assert index.topics()[0].title == "first"
    with pytest.raises(UnknownTopic):
        index.rename("none", "x")


def test_an_entry_that_could_not_be_saved_is_saved_with_the_next(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(folder)
    with monkeypatch.context() as patch:
        patch.setattr("pullcept.store.settings.atomic_write", refuse)
        with pytest.raises(NotSaved):
            index.note_post("t", post("first"))
    assert [line.title for line in index.topics()] == ["first"]
    index.session_started("u", "2026-01-01T00:00:00Z")
    assert [topic["topic_id"] for topic in on_disk(folder)["topics"]] == ["t", "u"]


def refuse(*args: object, **options: object) -> None:
    raise NotSaved("index.json could not be saved: full")


def with_everything(folder: DataFolder, topic_id: str = "t") -> IndexFile:
    index = opened(folder)
    write_log(folder, topic_id, post())
    folder.attachments(topic_id).mkdir(parents=True)
    (folder.attachments(topic_id) / "a.png").write_bytes(b"x")
    folder.mailbox(topic_id).parent.mkdir(exist_ok=True)
    folder.mailbox(topic_id).write_text("[]")
    index.note_post(topic_id, post())
    return index


def test_deleting_removes_everything_of_the_topic_and_nothing_else(folder: DataFolder) -> None:
    with_everything(folder, "other")
    index = with_everything(folder)
    index.delete("t")
    for path in (folder.log_path("t"), folder.attachments("t"), folder.mailbox("t")):
        assert not path.exists()
    assert [line.topic_id for line in index.topics()] == ["other"]
    assert [line.topic_id for line in opened(folder).topics()] == ["other"]
    assert (folder.attachments("other") / "a.png").exists()
    index.delete("t")


def test_deleting_a_topic_that_left_no_trace_leaves_none(folder: DataFolder) -> None:
    opened(folder).delete("t")
    assert list(folder.logs.iterdir()) == []


def test_a_late_post_does_not_bring_a_deleted_topic_back(folder: DataFolder) -> None:
    index = with_everything(folder)
    log = TopicLog(folder.log_path("t"))
    log.append(post("open"))
    index.delete("t", log)
    with pytest.raises(LogFailed):
        log.append(post("late"))
    assert not index.note_post("t", post("late"))
    assert not index.session_started("t", "2026-01-01T00:00:00Z")
    assert not index.record_conversation("t", "a", "c", "2026-01-01T00:00:00Z")
    index.rename("t", "late")
    assert index.topics() == ()
    assert opened(folder).topics() == ()


def test_a_topic_that_could_not_be_deleted_stays_and_can_be_deleted_again(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = with_everything(folder)
    with monkeypatch.context() as patch:
        patch.setattr("pullcept.store.settings.atomic_write", refuse)
        with pytest.raises(TopicNotDeleted):
            index.delete("t")
    assert [line.topic_id for line in index.topics()] == ["t"]
    assert on_disk(folder)["topics"][0]["topic_id"] == "t"
    index.delete("t")
    assert index.topics() == ()
    assert on_disk(folder)["topics"] == []


def test_a_log_that_cannot_be_removed_keeps_the_rest(folder: DataFolder) -> None:
    index = with_everything(folder)
    folder.log_path("t").unlink()
    folder.log_path("t").mkdir()
    with pytest.raises(TopicNotDeleted):
        index.delete("t")
    assert folder.mailbox("t").exists()
    assert [line.topic_id for line in index.topics()] == ["t"]


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a right there")
def test_a_link_in_place_of_the_attachments_is_not_followed(folder: DataFolder, tmp_path: Path) -> None:
    index = opened(folder)
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    folder.attachments("t").parent.mkdir()
    folder.attachments("t").symlink_to(tmp_path / "precious")
    index.delete("t")
    assert not folder.attachments("t").is_symlink()
    assert (tmp_path / "precious" / "file").exists()
