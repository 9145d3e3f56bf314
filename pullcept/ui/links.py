"""Actions as links in one line: reached by Tab, pressed by Enter, Space or the mouse."""

import tkinter as tk
from collections.abc import Callable

from pullcept.ui import decisions
from pullcept.ui.decisions import Decision, Waiting
from pullcept.ui.focus import has_focus
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

OnDecide = Callable[[Decision, Waiting], None]


class Link(tk.Label):
    """A word that does something. `invoke()` does it as a press would."""

    def __init__(self, parent: tk.Misc, theme: Theme, text: str, ground: str, command: Callable[[], None]) -> None:
        super().__init__(
            parent,
            text=text,
            bg=ground,
            fg=theme.role("accent"),
            font=theme.font(13, bold=True),
            cursor="hand2",
            takefocus=True,
            padx=theme.px(6),
            pady=0,
            highlightthickness=theme.px(2),
            highlightbackground=ground,
            highlightcolor=theme.role("accent"),
        )
        self._command = command
        self.bind("<Button-1>", lambda event: self.invoke())
        for key in ("<Return>", "<KP_Enter>", "<space>"):
            self.bind(key, lambda event: self.invoke())
        self.bind("<Enter>", lambda event: self.configure(fg=theme.role("accent_hover")), add=True)
        self.bind("<Leave>", lambda event: self.configure(fg=theme.role("accent")), add=True)

    def invoke(self) -> str:
        """Do it."""
        self._command()
        return "break"


class DecisionBar(tk.Frame):
    """Says what waits for the person, with what can be done about it.

    `stacked`: the actions stand below the words; `pad`: the space above and below them when not. `on_gone` gets the
    focus back when the actions go away under it.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        *,
        on_decide: OnDecide,
        on_gone: Callable[[], None],
        stacked: bool = False,
        pad: int = 2,
    ) -> None:
        self._theme, self._on_decide, self._on_gone, self._stacked = theme, on_decide, on_gone, stacked
        self._ground = theme.role("warn_tint")
        super().__init__(parent, bg=self._ground)
        self._label = tk.Label(self, anchor="w", justify="left", font=theme.font(13))
        self._label.configure(padx=theme.px(12 if stacked else 16), pady=theme.px(4 if stacked else pad))
        self._bar = tk.Frame(self, bg=self._ground)
        if stacked:
            self._label.pack(fill="x")
            self._label.bind("<Configure>", lambda event: self._wrap(event.width))
        else:
            self._bar.pack(side="right", padx=(0, theme.px(8)))
            self._label.pack(side="left", fill="x", expand=True)
            self._label.bind("<Configure>", lambda event: self._fit(event.width))
        self.links: tuple[Link, ...] = ()
        self._shown: tuple[Waiting, str, str] | None = None

    @property
    def text(self) -> str:
        """The words shown."""
        return self._shown[0].text if self._shown is not None else ""

    def show(self, waiting: Waiting, ground: str = "warn_tint", ink: str = "warn") -> None:
        """Show words and actions; what is shown already stays, and so does its focus."""
        if self._shown == (waiting, ground, ink):
            return
        self._shown = (waiting, ground, ink)
        self._ground = self._theme.role(ground)
        for frame in (self, self._bar):
            frame.configure(bg=self._ground)
        self._label.configure(text=waiting.text, bg=self._ground, fg=self._theme.role(ink))
        self._make_links(waiting)
        if not self._stacked and self._label.winfo_width() > 1:
            self.update_idletasks()
            self._fit(self._label.winfo_width())

    def clear(self) -> None:
        """Nothing waits: the actions go."""
        if self._shown is not None:
            self._shown = None
            self._drop_links()

    def _make_links(self, waiting: Waiting) -> None:
        place = next((place for place, link in enumerate(self.links) if has_focus(link)), None)
        self._drop_links(keep_focus=bool(waiting.decisions))
        self.links = tuple(self._link(decision, waiting) for decision in waiting.decisions)
        for link in self.links:
            link.pack(side="left")
        if self._stacked and self.links:
            self._bar.pack(fill="x", padx=self._theme.px(4), pady=(0, self._theme.px(6)))
        elif self._stacked:
            self._bar.pack_forget()
        if place is not None and self.links:
            self.links[min(place, len(self.links) - 1)].focus_set()

    def _drop_links(self, *, keep_focus: bool = False) -> None:
        had_focus = any(has_focus(link) for link in self.links)
        for link in self.links:
            link.destroy()
        self.links = ()
        if had_focus and not keep_focus:
            self._on_gone()

    def _link(self, decision: Decision, waiting: Waiting) -> Link:
        text = decisions.label(decision)
        link = Link(self._bar, self._theme, text, self._ground, lambda: self._on_decide(decision, waiting))
        Tooltip(link, self._theme, lambda: decisions.hint(decision))
        return link

    def _fit(self, width: int) -> None:
        """Words that do not fit beside the actions end in an ellipsis."""
        room = max(40, width - self._theme.px(32))
        self._label.configure(text=self._theme.fit(self.text, self._theme.font(13), room))

    def _wrap(self, width: int) -> None:
        self._label.configure(wraplength=max(80, width - self._theme.px(24)))
