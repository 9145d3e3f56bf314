"""What the app tells a screen (window or console), and what a screen can ask of the app.

Events go from the app to the screen through a queue; actions go the other way and never wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState, Seat, SeatState


@dataclass(frozen=True, slots=True)
class TopicView:
    """One line of the topic list. `ts`: last post, else creation (UTC ISO 8601)."""

    topic_id: str
    title: str
    ts: str
    running: int = 0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class TopicsListed:
    """The whole list, newest first."""

    topics: tuple[TopicView, ...]


@dataclass(frozen=True, slots=True)
class TopicOpened:
    """A topic is on screen now. `rows`: its newest posts, oldest first; `skipped`: unreadable log lines."""

    topic_id: str
    title: str
    rows: tuple[Post, ...]
    has_older: bool
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class OlderRows:
    """Rows before the ones on screen, oldest first."""

    topic_id: str
    rows: tuple[Post, ...]
    has_older: bool


@dataclass(frozen=True, slots=True)
class RowAdded:
    """A post was accepted by the room. `own`: said on this screen. `logged`: it could be written to the log."""

    topic_id: str
    post: Post
    own: bool
    logged: bool = True


@dataclass(frozen=True, slots=True)
class UnsentKept:
    """What an earlier run left unsent in a topic; comes before the first `TopicOpened`."""

    topic_id: str
    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostAccepted:
    """The screen's own post went through. `notes`: texts for the person. `paused`: who has it later, and why."""

    topic_id: str
    message_id: str
    notes: tuple[str, ...] = ()
    paused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostRefused:
    """The screen's own post did not go through: give `text` and the paths of its `files` back to the composer.

    With `reason` empty, the floor refused it: draw `missed` in place (known ids once) and retry later.
    """

    topic_id: str
    message_id: str
    text: str
    missed: tuple[Post, ...] = ()
    left_out: int = 0
    reason: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AccountView:
    """One account as the list shows it."""

    account_id: str
    name: str
    kind: str
    hue: int | None
    startable: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat of a topic as the list shows it. `held`: posts waiting, with the reason."""

    seat: Seat
    state: SeatState
    detail: str = ""
    held: int = 0
    hold_reason: str = ""
    exit_code: int | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class AccountsListed:
    """All accounts in the order of the configuration, the person first."""

    accounts: tuple[AccountView, ...]


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """A seat changed its state or its held posts."""

    view: SeatView


@dataclass(frozen=True, slots=True)
class RosterListed:
    """Calling names in a room, for the @ list: (name, kind or guest, hue), screen's person excluded."""

    topic_id: str
    names: tuple[tuple[str, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class DeliveryChanged:
    """A post moved on its way into one seat."""

    seat: Seat
    message_id: str
    state: DeliveryState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TerminalOpened:
    """A session's terminal exists now; the app's `screen_of` gives its picture."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TypingPost:
    """A post is being typed into this terminal (keys are kept meanwhile), or no longer."""

    seat: Seat
    active: bool


@dataclass(frozen=True, slots=True)
class StatusSaid:
    """A line for the status bar. It stands until another one with the same `key` is said."""

    text: str
    level: Literal["info", "warning", "error"] = "info"
    key: str = ""


@dataclass(frozen=True, slots=True)
class RaiseAsked:
    """Another start of the app on this data folder wants this window in front."""


@dataclass(frozen=True, slots=True)
class CloseUnlessUsed:
    """Close the window after so many seconds, unless a key or a button is pressed in it (the demo's end)."""

    seconds: float


@dataclass(frozen=True, slots=True)
class AppEnded:
    """The app has ended; the screen closes."""

    reason: str = ""


ScreenEvent = (
    TopicsListed
    | TopicOpened
    | OlderRows
    | RowAdded
    | UnsentKept
    | PostAccepted
    | PostRefused
    | AccountsListed
    | SeatChanged
    | RosterListed
    | DeliveryChanged
    | TerminalOpened
    | TypingPost
    | StatusSaid
    | RaiseAsked
    | CloseUnlessUsed
    | AppEnded
)


class Actions(Protocol):
    """What a screen can ask. Every method returns at once; answers come as events."""

    def new_topic(self) -> None: ...
    def open_topic(self, topic_id: str) -> None: ...
    def read_older(self, topic_id: str, before: str) -> None: ...
    def rename_topic(self, topic_id: str, title: str) -> None: ...
    def delete_topic(self, topic_id: str) -> None: ...
    def post(self, topic_id: str, text: str, last_seen: str | None) -> str:
        """Say something; returns the message id under which the outcome will come."""
        ...

    def post_files(self, topic_id: str, text: str, files: Sequence[str], last_seen: str | None) -> str:
        """Say something with files, which are copied into the topic first; the outcome comes as for `post`."""
        ...

    def keep_unsent(self, topic_id: str, text: str, files: tuple[str, ...]) -> None:
        """This is written in a topic and not sent; it comes back as `UnsentKept` at the next start."""
        ...

    def export_topic(self, topic_id: str, path: str) -> None:
        """Write a topic as `.md`, `.html` or `.jsonl`, by the ending of the absolute path; replaces what is there."""
        ...

    def import_topic(self, path: str) -> None:
        """Copy a log from outside in as a new topic and open it."""
        ...

    def save_copy(self, path: str) -> None:
        """Write a copy of everything into one zip; replaces what is there."""
        ...

    def start(self, seat: Seat, columns: int, rows: int) -> None: ...
    def stop(self, seat: Seat) -> None: ...
    def write_keys(self, seat: Seat, data: bytes) -> None: ...
    def resize(self, seat: Seat, columns: int, rows: int) -> None: ...
    def send_anyway(self, seat: Seat) -> None:
        """Let the held posts follow the person's unsent text."""
        ...

    def decide_sightless(self, seat: Seat, decision: str) -> None:
        """Whether posts are typed into sessions of this account that cannot show whether they ask something.

        `decision`: one of `core.account.SIGHTLESS`. It is kept with the account.
        """
        ...

    def set_nickname(self, account_id: str, nickname: str) -> None:
        """Call an account otherwise from now on; an empty nickname gives its name back."""
        ...

    def discard_held(self, seat: Seat) -> None:
        """Do not type the posts that wait for this seat; they stay in the room and its log."""
        ...

    def press_enter(self, seat: Seat) -> None:
        """Enter once more for the post that was not taken."""
        ...

    def send_again(self, seat: Seat, message_id: str) -> None:
        """Type a post once more; the beginning of its id is enough, without one the newest."""
        ...

    def skip(self, seat: Seat, message_id: str) -> None:
        """Give up the post that was not taken."""
        ...

    def go_on(self, topic_id: str) -> None:
        """Type on where the sessions of a topic talked without a person for too long."""
        ...

    def skip_all(self, topic_id: str) -> None:
        """Do not type what waits there; it stays in the log."""
        ...

    def quit(self) -> None: ...
