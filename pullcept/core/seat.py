"""A seat: an account's place in one topic. It outlives the runs of its session."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Seat:
    """The key of a seat. Both ids are plain texts without meaning."""

    account_id: str
    topic_id: str


class SeatState(StrEnum):
    """What a seat's session is doing, as far as starting and ending go."""

    NOT_STARTED = "not_started"
    STARTING = "starting"
    FIRST_SCREEN = "first_screen"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"
    FAILED = "failed"


class DeliveryState(StrEnum):
    """How far a post has come on its way into one seat."""

    QUEUED = "queued"
    TYPED = "typed"
    TAKEN = "taken"
    NOT_TAKEN = "not_taken"
    FAILED = "failed"
