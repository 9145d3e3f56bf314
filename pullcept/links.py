"""Joins the MCP servers of bridges with the hub: who is served how, and what a session keeps between connections."""

import logging
from collections.abc import Callable

from pullcept.core.launch import Launch
from pullcept.core.protocol import PROTOCOL, ClientFrame, Hello, RoomFrame
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.hub import Connection, Hub
from pullcept.host.server import BridgeArrival, GuestClaim
from sidecar import server
from sidecar.memory import SeatMemory

log = logging.getLogger(__name__)

OnAnswer = Callable[[Launch, RoomFrame], None]


class Link:
    """One server's way into the room, in memory. `on_hello` is told once the room has taken its hello."""

    def __init__(self, connection: Connection, on_hello: Callable[[], None]) -> None:
        self._connection = connection
        self._on_hello = on_hello

    def receive(self, frame: ClientFrame) -> None:
        """Hand one frame to the hub; answers come before this returns."""
        self._connection.receive(frame)
        if isinstance(frame, Hello):
            self._on_hello()

    def close(self) -> None:
        """Leave the room."""
        self._connection.close()


class Links:
    """Serves every bridge that arrives. Lives on the asyncio thread."""

    def __init__(
        self,
        hub: Hub,
        *,
        on_joined: Callable[[Launch], None],
        on_listed: Callable[[Launch], None],
        on_conversation: Callable[[Launch, str], None],
        language: Callable[[], str | None],
        on_answer: OnAnswer,
    ) -> None:
        self._hub = hub
        self._on_joined = on_joined
        self._on_listed = on_listed
        self._on_conversation = on_conversation
        self._language = language
        self._on_answer = on_answer
        self._memories: dict[str, SeatMemory] = {}

    async def serve(self, stream: BridgeStream, arrival: BridgeArrival) -> bool:
        """Speak MCP with one bridge until it leaves: as a seat, as a guest, or with nothing to offer.

        False: it only asked what there is.
        """
        launch = arrival.admission.launch
        if launch is not None:
            return await server.serve(stream, self._seat(launch))
        if arrival.guest is not None:
            return await server.serve(stream, self._guest(arrival.guest))
        log.info("a bridge gets an empty server: %s", arrival.admission.reason)
        return await server.serve(stream, None)

    def forget(self, launch: Launch) -> None:
        """Drop what an ended session kept."""
        self._memories.pop(launch.launch_secret, None)

    def _seat(self, launch: Launch) -> server.Seating:
        memory = self._memories.setdefault(launch.launch_secret, SeatMemory(launch.name, launch.full_name))
        # It may have been renamed while no bridge was there to hear of it.
        memory.name, memory.full_name = launch.name, launch.full_name
        seat = launch.seat

        def open_link(receive: Callable[[RoomFrame], None]) -> Link:
            def on_frame(frame: RoomFrame) -> None:
                self._on_answer(launch, frame)
                receive(frame)

            return Link(self._hub.connect(on_frame, launch), lambda: self._on_joined(launch))

        return server.Seating(
            Hello(PROTOCOL, launch.name, seat.topic_id, launch.hue, seat.account_id),
            memory,
            open_link,
            on_conversation=lambda conversation_id: self._on_conversation(launch, conversation_id),
            on_listed=lambda: self._on_listed(launch),
            unseen_history=launch.unseen_history,
            language=self._language(),
        )

    def _guest(self, guest: GuestClaim) -> server.Seating:
        return server.Seating(
            Hello(PROTOCOL, guest.name, guest.room, guest.hue),
            SeatMemory(guest.name),
            lambda receive: Link(self._hub.connect(receive), lambda: None),
            language=self._language(),
        )
