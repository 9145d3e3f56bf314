"""How a start is put together: which conversation goes on, which program runs, and what the status line says."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pullcept.cli_versions import CliVersions
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


def starter_of(
    tmp_path: Path,
    *,
    book: Book | None = None,
    exists: Callable[[Account, str, Mapping[str, str]], bool | None] = lambda *_: True,
    versions: CliVersions | None = None,
) -> Starter:
    return Starter(
        book or Book(tmp_path, None),
        LaunchFiles(tmp_path / "launch"),
        Programs(sys.executable, "/srv/pullcept.py"),
        {"PATH": str(Path(sys.executable).parent), "HOME": str(tmp_path)},
        RoomAddress("ws://127.0.0.1:1/room", "token"),
        exists,
        versions or CliVersions(),
    )


def prepared(
    tmp_path: Path,
    account: Account,
    *,
    book: Book | None = None,
    exists: Callable[[Account, str, Mapping[str, str]], bool | None] = lambda *_: True,
    versions: CliVersions | None = None,
) -> Prepared:
    starter = starter_of(tmp_path, book=book, exists=exists, versions=versions)
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


def old_claude(folder: Path, version: str, options: str) -> Path:
    """A program that tells a version and knows these options; it notes each time it is asked."""
    path = program(folder / "bin", "claude")
    answer = f'case "$1" in --version) echo "{version} (Claude Code)";; --help) echo "{options}";; esac'
    path.write_text(f'#!/bin/sh\necho "$1" >> "{folder}/asked"\n{answer}\n', encoding="utf-8")
    return path


OURS = "--mcp-config --session-id --append-system-prompt --settings --resume"


def test_an_older_program_that_does_not_know_an_option_of_the_line_is_refused(tmp_path: Path) -> None:
    path, versions = old_claude(tmp_path, "1.0.9", OURS.replace("--settings", "")), CliVersions()
    account = Account("a", "Haru", "claude_code", command=str(path))
    assert prepared(tmp_path, account, versions=versions).start.argv[0] == str(path), "nothing is known of it yet"
    versions.ask(str(path), "2.1.332", {"PATH": "/usr/bin:/bin"})
    with pytest.raises(StartRefused, match=r"Haru: claude 1\.0\.9 does not know --settings\. Update it to 2\.1\.332"):
        prepared(tmp_path, account, versions=versions)


@pytest.mark.parametrize(
    ("version", "note"),
    [
        ("2.1.331", "not verified with this version (2.1.331)"),
        ("2.1.332", ""),
        ("2.2.0", ""),
        ("10.0.0-beta.1", ""),
        ("unknown", ""),
    ],
)
def test_an_older_program_that_knows_the_line_is_started_and_its_row_says_so(
    tmp_path: Path, version: str, note: str
) -> None:
    path, versions = old_claude(tmp_path, version, OURS), CliVersions()
    account = Account("a", "Haru", "claude_code", command=str(path))
    assert starter_of(tmp_path, versions=versions).version_note(replace(account, cwd=str(tmp_path))) == note
    assert prepared(tmp_path, account, versions=versions).start.argv[0] == str(path)


def test_a_program_is_asked_once_and_again_after_an_update(tmp_path: Path) -> None:
    path, versions = old_claude(tmp_path, "3.0.0", OURS), CliVersions()
    for _ in range(3):
        assert versions.ask(str(path), "2.1.332", {"PATH": "/usr/bin:/bin"}).version == "3.0.0"
    assert (tmp_path / "asked").read_text() == "--version\n"
    old_claude(tmp_path, "3.10.0", OURS)
    assert versions.known(str(path)) is None
    assert versions.ask(str(path), "2.1.332", {"PATH": "/usr/bin:/bin"}).version == "3.10.0"


def test_a_program_that_tells_nothing_is_started_as_it_is(tmp_path: Path) -> None:
    path, versions = program(tmp_path / "bin", "claude"), CliVersions()
    path.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    assert versions.ask(str(path), "2.1.332", {}).version == ""
    assert versions.ask(str(tmp_path / "gone"), "2.1.332", {}).version == ""
    account = Account("a", "Haru", "claude_code", command=str(path))
    assert prepared(tmp_path, account, versions=versions).start.argv[0] == str(path)
