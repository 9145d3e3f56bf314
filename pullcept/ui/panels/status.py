"""The lowest line: what the app has to say."""

import tkinter as tk

from pullcept.ui.state import ScreenState
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

HEIGHT = 24
INKS = {"info": "muted", "warning": "warn", "error": "danger"}


class StatusPanel(tk.Frame):
    """Shows `state.status()`; the whole text is in the tooltip when it does not fit."""

    def __init__(self, parent: tk.Misc, theme: Theme, state: ScreenState) -> None:
        super().__init__(parent, bg=theme.role("canvas"), height=theme.px(HEIGHT))
        self.pack_propagate(False)
        self._theme, self._state = theme, state
        self.label = tk.Label(self, bg=theme.role("canvas"), font=theme.font(12), anchor="w", padx=theme.px(24))
        self.label.pack(fill="both", expand=True)
        self.label.bind("<Configure>", lambda event: self.update_status())
        Tooltip(self.label, theme, lambda: self._state.status().text)

    def update_status(self) -> None:
        """Show what is to be said now."""
        said = self._state.status()
        text = said.text or _("Ready")
        width = max(40, self.label.winfo_width() - self._theme.px(48))
        fitted = self._theme.fit(text, self._theme.font(12), width)
        ink = self._theme.role(INKS[said.level])
        if (self.label.cget("text"), self.label.cget("fg")) != (fitted, ink):
            self.label.configure(text=fitted, fg=ink)
