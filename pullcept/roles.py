"""The roles of the app: which argument starts which part, and which options each takes."""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pullcept

USAGE = """usage: pullcept.py [--data-dir FOLDER]            the room in a window
       pullcept.py console [--data-dir FOLDER]    the room in this terminal
       pullcept.py demo [--window] [--data-dir FOLDER] [--say TEXT]
                                                  a throw-away room with two demo agents
       pullcept.py doctor [--data-dir FOLDER]     what works here, and what to do about the rest
       pullcept.py --version | --help
development:
       pullcept.py test [arguments of pytest]     the test suite
       pullcept.py bench [name...] [--json]       the speed rows of docs/speed.md
       pullcept.py build                          the one-file executable"""


@dataclass(frozen=True, slots=True)
class Role:
    """Where a role lives, and its options (name: whether a value follows). `options` None: it reads its own."""

    handler: str
    options: dict[str, bool] | None = None


WINDOW = Role("pullcept.app:main_window", {"--data-dir": True})
ROLES = {
    "console": Role("pullcept.console:main", {"--data-dir": True}),
    "demo": Role("pullcept.demo:main", {"--window": False, "--data-dir": True, "--say": True}),
    "doctor": Role("pullcept.doctor:main", {"--data-dir": True}),
    "test": Role("pullcept.develop:test"),
    "bench": Role("pullcept.bench:main"),
    "build": Role("pullcept.develop:build", {}),
    "sidecar": Role("sidecar.bridge:main"),
    "statusline": Role("sidecar.statusline:main"),
    "demo-agent": Role("sidecar.demo_agent:main"),
}


HELP_WORDS = ("--help", "-h")


class WrongUse(Exception):
    """The arguments fit no role; the text says which and why."""


def main(argv: Sequence[str]) -> int:
    """Run what `argv` asks for and return its exit code. 2: the arguments fit no role, and nothing was started."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A redirected stream of an old code page must not end the room at the first emoji.
            stream.reconfigure(errors="backslashreplace")
    if argv and argv[0] in ("--version", "-V"):
        print(f"pullcept {pullcept.__version__}")
        return 0
    if argv and (argv[0] in (*HELP_WORDS, "help") or _asks_how(*argv[:2])):
        print(USAGE)
        return 0
    try:
        name, rest = choose(argv)
    except WrongUse as wrong:
        print(f"pullcept: {wrong}\n{USAGE}", file=sys.stderr)
        return 2
    if not name and (reason := no_window_reason(sys.platform, os.environ)):
        print(f"pullcept: {reason}; the room opens in this terminal instead", file=sys.stderr)
        name = "console"
    return handler_of(ROLES.get(name, WINDOW))(rest)


def _asks_how(name: str, word: str = "") -> bool:
    """Whether `name --help` asks about a role whose options are checked here."""
    return word in HELP_WORDS and name in ROLES and ROLES[name].options is not None


def choose(argv: Sequence[str]) -> tuple[str, list[str]]:
    """The role's name (empty for the window) and the arguments for it. Raises WrongUse."""
    name, rest = (argv[0], list(argv[1:])) if argv and not argv[0].startswith("-") else ("", list(argv))
    if (name or list(argv[:1]) == [""]) and name not in ROLES:
        raise WrongUse(f"there is no command {name!r}")
    options = ROLES.get(name, WINDOW).options
    if options is not None:
        _check(rest, options)
    return name, rest


def _check(arguments: Sequence[str], options: dict[str, bool]) -> None:
    """Raises WrongUse for an unknown option, a missing or an extra value, or an option given twice."""
    seen: set[str] = set()
    left = list(arguments)
    while left:
        option, has_value, value = left.pop(0).partition("=")
        if option not in options:
            raise WrongUse(f"unknown argument {option!r}")
        if option in seen:
            raise WrongUse(f"{option} is given twice")
        seen.add(option)
        if not options[option]:
            if has_value:
                raise WrongUse(f"{option} takes no value")
            continue
        value = value if has_value else (left.pop(0) if left else "")
        if not value:
            raise WrongUse(f"{option} needs a value")


def handler_of(role: Role) -> Callable[[Sequence[str]], int]:
    """The function of a role, its module loaded now."""
    module, function = role.handler.split(":")
    found: Callable[[Sequence[str]], int] = getattr(importlib.import_module(module), function)
    return found


def no_window_reason(platform: str, environment: os._Environ[str] | dict[str, str]) -> str | None:
    """Why no window can open here, in words; None when one can."""
    if importlib.util.find_spec("_tkinter") is None:
        from pullcept.find_python import tk_advice

        return f"this Python has no tkinter ({tk_advice()})"
    if platform in ("win32", "darwin"):
        return None
    display = environment.get("DISPLAY", "")
    if not display:
        return "there is no display (DISPLAY is not set)"
    return None if _answers(display) else f"the display {display} does not answer"


def _answers(display: str) -> bool:
    """Whether an X server listens at `host:number.screen`. A form we do not know is left to Tk."""
    host, colon, number = display.rpartition(":")
    if not colon or not number.partition(".")[0].isdigit():
        return True
    index = int(number.partition(".")[0])
    try:
        if host and host != "unix" and not host.startswith("/"):
            socket.create_connection((host, 6000 + index), timeout=2).close()
            return True
        return _unix_answers(f"/tmp/.X11-unix/X{index}")
    except OSError:
        return False


def _unix_answers(path: str) -> bool:
    if sys.platform == "win32":
        return False
    for name in ("\0" + path, path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(name)
            except OSError:
                continue
            return True
    return False
