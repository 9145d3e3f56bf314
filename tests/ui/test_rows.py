"""Conversation rows as HTML."""

from datetime import UTC, date

from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState
from pullcept.ui import rows
from pullcept.ui.palette import palette
from pullcept.ui.rows import Look, RowContext, SeatMark
from pullcept.ui.state import Delivery, Row

LOOK = Look(palette("light"), "Sans", "Mono", 1.0, 900, lambda text: 8 * len(text))
TODAY = date(2026, 11, 30)


def post(**more: object) -> Post:
    values = {"message_id": "m", "speaker": "Haru", "content": "hello", "ts": "2026-11-30T10:05:00.000Z", **more}
    return Post(**values)  # type: ignore[arg-type]


def drawn(row: Row, **more: object) -> str:
    values = {"before": None, "colour": "orange", "today": TODAY, "zone": UTC, **more}
    return rows.row_html(row, RowContext(**values), LOOK, row.post.message_id).html  # type: ignore[arg-type]


def marks(*states: DeliveryState) -> tuple[SeatMark, ...]:
    return tuple(SeatMark(f"Seat {n}", "green", Delivery(state, "why")) for n, state in enumerate(states))


def test_a_row_of_another_has_name_time_and_addressees() -> None:
    made = drawn(Row(post(to=("Ren", "Sora")), own=False))
    assert ">Haru</b>" in made
    assert "10:05" in made
    assert "→ Ren, Sora" in made


def test_a_name_cannot_bring_markup() -> None:
    made = drawn(Row(post(speaker="<b>x", to=("<i>",)), own=False))
    assert "&lt;b&gt;x" in made
    assert "&lt;i&gt;" in made


def test_an_own_row_shows_no_name_and_a_grouped_one_no_time() -> None:
    assert "Haru" not in drawn(Row(post(), own=True))
    assert "10:05" in drawn(Row(post(), own=True))
    assert "10:05" not in drawn(Row(post(), own=True), grouped=True)


def test_a_notice_carries_the_icon_of_the_app() -> None:
    assert "app32/app" in drawn(Row(post(from_app=True, role="app"), own=False))


def test_a_day_is_said_where_it_begins() -> None:
    yesterday = post(ts="2026-11-29T23:59:00Z")
    assert "Today" in drawn(Row(post(), own=False), before=yesterday)
    assert "Yesterday" in drawn(Row(yesterday, own=False))
    assert "Today" not in drawn(Row(post(), own=False), before=post(ts="2026-11-30T00:01:00Z"))


def test_a_time_that_cannot_be_read_draws_no_time_and_no_day() -> None:
    made = drawn(Row(post(ts="<yesterday>"), own=False))
    assert "class=sep" not in made.replace('"', "")


def test_marks_are_one_dot_a_seat_until_all_have_taken_the_post() -> None:
    made = drawn(Row(post(), own=False), marks=marks(DeliveryState.QUEUED, DeliveryState.TYPED, DeliveryState.FAILED))
    for state in ("queued", "typed", "problem"):
        assert f"mark/green-{state}" in made
    assert "Seat 2 — Not delivered: why" in made
    assert "icon/taken" in drawn(Row(post(), own=False), marks=marks(DeliveryState.TAKEN, DeliveryState.TAKEN))


def test_more_than_six_seats_show_only_those_that_have_not_taken_it() -> None:
    made = drawn(Row(post(), own=False), marks=marks(*[DeliveryState.TAKEN] * 6, DeliveryState.QUEUED))
    assert made.count("mark/") == 1
    assert "+6" in made


def test_marks_have_words() -> None:
    words = rows.marks_text(marks(DeliveryState.QUEUED, DeliveryState.TYPED))
    assert words == "Seat 0: waiting to be typed (why)\nSeat 1: typed into the terminal (why)"


def test_a_row_that_is_not_in_the_log_says_so() -> None:
    assert "Not written to the log" in drawn(Row(post(), own=True, logged=False))


def test_a_long_post_offers_the_rest() -> None:
    made = drawn(Row(post(content="line\n" * 99), own=False))
    assert 'href="pullcept:fold/m"' in made
    assert "Show all (100 lines)" in made


def test_a_short_bubble_fits_its_text_and_a_long_one_has_a_width() -> None:
    assert "white-space:nowrap" in drawn(Row(post(), own=True))
    assert "width:690px" in drawn(Row(post(content="word " * 200), own=True))
    assert "width:690px" in drawn(Row(post(content="```\ncode\n```"), own=True))


def test_a_row_id_with_odd_characters_stays_inside_its_link() -> None:
    row = Row(post(message_id='"><b>', content="line\n" * 99), own=False)
    assert "pullcept:fold/&quot;&gt;&lt;b&gt;" in drawn(row)


def test_the_first_letter_is_the_first_one_that_can_be_read() -> None:
    assert [rows.first_letter(name) for name in ("haru", "@ren", "美咲", "🙂", "")] == ["H", "R", "美", "?", "?"]


def test_the_styles_grow_with_the_scale() -> None:
    double = Look(palette("dark"), "Sans", "Mono", 2.0, 1800, lambda text: 16 * len(text))
    assert "font-size:30px" in rows.css(double)
    assert palette("dark").role["canvas"] in rows.css(double)
