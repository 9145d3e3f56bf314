"""The process of the row `hooks.answer`: the listener on a thread of its own, beside a Tk thread that sleeps.

`python -m pullcept.bench.hooks_process <seconds>` prints its port, sleeps in callbacks, and prints how many reports
were handed on.
"""

import asyncio
import sys
import threading
from pathlib import Path

from pullcept.bench.room_house import TOPIC, open_house
from pullcept.core.launch import Admissions, Launch
from pullcept.core.seat import Seat
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.server import BridgeArrival, Callbacks, RoomServer
from pullcept.ui.asleep import sleep_in_callbacks

SECRET = "bench-launch"
ACCOUNT = "acc"
CALLBACK_SECONDS = 0.5


class Listener:
    """Counts the reports that were handed on."""

    def __init__(self, log_path: str) -> None:
        self.reports = 0
        self._log_path = log_path
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), name="host")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        hub, outside = open_house(Path(self._log_path))
        admissions = Admissions()
        seat = Seat(ACCOUNT, TOPIC)
        admissions.add(Launch(seat, 1, SECRET, "control", "Bench", None, None, "claude_code", "entry", "origin"))

        async def no_bridges(stream: BridgeStream, arrival: BridgeArrival) -> None:
            stream.close()

        server = RoomServer(hub, admissions, "bench", Callbacks(no_bridges, self._count, self._count))
        print(await server.start(), flush=True)
        await self._over.wait()
        await server.stop()
        outside.log.close()

    def _count(self, *report: object) -> None:
        self.reports += 1


def main() -> None:
    """Serve for as long as the Tk thread sleeps."""
    listener = Listener(sys.argv[2])
    listener.start()
    sleep_in_callbacks(CALLBACK_SECONDS, float(sys.argv[1]))
    listener.stop()
    print(listener.reports, flush=True)


if __name__ == "__main__":
    main()
