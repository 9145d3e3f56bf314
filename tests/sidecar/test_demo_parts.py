"""The demo agent's parts: keys, drawing, and what it makes of a post."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.post import Post, Role
from pullcept.core.tag import tag_line
from sidecar.demo.box import Box, width, wrap
from sidecar.demo.keys import Key, KeyReader, Text
from sidecar.demo.mind import answer_to, parse_post, wants_answer

_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)


def read(*pieces: bytes) -> list[Text | Key]:
    reader = KeyReader()
    return [key for piece in pieces for key in reader.feed(piece)]


def joined(keys: list[Text | Key]) -> str:
    return "".join(key.text if isinstance(key, Text) else f"<{key.char!r}>" for key in keys)


@given(_text, _text, st.lists(st.integers(0, 300)))
def test_typed_and_pasted_text_arrive_whole_wherever_the_bytes_are_cut(
    typed: str, pasted: str, places: list[int]
) -> None:
    data = f"{typed}\x1b[A\x1b[200~{pasted}\rx\x1b[201~\r".encode()
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    keys = read(*(data[start:end] for start, end in itertools.pairwise(ends)))
    assert joined(keys) == f"{typed}{pasted}\nx<'\\r'>"


def test_an_enter_inside_a_paste_does_not_send() -> None:
    assert read(b"\x1b[200~a\rb\x1b[201~") == [Text("a\nb")]


def test_keys_of_a_terminal_that_mean_nothing_here_are_left_out() -> None:
    assert read(b"\x1b[1;5C\x1bOP\x1bx\x1b[I", b"a") == [Text("a")]


@given(st.lists(st.binary(max_size=40)))
def test_no_bytes_break_the_reader(pieces: list[bytes]) -> None:
    read(*pieces)


@given(_text, st.integers(2, 30))
def test_rows_are_never_wider_than_the_terminal_and_lose_nothing(line: str, columns: int) -> None:
    rows = wrap(line, columns)
    assert "".join(rows) == line
    assert all(width(row) <= columns for row in rows)


@given(st.text(max_size=200), st.text(max_size=200), st.integers(1, 100))
def test_every_row_of_the_box_fits(added: str, typed: str, columns: int) -> None:
    box = Box("Demo agent \u65e5\u672c", columns, 24)
    drawn = box.start() + box.add(added) + box.show_typed(typed) + box.resize(columns + 7, 10) + box.end()
    rows = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn).split("\r\n")
    assert all(width(row.rpartition("\r")[2]) <= max(20, columns + 7) for row in rows)


def typed_post(role: Role = "admin", to: tuple[str, ...] = (), you: str | None = "Ada", body: str = "hello") -> str:
    post = Post("m-1", "Person", body, "2026-11-30T01:00:00Z", role=role, to=to)
    return f"{tag_line(post, local_at=None, you=you if to else None)}\n{body}"


@pytest.mark.parametrize(
    ("role", "to", "you", "expected"),
    [
        ("admin", (), None, True),
        ("admin", ("Ada",), "Ada", True),
        ("admin", ("Ben",), "Ada", False),
        ("admin", ("Ben", "Ada"), "Ada", True),
        ("admin", ("Renamed",), "Renamed", True),
        ("cli", (), None, False),
        ("cli", ("Ada",), "Ada", True),
        ("unknown", ("Ada",), "Ada", True),
        ("app", ("Ada",), "Ada", False),
        ("mcp", (), None, False),
    ],
)
def test_who_is_answered(role: Role, to: tuple[str, ...], you: str | None, expected: bool) -> None:
    heard = parse_post(typed_post(role, to, you))
    assert heard is not None
    assert wants_answer(heard, "Ada") is expected


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "[pullcept] nonsense",
        "[pullcept] {}",
        '[pullcept] {"role":1,"from":2,"message_id":3}',
        ' [pullcept] {"role":"admin"}',
        "[pullcept] " + "[" * 100_000,
    ],
)
def test_what_has_no_tag_was_typed_by_a_person(text: str) -> None:
    assert parse_post(text) is None


def test_an_answer_never_addresses_anybody() -> None:
    heard = parse_post(typed_post(body="ask @Ben and \uff20Cy, please"))
    assert heard is not None
    assert "@" not in answer_to(heard, "A@da")
    assert "\uff20" not in answer_to(heard, "Ada")


def test_an_answer_has_the_language_of_the_post_and_quotes_its_beginning() -> None:
    english, japanese = parse_post(typed_post(body="long " * 100)), parse_post(typed_post(body="こんにちは"))
    assert english is not None
    assert japanese is not None
    assert answer_to(english, "Ada").startswith('Hello Person, I heard "long long')
    assert len(answer_to(english, "Ada")) < 200
    assert "こんにちは" in answer_to(japanese, "Ada")
    assert answer_to(japanese, "Ada").endswith("デモ用のAdaです。")
