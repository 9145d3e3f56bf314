"""Names of participants: what is removed on input, what is refused, which of two names is called."""

from pullcept.core.text import is_unseen, utf16_units, whole_text

MAX_NAME_UNITS = 64
MAX_INPUT_LENGTH = 4096
"""A text longer than this is refused unread, whatever would be left of it."""


class NameRefused(ValueError):
    """A name that cannot be used; the text says why."""


def clean_name(text: str) -> str:
    """The name without control, bidi and zero-width characters and without white space around it."""
    return "".join(char for char in whole_text(text) if not is_unseen(char)).strip()


def check_name(text: str) -> str:
    """The cleaned name. Raises `NameRefused` when nothing is left or it is over 64 UTF-16 units."""
    name = clean_name(text[: MAX_INPUT_LENGTH + 1])
    if not name:
        raise NameRefused("the name is empty")
    if len(text) > MAX_INPUT_LENGTH or utf16_units(name) > MAX_NAME_UNITS:
        raise NameRefused(f"the name is longer than {MAX_NAME_UNITS} UTF-16 units")
    return name


def calling_name(name: str, nickname: str | None = None) -> str:
    """The name others use: the trimmed nickname, else the name. The hidden name is no alias."""
    return clean_name(nickname or "") or clean_name(name)
