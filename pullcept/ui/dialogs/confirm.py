"""A question before something that cannot be taken back. The safe button has the focus; Esc is safe."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme


class ConfirmDialog(tk.Toplevel):
    """Asks; `on_yes` runs after the dialog is gone. Never waits."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, *, title: str, text: str, yes: str, on_yes: Callable[[], None]
    ) -> None:
        super().__init__(
            parent,
            bg=theme.role("canvas"),
            highlightthickness=1,
            highlightbackground=theme.role("field"),
            highlightcolor=theme.role("field"),
        )
        self.title(title)
        self.transient(parent.winfo_toplevel())
        self.resizable(False, False)
        self._on_yes = on_yes
        head = tk.Label(
            self, text=title, bg=theme.role("canvas"), fg=theme.role("text"), font=theme.font(16, bold=True), anchor="w"
        )
        head.pack(fill="x", padx=theme.px(24), pady=(theme.px(20), theme.px(8)))
        body = tk.Label(
            self,
            text=text,
            bg=theme.role("canvas"),
            fg=theme.role("text2"),
            font=theme.font(14),
            anchor="w",
            justify="left",
            wraplength=theme.px(420),
        )
        body.pack(fill="x", padx=theme.px(24))
        bar = tk.Frame(self, bg=theme.role("canvas"))
        bar.pack(fill="x", padx=theme.px(24), pady=theme.px(20))
        self.yes = ttk.Button(bar, text=yes, style="Danger.TButton", command=self._say_yes)
        self.yes.pack(side="right")
        self.no = ttk.Button(bar, text=_("Cancel"), style="Room.TButton", command=self.destroy)
        self.no.pack(side="right", padx=theme.px(8))
        self.bind("<Escape>", lambda event: self.destroy())
        for button in (self.yes, self.no):
            button.bind("<Return>", lambda event: event.widget.invoke())
        self._settle(parent)

    def _settle(self, parent: tk.Misc) -> None:
        top = parent.winfo_toplevel()
        self.update_idletasks()
        x = top.winfo_rootx() + (top.winfo_width() - self.winfo_reqwidth()) // 2
        y = top.winfo_rooty() + (top.winfo_height() - self.winfo_reqheight()) // 3
        self.geometry(f"+{max(0, x)}+{max(0, y)}")
        self.no.focus_set()

    def _say_yes(self) -> None:
        self.destroy()
        self._on_yes()
