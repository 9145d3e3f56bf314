"""What changed on the screen: the answer of `state.ScreenState.take`, drawn by the window."""

from dataclasses import dataclass

from pullcept.core.seat import Seat


@dataclass(frozen=True, slots=True)
class TopicsChanged:
    """The topic list is to be drawn again."""


@dataclass(frozen=True, slots=True)
class TopicShown:
    """Another topic is on screen: everything about it is to be drawn again."""


@dataclass(frozen=True, slots=True)
class RowsAppended:
    """`count` rows stand at the end that were not there before."""

    count: int


@dataclass(frozen=True, slots=True)
class RowsPrepended:
    """`count` older rows stand before the first one (none: there are no older ones)."""

    count: int


@dataclass(frozen=True, slots=True)
class RowsReplaced:
    """Rows were put in between, or the colours of many changed: draw the conversation again."""


@dataclass(frozen=True, slots=True)
class RowTouched:
    """One row looks different (its delivery marks)."""

    message_id: str


@dataclass(frozen=True, slots=True)
class TextReturned:
    """A text that was not posted goes back to the composer, with the reason to show there."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class AccountsChanged:
    """The list of accounts, guests and their states is to be drawn again."""


@dataclass(frozen=True, slots=True)
class TerminalsChanged:
    """The tabs of the terminal pane are to be drawn again."""


@dataclass(frozen=True, slots=True)
class TerminalWanted:
    """The person should look at this terminal now: the pane opens."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """The status line says something else."""


@dataclass(frozen=True, slots=True)
class FrontWanted:
    """Bring the window to the front."""


@dataclass(frozen=True, slots=True)
class CloseWanted:
    """Close the window after so many seconds in which nobody used it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class ScreenEnded:
    """The app has ended; the window closes."""

    reason: str


Change = (
    TopicsChanged
    | TopicShown
    | RowsAppended
    | RowsPrepended
    | RowsReplaced
    | RowTouched
    | TextReturned
    | AccountsChanged
    | TerminalsChanged
    | TerminalWanted
    | StatusChanged
    | FrontWanted
    | CloseWanted
    | ScreenEnded
)
