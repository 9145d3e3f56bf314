"""All rooms and everybody connected to them. Frames come in here, answers go out; rooms decide in between.

Lives on one thread. A connection that sits in no room gets an error that says why on each request.
"""

import json
import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from pullcept.core.launch import Launch
from pullcept.core.post import Post, ts_of
from pullcept.core.protocol import (
    PROTOCOL,
    ClientFrame,
    FrameError,
    Hello,
    HistoryFrame,
    PostFrame,
    RoomFrame,
    UsageFrame,
    error_answer,
    parse_client_frame,
    protocol_problem,
)
from pullcept.core.room import GUEST, Door, Participant, Room
from pullcept.core.seat import Seat
from pullcept.host.runner import Outside, Runner

log = logging.getLogger(__name__)

SCREEN_ORIGIN = "screen"
CONNECTED = "connected"
NO_HELLO = "say hello first: this connection has not named its room"
UNREADABLE = " (its last frame could not be read: "


class Connection:
    """One member's end of the hub. `origin` is its roster key."""

    def __init__(self, hub: "Hub", send: Callable[[RoomFrame], None], origin: str, launch: Launch | None, screen: bool):
        self.id = str(uuid.uuid4())
        self.origin = origin
        self.launch = launch
        self.screen = screen
        self.topic_id: str | None = None
        self.seated = False
        self.seatless = NO_HELLO
        self.send = send
        self._hub = hub
        self._closed = False
        self._complained = False

    def receive_text(self, text: str | bytes) -> None:
        """Take one message as it came over the wire. Never raises for what it holds."""
        try:
            frame = parse_client_frame(text)
        except FrameError as error:
            self._on_unreadable(error)
            return
        if frame is not None:
            self.receive(frame)

    def receive(self, frame: ClientFrame) -> None:
        """Take one frame; answers come through `send`, before this returns."""
        if not self._closed:
            self._hub.take_frame(self, frame)

    def _on_unreadable(self, error: FrameError) -> None:
        if error.answer is not None:
            self.send(error.answer)
            return
        log.log(logging.DEBUG if self._complained else logging.WARNING, "a frame could not be read: %s", error)
        self._complained = True
        if not self.seated:
            self.seatless = f"{self.seatless.partition(UNREADABLE)[0]}{UNREADABLE}{error})"

    def close(self) -> None:
        """Leave the room. Doing it twice changes nothing."""
        if not self._closed:
            self._closed = True
            self._hub.leave(self)


class Hub:
    """Keeps the rooms by topic id.

    `person` tells through which door the one at the screen comes, `state_of` what a seated session is doing.
    """

    def __init__(
        self,
        outside: Outside,
        *,
        person: Callable[[], Door],
        state_of: Callable[[Seat], str] = lambda seat: CONNECTED,
        app_name: str = "Pullcept (automatic)",
    ) -> None:
        self._outside = outside
        self._state_of = state_of
        self._person = person
        self._app_name = app_name
        self._runner = Runner(outside, self)
        self._rooms: dict[str, Room] = {}
        self._connections: dict[str, Connection] = {}
        self._newer_protocol_told = False

    def open_room(self, topic_id: str) -> Room:
        """The room of a topic, made now if there is none."""
        room = self._rooms.get(topic_id)
        if room is None:
            room = Room(topic_id, is_logged=partial(self._outside.is_logged, topic_id))
            self._rooms[topic_id] = room
        return room

    def drop_room(self, topic_id: str, reason: str) -> None:
        """Take a room away. Its members stay connected and are told `reason` on every request."""
        if self._rooms.pop(topic_id, None) is None:
            return
        for connection in self._connections.values():
            if connection.topic_id == topic_id:
                connection.topic_id, connection.seated, connection.seatless = None, False, reason

    def connect(
        self, send: Callable[[RoomFrame], None], launch: Launch | None = None, *, screen: bool = False
    ) -> Connection:
        """A new connection; it sits nowhere until its hello. `launch` only when it was admitted by one."""
        origin = SCREEN_ORIGIN if screen else launch.origin if launch else str(uuid.uuid4())
        connection = Connection(self, send, origin, launch, screen)
        self._connections[connection.id] = connection
        return connection

    def notice(self, topic_id: str, text: str) -> None:
        """Say something as the app itself, in a room that is open."""
        room = self._rooms.get(topic_id)
        if room is None:
            log.warning("a notice for a room that is not open was dropped")
            return
        now = ts_of(datetime.now(UTC))
        post = Post(str(uuid.uuid4()), self._app_name, text, now, from_app=True, role="app")
        self._runner.run(room.take_notice(post))

    def rename(self, account_id: str, name: str, full_name: str | None, hue: int | None) -> None:
        """Give an account its new name in every room, from now on."""
        for connection in self._connections.values():
            launch = connection.launch
            if launch is not None and launch.seat.account_id == account_id:
                connection.launch = replace(launch, name=name, full_name=full_name, hue=hue)
        for room in list(self._rooms.values()):
            self._runner.run(room.rename(account_id, name, full_name, hue))

    def dismiss(self, topic_id: str, origin: str) -> None:
        """Forget the place of a launch that has ended for good."""
        room = self._rooms.get(topic_id)
        if room is not None:
            self._runner.run(room.dismiss(origin))

    def participants(self, topic_id: str) -> tuple[Participant, ...]:
        """Who is in a room; nobody when it is not open."""
        room = self._rooms.get(topic_id)
        return room.participants() if room is not None else ()

    def take_frame(self, connection: Connection, frame: ClientFrame) -> None:
        """Judge one frame of a connection and carry out what follows. A failure here is answered, not raised."""
        try:
            self._take_frame(connection, frame)
        except Exception:
            log.exception("a frame could not be handled")
            self._refuse(connection, frame, "the room failed to handle this; see the log of the app")

    def _take_frame(self, connection: Connection, frame: ClientFrame) -> None:
        if isinstance(frame, Hello):
            self._take_hello(connection, frame)
            return
        room = self._room_of(connection)
        if room is None:
            self._refuse(connection, frame, connection.seatless)
        elif isinstance(frame, PostFrame):
            self._runner.run(room.take_post(connection.id, frame))
        elif isinstance(frame, HistoryFrame):
            self._runner.run(room.take_history(connection.id, frame))
        elif isinstance(frame, UsageFrame):
            self._runner.run(room.take_usage(connection.id, frame))
        else:
            self._refuse(connection, frame, "starting and ending sessions is not available yet")

    def leave(self, connection: Connection) -> None:
        """Forget a connection that has closed."""
        self._connections.pop(connection.id, None)
        room = self._room_of(connection)
        if room is not None:
            self._runner.run(room.leave(connection.id))

    def send(self, connection: str, frame: RoomFrame) -> None:
        """Answer one connection; nothing when it has left meanwhile."""
        member = self._connections.get(connection)
        if member is not None:
            member.send(frame)

    def seat_of(self, connection: str) -> Seat | None:
        """The seat behind a connection, when a launch admitted it."""
        member = self._connections.get(connection)
        return member.launch.seat if member is not None and member.launch is not None else None

    def participant_lines(self, topic_id: str) -> tuple[str, ...]:
        """One line for each participant: calling name, what it is, and its state."""
        return tuple(_participant_line(each, self._state_in(topic_id, each)) for each in self.participants(topic_id))

    def _state_in(self, topic_id: str, participant: Participant) -> str:
        if participant.account_id is None or participant.role == "admin":
            return CONNECTED
        return self._state_of(Seat(participant.account_id, topic_id))

    def _refuse(self, connection: Connection, frame: ClientFrame, reason: str) -> None:
        answer = error_answer(frame, reason)
        if answer is not None:
            connection.send(answer)

    def _take_hello(self, connection: Connection, hello: Hello) -> None:
        if not connection.seated:
            self._choose_room(connection, hello)
        room = self._room_of(connection)
        if room is None:
            log.info("a connection was seated nowhere: %s", connection.seatless)
            return
        self._runner.run(room.join(connection.id, connection.origin, hello, self._door_of(connection)))
        connection.seated = any(member.connection == connection.id for member in room.participants())

    def _choose_room(self, connection: Connection, hello: Hello) -> None:
        former = self._room_of(connection)
        if former is not None:
            self._runner.run(former.leave(connection.id))
        connection.seatless = self._refuse_hello(connection, hello)
        connection.topic_id = None if connection.seatless else hello.room

    def _refuse_hello(self, connection: Connection, hello: Hello) -> str:
        """Why no room can be asked to seat this connection; empty when one can."""
        if problem := protocol_problem(hello.protocol):
            return problem
        self._tell_newer(hello.protocol or PROTOCOL)
        if hello.room is None:
            return "the hello named no room"
        if connection.launch is not None and connection.launch.seat.topic_id != hello.room:
            return "the hello named another room than the one of this session"
        if hello.room not in self._rooms:
            return f"there is no open room {hello.room[:80]!r}"
        return ""

    def _tell_newer(self, protocol: int) -> None:
        if protocol > PROTOCOL and not self._newer_protocol_told:
            self._newer_protocol_told = True
            log.warning("a client speaks protocol %.20s, newer than %d", protocol, PROTOCOL)

    def _door_of(self, connection: Connection) -> Door:
        if connection.screen:
            return self._person()
        launch = connection.launch
        if launch is None:
            return GUEST
        return Door(launch.role, launch.seat.account_id, launch.name, launch.full_name, launch.hue)

    def _room_of(self, connection: Connection) -> Room | None:
        return self._rooms.get(connection.topic_id) if connection.topic_id is not None else None


def _participant_line(participant: Participant, state: str) -> str:
    """The name stands in quotes, so that nobody can be called what looks like a role or like another line."""
    kind = "guest" if participant.role == "unknown" else participant.role
    return f"{json.dumps(participant.name, ensure_ascii=False)} ({kind}, {state})"
