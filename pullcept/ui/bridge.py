"""Moves events from the queue onto the Tk thread: a bounded number at a time, then lets Tk draw."""

import logging
import queue
import time
import tkinter as tk
from collections.abc import Callable

from pullcept.core.screen import ScreenEvent

log = logging.getLogger(__name__)

MOST_EVENTS = 200
MOST_SECONDS = 0.012
WAIT_IDLE_MS = 20
WAIT_BUSY_MS = 2


class Pump:
    """Drains a queue with `after`. `take` gets a whole batch, so that neighbouring events are drawn once."""

    def __init__(
        self, widget: tk.Misc, events: "queue.SimpleQueue[ScreenEvent]", take: Callable[[list[ScreenEvent]], None]
    ) -> None:
        self._widget = widget
        self._events = events
        self._take = take
        self._timer: str | None = None
        self._runs = False

    def start(self) -> None:
        """Begin to drain; ends with `stop`."""
        self._runs = True
        self._timer = self._widget.after(1, self._turn)

    def stop(self) -> None:
        """Drain no more."""
        self._runs = False
        if self._timer is not None:
            self._widget.after_cancel(self._timer)
            self._timer = None

    def _turn(self) -> None:
        self._timer = None
        batch = self._batch()
        try:
            if batch:
                self._take(batch)
        finally:
            if self._runs:
                self._timer = self._widget.after(WAIT_BUSY_MS if batch else WAIT_IDLE_MS, self._turn)

    def _batch(self) -> list[ScreenEvent]:
        batch: list[ScreenEvent] = []
        until = time.monotonic() + MOST_SECONDS
        while len(batch) < MOST_EVENTS and time.monotonic() < until:
            try:
                batch.append(self._events.get_nowait())
            except queue.Empty:
                break
        return batch
