"""Tells the app what is unsent in each topic, a moment after it was written."""

import tkinter as tk
from collections.abc import Callable

from pullcept.ui.state import ScreenState

PAUSE_MS = 500

Told = tuple[str, tuple[str, ...]]


class Keeper:
    """Looks at the drafts of a screen twice a second, and tells the ones that changed."""

    def __init__(
        self, root: tk.Misc, state: Callable[[], ScreenState], tell: Callable[[str, str, tuple[str, ...]], None]
    ) -> None:
        self._root, self._state, self._tell = root, state, tell
        self._told: dict[str, Told] = {}
        self._turn()

    def tell_now(self) -> None:
        """Tell every draft that is not told yet."""
        for topic_id, topic in self._state().kept_topics():
            unsent = topic.draft, tuple(topic.files)
            if unsent != self._told.get(topic_id, ("", ())):
                self._told[topic_id] = unsent
                self._tell(topic_id, *unsent)

    def _turn(self) -> None:
        self.tell_now()
        self._root.after(PAUSE_MS, self._turn)
