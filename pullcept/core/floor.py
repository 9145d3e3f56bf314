"""The floor of a room: the newest posts in order, and what an author has not seen of them."""

from dataclasses import dataclass

from pullcept.core.post import Post

FLOOR_SIZE = 512


@dataclass(frozen=True, slots=True)
class Standing:
    """A post on the floor. `position` counts all posts ever put there, from 1; `notes` were told to its author."""

    position: int
    post: Post
    origin: str
    notes: tuple[str, ...] = ()


class Floor:
    """Keeps the last `size` posts. One caller at a time: judging and standing are one step of the room."""

    def __init__(self, size: int = FLOOR_SIZE) -> None:
        self._ring: list[Standing | None] = [None] * size
        self._by_id: dict[str, Standing] = {}
        self.position = 0
        """The position of the newest post; 0 while nothing was said."""

    def stand(self, post: Post, origin: str, notes: tuple[str, ...] = ()) -> int:
        """Put a post at the end and return its position. An id that stands already keeps its place."""
        known = self._by_id.get(post.message_id)
        if known is not None:
            return known.position
        self.position += 1
        slot = self.position % len(self._ring)
        evicted = self._ring[slot]
        if evicted is not None:
            del self._by_id[evicted.post.message_id]
        standing = Standing(self.position, post, origin, notes)
        self._ring[slot] = self._by_id[post.message_id] = standing
        return self.position

    def find(self, message_id: str) -> Standing | None:
        """The standing post with this id, or None when it never stood here or was evicted."""
        return self._by_id.get(message_id)

    def missed(self, origin: str, last_seen: str | None, seat_position: int) -> tuple[Standing, ...]:
        """Posts by others after `last_seen`, oldest first.

        An unknown or evicted id counts as nothing seen. Posts up to `seat_position` are never held against anyone.
        """
        seen = self._by_id.get(last_seen) if last_seen is not None else None
        start = max(seat_position, self.position - len(self._ring), seen.position if seen is not None else 0)
        return tuple(
            standing
            for position in range(start + 1, self.position + 1)
            if (standing := self._ring[position % len(self._ring)]) is not None and standing.origin != origin
        )
