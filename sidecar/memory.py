"""What belongs to a session and not to one connection of its sidecar: its present name and its kept draft."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """A text the room refused, kept so that it can be sent as it is."""

    content: str
    to: tuple[str, ...] = ()


@dataclass(slots=True)
class SeatMemory:
    """Owned by the app, one for each launch or guest's connection.

    `name`: the present calling name; `full_name`: the original name, None when it is the same.
    `conversation_id`: the CLI's own id of its conversation, once it has told it.
    """

    name: str
    full_name: str | None = None
    draft: Draft | None = None
    conversation_id: str | None = None

    @property
    def original_name(self) -> str:
        """The account's name, whatever it is called here."""
        return self.full_name or self.name
