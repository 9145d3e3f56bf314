"""The screen of a terminal: pictures, replies, odd input, input bytes."""

import threading
from collections.abc import Callable

import evp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.term.core import Fed, TerminalCore
from pullcept.term.frame import TerminalFrame

VIM_LIKE = (
    "\x1b[?1049h\x1b[?2004h\x1b[1;24r\x1b[H\x1b[2J\x1b[38:2::10:20:30mcolour\x1b[0m\r\n漢字と👨‍👩‍👧\x1b[4:3mcurly\x1b[0m"
    "\x1b]0;a title\x07\x1bP+q544e\x1b\\\x1b_Gi=1;AAAA\x1b\\\x1b[6n\x1b[5;5Hthere\x1b[3 q"
).encode()


def core(columns: int = 20, rows: int = 6, **more: object) -> TerminalCore:
    return TerminalCore(columns, rows, **more)  # type: ignore[arg-type]


def lines(frame: TerminalFrame) -> list[str]:
    drawn = []
    for row in frame.rows:
        text, at = "", 0
        for run in row:
            text += " " * (run.column - at) + run.text
            at = run.column + run.width
        drawn.append(text.rstrip())
    return drawn


def shown(data: bytes | str, **more: object) -> list[str]:
    screen = core(**more)  # type: ignore[arg-type]
    screen.feed(data.encode() if isinstance(data, str) else data)
    return lines(screen.frame())


def test_the_same_bytes_cut_at_every_place_give_the_same_picture_and_replies() -> None:
    whole = core(40, 8)
    replies = whole.feed(VIM_LIKE).replies
    expected = whole.frame()
    for cut in range(len(VIM_LIKE)):
        screen = core(40, 8)
        first, second = screen.feed(VIM_LIKE[:cut]), screen.feed(VIM_LIKE[cut:])
        assert first.replies + second.replies == replies, cut
        frame = screen.frame()
        assert frame.rows == expected.rows, cut
        assert (frame.cursor, frame.title) == (expected.cursor, expected.title), cut


@pytest.mark.parametrize(
    ("query", "reply"),
    [
        (b"\x1b[6n", b"\x1b[1;1R"),
        (b"\x1b[5n", b"\x1b[0n"),
        (b"\x1b[c", b"\x1b[?62;22c"),
        (b"\x1b[>c", b"\x1b[>1;0;0c"),
        (b"\x1b[?u", b"\x1b[?0u"),
        (b"\x1b[>q", b"\x1bP>|libghostty\x1b\\"),
        (b"\x1b]11;?\x07", b"\x1b]11;rgb:1818/1818/1b1b\x07"),
        (b"\x1b]10;?\x1b\\", b"\x1b]10;rgb:e5e5/e5e5/e5e5\x1b\\"),
        (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
        (b"\x1b[?996n", b"\x1b[?997;1n"),
    ],
)
def test_questions_of_programs_are_answered(query: bytes, reply: bytes) -> None:
    assert core().feed(query).replies == reply


@pytest.mark.parametrize(
    "attack",
    [
        b"\x1b]52;c;cm0gLXJmIC8K\x07",
        b"\x1b]52;c\rid\r;?\x07",
        b"\x1b]52;c;?\x07",
        b"\x1b]0;rm -rf /\x07\x1b[21t",
        b"\x1b]2;\rid\r\x07\x1b[21t",
        b"\x1bP$q\rid\r\x1b\\",
        b"\x1bP+q6964\x1b\\",
        b"\x05",
    ],
)
def test_no_answer_carries_text_of_the_output(attack: bytes) -> None:
    assert core().feed(attack).replies == b""


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("\x1b[?1;2rOK", "OK"),
        ("\x1b[1;32'zOK", "OK"),
        ("\x1b[>4;2mOK", "OK"),
        ("\x1bP+q544e\x1b\\A", "A"),
        ("\x1b_Gi=1;AAAA\x1b\\B", "B"),
        ("\x1b[4:3mC\x1b[0m", "C"),
        ("\x1b[38:2::10:20:30mD", "D"),
        ("E\x1b[?1049hF\x1b[?1049lG", "EG"),
        ("\x1b]0;no end" + "x" * 100_000 + "\x07ok", "ok"),
        ("e\u0301x", "e\u0301x"),
    ],
)
def test_odd_sequences_leave_no_trace_on_the_screen(data: str, line: str) -> None:
    assert shown(data)[0] == line


def test_wide_characters_and_clusters_stand_in_their_cells() -> None:
    screen = core(20, 3)
    screen.feed("あ👨‍👩‍👧い🇯🇵x❤️yｶﾞ".encode())
    runs = screen.frame().rows[0]
    cells = {run.text: (run.column, run.width, run.cell_width) for run in runs}
    assert cells["👨‍👩‍👧"] == (2, 2, 2)
    assert cells["🇯🇵"] == (6, 2, 2)
    assert cells["x"] == (8, 1, 1)
    assert cells["❤️"] == (9, 2, 2)
    for run in runs:
        assert len(run.text) == 1 or len(run.text) * run.cell_width == run.width or len(run.text) > run.width // 2


def test_a_wide_character_that_does_not_fit_wraps_whole() -> None:
    assert shown("漢" * 41, columns=81, rows=3) == ["漢" * 40, "漢", ""]


def test_a_character_cut_between_two_pieces_is_one_character() -> None:
    screen = core()
    screen.feed(b"\xe6\x97")
    screen.feed(b"\xa5")
    assert lines(screen.frame())[0] == "日"


@pytest.mark.parametrize("reset", ["\x1bc", "\x1b[!p", "\x1b[?2027l"])
def test_clusters_stay_whole_after_a_reset_by_the_program(reset: str) -> None:
    data = f"{reset}👨‍👩‍👧x".encode()
    for cut in range(len(data)):
        screen = core()
        screen.feed(data[:cut])
        screen.feed(data[cut:])
        assert [(run.column, run.text) for run in screen.frame().rows[0]] == [(0, "👨‍👩‍👧"), (2, "x")]


SEQUENCES = [
    *(b"\x1b[%dm" % number for number in (0, 1, 31, 48)),
    *(b"\x1b[?%d%c" % (mode, end) for mode in (1049, 25, 2026, 2004, 7, 6) for end in b"hl"),
    *(
        b"\x1b[%s" % text
        for text in (b"H", b"2J", b"3;5H", b"K", b"2M", b"2L", b"6n", b"c", b"5 q", b"1;3r", b"!p", b"S")
    ),
    *(b"\x1b]0;title\x07", b"\x1b]52;c;?\x07", b"\x1b]11;?\x1b\\", b"\x1bPq\x1b\\", b"\x1b]8;;http://x\x07", b"\x1bc"),
    *("漢字", "👨‍👩‍👧", "🇯🇵", "e\u0301", "\r\n", "\t", "plain text ", "\b", "\x1b", "\x9b", "\u200d"),
    *(b"\xff", b"\xe6\x97", b"\x18", b"\x00", b"\x07", b"\x0e", b"\x1b(0"),
]
streams = st.lists(
    st.sampled_from([item.encode() if isinstance(item, str) else item for item in SEQUENCES]), max_size=25
).map(b"".join)


@given(streams, st.lists(st.integers(0, 200), max_size=6))
def test_any_stream_cut_anywhere_gives_the_same_picture_and_replies(data: bytes, cuts: list[int]) -> None:
    whole, screen = core(12, 5), core(12, 5)
    replies = whole.feed(data).replies
    got, at = b"", 0
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        got += screen.feed(data[at:cut]).replies
        at = cut
    assert got == replies
    whole.feed(b"\x1b[?2026l")
    screen.feed(b"\x1b[?2026l")
    expected, frame = whole.frame(), screen.frame()
    assert frame.rows == expected.rows
    assert (frame.cursor, frame.title) == (expected.cursor, expected.title)


def test_output_of_a_program_without_the_alternate_screen_stays_where_it_is_after_the_exit() -> None:
    screen = core()
    screen.feed(b"one\r\ntwo\r\nthree")
    before = lines(screen.frame())
    screen.on_exit()
    assert lines(screen.frame()) == before


def test_unchanged_rows_are_the_same_objects_and_changed_ones_are_told() -> None:
    screen = core()
    screen.feed(b"one\r\ntwo\r\nthree")
    before = screen.frame()
    screen.feed(b"\x1b[2;1HTWO")
    after = screen.frame()
    assert after.changed_rows(before) == [1]
    assert after.rows[0] is before.rows[0]
    assert before.changed_rows(None) == list(range(6))


def test_a_scrolled_row_stays_the_same_object() -> None:
    screen = core(20, 3)
    screen.feed(b"one\r\ntwo\r\nthree")
    before = screen.frame()
    screen.feed(b"\r\nfour")
    assert screen.frame().rows[0] is before.rows[1]


def test_styles_and_colours_come_unresolved() -> None:
    screen = core()
    screen.feed(b"\x1b[1;31mred\x1b[0m \x1b[48;2;1;2;3m \x1b[0m")
    red, blank = screen.frame().rows[0]
    assert (red.text, red.style.bold, red.style.foreground) == ("red", True, 1)
    assert (blank.column, blank.width, blank.style.background) == (4, 1, (1, 2, 3))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_synchronized_picture_is_held_back_until_it_is_complete_but_not_for_ever() -> None:
    clock = Clock()
    screen = core(clock=clock)
    screen.feed(b"old")
    old = screen.frame()
    screen.feed(b"\x1b[?2026h\x1b[2J\x1b[Hhalf")
    assert screen.frame() is old
    screen.feed(b" and whole\x1b[?2026l")
    assert lines(screen.frame())[0] == "half and whole"
    screen.feed(b"\x1b[?2026h\x1b[2J\x1b[Hstuck")
    assert lines(screen.frame())[0] == "half and whole"
    revision = screen.revision
    clock.now += 1
    assert screen.revision != revision, "the painter must learn that the hold is over"
    assert lines(screen.frame())[0] == "stuck"


def test_of_pictures_that_follow_each_other_closely_the_last_complete_one_is_shown() -> None:
    clock = Clock()
    screen = core(clock=clock)
    screen.frame()
    for number in range(20):
        clock.now += 0.05
        screen.feed(b"%d\x1b[?2026l\x1b[?2026h\x1b[2J\x1b[Hpicture " % number)
        assert lines(screen.frame())[0] == f"picture {number}" if number else "0"


def test_an_engine_failure_is_reported_and_the_screen_goes_on() -> None:
    screen = core()

    class Broken:
        def __getattr__(self, name: str) -> Callable[..., None]:
            raise RuntimeError("engine")

    screen._terminal = Broken()  # type: ignore[assignment]
    fed = screen.feed(b"lost")
    assert "RuntimeError" in fed.error
    assert screen.feed(b"after") == Fed()
    assert lines(screen.frame())[0] == "after"


def test_modes_a_dead_program_left_on_are_off_and_its_output_stays() -> None:
    screen = core()
    screen.feed(
        b"last words\r\n\x1b[?2004h\x1b[?1003h\x1b[>1u\x1b[?1049h\x1b[?1h\x1b[?25l\x1b]11;#ff0000\x07\x1b]0;unended"
    )
    screen.on_exit()
    assert lines(screen.frame())[0] == "last words"
    assert screen.encode_key("q", "q", 0) == b"q"
    assert screen.encode_key("Up", "", 0) == b"\x1b[A"
    assert screen.encode_key("Escape", "\x1b", 0) == b"\x1b"
    assert screen.paste("x") == b"x"
    assert not screen.wants_mouse
    frame = screen.frame()
    assert frame.cursor is not None
    assert frame.background == (24, 24, 27)


def test_sizes_that_make_no_screen_are_ignored() -> None:
    screen = core(80, 24)
    for size in [(200, 50), (1, 1), (0, 0), (-5, 10), (80, 24), (10**9, 10**9), (80, 24)]:
        screen.resize(*size)
    assert screen.size == (80, 24)
    assert len(screen.frame().rows) == 24


def test_text_is_wrapped_anew_when_the_width_changes() -> None:
    screen = core(10, 4)
    screen.feed(b"abcdefghijklmno")
    screen.resize(20, 4)
    assert lines(screen.frame())[0] == "abcdefghijklmno"


def test_the_past_can_be_scrolled_to_and_back() -> None:
    screen = core(20, 4)
    screen.feed(b"".join(b"line %d\r\n" % number for number in range(5000)))
    assert not screen.frame().scrolled_back
    for _ in range(3000):
        screen.scroll(-4)
    top = screen.frame()
    assert top.scrolled_back
    first = int(lines(top)[0].split()[1])
    assert first < 50, "five thousand lines are kept"
    screen.scroll(-4)
    assert screen.frame().rows[0] is top.rows[0]
    screen.scroll(2)
    assert lines(screen.frame())[0] == f"line {first + 2}"
    screen.scroll_to_bottom()
    assert lines(screen.frame())[2] == "line 4999"
    screen.scroll(-2)
    screen.scroll(2)
    assert not screen.frame().scrolled_back


def test_many_colours_do_not_pile_up() -> None:
    screen = core(80, 24)
    for number in range(60_000):
        screen.feed(b"\x1b[38;2;%d;%d;%dmx" % (number % 256, number // 256 % 256, number // 65536))
        if number % 500 == 0:
            screen.frame()
    screen.frame()
    assert len(screen._styles) < 25_000


def test_the_cursor_has_its_place_and_shape() -> None:
    screen = core()
    screen.feed("漢\x1b[5 q\x1b[1;2H".encode())
    cursor = screen.frame().cursor
    assert cursor is not None
    assert (cursor.column, cursor.row, cursor.wide, cursor.shape) == (0, 0, True, "bar")
    screen.feed(b"\x1b[?25l")
    assert screen.frame().cursor is None


def test_title_bell_and_plain_text_are_at_hand() -> None:
    screen = core()
    screen.feed(b"\x1b]2;my title\x07\x07\x07some text  \r\n")
    assert screen.frame().title == "my title"
    assert screen.bells == 2
    assert screen.text().rstrip("\n") == "some text"


def test_a_paste_cannot_end_itself_or_press_keys() -> None:
    screen = core()
    screen.feed(b"\x1b[?2004h")
    pasted = screen.paste("a\r\nb\x1b[201~\x03\ud83d")
    assert pasted.startswith(b"\x1b[200~a\nb")
    assert pasted.count(b"\x1b") == 2
    assert b"\x03" not in pasted
    screen.feed(b"\x1b[?2004l")
    assert screen.paste("a\r\nb") == b"a\rb"


def test_mouse_and_focus_are_reported_only_when_asked_for() -> None:
    screen = core()
    assert screen.encode_mouse("press", 1, 3, 4) == b""
    assert screen.encode_focus(True) == b""
    screen.feed(b"\x1b[?1000h\x1b[?1006h\x1b[?1004h")
    assert screen.wants_mouse
    assert screen.encode_mouse("press", 1, 3, 4) == b"\x1b[<0;4;5M"
    assert screen.encode_mouse("press", 4, 3, 4) == b"\x1b[<64;4;5M"
    assert screen.encode_focus(False) == b"\x1b[O"


def test_a_picture_the_engine_cannot_give_is_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = core()
    screen.feed(b"lost")

    class Broken:
        def frame(self) -> None:
            raise evp.GhosttyError("no memory")

    screen._state = Broken()  # type: ignore[assignment]
    assert lines(screen.frame()) == [""] * 6
    screen.feed(b"after")
    assert lines(screen.frame())[0] == "after"


def test_places_outside_the_screen_are_reported_at_its_edge() -> None:
    screen = core()
    screen.feed(b"\x1b[?1000h\x1b[?1006h")
    assert screen.encode_mouse("press", 1, 10**12, -5) == b"\x1b[<0;20;1M"


def test_pictures_sizes_and_output_from_several_threads_do_not_hurt_each_other() -> None:
    screen = core(80, 24)
    failures: list[Exception] = []

    def repeat(action: Callable[[int], object]) -> None:
        try:
            for number in range(400):
                action(number)
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    actions: list[Callable[[int], object]] = [
        lambda n: screen.feed(b"\x1b[3%dmline %d\r\n" % (n % 8, n)),
        lambda n: screen.frame(),
        lambda n: screen.resize(60 + n % 40, 20 + n % 10),
        lambda n: screen.scroll(n % 7 - 3),
        lambda n: screen.encode_key("a", "a", 0) + screen.paste("x"),
    ]
    threads = [threading.Thread(target=repeat, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert failures == []
    screen.scroll_to_bottom()
    screen.feed(b"\x1b[0m\x1b[2J\x1b[Hend")
    assert lines(screen.frame())[0] == "end"
