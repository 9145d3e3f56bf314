"""What a person can decide about posts that wait for a seat or were not taken by it. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from pullcept.core import gates, loop_guard
from pullcept.core.screen import SeatView
from pullcept.core.seat import DeliveryState, Seat
from pullcept.ui import words
from pullcept.ui.plain import one_line
from pullcept.ui.state import Delivery, ScreenState, is_running
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

UNSENT_REASONS = (gates.UNSENT, gates.MAYBE_UNSENT, gates.PUT_BACK)


class Decision(StrEnum):
    """One thing the person can do; the values stand in the links of the conversation."""

    SEND_ANYWAY = "send-anyway"
    TYPE_ANYWAY = "type-anyway"
    BY_HAND = "by-hand"
    DISCARD = "discard"
    PRESS_ENTER = "press-enter"
    SEND_AGAIN = "send-again"
    SKIP = "skip"
    GO_ON = "go-on"
    SKIP_ALL = "skip-all"


UNSENT = (Decision.SEND_ANYWAY, Decision.DISCARD)
SIGHTLESS = (Decision.TYPE_ANYWAY, Decision.BY_HAND)
TYPED_BY_HAND = (Decision.TYPE_ANYWAY, Decision.DISCARD)
NOT_TAKEN = (Decision.PRESS_ENTER, Decision.SEND_AGAIN, Decision.SKIP)
PAUSED = (Decision.GO_ON, Decision.SKIP_ALL)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for the person. `message_id`: the post it is about, if it is about one.

    `seat`: where; for a whole topic the one without an account.
    """

    seat: Seat
    text: str
    decisions: tuple[Decision, ...] = ()
    message_id: str = ""


def label(decision: Decision) -> str:
    """What a decision is called."""
    return {
        Decision.SEND_ANYWAY: _("Send anyway"),
        Decision.TYPE_ANYWAY: _("Type anyway"),
        Decision.BY_HAND: _("By hand"),
        Decision.DISCARD: _("Discard"),
        Decision.PRESS_ENTER: _("Press Enter"),
        Decision.SEND_AGAIN: _("Send again"),
        Decision.SKIP: _("Skip"),
        Decision.GO_ON: _("Continue"),
        Decision.SKIP_ALL: _("Skip all"),
    }[decision]


def hint(decision: Decision) -> str:
    """What a decision does, for the tooltip."""
    return {
        Decision.SEND_ANYWAY: _("Types the post all the same; you are asked first"),
        Decision.TYPE_ANYWAY: _("Types posts into sessions of this account from now on; you are asked first"),
        Decision.BY_HAND: _("Types nothing into sessions of this account that cannot show their questions"),
        Decision.DISCARD: _("The waiting posts are not typed here; they stay in the room"),
        Decision.PRESS_ENTER: _("Presses Enter once more in the terminal"),
        Decision.SEND_AGAIN: _("Types the post once more"),
        Decision.SKIP: _("Gives this post up; the next one follows"),
        Decision.GO_ON: _("Types what waits; a post of yours does the same"),
        Decision.SKIP_ALL: _("What waits is not typed; it stays in the log"),
    }[decision]


def is_unsent(reason: str) -> bool:
    """Whether posts wait because of text in the terminal that was not sent (`reason`: as the screen shows it)."""
    return bool(reason) and (reason in UNSENT_REASONS or reason in map(_, UNSENT_REASONS))


def is_sightless(reason: str) -> bool:
    """Whether posts wait because their session cannot show whether it asks something."""
    return reason == _("the session cannot show whether it asks something")


def of_reason(reason: str) -> tuple[Decision, ...]:
    """What can be decided about posts that wait for this reason."""
    if is_sightless(reason):
        return SIGHTLESS
    if reason == _("posts to this session are typed by hand"):
        return TYPED_BY_HAND
    return UNSENT if is_unsent(reason) else ()


def of_seat(state: ScreenState, view: SeatView | None) -> Waiting | None:
    """What waits for the person at a seat; None when nothing does."""
    if view is None or not is_running(view):
        return None
    message_id = state.not_taken(view.seat)
    if message_id is not None:
        beginning = state.beginning_of(message_id)
        text = _("Not taken: {post}").format(post=beginning) if beginning else _("A post was not taken")
        return Waiting(view.seat, one_line(text), NOT_TAKEN, message_id)
    if not view.held:
        return None
    return Waiting(view.seat, one_line(words.held_words(view)), of_reason(view.hold_reason))


def of_topic(state: ScreenState) -> Waiting | None:
    """What waits because the sessions of the open topic talked without a person for long; None when nothing does."""
    count = state.guarded()
    if not count:
        return None
    words_for = ngettext(
        "Typing is paused: {reason}. {n} post waits.", "Typing is paused: {reason}. {n} posts wait.", count
    )
    text = words_for.format(reason=_(loop_guard.REASON), n=count)
    return Waiting(Seat("", state.topic_id or ""), one_line(text), PAUSED)


def of_delivery(delivery: Delivery) -> tuple[Decision, ...]:
    """What can be decided about a post on its way into one seat."""
    if delivery.state is DeliveryState.NOT_TAKEN:
        return NOT_TAKEN
    if delivery.state is DeliveryState.QUEUED:
        return of_reason(delivery.reason)
    return (Decision.SEND_AGAIN,) if is_cut(delivery) or is_put_back(delivery) else ()


def is_cut(delivery: Delivery) -> bool:
    """Whether only a part of the post arrived."""
    return delivery.state is DeliveryState.TAKEN and _is(delivery, _("arrived cut: it can be sent again"))


def is_put_back(delivery: Delivery) -> bool:
    """Whether the CLI may have put the post back into its box, unread."""
    reason = _("Escape may have put it back into the input box: it may not have been read")
    return delivery.state is DeliveryState.TAKEN and _is(delivery, reason)


def is_skipped(delivery: Delivery) -> bool:
    """Whether the person gave the post up for this seat."""
    return delivery.state is DeliveryState.FAILED and _is(delivery, _("skipped"))


def _is(delivery: Delivery, reason: str) -> bool:
    return delivery.reason == reason
