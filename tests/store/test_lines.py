"""Lines in blocks: every cut of a file gives the same lines, from both ends."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.store import lines
from pullcept.store.lines import lines_backward, lines_forward


def expected(data: bytes) -> list[tuple[int, bytes | None]]:
    """Offset and bytes of each line; nothing behind the last LF is no line."""
    found: list[tuple[int, bytes | None]] = []
    offset = 0
    for piece in data.split(b"\n"):
        found.append((offset, piece))
        offset += len(piece) + 1
    return found[:-1] if found[-1][1] == b"" else found


@given(st.binary(max_size=60) | st.text("a\n", max_size=60).map(str.encode), st.integers(1, 9))
def test_any_block_size_gives_the_same_lines_from_both_ends(data: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        patch.setattr(lines, "LARGE_BLOCK", block)
        assert list(lines_forward(io.BytesIO(data), 0, len(data))) == expected(data)
        assert list(lines_backward(io.BytesIO(data), len(data)))[::-1] == expected(data)


@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"")), min_size=1, max_size=8), st.data())
def test_reading_may_begin_at_any_line(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(piece + b"\n" for piece in pieces)
    rows = expected(whole)
    number = data.draw(st.integers(0, len(rows) - 1))
    offset = rows[number][0]
    assert list(lines_forward(io.BytesIO(whole), offset, len(whole))) == rows[number:]
    assert list(lines_backward(io.BytesIO(whole), offset))[::-1] == rows[:number]


def test_a_line_over_the_limit_is_given_without_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 10)
    monkeypatch.setattr(lines, "BLOCK", 4)
    monkeypatch.setattr(lines, "LARGE_BLOCK", 4)
    data = b"short\n" + b"x" * 11 + b"\nten bytes!\n"
    rows = [(0, b"short"), (6, None), (18, b"ten bytes!")]
    assert list(lines_forward(io.BytesIO(data), 0, len(data))) == rows
    assert list(lines_backward(io.BytesIO(data), len(data)))[::-1] == rows


def test_a_file_that_became_shorter_ends_the_reading() -> None:
    assert list(lines_backward(io.BytesIO(b"a\n"), 50)) == []
    assert list(lines_forward(io.BytesIO(b"a\nb"), 0, 50)) == [(0, b"a"), (2, b"b")]
