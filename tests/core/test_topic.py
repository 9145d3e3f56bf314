"""Topics: ids that are plain file names, titles made once, and an index that keeps what it does not know."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.topic import (
    TopicEntry,
    TopicIdError,
    TopicIndex,
    TopicIndexError,
    UnknownTopic,
    check_topic_id,
    index_object,
    parse_index,
    time_of,
    title_of,
)

HERE, THERE = "host-here", "host-there"


@pytest.mark.parametrize(
    "text", ["3f2c9a10-1111-4222-8333-444455556666", "話題 1", "a.b", "index", "🚀", "CONSOLE", "com10"]
)
def test_a_plain_file_name_is_a_topic_id(text: str) -> None:
    assert check_topic_id(text) == text


@pytest.mark.parametrize(
    "text",
    ["", ".", "..", "a/b", "a\\b", "C:x", "a:b", "CON", "con.x", "nul", "COM1", "lpt9.a.b", "COM¹", "aux .x", "a.",
     "a ", " a", "a\nb", "a\0", "a\x7f", "a*", "a?", 'a"', "a|b", "<a>", "x" * 201, "話" * 67, "\ud800", "\u202ea"],
)  # fmt: skip
def test_anything_else_is_not(text: str) -> None:
    with pytest.raises(TopicIdError):
        check_topic_id(text)


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("hello", "hello"),
        ("  a \n\n b\tc　d ", "a b c d"),
        ("x" * 41, "x" * 40),
        ("x" * 39 + " y", "x" * 39),
        ("ok\u202e\x1b[31m\u200b", "ok[31m"),
        ("👨‍👩‍👧 family", "👨‍👩‍👧 family"),
        ("a\ud800b", "a\ufffdb"),
        (" \n", ""),
    ],
)
def test_a_title_is_one_short_line(content: str, title: str) -> None:
    assert title_of(content) == title


@given(st.text(st.characters(exclude_categories=())))
def test_a_title_can_always_be_written_and_is_its_own_title(content: str) -> None:
    title = title_of(content)
    title.encode("utf-8")
    assert len(title) <= 40
    assert title_of(title) == title


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z"),
        ("2026-01-01T09:00:00+09:00", "2026-01-01T00:00:01Z"),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:01+00:00"),
        ("", "1999-01-01"),
        ("nonsense", "2026-01-01"),
        ("2026-13-01T00:00Z", "2026-01-01"),
    ],
)
def test_times_are_ordered_across_their_forms(earlier: str, later: str) -> None:
    assert time_of(earlier) < time_of(later)


def test_the_index_of_an_earlier_data_folder_is_read() -> None:
    index = parse_index(
        {"topics": [{"topic_id": "t", "title": "Plan", "created_at": "2026-09-01T00:00:00Z", "sessions": {"a": "c1"}}]}
    )
    assert index.find("t") == index.entries[0]
    assert (index.entries[0].title, index.entries[0].sessions) == ("Plan", {"a": "c1"})
    assert index.entries[0].conversation("a", HERE) == "c1"


def test_a_written_index_equals_what_was_read_where_nothing_changed() -> None:
    obj = {
        "version": 3,
        "topics": [
            {
                "topic_id": "t",
                "title": "  odd  title ",
                "created_at": 1_790_000_000_000,
                "sessions": None,
                "pin": True,
                "hosts": ["other"],
            },
            "rubbish",
            {"topic_id": "../x", "title": "bad id"},
            {"topic_id": "t", "title": "again"},
        ],
        "future": [1],
    }
    index = parse_index(obj)
    assert [entry.topic_id for entry in index.entries] == ["t"]
    assert index.entries[0].created_at.startswith("2026-09-21T")
    assert index_object(index) == obj


def test_unknown_keys_survive_a_change() -> None:
    obj = {"topics": [{"topic_id": "t", "title": "a", "pin": True, "created_at": 5}], "x": 1}
    written = index_object(parse_index(obj).rename("t", " by  hand "))
    assert written == {"topics": [{"topic_id": "t", "title": "by hand", "pin": True, "created_at": 5}], "x": 1}


@pytest.mark.parametrize("obj", [None, [], 1, {"topics": {}}, {"topics": "x"}])
def test_another_shape_is_no_index(obj: object) -> None:
    with pytest.raises(TopicIndexError):
        parse_index(obj)


@pytest.mark.parametrize("value", [True, None, [], float("inf"), float("nan"), 10**400, -(10**20)])
def test_a_strange_creation_time_is_no_time(value: object) -> None:
    assert parse_index({"topics": [{"topic_id": "t", "created_at": value}]}).entries[0].created_at == ""


def test_the_first_post_makes_entry_and_title() -> None:
    entry = TopicIndex().first_post("t", "Hello  there", "2026-01-01T00:00:00Z").entries[0]
    assert (entry.title, entry.created_at) == ("Hello there", "2026-01-01T00:00:00Z")


def test_a_title_is_made_once_and_never_replaces_one_given_by_hand() -> None:
    index = TopicIndex().first_post("t", "first", "1").first_post("t", "second", "2")
    assert index.entries[0].title == "first"
    assert index.rename("t", "mine").first_post("t", "third", "3").entries[0].title == "mine"


def test_a_started_session_makes_an_untitled_entry_that_the_first_post_names() -> None:
    index = TopicIndex().session_started("t", "2026-01-01T00:00:00Z")
    assert index.entries[0].title == ""
    named = index.first_post("t", "said", "2026-01-02T00:00:00Z").entries[0]
    assert (named.title, named.created_at) == ("said", "2026-01-01T00:00:00Z")


def test_a_conversation_is_recorded_with_its_computer() -> None:
    index = TopicIndex().record_conversation("t", "a", "c1", HERE, "now")
    assert index_object(index)["topics"] == [
        {"topic_id": "t", "title": "", "created_at": "now", "sessions": {"a": "c1"}, "hosts": {"a": {HERE: "c1"}}}
    ]


def test_another_computer_starts_fresh_and_keeps_this_ones_record() -> None:
    index = TopicIndex().record_conversation("t", "a", "c1", HERE, "now")
    entry = index.entries[0]
    assert entry.conversation("a", THERE) is None
    assert entry.conversation_elsewhere("a", THERE)
    assert not entry.conversation_elsewhere("a", HERE)
    both = index.record_conversation("t", "a", "c2", THERE, "now").entries[0]
    assert (both.conversation("a", HERE), both.conversation("a", THERE)) == ("c1", "c2")


def test_a_drop_takes_only_this_computers_record() -> None:
    index = (
        TopicIndex().record_conversation("t", "a", "c1", HERE, "now").record_conversation("t", "a", "c2", THERE, "n")
    )
    entry = index.drop_conversation("t", "a", "c2", THERE).entries[0]
    assert (entry.conversation("a", HERE), entry.conversation("a", THERE)) == ("c1", None)
    assert entry.sessions == {"a": "c1"}
    assert index.drop_conversation("t", "a", "c1", THERE) == index


def test_a_drop_takes_only_the_named_conversation() -> None:
    index = TopicIndex().record_conversation("t", "a", "new", HERE, "now")
    assert index.drop_conversation("t", "a", "old", HERE) is index
    assert index.drop_conversation("none", "a", "new", HERE) is index
    assert index.drop_conversation("t", "a", "new", HERE).entries[0].conversation("a", HERE) is None


def test_a_record_without_a_computer_counts_as_this_ones_and_can_be_dropped() -> None:
    index = parse_index({"topics": [{"topic_id": "t", "sessions": {"a": "c1", "b": "c2"}}]})
    dropped = index.drop_conversation("t", "a", "c1", HERE)
    assert index_object(dropped)["topics"][0]["sessions"] == {"b": "c2"}


def test_a_conversation_recorded_by_an_earlier_version_later_goes_before_ours() -> None:
    entry = TopicEntry("t", sessions={"a": "newer"}, hosts={"a": {HERE: "c1"}})
    assert entry.conversation("a", HERE) == "newer"


def test_dropping_the_last_record_leaves_no_trace_in_the_file() -> None:
    index = parse_index(index_object(TopicIndex().record_conversation("t", "a", "c1", HERE, "now")))
    written: dict[str, Any] = index_object(index.drop_conversation("t", "a", "c1", HERE))["topics"][0]
    assert written == {"topic_id": "t", "title": "", "created_at": "now", "sessions": {}}


def test_rename_needs_an_entry_and_delete_does_not() -> None:
    with pytest.raises(UnknownTopic):
        TopicIndex().rename("t", "x")
    assert TopicIndex().delete("t") == TopicIndex()
    assert TopicIndex().session_started("t", "1").delete("t").entries == ()


def test_adoption_keeps_an_entry_that_is_there() -> None:
    index = TopicIndex().adopt("t", "one", "1")
    assert index.adopt("t", "two", "2") is index


def test_no_bad_id_gets_an_entry() -> None:
    with pytest.raises(TopicIdError):
        TopicIndex().session_started("../x", "1")
