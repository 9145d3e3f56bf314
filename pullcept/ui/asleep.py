"""A Tk thread whose callbacks sleep, for the bench: what stands beside it must not wait for it."""

import time
import tkinter as tk


def sleep_in_callbacks(seconds: float, total: float) -> None:
    """Run a Tcl event loop (no display is needed) whose callback sleeps `seconds` again and again, `total` s long."""
    tcl = tk.Tcl()
    end = time.monotonic() + total

    def callback() -> None:
        time.sleep(seconds)
        if time.monotonic() < end:
            tcl.after(1, callback)
        else:
            tcl.quit()

    tcl.after(1, callback)
    tcl.mainloop(-1)
