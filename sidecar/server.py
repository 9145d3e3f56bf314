"""The MCP server of one seat, run in the app. This door is light; the SDK behind it needs a second to load."""

import asyncio
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pullcept.core.protocol import Hello
from sidecar.manners import instructions, title
from sidecar.memory import SeatMemory
from sidecar.room_client import Link, OpenLink, RoomClient
from sidecar.tools import RoomTools, ToolAnswer, ToolSpec

__all__ = ["Link", "OpenLink", "SeatMemory", "Seating", "ServerForm", "Stream", "Tools", "serve", "warm_up"]


class Stream(Protocol):
    """Lines to and from one bridge."""

    async def read_line(self) -> bytes | None: ...

    async def write_line(self, line: bytes) -> None: ...


class Tools(Protocol):
    """What a server offers and how it is called."""

    def specs(self) -> tuple[ToolSpec, ...]: ...

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolAnswer: ...


@dataclass(frozen=True, slots=True)
class Seating:
    """What the app knows about the session behind a bridge, admitted or guest.

    `hello` is said first on the link that `open_link` gives. `on_conversation` gets the CLI's own conversation id,
    once for each new one. `on_listed` is called whenever the CLI asks for the tools. `language`: the room's, in
    English, or None for the language of the post.
    """

    hello: Hello
    memory: SeatMemory
    open_link: OpenLink
    on_conversation: Callable[[str], None] = lambda conversation_id: None
    on_listed: Callable[[], None] = lambda: None
    unseen_history: bool = False
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ServerForm:
    """What one MCP server shows. The empty form has no tools and no instructions."""

    title: str | None = None
    instructions: str | None = None
    tools: Tools | None = None
    on_meta: Callable[[dict[str, Any]], None] = lambda meta: None
    on_listed: Callable[[], None] = lambda: None


async def serve(stream: Stream, seating: Seating | None) -> bool:
    """Speak MCP with one bridge until it leaves; None serves the empty form. Call it on the host's loop.

    False: the client only asked what there is. Some clients do so in a process of its own before the real one.
    """
    if seating is None:
        return await _run(stream, ServerForm())
    memory = seating.memory
    room = RoomClient(seating.open_link, seating.hello, memory)
    form = ServerForm(
        title(memory.name, memory.original_name),
        instructions(memory.name, unseen_history=seating.unseen_history, language=seating.language),
        RoomTools(room, memory),
        lambda meta: _note_conversation(meta, seating),
        seating.on_listed,
    )
    try:
        return await _run(stream, form)
    finally:
        room.close()


def warm_up() -> None:
    """Load the SDK, so that the first bridge does not wait for it. Takes about a second: not on the loop's thread."""
    importlib.import_module("sidecar.sdk")


async def _run(stream: Stream, form: ServerForm) -> bool:
    await asyncio.to_thread(warm_up)
    sdk = importlib.import_module("sidecar.sdk")
    took_seat: bool = await sdk.run_server(stream, form)
    return took_seat


def _note_conversation(meta: dict[str, Any], seating: Seating) -> None:
    """Codex tells its conversation id with every call; it is the only early sign of it."""
    told = meta.get("sessionId")
    if not isinstance(told, str) or not 0 < len(told) <= 128 or told == seating.memory.conversation_id:
        return
    seating.memory.conversation_id = told
    seating.on_conversation(told)
