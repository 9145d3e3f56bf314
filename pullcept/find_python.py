"""Looks for a Python that can carry Pullcept: 3.13 or later, with venv, and with tkinter if one can be had.

Runs on Python 3.8 like `bootstrap`.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from typing import Iterable, Iterator

LEAST = (3, 13)
TESTED = ((3, 13), (3, 14))
PROBE_LIMIT = 20.0
PROBE = """
import sys
def has(name):
    try:
        __import__(name)
    except Exception:
        return "0"
    return "1"
free_threaded = "1" if "free-threading" in sys.version or hasattr(sys, "abiflags") and "t" in sys.abiflags else "0"
bits = "64" if sys.maxsize > 2 ** 32 else "32"
name = getattr(sys, "implementation", None) and sys.implementation.name or "old"
print("\\n".join([str(sys.version_info[0]), str(sys.version_info[1]), str(sys.version_info[2]), name, bits,
    free_threaded, has("venv"), has("ensurepip"), has("_tkinter") if has("tkinter") == "1" else "0"]))
"""


class Python:
    """One interpreter that answered: what it is, and what it lacks for Pullcept (empty: nothing)."""

    def __init__(self, path: str, answer: list[str]) -> None:
        self.path = path
        self.version = (int(answer[0]), int(answer[1]), int(answer[2]))
        self.has_tk = answer[8] == "1"
        self.lacks = _lacks(self.version, answer)

    @property
    def version_text(self) -> str:
        return ".".join(str(part) for part in self.version)


def _lacks(version: tuple[int, int, int], answer: list[str]) -> str:
    if version[:2] < LEAST:
        return "is Python {}.{}".format(*version)
    if answer[3] != "cpython":
        return "is {}, not CPython".format(answer[3])
    if answer[5] == "1":
        return "is a free-threaded build, for which some packages do not exist"
    if answer[4] != "64":
        return "is a 32-bit build, for which some packages do not exist"
    missing = [name for name, has in (("venv", answer[6]), ("ensurepip", answer[7])) if has != "1"]
    return "has no " + " and no ".join(missing) if missing else ""


def best(candidates: Iterable[str] | None = None) -> Python | None:
    """The Python to use, or None. One with tkinter and of a tested version wins; else the first that can do it."""
    usable: list[Python] = []
    for python in _answering(_candidates() if candidates is None else candidates):
        if python.lacks:
            continue
        if python.has_tk and python.version[:2] in TESTED:
            return python
        usable.append(python)
    usable.sort(key=lambda python: not python.has_tk)
    return usable[0] if usable else None


def _answering(candidates: Iterable[str]) -> Iterator[Python]:
    """The candidates that are Pythons, each interpreter once."""
    seen = set()
    for path in candidates:
        real = os.path.realpath(path)
        if real in seen or not os.path.isfile(path):
            continue
        seen.add(real)
        python = probe(path)
        if python is not None:
            yield python


def probe(path: str) -> Python | None:
    """Ask one interpreter what it is; None when it does not answer in time or is none."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment.pop("__PYVENV_LAUNCHER__", None)
    try:
        done = subprocess.run(
            [path, "-c", PROBE],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_LIMIT,
            check=False,
        )
        return Python(path, done.stdout.decode("ascii").split())
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None


def _candidates() -> Iterator[str]:
    """Where a Python may be, the likeliest first. Lazy: asking `py` and `uv` costs time."""
    wanted = os.environ.get("PULLCEPT_PYTHON")
    if wanted:
        yield wanted
    yield sys.executable
    for name in _names():
        found = shutil.which(name)
        if found:
            yield found
    for pattern in _windows_places() if os.name == "nt" else _posix_places():
        for path in sorted(glob.glob(os.path.expanduser(pattern)), key=_newest_last):
            yield path
    for path in _asked(["py", "--list-paths"]) if os.name == "nt" else ():
        yield path
    for path in _asked(["uv", "python", "find", "--no-python-downloads", ">=3.13"]):
        yield path


def _names() -> list[str]:
    return ["python3.{}".format(minor) for minor in (13, 14, 15, 16)] + ["python3", "python"]


def _newest_last(path: str) -> list[int]:
    """Sorts 3.9 before 3.13: by the numbers in the path."""
    digits = "".join(letter if letter.isdigit() else " " for letter in path)
    return [int(number) for number in digits.split()]


def _posix_places() -> list[str]:
    """Version managers first, then the usual folders."""
    pyenv = os.environ.get("PYENV_ROOT") or "~/.pyenv"
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or "~/.local/share/uv/python"
    asdf = os.environ.get("ASDF_DATA_DIR") or "~/.asdf"
    mise = os.environ.get("MISE_DATA_DIR") or "~/.local/share/mise"
    condas = [os.environ.get("CONDA_PREFIX") or "~/miniconda3", "~/miniconda3", "~/miniforge3", "~/anaconda3"]
    return [
        pyenv + "/versions/3.*/bin/python3",
        uv + "/cpython-3.*/bin/python3",
        asdf + "/installs/python/3.*/bin/python3",
        mise + "/installs/python/3.*/bin/python3",
        "/opt/homebrew/opt/python@3.*/bin/python3.*[0-9]",
        "/usr/local/opt/python@3.*/bin/python3.*[0-9]",
        "/Library/Frameworks/Python.framework/Versions/3.*/bin/python3",
        "/usr/local/bin/python3.[0-9]*[0-9]",
        "/usr/bin/python3.[0-9]*[0-9]",
        "/opt/python*/bin/python3",
        "~/.local/bin/python3.[0-9]*[0-9]",
    ] + [root + tail for root in [*condas, "/opt/conda"] for tail in ("/bin/python3", "/envs/*/bin/python3")]


def _windows_places() -> list[str]:
    local = os.environ.get("LOCALAPPDATA") or "~\\AppData\\Local"
    programs = os.environ.get("PROGRAMFILES") or "C:\\Program Files"
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or "~\\AppData\\Roaming\\uv\\python"
    return [
        local + "\\Programs\\Python\\Python3*\\python.exe",
        local + "\\Python\\pythoncore-3.*\\python.exe",
        programs + "\\Python3*\\python.exe",
        "C:\\Python3*\\python.exe",
        "~\\.pyenv\\pyenv-win\\versions\\3.*\\python.exe",
        uv + "\\cpython-3.*\\python.exe",
        "~\\miniconda3\\python.exe",
        "~\\anaconda3\\python.exe",
        "~\\miniforge3\\python.exe",
    ]


def _asked(command: list[str]) -> list[str]:
    """The existing files that another tool names in its output; none when the tool is absent or fails."""
    found = shutil.which(command[0])
    if not found:
        return []
    try:
        done = subprocess.run(
            [found, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_LIMIT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return paths_in(done.stdout.decode("utf-8", "replace"))


def paths_in(text: str) -> list[str]:
    """The paths in lines such as ` -V:3.13 *  C:\\Python313\\python.exe` or a line that is a path alone."""
    paths = []
    for line in text.splitlines():
        words = line.strip().split(None, 2) if line.lstrip().startswith("-") else [line.strip()]
        path = words[-1].lstrip("* ") if words else ""
        if path and os.path.isfile(path):
            paths.append(path)
    return paths


def advice() -> str:
    """What to install, when no usable Python was found, and what was found instead."""
    text = "Pullcept needs Python 3.13 or later with venv and tkinter, and found none.\n" + _how_to_install()
    rejected = ["  {} {}".format(python.path, python.lacks) for python in _answering(_candidates()) if python.lacks]
    if rejected:
        text += "\nFound, but not usable:\n" + "\n".join(rejected)
    return text + "\nIf you have one elsewhere, name it: PULLCEPT_PYTHON=/path/to/python3.13"


def _how_to_install() -> str:
    if sys.platform == "win32":
        return 'Install it:  winget install Python.Python.3.13   (or from python.org, with "tcl/tk" ticked)'
    if sys.platform == "darwin":
        return "Install it:  brew install python@3.13 python-tk@3.13   (or from python.org)"
    return (
        "Install it, whichever your system offers:\n"
        "  Debian, Ubuntu:  sudo apt-get install python3.13 python3.13-venv python3.13-tk\n"
        "  Fedora:          sudo dnf install python3.13 python3.13-tkinter\n"
        "  Arch:            sudo pacman -S python tk\n"
        "  any, with uv:    uv python install 3.13\n"
        "  any, with pyenv: pyenv install 3.13   (install tk-dev or tk-devel first, for the window)"
    )


def tk_advice() -> str:
    """How the window comes back when the only usable Python has no tkinter."""
    if sys.platform == "win32":
        return 'Run its installer again and tick "tcl/tk and IDLE".'
    if sys.platform == "darwin":
        return "Install it:  brew install python-tk@3.13"
    return "Install it (Debian, Ubuntu: python3.13-tk; Fedora: python3.13-tkinter; pyenv: build again with tk-dev)."
