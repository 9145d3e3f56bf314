"""A program that sits in a seat as Claude Code does, and is as awkward as `FAKE_CLI_OPTIONS` says (see `fake_cli`).

It joins the room by the sidecar of its launch line and tells its hooks of every prompt it takes. Standard library only.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import threading
import urllib.request

from fake_cli import Program, options

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake", "version": "1"}}
MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def launch_line(argv: list[str]) -> argparse.Namespace:
    """What the app gave: the registration of the room and the settings."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp-config", required=True)
    parser.add_argument("--settings", required=True)
    return parser.parse_known_args(argv)[0]


def join(registration: str) -> None:
    """Start the sidecar, shake hands, ask for its tools; it ends with this program."""
    with open(registration, encoding="utf-8") as file:
        (entry,) = json.load(file)["mcpServers"].values()
    sidecar = subprocess.Popen([entry["command"], *entry["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert sidecar.stdin
    assert sidecar.stdout
    for message in MESSAGES:
        sidecar.stdin.write(json.dumps(message).encode() + b"\n")
        sidecar.stdin.flush()
        if "id" in message:
            sidecar.stdout.readline()
    threading.Thread(target=sidecar.stdout.read, daemon=True).start()


class FakeClaude(Program):
    """The program with its hooks."""

    def __init__(self, wanted: argparse.Namespace, registration: str, settings: dict[str, object]) -> None:
        super().__init__(wanted)
        self.registration = registration
        self.hooks = settings["hooks"]

    def _say(self, text: str) -> None:
        if text == self.wanted.ready:
            threading.Thread(target=join, args=(self.registration,), daemon=True).start()
        super()._say(text)

    def _submit(self, turn: str) -> None:
        super()._submit(turn)
        self._tell("UserPromptSubmit", prompt=turn)
        self._tell("Stop")

    def _tell(self, event: str, **body: str) -> None:
        assert isinstance(self.hooks, dict)
        (entry,) = self.hooks[event]
        (hook,) = entry["hooks"]
        headers = {name: os.path.expandvars(value) for name, value in hook["headers"].items()}
        data = json.dumps({"hook_event_name": event, **body}).encode()
        request = urllib.request.Request(hook["url"], data, {"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request, timeout=10) as answer:
            answer.read()


if __name__ == "__main__":
    line = launch_line(sys.argv[1:])
    wanted = options(shlex.split(os.environ.get("FAKE_CLI_OPTIONS", "")))
    sys.exit(FakeClaude(wanted, line.mcp_config, json.loads(line.settings)).run())
