"""Following a file that a CLI writes: whole lines, once each, whatever the moment of a look."""

import os
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.store import tail
from pullcept.store.tail import LineTail, NewRollouts, begun_at, find_file


def append(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_is_there_is_read_from_its_end_on(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    append(path, b"old\n")
    follow = LineTail(lambda: str(path))
    assert follow.read() == []
    append(path, b"new\nhal")
    assert follow.read() == [b"new"]
    append(path, b"f\n")
    assert follow.read() == [b"half"]


def test_a_file_that_appears_later_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    follow = LineTail(lambda: str(path) if path.exists() else None)
    assert follow.read() == []
    append(path, b"first\nsecond\n")
    assert follow.read() == [b"first", b"second"]
    assert follow.read() == []


def test_the_rest_of_a_line_that_was_begun_before_the_first_look_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    append(path, b"begun befo")
    follow = LineTail(lambda: str(path))
    follow.read()
    append(path, b"re\nwhole\n")
    assert follow.read() == [b"whole"]


def test_a_line_that_is_too_long_is_left_out_and_the_next_one_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "LINE_LIMIT", 100)
    path = tmp_path / "t.jsonl"
    follow = LineTail(lambda: str(path), whole=True)
    for piece in (b"x" * 90, b"x" * 90, b"x\nshort\n", b"y" * 101 + b"\nlast\n"):
        append(path, piece)
        seen = follow.read()
    assert seen == [b"last"]


def test_a_line_of_twenty_megabytes_arrives_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    line = b"z" * (20 * 1024 * 1024)
    append(path, line + b"\n")
    follow = LineTail(lambda: str(path), whole=True)
    seen = [each for _ in range(4) for each in follow.read()]
    assert seen == [line]


def test_a_file_that_was_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    append(path, b"one\ntwo\n")
    follow = LineTail(lambda: str(path), whole=True)
    follow.read()
    path.write_bytes(b"new\n")
    assert follow.read() == [b"new"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert LineTail(lambda: str(tmp_path / "pipe")).read() == []
    assert LineTail(lambda: str(tmp_path / "gone")).read() == []


@given(
    lines=st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"."))), cuts=st.lists(st.integers(1))
)
def test_every_line_comes_once_and_whole_however_the_file_grows(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("tail") / "t.jsonl"
    data = b"".join(line + b"\n" for line in lines)
    follow = LineTail(lambda: str(path), whole=True)
    ends = sorted(cut % (len(data) + 1) for cut in cuts)
    seen = []
    for begin, end in zip([0, *ends], [*ends, len(data)], strict=True):
        append(path, data[begin:end])
        seen += follow.read()
    assert seen == lines


def conversation(at: float) -> str:
    digits = f"{int(at * 1000):012x}7{uuid.uuid4().hex[13:16]}8{uuid.uuid4().hex[17:]}"
    return str(uuid.UUID(digits))


def rollout(home: Path, conversation_id: str) -> Path:
    day = datetime.fromtimestamp(begun_at(conversation_id), UTC)
    return home / "sessions" / day.strftime("%Y/%m/%d") / f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{conversation_id}.jsonl"


def test_only_conversations_begun_since_then_are_read_also_over_midnight(tmp_path: Path) -> None:
    midnight = datetime(2026, 11, 30, tzinfo=UTC).timestamp()
    old, before, after = (conversation(midnight + each) for each in (-60, -1, 1))
    for each in (old, before, after):
        append(rollout(tmp_path, each), b"line of " + each.encode() + b"\n")
    follow = NewRollouts(str(tmp_path), midnight - 30, lambda: midnight + 5)
    assert sorted(follow.read()) == sorted((each, b"line of " + each.encode()) for each in (before, after))
    append(rollout(tmp_path, after), b"more\n")
    assert follow.read() == [(after, b"more")]
    going_on = follow.tail(after)
    append(rollout(tmp_path, after), b"and more\n")
    assert going_on is not None
    assert going_on.read() == [b"and more"]


def test_a_folder_that_is_not_there_has_no_conversations(tmp_path: Path) -> None:
    assert NewRollouts(str(tmp_path), 0.0, lambda: 1.0).read() == []


def test_a_file_is_found_by_its_pattern(tmp_path: Path) -> None:
    append(tmp_path / "projects" / "x" / "id.jsonl", b"")
    assert find_file([(str(tmp_path), "projects/*/id.jsonl")]) == str(tmp_path / "projects" / "x" / "id.jsonl")
    assert find_file([(str(tmp_path / "gone"), "*")]) is None
