"""A folded column: a narrow strip that still unfolds, starts a topic and shows who is in which state."""

import tkinter as tk
from collections.abc import Callable
from tkinter import ttk

from pullcept.core.screen import AccountView
from pullcept.ui import words
from pullcept.ui.rows import first_letter
from pullcept.ui.state import ScreenState
from pullcept.ui.texts import gettext as _
from pullcept.ui.theme import Theme
from pullcept.ui.tooltip import Tooltip

WIDTH = 52
AVATAR_STEP = 44


class TopicsRail(tk.Frame):
    """The folded left column."""

    def __init__(
        self, parent: tk.Misc, theme: Theme, *, on_unfold: Callable[[], None], on_new: Callable[[], None]
    ) -> None:
        super().__init__(parent, bg=theme.role("side"), width=theme.px(WIDTH))
        self.pack_propagate(False)
        buttons = (
            ("panel-left", on_unfold, _("Unfold the topics (Ctrl+B)")),
            ("plus", on_new, _("New topic (Ctrl+N)")),
        )
        for icon, command, tip in buttons:
            button = ttk.Button(self, image=theme.icon(icon, 18), style="SideTool.TButton", command=command)
            button.pack(pady=(theme.px(7), 0))
            Tooltip(button, theme, lambda tip=tip: tip)  # type: ignore[misc]


class AccountsRail(tk.Frame):
    """The folded right column: one avatar with its state mark for each account."""

    def __init__(self, parent: tk.Misc, theme: Theme, state: ScreenState, *, on_unfold: Callable[[], None]) -> None:
        super().__init__(parent, bg=theme.role("side"), width=theme.px(WIDTH))
        self.pack_propagate(False)
        self._theme, self._state = theme, state
        button = ttk.Button(self, image=theme.icon("panel-right", 18), style="SideTool.TButton", command=on_unfold)
        button.pack(pady=(theme.px(7), theme.px(4)))
        Tooltip(button, theme, lambda: _("Unfold the accounts (Ctrl+Shift+B)"))
        self._canvas = tk.Canvas(self, bg=theme.role("side"), highlightthickness=0, width=1, height=1, cursor="hand2")
        self._canvas.pack(fill="both", expand=True)
        self._canvas.bind("<Button-1>", lambda event: on_unfold())
        Tooltip(self._canvas, theme, self._under_pointer)

    def update_accounts(self) -> None:
        """Draw the avatars again."""
        theme, canvas = self._theme, self._canvas
        canvas.delete("all")
        ground = theme.role("side")
        for place, account in enumerate(self._state.accounts):
            badge = self._badge(account)
            colours = theme.palette.person[theme.palette.of_account(account.kind, account.hue, account.name)]
            x, y = theme.px(WIDTH) // 2, theme.px(AVATAR_STEP * place + 22)
            image = theme.avatar(30, colours.tint, ground, badge.mark, theme.role(badge.mark_ink))
            canvas.create_image(x, y, image=image)
            font = theme.font(13, bold=True)
            canvas.create_text(x, y, text=first_letter(account.name), font=font, fill=colours.text)

    def _under_pointer(self) -> str:
        y = self._canvas.winfo_pointery() - self._canvas.winfo_rooty()
        place = y // self._theme.px(AVATAR_STEP)
        if not 0 <= place < len(self._state.accounts):
            return ""
        account = self._state.accounts[place]
        return f"{account.name}\n{self._badge(account).words}"

    def _badge(self, account: AccountView) -> words.Badge:
        view = self._state.seat_view(account.account_id)
        late = view is not None and self._state.not_taken(view.seat) is not None
        return words.badge(account, view, not_taken=late)
