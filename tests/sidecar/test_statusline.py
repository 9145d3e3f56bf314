"""The status line command: one report from the CLI to the room."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from pullcept.core.activity import started_at
from tests.host.live_host import WAIT, wait_for
from tests.sidecar.seats import PULLCEPT, SeatHouse

COMMAND = [sys.executable, PULLCEPT, "statusline"]


def run(data: bytes, environ: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(COMMAND, input=data, env=environ, capture_output=True, timeout=WAIT, check=True)


def test_a_report_reaches_the_seat_with_the_time_its_command_started(house: SeatHouse) -> None:
    launch = house.seat()
    begun = time.monotonic()
    done = run(json.dumps({"session_id": "s", "model": {"id": "日本"}}).encode(), house.environment(launch))
    assert (done.stdout, done.stderr) == (b"", b"")
    wait_for(lambda: house.statuses)
    seat, generation, body = house.statuses[0]
    assert (seat, generation) == (launch.seat, 1)
    assert body["model"] == {"id": "日本"}
    assert begun <= (started_at(body) or 0) <= time.monotonic()


@pytest.mark.parametrize(
    "data", [b"", b"no json", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"a":"' + b"x" * 2_000_000 + b'"}']
)
def test_input_that_is_no_report_is_dropped_without_a_word(house: SeatHouse, data: bytes) -> None:
    done = run(data, house.environment(house.seat()))
    assert (done.stdout, done.stderr, house.statuses) == (b"", b"", [])


def test_without_a_room_it_does_nothing() -> None:
    assert run(b"{}", {"PATH": os.environ.get("PATH", "")}).stderr == b""


def test_a_closed_room_is_no_failure() -> None:
    names = {"PULLCEPT_LAUNCH": "l", "PULLCEPT_ROOM_ID": "t", "PULLCEPT_ACCOUNT_ID": "a"}
    assert run(b"{}", {**names, "PULLCEPT_ROOM_URL": "ws://127.0.0.1:1/room"}).stderr == b""


def test_a_silent_input_does_not_hold_it(house: SeatHouse) -> None:
    begun = time.monotonic()
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, env=house.environment(house.seat())) as process:
        assert process.wait(WAIT) == 0
    assert time.monotonic() - begun < 4


def test_a_listener_that_never_answers_does_not_hold_it(house: SeatHouse) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}/room"
        begun = time.monotonic()
        run(b"{}", {**house.environment(house.seat()), "PULLCEPT_ROOM_URL": url})
    assert time.monotonic() - begun < 4
