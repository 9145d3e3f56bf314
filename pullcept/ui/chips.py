"""The files that go with the post being written: one chip for each, which its button or Delete removes."""

import os.path
import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

NAME_CHARACTERS = 28


class ChipBar(tk.Frame):
    """Shows `files`, the list of the open topic, which it changes in place; `on_change` is told afterwards."""

    def __init__(self, parent: tk.Misc, theme: Theme, *, on_change: Callable[[], None]) -> None:
        super().__init__(parent, bg=theme.role("raised"))
        self._theme, self._on_change = theme, on_change
        self._files: list[str] = []
        self._chips: list[tk.Frame] = []
        self._width = 0
        self.bind("<Configure>", self._resized)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths, in the order in which they were added."""
        return tuple(self._files)

    def show(self, files: list[str]) -> None:
        """Show this list from now on."""
        self._files = files
        self._draw()

    def add(self, paths: tuple[str, ...]) -> None:
        """Add files; one that is there already stays where it is."""
        self._files += [path for path in dict.fromkeys(paths) if path not in self._files]
        self._draw()

    def take(self) -> tuple[str, ...]:
        """The files, which leave the bar."""
        files = self.files
        self._files.clear()
        self._draw()
        return files

    def _remove(self, path: str) -> None:
        self._files.remove(path)
        self._draw()

    def _draw(self) -> None:
        for chip in self._chips:
            chip.destroy()
        self._chips = [self._chip(path) for path in self._files]
        self._flow()
        self._on_change()

    def _chip(self, path: str) -> tk.Frame:
        theme = self._theme
        chip = tk.Frame(self, bg=theme.role("selected"))
        name = tk.Label(
            chip,
            text=shortened(os.path.basename(path)),
            image=theme.icon("file", 16),
            compound="left",
            bg=theme.role("selected"),
            fg=theme.role("text"),
            font=theme.font(13),
            padx=theme.px(6),
        )
        name.pack(side="left")
        Tooltip(name, theme, lambda: path)
        close = ttk.Button(
            chip, image=theme.icon("close", 16), style="RaisedTool.TButton", command=lambda: self._remove(path)
        )
        close.bind("<Delete>", lambda event: self._remove(path))
        close.pack(side="left")
        Tooltip(close, theme, lambda: _("Do not attach (Delete)"))
        return chip

    def _resized(self, event: "tk.Event[tk.Misc]") -> None:
        if event.width != self._width:
            self._width = event.width
            self._flow()

    def _flow(self) -> None:
        """Lay the chips out in as many lines as they need; the bar is as high as they are."""
        gap, width = self._theme.px(6), max(self.winfo_width(), self._theme.px(300))
        x, y, line = gap, gap, 0
        for chip in self._chips:
            chip.update_idletasks()
            needed = chip.winfo_reqwidth()
            if x > gap and x + needed + gap > width:
                x, y, line = gap, y + line + gap, 0
            chip.place(x=x, y=y)
            x, line = x + needed + gap, max(line, chip.winfo_reqheight())
        self.configure(height=y + line if line else 1)


def shortened(name: str) -> str:
    """A file name short enough for a chip, its end kept: the extension says what it is."""
    if len(name) <= NAME_CHARACTERS:
        return name
    return f"{name[: NAME_CHARACTERS - 11]}…{name[-10:]}"
