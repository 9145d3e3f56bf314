"""The kinds of CLI a seat can run. A new kind: a file here, one line in `_KINDS`, tests, docs."""

from pullcept.core.kinds.claude_code import ClaudeCode
from pullcept.core.kinds.cli import Cli
from pullcept.core.kinds.codex_cli import CodexCli
from pullcept.core.kinds.line import (
    ROOM_SERVER,
    ROOM_TOOLS,
    Kind,
    LaunchLine,
    LaunchRefused,
    LaunchRequest,
    TomlValue,
)

_KINDS: dict[str, Kind] = {kind.name: kind for kind in (ClaudeCode(), CodexCli(), Cli())}


def kind_for(name: str) -> Kind:
    """The kind with this name; raises `LaunchRefused` for one that runs no CLI."""
    kind = _KINDS.get(name)
    if kind is None:
        raise LaunchRefused(f"an account of kind {name} has nothing to start")
    return kind


__all__ = [
    "ROOM_SERVER",
    "ROOM_TOOLS",
    "Kind",
    "LaunchLine",
    "LaunchRefused",
    "LaunchRequest",
    "TomlValue",
    "kind_for",
]
