"""Looking for a conversation on disk."""

import os
import sys
from pathlib import Path

import pytest

from pullcept.core.kinds import kind_for
from pullcept.store.transcripts import conversation_exists

ID = "99999999-8888-4777-8666-555555555555"


def claude(root: Path, conversation_id: str = ID) -> bool | None:
    return conversation_exists(kind_for("claude_code").transcript_globs(conversation_id, {}, str(root)))


def codex(root: Path, conversation_id: str = ID) -> bool | None:
    return conversation_exists(kind_for("codex_cli").transcript_globs(conversation_id, {}, str(root)))


def put(path: Path, text: str = "{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_transcript_is_found_whatever_its_folder_is_called(tmp_path: Path) -> None:
    put(tmp_path / ".claude/projects/---------/other.jsonl")
    put(tmp_path / f".claude/projects/-home-🚀-開発/{ID}.jsonl")
    assert claude(tmp_path) is True


def test_a_rollout_is_found_in_its_day_folder(tmp_path: Path) -> None:
    put(tmp_path / f".codex/sessions/2026/11/29/rollout-2026-11-29T23-59-59-{ID}.jsonl")
    put(tmp_path / ".codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-other.jsonl")
    assert codex(tmp_path) is True


def test_no_folder_at_all_means_no_conversation(tmp_path: Path) -> None:
    assert claude(tmp_path) is False
    assert codex(tmp_path / "nowhere") is False


@pytest.mark.parametrize("look", [claude, codex])
def test_a_folder_without_the_file_means_no_conversation(tmp_path: Path, look: object) -> None:
    (tmp_path / ".claude/projects/-x").mkdir(parents=True)
    (tmp_path / ".codex/sessions/2026/11/30").mkdir(parents=True)
    assert (claude if look is claude else codex)(tmp_path) is False


def test_an_empty_file_is_no_conversation(tmp_path: Path) -> None:
    put(tmp_path / f".claude/projects/-x/{ID}.jsonl", "")
    put(tmp_path / f".codex/sessions/2026/11/30/rollout-x-{ID}.jsonl", "")
    assert claude(tmp_path) is False
    assert codex(tmp_path) is False


def test_a_folder_with_the_name_of_a_transcript_is_no_conversation(tmp_path: Path) -> None:
    (tmp_path / f".claude/projects/-x/{ID}.jsonl").mkdir(parents=True)
    assert claude(tmp_path) is False


def test_a_plain_file_in_place_of_the_folder_is_no_conversation(tmp_path: Path) -> None:
    put(tmp_path / ".claude/projects")
    assert claude(tmp_path) is False


@pytest.mark.parametrize("odd", ["*", "?" * 36, "[0-9]*", "../x", "..", "", "a/b", "**"])
def test_an_odd_id_finds_only_itself(tmp_path: Path, odd: str) -> None:
    put(tmp_path / f".claude/projects/-x/{ID}.jsonl")
    put(tmp_path / f".codex/sessions/2026/11/30/rollout-2026-{ID}.jsonl")
    assert claude(tmp_path, odd) is False
    assert codex(tmp_path, odd) is False


def test_a_kind_without_known_places_cannot_tell() -> None:
    assert conversation_exists(()) is None


def test_a_name_in_another_case_is_another_conversation(tmp_path: Path) -> None:
    put(tmp_path / ".claude/projects/-x/ABC.jsonl")
    assert claude(tmp_path, "abc") is False


def test_a_folder_that_leads_back_to_itself_is_walked_a_bounded_way(tmp_path: Path) -> None:
    day = tmp_path / ".codex/sessions/2026/11"
    day.mkdir(parents=True)
    try:
        (day / "back").symlink_to(tmp_path / ".codex/sessions", target_is_directory=True)
    except OSError:
        pytest.skip("this computer lets nobody make links")
    assert codex(tmp_path) is False


def test_a_folder_that_cannot_be_read_means_nobody_can_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / ".claude/projects/-closed/x.jsonl")
    put(tmp_path / f".claude/projects/-open/{ID}.jsonl")
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("-closed"):
            raise PermissionError(13, "closed", path)
        return real(path)

    monkeypatch.setattr("pullcept.store.transcripts.os.scandir", scandir)
    assert claude(tmp_path) is True
    assert claude(tmp_path, "other") is None


@pytest.mark.skipif(sys.platform == "win32", reason="modes are for POSIX")
def test_a_closed_root_means_nobody_can_tell(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        return  # nothing is closed to this user
    (tmp_path / ".claude").mkdir(mode=0o000)
    assert claude(tmp_path) is None
