"""One room: who sits in it, what may be said now, and what the outside has to do about it.

Every call is one step: it judges, stamps and puts on the floor before it returns, so of two posts at the same
instant the later is judged against a floor that already holds the earlier. Nothing here waits or does I/O.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pullcept.core.address import address
from pullcept.core.effects import (
    Effect,
    LogPost,
    Reached,
    ReadHistory,
    ReadUsage,
    Reply,
    RosterChanged,
    ShowPost,
    TypePost,
)
from pullcept.core.floor import Floor
from pullcept.core.item import fit_post_result, post_item
from pullcept.core.names import MAX_NAME_UNITS, NameRefused, check_name
from pullcept.core.post import Post, Role
from pullcept.core.protocol import (
    MAX_POST_BYTES,
    Hello,
    HistoryFrame,
    HistoryResult,
    Identity,
    PostFrame,
    PostResult,
    UsageFrame,
    UsageResult,
    is_message_id,
    protocol_problem,
)
from pullcept.core.text import is_blank, utf16_units, whole_text

NOT_SEATED = "this connection sits in no room: no hello was accepted"
NAMED_NO_ROOM = "hello named no room"
TAKEN_OVER = "this connection was replaced by a newer one of the same launch"
LAUNCH_ENDED = "the session of this connection has ended"
EMPTY_POST = "nothing was said: the post is empty"
ONLY_MENTIONS = "nothing was said: the post holds only the names of its addressees"
NO_ACCOUNT = "no account stands behind this connection, so there are no figures"
HISTORY_LIMIT = 50
MAX_HISTORY_LIMIT = 200
MAX_ADDRESSEES = 100

_ACCOUNT_ROLES = frozenset({"claude_code", "codex_cli", "cli"})


@dataclass(frozen=True, slots=True)
class Door:
    """How a connection came in, as the host knows it. Without a name it is a guest, whatever else is given.

    `name`: the account's present calling name. `full_name`: its original name when a nickname hides it.
    """

    role: Role = "unknown"
    account_id: str | None = None
    name: str | None = None
    full_name: str | None = None
    hue: int | None = None

    @property
    def is_guest(self) -> bool:
        """Whether nothing but the room token stands behind the connection."""
        return self.name is None


GUEST = Door()


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who is connected. `origin` never leaves the app; `full_name` only when a nickname hides it."""

    origin: str
    name: str
    full_name: str | None
    hue: int | None
    account_id: str | None
    role: Role
    connection: str


@dataclass(slots=True)
class _Place:
    """What the room keeps of one origin; of a launch also while its connection is gone."""

    origin: str
    position: int
    connection: str | None = None
    guest: bool = True
    name: str = ""
    full_name: str | None = None
    hue: int | None = None
    account_id: str | None = None
    role: Role = "unknown"

    def stamp(self, name: str, door: Door, hue: int | None) -> bool:
        """Take over who this is now; returns whether anything in the roster changed."""
        before = (self.name, self.full_name, self.hue, self.account_id, self.role)
        self.guest = door.is_guest
        self.name, self.hue = name, hue
        self.full_name = door.full_name if not door.is_guest and door.full_name != name else None
        self.account_id = None if door.is_guest else door.account_id
        self.role = "unknown" if door.is_guest else door.role
        return before != (self.name, self.full_name, self.hue, self.account_id, self.role)

    def identity(self) -> Identity:
        return Identity(self.name, self.full_name or self.name)


class Room:
    """The floor and the roster of one topic. `is_logged` tells whether the topic's log holds a message id."""

    def __init__(self, topic_id: str, *, is_logged: Callable[[str], bool]) -> None:
        self.topic_id = topic_id
        self._is_logged = is_logged
        self._floor = Floor()
        self._places: dict[str, _Place] = {}
        self._seated: dict[str, _Place] = {}
        self._refused: dict[str, str] = {}

    # Who is here

    def join(self, connection: str, origin: str, hello: Hello, door: Door) -> list[Effect]:
        """Seat a connection, or take a repeated hello of a seated one.

        An `origin` that sat here before keeps its position on the floor; its former connection is replaced. A
        connection that cannot be seated gets the reason as `error` with every request.
        """
        place = self._seated.get(connection)
        reason = self._refusal(hello, door, seated=place is not None)
        if reason is not None:
            if place is None:
                self._refused[connection] = reason
            return []
        if place is None:
            place = self._sit_down(connection, origin)
        changed = place.stamp(*self._stamp_of(hello, door))
        effects: list[Effect] = [RosterChanged(self.topic_id)] if changed or place.connection != connection else []
        place.connection = connection
        if not place.guest and hello.name != place.name:
            effects.append(Reply(connection, place.identity()))
        return effects

    def leave(self, connection: str) -> list[Effect]:
        """A connection is gone. A guest is forgotten; the place of a launch waits for it to come back."""
        self._refused.pop(connection, None)
        place = self._seated.pop(connection, None)
        if place is None:
            return []
        place.connection = None
        if place.guest:
            del self._places[place.origin]
        return [RosterChanged(self.topic_id)]

    def dismiss(self, origin: str) -> list[Effect]:
        """A launch has ended for good: forget its place. A connection it still has is seated no longer."""
        place = self._places.pop(origin, None)
        if place is None or place.connection is None:
            return []
        del self._seated[place.connection]
        self._refused[place.connection] = LAUNCH_ENDED
        return [RosterChanged(self.topic_id)]

    def rename(self, account_id: str, name: str, full_name: str | None, hue: int | None) -> list[Effect]:
        """An account has a new calling name or colour. Connections and positions stay, old posts too."""
        effects: list[Effect] = []
        for place in self._places.values():
            if place.guest or place.account_id != account_id:
                continue
            before = place.identity()
            changed = place.stamp(name, Door(place.role, account_id, name, full_name, hue), hue)
            if changed and place.connection is not None:
                if place.identity() != before:
                    effects.append(Reply(place.connection, place.identity()))
                effects.insert(0, RosterChanged(self.topic_id))
        return list(dict.fromkeys(effects))

    def participants(self) -> tuple[Participant, ...]:
        """The connected participants in the order in which they first sat down."""
        return tuple(
            Participant(
                origin=place.origin,
                name=place.name,
                full_name=place.full_name,
                hue=place.hue,
                account_id=place.account_id,
                role=place.role,
                connection=place.connection,
            )
            for place in self._places.values()
            if place.connection is not None
        )

    def roster_names(self) -> tuple[str, ...]:
        """The calling names that can be addressed now, each once."""
        return tuple(dict.fromkeys(place.name for place in self._places.values() if place.connection is not None))

    # What is said

    def take_post(self, connection: str, frame: PostFrame) -> list[Effect]:
        """Judge one post: deliver it whole, or tell its author alone why not and what it has not seen.

        An id that was delivered before gets the same answer again and nothing else happens.
        """
        place = self._seated.get(connection)
        if place is None:
            return [Reply(connection, PostResult(frame.message_id, error=self._why_not_seated(connection)))]
        earlier = self._answer_given(frame.message_id)
        if earlier is not None:
            return [Reply(connection, earlier)]
        problem = _problem(frame)
        if problem is not None:
            return [Reply(connection, PostResult(frame.message_id, error=problem))]
        addressed = address(whole_text(frame.content), frame.to, self.roster_names())
        if is_blank(addressed.body):
            reason = EMPTY_POST if is_blank(frame.content) else ONLY_MENTIONS
            return [Reply(connection, PostResult(frame.message_id, error=reason))]
        missed = self._floor.missed(place.origin, frame.last_seen, place.position)
        if missed:
            refusal = PostResult(frame.message_id, missed=tuple(post_item(standing.post) for standing in missed))
            return [Reply(connection, fit_post_result(refusal))]
        post = Post(
            message_id=frame.message_id,
            speaker=place.name,
            content=addressed.body,
            ts=frame.ts,
            full_name=place.full_name,
            account=place.account_id,
            to=addressed.to,
            hue=place.hue,
            role=place.role,
        )
        self._floor.stand(post, place.origin, addressed.notes)
        result = PostResult(frame.message_id, delivered=True, notes=addressed.notes)
        # Some programs prove by their word alone what reached them.
        reached = [Reached(self.topic_id, place.origin, frame.last_seen)] if frame.last_seen else []
        return [*self._hand_on(post, place.origin), *reached, Reply(connection, result)]

    def take_notice(self, post: Post) -> list[Effect]:
        """Put a notice of the app or of an MCP server at the current end: never refused, never read for mentions.

        Raises ValueError for a post of any other role. A notice that was taken before is not taken again.
        """
        if post.role not in ("app", "mcp") or post.from_app != (post.role == "app"):
            raise ValueError(f"a notice comes from the app or an MCP server, not from {post.role}")
        if self._floor.find(post.message_id) is not None or self._is_logged(post.message_id):
            return []
        origin = f"notice:{post.role}"
        self._floor.stand(post, origin)
        return self._hand_on(post, origin)

    # What is asked

    def take_history(self, connection: str, frame: HistoryFrame) -> list[Effect]:
        """Ask the log for earlier posts: 50 unless told, at most 200."""
        if connection not in self._seated:
            reason = self._why_not_seated(connection)
            return [Reply(connection, HistoryResult(frame.request_id, error=reason))]
        limit = HISTORY_LIMIT if frame.limit is None else min(max(frame.limit, 1), MAX_HISTORY_LIMIT)
        return [ReadHistory(connection, self.topic_id, frame.request_id, limit, frame.before)]

    def take_usage(self, connection: str, frame: UsageFrame) -> list[Effect]:
        """Ask for the figures of the seat behind this connection; others have none."""
        place = self._seated.get(connection)
        if place is None:
            return [Reply(connection, UsageResult(frame.request_id, error=self._why_not_seated(connection)))]
        if place.account_id is None or place.role not in _ACCOUNT_ROLES:
            return [Reply(connection, UsageResult(frame.request_id, error=NO_ACCOUNT))]
        return [ReadUsage(connection, frame.request_id)]

    # Inside

    def _refusal(self, hello: Hello, door: Door, *, seated: bool) -> str | None:
        problem = protocol_problem(hello.protocol)
        if problem is not None or not door.is_guest:
            return problem
        if not seated and hello.room != self.topic_id:
            return NAMED_NO_ROOM if hello.room is None else "hello named a room that is not open here"
        try:
            check_name(hello.name)
        except NameRefused as refused:
            return f"hello was refused: {refused}"
        return None

    def _sit_down(self, connection: str, origin: str) -> _Place:
        place = self._places.get(origin)
        if place is None:
            place = self._places[origin] = _Place(origin, self._floor.position)
        if place.connection is not None:
            self._seated.pop(place.connection, None)
            self._refused[place.connection] = TAKEN_OVER
        self._refused.pop(connection, None)
        self._seated[connection] = place
        return place

    @staticmethod
    def _stamp_of(hello: Hello, door: Door) -> tuple[str, Door, int | None]:
        if door.name is None:
            return check_name(hello.name), door, hello.hue
        return door.name, door, door.hue

    def _why_not_seated(self, connection: str) -> str:
        return self._refused.get(connection, NOT_SEATED)

    def _answer_given(self, message_id: str) -> PostResult | None:
        """The answer an id got when it was delivered; None when it never was."""
        standing = self._floor.find(message_id)
        logged = self._is_logged(message_id)
        if standing is None and not logged:
            return None
        return PostResult(message_id, delivered=True, logged=logged, notes=standing.notes if standing else ())

    def _hand_on(self, post: Post, origin: str) -> list[Effect]:
        return [
            LogPost(self.topic_id, post),
            ShowPost(self.topic_id, post, origin),
            TypePost(self.topic_id, post, origin),
        ]


def _problem(frame: PostFrame) -> str | None:
    """Why a post cannot be taken whatever the floor holds, or None."""
    if not is_message_id(frame.message_id):
        return "message_id: expected 1 to 64 visible ASCII characters"
    size = len(frame.content)
    if size * 4 > MAX_POST_BYTES and len(whole_text(frame.content).encode()) > MAX_POST_BYTES:
        return f"content: longer than {MAX_POST_BYTES} bytes"
    if len(frame.to) > MAX_ADDRESSEES:
        return f"to: more than {MAX_ADDRESSEES} names"
    if any(utf16_units(name) > MAX_NAME_UNITS for name in frame.to):
        return f"to: a name is longer than {MAX_NAME_UNITS} UTF-16 units"
    return None
