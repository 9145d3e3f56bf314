"""One connection to the room, as calls that are answered: requests and their answers are paired here."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from pullcept.core.protocol import (
    ClientFrame,
    Hello,
    HistoryFrame,
    HistoryResult,
    Identity,
    PostFrame,
    PostResult,
    RoomFrame,
    UsageFrame,
    UsageResult,
)
from sidecar.memory import SeatMemory

log = logging.getLogger(__name__)

POST_SECONDS = 15.0
HISTORY_SECONDS = 15.0
USAGE_SECONDS = 1.5


class Link(Protocol):
    """A connection to the room that carries frames in memory. The hub's own connections fit.

    Answers may come before `receive` returns.
    """

    def receive(self, frame: ClientFrame) -> None: ...

    def close(self) -> None: ...


OpenLink = Callable[[Callable[[RoomFrame], None]], Link]


class RoomGone(Exception):
    """The room cannot be asked any more; the text says why."""


class RoomClient:
    """Speaks to the room for one session. Lives on the host's loop."""

    def __init__(self, open_link: OpenLink, hello: Hello, memory: SeatMemory) -> None:
        self._memory = memory
        self._waiting: dict[tuple[type, str], asyncio.Future[RoomFrame]] = {}
        self._link: Link | None = None
        self._link = open_link(self._receive)
        self._link.receive(hello)

    def close(self) -> None:
        """Leave the room. What still waits for an answer gets none."""
        if self._link is not None:
            self._link.close()
            self._link = None

    async def post(self, frame: PostFrame) -> PostResult | None:
        """Post and give the room's answer; None when none came in time. Raises RoomGone."""
        answer = await self._ask(frame, PostResult, frame.message_id, POST_SECONDS)
        return answer if isinstance(answer, PostResult) else None

    async def history(self, frame: HistoryFrame) -> HistoryResult | None:
        """Read earlier posts; None when no answer came in time. Raises RoomGone."""
        answer = await self._ask(frame, HistoryResult, frame.request_id, HISTORY_SECONDS)
        return answer if isinstance(answer, HistoryResult) else None

    async def usage(self, frame: UsageFrame) -> UsageResult | None:
        """Read one's own figures; None when they cannot be had quickly. Never raises for the room's sake."""
        try:
            answer = await self._ask(frame, UsageResult, frame.request_id, USAGE_SECONDS)
        except RoomGone:
            return None
        return answer if isinstance(answer, UsageResult) and answer.error is None else None

    async def _ask(self, frame: ClientFrame, kind: type, key: str, limit: float) -> RoomFrame | None:
        if self._link is None:
            raise RoomGone("this session has left the room")
        future: asyncio.Future[RoomFrame] = asyncio.get_running_loop().create_future()
        self._waiting[kind, key] = future
        try:
            self._link.receive(frame)
            async with asyncio.timeout(limit):
                return await future
        except TimeoutError:
            return None
        except ConnectionError as error:
            raise RoomGone(str(error) or "the room has closed this connection") from error
        finally:
            self._waiting.pop((kind, key), None)

    def _receive(self, frame: RoomFrame) -> None:
        if isinstance(frame, Identity):
            self._memory.name = frame.name
            self._memory.full_name = frame.full_name if frame.full_name != frame.name else None
            return
        key = frame.message_id if isinstance(frame, PostResult) else frame.request_id
        future = self._waiting.get((type(frame), key))
        if future is not None and not future.done():
            future.set_result(frame)
