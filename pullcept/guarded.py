"""The loop guard before the terminals of every topic: typing pauses where AI sessions talk without a person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pullcept.core.loop_guard import DEFAULT_LIMIT, REASON, Guarded, LoopGuard
from pullcept.core.post import Post
from pullcept.core.protocol import Paused
from pullcept.core.screen import DeliveryChanged, ScreenEvent, StatusSaid
from pullcept.core.seat import DeliveryState
from pullcept.reasons import reason_words
from pullcept.seats import Seats
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import ngettext

LIMIT_SETTING = "loop_guard_posts"


@dataclass(frozen=True, slots=True)
class Typing:
    """A post on its way into the terminals of a topic. `launches`: the origins it was meant for when it was made."""

    post: Post
    origin: str
    launches: frozenset[str]


class GuardedTyping:
    """Hands posts to the seats of each topic, or keeps them while its guard pauses. Lives on the asyncio thread."""

    def __init__(
        self, seats: Seats, tell: Callable[[ScreenEvent], None], title: Callable[[str], str], limit: int = DEFAULT_LIMIT
    ) -> None:
        """`title` names a topic for the person; `limit`: posts without a person that are typed, 0 switches it off."""
        self._seats = seats
        self._tell = tell
        self._title = title
        self._limit = limit
        self._guards: dict[str, LoopGuard[Typing]] = {}

    def type_post(self, topic_id: str, post: Post, origin: str) -> tuple[Paused, ...]:
        """Queue a post for the terminals of its topic, or keep it. The names that do not get it now, and why."""
        guard = self._guards.setdefault(topic_id, LoopGuard(self._limit))
        launches = self._seats.listeners(topic_id, origin)
        guarded = guard.take(Typing(post, origin, frozenset(launches)), post.role)
        paused = self._pass_on(topic_id, guarded)
        if guarded.released:
            return paused
        self._seats.note_held(topic_id)
        self._mark(topic_id, launches, post, DeliveryState.QUEUED, reason_words(REASON))
        if guarded.began:
            self._say_paused(topic_id)
        return tuple(Paused(name, REASON) for name in launches.values())

    def on_reached(self, topic_id: str, origin: str, message_id: str) -> None:
        """A session spoke in the room and had seen this post."""
        self._seats.on_reached(topic_id, origin, message_id)

    def resume(self, topic_id: str) -> None:
        """The person lets the sessions go on: what waited is typed in order."""
        guard = self._guards.get(topic_id)
        if guard is None or not guard.is_paused:
            self._tell(StatusSaid(_("Typing is not paused in this topic."), "warning"))
            return
        self._pass_on(topic_id, guard.resume())

    def skip_all(self, topic_id: str) -> None:
        """Drop what waits from the typing; the log has it, and the pause goes on."""
        guard = self._guards.get(topic_id)
        dropped = guard.skip_all() if guard is not None else ()
        if not dropped:
            self._tell(StatusSaid(_("No posts wait in this topic."), "warning"))
            return
        for each in dropped:
            here = self._seats.listeners(topic_id, each.origin)
            meant = {origin: name for origin, name in here.items() if origin in each.launches}
            self._mark(topic_id, meant, each.post, DeliveryState.FAILED, _("skipped"))
        text = ngettext(
            "{count} post is not typed; it is in the log. Typing stays paused.",
            "{count} posts are not typed; they are in the log. Typing stays paused.",
            len(dropped),
        )
        self._tell(StatusSaid(text.format(count=len(dropped)), key=_key(topic_id)))

    def _pass_on(self, topic_id: str, guarded: Guarded[Typing]) -> tuple[Paused, ...]:
        paused: tuple[Paused, ...] = ()
        for each in guarded.released:
            paused = self._seats.type_post(topic_id, each.post, each.origin, only=each.launches)
        if guarded.ended:
            self._tell(StatusSaid(_("Typing goes on in this topic."), key=_key(topic_id)))
        return paused

    def _mark(self, topic_id: str, launches: Mapping[str, str], post: Post, state: DeliveryState, reason: str) -> None:
        for session in self._seats.running(topic_id):
            if session.launch.origin in launches:
                self._tell(DeliveryChanged(session.launch.seat, post.message_id, state, reason))

    def _say_paused(self, topic_id: str) -> None:
        text = _("Typing is paused in “{topic}”: {reason}. Any post of yours lets it go on.")
        topic = self._title(topic_id) or _("untitled")
        self._tell(StatusSaid(text.format(topic=topic, reason=reason_words(REASON)), "warning", key=_key(topic_id)))


def limit_of(settings: Mapping[str, Any]) -> int:
    """The limit that the settings name; what is no number counts as the default."""
    value = settings.get(LIMIT_SETTING)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else DEFAULT_LIMIT


def _key(topic_id: str) -> str:
    return f"loop guard {topic_id}"
