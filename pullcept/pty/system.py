"""The terminals of the system this runs on."""

import sys

from pullcept.pty.terminal import Terminals


def make_terminals() -> Terminals:
    """Terminals of the POSIX or the Windows form; close them at the end."""
    if sys.platform == "win32":
        from pullcept.pty.windows import WindowsTerminals

        return WindowsTerminals()
    else:
        from pullcept.pty.posix import PosixTerminals

        return PosixTerminals()
