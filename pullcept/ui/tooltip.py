"""A short text beside the pointer: what a control does and its shortcut."""

import tkinter as tk
from collections.abc import Callable

from pullcept.ui.theme import Theme

DELAY_MS = 500


class Tooltip:
    """Shows `text()` after the pointer rested on the widget; nothing when it is empty."""

    def __init__(self, widget: tk.Misc, theme: Theme, text: Callable[[], str]) -> None:
        self._widget, self._theme, self._text = widget, theme, text
        self._timer: str | None = None
        self._window: tk.Toplevel | None = None
        widget.bind("<Enter>", self._wait, add=True)
        for event in ("<Leave>", "<ButtonPress>", "<Destroy>", "<KeyPress>"):
            widget.bind(event, self._hide, add=True)

    def _wait(self, event: "tk.Event[tk.Misc]") -> None:
        self._hide(event)
        self._timer = self._widget.after(DELAY_MS, self._show)

    def _hide(self, _event: "tk.Event[tk.Misc]") -> None:
        if self._timer is not None:
            self._widget.after_cancel(self._timer)
            self._timer = None
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _show(self) -> None:
        self._timer = None
        text = self._text()
        if not text:
            return
        theme = self._theme
        self._window = window = tk.Toplevel(self._widget)
        window.wm_overrideredirect(True)
        label = tk.Label(
            window,
            text=text,
            bg=theme.role("text"),
            fg=theme.role("canvas"),
            font=theme.font(12),
            justify="left",
            padx=theme.px(8),
            pady=theme.px(4),
        )
        label.pack()
        x = min(self._widget.winfo_pointerx() + theme.px(8), window.winfo_screenwidth() - label.winfo_reqwidth())
        y = min(self._widget.winfo_pointery() + theme.px(18), window.winfo_screenheight() - label.winfo_reqheight())
        window.wm_geometry(f"+{max(0, x)}+{max(0, y)}")
