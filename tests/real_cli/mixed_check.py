"""What a mixed run must have shown: every post whole, once, in order, tag first; the person's text where it belongs.

Judged by what the model was given, never by what the app believes.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

TAG = "[pullcept] "
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_DROPPED_BY_CLAUDE = re.compile(f"[{_BIDI}\u200b\u2060\ufeff\u00ad]")
_ESCAPED = re.compile(r"<\\?(/?pasted_content)")
_WRAPPED = re.compile(
    r'\n{0,2}<pasted_content id="(?P<id>[0-9a-f]+)">\n(?P<inside>.*?)\n</pasted_content id="(?P=id)">\n?', re.DOTALL
)


@dataclass(frozen=True)
class SaidPost:
    """A post as it was said: by whom does not matter here, its tag is asked for its id alone."""

    message_id: str
    body: str


@dataclass
class Story:
    """What happened in a run, as the driver did and saw it.

    `lines`: what the person typed and sent, in order. `wiped`: what the person typed and took back. `put_back`: ids of
    posts that the CLI put back into its box after the person's Escape and whose row says so. `allowed`, `ran`: the
    commands that the person allowed, and those that ran.
    """

    kind: str
    posts: list[SaidPost] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    wiped: list[str] = field(default_factory=list)
    put_back: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Verdict:
    """`faults`: everything that broke the promise, empty when it was kept. `wrapped`: posts whose body the CLI wrapped
    as pasted with an exact inside."""

    faults: tuple[str, ...]
    wrapped: tuple[str, ...]


def expected_body(kind: str, body: str) -> str:
    """What the model must see of a body, in the form in which two bodies are compared."""
    return comparable(kind, _CONTROL.sub("", _LINE_END.sub("\n", body)))


def comparable(kind: str, text: str) -> str:
    """A text without what that CLI itself changes on the way; blanks at both ends are trimmed by both."""
    text = _LINE_END.sub("\n", text)
    if kind == "claude_code":
        text = unicodedata.normalize("NFC", _DROPPED_BY_CLAUDE.sub("", text.replace("\t", "    ")))
        text = _ESCAPED.sub(r"<\1", text)
    return text.strip(" \n\t\u3000")


def check(story: Story, requests: Sequence[Sequence[str]]) -> Verdict:
    """Judge a run. `requests`: for each turn of the conversation all texts of the user in it, one for each input,
    without what the CLI adds of its own; the last one was made when everything had been said."""
    faults: list[str] = []
    wrapped: list[str] = []
    by_id = {post.message_id: post for post in story.posts}
    seen: list[str] = []
    for text in requests[-1] if requests else ():
        message_id = _id_of(text)
        if message_id is None:
            seen.append(comparable(story.kind, text))
        elif (post := by_id.get(message_id)) is None:
            faults.append(f"a post nobody said: {text[:120]!r}")
        else:
            seen.append(message_id)
            wrapped += _judge_post(story.kind, post, text, faults)
    faults += _judge_order(story, [each for each in seen if each in by_id])
    faults += _judge_human(story, [each for each in seen if each not in by_id])
    faults += _judge_early(story, requests)
    faults += [f"it ran without the person's word: {command}" for command in sorted(story.ran - story.allowed)]
    return Verdict(tuple(faults), tuple(wrapped))


def _id_of(text: str) -> str | None:
    """The id of the tag that opens a text."""
    if not text.startswith(TAG):
        return None
    try:
        tag = json.loads(text.partition("\n")[0].removeprefix(TAG))
    except ValueError:
        return None
    return str(tag.get("message_id"))


def _judge_post(kind: str, post: SaidPost, text: str, faults: list[str]) -> list[str]:
    """Adds to the faults; returns the id when the body is whole inside a block that the CLI wrapped."""
    wanted = expected_body(kind, post.body)
    arrived = text.partition("\n")[2]
    if comparable(kind, arrived) == wanted:
        return []
    if comparable(kind, unwrapped(arrived)) == wanted:
        return [post.message_id]
    faults.append(f"{post.message_id} is not what was said: {difference(comparable(kind, arrived), wanted)}")
    return []


def unwrapped(text: str) -> str:
    """A text without the marks that a CLI puts around what it took for a paste."""
    return _WRAPPED.sub(lambda found: found["inside"], text)


def difference(arrived: str, said: str) -> str:
    """Where two texts part, short enough to read."""
    pairs = zip(arrived, said, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(arrived), len(said)))
    return f"{len(arrived)} of {len(said)} characters; from {at} {arrived[at : at + 80]!r} not {said[at : at + 80]!r}"


def _judge_order(story: Story, seen: list[str]) -> list[str]:
    faults = [f"{each} came {seen.count(each)} times" for each in dict.fromkeys(seen) if seen.count(each) > 1]
    order = [post.message_id for post in story.posts if post.message_id in seen]
    # A prompt that the person took out of the box and sent again stands where they sent it.
    firm = [each for each in dict.fromkeys(seen) if each not in story.put_back]
    if firm != [each for each in order if each not in story.put_back]:
        faults.append(f"out of order: {firm}")
    missing = [each.message_id for each in story.posts if each.message_id not in seen]
    return faults + [f"{each} is missing" for each in missing if each not in story.put_back]


def _judge_human(story: Story, seen: list[str]) -> list[str]:
    """Every line of the person stands alone, in order, once; nothing else that nobody said is there."""
    wanted = [comparable(story.kind, line) for line in story.lines]
    if seen == wanted:
        return []
    faults = [f"the person's line is missing or not alone: {line!r}" for line in _left_over(wanted, seen)]
    faults += [f"something that nobody sent: {text[:200]!r}" for text in _left_over(seen, wanted)]
    return faults or [f"the person's lines are out of order: {seen}"]


def _left_over(these: Iterable[str], others: Iterable[str]) -> list[str]:
    left = list(others)
    over = []
    for each in these:
        if each in left:
            left.remove(each)
        else:
            over.append(each)
    return over


def _judge_early(story: Story, requests: Sequence[Sequence[str]]) -> list[str]:
    """A text that a later request does not show any more was given to the model all the same."""
    known = {comparable(story.kind, line) for line in story.lines}
    ids = {post.message_id: post for post in story.posts}
    faults = dict[str, None]()
    for text in dict.fromkeys(text for request in requests[:-1] for text in request):
        message_id = _id_of(text)
        if message_id in ids:
            wrong: list[str] = []
            _judge_post(story.kind, ids[message_id], text, wrong)
            faults |= dict.fromkeys(f"earlier: {each}" for each in wrong)
        elif comparable(story.kind, text) not in known:
            faults[f"earlier: something that nobody sent: {text[:200]!r}"] = None
    return list(faults)
