"""Small facts about text that several rules need: lone surrogates, UTF-16 length, what nobody can see."""

import re
import unicodedata

_SURROGATE = re.compile("[\ud800-\udfff]")
_VISIBLE_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp"})


def whole_text(text: str) -> str:
    """The same text with surrogate pairs joined and lone surrogates replaced by U+FFFD: always encodable."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utf16_units(text: str) -> int:
    """Length in UTF-16 code units, the measure of all name and instruction limits."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_unseen(char: str) -> bool:
    """Whether a character leaves no mark of its own: control, bidi, zero-width, line separators, fillers."""
    if char in _BLANK_LETTERS:
        return True
    return unicodedata.category(char) in _UNSEEN_CATEGORIES and char not in _VISIBLE_FORMAT


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing at all: only white space and characters without a mark."""
    return all(char.isspace() or is_unseen(char) for char in text)
