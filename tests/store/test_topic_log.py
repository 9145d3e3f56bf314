"""The log of a topic: what was said is on disk whole, in order, and readable whatever happened to the file."""

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.post import Post
from pullcept.core.row import row_line
from pullcept.store.topic_log import LogFailed, LogUnreadable, TopicLog, UnknownPost, first_post


def post(number: int | str, content: str = "hello") -> Post:
    return Post(f"m{number}", "Lin", content, "2026-10-09T08:07:06Z")


@pytest.fixture
def log(tmp_path: Path) -> TopicLog:
    return TopicLog(tmp_path / "topic.jsonl")


def ids(log: TopicLog, count: int = 50) -> list[str]:
    return [row.message_id for row in log.tail(count).posts]


def test_a_log_without_a_file_is_empty(log: TopicLog) -> None:
    rows = log.tail(10)
    assert (rows.posts, rows.skipped, rows.has_older) == ((), 0, False)
    assert not log.contains("m1")
    assert list(log.posts()) == []
    assert not log.path.exists()


def test_posts_are_read_back_in_order(log: TopicLog) -> None:
    said = [post(number, f"行 {number}\n\u2028\u0085 two") for number in range(5)]
    for each in said:
        log.append(each)
    assert log.tail(50).posts == tuple(said)
    assert log.path.read_bytes() == b"".join(map(row_line, said))


def test_the_folder_is_made_by_the_first_append(tmp_path: Path) -> None:
    log = TopicLog(tmp_path / "logs" / "main" / "t.jsonl")
    log.append(post(1))
    assert ids(log) == ["m1"]


def test_a_line_is_written_by_one_call(tmp_path: Path) -> None:
    written = []

    def write(descriptor: int, data: bytes) -> int:
        written.append(data)
        return os.write(descriptor, data)

    log = TopicLog(tmp_path / "t.jsonl", write=write)
    log.path.write_bytes(b'{"torn')
    log.append(post(1, "x" * 1_000_000))
    assert written == [b"\n" + row_line(post(1, "x" * 1_000_000))]


def test_a_torn_tail_does_not_swallow_the_next_post(log: TopicLog) -> None:
    log.path.write_bytes(row_line(post(1)) + row_line(post(2))[:30])
    log.append(post(3))
    assert ids(log) == ["m1", "m3"]
    assert log.tail(50).skipped == 1
    assert log.path.read_bytes() == row_line(post(1)) + row_line(post(2))[:30] + b"\n" + row_line(post(3))


def test_a_last_row_that_lacks_only_its_line_end_is_a_row(log: TopicLog) -> None:
    log.path.write_bytes(row_line(post(1)).rstrip())
    assert log.contains("m1")
    log.append(post(2))
    assert (ids(log), log.tail(9).skipped) == (["m1", "m2"], 0)


RUBBISH = [
    b"\0" * 5000,
    b"\xe3\x81",
    b"[" * 100_000,
    b'{"message_id":"m9","speaker":"x","content":"c","ts":' + b"9" * 5000 + b"}",
    b'{"message_id":"m9"}',
    b'{"message_id":5,"speaker":"x","content":"c","ts":"t"}',
    b'"m9"',
    b"not json",
    b'{"message_id":"m9","speaker":"x","content":"c","ts":"t"',
]


@pytest.mark.parametrize("line", RUBBISH, ids=range(len(RUBBISH)))
def test_what_is_no_row_is_skipped_and_counted(log: TopicLog, line: bytes) -> None:
    log.path.write_bytes(row_line(post(1)) + line + b"\n" + row_line(post(2)) + line)
    rows = log.tail(10)
    assert [row.message_id for row in rows.posts] == ["m1", "m2"]
    assert rows.skipped == 2
    assert not log.contains("m9")
    assert [row.message_id if row else None for row in log.posts()] == ["m1", None, "m2", None]


def test_a_byte_order_mark_and_foreign_line_ends_do_no_harm(log: TopicLog) -> None:
    log.path.write_bytes(b"\xef\xbb\xbf" + row_line(post(1)).replace(b"\n", b"\r\n") + b"\r\n\n" + row_line(post(2)))
    assert (ids(log), log.tail(9).skipped) == (["m1", "m2"], 0)
    assert log.contains("m1")


def test_pages_follow_each_other_without_gap_or_repeat(log: TopicLog) -> None:
    for number in range(25):
        log.append(post(number))
    page = log.tail(10)
    assert [row.message_id for row in page.posts] == [f"m{n}" for n in range(15, 25)]
    assert page.has_older
    older = log.before(page.offset, 10)
    assert older == log.before(page.posts[0].message_id, 10)
    assert [row.message_id for row in older.posts] == [f"m{n}" for n in range(5, 15)]
    last = log.before(older.offset, 5)
    assert ([row.message_id for row in last.posts], last.has_older, last.offset) == (
        [f"m{n}" for n in range(5)],
        False,
        0,
    )
    assert log.before("m0", 10).posts == ()


def test_a_page_of_huge_posts_ends_early_and_the_next_one_goes_on(log: TopicLog) -> None:
    for number in range(40):
        log.append(post(number, "x" * 1_000_000))
    pages = [log.tail(200)]
    while pages[-1].has_older:
        pages.append(log.before(pages[-1].posts[0].message_id, 200))
    assert max(len(page.posts) for page in pages) == 4
    read = [row.message_id for page in reversed(pages) for row in page.posts]
    assert read == [f"m{number}" for number in range(40)]


def test_a_post_longer_than_a_page_is_a_page(log: TopicLog) -> None:
    log.append(post(1))
    log.append(post(2, "\x01" * 1_000_000))
    assert [row.message_id for row in log.tail(200).posts] == ["m2"]
    assert ids(log, 1) == ["m2"]
    assert [row.message_id for row in log.before("m2", 200).posts] == ["m1"]


def test_there_is_no_older_page_when_only_rubbish_is_older(log: TopicLog) -> None:
    log.path.write_bytes(b"rubbish\nmore\n" + row_line(post(1)) + b"torn\n" + row_line(post(2)))
    rows = log.tail(2)
    assert (rows.has_older, rows.skipped) == (False, 3)
    newest = log.tail(1)
    assert (newest.has_older, newest.skipped) == (True, 0)
    assert log.before(newest.offset, 1).skipped == 3


def test_a_page_before_an_unknown_post_is_an_error(log: TopicLog) -> None:
    log.append(post(1))
    with pytest.raises(UnknownPost):
        log.before("m2", 5)


def test_an_id_is_known_as_soon_as_it_is_written(log: TopicLog) -> None:
    log.append(post(1))
    assert not log.contains("m2")
    log.append(post(2))
    assert log.contains("m1")
    assert log.contains("m2")
    assert TopicLog(log.path).contains("m2")


@pytest.mark.parametrize("message_id", ['"', "\\", '\\"', "a/b", "~!{}", '"message_id":"m2"', "\\u0041"])
def test_ids_of_any_visible_characters_are_found(log: TopicLog, message_id: str) -> None:
    said = Post(message_id, "Lin", "x", "t")
    log.append(said)
    again = TopicLog(log.path)
    assert again.contains(message_id)
    assert again.before(message_id, 1).posts == ()
    assert not again.contains("m2")
    assert not again.contains("A")


def test_an_id_that_is_only_quoted_in_a_text_is_not_in_the_log(log: TopicLog) -> None:
    log.append(post(1, '{"message_id":"m7","speaker":"x","content":"y","ts":"z"}'))
    log.append(post(2, '\n"message_id":"m8"'))
    assert not TopicLog(log.path).contains("m7")
    assert not TopicLog(log.path).contains("m8")


def test_an_id_of_a_nested_object_is_not_in_the_log(log: TopicLog) -> None:
    log.path.write_bytes(b'{"message_id":"m1","speaker":"x","content":"y","ts":"z","extra":{"message_id":"m2"}}\n')
    assert not log.contains("m2")


def test_a_whole_row_is_found_although_a_torn_one_with_its_id_follows(log: TopicLog) -> None:
    log.path.write_bytes(row_line(post(1)) + row_line(post(2)) + row_line(post(1))[:40] + b"\n")
    assert log.contains("m1")
    assert log.before("m2", 5).posts == (post(1),)


def test_rows_of_other_programs_are_found(log: TopicLog) -> None:
    log.path.write_bytes(b'{ "speaker": "x", "content": "y", "to": "Lay", "ts": "z", "message_id" :\t"m\\u0031" }\n')
    assert log.contains("m1")
    assert log.tail(1).posts[0].to == ("Lay",)


def test_ids_are_found_across_the_blocks_of_the_scan(log: TopicLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pullcept.store.topic_log._SCAN_BLOCK", 37)
    for number in range(20):
        log.append(post(number, "長い" * number))
    again = TopicLog(log.path)
    assert all(again.contains(f"m{number}") for number in range(20))
    assert again.before("m7", 1).posts == (post(6, "長い" * 6),)


def failing(kinds: list[int | None]) -> Callable[[int, bytes], int]:
    """A write that takes the next of `kinds`: None works, 0 raises, a number writes that many bytes only."""

    def write(descriptor: int, data: bytes) -> int:
        kind = kinds.pop(0) if kinds else None
        if kind == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.write(descriptor, data[:kind])

    return write


def test_a_full_disk_is_told_and_the_next_append_tries_again(tmp_path: Path) -> None:
    log = TopicLog(tmp_path / "t.jsonl", write=failing([None, 0, None]))
    log.append(post(1))
    with pytest.raises(LogFailed, match="space"):
        log.append(post(2))
    assert not log.contains("m2")
    log.append(post(3))
    assert ids(log) == ["m1", "m3"]


def test_half_a_line_is_taken_back(tmp_path: Path) -> None:
    log = TopicLog(tmp_path / "t.jsonl", write=failing([None, 20]))
    log.append(post(1))
    with pytest.raises(LogFailed):
        log.append(post(2))
    assert log.path.read_bytes() == row_line(post(1))
    log.append(post(2))
    assert (ids(log), log.tail(9).skipped) == (["m1", "m2"], 0)


def test_half_a_line_that_cannot_be_taken_back_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, length: int) -> None:
        raise OSError(errno.EIO, "no")

    log = TopicLog(tmp_path / "t.jsonl", write=failing([None, 20]))
    log.append(post(1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(LogFailed):
            log.append(post(2))
    log.append(post(3))
    assert (ids(log), log.tail(9).skipped) == (["m1", "m3"], 1)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of the size of files are POSIX")
def test_a_real_file_size_limit_leaves_no_half_line(tmp_path: Path) -> None:
    program = f"""
import resource, pathlib
from pullcept.core.post import Post
from pullcept.store.topic_log import LogFailed, TopicLog
log = TopicLog(pathlib.Path({str(tmp_path / "t.jsonl")!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    for number in range(100):
        log.append(Post(f"m{{number}}", "Lin", "x" * 50, "t"))
except LogFailed as error:
    print(number, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append(Post("after", "Lin", "x", "t"))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    refused = int(run.stdout.split()[0])
    log = TopicLog(tmp_path / "t.jsonl")
    assert ids(log, 200) == [*(f"m{number}" for number in range(refused)), "after"]
    assert log.tail(200).skipped == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    program = f"""
import pathlib
from pullcept.core.post import Post
from pullcept.store.topic_log import TopicLog
log = TopicLog(pathlib.Path({str(tmp_path / "t.jsonl")!r}))
number = 0
while True:
    log.append(Post(f"m{{number}}", "Lin", "x" * 3000, "t"))
    print(number, flush=True)
    number += 1
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(50):
            told = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        told = max([told, *(int(line) for line in process.stdout if line.endswith("\n"))])
    log = TopicLog(tmp_path / "t.jsonl")
    kept = [row.message_id for row in log.posts() if row]
    assert kept[: told + 1] == [f"m{number}" for number in range(told + 1)]
    assert len(kept) == len(set(kept)) <= told + 2
    log.append(post("after"))
    assert ids(log)[-1] == "mafter"


def test_a_file_that_was_taken_away_is_made_anew(log: TopicLog) -> None:
    log.append(post(1))
    assert log.contains("m1")
    log.close()
    log.path.unlink()
    log.append(post(2))
    assert ids(log) == ["m2"]
    assert not log.contains("m1")


@pytest.mark.skipif(sys.platform == "win32", reason="an open file keeps its name there")
def test_a_file_that_was_replaced_while_open_is_noticed(log: TopicLog, tmp_path: Path) -> None:
    log.append(post(1))
    assert log.contains("m1")
    other = tmp_path / "other"
    other.write_bytes(row_line(post(7)) + b"torn")
    other.replace(log.path)
    log.append(post(8))
    assert (ids(log), log.contains("m1"), log.contains("m7")) == (["m7", "m8"], False, True)


def test_a_deleted_topic_never_comes_back(log: TopicLog) -> None:
    log.append(post(1))
    log.delete()
    log.delete()
    with pytest.raises(LogFailed, match="deleted"):
        log.append(post(2))
    assert not log.path.exists()
    assert not log.contains("m1")


def test_a_log_that_could_not_be_deleted_goes_on(log: TopicLog, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise OSError(errno.EIO, "no")

    log.append(post(1))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        with pytest.raises(OSError, match="no"):
            log.delete()
    log.append(post(2))
    assert ids(log) == ["m1", "m2"]


def test_a_log_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").mkdir()
    log = TopicLog(tmp_path / "t.jsonl")
    with pytest.raises(LogFailed):
        log.append(post(1))
    with pytest.raises(LogUnreadable):
        log.tail(5)
    with pytest.raises(LogUnreadable):
        log.contains("m1")


def test_readers_on_other_threads_never_see_half_a_line(log: TopicLog) -> None:
    done = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not done.is_set():
            rows = log.tail(5)
            if rows.skipped:
                wrong.append(rows)
            if rows.posts and not log.contains(rows.posts[-1].message_id):
                wrong.append(rows.posts[-1])

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(200):
        log.append(post(number, "x" * 20_000))
    done.set()
    for reader in readers:
        reader.join(10)
    assert wrong == []
    assert len(ids(log, 300)) == 200


def test_the_first_post_is_found_behind_rubbish(log: TopicLog) -> None:
    log.path.write_bytes(b"\xff\n" + row_line(post(1)) + row_line(post(2)))
    assert first_post(log.path) == post(1)
    log.path.write_bytes(b"\xff\n")
    assert first_post(log.path) is None


pieces = st.lists(
    st.sampled_from([*RUBBISH[:2], *RUBBISH[4:]]) | st.integers(0, 9) | st.binary(max_size=12), max_size=12
)


@given(pieces, st.integers(0, 40), st.integers(1, 5))
def test_any_mixture_reads_the_same_from_both_ends(
    tmp_path_factory: pytest.TempPathFactory, mixture: list[bytes | int], cut: int, count: int
) -> None:
    lines = [row_line(post(each)) if isinstance(each, int) else each + b"\n" for each in mixture]
    data = b"".join(lines)
    path = tmp_path_factory.getbasetemp() / "mixture.jsonl"
    path.write_bytes(data[: len(data) - cut] if cut < len(data) else data)
    log = TopicLog(path)
    whole = [row for row in log.posts() if row is not None]
    skipped = sum(row is None for row in log.posts())
    page = log.tail(count)
    pages, counted = list(page.posts), page.skipped
    while page.has_older:
        page = log.before(page.offset, count)
        pages[:0] = page.posts
        counted += page.skipped
    assert (pages, counted) == (whole, skipped)
    assert all(log.contains(row.message_id) for row in whole)
    known = {row.message_id for row in whole}
    assert not any(log.contains(f"m{number}") for number in range(10) if f"m{number}" not in known)
    log.append(post("new"))
    assert [row for row in log.posts() if row is not None] == [*whole, post("new")]
    log.close()
