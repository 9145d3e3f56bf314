"""The names offered behind an `@`, floating above the composer. The keys stay with the composer."""

import tkinter as tk
from collections.abc import Callable, Sequence

from pullcept.ui import words
from pullcept.ui.mentions import Candidate
from pullcept.ui.rows import first_letter
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme

ROW = 34
MOST_ROWS = 7
WIDTH = 300


class CandidateList:
    """Shown with `show`, moved with `move`; a click picks."""

    def __init__(self, parent: tk.Misc, theme: Theme, *, on_pick: Callable[[Candidate | None], None]) -> None:
        self._parent, self._theme, self._on_pick = parent, theme, on_pick
        self._found: tuple[Candidate, ...] = ()
        self._place = 0
        self.shown = False
        self._edge = tk.Frame(parent, bg=theme.role("field"))
        self._canvas = tk.Canvas(
            self._edge, bg=theme.role("raised"), highlightthickness=0, width=theme.px(WIDTH), cursor="hand2"
        )
        self._canvas.pack(padx=1, pady=1)
        self._canvas.bind("<Button-1>", self._click)

    def show(self, found: Sequence[Candidate], above: tk.Misc) -> None:
        """Offer these names above a widget."""
        if tuple(found) != self._found:
            self._place = 0
        self._found = tuple(found)
        rows = min(len(self._found), MOST_ROWS)
        height = self._theme.px(ROW) * rows + self._theme.px(8)
        self._canvas.configure(height=height)
        x = above.winfo_rootx() - self._parent.winfo_rootx()
        y = above.winfo_rooty() - self._parent.winfo_rooty() - height - self._theme.px(6)
        self._edge.place(x=x, y=max(0, y))
        tk.Misc.tkraise(self._edge)
        self.shown = True
        self._draw()

    def hide(self) -> None:
        """Take the list away."""
        if self.shown:
            self._edge.place_forget()
            self.shown = False
            self._found = ()

    def move(self, step: int) -> None:
        """Choose the next or the previous name, around the ends."""
        self._place = (self._place + step) % len(self._found)
        self._draw()

    def chosen(self) -> Candidate | None:
        """The chosen name."""
        return self._found[self._place] if self.shown and self._found else None

    def _first(self) -> int:
        return max(0, min(self._place - MOST_ROWS + 1, len(self._found) - MOST_ROWS)) if self._place >= MOST_ROWS else 0

    def _draw(self) -> None:
        self._canvas.delete("all")
        first = self._first()
        for row, candidate in enumerate(self._found[first : first + MOST_ROWS]):
            self._draw_row(candidate, self._theme.px(4 + ROW * row), first + row == self._place)

    def _draw_row(self, candidate: Candidate, top: int, chosen: bool) -> None:
        theme, canvas = self._theme, self._canvas
        ground = theme.role("selected" if chosen else "raised")
        width, middle = theme.px(WIDTH), top + theme.px(ROW) // 2
        if chosen:
            box = theme.box(width - theme.px(8), theme.px(ROW), theme.px(6), ground, theme.role("raised"))
            canvas.create_image(theme.px(4), top, image=box, anchor="nw")
        colours = theme.palette.of(candidate.hue, candidate.name)
        canvas.create_image(theme.px(12), middle, image=theme.avatar(22, colours.tint, ground), anchor="w")
        initial = first_letter(candidate.name)
        canvas.create_text(theme.px(23), middle, text=initial, font=theme.font(10, bold=True), fill=colours.text)
        right = words.kind_name(candidate.kind)
        if candidate.count > 1:
            right = _("{n} of this name").format(n=candidate.count)
        small, bold = theme.font(12), theme.font(14, bold=True)
        canvas.create_text(width - theme.px(12), middle, text=right, anchor="e", font=small, fill=theme.role("muted"))
        name = theme.fit(candidate.name, bold, width - theme.px(70) - small.measure(right))
        canvas.create_text(theme.px(44), middle, text=name, anchor="w", font=bold, fill=colours.text)

    def _click(self, event: "tk.Event[tk.Canvas]") -> None:
        row = self._first() + (event.y - self._theme.px(4)) // self._theme.px(ROW)
        if 0 <= row < len(self._found):
            self._on_pick(self._found[row])
