"""What the person decides about posts that wait or were not taken: the rules, then the real window."""

import tkinter as tk
from collections.abc import Iterator

import pytest

from pullcept import reasons, sessions
from pullcept.core import gates, loop_guard, screen
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.pty import receipts
from pullcept.ui import decisions, words
from pullcept.ui.decisions import Decision
from pullcept.ui.dialogs.confirm import ConfirmDialog
from pullcept.ui.links import DecisionBar, Link
from pullcept.ui.state import Delivery, ScreenState
from pullcept.ui.texts import gettext, use_language
from tests.ui import fakes
from tests.ui.conftest import Room
from tests.ui.fakes import TOPIC

HARU, REN = Seat("haru", TOPIC), Seat("ren", TOPIC)
UNSENT = "unsent text in the terminal"


def held(reason: str, seat: Seat = REN, count: int = 2) -> screen.SeatChanged:
    return screen.SeatChanged(screen.SeatView(seat, SeatState.RUNNING, held=count, hold_reason=reason))


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    """Other tests read English."""
    yield
    use_language("en")


@pytest.fixture
def held_room(room: Room) -> Room:
    """Ren's terminal has unsent text, two posts wait for it; the pane shows that terminal, the list that account."""
    room.tell(*fakes.full_scene())
    room.tell(screen.DeliveryChanged(HARU, "m6", DeliveryState.TAKEN))
    room.window.show_terminal("ren")
    room.window.accounts.list.selected = "ren"
    room.window.accounts.update_accounts()
    room.settle()
    return room


def labels(bar: DecisionBar) -> list[str]:
    return [str(link.cget("text")) for link in bar.links]


def link(bar: DecisionBar, text: str) -> Link:
    return next(link for link in bar.links if link.cget("text") == text)


def dialog(room: Room) -> ConfirmDialog:
    return next(child for child in room.window.root.winfo_children() if isinstance(child, ConfirmDialog))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("reason", [gates.UNSENT, gates.MAYBE_UNSENT, gates.PUT_BACK])
def test_the_reasons_of_unsent_text_are_known_as_the_app_says_them(language: str, reason: str) -> None:
    use_language(language)  # type: ignore[arg-type]
    assert decisions.is_unsent(reasons.reason_words(reason))


@pytest.mark.parametrize("reason", ["", gates.QUESTION, gates.IN_QUEUE])
def test_nothing_is_sent_anyway_past_another_reason(reason: str) -> None:
    assert not decisions.is_unsent(reasons.reason_words(reason))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_each_way_of_a_post_has_its_decisions(language: str) -> None:
    use_language(language)  # type: ignore[arg-type]

    def offered(state: DeliveryState, reason: str) -> tuple[Decision, ...]:
        return decisions.of_delivery(Delivery(state, reasons.reason_words(reason)))

    assert offered(DeliveryState.QUEUED, gates.UNSENT) == decisions.UNSENT
    assert offered(DeliveryState.TAKEN, receipts.PUT_BACK) == (Decision.SEND_AGAIN,)
    assert offered(DeliveryState.QUEUED, gates.QUESTION) == ()
    assert offered(DeliveryState.NOT_TAKEN, receipts.NOT_TAKEN) == decisions.NOT_TAKEN
    assert offered(DeliveryState.TAKEN, receipts.CUT) == (Decision.SEND_AGAIN,)
    assert offered(DeliveryState.TAKEN, receipts.JOINED) == ()
    assert offered(DeliveryState.FAILED, receipts.SKIPPED) == ()
    assert offered(DeliveryState.FAILED, "the session has ended") == ()


def test_a_seat_that_does_not_run_asks_for_nothing() -> None:
    state = ScreenState()
    state.take(screen.DeliveryChanged(REN, "m1", DeliveryState.NOT_TAKEN))
    assert decisions.of_seat(state, screen.SeatView(REN, SeatState.ENDED, held=1, hold_reason=UNSENT)) is None
    assert decisions.of_seat(state, None) is None


def test_a_post_that_was_not_taken_goes_before_the_ones_that_wait_behind_it() -> None:
    state = ScreenState()
    state.take(screen.DeliveryChanged(REN, "m1", DeliveryState.NOT_TAKEN))
    view = screen.SeatView(REN, SeatState.RUNNING, held=1, hold_reason="an earlier post was not taken")
    waiting = decisions.of_seat(state, view)
    assert waiting is not None
    assert (waiting.message_id, waiting.decisions) == ("m1", decisions.NOT_TAKEN)
    assert words.badge(fakes.ACCOUNTS[2], view, not_taken=True).words == "Not taken"
    state.take(screen.DeliveryChanged(REN, "m1", DeliveryState.TAKEN))
    later = decisions.of_seat(state, view)
    assert later is not None
    assert later.decisions == ()


@pytest.mark.display
def test_card_and_strip_say_how_many_are_held_and_why(held_room: Room) -> None:
    for bar in (held_room.window.accounts.held, held_room.window.terminal.strip):
        assert bar.text == f"2 held: {UNSENT}"
        assert labels(bar) == ["Send anyway", "Discard"]
        assert bar.winfo_ismapped()


@pytest.mark.display
def test_another_reason_is_said_without_actions_and_nothing_once_nothing_waits(held_room: Room) -> None:
    held_room.tell(held("a question is open in the terminal"))
    for bar in (held_room.window.accounts.held, held_room.window.terminal.strip):
        assert bar.text == "2 held: a question is open in the terminal"
        assert labels(bar) == []
    held_room.tell(screen.SeatChanged(screen.SeatView(REN, SeatState.RUNNING)))
    for bar in (held_room.window.accounts.held, held_room.window.terminal.strip):
        assert not bar.winfo_manager()


@pytest.mark.display
def test_send_anyway_asks_first_and_the_safe_answer_sends_nothing(held_room: Room) -> None:
    button = link(held_room.window.terminal.strip, "Send anyway")
    held_room.press("Return", button)
    asked = dialog(held_room)
    assert asked.focus_get() is asked.no
    asked.no.invoke()
    assert held_room.actions.named("send_anyway") == []
    held_room.press("space", button)
    dialog(held_room).yes.invoke()
    assert held_room.actions.named("send_anyway") == [("send_anyway", REN)]


@pytest.mark.display
def test_discard_is_done_at_once(held_room: Room) -> None:
    held_room.press("Return", link(held_room.window.accounts.held, "Discard"))
    assert held_room.actions.named("discard_held") == [("discard_held", REN)]


@pytest.mark.display
def test_the_actions_are_reached_from_the_keyboard(held_room: Room) -> None:
    room, reached = held_room.window, []
    for _press in range(8):
        held_room.press("F6", room.root.focus_get() or room.composer.text)
        reached.append(room.root.focus_get())
    assert room.terminal.strip.links[0] in reached
    assert room.accounts.held.links[0] in reached
    room.terminal.strip.links[0].focus_set()
    held_room.settle()
    room.root.event_generate("<<NextWindow>>")
    assert room.terminal.strip.links[0].tk_focusNext() is room.terminal.strip.links[1]


@pytest.mark.display
def test_the_focus_stays_when_more_posts_wait_and_goes_to_the_terminal_when_none_does(held_room: Room) -> None:
    room = held_room.window
    room.terminal.strip.links[1].focus_force()
    held_room.settle()
    held_room.tell(held(UNSENT, count=3))
    assert room.terminal.strip.text.startswith("3 held")
    assert room.root.focus_get() is room.terminal.strip.links[1]
    held_room.tell(screen.SeatChanged(screen.SeatView(REN, SeatState.RUNNING)))
    assert room.terminal.has_focus()


@pytest.mark.display
def test_a_post_being_typed_goes_before_what_waits(held_room: Room) -> None:
    held_room.tell(screen.TypingPost(REN, True))
    assert "being typed" in held_room.window.terminal.strip.text
    assert labels(held_room.window.terminal.strip) == []
    held_room.tell(screen.TypingPost(REN, False))
    assert labels(held_room.window.terminal.strip) == ["Send anyway", "Discard"]


@pytest.mark.display
def test_a_post_that_was_not_taken_is_decided_under_its_row(full_room: Room) -> None:
    assert "Haru — Not taken · Press Enter · Send again · Skip" in full_room.page()
    follow = full_room.window.conversation._follow
    for decision in ("press-enter", "send-again", "skip"):
        follow(f"pullcept:decide/{decision}/haru/m6")
    assert full_room.actions.named("press_enter") == [("press_enter", HARU)]
    assert full_room.actions.named("send_again") == [("send_again", HARU, "m6")]
    assert full_room.actions.named("skip") == [("skip", HARU, "m6")]


@pytest.mark.display
def test_a_post_that_was_not_taken_is_decided_in_the_strip_too(full_room: Room) -> None:
    full_room.window.show_terminal("haru")
    full_room.settle()
    strip = full_room.window.terminal.strip
    assert strip.text == "Not taken: それで進めてください。"
    full_room.press("Return", link(strip, "Skip"))
    assert full_room.actions.named("skip") == [("skip", HARU, "m6")]
    full_room.tell(screen.DeliveryChanged(HARU, "m6", DeliveryState.TAKEN))
    assert not strip.winfo_manager()
    assert "Haru — Not taken" not in full_room.page()


@pytest.mark.display
@pytest.mark.parametrize("rest", ["", "skip", "skip/haru", "skip/nobody/m6", "erase/haru/m6", "skip/haru/m6/more"])
def test_a_link_that_names_no_known_post_and_seat_does_nothing(full_room: Room, rest: str) -> None:
    before = list(full_room.actions.calls)
    full_room.window.conversation._follow(f"pullcept:decide/{rest}")
    assert full_room.actions.calls == before


@pytest.mark.display
def test_a_held_post_and_a_cut_one_say_so_under_their_rows(full_room: Room) -> None:
    assert f"Ren — Held: {UNSENT} · Send anyway · Discard" in full_room.page()
    assert "Ren — Arrived cut off · Send again" in full_room.page()


@pytest.mark.display
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_words_and_actions_fit_in_the_smallest_window(held_room: Room, theme: str, language: str) -> None:
    use_language(language)  # type: ignore[arg-type]
    room = held_room.window
    room.root.geometry("900x600+0+0")
    held_room.until(lambda: room.root.winfo_width() == 900)
    room.use_theme(theme)  # type: ignore[arg-type]
    held_room.tell(*fakes.full_scene())
    room.show_terminal("haru")
    held_room.settle()
    strip = room.terminal.strip
    assert len(strip.links) == 3
    assert strip.winfo_reqwidth() <= strip.winfo_width()


GUARD = "the AI sessions talked without a person for a while"


@pytest.mark.display
def test_a_banner_says_that_typing_is_paused_until_nothing_waits(full_room: Room) -> None:
    banner = full_room.window.banner
    assert not banner.winfo_manager()
    for message_id in ("m8", "m9"):
        for seat in (HARU, REN):
            full_room.tell(screen.DeliveryChanged(seat, message_id, DeliveryState.QUEUED, GUARD))
    assert banner.text == f"Typing is paused: {GUARD}. 2 posts wait."
    assert banner.winfo_ismapped()
    full_room.press("Return", link(banner, "Continue"))
    full_room.press("Return", link(banner, "Skip all"))
    assert full_room.actions.named("go_on") == [("go_on", TOPIC)]
    assert full_room.actions.named("skip_all") == [("skip_all", TOPIC)]
    for message_id in ("m8", "m9"):
        for seat in (HARU, REN):
            full_room.tell(screen.DeliveryChanged(seat, message_id, DeliveryState.FAILED, "skipped"))
    assert not banner.winfo_manager()
    assert full_room.window.root.focus_get() is full_room.window.composer.text


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_guard_of_another_topic_and_of_an_ended_session_is_no_matter_here(language: str) -> None:
    use_language(language)  # type: ignore[arg-type]
    state = ScreenState()
    state.take(fakes.opened())
    for seat in (REN, Seat("ren", "topic-2")):
        state.take(screen.SeatChanged(screen.SeatView(seat, SeatState.RUNNING)))
    reason = reasons.reason_words(loop_guard.REASON)
    state.take(screen.DeliveryChanged(Seat("ren", "topic-2"), "m0", DeliveryState.QUEUED, reason))
    assert decisions.of_topic(state) is None
    state.take(screen.DeliveryChanged(REN, "m9", DeliveryState.QUEUED, reason))
    assert decisions.of_topic(state) is not None
    for each in (SeatState.ENDED, SeatState.STARTING, SeatState.RUNNING):
        state.take(screen.SeatChanged(screen.SeatView(REN, each)))
        assert decisions.of_topic(state) is None


@pytest.mark.display
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_session_that_cannot_show_questions_gets_posts_after_another_question(held_room: Room, language: str) -> None:
    use_language(language)  # type: ignore[arg-type]
    held_room.tell(held(reasons.reason_words(sessions.SIGHTLESS)))
    strip = held_room.window.terminal.strip
    assert labels(strip) == [decisions.label(each) for each in decisions.SIGHTLESS]
    held_room.press("Return", strip.links[0])
    asked = dialog(held_room)
    said = " ".join(str(child.cget("text")) for child in asked.winfo_children() if isinstance(child, tk.Label))
    assert gettext("Type anyway?") in said
    asked.yes.invoke()
    assert held_room.actions.named("decide_sightless") == [("decide_sightless", REN, "type_anyway")]


@pytest.mark.display
def test_posts_that_are_typed_by_hand_may_be_typed_after_all_or_dropped(held_room: Room) -> None:
    held_room.tell(held(reasons.reason_words(sessions.SIGHTLESS)))
    strip = held_room.window.terminal.strip
    held_room.press("Return", strip.links[1])
    assert held_room.actions.named("decide_sightless") == [("decide_sightless", REN, "by_hand")]
    held_room.tell(held(reasons.reason_words(sessions.TYPED_BY_HAND)))
    assert labels(strip) == [decisions.label(each) for each in decisions.TYPED_BY_HAND]
