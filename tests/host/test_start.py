"""Opening the port, also when the system refuses for a while or for good."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest

from pullcept.core.launch import Admissions
from pullcept.core.room import Door
from pullcept.host import server as server_module
from pullcept.host.hub import Hub
from pullcept.host.server import Callbacks, HostFailed, RoomServer, bind_loopback
from tests.host.live_host import TOKEN, RecordingOutside, echo


def server_with(bind: Callable[[], socket.socket]) -> RoomServer:
    hub = Hub(RecordingOutside(), person=lambda: Door("admin", name="Person"))
    callbacks = Callbacks(echo, lambda *report: None, lambda *report: None)
    return RoomServer(hub, Admissions(), TOKEN, callbacks, bind=bind)


class RefusingSystem:
    """A system that has no port to give for a while."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals

    def bind(self) -> socket.socket:
        if self.refusals:
            self.refusals -= 1
            raise OSError(10013, "An attempt was made to access a socket in a way forbidden by its access permissions")
        return bind_loopback()


async def start_and_stop(server: RoomServer) -> int:
    port = await server.start()
    await server.stop()
    return port


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "BIND_RETRY_SECONDS", 0.0)


def test_a_port_that_is_refused_three_times_is_opened_at_the_fourth() -> None:
    assert asyncio.run(start_and_stop(server_with(RefusingSystem(3).bind))) > 0


def test_a_port_that_is_always_refused_is_a_clear_error() -> None:
    with pytest.raises(HostFailed, match=r"127\.0\.0\.1.*10013"):
        asyncio.run(start_and_stop(server_with(RefusingSystem(99).bind)))


def test_stopping_twice_and_without_a_start_changes_nothing() -> None:
    async def play() -> None:
        server = server_with(bind_loopback)
        await server.stop()
        await server.start()
        await server.stop()
        await server.stop()

    asyncio.run(play())


def test_two_apps_on_one_computer_get_two_ports() -> None:
    async def play() -> tuple[int, int]:
        first, second = server_with(bind_loopback), server_with(bind_loopback)
        ports = (await first.start(), await second.start())
        await first.stop()
        await second.stop()
        return ports

    first, second = asyncio.run(play())
    assert first != second
