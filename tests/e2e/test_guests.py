"""Programs that are not ours take part in the running app: both official SDKs through a guest's sidecar, and a
WebSocket client that knows nothing of us."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.e2e.running_app import RunningApp
from tests.real_cli.binaries import cache_folder

NODE_SCRIPT = Path(__file__).resolve().parents[1] / "sidecar" / "node_client.mjs"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[RunningApp]:
    with RunningApp(tmp_path, []) as running:
        yield running


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_the_python_sdk_talks_as_a_guest_is_refused_once_and_sends_its_draft(app: RunningApp) -> None:
    environment, argv = app.app.guest_line(app.topic_id, "Python guest")
    server = StdioServerParameters(command=argv[0], args=list(argv[1:]), env={**os.environ, **environment})

    async def talk() -> list[str]:
        async with Client(stdio_client(server)) as client:
            first = text_of(await client.call_tool("say_to_room", {"content": "こんにちは 🚀"}))
            seen = re.findall(r"message_id: (\S+)", first)[0]
            question = await asyncio.to_thread(app.say, "Who are you?")
            refused = text_of(await client.call_tool("say_to_room", {"content": "A guest.", "last_seen": seen}))
            arguments = {"last_seen": question.message_id}
            return [first, refused, text_of(await client.call_tool("say_to_room", arguments))]

    first, refused, sent = asyncio.run(talk())
    assert first.startswith("Delivered to the room.")
    assert "Who are you?" in refused
    assert sent.startswith("Delivered to the room.")
    rows = [(row["speaker"], row["content"]) for row in app.log()]
    assert rows == [("Python guest", "こんにちは 🚀"), ("Mio", "Who are you?"), ("Python guest", "A guest.")]
    assert {row.role for row in app.rows() if row.speaker == "Python guest"} == {"unknown"}


@pytest.mark.parametrize(("era", "package"), [("legacy", "sdk"), ("modern", "client")])
def test_the_node_sdk_talks_as_a_guest(app: RunningApp, era: str, package: str) -> None:
    node, folder = shutil.which("node"), cache_folder()
    if node is None or not (folder / "node_modules" / "@modelcontextprotocol" / package).is_dir():
        pytest.skip("node and the Node SDK are not installed (tests/real_cli/install.sh installs them)")
    app.say("anybody?")
    environment, argv = app.app.guest_line(app.topic_id, "Node guest")
    done = subprocess.run(
        [node, str(NODE_SCRIPT), str(folder), era, *argv],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    said = app.wait_for_row("Node guest")
    assert said.role == "unknown"
    history = json.loads(done.stdout)["history"]["content"][0]["text"]
    assert "anybody?" in history
    assert said.content in history


def test_a_websocket_client_that_knows_nothing_of_us_holds_a_conversation(app: RunningApp) -> None:
    environment, _argv = app.app.guest_line(app.topic_id, "Socket guest")
    room = websocket.create_connection(
        environment["PULLCEPT_ROOM_URL"],
        header=[f"Authorization: Bearer {environment['PULLCEPT_ROOM_TOKEN']}"],
        suppress_origin=True,
        timeout=10,
    )
    try:
        room.send(json.dumps({"type": "hello", "protocol": 11, "name": "Socket guest", "room": app.topic_id}))
        frame = {"type": "post", "message_id": "s-1", "content": "@Mio はい？", "ts": "2026-12-01T00:00:00Z"}
        room.send(json.dumps(frame))
        assert json.loads(room.recv())["delivered"] is True
        answer = app.say("@Socket guest 聞こえます")
        room.send(json.dumps({**frame, "message_id": "s-2", "last_seen": "s-1"}))
        missed = json.loads(room.recv())
        assert [item["message_id"] for item in missed["missed"]] == [answer.message_id]
        room.send(json.dumps({**frame, "message_id": "s-3", "last_seen": answer.message_id}))
        assert json.loads(room.recv())["delivered"] is True
    finally:
        room.close()
    assert [row.get("to") for row in app.log()] == [["Mio"], ["Socket guest"], ["Mio"]]
