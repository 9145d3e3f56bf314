"""The environment of a CLI: what it inherits, what it must not inherit, and what the app and its account add.

Not inherited: marks of a session this app was itself started from, the description of the terminal around
the app, other seats' values, and whatever a frozen program put there for itself.
"""

from collections.abc import Iterable, Mapping

_FOREIGN_SESSION = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT"})
_OTHER_TERMINAL = frozenset({
    "TMUX", "TMUX_PANE", "STY", "WINDOW", "COLUMNS", "LINES", "TERMCAP", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID", "VTE_VERSION", "WT_SESSION", "WT_PROFILE_ID", "ITERM_SESSION_ID", "ITERM_PROFILE",
    "KITTY_WINDOW_ID", "KITTY_PID", "KITTY_LISTEN_ON", "WEZTERM_PANE", "WEZTERM_UNIX_SOCKET",
    "GHOSTTY_RESOURCES_DIR", "ZELLIJ", "ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME",
})  # fmt: skip
_FROZEN = frozenset({"TCL_LIBRARY", "TK_LIBRARY", "TCLLIBPATH"})
_RESTORED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "LIBPATH")
_NEVER = frozenset({"__PYVENV_LAUNCHER__", "_MEIPASS2"})
_NEVER_PREFIXES = ("PULLCEPT_", "_PYI_", "PYINSTALLER_")
_BUNDLE_NAME = "_PYI_APPLICATION_HOME_DIR"


def child_environment(
    base: Mapping[str, str],
    *,
    account_env: Mapping[str, str],
    own: Mapping[str, str],
    frozen: bool,
    platform: str,
) -> dict[str, str]:
    """The environment for one CLI, made of the app's own (`base`), the room's names (`own`) and the account's values.

    The account's values come last, but never over a name of the app. `platform` is `sys.platform`; on Windows
    names that differ in case only are one name.
    """
    dropped = _FOREIGN_SESSION | _OTHER_TERMINAL | _NEVER
    kept = {
        name: value
        for name, value in base.items()
        if name.upper() not in dropped and not name.upper().startswith(_NEVER_PREFIXES)
    }
    if frozen:
        kept = _thaw(kept, base, ";" if platform == "win32" else ":")
    _put(kept, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, platform)
    owned = {name.upper() for name in own}
    values = {
        name: value
        for name, value in account_env.items()
        if name.upper() not in owned and not name.upper().startswith(_NEVER_PREFIXES)
    }
    _put(kept, values, platform)
    _put(kept, own, platform)
    return kept


def _thaw(kept: Mapping[str, str], base: Mapping[str, str], separator: str) -> dict[str, str]:
    """Undo what a frozen program's start put into its environment."""
    thawed = {name: value for name, value in kept.items() if name.upper() not in _FROZEN}
    for name in _RESTORED:
        before = thawed.pop(f"{name}_ORIG", None)
        thawed.pop(name, None)
        if before:
            thawed[name] = before
    bundle = base.get(_BUNDLE_NAME, "")
    return _without_folder(thawed.items(), bundle, separator) if bundle else thawed


def _without_folder(items: Iterable[tuple[str, str]], folder: str, separator: str) -> dict[str, str]:
    """Take the unpacked program's folder out of path lists; a value that was nothing else goes away."""
    left = {}
    for name, value in items:
        if folder in value:
            value = separator.join(part for part in value.split(separator) if folder not in part)
            if not value:
                continue
        left[name] = value
    return left


def _put(target: dict[str, str], values: Mapping[str, str], platform: str) -> None:
    """Set values; on Windows replace a name that is there in another case."""
    for name, value in values.items():
        if platform == "win32":
            for other in [other for other in target if other.upper() == name.upper()]:
                del target[other]
        target[name] = value
