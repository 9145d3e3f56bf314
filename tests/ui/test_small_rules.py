"""The small pure rules of the screen: which rows are drawn, names behind an @, composing, dates, colours, words."""

from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.screen import AccountView, SeatView
from pullcept.core.seat import Seat, SeatState
from pullcept.ui import dates, drawing, mentions, span, words
from pullcept.ui.composing import Composing
from pullcept.ui.palette import OWN_COLOUR, palette
from pullcept.ui.span import Costs, Span
from pullcept.ui.texts import use_language

ROSTER = (("Claude", "claude_code", 1), ("Claude Lay", "cli", 2), ("李", "guest", None), ("Claude", "guest", 3))


def costs(values: list[int]) -> Costs:
    return Costs(len(values), values.__getitem__)


@given(st.lists(st.integers(1, 100_000), max_size=400), st.data())
def test_a_drawn_stretch_is_bounded_and_lies_within_the_topic(values: list[int], data: st.DataObject) -> None:
    known = costs(values)
    drawn = span.tail(known)
    for _move in range(data.draw(st.integers(0, 8))):
        drawn = (span.earlier if data.draw(st.booleans()) else span.later)(known, drawn)
        assert 0 <= drawn.start <= drawn.stop <= len(values)
        assert drawn.stop - drawn.start <= span.MOST_ROWS
        assert known.sum(drawn.start, drawn.stop) <= span.MOST_COST or drawn.stop - drawn.start == 1
        assert drawn.stop > drawn.start or not values


@given(st.lists(st.integers(1, 70_000), min_size=1, max_size=300))
def test_stepping_up_reaches_the_first_row_and_stepping_down_the_last(values: list[int]) -> None:
    known = costs(values)
    drawn = span.tail(known)
    for _step in range(len(values) + 1):
        drawn = span.earlier(known, drawn)
    assert drawn.start == 0
    for _step in range(len(values) + 1):
        drawn = span.later(known, drawn)
    assert drawn.stop == len(values)


def test_a_stretch_moves_with_rows_put_before_it() -> None:
    assert Span(0, 10).moved(5) == Span(5, 15)
    assert 5 in Span(5, 15)


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        ("@", ""),
        ("hi @cl", "cl"),
        ("＠李", "李"),
        ("a\n@x", "x"),
        ("@Claude La", "Claude La"),
        ("a@b", None),
        ("@a\nb", None),
        ("@ x", None),
        ("", None),
        ("@" + "x" * 65, None),
    ],
)
def test_an_open_mention_stands_at_the_start_or_after_white_space(before: str, typed: str | None) -> None:
    assert mentions.open_mention(before) == typed


def test_candidates_match_by_prefix_whatever_the_case_and_width_and_come_once() -> None:
    found = mentions.candidates("ＣＬ", ROSTER)
    assert [(candidate.name, candidate.count) for candidate in found] == [("Claude", 2), ("Claude Lay", 1)]
    assert mentions.candidates("", ROSTER)[2].name == "李"
    assert mentions.candidates("zzz", ROSTER) == ()


def test_enter_is_the_persons_own_when_nothing_is_being_composed() -> None:
    assert Composing().allows_enter("\r", 36, 0.0)


@pytest.mark.parametrize(("char", "keycode"), [("", 36), ("\r", 229), ("あ", 36)])
def test_an_enter_without_its_character_belongs_to_the_input_method(char: str, keycode: int) -> None:
    assert not Composing().allows_enter(char, keycode, 0.0)


def test_an_enter_right_behind_a_committed_text_does_not_send() -> None:
    composing = Composing()
    composing.key("??", "漢字", 0, 10.0)
    assert not composing.allows_enter("\r", 36, 10.02)
    assert composing.allows_enter("\r", 36, 10.2)


def test_an_enter_while_a_marked_text_is_open_does_not_send() -> None:
    composing = Composing()
    composing.start()
    assert not composing.allows_enter("\r", 36, 10.0)
    composing.end(10.0)
    assert not composing.allows_enter("\r", 36, 10.01)
    assert composing.allows_enter("\r", 36, 11.0)


def test_typing_fast_is_not_composing() -> None:
    composing = Composing()
    composing.key("a", "a", 38, 10.0)
    assert composing.allows_enter("\r", 36, 10.001)


def test_dates_are_short_and_in_words() -> None:
    tokyo, today = timezone(timedelta(hours=9)), date(2026, 11, 30)
    use_language("en")
    assert dates.clock("2026-11-30T01:05:00.000Z", tokyo) == "10:05"
    assert dates.short_date("2026-11-30T01:05:00Z", today, tokyo) == "10:05"
    assert dates.short_date("2026-11-29T01:05:00Z", today, tokyo) == "Yesterday"
    assert dates.short_date("2026-11-25T01:05:00Z", today, UTC) == "Nov 25"
    assert dates.short_date("2025-11-25T01:05:00Z", today, UTC) == "Nov 25, 2025"
    use_language("ja")
    assert dates.short_date("2026-11-25T01:05:00Z", today, UTC) == "11/25"
    assert dates.day_name(today, today) == "今日"
    use_language("en")


@pytest.mark.parametrize("ts", ["", "soon", "9999-99-99T00:00:00Z", "0001-01-01T00:00:00Z"])
def test_an_odd_time_is_no_error(ts: str) -> None:
    assert dates.clock(ts, UTC) in {"", "00:00"}
    assert dates.full_time(ts, UTC) is not None


def luminance(colour: str) -> float:
    parts = [value / 255 for value in drawing.rgb(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_can_be_read_on_every_ground(theme: str) -> None:
    colours = palette(theme)  # type: ignore[arg-type]
    for person in colours.person.values():
        for ground in ("canvas", "side", "hover", "selected"):
            assert contrast(person.text, colours.role[ground]) >= 4.5
        assert contrast(colours.role["text"], person.bubble) >= 7


def test_a_hue_takes_the_nearest_colour_and_a_name_never_the_persons_own() -> None:
    light = palette("light")
    assert [light.colour_name(hue, "x") for hue in (10, 30, 250, 359, 600)] == ["red", "red", "blue", "pink", "blue"]
    chosen = {light.colour_name(None, f"name {n}") for n in range(200)}
    assert OWN_COLOUR not in chosen
    assert len(chosen) == 7
    assert light.of_account("admin", None, "x") == OWN_COLOUR
    assert light.of_account("admin", 145, "x") == "green"
    assert light.of_account("cli", None, "Haru") == light.colour_name(None, "Haru")
    assert light.colour_name(None, "Ｈａｒｕ") == light.colour_name(None, "haru")


@pytest.mark.parametrize("mark", ["none", "ring", "full", "diamond", "half", "square"])
@pytest.mark.parametrize("size", [9, 22, 30, 60])
def test_an_avatar_is_a_square_of_colours(mark: str, size: int) -> None:
    rows = drawing.avatar(size, "#FF0000", "#FFFFFF", mark, "#00FF00")
    assert {len(row) for row in rows} == {size}
    assert len(rows) == size
    assert all(len(colour) == 7 for row in rows for colour in row)


def account(kind: str = "cli", problem: str = "") -> AccountView:
    return AccountView("a", "Name", kind, None, True, problem)


@pytest.mark.parametrize(
    ("view", "text", "ink"),
    [
        (None, "Not started", "muted"),
        (SeatView(Seat("a", "t"), SeatState.STARTING), "Starting", "muted"),
        (SeatView(Seat("a", "t"), SeatState.FIRST_SCREEN), "First screen: needs you", "warn"),
        (SeatView(Seat("a", "t"), SeatState.RUNNING), "Running", "ok"),
        (SeatView(Seat("a", "t"), SeatState.RUNNING, held=2, hold_reason="unsent text"), "2 held: unsent text", "warn"),
        (SeatView(Seat("a", "t"), SeatState.RUNNING, held=1), "1 held", "warn"),
        (SeatView(Seat("a", "t"), SeatState.STOPPING), "Stopping", "muted"),
        (SeatView(Seat("a", "t"), SeatState.ENDED, exit_code=0, asked=True), "Stopped", "muted"),
        (SeatView(Seat("a", "t"), SeatState.ENDED, exit_code=137), "Exited by itself (137)", "danger"),
        (SeatView(Seat("a", "t"), SeatState.ENDED), "Exited by itself", "danger"),
        (SeatView(Seat("a", "t"), SeatState.FAILED, detail="no such file"), "Failed: no such file", "danger"),
    ],
)
def test_every_state_has_words_and_a_colour(view: SeatView | None, text: str, ink: str) -> None:
    use_language("en")
    badge = words.badge(account(), view)
    assert (badge.words, badge.ink) == (text, ink)


def test_an_account_that_cannot_start_says_why() -> None:
    assert words.badge(account(problem="claude not found"), None).words == "claude not found"
    assert words.badge(account("admin"), None).words == "this window"
    assert words.kind_name("guest") == "Guest"
    assert words.kind_name("something new") == "something new"
