"""Every reason for which a post waits is shown in the language of the screen."""

import pytest

from pullcept import sessions
from pullcept.core import gates, loop_guard
from pullcept.pty import receipts, typist
from pullcept.reasons import reason_words
from pullcept.ui.texts import use_language

REASONS = [
    getattr(module, name)
    for module in (sessions, typist, gates, receipts, loop_guard)
    for name in vars(module)
    if name.isupper() and isinstance(getattr(module, name), str) and " " in getattr(module, name)
]


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason != typist.NOT_READY])
def test_a_reason_is_said_in_japanese_on_a_japanese_screen(reason: str) -> None:
    assert reason_words(reason) == reason
    use_language("ja")
    try:
        assert reason_words(reason) != reason
    finally:
        use_language("en")


def test_a_reason_that_nobody_translated_is_shown_as_it_is() -> None:
    assert reason_words("out of order") == "out of order"
