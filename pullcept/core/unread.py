"""Where a post is never read for mentions: fenced and inline code, and the attachment block at its end.

Everything here is linear in the length of the text, and the number of steps taken in Python is bounded: behind
`MAX_CODE_MARKS` pieces of code the rest of a text counts as code.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

MAX_CODE_MARKS = 20_000
ATTACHMENT_HEADS = ("添付:", "Attachments:")

END_CHARS = "\n\r\u0085\u2028\u2029"
_END = rf"(?>\r\n|[{END_CHARS}])"
LINE_END = re.compile(_END)
_AT_LINE_START = rf"(?:\A|(?<=[{END_CHARS}]))"
_PATH = rf"(?:/|[A-Za-z]:[\\/]|\\\\)[^{END_CHARS}]+"
_BLOCK = re.compile(rf"(?:{'|'.join(ATTACHMENT_HEADS)})[ \t]*+(?:{_END}{_PATH})+\s*")
_FENCE_OPENS = re.compile(
    _AT_LINE_START + r"(?P<prefix>[ \t]*+(?:(?:>|[-*+]|[0-9]{1,9}[.)])[ \t]++|>)*+)"
    rf"(?P<fence>`{{3,}}+(?=[^`{END_CHARS}]*(?:[{END_CHARS}]|\Z))|~{{3,}}+)"
)
_NEW_BLOCK = re.compile(rf"{_END}[ \t>]*+(?:(?:[-*+]|[0-9]{{1,9}}[.)]|#{{1,6}})[ \t]|(?=[{END_CHARS}]))")
_TICKS = re.compile(r"`+")
_MAX_NESTING = 16
"""Quotes inside quotes, and marks of one fence; the few forms there are keep the patterns for their ends few."""

_MAX_COLUMN = 32
_MAX_ESCAPES = 200


@dataclass(slots=True)
class Unread:
    """Stretches of a text, in order and apart from each other. `cut`: the rest was too much code to be read."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    cut: bool = False

    def add(self, start: int, end: int) -> None:
        """Add the next stretch; it begins where the last one ended or later."""
        self.starts.append(start)
        self.ends.append(end)

    def touched_until(self, start: int, end: int) -> int:
        """The end of the last stretch that shares a character with `start:end`, or 0."""
        index = bisect_right(self.starts, end - 1) - 1
        return self.ends[index] if index >= 0 and self.ends[index] > start else 0


def attachment_block_start(text: str) -> int | None:
    """Where the attachment block begins: a head line followed, up to the end, by absolute paths only."""
    starts = [place + 1 for head in ATTACHMENT_HEADS for end in END_CHARS if (place := text.rfind(end + head)) >= 0]
    start = max(starts, default=0)
    return start if _BLOCK.fullmatch(text, start) else None


def unread_parts(text: str) -> Unread:
    """All stretches of a post in which an `@` is no mention."""
    unread = Unread()
    block = attachment_block_start(text)
    end = len(text) if block is None else block
    if "`" in text or "~~~" in text:
        _add_code(text, end, unread)
    if block is not None and not unread.cut:
        unread.add(block, len(text))
    return unread


def _add_code(text: str, end: int, unread: Unread) -> None:
    at = 0
    for start, fence_end in _fences(text, end):
        _add_inline_code(text, at, start, unread)
        if unread.cut or len(unread.starts) >= MAX_CODE_MARKS:
            _cut(text, start, unread)
            return
        unread.add(start, fence_end)
        at = fence_end
    _add_inline_code(text, at, end, unread)


def _cut(text: str, start: int, unread: Unread) -> None:
    if not unread.cut:
        unread.add(start, len(text))
        unread.cut = True


def _fences(text: str, end: int) -> Iterator[tuple[int, int]]:
    """Fenced stretches. One that is never closed goes on to the end of its quote, list item or text."""
    at = 0
    while (opened := _FENCE_OPENS.search(text, at, end)) is not None:
        prefix, fence = opened["prefix"], opened["fence"]
        quotes = min(prefix.count(">"), _MAX_NESTING)
        column = min(len(prefix), _MAX_COLUMN) if prefix.strip() and not quotes else 0
        # One search for whatever comes first: each piece of text is looked at once, however many fences there are.
        ends = _fence_end(quotes, column, fence[0], min(len(fence), _MAX_NESTING + 1)).search(text, opened.end(), end)
        at = end if ends is None else ends.end()
        yield opened.start(), at
        if at >= end:
            return


@lru_cache(maxsize=4096)
def _fence_end(quotes: int, column: int, mark: str, length: int) -> re.Pattern[str]:
    """Where a fence ends: where its quote or list item does, or at a closing fence, unless it is absurdly long."""
    ends = []
    if quotes:
        ends.append(rf"{_END}(?!(?:[ \t]*+>){{{quotes}}})")
    elif column:
        ends.append(rf"{_END}(?=[ \t]{{0,{column - 1}}}+[^ \t{END_CHARS}])")
    if length <= _MAX_NESTING:
        ends.append(rf"[{END_CHARS}][ \t>]*+{mark}{{{length},}}+[ \t]*+(?=[{END_CHARS}]|\Z)")
    return re.compile("|".join(ends) or r"(?!)")


def _add_inline_code(text: str, start: int, end: int, unread: Unread) -> None:
    runs: list[tuple[int, int, int]] = []
    for run in _tick_runs(text, start, end):
        if runs and _NEW_BLOCK.search(text, runs[-1][1], run[0]):
            _pair_runs(runs, unread)
            runs = []
        runs.append(run)
        if len(runs) + len(unread.starts) > MAX_CODE_MARKS:
            _pair_runs(runs[:-1], unread)
            _cut(text, max(run[0], *unread.ends[-1:], 0), unread)
            return
    _pair_runs(runs, unread)


def _pair_runs(runs: list[tuple[int, int, int]], unread: Unread) -> None:
    """Code goes from a run of backticks to the next run of exactly its length; a run without one is text."""
    nearest: dict[int, int] = {}
    partners: list[int | None] = []
    for index in range(len(runs) - 1, -1, -1):
        start, end, escaped = runs[index]
        partners.append(nearest.get(end - start - escaped))
        nearest[end - start] = index
    partners.reverse()
    index = 0
    while index < len(runs):
        start, end, escaped = runs[index]
        close = partners[index]
        if close is None or end - start == escaped:
            index += 1
        else:
            unread.add(start + escaped, runs[close][1])
            index = close + 1


def _tick_runs(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Runs of backticks as (start, end, 1 when a backslash takes the first one away outside code)."""
    for found in _TICKS.finditer(text, start, end):
        before = text[max(start, found.start() - _MAX_ESCAPES) : found.start()]
        yield found.start(), found.end(), (len(before) - len(before.rstrip("\\"))) % 2
