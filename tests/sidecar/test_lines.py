"""Lines out of bytes, wherever the pieces are cut."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from sidecar.lines import LineReader


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(ends)]


@given(
    st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"").rstrip(b"\r"))),
    st.lists(st.integers(0, 500)),
)
def test_lines_are_the_same_however_the_bytes_are_cut(lines: list[bytes], places: list[int]) -> None:
    reader = LineReader()
    found = [line for piece in cut(b"".join(line + b"\r\n" for line in lines), places) for line in reader.feed(piece)]
    assert found == lines
    assert reader.rest() == []


@given(st.lists(st.integers(0, 9), max_size=30), st.lists(st.integers(0, 500)))
def test_a_line_over_the_limit_is_gone_and_its_neighbours_stay(sizes: list[int], places: list[int]) -> None:
    reader = LineReader(limit=5)
    found = [line for piece in cut(b"".join(b"x" * n + b"\n" for n in sizes), places) for line in reader.feed(piece)]
    assert found == [b"x" * size if size <= 5 else None for size in sizes]


def test_what_is_left_at_the_end_is_a_line_too() -> None:
    reader = LineReader()
    assert reader.feed(b"one\ntwo") == [b"one"]
    assert reader.rest() == [b"two"]


def test_an_endless_line_takes_no_memory() -> None:
    reader = LineReader(limit=1000)
    for _ in range(100):
        assert reader.feed(b"x" * 500) == []
    assert len(reader._partial) <= 1500
    assert reader.feed(b"\nnext\n") == [None, b"next"]
