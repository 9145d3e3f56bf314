"""Grapheme clusters: what one Backspace removes (the rules of UAX 29 that matter in an input box).

Where versions of Unicode differ (conjuncts of Indic scripts, prepended marks) two clusters are counted. A count
that is too high keeps a post waiting; one that is too low would take a full input box for an empty one.
`extended=False` counts a spacing mark (Devanagari vowels, Thai sara am) by itself, as some CLIs do.
"""

import re
import unicodedata

_ZWJ = "\u200d"
_PICTURE = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714"
    "\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0"
    "\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff"
    "\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f23c-\U0001f23f"
    "\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff\U0001f774-\U0001f77f"
    "\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f\U0001f888-\U0001f88f"
    "\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff\U0001fc00-\U0001fffd]"
)
_SPACING_BUT_APART = re.compile(
    "[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64\uaa7b\uaa7d"
    "\U00011720\U00011721]"
)
_SPACING_LETTERS = "\u0e33\u0eb3"
_EXTENDING = re.compile("[\u200c\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def last_cluster(text: str, *, extended: bool = True) -> int:
    """Where the last cluster of a text begins; 0 for an empty text."""
    index = len(text) - 1
    while index > 0 and _joined(text, index, extended):
        index -= 1
    return max(index, 0)


def clusters(text: str, *, extended: bool = True) -> list[str]:
    """The clusters of a text in their order; joined they are the text again."""
    found: list[str] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not _joined(text, index, extended):
            found.append(text[start:index])
            start = index
    return found


def _joined(text: str, index: int, extended: bool) -> bool:
    before, after = text[index - 1], text[index]
    if before == "\r" and after == "\n":
        return True
    if before < "\u0300" and after < "\u0300":
        return False
    if _is_control(before) or _is_control(after):
        return False
    if _extends(after) or (extended and _is_spacing(after)):
        return True
    if before == _ZWJ:
        return _PICTURE.match(after) is not None and _is_picture_before(text, index - 1)
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, index) % 2 == 1
    return _is_syllable(before, after)


def _is_control(char: str) -> bool:
    if _EXTENDING.match(char):
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def _extends(char: str) -> bool:
    if _EXTENDING.match(char):
        return True
    return unicodedata.category(char) in ("Mn", "Me")


def _is_spacing(char: str) -> bool:
    is_mark = unicodedata.category(char) == "Mc" and _SPACING_BUT_APART.match(char) is None
    return is_mark or char in _SPACING_LETTERS


def _is_picture_before(text: str, index: int) -> bool:
    index -= 1
    while index > 0 and _extends(text[index]) and text[index] != _ZWJ:
        index -= 1
    return index >= 0 and _PICTURE.match(text[index]) is not None


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_letters_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_flag_letter(text[start - 1]):
        start -= 1
    return index - start


def _is_syllable(before: str, after: str) -> bool:
    """Parts of one Hangul syllable: leading consonants, vowels, trailing consonants."""
    first, second = _hangul(before), _hangul(after)
    if first == "L":
        return second in ("L", "V", "LV", "LVT")
    if first in ("LV", "V"):
        return second in ("V", "T")
    return first in ("LVT", "T") and second == "T"


def _hangul(char: str) -> str:
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    return "T" if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb" else ""
