"""Why a post is not typed, in the language of the screen. (Agents get the same reasons in English.)"""

from pullcept import sessions
from pullcept.core import gates, loop_guard
from pullcept.pty import receipts, typist
from pullcept.ui.texts import gettext as _


def reason_words(reason: str) -> str:
    """The reason as the screen shows it; one that is not known here stays as it is."""
    words = {
        loop_guard.REASON: _("the AI sessions talked without a person for a while"),
        sessions.NOT_JOINED: _("the session has not joined the room yet"),
        sessions.NOT_LISTED: _("the session does not know the room's tools yet"),
        sessions.NOT_IDLE: _("the session has not reported that it is idle yet"),
        sessions.SIGHTLESS: _("the session cannot show whether it asks something"),
        sessions.TYPED_BY_HAND: _("posts to this session are typed by hand"),
        sessions.AT_FIRST_SCREEN: _("waiting at its first screen"),
        gates.UNSENT: _("unsent text in the terminal"),
        gates.MAYBE_UNSENT: _("there may be unsent text in the terminal"),
        gates.PUT_BACK: _("the last post may be back in the input box"),
        gates.QUESTION: _("a question is open in the terminal"),
        gates.QUESTION_UNKNOWN: _("a question may still be open in the terminal"),
        gates.IN_QUEUE: _("a prompt waits in the program's own queue"),
        typist.BEHIND: _("an earlier post was not taken"),
        receipts.NOT_TAKEN: _("not taken: press Enter, send it again, or skip it"),
        receipts.PROBABLY: _("probably taken"),
        receipts.CUT: _("arrived cut: it can be sent again"),
        receipts.JOINED: _("arrived together with other text"),
        receipts.SKIPPED: _("skipped"),
        receipts.PUT_BACK: _("Escape may have put it back into the input box: it may not have been read"),
        typist.NOT_READING: _("the program does not read its input"),
        typist.LINE_MODE: _("the program reads whole lines at the moment"),
        typist.NO_PASTE: _("the program does not take pastes yet"),
        typist.UNSURE_REASON: _("unsure: a part of the post may have arrived"),
        typist.ENDED: _("the session has ended"),
        typist.TOO_LONG: _("too long to be typed"),
        typist.SHORTENED: _("too long to be typed: the terminal got its beginning and the path of the whole text"),
    }
    return words.get(reason, reason)
