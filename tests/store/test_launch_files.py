"""Files that belong to single starts."""

import sys
from pathlib import Path

import pytest

from pullcept.store.launch_files import LaunchFiles


@pytest.fixture
def files(tmp_path: Path) -> LaunchFiles:
    files = LaunchFiles(tmp_path / "launch")
    files.empty()
    return files


def test_a_registration_is_written_under_the_name_of_its_seat(files: LaunchFiles) -> None:
    path = files.registration("topic", "account")
    files.write(path, '{"日本": 1}')
    assert path == files.folder / "topic-account.json"
    assert path.read_text(encoding="utf-8") == '{"日本": 1}'
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o077 == 0


def test_an_account_id_that_is_no_file_name_still_has_a_place_of_its_own(files: LaunchFiles) -> None:
    paths = {files.registration("t", "../../x"), files.registration("t", "a/b"), files.registration("t", "x" * 300)}
    assert len(paths) == 3
    assert {path.parent for path in paths} == {files.folder}


def test_the_folder_is_emptied_at_start_without_following_links(files: LaunchFiles, tmp_path: Path) -> None:
    files.write(files.folder / "deep" / "a.json", "x")
    files.write(files.folder / "b.json", "x")
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    if sys.platform != "win32":
        (files.folder / "link").symlink_to(tmp_path / "precious")
    files.empty()
    assert list(files.folder.iterdir()) == []
    assert (tmp_path / "precious" / "file").exists()


def test_nothing_is_written_elsewhere(files: LaunchFiles, tmp_path: Path) -> None:
    for path in (tmp_path / "x.json", files.folder / ".." / "x.json"):
        with pytest.raises(ValueError):
            files.write(path, "x")
    assert not (tmp_path / "x.json").exists()


def test_removing_twice_is_no_error(files: LaunchFiles) -> None:
    path = files.registration("t", "a")
    files.write(path, "x")
    files.remove(path)
    files.remove(path)
    assert not path.exists()
