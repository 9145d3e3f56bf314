"""Names of stored files, and the block that names them in a post."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.attachment import (
    MAX_NAME,
    MAX_NAME_BYTES,
    numbered_name,
    split_attachments,
    stored_file,
    stored_name,
    with_attachments,
)
from pullcept.core.topic import is_device


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("COM1.tar.gz", "_COM1.tar.gz"),
        ("COM¹", "_COM¹"),
        ("a:b.txt", "a_b.txt"),
        ("..\\..\\x", ".._.._x"),
        ("/etc/x", "_etc_x"),
        ("evil.", "evil"),
        ("evil. ", "evil"),
        ("a\0b.png", "a_b.png"),
        ("@Lin memo.txt", "_Lin memo.txt"),
        ("＠.png", "_.png"),
        ("gnp.\u202eexe", "gnp._exe"),
        ("two\nlines\u2028.txt", "two_lines_.txt"),
        (".", "file"),
        ("", "file"),
        ("-rf", "-rf"),
    ],
)
def test_a_name_becomes_one_plain_file_name(given_name: str, kept: str) -> None:
    assert stored_name(given_name) == kept


def test_a_long_name_keeps_its_extension() -> None:
    name = stored_name("あ" * 300 + ".pdf")
    assert len(name) == MAX_NAME
    assert name.endswith("あ.pdf")
    assert numbered_name(name, 12).endswith("あ (12).pdf")


@given(st.text(max_size=400))
def test_any_name_is_short_plain_and_stays_when_cleaned_again(name: str) -> None:
    kept = stored_name(name)
    assert 0 < len(kept) <= MAX_NAME
    assert len(kept.encode()) <= MAX_NAME_BYTES
    assert not set(kept) & set('<>:"/\\|?*@＠\0\n\r')
    assert kept[-1] not in ". "
    assert not is_device(kept)
    assert stored_name(kept) == kept


@given(st.text(max_size=200), st.integers(2, 10_000))
def test_a_number_never_makes_a_name_too_long(name: str, number: int) -> None:
    numbered = numbered_name(stored_name(name), number)
    assert f"({number})" in numbered
    assert len(numbered) <= MAX_NAME
    assert len(numbered.encode()) <= MAX_NAME_BYTES


@pytest.mark.parametrize("head", ["添付:", "Attachments:"])
@pytest.mark.parametrize("text", ["see", "", "a\n\nb", "```\ncode\n```"])
def test_the_block_comes_back_as_text_and_paths(head: str, text: str) -> None:
    paths = ("/data/logs/main/attachments/t/a b.png", "C:\\x\\attachments\\t\\c.txt")
    assert split_attachments(with_attachments(text, paths, head)) == (text, paths)


def test_a_path_that_would_break_the_block_is_refused() -> None:
    for path in ("a.txt", "/tmp/two\nlines", "/tmp/x\u2028y"):
        with pytest.raises(ValueError, match="path"):
            with_attachments("see", ["/tmp/ok", path], "添付:")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/a/logs/main/attachments/t/x.png", ("t", "x.png")),
        ("D:\\usb\\logs\\main\\attachments\\t\\x.png", ("t", "x.png")),
        ("/a/attachments/t/..", None),
        ("/a/attachments/../x", None),
        ("/a/attachments/t/sub/x", None),
        ("/a/attachments/t/x.txt:stream", None),
        ("/a/attachments/CON/x", None),
        ("/a/attachments/t/", None),
        ("/etc/passwd", None),
    ],
)
def test_a_path_of_a_post_names_a_topic_and_a_plain_file_or_nothing(path: str, found: tuple[str, str] | None) -> None:
    assert stored_file(path) == found
