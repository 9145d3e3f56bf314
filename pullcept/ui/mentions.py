"""The candidates behind an `@`: which names fit what is written before the caret."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

SIGNS = "@＠"
LONGEST = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that may be put in. `count`: how many participants carry it."""

    name: str
    kind: str
    hue: int | None
    count: int = 1


def open_mention(before: str) -> str | None:
    """What is written behind the `@` the caret stands in; None when it stands in none.

    Such an `@` stands at the start or after white space, and no line break follows it.
    """
    place = max(before.rfind(sign) for sign in SIGNS)
    if place < 0 or (place > 0 and not before[place - 1].isspace()):
        return None
    typed = before[place + 1 :]
    return None if "\n" in typed or len(typed) > LONGEST or typed[:1].isspace() else typed


def candidates(typed: str, names: Sequence[tuple[str, str, int | None]]) -> tuple[Candidate, ...]:
    """Names that begin with what is typed (width and case do not matter), each once, in roster order."""
    found: dict[str, Candidate] = {}
    for name, kind, hue in names:
        if not folded(name).startswith(folded(typed)):
            continue
        known = found.get(name)
        found[name] = Candidate(name, known.kind, known.hue, known.count + 1) if known else Candidate(name, kind, hue)
    return tuple(found.values())


def folded(text: str) -> str:
    """Text as names are compared."""
    return unicodedata.normalize("NFKC", text).casefold()
