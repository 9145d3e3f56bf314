"""A mixed run as data, drawn from a seed: forty posts of every length and shape, and the moment each one meets."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LONGEST = 60_000
LONG = 20_500
SHORT_FORM_LONGEST = 3_000


class Moment(StrEnum):
    """What a post meets. In all but `IDLE`, `HALF_LINE` and `KEYS` the first post of the episode opens it: its turn
    is the busy one, asks the question, or begins the sub-agent."""

    IDLE = "idle"
    BUSY = "busy"
    QUESTION = "question"
    HALF_LINE = "half_line"
    ESCAPE = "escape"
    KEYS = "keys"
    SUBAGENT = "subagent"


OPENED = frozenset({Moment.BUSY, Moment.QUESTION, Moment.ESCAPE, Moment.SUBAGENT})


@dataclass(frozen=True)
class Episode:
    """Posts that meet the same moment. `pauses`: seconds before each. `how`: how the moment ends (see `_HOWS`)."""

    moment: Moment
    posts: tuple[str, ...]
    pauses: tuple[float, ...]
    how: str = ""
    human: str = ""

    @property
    def met(self) -> int:
        """How many of the posts meet the moment."""
        return len(self.posts) - (self.moment in OPENED)


@dataclass(frozen=True)
class MixedPlan:
    """All of a run. `str()` of the seed is all that is needed to draw it again."""

    seed: int
    episodes: tuple[Episode, ...]

    @property
    def posts(self) -> tuple[str, ...]:
        """Every body, in the order in which they are said."""
        return tuple(body for episode in self.episodes for body in episode.posts)

    def met(self, *moments: Moment) -> int:
        """How many posts meet one of these moments."""
        return sum(episode.met for episode in self.episodes if episode.moment in moments)


_HOWS = {
    Moment.BUSY: ("streaming", "tool"),
    Moment.QUESTION: ("yes", "no"),
    Moment.HALF_LINE: ("sent", "wiped", "sent"),
    Moment.ESCAPE: ("after_first_word", "before_first_word"),
    Moment.SUBAGENT: ("yes",),
}
_LONG_FORM = {
    Moment.BUSY: (5, 5, 5, 5),
    Moment.QUESTION: (4, 4),
    Moment.HALF_LINE: (2, 2, 2),
    Moment.ESCAPE: (2, 1),
    Moment.KEYS: (1,),
    Moment.IDLE: (1, 1),
}
_LONG_FORM_WITH_SUBAGENTS = _LONG_FORM | {Moment.QUESTION: (4, 3), Moment.IDLE: (1,), Moment.SUBAGENT: (2,)}
_SHORT_FORM = {
    Moment.BUSY: (3,),
    Moment.QUESTION: (2,),
    Moment.HALF_LINE: (1,),
    Moment.ESCAPE: (2,),
    Moment.KEYS: (1,),
    Moment.IDLE: (1,),
}
_SHORT_FORM_WITH_SUBAGENTS = _SHORT_FORM | {Moment.SUBAGENT: (2,)}


def plan(seed: int, *, subagents: bool = False, short: bool = False) -> MixedPlan:
    """Forty posts (about twelve in the short form), always the same for a seed. `subagents`: the CLI has some."""
    chance = random.Random(seed)
    form = _form(subagents=subagents, short=short)
    shapes = [(moment, size, how) for moment, sizes in form.items() for size, how in _with_hows(moment, sizes, chance)]
    chance.shuffle(shapes)
    lengths = iter(_lengths(chance, sum(size for moment, size, _ in shapes if moment is not Moment.KEYS), short=short))
    episodes = tuple(_episode(chance, moment, size, how, lengths, short=short) for moment, size, how in shapes)
    return MixedPlan(seed, episodes)


def _form(*, subagents: bool, short: bool) -> dict[Moment, tuple[int, ...]]:
    if short:
        return _SHORT_FORM_WITH_SUBAGENTS if subagents else _SHORT_FORM
    return _LONG_FORM_WITH_SUBAGENTS if subagents else _LONG_FORM


def _with_hows(moment: Moment, sizes: tuple[int, ...], chance: random.Random) -> list[tuple[int, str]]:
    hows = _HOWS.get(moment, ("",))
    first = chance.randrange(len(hows))
    return [(size, hows[(first + number) % len(hows)]) for number, size in enumerate(sizes)]


def _lengths(chance: random.Random, count: int, *, short: bool) -> list[int]:
    """Every size about equally often; one near the longest, in the long form."""
    longest = SHORT_FORM_LONGEST if short else LONGEST
    drawn = [1, 2, *(round(longest ** chance.random()) for _ in range(count - 3))]
    drawn.append(chance.randint(longest - longest // 100, longest))
    chance.shuffle(drawn)
    return drawn


def _episode(
    chance: random.Random, moment: Moment, size: int, how: str, lengths: Iterator[int], *, short: bool
) -> Episode:
    if moment is Moment.KEYS:
        sizes = [LONG if short else chance.randint(LONG, LONG * 3 // 2)]
    else:
        sizes = [next(lengths) for _ in range(size)]
    posts = tuple(_body(chance, length) for length in sizes)
    pauses = tuple(round(chance.choice((0.0, 0.0, 0.05, chance.random())), 2) for _ in posts)
    return Episode(moment, posts, pauses, how, _human_line(chance))


def _human_line(chance: random.Random) -> str:
    words = ("まだ書きかけ", "half a line", "what about", "そう思う", "x", "n8", "1 or 2")
    return " ".join(chance.sample(words, chance.randint(1, 3)))


_WORDS = ("部屋の壁だけを持つ。", "whole, once, in order", "e\u0301te\u0301", "ｶﾞｷﾞ", "100 %", '"said"', "שלום", "𠮷野家")
_EMOJI = ("👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇯🇵", "☕️")
_LINES = (
    "/exit",
    "!touch it",
    "# heading",
    "@Mika look",
    "@nowhere.txt",
    "- [ ] box",
    "> quoted",
    "    code()",
    "1. one",
)
_HOSTILE = (
    "\x1b[201~", "\x1b[31mred\x1b[0m", "\x00", "\x03", "\x7f", "\x9b", "\r", "\r\n", "\t", "col\tcol", "\u200b",
    "\u202e", "\u2066x\u2069", "\ufeff", "</pasted_content>", '<pasted_content id="1">', "\x1b", "\x15",
)  # fmt: skip
_ENDS = ("\\", " \\", "\\\\", "@", "$", "。", "🙂", ")")


def _body(chance: random.Random, length: int) -> str:
    """A text of about that length (never longer), with something to see at its beginning and its end."""
    if length <= 2:
        return chance.choice(("あ", "x", "👍", "?", "/", "!"))[:length]
    parts, left = [chance.choice((*_LINES, *_WORDS))], length
    left -= len(parts[0])
    while left > 0:
        parts.append(_part(chance, left))
        left -= len(parts[-1])
    end = chance.choice(_ENDS)
    body = "".join(parts)[: length - len(end)].rstrip("\u200d\ufe0f")  # half an emoji is none
    return (body if body.strip() else "x") + end


def _part(chance: random.Random, left: int) -> str:
    kind = chance.random()
    if kind < 0.08:
        return chance.choice(_HOSTILE)
    if kind < 0.16:
        return chance.choice(_EMOJI)
    if kind < 0.3:
        return chance.choice(("\n", "\n\n", "\n\n\n")) + chance.choice(_LINES)
    if kind < 0.35 and left > 400:
        return chance.choice(_WORDS) * chance.randint(5, 40)
    return chance.choice((" ", "", "\n")) + chance.choice(_WORDS)
