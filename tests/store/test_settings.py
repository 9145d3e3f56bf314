"""Small JSON files: replaced whole, left alone when broken."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.store.settings import (
    TEMPORARY,
    FileBroken,
    JsonFile,
    NotSaved,
    atomic_write,
    clean_temporaries,
    json_bytes,
    read_json,
    retried,
)


class SharingError(OSError):
    """What Windows raises; `winerror` can only be set there."""

    def __init__(self, code: int) -> None:
        super().__init__(errno.EACCES, "held by somebody else")
        self.code = code

    @property
    def winerror(self) -> int:
        return self.code


def failing(times: int, error: OSError) -> Callable[[str, str], None]:
    left = [error] * times

    def replace(source: str, target: str) -> None:
        if left:
            raise left.pop()
        os.replace(source, target)

    return replace


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "設定 file.json"
    atomic_write(path, b"one")
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("code", [5, 32, 33])
def test_sharing_errors_of_windows_are_waited_out(tmp_path: Path, code: int) -> None:
    slept: list[float] = []
    path = tmp_path / "config.json"
    path.write_bytes(b"old")
    atomic_write(path, b"new", replace=failing(4, SharingError(code)), sleep=slept.append)
    assert path.read_bytes() == b"new"
    assert len(slept) == 4


def test_a_file_that_stays_held_is_reported_after_about_three_seconds(tmp_path: Path) -> None:
    slept: list[float] = []
    path = tmp_path / "config.json"
    path.write_bytes(b"old")
    with pytest.raises(NotSaved, match=r"config\.json could not be saved: held by"):
        atomic_write(path, b"new", replace=failing(999, SharingError(32)), sleep=slept.append)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["config.json"]
    assert 2.5 < sum(slept) < 4


def test_another_error_is_reported_at_once(tmp_path: Path) -> None:
    slept: list[float] = []
    path = tmp_path / "config.json"
    path.write_bytes(b"old")
    with pytest.raises(NotSaved):
        atomic_write(path, b"new", replace=failing(9, OSError(errno.EIO, "broken")), sleep=slept.append)
    assert (path.read_bytes(), slept, names(tmp_path)) == (b"old", [], ["config.json"])


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "config.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotSaved, match="No space"):
        atomic_write(path, b"new")
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["config.json"])


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotSaved):
        atomic_write(tmp_path / "none" / "config.json", b"x")


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a right there")
def test_the_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "config.json"
    link.symlink_to(tmp_path / "real" / "config.json")
    atomic_write(link, b"x")
    assert link.is_symlink()
    assert (tmp_path / "real" / "config.json").read_bytes() == b"x"


@pytest.mark.skipif(sys.platform == "win32", reason="rights are another thing there")
def test_the_rights_of_a_file_stay_and_a_new_one_is_private(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    atomic_write(path, b"x")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    atomic_write(path, b"y")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_a_killed_writer_left_is_cleaned_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / f".config.json.abc{TEMPORARY}").write_bytes(b"half")
    (tmp_path / "notes.tmp").write_bytes(b"mine")
    clean_temporaries(tmp_path)
    clean_temporaries(tmp_path / "none")
    assert names(tmp_path) == ["notes.tmp"]


def test_retrying_gives_the_result_and_never_hides_another_error() -> None:
    assert retried(lambda: 5) == 5
    with pytest.raises(FileNotFoundError):
        retried(lambda: os.unlink("/none/such"), sleep=lambda seconds: None)


BROKEN = [
    b'{"accounts":[{"id":"a"',
    b"",
    b'{"a":1}{"b":2}',
    b"[1]",
    b"null",
    b"\xff\xfe{\x00}\x00",
    b"[" * 100_000,
    b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":NaN}',
    b'{"a":1e999}',
    b"\0" * 100,
]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_named_and_left_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    file = JsonFile(path)
    assert file.load() == {}
    assert file.broken.startswith("config.json cannot be used: ")
    with pytest.raises(FileBroken):
        file.save({"a": 1})
    assert (path.read_bytes(), names(tmp_path)) == (data, ["config.json"])


def test_a_broken_file_can_be_set_aside_once_for_each_time(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    (tmp_path / "config.broken-1.json").write_bytes(b"earlier")
    path.write_bytes(b"{")
    file = JsonFile(path)
    file.load()
    assert file.set_aside() == tmp_path / "config.broken-2.json"
    file.save({"a": 1})
    assert (file.load(), file.broken) == ({"a": 1}, "")
    assert (tmp_path / "config.broken-2.json").read_bytes() == b"{"


def test_a_missing_file_is_not_broken(tmp_path: Path) -> None:
    file = JsonFile(tmp_path / "config.json")
    assert (file.load(), file.broken, file.missing) == ({}, "", True)
    file.save({"日本": "語"})
    assert not file.missing
    assert file.path.read_bytes() == '{\n  "日本": "語"\n}\n'.encode()


def test_a_byte_order_mark_is_read_and_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf{"mcpServers":{"x":{"command":"y"}}}')
    file = JsonFile(path)
    obj = file.load()
    file.save(obj)
    assert read_json(path.read_bytes()) == {"mcpServers": {"x": {"command": "y"}}}
    assert path.read_bytes()[:1] == b"{"


def test_a_file_that_cannot_be_read_is_not_written_either(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    file = JsonFile(tmp_path / "config.json")
    assert file.load() == {}
    assert file.broken
    with pytest.raises(FileBroken):
        file.save({})


def test_what_json_cannot_say_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    file = JsonFile(tmp_path / "x.json")
    file.load()
    with pytest.raises(NotSaved):
        file.save({"a": float("nan")})
    assert names(tmp_path) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_json_is_read_as_it_was_written(obj: dict[str, object]) -> None:
    assert json_bytes(read_json(json_bytes(obj))) == json_bytes(obj)


@given(st.binary(max_size=40) | st.text('{}[]",:0e9.-\\ \ntrufalsn', max_size=40).map(str.encode))
def test_reading_raises_value_errors_only(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        read_json(data)
