"""The topics of the app: nothing said leaves no trace, and what was deleted stays deleted."""

from pathlib import Path

import pytest

from pullcept.core.post import Post
from pullcept.core.seat import Seat
from pullcept.store.folder import DataFolder
from pullcept.store.index import TopicNotDeleted
from pullcept.store.topic_log import LogFailed
from pullcept.topics import Topics

SAID = Post("m1", "Lin", "hello", "2026-10-09T08:00:00Z")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path)
    folder.logs.mkdir(parents=True)
    return folder


def test_a_late_post_or_conversation_does_not_bring_a_deleted_topic_back(folder: DataFolder) -> None:
    topics = Topics(folder)
    topic_id = topics.new()
    topics.append(topic_id, SAID)
    topics.note_post(topic_id, SAID)
    topics.delete(topic_id)
    with pytest.raises(LogFailed):
        topics.append(topic_id, SAID)
    topics.note_post(topic_id, SAID)
    topics.record_conversation(Seat("a", topic_id), "c1")
    assert not topics.known(topic_id)
    assert Topics(folder).listed({}) == ()


def test_deleting_a_topic_in_which_nothing_was_said_leaves_no_trace(folder: DataFolder) -> None:
    topics = Topics(folder)
    topic_id = topics.new()
    topics.delete(topic_id)
    assert not topics.known(topic_id)
    assert list(folder.logs.iterdir()) == []


def test_a_topic_that_could_not_be_deleted_can_be_used_and_deleted_again(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise OSError("held")

    topics = Topics(folder)
    topic_id = topics.new()
    topics.append(topic_id, SAID)
    topics.note_post(topic_id, SAID)
    with monkeypatch.context() as patch:
        patch.setattr("pullcept.store.index._remove_tree", refuse)
        with pytest.raises(TopicNotDeleted):
            topics.delete(topic_id)
    assert topics.known(topic_id)
    topics.append(topic_id, SAID)
    topics.delete(topic_id)
    assert not topics.known(topic_id)
