"""The terminal pane: a tab for each session of the topic, the strip above the cells, the cells."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from pullcept.core.screen import Actions
from pullcept.core.seat import Seat, SeatState
from pullcept.term.core import TerminalCore
from pullcept.ui import decisions
from pullcept.ui.decisions import Waiting
from pullcept.ui.focus import has_focus
from pullcept.ui.links import DecisionBar, OnDecide
from pullcept.ui.painter import TerminalScreen
from pullcept.ui.plain import one_line
from pullcept.ui.state import ScreenState, is_running
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

TABS_HEIGHT = 36
STRIP_HEIGHT = 26
SMALLEST_HEIGHT = 160
PART_OF_WINDOW = 0.42


class TerminalPanel(tk.Frame):
    """Shows the terminals of the open topic. `on_toggle(account_id)` starts again or stops.

    `on_decide` does what the person decides about posts that wait.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        state: ScreenState,
        actions: Actions,
        terminals: Callable[[Seat], TerminalCore | None],
        *,
        on_fold: Callable[[], None],
        on_toggle: Callable[[str], None],
        on_decide: OnDecide,
    ) -> None:
        super().__init__(parent, bg=theme.role("side"))
        self.pack_propagate(False)
        self._theme, self._state, self._actions, self._terminals = theme, state, actions, terminals
        self._on_toggle = on_toggle
        self.seat: Seat | None = None
        self._chosen: dict[str, Seat] = {}
        self._height: int | None = None
        self._grip = tk.Frame(self, bg=theme.role("line"), height=max(3, theme.px(3)), cursor="sb_v_double_arrow")
        self._grip.pack(fill="x")
        self._grip.bind("<B1-Motion>", self._drag)
        self._build_tabs(on_fold)
        self.strip = DecisionBar(self, theme, on_decide=on_decide, on_gone=self.focus_terminal)
        self.screen = TerminalScreen(self, theme, write=self._write, on_size=self._resized, on_back=self._scrolled_back)
        self.screen.pack(side="bottom", fill="both", expand=True)
        self._to_end = ttk.Button(self.screen, text=_("To the end"), style="Room.TButton", command=self.screen.to_end)

    def _build_tabs(self, on_fold: Callable[[], None]) -> None:
        theme = self._theme
        bar = tk.Frame(self, bg=theme.role("side"), height=theme.px(TABS_HEIGHT))
        bar.pack(fill="x")
        bar.pack_propagate(False)
        fold = ttk.Button(bar, image=theme.icon("chevron-down", 18), style="SideTool.TButton", command=on_fold)
        fold.pack(side="right", padx=theme.px(8))
        Tooltip(fold, theme, lambda: _("Fold the terminals (Ctrl+J)"))
        self._size = tk.Label(bar, bg=theme.role("side"), fg=theme.role("muted"), font=theme.font(12))
        self._size.pack(side="right", padx=theme.px(4))
        self._tabs = tk.Canvas(bar, bg=theme.role("side"), highlightthickness=0, takefocus=True, width=1, height=1)
        self._tabs.pack(side="left", fill="both", expand=True, padx=(theme.px(12), 0))
        self._tabs.bind("<Button-1>", self._click_tab)
        self._tabs.bind("<Configure>", lambda event: self.update_tabs())
        for event in ("<FocusIn>", "<FocusOut>"):
            self._tabs.bind(event, lambda event: self.update_tabs())
        for key, step in (("<Left>", -1), ("<Right>", 1)):
            self._tabs.bind(key, lambda event, step=step: self._step(step))  # type: ignore[misc]
        for key in ("<Return>", "<Down>"):
            self._tabs.bind(key, lambda event: self.focus_terminal())
        self._tabs.bind("<Delete>", lambda event: self._close(self.seat))

    # What the window asks

    def show_topic(self) -> None:
        """Another topic is open: show its terminals."""
        terminals = self._state.topic().terminals
        chosen = self._chosen.get(self._state.topic_id or "")
        self.seat = chosen if chosen in terminals else (terminals[0] if terminals else None)
        self.update_tabs()

    def choose(self, seat: Seat) -> None:
        """Show the terminal of a seat, as soon as there is one."""
        self.seat = self._chosen[seat.topic_id] = seat
        self.update_tabs()

    def update_tabs(self) -> None:
        """Draw tabs and strip again; the cells follow their terminal."""
        terminals = self._state.topic().terminals
        if self.seat is None and terminals:
            self.seat = terminals[0]
        if self.seat is not None and self.seat.topic_id != self._state.topic_id:
            self.seat = None
        self._draw_tabs(terminals)
        self._update_strip()
        core = self._terminals(self.seat) if self.seat in terminals and self.seat is not None else None
        self.screen.show(core, live=is_running(self._state.seats.get(self.seat)) if self.seat else False)

    def opened(self) -> None:
        """The pane was unfolded."""
        self.update_tabs()

    def fit_height(self, window_height: int) -> None:
        """Take a share of the window, or what the person dragged it to, within the window."""
        theme = self._theme
        wanted = self._height or round(window_height * PART_OF_WINDOW)
        most = max(theme.px(SMALLEST_HEIGHT), window_height - theme.px(330))
        self.configure(height=max(theme.px(SMALLEST_HEIGHT), min(wanted, most)))

    def cell_size(self) -> tuple[int, int]:
        """Columns and rows of the cells as they are shown now."""
        return self.screen.cell_size()

    def has_focus(self) -> bool:
        """Whether keys go to a terminal."""
        return self.screen.has_focus()

    def focus_terminal(self) -> None:
        """Give the keys to the terminal."""
        self.screen.take_keys()

    # Tabs

    def _draw_tabs(self, terminals: list[Seat]) -> None:
        theme, canvas = self._theme, self._tabs
        canvas.delete("all")
        left, height = 0, theme.px(TABS_HEIGHT)
        if not terminals:
            canvas.create_text(
                theme.px(4),
                height // 2,
                text=_("No session was started here. ▶ starts one."),
                anchor="w",
                font=theme.font(13),
                fill=theme.role("muted"),
            )
        for seat in terminals:
            left = self._draw_tab(seat, left, height)
        core = self._terminals(self.seat) if self.seat is not None and self.seat in terminals else None
        self._size.configure(text="{} × {}".format(*core.size) if core is not None else "")

    def _draw_tab(self, seat: Seat, left: int, height: int) -> int:
        theme, canvas = self._theme, self._tabs
        account, view = self._state.account(seat.account_id), self._state.seats.get(seat)
        name = account.name if account else seat.account_id
        colours = theme.palette.of(account.hue if account else None, name)
        running, chosen = is_running(view), seat == self.seat
        tag = f"tab:{seat.account_id}"
        font = theme.font(13, bold=chosen)
        x = left + theme.px(8)
        canvas.create_image(
            x,
            height // 2,
            image=theme.dot(9, colours.solid, theme.role("side"), ring=not running),
            anchor="w",
            tags=(tag,),
        )
        x += theme.px(16)
        text = theme.fit(name, font, theme.px(160))
        if view is not None and view.state == SeatState.ENDED and not view.asked and view.exit_code is not None:
            text += "  " + _("ended {n}").format(n=view.exit_code)
        ink = theme.role("text" if chosen else "text2")
        canvas.create_text(x, height // 2, text=text, anchor="w", font=font, fill=ink, tags=(tag,))
        x += font.measure(text) + theme.px(8)
        if not running:
            canvas.create_image(
                x, height // 2, image=theme.icon("close"), anchor="w", tags=(f"close:{seat.account_id}",)
            )
            x += theme.px(20)
        x += theme.px(8)
        hit = canvas.create_rectangle(left, 0, x, height, outline="", fill="", tags=(tag,))
        canvas.tag_lower(hit)
        if chosen:
            line = colours.solid if not has_focus(canvas) else theme.role("accent")
            canvas.create_rectangle(left, height - theme.px(2), x, height, fill=line, width=0)
        return x

    def _click_tab(self, event: "tk.Event[tk.Canvas]") -> None:
        topic_id = self._state.topic_id or ""
        for item in reversed(self._tabs.find_overlapping(event.x, event.y, event.x, event.y)):
            for tag in self._tabs.gettags(item):
                kind, _colon, account_id = tag.partition(":")
                if kind == "close":
                    self._close(Seat(account_id, topic_id))
                    return
                if kind == "tab":
                    self.choose(Seat(account_id, topic_id))
                    self.focus_terminal()
                    return

    def _step(self, step: int) -> str:
        terminals = self._state.topic().terminals
        if terminals:
            place = terminals.index(self.seat) + step if self.seat in terminals else 0
            self.choose(terminals[place % len(terminals)])
        return "break"

    def _close(self, seat: Seat | None) -> None:
        if seat is not None and not is_running(self._state.seats.get(seat)):
            self._state.close_terminal(seat)
            self._chosen.pop(seat.topic_id, None)
            self.seat = None
            self.update_tabs()

    # Strip

    def _update_strip(self) -> None:
        text, ground, ink = self._strip_words()
        waiting = Waiting(self.seat, text) if text and self.seat is not None else self._waiting()
        if waiting is None:
            self.strip.pack_forget()
            self.strip.clear()
        else:
            self.strip.show(waiting, ground, ink)
            self.strip.pack(fill="x", after=self._tabs.master)

    def _waiting(self) -> Waiting | None:
        return decisions.of_seat(self._state, self._state.seats.get(self.seat)) if self.seat is not None else None

    def _strip_words(self) -> tuple[str, str, str]:
        view = self._state.seats.get(self.seat) if self.seat is not None else None
        if self.seat in self._state.typing:
            return _("A post is being typed. Your keys follow right after it."), "accent_tint", "accent"
        if view is None:
            return "", "warn_tint", "warn"
        if view.state == SeatState.FIRST_SCREEN:
            return _("Waiting at its first screen. Answer here."), "warn_tint", "warn"
        if view.state == SeatState.FAILED:
            account = self._state.account(view.seat.account_id)
            name = account.name if account else view.seat.account_id
            text = f"{name} — " + _("Failed: {reason}").format(reason=view.detail)
            return one_line(text), "danger_tint", "danger"
        return "", "warn_tint", "warn"

    # The cells

    def _write(self, data: bytes) -> None:
        if self.seat is not None and is_running(self._state.seats.get(self.seat)):
            self._actions.write_keys(self.seat, data)

    def _resized(self, columns: int, rows: int) -> None:
        if self.seat is not None and is_running(self._state.seats.get(self.seat)):
            self._actions.resize(self.seat, columns, rows)

    def _scrolled_back(self, back: bool) -> None:
        if back:
            self._to_end.place(relx=1.0, rely=1.0, x=-self._theme.px(12), y=-self._theme.px(12), anchor="se")
        else:
            self._to_end.place_forget()

    def _drag(self, event: "tk.Event[tk.Misc]") -> None:
        window = self.winfo_toplevel()
        self._height = self.winfo_rooty() + self.winfo_height() - event.y_root
        self.fit_height(window.winfo_height())
