"""A clock without waiting, and a terminal that notes when what was written, for the typist's tests."""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any

from pullcept.core.seat import DeliveryState
from pullcept.pty.post import TypedPost
from pullcept.pty.profiles import Profile
from pullcept.pty.terminal import ExitStatus
from pullcept.pty.typist import Typist


class VirtualClock:
    """Time that passes only when everybody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._numbers), woken))
        await woken

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass, waking every sleeper at its moment."""
        end = self.now + seconds
        while True:
            await settle()
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            if not self._sleepers or self._sleepers[0][0] > end:
                break
            self.now, _, woken = heapq.heappop(self._sleepers)
            woken.set_result(None)
        self.now = end


async def settle() -> None:
    """Let every task go on until all of them wait."""
    for _ in range(20):
        await asyncio.sleep(0)


class NotedTerminal:
    """A terminal whose writes arrive at once and are noted with their time, unless a test says otherwise."""

    pid = 1

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.writes: list[tuple[float, bytes]] = []
        self.exited: ExitStatus | None = None
        self.stalled = False
        self.line_mode: bool | None = False
        self.backlog: list[int | None] = []
        self.errors: list[Exception] = []
        self.slow = False
        self.pending: list[Future[None]] = []

    def write(self, data: bytes, limit: float = 10.0) -> Future[None]:
        future: Future[None] = Future()
        self.writes.append((round(self.clock.now - 1000, 6), data))
        if self.errors:
            future.set_exception(self.errors.pop(0))
        elif self.slow:
            self.pending.append(future)
        else:
            future.set_result(None)
        return future

    def resize(self, columns: int, rows: int) -> None: ...

    def end(self, grace: float) -> None: ...

    def is_line_mode(self) -> bool | None:
        return self.line_mode

    def unread(self) -> int | None:
        return self.backlog.pop(0) if self.backlog else 0

    @property
    def data(self) -> bytes:
        return b"".join(data for _, data in self.writes)


class Stage:
    """A typist with its virtual surroundings."""

    def __init__(self, profile: Profile, **options: Any) -> None:
        self.clock = VirtualClock()
        self.terminal = NotedTerminal(self.clock)
        self.states: list[tuple[str, DeliveryState, str]] = []
        self.typing: list[bool] = []
        self.keys: list[bytes] = []
        self.typist = Typist(
            self.terminal,
            profile,
            on_delivery=lambda *state: self.states.append(state),
            on_typing=self.typing.append,
            on_keys=self.keys.append,
            sleep=self.clock.sleep,
            clock=self.clock.time,
            **options,
        )
        self.typist.set_gate("ready", True)

    def put(self, message_id: str = "m1", body: str = "hello", **more: Any) -> None:
        self.typist.put(TypedPost(message_id, f'[pullcept] {{"message_id":"{message_id}"}}', body, **more))

    async def wait(self, seconds: float) -> None:
        await self.clock.pass_time(seconds)

    def typed(self) -> list[str]:
        return [message_id for message_id, state, _ in self.states if state is DeliveryState.TYPED]

    def failed(self) -> list[tuple[str, str]]:
        return [(message_id, why) for message_id, state, why in self.states if state is DeliveryState.FAILED]


def on_stage(profile: Profile, **options: Any) -> Callable[[Callable[[Stage], Coroutine[Any, Any, None]]], Any]:
    """Run an async test with a stage of its own and close it behind."""

    def wrap(test: Callable[[Stage], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        async def play() -> None:
            stage = Stage(profile, **options)
            try:
                await test(stage)
            finally:
                stage.typist.close()
                await settle()

        def run() -> None:
            asyncio.run(play())

        run.__name__ = test.__name__
        run.__doc__ = test.__doc__
        return run

    return wrap
