"""How a start is put together: which conversation goes on, which program runs, and what the status line says."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pullcept.core.account import Account
from pullcept.core.seat import Seat
from pullcept.starting import Prepared, Programs, RoomAddress, Starter, StartRefused
from pullcept.store.launch_files import LaunchFiles
from pullcept.store.settings import NotSaved

SEAT = Seat("a", "t")
CONVERSATION = "11111111-2222-4333-8444-555555555555"


class Book:
    """One topic with at most one recorded conversation."""

    def __init__(self, folder: Path, recorded: str | None) -> None:
        self._folder = folder
        self.recorded = recorded
        self.saves = True

    def conversation(self, seat: Seat) -> str | None:
        return self.recorded

    def conversation_elsewhere(self, seat: Seat) -> bool:
        return False

    def session_started(self, seat: Seat) -> None: ...

    def record_conversation(self, seat: Seat, conversation_id: str) -> None: ...

    def drop_conversation(self, seat: Seat, conversation_id: str) -> bool:
        self.recorded = None
        if not self.saves:
            raise NotSaved("index.json could not be saved: no space")
        return True

    def attachments_folder(self, topic_id: str) -> Path:
        return self._folder / topic_id

    def has_posts(self, topic_id: str) -> bool:
        return False


def prepared(
    tmp_path: Path,
    account: Account,
    *,
    book: Book | None = None,
    exists: Callable[[Account, str, Mapping[str, str]], bool | None] = lambda *_: True,
) -> Prepared:
    starter = Starter(
        book or Book(tmp_path, None),
        LaunchFiles(tmp_path / "launch"),
        Programs(sys.executable, "/srv/pullcept.py"),
        {"PATH": str(Path(sys.executable).parent), "HOME": str(tmp_path)},
        RoomAddress("ws://127.0.0.1:1/room", "token"),
        exists,
    )
    account = replace(account, cwd=account.cwd or str(tmp_path))
    return starter.prepare(SEAT, account, 1, missed_posts=False, columns=80, rows=24)


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_recorded_conversation_goes_on_and_the_word_says_so(tmp_path: Path) -> None:
    account = Account("a", "Haru", "claude_code", command=sys.executable)
    start = prepared(tmp_path, account, book=Book(tmp_path, CONVERSATION))
    assert start.start.resumed
    assert start.word == "Haru resumes the earlier conversation."


def test_the_word_does_not_speak_of_the_recorded_conversation_when_the_person_chose_another(tmp_path: Path) -> None:
    account = Account("a", "Haru", "codex_cli", command=sys.executable, args=("resume", "--last"))
    start = prepared(tmp_path, account, book=Book(tmp_path, CONVERSATION))
    assert not start.start.resumed
    assert "resumes the earlier conversation" not in start.word
    assert "your command resume decides which conversation goes on" in start.word


def test_a_missing_conversation_is_dropped_and_a_fresh_one_begins(tmp_path: Path) -> None:
    account = Account("a", "Haru", "claude_code", command=sys.executable)
    book = Book(tmp_path, CONVERSATION)
    start = prepared(tmp_path, account, book=book, exists=lambda *_: False)
    assert book.recorded is None
    assert start.start.conversation_id not in (None, CONVERSATION)
    assert start.word == "Haru: started fresh, the earlier conversation is gone."


def test_a_record_that_cannot_be_dropped_does_not_keep_the_session_from_starting(tmp_path: Path) -> None:
    account = Account("a", "Haru", "claude_code", command=sys.executable)
    book = Book(tmp_path, CONVERSATION)
    book.saves = False
    assert not prepared(tmp_path, account, book=book, exists=lambda *_: False).start.resumed


def test_a_conversation_nobody_can_look_for_is_kept_and_tried(tmp_path: Path) -> None:
    account = Account("a", "Haru", "claude_code", command=sys.executable)
    assert prepared(tmp_path, account, book=Book(tmp_path, CONVERSATION), exists=lambda *_: None).start.resumed


def test_a_command_with_a_folder_is_found_from_the_working_folder(tmp_path: Path) -> None:
    tool = program(tmp_path / "project" / "bin", "tool")
    account = Account("a", "Haru", "cli", command="./bin/tool", cwd=str(tmp_path / "project"))
    assert prepared(tmp_path, account).start.argv[0] == str(tool)


def test_only_a_cli_account_can_listen_without_the_rooms_tools(tmp_path: Path) -> None:
    account = Account("a", "Haru", "cli", command=sys.executable, listens=True)
    assert prepared(tmp_path, account).start.listens
    assert not prepared(tmp_path, replace(account, kind="claude_code")).start.listens


@pytest.mark.parametrize("path", ["gone.json", "a\ud800b.json"])
def test_a_settings_file_that_cannot_be_read_refuses_the_start_with_its_name(tmp_path: Path, path: str) -> None:
    account = Account("a", "Haru", "claude_code", command=sys.executable, args=("--settings", path))
    with pytest.raises(StartRefused, match="settings file"):
        prepared(tmp_path, account)
