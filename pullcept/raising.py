"""How a second start brings the window of the first to the front: it leaves a mark in the data folder."""

import asyncio
import contextlib
from collections.abc import Callable

from pullcept.store.folder import DataFolder

MARK = "raise"
LOOK_EVERY = 0.5


def ask_to_raise(folder: DataFolder) -> None:
    """Leave the mark; without effect when the folder cannot be written."""
    with contextlib.suppress(OSError):
        (folder.root / MARK).touch()


async def watch_for_raise(folder: DataFolder, on_raise: Callable[[], None]) -> None:
    """Call `on_raise` whenever somebody left the mark. A mark of an earlier run means nothing. Never returns."""
    mark = folder.root / MARK
    _take(folder)
    while True:
        await asyncio.sleep(LOOK_EVERY)
        if mark.exists() and _take(folder):
            on_raise()


def _take(folder: DataFolder) -> bool:
    try:
        (folder.root / MARK).unlink()
    except OSError:
        return False
    return True
