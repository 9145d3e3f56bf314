"""The seat's server driven by the Node SDK's clients, in both eras, through the real bridge."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_cli.binaries import cache_folder
from tests.sidecar.seats import MODERN, PULLCEPT, SeatHouse

SCRIPT = Path(__file__).with_name("node_client.mjs")
PACKAGES = {"legacy": "sdk", "modern": "client"}
LIMIT = 60


@pytest.mark.parametrize("era", PACKAGES)
def test_the_node_client_is_served_in_either_era(house: SeatHouse, era: str) -> None:
    node, folder = shutil.which("node"), cache_folder()
    if node is None or not (folder / "node_modules" / "@modelcontextprotocol" / PACKAGES[era]).is_dir():
        pytest.skip("node and the Node SDK are not installed (tests/real_cli/install.sh installs them)")
    launch = house.seat("Lin")
    server = [sys.executable, PULLCEPT, "sidecar", "--entry", launch.entry]
    done = subprocess.run(
        [node, str(SCRIPT), str(folder), era, *server],
        env={**os.environ, **house.environment(launch)},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    seen = json.loads(done.stdout)
    opening = json.loads(house.first_lines[0])
    assert opening["method"] == {"legacy": "initialize", "modern": "server/discover"}[era]
    version = opening["params"].get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
    assert version == {"legacy": None, "modern": MODERN}[era]
    assert seen["instructions"].startswith('You are "Lin"')
    assert seen["tools"] == ["say_to_room", "read_room_history"]
    assert seen["said"]["content"][0]["text"].startswith("Delivered to the room. message_id: ")
    assert "やあ 🚀" in seen["history"]["content"][0]["text"]
    assert [post.content for post in house.outside.logs["topic-1"]] == ["やあ 🚀"]
