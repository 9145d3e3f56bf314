"""Grapheme clusters: one Backspace each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.grapheme import clusters, last_cluster

ANY_TEXT = st.text(st.characters(categories=None), max_size=60)


@pytest.mark.parametrize(
    "cluster",
    [
        "a",
        "é",
        "e\u0301",
        "日",
        "が",
        "か\u3099",
        "ｶﾞ",
        "👍🏽",
        "👨‍👩‍👧‍👦",
        "❤️",
        "🏳️‍🌈",
        "🇯🇵",
        "1️⃣",
        "각",
        "\u1100\u1161\u11a8",
        "ก็",
        "நி",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\n",
        "\u200b",
        "\r\n",
    ],
)
def test_what_a_reader_sees_as_one_character_is_one_cluster(cluster: str) -> None:
    assert clusters(cluster) == [cluster]
    assert clusters(f"x{cluster}x") == ["x", cluster, "x"]
    assert last_cluster(f"x{cluster}") == 1


def test_a_spacing_mark_stands_alone_where_clusters_are_not_extended() -> None:
    assert clusters("กำ", extended=False) == ["ก", "ำ"]
    assert clusters("षि", extended=False) == ["ष", "ि"]
    assert clusters("e\u0301ｶﾞ", extended=False) == ["e\u0301", "ｶﾞ"]


def test_two_flags_are_two_clusters() -> None:
    assert clusters("🇯🇵🇫🇷🇯") == ["🇯🇵", "🇫🇷", "🇯"]


def test_a_joiner_joins_pictures_only() -> None:
    assert clusters("a\u200db") == ["a\u200d", "b"]
    assert clusters("👨\u200dx") == ["👨\u200d", "x"]


def test_a_mark_does_not_join_a_line_end() -> None:
    assert clusters("a\n\u0301") == ["a", "\n", "\u0301"]


@given(ANY_TEXT)
def test_clusters_give_the_text_again_and_none_is_empty(text: str) -> None:
    found = clusters(text)
    assert "".join(found) == text
    assert all(found)


@given(ANY_TEXT)
def test_the_last_cluster_is_the_last_of_all_clusters(text: str) -> None:
    found = clusters(text)
    assert text[last_cluster(text) :] == (found[-1] if found else "")
