"""The server in the bridge's own process, for as long as the room cannot be reached. Loads the SDK."""

import asyncio
import os
import sys
from collections.abc import Callable

from pullcept.core.names import MAX_NAME_UNITS, clean_name
from pullcept.core.text import utf16_units
from sidecar.manners import instructions, title
from sidecar.memory import SeatMemory
from sidecar.server import ServerForm, warm_up
from sidecar.tools import UnreachableTools

NAMELESS = "a session"


def run(next_line: Callable[[], bytes], answer: Callable[[bytes], None], why: Callable[[], str | None]) -> None:
    """Serve lines for ever, in a thread of its own.

    `next_line` waits for a line. `why` says why there is no room, or None when no room was ever named: then the
    server has neither tools nor instructions.
    """
    _find_packages()
    warm_up()
    from sidecar.sdk import run_server

    asyncio.run(run_server(_Lines(next_line, answer), _form(why)))


def _form(why: Callable[[], str | None]) -> ServerForm:
    if why() is None:
        return ServerForm()
    name = clean_name(os.environ.get("PULLCEPT_AGENT_NAME", ""))
    if not name or utf16_units(name) > MAX_NAME_UNITS:
        name = NAMELESS
    unseen = os.environ.get("PULLCEPT_UNSEEN_HISTORY") == "1"
    tools = UnreachableTools(SeatMemory(name), lambda: why() or "no room was named")
    return ServerForm(title(name, name), instructions(name, unseen_history=unseen), tools)


def _find_packages() -> None:
    """The bridge is started without its packages' folder, which costs time; now it is needed."""
    if getattr(sys, "frozen", False) or "site" in sys.modules:
        return
    site = __import__("site")
    site.main()


class _Lines:
    """The bridge's queue as the stream of a server."""

    def __init__(self, next_line: Callable[[], bytes], answer: Callable[[bytes], None]) -> None:
        self._next_line = next_line
        self._answer = answer

    async def read_line(self) -> bytes | None:
        return await asyncio.to_thread(self._next_line)

    async def write_line(self, line: bytes) -> None:
        self._answer(line)
