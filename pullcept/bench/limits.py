"""The one table of speed limits. `docs/speed.md` shows the same table; a test compares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limit:
    """What one figure must reach.

    `size` is the corpus, client or round count the row states; a smaller one makes the figure SHORT.
    `of` says how the samples become the value: their median, their largest, or the ratio of the two medians.
    """

    figure: str
    bound: Literal["at most", "at least"]
    value: float
    unit: str
    size: int
    of: Literal["median", "largest", "ratio"] = "median"

    @property
    def text(self) -> str:
        sign = "≤" if self.bound == "at most" else "≥"
        return f"{sign} {self.value:g}"

    def holds(self, value: float) -> bool:
        return value <= self.value if self.bound == "at most" else value >= self.value


LIMITS: tuple[Limit, ...] = (
    Limit("sidecar.ready", "at most", 0.25, "ratio", 1, "ratio"),
    Limit("sidecar.memory", "at most", 15, "MB", 1),
    Limit("room.accept", "at least", 5000, "posts/s", 8),
    Limit("room.socket", "at least", 0.5, "ratio", 8, "ratio"),
    Limit("room.socket.p99", "at most", 2.5, "ratio", 8, "ratio"),
    Limit("room.socket.full", "at least", 0.9, "ratio", 100_000, "ratio"),
    Limit("room.refuse", "at most", 0, "wrong rounds", 8, "largest"),
    Limit("hooks.answer", "at most", 50, "ms", 1000),
    Limit("hooks.answer.lost", "at most", 0, "reports", 1000, "largest"),
    Limit("delivery.fanout", "at most", 40, "ms", 20),
    Limit("log.tail", "at most", 0.02, "ratio", 100_000, "ratio"),
)


def limits_of(row: str) -> tuple[Limit, ...]:
    """The limits of the figures that the row called `row` measures; empty for an unknown row."""
    return tuple(limit for limit in LIMITS if row_of(limit.figure) == row)


def row_of(figure: str) -> str:
    """The row that measures a figure: its first two words (`room.socket.p99` belongs to `room.socket`)."""
    return ".".join(figure.split(".")[:2])
