"""The bridges of seats and guests: who is admitted, which connection speaks for an instance, and its end."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from pullcept.core.launch import Admission, Admissions
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.requests import Refusal, RequestHead

log = logging.getLogger(__name__)

MAX_OTHER_BRIDGES = 64
STOP_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class GuestClaim:
    """What a bridge without a launch says about itself. The room token is all that it has shown."""

    room: str
    name: str
    hue: int | None = None


@dataclass(frozen=True, slots=True)
class BridgeArrival:
    """A bridge whose connection was taken. Neither admitted nor a guest: it gets an empty server."""

    admission: Admission
    guest: GuestClaim | None = None


type ServeMcp = Callable[[BridgeStream, BridgeArrival], Awaitable[bool | None]]


class Bridges:
    """Every bridge that is connected, each with its task. A bridge of a launch is never refused for numbers."""

    def __init__(self, admissions: Admissions, serve: ServeMcp, clock: Callable[[], float]) -> None:
        self._admissions = admissions
        self._serve = serve
        self._clock = clock
        self._streams: dict[tuple[str, str], BridgeStream] = {}
        self._others = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def refuse(self, head: RequestHead) -> Refusal | None:
        """Why there is no place for this bridge, whoever it is; None when there is."""
        secret = head.one("x-pullcept-launch")
        if self._others < MAX_OTHER_BRIDGES or (secret and self._admissions.find(secret)):
            return None
        return Refusal(503, "too many bridges are connected")

    def open(self, transport: asyncio.Transport, head: RequestHead) -> BridgeStream:
        """Take a connection over as lines and serve it; the head tells whose bridge it is."""
        stream = BridgeStream(transport)
        task = asyncio.create_task(self._live(stream, head), name="bridge")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return stream

    def drop_launch(self, launch_secret: str) -> None:
        """Close the bridges of a launch that has ended."""
        for (secret, _), stream in list(self._streams.items()):
            if secret == launch_secret:
                stream.close()

    async def close(self) -> None:
        """End every bridge, and wait a bounded time for those who serve them."""
        for stream in list(self._streams.values()):
            stream.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)

    def _admit(self, head: RequestHead) -> BridgeArrival:
        launch = head.one("x-pullcept-launch")
        guest = None if launch else guest_claim(head)
        if guest is not None:
            return BridgeArrival(Admission(None, "a guest has no launch"), guest)
        entry, instance = head.one("x-pullcept-entry"), head.one("x-pullcept-instance")
        control = head.one("x-pullcept-control")
        return BridgeArrival(self._admissions.admit(launch, control, entry, instance, self._clock()))

    async def _live(self, stream: BridgeStream, head: RequestHead) -> None:
        """One bridge from its arrival to its end. Nothing is waited for between its admission and its being served."""
        try:
            settled = await self._settle(stream, head)
            if settled is None:
                return
            instance = head.one("x-pullcept-instance") or ""
            if settled.admission.launch is not None:
                await self._serve_seat(stream, settled, settled.admission.launch.launch_secret, instance)
            else:
                await self._serve_other(stream, settled)
        finally:
            stream.close()

    async def _settle(self, stream: BridgeStream, head: RequestHead) -> BridgeArrival | None:
        """The arrival once it is decided: a CLI that starts its server anew does not ask twice, so it waits here."""
        arrival = self._admit(head)
        while arrival.admission.wait:
            await asyncio.sleep(arrival.admission.wait)
            if stream.has_ended:
                return None
            arrival = self._admit(head)
        return arrival

    async def _serve_seat(self, stream: BridgeStream, arrival: BridgeArrival, secret: str, instance: str) -> None:
        """Serve the bound instance. An older connection of it is closed: it is dead, or will be."""
        key = (secret, instance)
        if (older := self._streams.get(key)) is not None:
            older.close()
        self._streams[key] = stream
        took_seat: bool | None = True
        try:
            took_seat = await self._serve_guarded(stream, arrival)
        finally:
            if self._streams.get(key) is stream:
                del self._streams[key]
            if took_seat is False:
                self._admissions.unbind(secret, instance)
            self._admissions.instance_gone(instance, self._clock())

    async def _serve_other(self, stream: BridgeStream, arrival: BridgeArrival) -> None:
        """Serve a guest, or one that gets an empty server."""
        if self._others >= MAX_OTHER_BRIDGES:
            return
        key = ("", str(id(stream)))
        self._streams[key] = stream
        self._others += 1
        try:
            await self._serve_guarded(stream, arrival)
        finally:
            self._others -= 1
            del self._streams[key]

    async def _serve_guarded(self, stream: BridgeStream, arrival: BridgeArrival) -> bool | None:
        try:
            return await self._serve(stream, arrival)
        except ConnectionError:
            log.info("a bridge left in the middle of something")
        except Exception:
            log.exception("serving a bridge failed")
        return None


def guest_claim(head: RequestHead) -> GuestClaim | None:
    """The claim of a guest's bridge, or None when it names no room or no name."""
    room, name = _text(head, "x-pullcept-room"), _text(head, "x-pullcept-name")
    if not room or not name:
        return None
    hue = head.one("x-pullcept-hue") or ""
    return GuestClaim(room, name, int(hue) % 360 if hue.isascii() and hue.isdecimal() and len(hue) <= 4 else None)


def _text(head: RequestHead, name: str) -> str:
    """A percent-encoded header value as text; empty when absent or not UTF-8."""
    try:
        return unquote_to_bytes(head.one(name) or "").decode("utf-8").strip()
    except UnicodeDecodeError:
        return ""
