"""Bytes of the pane read as strokes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.keystrokes import KeyReader, Keystroke, Stroke


def strokes(*writes: bytes) -> list[Keystroke]:
    reader = KeyReader()
    return [stroke for write in writes for stroke in reader.read(write)]


def only(write: bytes) -> Keystroke:
    (stroke,) = strokes(write)
    return stroke


@pytest.mark.parametrize(
    ("write", "stroke"),
    [
        (b"\r", Stroke.ENTER),
        (b"\x1b[13u", Stroke.ENTER),
        (b"\x7f", Stroke.BACKSPACE),
        (b"\x08", Stroke.BACKSPACE),
        (b"\x1b[127u", Stroke.BACKSPACE),
        (b"\x1b[127;2u", Stroke.BACKSPACE),
        (b"\x17", Stroke.WORD_BACK),
        (b"\x1b[119;5u", Stroke.WORD_BACK),
        (b"\x15", Stroke.LINE_BACK),
        (b"\x1b[117;5u", Stroke.LINE_BACK),
        (b"\x03", Stroke.INTERRUPT),
        (b"\x1b[99;5u", Stroke.INTERRUPT),
        (b"\x1b[99;5:1u", Stroke.INTERRUPT),
        (b"\x1b[99;69u", Stroke.INTERRUPT),
        (b"\x1b[27;5;99~", Stroke.INTERRUPT),
        (b"\x1b", Stroke.ESCAPE),
        (b"\x1b[27u", Stroke.ESCAPE),
        (b"\x1b[27;1u", Stroke.ESCAPE),
        (b"\x1b[A", Stroke.RECALL),
        (b"\x1b[B", Stroke.RECALL),
        (b"\x1bOA", Stroke.RECALL),
        (b"\x1b[1;1:1A", Stroke.RECALL),
        (b"\x1b[1;3A", Stroke.RECALL),
        (b"\x12", Stroke.RECALL),
        (b"\x1b[114;5u", Stroke.RECALL),
        (b"\x19", Stroke.RECALL),
        (b"\t", Stroke.RECALL),
        (b"\x13", Stroke.STASH),
        (b"\x1b[D", Stroke.MOVE),
        (b"\x1bOC", Stroke.MOVE),
        (b"\x1b[H", Stroke.MOVE),
        (b"\x1b[4~", Stroke.MOVE),
        (b"\x01", Stroke.MOVE),
    ],
)
def test_a_key_alone_in_its_write_is_that_key(write: bytes, stroke: Stroke) -> None:
    assert only(write) == Keystroke(stroke)


@pytest.mark.parametrize(
    "write",
    [
        b"\x1b[I",
        b"\x1b[O",
        b"\x1b[<35;10;20M",
        b"\x1b[<0;1;1m",
        b"\x1b[M !!",
        b"\x1b[M\x20\xff\x7f",
        b"\x1b[Z",
        b"\x1b[9;2u",
        b"\x1b[99;5:3u",
        b"\x1b[1;1:3A",
        b"\x1b[5~",
        b"\x1b[3~",
        b"\x1b[15~",
        b"\x1bOP",
        b"\x1b[?62;22c",
        b"\x1b]11;rgb:0/0/0\x07",
        b"\x1b[57358u",
        b"\x1bp",
        b"\x1b[112;3u",
        b"\x0c",
        b"\x1b[201~",
        b"\x1bP1$r0m\x1b\\",
    ],
)
def test_reports_and_other_sequences_are_nothing(write: bytes) -> None:
    assert {stroke.stroke for stroke in strokes(write)} <= {Stroke.NOTHING}


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (b"a", "a"),
        ("日本語".encode(), "日本語"),
        (b"\n", "\n"),
        (b"\x1b\r", "\n"),
        (b"\x1b[13;2u", "\n"),
        (b"\x1b[27;2;13~", "\n"),
        (b"\x1b[97u", "a"),
        (b"\x1b[97:65;2u", "A"),
        (b"\x1b[97;2;65u", "A"),
        (b"\x1b[57400u", "1"),
        (b"abc\r", "abc\n"),
        (b"a\rb\r\nc", "a\nb\nc"),
        (b"a\x7f\x03\x15b", "ab"),
        (b"a\x00\x1fb"[:2] + b"b", "ab"),
    ],
)
def test_everything_else_is_text(write: bytes, text: str) -> None:
    assert only(write) == Keystroke(Stroke.TEXT, text)


def test_keys_that_remove_count_only_alone() -> None:
    assert strokes(b"ab\x1b[99;5u") == [Keystroke(Stroke.TEXT, "ab")]
    assert strokes(b"\r\r") == [Keystroke(Stroke.TEXT, "\n\n")]


def test_recall_counts_inside_a_chunk_too() -> None:
    assert [each.stroke for each in strokes(b"ab\x1b[A")] == [Stroke.TEXT, Stroke.RECALL]
    assert Stroke.RECALL in [each.stroke for each in strokes(b"ab\x19c")]


def test_a_bracketed_paste_is_one_stroke_without_keys() -> None:
    assert strokes(b"\x1b[200~a\r\nb\x03\x1b[c\x1b[201~") == [Keystroke(Stroke.PASTE, "a\nb[c")]


@pytest.mark.parametrize("cut", range(1, len("\x1b[200~あ👍\x1b[201~".encode())))
def test_a_paste_cut_anywhere_stays_one(cut: int) -> None:
    whole = "\x1b[200~あ👍\x1b[201~".encode()
    if cut < len(b"\x1b[200~"):
        return
    reader = KeyReader()
    first = reader.read(whole[:cut])
    assert reader.is_open
    assert (*first, *reader.read(whole[cut:])) == (Keystroke(Stroke.PASTE, "あ👍"),)
    assert not reader.is_open


def test_a_character_cut_between_two_writes_is_open_until_it_is_whole() -> None:
    reader = KeyReader()
    data = "漢".encode()
    assert reader.read(data[:2]) == ()
    assert reader.is_open
    assert reader.read(data[2:]) == (Keystroke(Stroke.TEXT, "漢"),)
    assert not reader.is_open


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_make_it_raise_or_yield_control_characters(writes: list[bytes]) -> None:
    for stroke in strokes(*writes):
        assert not any(ord(char) < 32 and char not in "\n\t" for char in stroke.text)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=50))
def test_text_without_controls_comes_through_unchanged(text: str) -> None:
    assert strokes(text.encode()) == [Keystroke(Stroke.TEXT, text)]
    assert strokes(b"\x1b[200~" + text.encode() + b"\x1b[201~") == [Keystroke(Stroke.PASTE, text)]
