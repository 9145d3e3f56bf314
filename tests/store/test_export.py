"""Documents and copies on a real disk: whole or not at all."""

import os
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from pullcept.core.post import Post
from pullcept.store.attachments import store_files
from pullcept.store.export import NotExported, export_topic, save_copy
from pullcept.store.folder import DataFolder
from pullcept.store.topic_log import TopicLog

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    with folder.lock():
        return folder


def _post(number: int, content: str = "こんにちは") -> Post:
    return Post(f"m{number}", "Mio", content, "2026-12-01T00:00:00.000Z")


def test_a_topic_is_exported_in_each_form(folder: DataFolder, tmp_path: Path) -> None:
    picture = tmp_path / "cat.png"
    picture.write_bytes(PNG)
    (stored,) = store_files(folder, "t", [str(picture)])
    log = TopicLog(folder.log_path("t"))
    log.append(_post(1))
    log.append(_post(2, f"見て\n\n添付:\n{stored}"))
    log.close()
    for ending in (".md", ".html", ".jsonl"):
        export_topic(folder, "t", "挨拶", tmp_path / f"out{ending}")
    assert (tmp_path / "out.jsonl").read_bytes() == folder.log_path("t").read_bytes()
    assert "こんにちは" in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "data:image/png;base64," in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_another_ending_and_a_place_in_the_data_folder_are_refused(folder: DataFolder, tmp_path: Path) -> None:
    with pytest.raises(NotExported, match=r"\.md"):
        export_topic(folder, "t", "", tmp_path / "x.exe")
    for target in (folder.logs / "x.jsonl", folder.logs / ".." / "x.jsonl"):
        with pytest.raises(NotExported, match="data folder"):
            export_topic(folder, "t", "", target)
    with pytest.raises(NotExported):
        export_topic(folder, "t", "", tmp_path / "missing" / "x.md")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are those of POSIX")
def test_a_full_disk_leaves_the_old_file_and_nothing_else(folder: DataFolder, tmp_path: Path) -> None:
    import resource
    import signal

    TopicLog(folder.log_path("t")).append(_post(1, "x" * 200_000))
    target = tmp_path / "out" / "old.md"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(NotExported, match=r"old\.md"):
            export_topic(folder, "t", "", target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(target.parent) == ["old.md"]


def test_a_copy_taken_while_posts_are_written_opens_with_whole_lines(folder: DataFolder, tmp_path: Path) -> None:
    log = TopicLog(folder.log_path("t"))
    log.append(_post(0, "x" * 100_000))
    stop, written = threading.Event(), []

    def write() -> None:
        while not stop.is_set() and len(written) < 5_000:
            log.append(_post(len(written) + 1, "あ" * 2_000))
            written.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        before = len(written)
        save_copy(folder, tmp_path / "copy.zip")
    finally:
        stop.set()
        writer.join()
    log.close()
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "copy")
    copy = DataFolder(tmp_path / "copy")
    with copy.lock():
        posts = list(TopicLog(copy.log_path("t")).posts())
    assert None not in posts
    assert [post.message_id for post in posts if post] == [f"m{n}" for n in range(len(posts))]
    assert len(posts) > before


def test_a_copy_holds_what_was_said_and_set_and_no_link_and_nothing_made_anew(
    folder: DataFolder, tmp_path: Path
) -> None:
    TopicLog(folder.log_path("t")).append(_post(1))
    with folder.log_path("t").open("ab") as file:
        file.write(b'{"message_id":"torn')
    folder.config.write_text("{}", encoding="utf-8")
    for name in ("app.log", "app.log.1", "search.db", "search.db-wal", "launch/x.json"):
        (folder.root / name).write_text("x", encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    if sys.platform != "win32":
        (folder.root / "link").symlink_to(tmp_path / "secret")
    assert save_copy(folder, tmp_path / "copy.zip") == 2
    with zipfile.ZipFile(tmp_path / "copy.zip") as archive:
        assert sorted(archive.namelist()) == ["config.json", "logs/main/t.jsonl"]
        assert archive.read("logs/main/t.jsonl").count(b"\n") == 1
        assert b"torn" not in archive.read("logs/main/t.jsonl")
