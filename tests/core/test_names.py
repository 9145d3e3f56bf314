"""Names: what is removed on input, what is refused, which name is called."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.names import MAX_NAME_UNITS, NameRefused, calling_name, check_name, clean_name
from pullcept.core.text import utf16_units


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Lin\u3000", "Lin"),
        ("Li\u200bn", "Lin"),
        ("\u202eniL", "niL"),
        ("\u2066Lin\u2069", "Lin"),
        ("Lin\x00\x1b\x7f\x85", "Lin"),
        ("\ufeffLin\u00ad", "Lin"),
        ("Lin\u2028\u2029", "Lin"),
        ("葛\U000e0100城", "葛\U000e0100城"),
        ("Claude Lay", "Claude Lay"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_control_bidi_and_zero_width_characters_are_removed(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept


def test_64_utf16_units_are_allowed_and_65_refused() -> None:
    assert check_name("🚀" * 32) == "🚀" * 32
    with pytest.raises(NameRefused, match="64"):
        check_name("🚀" * 32 + "a")


@pytest.mark.parametrize("text", ["", "  ", "\u200b\u202e", "\x00"])
def test_a_name_of_nothing_visible_is_refused(text: str) -> None:
    with pytest.raises(NameRefused, match="empty"):
        check_name(text)


@pytest.mark.parametrize("char", ["a", "\u200b"])
def test_a_name_of_millions_of_characters_is_refused_unread(char: str) -> None:
    started = time.process_time()
    with pytest.raises(NameRefused):
        check_name(char * 16_000_000)
    assert time.process_time() - started < 0.2


def test_what_nobody_sees_behind_a_name_counts_only_when_it_is_absurdly_long() -> None:
    assert check_name("Lin" + "\u200b" * 4000) == "Lin"
    with pytest.raises(NameRefused, match="longer"):
        check_name("Lin" + "\u200b" * 5000)


@given(st.text(st.characters(categories=None), max_size=80))
def test_a_checked_name_is_clean_and_short_and_stays_as_it_is(text: str) -> None:
    try:
        name = check_name(text)
    except NameRefused:
        return
    assert 0 < utf16_units(name) <= MAX_NAME_UNITS
    assert check_name(name) == name
    assert "\n" not in name


def test_the_nickname_is_called_and_the_name_only_without_one() -> None:
    assert calling_name("Claude Code", " Lin ") == "Lin"
    assert calling_name("Claude Code", "  ") == "Claude Code"
    assert calling_name(" Claude Code ", None) == "Claude Code"
