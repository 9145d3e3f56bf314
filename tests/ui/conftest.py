"""One real window for all tests of the screen, emptied and built anew for each; waiting instead of sleeping."""

import queue
import time
import tkinter as tk
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pullcept.core import screen
from pullcept.ui import window
from pullcept.ui.state import ScreenState
from pullcept.ui.texts import use_language
from tests.ui import fakes

WAIT_SECONDS = 10.0


@dataclass
class Room:
    """The window under test: what it asked for, and what it is told."""

    window: window.RoomWindow
    actions: fakes.FakeActions
    events: "queue.SimpleQueue[screen.ScreenEvent]"
    cores: dict[Any, Any] = field(default_factory=dict)

    def tell(self, *events: screen.ScreenEvent) -> None:
        """Give the window events and let it draw them."""
        fakes.feed(self.events, list(events))
        self.until(self.events.empty)
        self.settle()

    def settle(self) -> None:
        """Let the window do everything that is due."""
        for _turn in range(3):
            self.window.root.update_idletasks()
            self.window.root.update()

    def until(self, condition: Callable[[], Any], what: str = "") -> None:
        """Wait for a condition, drawing meanwhile; fails after a limit."""
        limit = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < limit, f"did not come true: {what or condition}"
            self.window.root.update()
            time.sleep(0.002)

    def page(self) -> str:
        """The text the conversation shows."""
        return str(self.window.conversation.view.html.text("text"))

    def type(self, text: str) -> None:
        """Put text into the composer as typing would."""
        self.window.composer.text.insert("insert", text)
        self.press("Shift_L")

    def press(self, keysym: str, widget: tk.Misc | None = None, **more: Any) -> None:
        """Press a key in a widget (the composer's text by default)."""
        target = widget or self.window.composer.text
        target.focus_force()
        self.settle()
        target.event_generate(f"<KeyPress-{keysym}>", **more)
        if target.winfo_exists():
            target.event_generate(f"<KeyRelease-{keysym}>", **more)
        self.settle()


@pytest.fixture(scope="session")
def real_window() -> Iterator[tuple[window.RoomWindow, "queue.SimpleQueue[screen.ScreenEvent]"]]:
    """A Tk root with the window on it."""
    use_language("en")
    events: queue.SimpleQueue[screen.ScreenEvent] = queue.SimpleQueue()
    root = window.make_root()
    root.report_callback_exception = window.report_callback
    room = window.RoomWindow(root, fakes.FakeActions(), events, lambda seat: None, theme="light")
    root.geometry("1280x800+0+0")
    root.deiconify()
    room.pump.start()
    yield room, events
    room.pump.stop()
    root.destroy()


@pytest.fixture
def room(real_window: tuple[window.RoomWindow, "queue.SimpleQueue[screen.ScreenEvent]"]) -> Room:
    """The window with nothing in it."""
    use_language("en")
    shown, events = real_window
    made = Room(shown, fakes.FakeActions(), events)
    shown.actions, shown.state = made.actions, ScreenState()
    shown.terminals = made.cores.get
    shown.root.geometry("1280x800+0+0")
    shown.use_theme("light")
    made.until(lambda: shown.root.winfo_width() == 1280)
    made.settle()
    return made


@pytest.fixture
def full_room(room: Room) -> Room:
    """The window on a busy topic."""
    room.tell(*fakes.full_scene())
    return room
