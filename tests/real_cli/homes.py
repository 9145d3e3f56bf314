"""Private homes for real CLIs: no first-run question opens, nothing of the person is read or written."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests.real_cli.binaries import Binary
from tests.real_cli.claude_model import DUMMY_KEY, ClaudeModel
from tests.real_cli.codex_model import KEY_VARIABLE, CodexModel

PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class SeatHome:
    """What one account of a test needs: program, options of the person, working folder, environment."""

    binary: Binary
    args: tuple[str, ...]
    cwd: Path
    env: dict[str, str]

    @property
    def config(self) -> Path:
        """The CLI's own folder, where its transcripts lie."""
        return Path(self.env.get("CLAUDE_CONFIG_DIR") or self.env["CODEX_HOME"])


def claude_home(root: Path, binary: Binary, model: ClaudeModel, *, api_key: str = DUMMY_KEY) -> SeatHome:
    """A Claude Code that knows its folder, its key and its model; questions are asked by hand."""
    home, cwd, config = _folders(root, "claude")
    seeded = {
        "hasCompletedOnboarding": True,
        "hasSeenAutoDefaultNotice": True,
        "customApiKeyResponses": {"approved": [api_key[-20:]], "rejected": []},
        "projects": {str(cwd): {"hasTrustDialogAccepted": True}},
    }
    (config / ".claude.json").write_text(json.dumps(seeded), encoding="utf-8")
    env = _plain_environment(home) | model.environment() | {"CLAUDE_CONFIG_DIR": str(config)}
    return SeatHome(binary, ("--permission-mode", "manual"), cwd, env)


def codex_home(root: Path, binary: Binary, model: CodexModel) -> SeatHome:
    """A Codex that trusts its folder and asks the scripted model only."""
    home, cwd, config = _folders(root, "codex")
    env = _plain_environment(home) | {"CODEX_HOME": str(config), KEY_VARIABLE: "dummy", "TMPDIR": str(home)}
    return SeatHome(binary, ("--strict-config", *model.options(str(cwd))), cwd, env)


def _folders(root: Path, name: str) -> tuple[Path, Path, Path]:
    home, cwd, config = (root.resolve() / name / part for part in ("home", "work", "config"))
    for folder in (home, cwd, config):
        folder.mkdir(parents=True)
    return home, cwd, config


def _plain_environment(home: Path) -> dict[str, str]:
    given = {"HOME": str(home), "PATH": PATH, "SHELL": "/bin/sh", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    return given | ({"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {})
