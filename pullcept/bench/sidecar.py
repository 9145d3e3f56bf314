"""How fast and how small the process is that a CLI starts for its seat, against a Node SDK server doing the same."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pullcept.bench.harness import Bench, Measured
from pullcept.core.launch import Admissions, Launch, role_line, room_environment
from pullcept.core.protocol import PROTOCOL, Hello
from pullcept.core.seat import Seat
from pullcept.host.bridge_stream import BridgeStream
from pullcept.host.server import BridgeArrival, Callbacks, RoomServer
from sidecar.server import Seating, SeatMemory, serve, warm_up

NODE_SDK = "@modelcontextprotocol/sdk@1.32.2"
ROUNDS = 11
INSTALL_SECONDS = 300.0
ANSWER_SECONDS = 20.0
TOKEN = "t" * 43
PEER = """
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "peer", version: "1" });
server.registerTool("say_to_room", { description: "Says." }, async () => ({ content: [] }));
await server.connect(new StdioServerTransport());
"""
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


def ready(bench: Bench) -> list[Measured]:
    """Milliseconds from the start of the process to its answer to the first request; both sides in turn."""
    peer = node_peer()
    if isinstance(peer, str):
        return [Measured("sidecar.ready", (), skipped=peer)]
    own: list[float] = []
    others: list[float] = []
    with _host() as (environ, command):
        line = command(bench)
        for count in range(ROUNDS + 1):
            first, second = _time_to_answer(line, environ), _time_to_answer(peer, dict(os.environ))
            if count:  # The first round reads both programs from the disk.
                own.append(first)
                others.append(second)
    lines = (" ".join(line), " ".join(peer))
    return [Measured("sidecar.ready", tuple(own), tuple(others), commands=lines, detail=NODE_SDK)]


def memory(bench: Bench) -> list[Measured]:
    """Megabytes that an idle bridge holds, after it has answered."""
    if not sys.platform.startswith("linux"):
        return [Measured("sidecar.memory", (), skipped="reads /proc, so only on Linux")]
    with _host() as (environ, command):
        line = command(bench)
        samples = tuple(_resident_after_answer(line, environ) for _ in range(ROUNDS))
    return [Measured("sidecar.memory", samples, commands=(" ".join(line),))]


def node_peer() -> list[str] | str:
    """The peer's command line, installed into the user's cache when it is not there yet; or why there is none."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return "node and npm are not installed"
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pullcept-bench-node"
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "node_modules" / "@modelcontextprotocol" / "sdk" / "package.json"
    wanted = NODE_SDK.rpartition("@")[2]
    if not package.is_file() or json.loads(package.read_text(encoding="utf-8"))["version"] != wanted:
        (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
        command = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", NODE_SDK]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            return f"npm could not install {NODE_SDK}: {done.stderr[-200:].decode('utf-8', 'replace')}"
    script = folder / "peer.mjs"
    script.write_text(PEER, encoding="utf-8")
    return [node, str(script)]


@contextmanager
def _host() -> Iterator[tuple[dict[str, str], Callable[[Bench], list[str]]]]:
    """A listener that serves every bridge with a seat's server, and the environment and line of a bridge."""
    warm_up()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bench host")
    thread.start()
    server = RoomServer(_NoRoom(), Admissions(), TOKEN, Callbacks(_serve, lambda *_: None, lambda *_: None))
    try:
        port = asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        launch = Launch(Seat("a", "t"), 1, "l" * 43, "c" * 43, "Bench", None, None, "cli", "bench", "origin")
        environ = {**os.environ, **room_environment(launch, f"ws://127.0.0.1:{port}/room", TOKEN)}
        yield environ, _line
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def _line(bench: Bench) -> list[str]:
    return [*role_line("sidecar", bench.python, str(bench.script)).argv, "--entry", "bench"]


async def _serve(stream: BridgeStream, arrival: BridgeArrival) -> None:
    """Every bridge counts as admitted here: the row measures the process, not who may join."""
    await serve(stream, Seating(Hello(PROTOCOL, "Bench", "t"), SeatMemory("Bench"), lambda receive: _SilentLink()))


class _SilentLink:
    def receive(self, frame: object) -> None:
        """Nothing is asked in these rows."""

    def close(self) -> None:
        """Nothing is open."""


class _NoRoom:
    def connect(self, send: object) -> _SilentMember:
        return _SilentMember()


class _SilentMember(_SilentLink):
    def receive_text(self, text: str | bytes) -> None:
        """No room socket is opened in these rows."""


def _time_to_answer(line: Sequence[str], environ: dict[str, str]) -> float:
    begun = time.perf_counter()
    process = _start(line, environ)
    _first_answer(process)
    taken = (time.perf_counter() - begun) * 1000
    _end(process)
    return taken


def _resident_after_answer(line: Sequence[str], environ: dict[str, str]) -> float:
    process = _start(line, environ)
    _first_answer(process)
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    _end(process)
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _start(line: Sequence[str], environ: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(line, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _first_answer(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    alarm = threading.Timer(ANSWER_SECONDS, process.kill)
    alarm.start()
    try:
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        if "result" not in json.loads(process.stdout.readline()):
            raise RuntimeError("the first request was not answered with a result")
    finally:
        alarm.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    with process:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
