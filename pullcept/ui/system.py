"""What the operating system says about how windows should look."""

import subprocess
import sys

from pullcept.ui.palette import ThemeName

LOOK_SECONDS = 2.0


def make_dpi_aware() -> None:
    """Tell Windows that the window draws in real pixels; must come before the first window."""
    if sys.platform == "win32":
        import ctypes

        try:
            ctypes.windll.shcore.SetProcessDpiAwareness(1)
        except (AttributeError, OSError):
            ctypes.windll.user32.SetProcessDPIAware()
        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID("Pullcept")


def system_theme() -> ThemeName:
    """The theme chosen in the operating system; light where it cannot be told."""
    if sys.platform == "win32":
        return _windows_theme()
    if sys.platform == "darwin":
        return "dark" if _said(["defaults", "read", "-g", "AppleInterfaceStyle"]) == "Dark" else "light"
    wanted = _said(["gsettings", "get", "org.gnome.desktop.interface", "color-scheme"])
    return "dark" if "dark" in wanted else "light"


def _said(line: list[str]) -> str:
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=LOOK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


if sys.platform == "win32":

    def _windows_theme() -> ThemeName:
        import winreg

        path = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, path) as key:
                return "light" if winreg.QueryValueEx(key, "AppsUseLightTheme")[0] else "dark"
        except OSError:
            return "light"
