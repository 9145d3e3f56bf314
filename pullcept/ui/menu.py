"""A menu that pops up, in the colours of the theme."""

import tkinter as tk

from pullcept.ui.theme import Theme


def popup_menu(parent: tk.Misc, theme: Theme) -> tk.Menu:
    """An empty menu to fill and to post with `tk_popup`."""
    return tk.Menu(
        parent,
        tearoff=False,
        bg=theme.role("raised"),
        fg=theme.role("text"),
        font=theme.font(13),
        activebackground=theme.role("selected"),
        activeforeground=theme.role("text"),
        borderwidth=1,
        relief="flat",
    )
