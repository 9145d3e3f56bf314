"""The seat's server driven by the official SDK's client, in both eras, through the real bridge."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.sidecar.seats import MODERN, PULLCEPT, SeatHouse

ERAS = ["legacy", "auto", MODERN]


def parameters(environ: dict[str, str]) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-I", "-S", PULLCEPT, "sidecar", "--entry", "pullcept-room"], env=environ
    )


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_is_served_in_either_era(house: SeatHouse, era: Any) -> None:
    launch = house.seat("Lin")
    house.language = "Japanese"

    async def visit() -> tuple[Any, ...]:
        async with Client(stdio_client(parameters(house.environment(launch))), mode=era) as client:
            tools = await client.list_tools()
            said = await client.call_tool("say_to_room", {"content": "やあ 🚀"})
            history = await client.call_tool("read_room_history", {})
            return client.instructions, client.server_info, tools.tools, said, history

    instructions, info, tools, said, history = asyncio.run(visit())
    assert "Lin" in house.listed
    opening = json.loads(house.first_lines[0])
    meta = opening["params"].get("_meta", {})
    assert (meta.get("io.modelcontextprotocol/protocolVersion") == MODERN) == (era != "legacy")
    assert opening["method"] == {"legacy": "initialize", "auto": "server/discover", MODERN: "tools/list"}[era]
    if era != MODERN:  # This client was told the era and asks for nothing else.
        assert "speak Japanese." in instructions
        assert info.name == "pullcept-room"
    assert [tool.name for tool in tools] == ["say_to_room", "read_room_history"]
    assert '"Lin"' in tools[0].description
    assert not said.is_error
    assert said.content[0].text.startswith("Delivered to the room. message_id: ")
    assert "やあ 🚀" in history.content[0].text
    assert [post.content for post in house.outside.logs["topic-1"]] == ["やあ 🚀"]
