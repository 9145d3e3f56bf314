"""Loop guard: AI seats that answer each other for ever stop being typed to until a person has said something.

It stands before the typists, so posts keep their order: what is paused leaves in order, and new posts behind it.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from pullcept.core.post import Role

DEFAULT_LIMIT = 30
REASON = "the AI sessions talked without a person for a while"
_NEVER_COUNTED: frozenset[Role] = frozenset({"app", "mcp"})


@dataclass(frozen=True, slots=True)
class Guarded[T]:
    """What to hand to the typists now, in this order. `began`: the pause began with this post, so the topic says it.
    `ended`: it ended."""

    released: tuple[T, ...] = ()
    began: bool = False
    ended: bool = False


class LoopGuard[T]:
    """The guard of one topic. `T` is whatever the caller wants back when a post may be typed."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        """`limit`: posts in a row by AI seats and guests that are typed; 0 switches the guard off."""
        self._limit = max(0, limit)
        self._count = 0
        self._is_paused = False
        self._held: deque[T] = deque()

    @property
    def is_paused(self) -> bool:
        """Whether typing is paused in this topic."""
        return self._is_paused

    @property
    def held(self) -> tuple[T, ...]:
        """The posts that wait, in their order."""
        return tuple(self._held)

    def take(self, item: T, role: Role) -> Guarded[T]:
        """A post was made in the topic, in room order. A person's post ends the pause and leaves behind what waited.

        The `limit`-th post in a row is still typed, the next one is not. Notices of the app and of MCP servers
        neither count nor reset; while typing is paused they wait like the rest.
        """
        if role == "admin":
            return self._resume((item,))
        began = False
        if role not in _NEVER_COUNTED and self._limit:
            began = self._count >= self._limit and not self._is_paused
            self._count += 1
        self._is_paused = self._is_paused or began
        if not self._is_paused:
            return Guarded((item,))
        self._held.append(item)
        return Guarded((), began=began)

    def resume(self) -> Guarded[T]:
        """The person lets them go on: what waited is typed, and counting begins anew."""
        return self._resume(())

    def skip_all(self) -> tuple[T, ...]:
        """Drop what waits from the typing (it stays in the log) and return it. The pause goes on."""
        dropped = tuple(self._held)
        self._held.clear()
        return dropped

    def set_limit(self, limit: int) -> Guarded[T]:
        """Change the limit. A pause ends when the guard is switched off or the new limit is not reached."""
        self._limit = max(0, limit)
        if self._is_paused and (not self._limit or self._count <= self._limit):
            return self._resume((), keep_count=True)
        return Guarded()

    def _resume(self, behind: Iterable[T], *, keep_count: bool = False) -> Guarded[T]:
        ended, self._is_paused = self._is_paused, False
        released = (*self._held, *behind)
        self._held.clear()
        if not keep_count:
            self._count = 0
        return Guarded(released, ended=ended)
