"""Input boxes: how keys act on the text in the box of each kind of CLI, as measured (see the profiles for versions).

Where a kind was not measured, the rule is taken that leaves more text in the box.
"""

import unicodedata
from dataclasses import dataclass

from pullcept.core.grapheme import clusters, last_cluster

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Box:
    """How the input box of one kind of CLI behaves, as measured; the defaults are the rules for all.

    `puts_back`: Escape or Ctrl+C while a turn runs may put the last prompt back into the box, and clears nothing.
    `escapes_clear`: two Escapes clear it. `goes_on`: Enter behind a backslash is a line break. `reviewed`: characters
    that the first Enter removes instead of sending. `lists`: a last word that begins so opens a list, and Enter takes
    its entry. `stashes`: Ctrl+S puts the text aside until the next send. `word_by_blanks`: Ctrl+W takes all up to a
    blank. `drawn_lines`: Ctrl+U takes a line as it is drawn. `extended`: Backspace takes a letter with its marks.
    `reports`: it tells each line it took, but for those that start with one of `commands`.
    """

    puts_back: bool = False
    escapes_clear: bool = True
    goes_on: bool = False
    reviewed: frozenset[str] = frozenset()
    lists: tuple[str, ...] = ()
    stashes: bool = False
    word_by_blanks: bool = False
    drawn_lines: bool = True
    extended: bool = False
    reports: bool = False
    commands: tuple[str, ...] = ("/", "!")


PLAIN_BOX = Box()
CLAUDE_CODE_BOX = Box(
    puts_back=True, goes_on=True, reviewed=_BIDI, stashes=True, word_by_blanks=True, extended=True, reports=True
)
CODEX_BOX = Box(escapes_clear=False, lists=("@", "$"), drawn_lines=False)
BOXES = {"claude_code": CLAUDE_CODE_BOX, "codex_cli": CODEX_BOX}


def word_start(text: str, *, by_blanks: bool) -> int:
    """Where the word that Ctrl+W takes begins; never across a line break. `by_blanks`: only blanks part words."""
    return _blank_word_start(text) if by_blanks else _word_start(text)


def width(text: str) -> int:
    """Columns that a line of text takes when it is drawn."""
    return sum(2 if unicodedata.east_asian_width(each[0]) in "WF" else 1 for each in clusters(text))


def _blank_word_start(text: str) -> int:
    line = text[text.rfind("\n") + 1 :]
    if not line:
        return max(0, len(text) - 1)
    words = line.split()
    return len(text) - len(line) + len(line.rstrip()) - (len(words[-1]) if words else 0)


def _word_start(text: str) -> int:
    """Where the word before the cursor begins, by the narrowest of the rules that CLIs have for it."""
    stripped = text.rstrip(" ")
    if not stripped or stripped.endswith("\n"):
        return len(stripped) - (1 if stripped and stripped == text else 0)
    start = last_cluster(stripped)
    kind = _word_kind(stripped[start:])
    while kind and start and _word_kind(stripped[(before := last_cluster(stripped[:start])) : start]) == kind:
        start = before
    return start


def _word_kind(cluster: str) -> str:
    """Letters and marks of ASCII go as one; of other scripts a dictionary decides, so only one cluster is sure."""
    if not cluster.isascii() or cluster.isspace():
        return ""
    return "word" if cluster.isalnum() or cluster == "_" else "marks"
