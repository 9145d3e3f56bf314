"""The data folder: its paths, and one process at a time."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pullcept.core.topic import TopicIdError
from pullcept.store.folder import DataFolder, DataFolderLocked, DataFolderUnusable, host_id
from pullcept.store.settings import TEMPORARY

HOLDER = """
import sys, pathlib
from pullcept.store.folder import DataFolder, DataFolderLocked
try:
    lock = DataFolder(pathlib.Path(sys.argv[1])).lock()
except DataFolderLocked as error:
    print("locked", error.pid, flush=True)
else:
    lock.describe(show="127.0.0.1:5")
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the folder until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.communicate(timeout=30)


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_the_lock_makes_the_folder_and_can_be_taken_again_after_release(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "持ち歩き 🚀" / "data")
    with folder.lock():
        assert folder.logs.is_dir()
        assert folder.launch.is_dir()
        with pytest.raises(DataFolderLocked) as caught:
            DataFolder(folder.root).lock()
        assert caught.value.pid == os.getpid()
    folder.lock().release()
    assert folder.lock_path.exists()


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert told(process) == "held"
        with pytest.raises(DataFolderLocked) as caught:
            DataFolder(tmp_path).lock()
        assert caught.value.holder == {"pid": process.pid, "show": "127.0.0.1:5"}
        assert str(process.pid) in str(caught.value)


def test_a_left_over_lock_file_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text('{"pid": 1}')
    DataFolder(tmp_path).lock().release()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_killed_holder_gives_the_folder_back(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert told(process) == "held"
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        DataFolder(tmp_path).lock().release()


def test_of_two_starts_at_once_one_gets_the_folder(tmp_path: Path) -> None:
    with holder(tmp_path) as first, holder(tmp_path) as second:
        assert sorted(told(process).split()[0] for process in (first, second)) == ["held", "locked"]


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a right there")
def test_a_folder_reached_by_a_link_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "data")
    with DataFolder(tmp_path / "data").lock(), pytest.raises(DataFolderLocked):
        DataFolder(tmp_path / "link").lock()


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
def test_a_program_started_by_the_holder_does_not_keep_the_folder(tmp_path: Path) -> None:
    lock = DataFolder(tmp_path).lock()
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, close_fds=False) as process:
        lock.release()
        DataFolder(tmp_path).lock().release()
        process.communicate(timeout=30)


@pytest.mark.parametrize("left", [b"", b"not json", b"[1]", b'{"pid": "x"}', b"\xff" * 9000])
def test_an_unreadable_holder_is_an_unknown_one(tmp_path: Path, left: bytes) -> None:
    with DataFolder(tmp_path).lock():
        (tmp_path / "lock").write_bytes(left)
        with pytest.raises(DataFolderLocked) as caught:
            DataFolder(tmp_path).lock()
        assert caught.value.pid is None


def test_a_place_that_is_no_folder_is_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataFolderUnusable, match="cannot be used"):
        DataFolder(tmp_path / "file").lock()
    (tmp_path / "logs").write_text("x")
    with pytest.raises(DataFolderUnusable, match="cannot be written"):
        DataFolder(tmp_path).lock()
    (tmp_path / "logs").unlink()
    DataFolder(tmp_path).lock().release()


def test_a_read_only_folder_is_refused_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*args: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(DataFolderUnusable, match="Read-only"):
        DataFolder(tmp_path).lock()


def test_half_written_files_of_a_killed_run_are_cleaned_by_the_next_holder(tmp_path: Path) -> None:
    DataFolder(tmp_path).lock().release()
    left = [tmp_path / f".a{TEMPORARY}", tmp_path / "logs" / "main" / f".b{TEMPORARY}"]
    for path in left:
        path.write_bytes(b"half")
    DataFolder(tmp_path).lock().release()
    assert not any(path.exists() for path in left)


def test_paths_of_a_topic_are_inside_the_folder(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    assert folder.log_path("t") == tmp_path / "logs" / "main" / "t.jsonl"
    assert folder.attachments("t") == tmp_path / "logs" / "main" / "attachments" / "t"
    assert folder.mailbox("t") == tmp_path / "logs" / "main" / "mailboxes" / "t.json"
    for path in (folder.log_path, folder.attachments, folder.mailbox):
        with pytest.raises(TopicIdError):
            path("../../etc")


def test_this_computer_has_one_short_name_that_says_nothing() -> None:
    assert host_id() == host_id()
    assert len(host_id()) == 16
    int(host_id(), 16)
