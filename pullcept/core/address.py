"""Whom a post is for: an explicit list, and the `@names` in its body, which move out of it.

A name matches without regard to case, width or composition (NFKC, casefold); the longest match wins and must be
followed by white space, punctuation or the end. The work for one body is bounded, whatever names exist.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pullcept.core.names import clean_name
from pullcept.core.unread import END_CHARS, LINE_END, unread_parts

MAX_NAMES_TOLD = 50
MAX_MARKS_READ = 2_000
NOT_ALL_READ = "this post holds so many @ or so much code that only its first part was read for mentions"

_MARK = re.compile(r"(?<![A-Za-z0-9._%+-])@|＠")
_LAST_LINE_END = re.compile(LINE_END.pattern + r"\Z")
_MAX_MARKS = 32
"""Combining marks read behind one letter; no name of the allowed length needs more."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """A post's addressees in order, the body without its mentions, and notes for the author."""

    to: tuple[str, ...]
    body: str
    notes: tuple[str, ...] = ()


def address(body: str, explicit_to: Sequence[str], roster: Sequence[str]) -> Addressed:
    """Read whom a post is for, at this moment and in this roster of calling names.

    Explicit names come first, without what nobody can see in them, then mentions in order of appearance in the
    roster's spelling. An explicit name that nobody carries stays and is noted with the present roster.
    """
    names = _names(tuple(roster))
    to: dict[str, None] = {}
    unknown: list[str] = []
    for name in dict.fromkeys(cleaned for raw in explicit_to if (cleaned := clean_name(raw))):
        carried = names.carrying(name)
        if not carried:
            unknown.append(name)
        to.update(dict.fromkeys(carried or (name,)))
    notes = [unknown_note(unknown, names.roster)] if unknown else []
    if "@" in body or "＠" in body:
        mentions, all_read = _find_mentions(body, names)
        to.update(dict.fromkeys(name for mention in mentions for name in mention.spellings))
        body = _without(body, mentions)
        if not all_read:
            notes.append(NOT_ALL_READ)
    return Addressed(tuple(to), body, tuple(notes))


def unknown_note(unknown: Sequence[str], roster: Sequence[str]) -> str:
    """The note that tells an author which addressees nobody carries, and who is here."""
    return f"nobody here is called {_told(unknown, quoted=True)}; in the room now: {_told(roster) or 'nobody'}"


def fold(text: str) -> str:
    """The form in which names are compared: equal exactly for names that read the same by NFKC and casefold."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())


@dataclass(slots=True)
class _Node:
    """A place in the tree of folded names; `spellings` is filled where a name ends."""

    after: dict[str, "_Node"] = field(default_factory=dict)
    spellings: tuple[str, ...] = ()


class _Names:
    """The calling names of a roster, ready to be found in a text."""

    def __init__(self, roster: tuple[str, ...]) -> None:
        self.roster = tuple(dict.fromkeys(name for name in roster if name.strip()))
        self._by_fold: dict[str, tuple[str, ...]] = {}
        self._root = _Node()
        for name in self.roster:
            key = fold(name)
            self._by_fold[key] = (*self._by_fold.get(key, ()), name)
        for key, spellings in self._by_fold.items():
            node = self._root
            for char in key:
                node = node.after.setdefault(char, _Node())
            node.spellings = spellings

    def carrying(self, name: str) -> tuple[str, ...]:
        """The spellings an explicit name stands for: itself when carried as it is, else those that read the same."""
        return _choose(self._by_fold.get(fold(name), ()), name)

    def longest_at(self, text: str, start: int) -> tuple[int, tuple[str, ...]]:
        """The end of the longest name that begins at `start`, and its spellings; none when no name does."""
        node: _Node | None = self._root
        at = best = start
        spellings: tuple[str, ...] = ()
        while at < len(text):
            following = _unit_end(text, at)
            for char in fold(text[at:following]):
                node = node.after.get(char) if node is not None else None
            if node is None:
                break
            at = following
            if node.spellings and _ends_name(text, at):
                best, spellings = at, node.spellings
        return best, _choose(spellings, text[start:best])


@lru_cache(maxsize=32)
def _names(roster: tuple[str, ...]) -> _Names:
    return _Names(roster)


def _choose(spellings: tuple[str, ...], said: str) -> tuple[str, ...]:
    return (said,) if said in spellings else spellings


def _unit_end(text: str, start: int) -> int:
    """The end of one letter with its combining marks, the smallest piece that can be folded on its own."""
    at = start + 1
    while at < min(len(text), start + _MAX_MARKS) and text[at] > "\u02ff" and unicodedata.combining(text[at]):
        at += 1
    return at


def _ends_name(text: str, at: int) -> bool:
    return at == len(text) or text[at].isspace() or unicodedata.category(text[at])[0] in "ZPS"


def _told(names: Sequence[str], *, quoted: bool = False) -> str:
    told = ", ".join(f'"{name}"' if quoted else name for name in names[:MAX_NAMES_TOLD])
    return told if len(names) <= MAX_NAMES_TOLD else f"{told} and {len(names) - MAX_NAMES_TOLD} more"


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention in a body, its mark included, and the roster's spellings of its name."""

    start: int
    end: int
    spellings: tuple[str, ...]


def _find_mentions(body: str, names: _Names) -> tuple[list[_Mention], bool]:
    """The mentions of a body in order, and whether all of the body was read."""
    unread = unread_parts(body)
    mentions: list[_Mention] = []
    at = looked = 0
    while (mark := _MARK.search(body, at)) is not None:
        at = unread.touched_until(mark.start(), mark.end())
        if at:
            continue
        looked += 1
        if looked > MAX_MARKS_READ:
            return mentions, False
        end, spellings = names.longest_at(body, mark.end())
        at = mark.end()
        if spellings and not unread.touched_until(mark.start(), end):
            mentions.append(_Mention(mark.start(), end, spellings))
            at = end
    return mentions, not unread.cut


def _without(body: str, mentions: Sequence[_Mention]) -> str:
    """The body without its mentions; a line that held nothing else goes away whole."""
    kept: list[str] = []
    copied = index = 0
    while index < len(mentions):
        start = _line_start(body, copied, mentions[index].start)
        found = LINE_END.search(body, mentions[index].end)
        end, following = found.span() if found else (len(body), len(body))
        count = sum(1 for mention in mentions[index:] if mention.start < end)
        rest = _line_without(body[start:end], start, mentions[index : index + count])
        index += count
        kept += (body[copied:start], rest)
        copied = end
        if not rest.strip():
            kept.pop()
            copied = following
            if found is None:
                return _LAST_LINE_END.sub("", "".join(kept))
    return "".join((*kept, body[copied:]))


def _line_start(body: str, copied: int, at: int) -> int:
    return max(copied, *(body.rfind(end, copied, at) + 1 for end in END_CHARS))


def _line_without(line: str, offset: int, mentions: Sequence[_Mention]) -> str:
    """One line without its mentions: a space behind goes with each, at the line end the one before it."""
    rest = ""
    copied = 0
    for mention in mentions:
        rest += line[copied : mention.start - offset]
        copied = mention.end - offset
        if copied < len(line):
            copied += _is_space(line[copied])
        elif rest and _is_space(rest[-1]):
            rest = rest[:-1]
    return rest + line[copied:]


def _is_space(char: str) -> bool:
    return char == "\t" or unicodedata.category(char) == "Zs"
