"""Finds the pinned CLI binaries in their cache folder and asks them for their versions."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CLAUDE_VERSION = "2.1.332"
CODEX_VERSION = "0.171.0"
_CLAUDE = ("node_modules/@anthropic-ai/claude-code-*/claude", "node_modules/@anthropic-ai/claude-code-*/claude.exe")
_CODEX = ("node_modules/@openai/codex-*/vendor/*/bin/codex", "node_modules/@openai/codex-*/vendor/*/bin/codex.exe")


@dataclass(frozen=True)
class Binary:
    """A CLI program and what it printed for `--version`."""

    path: str
    version: str


def cache_folder() -> Path:
    """`PULLCEPT_CLI_DIR`, else `pullcept-cli` in the user's cache folder."""
    given = os.environ.get("PULLCEPT_CLI_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "pullcept-cli"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "pullcept-cli"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pullcept-cli"


def find_claude(home: Path) -> Binary | None:
    """The pinned Claude Code, or None when it is not installed. `home`: a private folder for the question."""
    return _find(_CLAUDE, home)


def find_codex(home: Path) -> Binary | None:
    """The pinned Codex, or None when it is not installed. `home`: a private folder for the question."""
    return _find(_CODEX, home)


def _find(patterns: tuple[str, ...], home: Path) -> Binary | None:
    found = next((path for pattern in patterns for path in sorted(cache_folder().glob(pattern))), None)
    if found is None:
        return None
    private = {"HOME": str(home), "USERPROFILE": str(home), "CODEX_HOME": str(home), "CLAUDE_CONFIG_DIR": str(home)}
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    asked = subprocess.run(
        [str(found), "--version"], env=kept | private, capture_output=True, timeout=60, check=True, encoding="utf-8"
    )
    return Binary(str(found), asked.stdout.strip())
