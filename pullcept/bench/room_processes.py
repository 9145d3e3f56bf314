"""The processes of the row `room.socket`: our listener, a minimal peer, and the eight clients that post.

`python -m pullcept.bench.room_processes ours|peer <log>` prints its port and serves until stdin closes.
`… clients <port> <token> turns|all <posts>` prints the seconds it took and each post's latency as JSON.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from pullcept.bench.room_house import TOPIC, TS, open_house
from pullcept.core.launch import Admissions
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.server import BridgeArrival, Callbacks, RoomServer

CLIENTS = 8
BURST = 8
BODY = "the build is green, details follow. 詳細は続く。" * 2


async def serve_ours(path: Path, token: str) -> None:
    """Our listener over a room whose log is at `path`."""
    hub, outside = open_house(path)

    async def no_bridges(stream: BridgeStream, arrival: BridgeArrival) -> None:
        stream.close()

    callbacks = Callbacks(no_bridges, lambda *report: None, lambda *report: None)
    server = RoomServer(hub, Admissions(), token, callbacks)
    print(await server.start(), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()
    outside.log.close()


async def serve_peer(path: Path) -> None:
    """A server that only appends a line and tells its author."""
    with path.open("ab", buffering=0) as log:

        async def take(wire: ServerConnection) -> None:
            async for text in wire:
                frame = json.loads(text)
                if frame["type"] != "post":
                    continue
                log.write((json.dumps(frame, ensure_ascii=False) + "\n").encode())
                answer = {"type": "post_result", "message_id": frame["message_id"], "delivered": True, "missed": []}
                await wire.send(json.dumps(answer))

        async with serve(take, "127.0.0.1", 0, compression=None) as server:
            print(next(iter(server.sockets)).getsockname()[1], flush=True)
            await asyncio.to_thread(sys.stdin.read)


class Posters:
    """Eight clients in one process, each of which knows what the others have said."""

    def __init__(self, wires: list[ClientConnection], run: str) -> None:
        self.wires = wires
        self.run = run
        self.newest: str | None = None
        self.said = 0
        self.latencies: list[float] = []
        self.delivered = 0

    async def take_turns(self, posts: int) -> None:
        """One client after the other says `BURST` posts without waiting between them: all of them are delivered."""
        for turn in range(posts // BURST):
            wire = self.wires[turn % len(self.wires)]
            began = [await self.say(wire) for _ in range(BURST)]
            for start in began:
                await self.hear(wire, start)

    async def all_at_once(self, posts: int) -> None:
        """Each client posts as fast as it is answered: one of them gets through, the others are shown what it said."""

        async def keep_posting(wire: ClientConnection) -> None:
            while self.said < posts:
                await self.hear(wire, await self.say(wire))

        self.said = 0
        await asyncio.gather(*(keep_posting(wire) for wire in self.wires))

    async def say(self, wire: ClientConnection) -> float:
        """Send one post; gives the time at which that began."""
        self.said += 1
        message_id = f"{self.run}-{self.said}-{time.perf_counter_ns()}"
        frame: dict[str, Any] = {"type": "post", "message_id": message_id, "content": BODY, "ts": TS}
        if self.newest is not None:
            frame["last_seen"] = self.newest
        began = time.perf_counter()
        await wire.send(json.dumps(frame, ensure_ascii=False))
        return began

    async def hear(self, wire: ClientConnection, began: float) -> None:
        """Wait for one answer and learn from it what was said last."""
        answer = json.loads(await wire.recv())
        self.latencies.append(time.perf_counter() - began)
        self.delivered += answer["delivered"]
        self.newest = answer["message_id"] if answer["delivered"] else answer["missed"][-1]["message_id"]


async def run_clients(port: int, token: str, way: str, posts: int) -> None:
    """Connect, warm up, measure, print."""
    headers = {"Authorization": f"Bearer {token}"}
    wires = [
        await connect(f"ws://127.0.0.1:{port}/room", additional_headers=headers, compression=None, proxy=None)
        for _ in range(CLIENTS)
    ]
    for number, wire in enumerate(wires):
        await wire.send(json.dumps({"type": "hello", "protocol": 11, "name": f"C{number}", "room": TOPIC}))
    posters = Posters(wires, f"{time.time_ns():x}")
    play = posters.take_turns if way == "turns" else posters.all_at_once
    await play(posts // 10)
    posters.latencies.clear()
    posters.delivered = 0
    began = time.perf_counter()
    await play(posts)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "delivered": posters.delivered, "latencies": posters.latencies}))
    for wire in wires:
        await wire.close()


def main(argv: list[str]) -> None:
    """Run one of the processes."""
    match argv:
        case ["ours", path, token]:
            asyncio.run(serve_ours(Path(path), token))
        case ["peer", path, _]:
            asyncio.run(serve_peer(Path(path)))
        case ["clients", port, token, way, posts]:
            asyncio.run(run_clients(int(port), token, way, int(posts)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
