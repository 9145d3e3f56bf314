"""Log rows: written whole, read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.post import Post
from pullcept.core.row import RowError, parse_row, row_line
from pullcept.core.text import whole_text

ANY_TEXT = st.text(st.characters(categories=None))
POSTS = st.builds(
    Post,
    message_id=ANY_TEXT.filter(bool),
    speaker=ANY_TEXT,
    content=ANY_TEXT,
    ts=ANY_TEXT,
    full_name=st.none() | ANY_TEXT,
    account=st.none() | ANY_TEXT,
    to=st.lists(ANY_TEXT, max_size=3).map(tuple),
)
GOOD = '{"message_id":"m1","speaker":"Lin","content":"hi","ts":"2026-10-02T00:00:00Z"}'


@given(POSTS)
def test_a_row_comes_back_as_it_was_said(post: Post) -> None:
    line = row_line(post)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    back = parse_row(line)
    assert (back.message_id, back.content) == (whole_text(post.message_id), whole_text(post.content))
    assert back.to == tuple(whole_text(name) for name in post.to)
    assert parse_row(row_line(back)) == back


def test_absent_keys_are_left_out_in_the_order_of_the_shape() -> None:
    assert row_line(Post("m1", "Lin", "hi", "t", hue=20, role="admin")) == (
        b'{"message_id":"m1","speaker":"Lin","content":"hi","ts":"t"}\n'
    )
    full = Post("m1", "Lin", "hi", "t", full_name="Claude", account="a", from_app=True, to=("Lay",), role="app")
    assert list(json.loads(row_line(full))) == [
        *("message_id", "speaker", "full_name", "account", "from_app", "content", "to", "ts")
    ]
    assert parse_row(row_line(full)) == full


def test_one_addressee_of_an_older_row_is_a_list_of_one() -> None:
    assert parse_row(b'{"message_id":"1","speaker":"a","content":"b","ts":"c","to":"Lin"}').to == ("Lin",)
    assert parse_row(b'{"message_id":"1","speaker":"a","content":"b","ts":"c","to":""}').to == ()


def test_unknown_keys_null_and_a_byte_order_mark_do_not_hide_a_row() -> None:
    line = b'\xef\xbb\xbf{"message_id":"1","speaker":"a","content":"b","ts":"c","to":null,"account":null,"new":[1]}\r'
    assert parse_row(line) == Post("1", "a", "b", "c")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        GOOD[:-1].encode(),
        GOOD.encode() + b"}",
        b"\0" * 4096,
        GOOD.encode().replace(b"hi", b"\xe6\x97"),
        GOOD.encode().replace(b"hi", b"a\nb"),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        GOOD.replace('"hi"', "9" * 5000).encode(),
        GOOD.replace('"hi"', "NaN").encode(),
        GOOD.replace('"hi"', "1e999").encode(),
        GOOD.replace('"hi"', "null").encode(),
        GOOD.replace('"m1"', '""').encode(),
        GOOD.replace('"ts"', '"time"').encode(),
        b"[]",
        b"null",
        b'"text"',
        GOOD.replace("}", ',"to":[1]}').encode(),
        GOOD.replace("}", ',"to":{}}').encode(),
        GOOD.replace("}", ',"from_app":1}').encode(),
        GOOD.replace("}", ',"full_name":[]}').encode(),
    ],
)
def test_what_is_no_row_is_refused(line: bytes) -> None:
    with pytest.raises(RowError):
        parse_row(line)


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:\\u0019eE-.ntrf', max_size=60).map(str.encode))
def test_any_bytes_are_a_row_or_a_row_error(line: bytes) -> None:
    try:
        assert parse_row(line).message_id
    except RowError:
        pass


@given(POSTS, st.data())
def test_a_torn_row_is_never_another_row(post: Post, data: st.DataObject) -> None:
    line = row_line(post)
    with pytest.raises(RowError):
        parse_row(line[: data.draw(st.integers(0, len(line) - 2))])
