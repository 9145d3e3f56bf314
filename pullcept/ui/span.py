"""Which rows of a topic are drawn: a bounded stretch, moved along as the person scrolls."""

from collections.abc import Callable
from dataclasses import dataclass

MOST_ROWS = 150
MOST_COST = 60_000
STEP_ROWS = 40
ROW_COST = 120


@dataclass(frozen=True, slots=True)
class Span:
    """Rows `start` to `stop` (not included) of a topic are drawn."""

    start: int
    stop: int

    def __contains__(self, place: int) -> bool:
        return self.start <= place < self.stop

    def moved(self, by: int) -> "Span":
        """The same rows after `by` rows were put in front of all."""
        return Span(self.start + by, self.stop + by)


@dataclass(frozen=True, slots=True)
class Costs:
    """What the rows of a topic cost, found out only for those asked about. `count` rows; `of(place)` is the cost."""

    count: int
    of: Callable[[int], int]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> int:
        return self.of(place)

    def sum(self, start: int, stop: int) -> int:
        """The cost of a stretch."""
        return sum(self.of(place) for place in range(start, stop))


def cost(characters: int) -> int:
    """How much a row of so many drawn characters takes, in characters."""
    return ROW_COST + min(characters, MOST_COST)


def tail(costs: Costs) -> Span:
    """The newest rows."""
    return ending(costs, len(costs))


def ending(costs: Costs, stop: int) -> Span:
    """As many rows before `stop` as are drawn at most, one at least."""
    start, spent = stop, 0
    while start > 0 and stop - start < MOST_ROWS:
        spent += costs[start - 1]
        if spent > MOST_COST and start < stop:
            break
        start -= 1
    return Span(start, stop)


def beginning(costs: Costs, start: int) -> Span:
    """As many rows from `start` as are drawn at most, one at least."""
    stop, spent = start, 0
    while stop < len(costs) and stop - start < MOST_ROWS:
        spent += costs[stop]
        if spent > MOST_COST and stop > start:
            break
        stop += 1
    return Span(start, stop)


def around(costs: Costs, place: int) -> Span:
    """A stretch in which a row stands with some before it."""
    start, spent = place, 0
    while start > 0 and place - start < STEP_ROWS:
        spent += costs[start - 1]
        if spent > MOST_COST // 2:
            break
        start -= 1
    drawn = beginning(costs, start)
    return drawn if place in drawn else beginning(costs, place)


def earlier(costs: Costs, span: Span) -> Span:
    """One step up."""
    start = max(0, span.start - STEP_ROWS)
    while start < span.start - 1 and costs.sum(start, span.start) > MOST_COST // 2:
        start += 1
    return beginning(costs, start)


def later(costs: Costs, span: Span) -> Span:
    """One step down."""
    stop = min(len(costs), span.stop + STEP_ROWS)
    while stop > span.stop + 1 and costs.sum(span.stop, stop) > MOST_COST // 2:
        stop -= 1
    return ending(costs, stop)
