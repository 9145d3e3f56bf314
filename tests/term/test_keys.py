"""Key events of Tk become the bytes programs expect, on each system."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.term.core import TerminalCore

SHIFT, CONTROL, ALT_X11, ALT_WINDOWS = 0x1, 0x4, 0x8, 0x20000


@pytest.mark.parametrize(
    ("keysym", "char", "state", "sent"),
    [
        ("a", "a", 0, b"a"),
        ("A", "A", SHIFT, b"A"),
        ("Return", "\r", 0, b"\r"),
        ("KP_Enter", "\r", 0, b"\r"),
        ("BackSpace", "\x08", 0, b"\x7f"),
        ("Tab", "\t", 0, b"\t"),
        ("ISO_Left_Tab", "", SHIFT, b"\x1b[Z"),
        ("Escape", "\x1b", 0, b"\x1b"),
        ("c", "\x03", CONTROL, b"\x03"),
        ("C", "\x03", CONTROL | SHIFT, b"\x1b[99;6u"),
        ("d", "\x04", CONTROL, b"\x04"),
        ("j", "\n", CONTROL, b"\n"),
        ("bracketleft", "\x1b", CONTROL, b"\x1b"),
        ("backslash", "\x1c", CONTROL, b"\x1c"),
        ("space", "", CONTROL, b"\x00"),
        ("space", " ", 0, b" "),
        ("Up", "", 0, b"\x1b[A"),
        ("Left", "", CONTROL, b"\x1b[1;5D"),
        ("Prior", "", 0, b"\x1b[5~"),
        ("Delete", "\x7f", 0, b"\x1b[3~"),
        ("F5", "", 0, b"\x1b[15~"),
        ("b", "b", ALT_X11, b"\x1bb"),
        ("KP_7", "7", 0x10, b"7"),
        ("KP_Add", "+", 0x10, b"+"),
        ("at", "@", SHIFT, b"@"),
        ("eacute", "é", 0, "é".encode()),
        ("Cyrillic_es", "с", 0, "с".encode()),
        ("Cyrillic_es", "\x03", CONTROL, b"\x03"),
        ("??", "漢字", 0, "漢字".encode()),
        ("", "👨‍👩‍👧", 0, "👨‍👩‍👧".encode()),
        ("Shift_L", "", 0, b""),
        ("Caps_Lock", "", 0, b""),
        ("Henkan_Mode", "", 0, b""),
        ("b", "\ud83d", 0, b"b"),
    ],
)
def test_keys_on_x11(keysym: str, char: str, state: int, sent: bytes) -> None:
    assert TerminalCore(20, 5, platform="linux").encode_key(keysym, char, state) == sent


@pytest.mark.parametrize(
    ("platform", "keysym", "char", "state", "sent"),
    [
        ("win32", "q", "@", CONTROL | ALT_WINDOWS, b"@"),
        ("win32", "c", "\x03", CONTROL, b"\x03"),
        ("win32", "b", "b", ALT_WINDOWS, b"\x1bb"),
        ("win32", "a", "a", 0x8, b"a"),
        ("darwin", "aring", "å", 0x10, "å".encode()),
        ("darwin", "b", "b", 0x10, b"\x1bb"),
        ("darwin", "c", "\x03", CONTROL, b"\x03"),
    ],
)
def test_modifiers_differ_between_systems(platform: str, keysym: str, char: str, state: int, sent: bytes) -> None:
    assert TerminalCore(20, 5, platform=platform).encode_key(keysym, char, state) == sent


def test_arrows_follow_the_mode_of_the_program() -> None:
    screen = TerminalCore(20, 5)
    screen.feed(b"\x1b[?1h")
    assert screen.encode_key("Up", "", 0) == b"\x1bOA"


def test_the_enhanced_keyboard_is_spoken_when_asked_for() -> None:
    screen = TerminalCore(20, 5)
    screen.feed(b"\x1b[>1u")
    assert screen.encode_key("Escape", "\x1b", 0) == b"\x1b[27u"
    assert screen.encode_key("q", "q", 0) == b"q"


keysyms = st.one_of(
    st.sampled_from(["a", "Return", "Up", "F25", "space", "??", "", "KP_7", "İ", "ß"]), st.text(max_size=3)
)


@given(keysyms, st.text(max_size=4), st.integers(0, 2**20), st.sampled_from([b"", b"\x1b[>31u", b"\x1b[>4;2m"]))
def test_no_key_event_whatever_it_holds_is_an_error(keysym: str, char: str, state: int, modes: bytes) -> None:
    for platform in ("linux", "win32", "darwin"):
        screen = TerminalCore(20, 5, platform=platform)
        screen.feed(modes)
        assert isinstance(screen.encode_key(keysym, char, state), bytes)
