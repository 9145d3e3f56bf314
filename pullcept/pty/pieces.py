"""Cutting text into pieces for separate writes without tearing what is one character to its reader."""

import unicodedata

_ZWJ = "\u200d"


def cut(text: str, limit: int) -> list[str]:
    """Pieces of at most `limit` UTF-16 units that give `text` when joined; none for an empty text.

    A piece ends between two grapheme clusters, except inside a cluster that is longer than half of `limit`.
    """
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = _furthest(text, start, limit)
        if end < len(text):
            end = _before_cluster(text, start, end)
        pieces.append(text[start:end])
        start = end
    return pieces


def units(char: str) -> int:
    """How many UTF-16 units a character takes, which is how the CLIs written in JavaScript count."""
    return 2 if ord(char) > 0xFFFF else 1


def _furthest(text: str, start: int, limit: int) -> int:
    taken, index = 0, start
    while index < len(text) and taken + units(text[index]) <= limit:
        taken += units(text[index])
        index += 1
    return max(index, start + 1)


def _before_cluster(text: str, start: int, end: int) -> int:
    index = end
    while index > start + (end - start) // 2:
        if not _joins(text, index):
            return index
        index -= 1
    return end


def _joins(text: str, index: int) -> bool:
    """Whether the characters before and at `index` belong to one cluster."""
    before, after = text[index - 1], text[index]
    if before == _ZWJ or _extends(after):
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, index) % 2 == 1
    return _is_jamo(before) and _is_jamo(after)


def _extends(char: str) -> bool:
    return (
        char == _ZWJ
        or char == "\u200c"
        or unicodedata.category(char) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or char in "\uff9e\uff9f"
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int) -> int:
    count = 0
    while count < index and _is_flag_letter(text[index - 1 - count]):
        count += 1
    return count


def _is_jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97f" or "\ud7b0" <= char <= "\ud7ff"
