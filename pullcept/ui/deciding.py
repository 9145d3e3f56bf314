"""Carries out what the person decided about posts that wait, asking first where a post could do harm."""

import tkinter as tk
from dataclasses import dataclass

from pullcept.core.account import BY_HAND, TYPE_ANYWAY
from pullcept.core.screen import Actions
from pullcept.core.seat import Seat
from pullcept.ui.decisions import Decision, Waiting
from pullcept.ui.dialogs.confirm import ConfirmDialog
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Deciding:
    """`name`: whom the posts wait for, as the screen shows it."""

    root: tk.Misc
    theme: Theme
    actions: Actions
    name: str

    def decide(self, decision: Decision, waiting: Waiting) -> None:
        """Do it, or ask: two texts are sent as one, and a question may be answered, only after that."""
        seat = waiting.seat
        match decision:
            case Decision.SEND_ANYWAY:
                self._ask_send_anyway(seat)
            case Decision.TYPE_ANYWAY:
                self._ask_type_anyway(seat)
            case Decision.BY_HAND:
                self.actions.decide_sightless(seat, BY_HAND)
            case Decision.DISCARD:
                self.actions.discard_held(seat)
            case Decision.PRESS_ENTER:
                self.actions.press_enter(seat)
            case Decision.SEND_AGAIN:
                self.actions.send_again(seat, waiting.message_id)
            case Decision.SKIP:
                self.actions.skip(seat, waiting.message_id)
            case Decision.GO_ON:
                self.actions.go_on(seat.topic_id)
            case Decision.SKIP_ALL:
                self.actions.skip_all(seat.topic_id)

    def _ask_send_anyway(self, seat: Seat) -> None:
        text = _("The text in the terminal of {name} and the post would be sent together.")
        ConfirmDialog(
            self.root,
            self.theme,
            title=_("Send anyway?"),
            text=text.format(name=self.name),
            yes=_("Send anyway"),
            on_yes=lambda: self.actions.send_anyway(seat),
        )

    def _ask_type_anyway(self, seat: Seat) -> None:
        text = _(
            "{name} cannot show whether it asks something. If it does, a post answers the question for you. "
            "This is kept for all sessions of this account."
        )
        ConfirmDialog(
            self.root,
            self.theme,
            title=_("Type anyway?"),
            text=text.format(name=self.name),
            yes=_("Type anyway"),
            on_yes=lambda: self.actions.decide_sightless(seat, TYPE_ANYWAY),
        )
