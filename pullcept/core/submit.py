"""What the text of a submit proves: that it is this post, whole or cut, or that it is something else.

Both sides are compared as the CLI may have changed them on the way: composed (NFC), without invisible characters,
line separators as LF, marks of a paste (`<pasted_content`) unescaped, blanks at both ends trimmed, a tab as four
spaces.
"""

import re
import unicodedata
from enum import StrEnum

from pullcept.core.tag import id_in_tag
from pullcept.core.text import is_unseen, whole_text

TASK_NOTIFICATION = "<task-notification>"
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_MAYBE_UNSEEN = re.compile(r"[^\n -~\u3001-\u30ff\u4e00-\u9fff]")
_PASTE_MARK = re.compile(r"<\\?(/?pasted_content)")
_WRAP_OPENS = re.compile(r'\n{0,2}<pasted_content id="[^"\n]{0,64}">\n')
_WRAP_CLOSES = re.compile(r'\n</pasted_content id="[^"\n]{0,64}">(?:\n|\Z)')


class Match(StrEnum):
    """What a submit holds of one post. `JOINED`: the whole post, and other text around it."""

    WHOLE = "whole"
    JOINED = "joined"
    CUT = "cut"
    NOT_OURS = "not_ours"


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same to a CLI that took one of them for the other."""
    return _plain(one) == _plain(other)


def compare(typed: str, submitted: str, message_id: str) -> Match:
    """What `submitted` holds of the post `message_id` that was typed as `typed` (tag, line end, body).

    The id counts anywhere in the text: a pasted block can stand before the tag. A block that the CLI itself
    wrapped counts as whole when its inside is exact. Never raises.
    """
    if f'"message_id":"{id_in_tag(message_id)}"' not in submitted:
        return Match.NOT_OURS
    ours = _plain(typed)
    readings = [_plain(reading) for reading in _readings(submitted)]
    if ours in readings:
        return Match.WHOLE
    if any(ours in reading for reading in readings):
        return Match.JOINED
    # The end of a sub-agent may quote a tag that it read in the history.
    return Match.NOT_OURS if submitted.lstrip().startswith(TASK_NOTIFICATION) else Match.CUT


def _readings(submitted: str) -> tuple[str, ...]:
    text = _LINE_END.sub("\n", submitted)
    if _WRAP_CLOSES.search(text) is None:
        return (text,)
    inside = _WRAP_CLOSES.sub("", text)
    return text, _WRAP_OPENS.sub("", inside), _WRAP_OPENS.sub("\n", inside)


def _plain(text: str) -> str:
    text = _LINE_END.sub("\n", whole_text(text)).replace("\t", "    ")
    text = unicodedata.normalize("NFC", _MAYBE_UNSEEN.sub(_seen, text))
    return _PASTE_MARK.sub(r"<\1", text).strip()


def _seen(found: re.Match[str]) -> str:
    return "" if is_unseen(found[0]) else found[0]
