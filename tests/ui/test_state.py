"""The screen as data: events in, changes out."""

from typing import Any

from pullcept.core import screen
from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.ui import changes
from pullcept.ui.state import KEPT_ROWS, ScreenState
from tests.ui.fakes import ACCOUNTS, TOPIC, post

HARU = Seat("haru", TOPIC)


def opened(*ids: str, **more: Any) -> screen.TopicOpened:
    rows = tuple(post(message_id, message_id) for message_id in ids)
    return screen.TopicOpened(more.pop("topic_id", TOPIC), "Title", rows, more.pop("has_older", False))


def added(message_id: str, topic_id: str = TOPIC, *, own: bool = False) -> screen.RowAdded:
    return screen.RowAdded(topic_id, post(message_id, message_id), own)


def state(*events: screen.ScreenEvent) -> ScreenState:
    made = ScreenState()
    for event in (screen.AccountsListed(ACCOUNTS), *events):
        made.take(event)
    return made


def ids(shown: ScreenState) -> list[str]:
    return [row.post.message_id for row in shown.rows]


def test_an_opened_topic_is_taken_in_up_to_its_newest_row() -> None:
    assert state(opened("a", "b")).last_seen() == "b"


def test_an_empty_topic_has_seen_nothing() -> None:
    assert state(opened()).last_seen() is None


def test_a_minimised_window_takes_nothing_in_until_it_is_looked_at() -> None:
    shown = state(opened("a"))
    shown.look(visible=False, at_bottom=True)
    shown.take(added("b"))
    assert shown.last_seen() == "a"
    shown.look(visible=True, at_bottom=False)
    assert shown.last_seen() == "b"
    assert shown.unread_rows == 1


def test_a_row_counted_in_a_visible_window_is_taken_in() -> None:
    shown = state(opened("a"))
    shown.look(visible=True, at_bottom=False)
    shown.take(added("b"))
    assert (shown.last_seen(), shown.unread_rows, shown.unread_from) == ("b", 1, "b")


def test_reaching_the_bottom_clears_the_count_and_keeps_the_line() -> None:
    shown = state(opened("a"))
    shown.look(visible=True, at_bottom=False)
    shown.take(added("b"))
    assert shown.look(visible=True, at_bottom=True)
    assert (shown.unread_rows, shown.unread_from) == (0, "b")


def test_the_unread_line_moves_to_the_first_row_missed_later() -> None:
    shown = state(opened("a"))
    shown.look(visible=True, at_bottom=False)
    shown.take(added("b"))
    shown.look(visible=True, at_bottom=True)
    shown.look(visible=True, at_bottom=False)
    assert shown.take(added("c")) == (changes.RowsAppended(1), changes.RowTouched("b"))
    assert shown.unread_from == "c"


def test_an_own_row_takes_the_unread_line_away() -> None:
    shown = state(opened("a"))
    shown.look(visible=True, at_bottom=False)
    shown.take(added("b"))
    shown.take(added("mine", own=True))
    assert shown.unread_from is None


def test_a_row_of_another_topic_is_counted_there_and_not_taken_in() -> None:
    shown = state(screen.TopicsListed((screen.TopicView("other", "Other", ""),)), opened("a"))
    assert shown.take(added("x", "other")) == (changes.TopicsChanged(),)
    assert shown.unread_of(shown.topics[0]) == 1
    assert shown.last_seen() == "a"
    shown.take(opened("w", "x", topic_id="other"))
    assert (shown.unread_of(shown.topics[0]), shown.unread_from) == (0, "x")


def test_a_row_comes_once() -> None:
    shown = state(opened("a"))
    assert shown.take(added("a")) == ()
    assert ids(shown) == ["a"]


def test_older_rows_stand_before_and_known_ones_do_not_come_twice() -> None:
    shown = state(opened("c", has_older=True))
    shown.older_asked = True
    rows = tuple(post(name, name) for name in ("a", "b", "c"))
    assert shown.take(screen.OlderRows(TOPIC, rows, False)) == (changes.RowsPrepended(2),)
    assert ids(shown) == ["a", "b", "c"]
    assert (shown.has_older, shown.older_asked) == (False, False)


def test_older_rows_of_a_topic_left_meanwhile_are_ignored() -> None:
    shown = state(opened("c"))
    assert shown.take(screen.OlderRows("other", (post("a", "a"),), False)) == ()
    assert ids(shown) == ["c"]


def test_missed_rows_are_put_in_their_place_and_the_watermark_moves_to_the_newest_returned() -> None:
    shown = state(opened("a", "c"))
    missed = tuple(post(name, name) for name in ("b", "c", "d"))
    drawn = shown.take(screen.PostRefused(TOPIC, "own", "text", missed))
    assert ids(shown) == ["a", "b", "c", "d"]
    assert shown.last_seen() == "d"
    assert drawn[0] == changes.RowsReplaced()
    assert isinstance(drawn[1], changes.TextReturned)
    assert drawn[1].text == "text"
    assert drawn[1].reason.startswith("3 posts came first")


def test_missed_rows_that_are_all_known_are_not_drawn_again() -> None:
    shown = state(opened("a", "b"))
    drawn = shown.take(screen.PostRefused(TOPIC, "own", "text", (post("b", "b"),)))
    assert [type(change) for change in drawn] == [changes.TextReturned]


def test_a_refusal_in_another_topic_waits_there_as_its_draft() -> None:
    shown = state(opened("a"))
    shown.keep_draft("other", "newer")
    drawn = shown.take(screen.PostRefused("other", "own", "older", (post("z", "z"),)))
    assert drawn == (changes.TopicsChanged(),)
    other = shown.topic("other")
    assert (other.draft, other.last_seen, ids(shown)) == ("older\n\nnewer", "z", ["a"])
    assert other.refusal


def test_rows_of_this_person_are_own_by_account_and_not_by_name() -> None:
    rows = (
        Post("a", "美咲", "mine", "", account="me"),
        Post("b", "美咲", "a guest of the same name", ""),
        Post("c", "美咲", "by the app", "", account="me", from_app=True),
    )
    shown = state(screen.TopicOpened(TOPIC, "", rows, False))
    assert [row.own for row in shown.rows] == [True, False, False]


def test_accounts_that_come_after_the_rows_still_make_them_own() -> None:
    shown = ScreenState()
    shown.take(screen.TopicOpened(TOPIC, "", (Post("a", "美咲", "x", "", account="me"),), False))
    shown.take(screen.AccountsListed(ACCOUNTS))
    assert shown.rows[0].own


def test_deliveries_come_in_the_order_of_the_accounts() -> None:
    shown = state(opened("a"))
    for seat in (Seat("demo", TOPIC), Seat("gone", TOPIC), HARU):
        shown.take(screen.DeliveryChanged(seat, "a", DeliveryState.QUEUED))
    assert [seat.account_id for seat, _delivery in shown.deliveries("a")] == ["haru", "demo", "gone"]


def test_a_delivery_may_be_told_before_its_row() -> None:
    shown = state(opened())
    assert shown.take(screen.DeliveryChanged(HARU, "a", DeliveryState.TYPED)) == ()
    shown.take(added("a"))
    assert shown.deliveries("a")[0][1].state == DeliveryState.TYPED


def test_a_first_screen_and_an_unrequested_exit_want_looking_at() -> None:
    shown = state(opened())
    wanted = changes.TerminalWanted(HARU)
    assert wanted in shown.take(screen.SeatChanged(screen.SeatView(HARU, SeatState.FIRST_SCREEN)))
    assert wanted not in shown.take(screen.SeatChanged(screen.SeatView(HARU, SeatState.FIRST_SCREEN, held=1)))
    assert wanted in shown.take(screen.SeatChanged(screen.SeatView(HARU, SeatState.ENDED, exit_code=1)))
    assert wanted not in shown.take(screen.SeatChanged(screen.SeatView(HARU, SeatState.RUNNING)))
    assert wanted not in shown.take(screen.SeatChanged(screen.SeatView(HARU, SeatState.ENDED, asked=True)))


def test_a_seat_of_another_topic_does_not_open_the_terminal() -> None:
    shown = state(opened())
    view = screen.SeatView(Seat("haru", "other"), SeatState.ENDED, exit_code=1)
    assert not any(isinstance(change, changes.TerminalWanted) for change in shown.take(screen.SeatChanged(view)))


def test_a_terminal_has_one_tab_however_often_it_is_opened() -> None:
    shown = state(opened(), screen.TerminalOpened(HARU), screen.TerminalOpened(HARU))
    assert shown.topic().terminals == [HARU]
    shown.close_terminal(HARU)
    shown.close_terminal(HARU)
    assert shown.topic().terminals == []


def test_an_error_stands_until_the_same_key_says_otherwise() -> None:
    shown = state(screen.StatusSaid("broken", "error", "log"), screen.StatusSaid("hello"))
    assert shown.status().text == "broken"
    shown.take(screen.StatusSaid("", "info", "log"))
    assert shown.status().text == "hello"


def test_status_keys_are_bounded() -> None:
    shown = state(*(screen.StatusSaid(f"line {n}", key=f"key {n}") for n in range(500)))
    assert len(shown._said) <= 20


def test_notes_of_an_accepted_post_are_said_and_forgotten_with_the_next() -> None:
    shown = state(opened())
    shown.take(screen.PostAccepted(TOPIC, "a", ("nobody is called x",)))
    assert shown.status().text == "nobody is called x"
    shown.take(screen.PostAccepted(TOPIC, "b"))
    assert shown.status().text == ""


def test_who_gets_a_post_later_is_said_until_it_is_typed_there() -> None:
    shown = state(opened(), screen.DeliveryChanged(HARU, "a", DeliveryState.QUEUED, "busy"))
    shown.take(screen.PostAccepted(TOPIC, "a", paused=("Haru: busy",)))
    assert shown.status().text == "Haru: busy"
    assert changes.StatusChanged() in shown.take(screen.DeliveryChanged(HARU, "a", DeliveryState.TYPED))
    assert shown.status().text == ""


def test_a_pause_that_is_over_before_it_can_be_said_is_not_said() -> None:
    shown = state(opened(), screen.DeliveryChanged(HARU, "a", DeliveryState.TYPED))
    shown.take(screen.PostAccepted(TOPIC, "a", paused=("Haru: busy",)))
    assert shown.status().text == ""


def test_notes_of_a_post_do_not_follow_into_another_topic() -> None:
    shown = state(opened())
    shown.take(screen.PostAccepted(TOPIC, "a", ("nobody is called x",), ("Haru: busy",)))
    assert changes.StatusChanged() in shown.take(opened(topic_id="elsewhere"))
    assert shown.status().text == ""


def test_guests_are_the_roster_without_accounts() -> None:
    shown = state(opened(), screen.RosterListed(TOPIC, (("Haru", "claude_code", 1), ("Riku", "guest", None))))
    assert shown.guests() == (("Riku", None),)


def test_the_next_topic_stays_within_the_list() -> None:
    views = tuple(screen.TopicView(name, name, "") for name in ("one", TOPIC, "three"))
    shown = state(screen.TopicsListed(views), opened())
    assert (shown.next_topic(1), shown.next_topic(-1), shown.next_topic(5)) == ("three", "one", "three")
    assert ScreenState().next_topic(1) is None


def test_a_topic_that_goes_on_for_ever_keeps_a_bounded_number_of_rows() -> None:
    shown = state(opened("first"))
    for number in range(2 * KEPT_ROWS + 10):
        shown.take(added(f"r{number}"))
    assert len(shown.rows) <= 2 * KEPT_ROWS
    assert shown.has_older
    assert shown.take(added("first")) == (changes.RowsAppended(1),)


def test_the_end_of_the_app_is_handed_on() -> None:
    assert state().take(screen.AppEnded("bye")) == (changes.ScreenEnded("bye"),)
