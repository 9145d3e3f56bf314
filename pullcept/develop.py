"""The roles for development: `test` and `build`."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the tests want from the system: a name, whether it is there, and how Debian and Ubuntu call it.
FONTS = (
    ("a Japanese font", ":lang=ja", "fonts-noto-cjk"),
    ("a colour emoji font", ":lang=und-zsye", "fonts-noto-color-emoji"),
    ("DejaVu Sans Mono", "DejaVu Sans Mono:spacing=mono", "fonts-dejavu"),
)


def test(argv: Sequence[str]) -> int:
    """Run the suite; `argv` goes to pytest. Says first which system packages are missing and what that leaves out."""
    for line in missing_lines(shutil.which, _has_font):
        print(f"pullcept: {line}", file=sys.stderr, flush=True)
    if importlib.util.find_spec("pytest") is None:
        print("pullcept: pytest is not installed here; see docs/testing.md", file=sys.stderr)
        return 1
    # What pytest remembers from run to run lies in the checkout; a protected one keeps nothing.
    keeps = [] if os.access(ROOT, os.W_OK) else ["-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *keeps, *argv]
    if os.name == "nt":
        return subprocess.call(command, cwd=ROOT)
    os.chdir(ROOT)
    os.execv(sys.executable, command)


def missing_lines(which: Callable[[str], str | None], has_font: Callable[[str], bool]) -> list[str]:
    """One line for each thing the tests could use and the system lacks. Only Linux needs any of them."""
    if sys.platform != "linux":
        return []
    lines = []
    if not os.environ.get("DISPLAY") and which("Xvfb") is None:
        lines.append("no display and no Xvfb (Debian, Ubuntu: xvfb): tests that open a window are skipped")
    if which("fc-list") is None:
        lines.append("fc-list is missing (Debian, Ubuntu: fontconfig): fonts cannot be looked up")
    else:
        found = [(name, package) for name, pattern, package in FONTS if not has_font(pattern)]
        lines += [
            f"{name} is missing (Debian, Ubuntu: {package}): tests of pictures may skip" for name, package in found
        ]
    if which("node") is None:
        lines.append("node is missing (Debian, Ubuntu: nodejs): tests with the Node client are skipped")
    return lines


def _has_font(pattern: str) -> bool:
    done = subprocess.run(["fc-list", pattern], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    return bool(done.stdout.strip())


def build(argv: Sequence[str]) -> int:
    """This version has no executable yet; says so and what to use instead."""
    print(
        "pullcept: this version cannot build a one-file executable yet; it runs from its source checkout, "
        "and `pip install .` gives the command `pullcept`",
        file=sys.stderr,
    )
    return 2
