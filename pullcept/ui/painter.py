"""The cells of a terminal on a Canvas: run items on the cell grid, only what changed is drawn again."""

import tkinter as tk
from collections.abc import Callable
from tkinter import font as tkfont

from pullcept.term.core import ALTERNATE, TerminalCore
from pullcept.term.frame import Row, TerminalFrame
from pullcept.ui import boxes, cells, drawing
from pullcept.ui.cells import Colours, Face
from pullcept.ui.focus import has_focus
from pullcept.ui.theme import Theme

FONT_SIZE = 14
ROW_HEIGHT = 20
PAD = 8
FRAME_MS = 16
QUIET_MS = 50
RESIZE_QUIET_MS = 80
WHEEL_ROWS = 3
SHIFT, CONTROL = 0x1, 0x4


class CellFonts:
    """The fonts of the grid: narrow characters set the cell, wide ones are as large as two cells hold."""

    def __init__(self, theme: Theme) -> None:
        size = max(10, round(theme.px(FONT_SIZE) / 2) * 2)
        self._theme, self._sizes = theme, {"narrow": size, "wide": size}
        self._families = {"narrow": theme.code_family, "wide": theme.wide_family}
        self._fonts: dict[tuple[Face, bool, bool], tkfont.Font] = {}
        self._fits: dict[tuple[str, Face, bool, int], bool] = {}
        self.cell_width = max(4, self.font("narrow").measure("0"))
        self.cell_height = max(
            theme.px(ROW_HEIGHT) * size // theme.px(FONT_SIZE), self.font("narrow").metrics("linespace")
        )
        self._settle_wide(size)

    def _settle_wide(self, size: int) -> None:
        for wanted in range(size + 6, size - 6, -1):
            font = tkfont.Font(self._theme.root, family=self._families["wide"], size=-wanted)
            if font.measure("あ") <= 2 * self.cell_width and font.metrics("ascent") <= self.cell_height:
                self._sizes["wide"] = wanted
                return

    def font(self, face: Face, bold: bool = False, italic: bool = False) -> tkfont.Font:
        """The font of a face."""
        key = (face, bold, italic)
        if key not in self._fonts:
            self._fonts[key] = tkfont.Font(
                self._theme.root,
                family=self._families[face],
                size=-self._sizes[face],
                weight="bold" if bold else "normal",
                slant="italic" if italic else "roman",
            )
        return self._fonts[key]

    def fits(self, character: str, face: Face, bold: bool, width: int) -> bool:
        """Whether a character is exactly as wide as its cells. Measuring is slow, so the answer is kept."""
        key = (character, face, bold, width)
        known = self._fits.get(key)
        if known is None:
            if len(self._fits) > 20_000:
                self._fits.clear()
            known = self._fits[key] = self.font(face, bold).measure(character) == width * self.cell_width
        return known


class TerminalScreen(tk.Canvas):
    """Shows one terminal at a time. `write(bytes)` gets what keys, mouse and paste send; `on_size` the grid's size.

    Keys are taken by `key_field`, an invisible field at the cursor, so that input methods know where to show.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        *,
        write: Callable[[bytes], None],
        on_size: Callable[[int, int], None],
        on_back: Callable[[bool], None],
    ) -> None:
        ground = theme.role("terminal")
        super().__init__(parent, bg=ground, highlightthickness=0, width=1, height=1, takefocus=False, cursor="xterm")
        self._theme, self._write, self._on_size, self._on_back = theme, write, on_size, on_back
        self.fonts = CellFonts(theme)
        self._core: TerminalCore | None = None
        self._live = False
        self._drawn: TerminalFrame | None = None
        self._revision = -1
        self._items: list[tuple[int, ...]] = []
        self._colours = Colours()
        self._grid = (80, 24)
        self._timer: str | None = None
        self._size_timer: str | None = None
        self._press: tuple[int, int] | None = None
        self._selected: tuple[tuple[int, int], tuple[int, int]] | None = None
        self.key_field = tk.Entry(
            self,
            width=1,
            relief="flat",
            borderwidth=0,
            highlightthickness=0,
            bg=ground,
            fg=ground,
            insertwidth=0,
            insertbackground=ground,
            takefocus=True,
        )
        self._keys_window = self.create_window(
            theme.px(PAD), theme.px(PAD), window=self.key_field, anchor="nw", width=1, height=1
        )
        self._bind_events()

    def _bind_events(self) -> None:
        self.bind("<Configure>", lambda event: self._configured())
        self.bind("<Map>", lambda event: self._tick())
        self.bind("<Button-1>", self._pressed)
        self.bind("<B1-Motion>", self._dragged)
        self.bind("<ButtonRelease-1>", self._released)
        self.bind("<Button-2>", lambda event: self._mouse(event, "press", 2))
        self.bind("<Button-3>", lambda event: self._mouse(event, "press", 3))
        self.bind("<MouseWheel>", lambda event: self._wheel(event, -1 if event.delta > 0 else 1))
        self.bind("<Button-4>", lambda event: self._wheel(event, -1))
        self.bind("<Button-5>", lambda event: self._wheel(event, 1))
        self.key_field.bind("<KeyPress>", self._key)
        for name in ("<<Paste>>", "<<Copy>>", "<<Cut>>"):
            self.key_field.bind(name, lambda event: "break")
        self.key_field.bind("<Control-Shift-V>", lambda event: self.paste())
        self.key_field.bind("<Control-Shift-C>", lambda event: self.copy())
        self.key_field.bind("<Shift-Insert>", lambda event: self.paste())
        self.key_field.bind("<FocusIn>", lambda event: self._focus(True))
        self.key_field.bind("<FocusOut>", lambda event: self._focus(False))

    # What the pane asks

    def show(self, core: TerminalCore | None, *, live: bool) -> None:
        """Show this terminal, or nothing. `live`: its session runs."""
        was_live, self._live = self._live, live
        if core is self._core:
            if live != was_live:
                self._paint_cursor()
                self._tell_size()
            return
        self._core, self._drawn, self._revision, self._selected = core, None, -1, None
        self._clear()
        if core is not None:
            theme = self._theme
            core.set_colors(
                drawing.rgb(theme.role("terminal_text")),
                drawing.rgb(theme.role("terminal")),
                cells.palette_bytes(theme.palette.ansi),
            )
            self._tell_size()
        self._tick()

    def cell_size(self) -> tuple[int, int]:
        """Columns and rows that fit now."""
        if self.winfo_width() > 1:
            self._measure()
        return self._grid

    def has_focus(self) -> bool:
        """Whether keys go to the terminal."""
        return has_focus(self.key_field)

    def take_keys(self) -> None:
        """Give the keys to the terminal."""
        self.key_field.focus_set()

    def destroy(self) -> None:
        """Cancel what was still to be done."""
        for timer in (self._timer, self._size_timer):
            if timer is not None:
                self.after_cancel(timer)
        self._timer = self._size_timer = None
        super().destroy()

    # Drawing

    def _tick(self) -> None:
        if self._timer is not None:
            self.after_cancel(self._timer)
            self._timer = None
        core = self._core
        if core is None or not self.winfo_viewable():
            if core is not None:
                self._timer = self.after(QUIET_MS * 4, self._tick)
            return
        if core.revision != self._revision:
            self._revision = core.revision
            self.paint(core.frame())
        self._timer = self.after(FRAME_MS if self.has_focus() else QUIET_MS, self._tick)

    def paint(self, frame: TerminalFrame) -> None:
        """Draw a frame: rows that are the same stay or move, the others are drawn again."""
        before, self._drawn = self._drawn, frame
        self._colours.begin()
        if before is None or len(before.rows) != len(frame.rows) or before.palette != frame.palette:
            self._clear()
            self._items = [()] * len(frame.rows)
            self._paint_rows(range(len(frame.rows)))
        else:
            self._move_rows(before.rows, frame.rows)
        if before is not None and self._selected is not None and before.rows != frame.rows:
            self._select(None)
        self._paint_cursor()
        if before is None or before.scrolled_back != frame.scrolled_back:
            self._on_back(frame.scrolled_back)

    def _move_rows(self, before: tuple[Row, ...], after: tuple[Row, ...]) -> None:
        changed = [place for place, row in enumerate(after) if row is not before[place]]
        if not changed:
            return
        free = {id(before[place]): place for place in changed if before[place]}
        moved: dict[int, tuple[int, ...]] = {}
        for place in changed:
            source = free.pop(id(after[place]), None) if after[place] else None
            if source is not None:
                moved[place] = self._items[source]
                self._items[source] = ()
                for item in moved[place]:
                    self.move(item, 0, (place - source) * self.fonts.cell_height)
        for place in changed:
            if self._items[place]:
                self.delete(*self._items[place])
            self._items[place] = moved.get(place, ())
        self._paint_rows([place for place in changed if place not in moved])

    def _paint_rows(self, places: "range | list[int]") -> None:
        assert self._drawn is not None
        for place in places:
            row = self._drawn.rows[place]
            if row:
                drawn = cells.pieces(row, self._drawn, self._colours, self.fonts.fits)
                self._items[place] = tuple(item for piece in drawn for item in self._piece(piece, place))

    def _piece(self, piece: cells.Piece, row: int) -> tuple[int, ...]:
        width, height = self.fonts.cell_width, self.fonts.cell_height
        x, y = self._at(piece.column, row)
        match piece:
            case cells.Fill():
                item = self.create_rectangle(x, y, x + piece.width * width, y + height, fill=piece.colour, width=0)
                self.tag_lower(item)
                return (item,)
            case cells.Glyphs():
                font = self.fonts.font(piece.face, piece.bold, piece.italic)
                return (
                    self.create_text(x, y + height // 2, text=piece.text, anchor="w", font=font, fill=piece.colour),
                )
            case cells.Shape():
                return tuple(
                    self.create_rectangle(x + a, y + b, x + c, y + d, fill=piece.colour, width=0)
                    for a, b, c, d in boxes.boxes(piece.text, width, height)
                )
        level = {"under": height - 2, "through": height // 2, "over": 0}[piece.place]
        line = (x, y + level, x + piece.width * width, y + level + 1)
        return (self.create_rectangle(*line, fill=piece.colour, width=0),)

    def _at(self, column: int, row: int) -> tuple[int, int]:
        pad = self._theme.px(PAD)
        return pad + column * self.fonts.cell_width, pad + row * self.fonts.cell_height

    def _paint_cursor(self) -> None:
        self.delete("cursor")
        frame = self._drawn
        if frame is None or frame.cursor is None or not self._live:
            return
        cursor = frame.cursor
        x, y = self._at(cursor.column, cursor.row)
        self.coords(self._keys_window, x, y)
        width, height = self.fonts.cell_width * (2 if cursor.wide else 1), self.fonts.cell_height
        ink = self._colours.text(frame.foreground)
        if cursor.shape == "bar":
            self.create_rectangle(x, y, x + max(2, width // 6), y + height, fill=ink, width=0, tags="cursor")
        elif cursor.shape == "underline":
            self.create_rectangle(x, y + height - 3, x + width, y + height, fill=ink, width=0, tags="cursor")
        elif not self.has_focus():
            self.create_rectangle(x, y, x + width - 1, y + height - 1, outline=ink, tags="cursor")
        else:
            self.create_rectangle(x, y, x + width, y + height, fill=ink, width=0, tags="cursor")
            text = cells.cell_text(frame.rows[cursor.row], cursor.column)
            font = self.fonts.font("wide" if cursor.wide else "narrow")
            ground = self._colours.text(frame.background)
            self.create_text(x, y + height // 2, text=text, anchor="w", font=font, fill=ground, tags="cursor")

    def _clear(self) -> None:
        for items in self._items:
            if items:
                self.delete(*items)
        self.delete("cursor", "selection")
        self._items = []

    # Size

    def _configured(self) -> None:
        if self._size_timer is not None:
            self.after_cancel(self._size_timer)
        self._measure()
        self._size_timer = self.after(RESIZE_QUIET_MS, self._tell_size)

    def _measure(self) -> None:
        pad = 2 * self._theme.px(PAD)
        columns = max(20, (self.winfo_width() - pad) // self.fonts.cell_width)
        rows = max(4, (self.winfo_height() - pad) // self.fonts.cell_height)
        self._grid = (columns, rows)

    def _tell_size(self) -> None:
        if self._size_timer is not None:
            self.after_cancel(self._size_timer)
            self._size_timer = None
        if self._core is not None and self._live and self.winfo_viewable() and self._core.size != self._grid:
            self._on_size(*self._grid)

    # Keys

    def _key(self, event: "tk.Event[tk.Entry]") -> str | None:
        state = int(event.state)
        if event.keysym == "F6" or (state & SHIFT and state & CONTROL):
            return None
        if self._core is not None and self._live:
            data = self._core.encode_key(event.keysym, event.char, state)
            if data:
                self._core.scroll_to_bottom()
                self._write(data)
        return "break"

    def paste(self) -> str:
        """Put the clipboard's text in as the program wants pastes."""
        if self._core is not None and self._live:
            try:
                text = self.clipboard_get()
            except tk.TclError:
                return "break"  # nothing to paste
            self._write(self._core.paste(text))
        return "break"

    def copy(self) -> str:
        """Put the selected text on the clipboard."""
        text = self.selected_text()
        if text:
            self.clipboard_clear()
            self.clipboard_append(text)
        return "break"

    def _focus(self, here: bool) -> None:
        self._paint_cursor()
        if self._core is not None and self._live:
            data = self._core.encode_focus(here)
            if data:
                self._write(data)
        self._tick()

    # Mouse

    def _cell(self, event: "tk.Event[tk.Canvas]") -> tuple[int, int]:
        pad = self._theme.px(PAD)
        columns, rows = self._core.size if self._core is not None else self._grid
        column = max(0, min(columns - 1, (event.x - pad) // self.fonts.cell_width))
        return max(0, min(rows - 1, (event.y - pad) // self.fonts.cell_height)), column

    def _mouse(self, event: "tk.Event[tk.Canvas]", action: str, button: int) -> bool:
        core = self._core
        if core is None or not self._live or int(event.state) & SHIFT or not core.wants_mouse:
            return False
        row, column = self._cell(event)
        data = core.encode_mouse(action, button, column, row, int(event.state))
        if data:
            self._write(data)
        return True

    def _pressed(self, event: "tk.Event[tk.Canvas]") -> None:
        self.take_keys()
        self._select(None)
        self._press = None if self._mouse(event, "press", 1) else self._cell(event)

    def _dragged(self, event: "tk.Event[tk.Canvas]") -> None:
        if self._press is None:
            self._mouse(event, "motion", 1)
        else:
            here = self._cell(event)
            self._select((min(self._press, here), max(self._press, here)))

    def _released(self, event: "tk.Event[tk.Canvas]") -> None:
        if self._press is None:
            self._mouse(event, "release", 1)

    def _wheel(self, event: "tk.Event[tk.Canvas]", step: int) -> None:
        core = self._core
        if core is None or self._mouse(event, "press", 4 if step < 0 else 5):
            return
        if core.mode(ALTERNATE):
            if self._live:
                self._write(core.encode_key("Up" if step < 0 else "Down", "", 0) * WHEEL_ROWS)
        else:
            core.scroll(step * WHEEL_ROWS)
            self._tick()

    def to_end(self) -> None:
        """Show the newest rows again."""
        if self._core is not None:
            self._core.scroll_to_bottom()
            self._tick()

    def _select(self, span: "tuple[tuple[int, int], tuple[int, int]] | None") -> None:
        self._selected = span
        self.delete("selection")
        if span is None or self._drawn is None:
            return
        (first_row, first), (last_row, last) = span
        for row in range(first_row, last_row + 1):
            left = first if row == first_row else 0
            right = last + 1 if row == last_row else self._drawn.columns
            x, y = self._at(left, row)
            end = x + (right - left) * self.fonts.cell_width
            self.create_rectangle(x, y, end, y + self.fonts.cell_height, fill="#3A4A6B", width=0, tags="selection")
        self.tag_lower("selection")

    def selected_text(self) -> str:
        """The selected cells as lines of text."""
        if self._selected is None or self._drawn is None:
            return ""
        (first_row, first), (last_row, last) = self._selected
        lines = []
        for row in range(first_row, min(last_row + 1, len(self._drawn.rows))):
            left = first if row == first_row else 0
            right = last + 1 if row == last_row else self._drawn.columns
            lines.append(cells.row_text(self._drawn.rows[row], left, right))
        return "\n".join(lines)
