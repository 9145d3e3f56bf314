"""Small facts about text."""

from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.text import is_blank, utf16_units, whole_text

ANY_TEXT = st.text(st.characters(categories=None))


def test_a_lone_surrogate_is_replaced() -> None:
    assert whole_text("a\ud83db") == "a\ufffdb"
    assert whole_text("\ude80") == "\ufffd"


def test_two_halves_of_an_emoji_are_joined() -> None:
    assert whole_text("\ud83d\ude80") == "🚀"


def test_the_last_code_point_stays() -> None:
    assert whole_text("\U0010ffff") == "\U0010ffff"


@given(ANY_TEXT)
def test_whole_text_always_encodes_and_is_stable(text: str) -> None:
    whole = whole_text(text)
    assert whole.encode("utf-8").decode("utf-8") == whole
    assert whole_text(whole) == whole


def test_an_emoji_counts_two_units() -> None:
    assert utf16_units("a🚀") == 3


def test_invisible_text_is_blank() -> None:
    assert is_blank("")
    assert is_blank(" \t\n\u3000\u200b\u202e\x1b\ufeff\u2800")
    assert not is_blank("\u200b.\n")
