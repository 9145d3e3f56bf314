"""The right column: accounts grouped by kind with their states, guests last; start and stop."""

import tkinter as tk
from collections.abc import Callable
from dataclasses import replace
from tkinter import ttk

from pullcept.core.screen import AccountView
from pullcept.ui import decisions, drawing, words
from pullcept.ui.links import DecisionBar, OnDecide
from pullcept.ui.plain import one_line
from pullcept.ui.rowlist import Line, Place, RowList
from pullcept.ui.rows import first_letter
from pullcept.ui.state import ScreenState, is_running
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

ROW_HEIGHT = 46
HEAD_HEIGHT = 30


class AccountsPanel(tk.Frame):
    """Shows accounts, seats and guests of the open topic.

    `on_toggle` starts or stops an account's session, `on_terminal` shows its terminal, `on_decide` does what the
    person decides about posts that wait.
    """

    def __init__(
        self,
        parent: tk.Misc,
        theme: Theme,
        state: ScreenState,
        *,
        on_fold: Callable[[], None],
        on_toggle: Callable[[str], None],
        on_terminal: Callable[[str], None],
        on_decide: OnDecide,
    ) -> None:
        super().__init__(parent, bg=theme.role("side"))
        self._theme, self._state = theme, state
        self._on_terminal = on_terminal
        self._build_head(on_fold)
        self.list = RowList(
            self,
            theme,
            draw=self._draw,
            on_open=on_toggle,
            on_part=lambda key, part: on_toggle(key),
            on_choose=lambda key: self._update_card(),
            on_double=on_terminal,
        )
        self.list.pack(fill="both", expand=True)
        self._card = tk.Label(
            self,
            bg=theme.role("side"),
            fg=theme.role("muted"),
            font=theme.font(12),
            anchor="nw",
            justify="left",
            padx=theme.px(16),
            pady=theme.px(10),
            height=3,
        )
        self.held = DecisionBar(self, theme, on_decide=on_decide, on_gone=self.list.canvas.focus_set, stacked=True)
        self._card.pack(fill="x", side="bottom")
        self._card.bind("<Configure>", lambda event: self._card.configure(wraplength=event.width - theme.px(32)))
        tk.Frame(self, bg=theme.role("line"), height=1).pack(fill="x", side="bottom")
        self.list.canvas.bind("<Control-Return>", lambda event: self._terminal_of_selected())
        Tooltip(self.list.canvas, theme, lambda: _("Enter starts or stops · Ctrl+Enter shows the terminal"))

    def _build_head(self, on_fold: Callable[[], None]) -> None:
        theme = self._theme
        head = tk.Frame(self, bg=theme.role("side"), height=theme.px(44))
        head.pack(fill="x")
        head.pack_propagate(False)
        title = tk.Label(
            head, text=_("Accounts"), bg=theme.role("side"), fg=theme.role("text"), font=theme.font(14, bold=True)
        )
        title.pack(side="left", padx=(theme.px(16), 0))
        fold = ttk.Button(head, image=theme.icon("panel-right", 18), style="SideTool.TButton", command=on_fold)
        fold.pack(side="right", padx=theme.px(8))
        Tooltip(fold, theme, lambda: _("Fold the accounts (Ctrl+Shift+B)"))

    def update_accounts(self) -> None:
        """Draw the list again."""
        lines: list[Line] = []
        kinds = dict.fromkeys((*words.KIND_ORDER, *(account.kind for account in self._state.accounts)))
        for kind in kinds:
            members = [account for account in self._state.accounts if account.kind == kind]
            if members:
                lines.append(Line(f"{kind} {len(members)}", "head", HEAD_HEIGHT))
                lines += [Line(account.account_id, "row", ROW_HEIGHT) for account in members]
        guests = self._state.guests()
        if guests:
            lines.append(Line(f"guest {len(guests)}", "head", HEAD_HEIGHT))
            lines += [Line(f"guest:{place}", "row", ROW_HEIGHT) for place in range(len(guests))]
        self.list.show(lines, self.list.selected)
        self._update_card()

    def _update_card(self) -> None:
        account = self._state.account(self.list.selected)
        if account is None:
            self._card.configure(text=_("Select a name to see its state."), fg=self._theme.role("muted"))
            self._update_held(None)
            return
        view = self._state.seat_view(account.account_id)
        waiting = decisions.of_seat(self._state, view)
        self._update_held(waiting)
        if view is not None and waiting is not None:
            view = replace(view, held=0)  # the box below says it
        mark = words.badge(account, view)
        self._card.configure(text=f"{one_line(account.name)}\n{one_line(mark.words)}", fg=self._theme.role(mark.ink))

    def _update_held(self, waiting: decisions.Waiting | None) -> None:
        if waiting is None:
            self.held.pack_forget()
            self.held.clear()
        else:
            self.held.show(waiting)
            pad = self._theme.px(12)
            self.held.pack(fill="x", side="bottom", before=self._card, padx=pad, pady=(0, pad))

    def _terminal_of_selected(self) -> str:
        if self.list.selected is not None:
            self._on_terminal(self.list.selected)
        return "break"

    def _draw(self, canvas: tk.Canvas, key: str, place: Place) -> None:
        account = self._state.account(key)
        if account is not None:
            self._draw_account(canvas, account, place)
        elif key.startswith("guest:"):
            self._draw_guest(canvas, int(key.partition(":")[2]), place)
        else:
            kind, _space, count = key.partition(" ")
            name = _("Guests") if kind == "guest" else words.kind_name(kind)
            canvas.create_text(
                place.x + self._theme.px(8),
                place.y + place.height - self._theme.px(10),
                text=f"{name}  {count}",
                anchor="w",
                font=self._theme.font(12),
                fill=self._theme.role("muted"),
            )

    def _draw_account(self, canvas: tk.Canvas, account: AccountView, place: Place) -> None:
        theme, view = self._theme, self._state.seat_view(account.account_id)
        colours = theme.palette.person[theme.palette.of_account(account.kind, account.hue, account.name)]
        late = view is not None and self._state.not_taken(view.seat) is not None
        badge = words.badge(account, view, not_taken=late)
        running = is_running(view)
        started = running or account.kind == "admin" or (view is not None and not view.asked)
        right = place.x + place.width - theme.px(8)
        if account.startable or running:
            name = "stop" if running else "play"
            canvas.create_image(
                right - theme.px(8), place.y + place.height // 2, image=theme.icon(name, 18), tags=("do:toggle",)
            )
            pad = (
                right - theme.px(24),
                place.y + theme.px(6),
                right + theme.px(8),
                place.y + place.height - theme.px(6),
            )
            canvas.create_rectangle(*pad, outline="", fill="", tags=("do:toggle",))
            right -= theme.px(28)
        faint = drawing.blend(colours.tint, place.ground, 1.0 if started else 0.55)
        ink = colours.text if started else drawing.blend(colours.text, place.ground, 0.55)
        self._draw_who(canvas, place, account.name, (faint, ink, colours.text), badge, right)

    def _draw_guest(self, canvas: tk.Canvas, number: int, place: Place) -> None:
        guests = self._state.guests()
        if number < len(guests):
            name, hue = guests[number]
            colours = self._theme.palette.of(hue, name)
            badge = words.Badge(_("no account"), mark="ring")
            right = place.x + place.width - self._theme.px(8)
            self._draw_who(canvas, place, name, (colours.tint, colours.text, colours.text), badge, right)

    def _draw_who(
        self, canvas: tk.Canvas, place: Place, name: str, inks: tuple[str, str, str], badge: words.Badge, right: int
    ) -> None:
        theme, (tint, initial_ink, name_ink) = self._theme, inks
        mark_ink = theme.role(badge.mark_ink)
        avatar = theme.avatar(30, tint, place.ground, badge.mark, mark_ink)
        left, middle = place.x + theme.px(8), place.y + place.height // 2
        canvas.create_image(left, middle, image=avatar, anchor="w")
        canvas.create_text(
            left + theme.px(15), middle, text=first_letter(name), font=theme.font(13, bold=True), fill=initial_ink
        )
        left += theme.px(40)
        font = theme.font(14, bold=True)
        title = theme.fit(name, font, right - left)
        canvas.create_text(left, middle - theme.px(9), text=title, anchor="w", font=font, fill=name_ink)
        if badge.icon:
            canvas.create_image(left, middle + theme.px(10), image=theme.icon(badge.icon, 16), anchor="w")
            left += theme.px(20)
        said = theme.fit(badge.words, theme.font(12), right - left)
        canvas.create_text(
            left, middle + theme.px(10), text=said, anchor="w", font=theme.font(12), fill=theme.role(badge.ink)
        )
