"""A list drawn on a Canvas: heads and rows, one selected, one under the pointer, all by keyboard too."""

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tkinter import ttk
from typing import Literal

from pullcept.ui.focus import has_focus
from pullcept.ui.theme import Theme

ROW_RADIUS = 6


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the list. A `head` cannot be chosen. `height` in design pixels."""

    key: str
    kind: Literal["head", "row"]
    height: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is drawn (pixels of the canvas) and how it looks."""

    x: int
    y: int
    width: int
    height: int
    ground: str
    selected: bool
    hovered: bool


Draw = Callable[[tk.Canvas, str, Place], None]


class RowList(tk.Frame):
    """`draw` paints a line onto the canvas inside its place; parts tagged `do:NAME` are clickable.

    Choosing a row (click or arrows) calls `on_choose`; Enter, space and with `opens_on_click` also a
    click call `on_open`; a click on a tagged part calls `on_part` instead. `on_menu` gets the row and the
    place on the screen where its menu is wanted (the other mouse button, the menu key).
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        *,
        draw: Draw,
        on_open: Callable[[str], None],
        on_part: Callable[[str, str], None] | None = None,
        on_choose: Callable[[str], None] | None = None,
        opens_on_click: bool = False,
        on_double: Callable[[str], None] | None = None,
        on_menu: Callable[[str, int, int], None] | None = None,
    ) -> None:
        super().__init__(parent, bg=theme.role("side"))
        self._theme = theme
        self._draw = draw
        self._on_open, self._on_part, self._on_double = on_open, on_part, on_double
        self._on_choose, self._opens_on_click = on_choose, opens_on_click
        self._on_menu = on_menu
        self._lines: tuple[Line, ...] = ()
        self._tops: list[int] = []
        self.selected: str | None = None
        self._hovered: str | None = None
        self._redraw: str | None = None
        self._view: tuple[float, float] = (0.0, 1.0)
        self.canvas = tk.Canvas(self, bg=theme.role("side"), highlightthickness=0, takefocus=True, width=1, height=1)
        self._bar = ttk.Scrollbar(self, orient="vertical", command=self.canvas.yview)
        self.canvas.configure(yscrollcommand=self._scrolled)
        self.canvas.pack(side="left", fill="both", expand=True)
        self._bind_events()

    def _bind_events(self) -> None:
        canvas = self.canvas
        canvas.bind("<Configure>", lambda event: self.redraw())
        canvas.bind("<Button-1>", self._click)
        canvas.bind("<Double-Button-1>", self._double_click)
        canvas.bind("<Motion>", lambda event: self._hover(self._key_at(event.y)))
        canvas.bind("<Leave>", lambda event: self._hover(None))
        canvas.bind("<MouseWheel>", lambda event: self._wheel(-1 if event.delta > 0 else 1))
        canvas.bind("<Button-4>", lambda event: self._wheel(-1))
        canvas.bind("<Button-5>", lambda event: self._wheel(1))
        on_mac = canvas.tk.call("tk", "windowingsystem") == "aqua"
        for button in ("<Button-2>", "<Control-Button-1>") if on_mac else ("<Button-3>",):
            canvas.bind(button, lambda event: self._menu(self._key_at(event.y), event.x_root, event.y_root))
        for key in ("<Menu>", "<Shift-F10>"):
            canvas.bind(key, lambda event: self._menu_of_selected())
        canvas.bind("<FocusIn>", lambda event: self.redraw())
        canvas.bind("<FocusOut>", lambda event: self.redraw())
        for key, step in (
            ("<Up>", -1),
            ("<Down>", 1),
            ("<Prior>", -8),
            ("<Next>", 8),
            ("<Home>", -9999),
            ("<End>", 9999),
        ):
            canvas.bind(key, lambda event, step=step: self._move(step))  # type: ignore[misc]
        for key in ("<Return>", "<KP_Enter>", "<space>"):
            canvas.bind(key, lambda event: self._open())

    def _menu(self, key: str | None, x: int, y: int) -> None:
        if key and self._on_menu is not None:
            self._on_menu(key, x, y)

    def _menu_of_selected(self) -> None:
        place = self.place_of(self.selected or "")
        if place is not None:
            x, y, _width, height = place
            self._menu(self.selected, self.canvas.winfo_rootx() + x, self.canvas.winfo_rooty() + y + height)

    def show(self, lines: Sequence[Line], selected: str | None) -> None:
        """Show these lines; `selected` is the key of the chosen row."""
        self._lines, self.selected = tuple(lines), selected
        self.redraw()

    def redraw(self) -> None:
        """Draw soon, once for any number of calls."""
        if self._redraw is None:
            self._redraw = self.after_idle(self._paint)

    def place_of(self, key: str) -> tuple[int, int, int, int] | None:
        """x, y, width, height of a row inside the canvas as it is scrolled now."""
        for line, top in zip(self._lines, self._tops, strict=False):
            if line.key == key:
                y = top - int(self.canvas.canvasy(0))
                return self._theme.px(8), y, self._row_width(), self._theme.px(line.height)
        return None

    def destroy(self) -> None:
        """Cancel what is still to be drawn."""
        if self._redraw is not None:
            self.after_cancel(self._redraw)
            self._redraw = None
        super().destroy()

    def _row_width(self) -> int:
        return max(40, self.canvas.winfo_width() - self._theme.px(16))

    def _paint(self) -> None:
        self._redraw = None
        theme, canvas = self._theme, self.canvas
        canvas.delete("all")
        self._tops, top = [], 0
        for line in self._lines:
            self._tops.append(top)
            top += theme.px(line.height)
        canvas.configure(scrollregion=(0, 0, canvas.winfo_width(), max(top + theme.px(8), 1)))
        first = canvas.canvasy(0)
        last = first + canvas.winfo_height()
        for line, begins in zip(self._lines, self._tops, strict=True):
            if begins + theme.px(line.height) >= first and begins <= last:
                self._paint_line(line, begins)

    def _paint_line(self, line: Line, top: int) -> None:
        theme = self._theme
        chosen = line.kind == "row" and line.key == self.selected
        hovered = line.kind == "row" and line.key == self._hovered
        ground = theme.role("selected" if chosen else "hover" if hovered else "side")
        place = Place(theme.px(8), top, self._row_width(), theme.px(line.height), ground, chosen, hovered)
        if chosen or hovered:
            self._paint_ground(place)
        self._draw(self.canvas, line.key, place)

    def _paint_ground(self, place: Place) -> None:
        theme = self._theme
        radius = theme.px(ROW_RADIUS)
        image = theme.box(place.width, place.height, radius, place.ground, theme.role("side"))
        self.canvas.create_image(place.x, place.y, image=image, anchor="nw")
        if place.selected and has_focus(self.canvas):
            bar = (place.x, place.y + radius, place.x + theme.px(3), place.y + place.height - radius)
            self.canvas.create_rectangle(*bar, fill=theme.role("accent"), width=0)

    def _scrolled(self, first: float, last: float) -> None:
        if float(first) <= 0 and float(last) >= 1:
            self._bar.pack_forget()
        elif not self._bar.winfo_ismapped():
            self._bar.pack(side="right", fill="y")
        self._bar.set(first, last)
        if (first, last) != self._view:
            self._view = (first, last)
            self.redraw()

    def _wheel(self, step: int) -> None:
        if self.canvas.yview() != (0.0, 1.0):
            self.canvas.yview_scroll(step * 2, "units")

    def _key_at(self, y: int) -> str | None:
        at = self.canvas.canvasy(y)
        for line, top in zip(self._lines, self._tops, strict=False):
            if top <= at < top + self._theme.px(line.height):
                return line.key if line.kind == "row" else None
        return None

    def _hover(self, key: str | None) -> None:
        if key != self._hovered:
            self._hovered = key
            self.redraw()

    def _click(self, event: "tk.Event[tk.Canvas]") -> None:
        self.canvas.focus_set()
        key = self._key_at(event.y)
        if key is None:
            return
        part = self._part_at(event.x, event.y)
        if part and self._on_part is not None:
            self._on_part(key, part)
            return
        self._choose(key)
        if self._opens_on_click:
            self._on_open(key)

    def _double_click(self, event: "tk.Event[tk.Canvas]") -> None:
        key = self._key_at(event.y)
        if key is not None and self._on_double is not None and not self._part_at(event.x, event.y):
            self._on_double(key)

    def _part_at(self, x: int, y: int) -> str:
        near = self.canvas.find_overlapping(*(self.canvas.canvasx(x), self.canvas.canvasy(y)) * 2)
        for item in reversed(near):
            for tag in self.canvas.gettags(item):
                if tag.startswith("do:"):
                    return tag[3:]
        return ""

    def _rows(self) -> list[str]:
        return [line.key for line in self._lines if line.kind == "row"]

    def _move(self, step: int) -> str:
        rows = self._rows()
        if rows:
            place = (rows.index(self.selected) if self.selected in rows else -1) + step
            self._choose(rows[max(0, min(len(rows) - 1, place))])
            self._reveal()
        return "break"

    def _choose(self, key: str) -> None:
        self.selected = key
        self.redraw()
        if self._on_choose is not None:
            self._on_choose(key)

    def _open(self) -> str:
        if self.selected is not None:
            self._on_open(self.selected)
        return "break"

    def _reveal(self) -> None:
        if self.selected is None:
            return
        place = self.place_of(self.selected)
        whole = sum(self._theme.px(line.height) for line in self._lines) + self._theme.px(8)
        if place is None or whole <= self.canvas.winfo_height():
            return
        _x, y, _width, height = place
        top = int(self.canvas.canvasy(0))
        if y < 0:
            self.canvas.yview_moveto((top + y) / whole)
        elif y + height > self.canvas.winfo_height():
            self.canvas.yview_moveto((top + y + height - self.canvas.winfo_height()) / whole)
