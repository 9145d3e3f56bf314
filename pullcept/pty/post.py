"""A post as one terminal gets it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TypedPost:
    """Tag line without line end, body as said. `from_admin`: said by the person."""

    message_id: str
    tag: str
    body: str
    from_admin: bool = False
