"""How each kind of CLI is typed to: the measured figures as data, and the steps that follow from them for one post."""

from dataclasses import dataclass

from pullcept.core.tag import clean_body
from pullcept.core.text import is_unseen
from pullcept.pty.pieces import cut

TYPING_LIMIT = 65_536
HEAD_LENGTH = 2_000
LINE_BREAK_MARK = " \u23ce "
PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"
BIDI_CHARACTERS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Profile:
    """The typing rules of one kind of CLI. Times in seconds, lengths in UTF-16 units (as such CLIs count).

    `versions`: the CLI versions the figures were measured with. `piece`: longest piece of one write, 0 for no
    cutting. `bracketed`: text and Enter travel as one bracketed paste. `joined`: one line, Enter in the same write.
    `closing`: when the text gets a blank behind it. `guards_at`: `@` of others must not open files. `needs_raw`:
    nothing is typed while the program reads whole lines.
    """

    name: str
    versions: str = ""
    tag_gap: float = 0.0
    piece: int = 0
    piece_gap: float = 0.0
    enter_gap: float = 0.2
    enter_gap_per_character: float = 0.0
    bracketed: bool = False
    enter_in_paste: bool = False
    joined: bool = False
    spaces_for_tab: bool = False
    left_out: frozenset[str] = frozenset()
    closing: str = ""
    guards_at: bool = False
    needs_raw: bool = True


CLAUDE_CODE = Profile(
    name="claude_code",
    versions="2.1.332",
    tag_gap=0.02,
    piece=380,
    piece_gap=0.04,
    enter_gap=0.2,
    spaces_for_tab=True,
    left_out=BIDI_CHARACTERS,
    closing="after_backslash",
    guards_at=True,
)
CODEX_CLI = Profile(name="codex_cli", versions="0.171.0", bracketed=True, enter_in_paste=True, closing="always")
LINE = Profile(name="line", joined=True, spaces_for_tab=True, needs_raw=False)
RAW = Profile(name="raw", enter_gap_per_character=0.001, spaces_for_tab=True, needs_raw=False)
PASTE = Profile(name="paste", enter_gap_per_character=0.001, bracketed=True)

PROFILES = {profile.name: profile for profile in (CLAUDE_CODE, CODEX_CLI, LINE, RAW, PASTE)}


@dataclass(frozen=True, slots=True)
class Write:
    """One write of its own. Nothing else may be merged into it."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is written for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Enter:
    """The carriage return that sends, in a write of its own."""


Step = Write | Wait | Enter


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do to type one post; `text` is all of it but paste marks and Enter."""

    steps: tuple[Step, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Spill:
    """The body is too long to be typed: save `text` and type `spilled_body` instead."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """This post cannot be typed here whole; `reason` is for the row."""

    reason: str


def plan(
    profile: Profile, tag: str, body: str, *, from_admin: bool = False, line_limit: int | None = None
) -> Plan | Spill | Refused:
    """The steps that type one post, a request to save it elsewhere, or a refusal.

    `tag`: the tag line without a line break. `from_admin`: said by the person, whose `@path` may open files.
    `line_limit`: bytes of the longest line the terminal passes on, line break included; None when it does not
    read lines. Never raises.
    """
    body = clean_body(body)
    if len(body) > TYPING_LIMIT:
        return Spill(body)
    tag = clean_body(tag).replace("\n", " ")
    text = f"{tag}\n{_shaped(profile, body, from_admin)}{_closing(profile, body)}"
    if profile.joined:
        text = text.replace("\n", LINE_BREAK_MARK)
    if line_limit is not None and _longest_line(text) + 1 > line_limit:
        return Refused(f"a line of this post is longer than the {line_limit:,} bytes this terminal passes on")
    return Plan(_steps(profile, text), text)


def spilled_body(text: str, path: str) -> str:
    """What is typed instead of a body that was saved under an absolute path."""
    head = cut(text, HEAD_LENGTH)[0]
    return f"{head}\n[This post is longer than can be typed. The whole text is in {path}]"


def _shaped(profile: Profile, body: str, from_admin: bool) -> str:
    if profile.left_out:
        body = "".join(char for char in body if char not in profile.left_out)
    if profile.guards_at and not from_admin:
        body = _at_guarded(body)
    # Before the cutting: a tab typed as such moves the cursor of some CLIs wrongly and scrambles the pieces.
    return body.replace("\t", "    ") if profile.spaces_for_tab else body


def _closing(profile: Profile, body: str) -> str:
    ends_in_backslash = body.rstrip("".join(profile.left_out)).endswith("\\")
    wanted = profile.closing == "always" or (profile.closing == "after_backslash" and ends_in_backslash)
    return " " if wanted else ""


def _at_guarded(body: str) -> str:
    if "@" not in body:
        return body
    return "".join("\uff20" if char == "@" and _opens_word(body, index) else char for index, char in enumerate(body))


def _opens_word(body: str, index: int) -> bool:
    if index == 0:
        return True
    before = body[index - 1]
    # What a CLI drops (zero-width and the like) must not hide a line start or a blank in front of the @.
    return before.isspace() or is_unseen(before) or _is_variation_selector(before)


def _is_variation_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0000" <= char <= "\U000e0fff"


def _longest_line(text: str) -> int:
    return max(len(line.encode("utf-8")) for line in text.split("\n"))


def _steps(profile: Profile, text: str) -> tuple[Step, ...]:
    if profile.joined:
        return (Write(text + "\r"),)
    if profile.enter_in_paste:
        return (Write(f"{PASTE_BEGIN}{text}{PASTE_END}\r"),)
    if profile.bracketed:
        return (Write(f"{PASTE_BEGIN}{text}{PASTE_END}"), *_sending(profile, text))
    if not profile.piece:
        return (Write(text), *_sending(profile, text))
    return (*_pieces(profile, text), *_sending(profile, text))


def _pieces(profile: Profile, text: str) -> tuple[Step, ...]:
    tag, _, body = text.partition("\n")
    steps: list[Step] = []
    for piece in cut(tag + "\n", profile.piece):
        steps += [Write(piece), Wait(max(profile.tag_gap, profile.piece_gap))]
    for piece in cut(body, profile.piece):
        steps += [Write(piece), Wait(profile.piece_gap)]
    return tuple(steps[:-1])


def _sending(profile: Profile, text: str) -> tuple[Step, ...]:
    return Wait(max(profile.enter_gap, profile.enter_gap_per_character * len(text))), Enter()
