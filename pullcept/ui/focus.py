"""Who has the keyboard, told by name: Tk knows widgets that Python does not, menus for instance."""

import tkinter as tk


def has_focus(widget: tk.Misc) -> bool:
    """Whether keys go to this widget."""
    return str(widget.tk.call("focus", "-displayof", widget)) == str(widget)
