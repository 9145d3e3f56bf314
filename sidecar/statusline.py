"""The status line command of Claude Code: hands the CLI's report on to the room. It never fails and never lingers.

It runs every few seconds for each seat, so it imports as little as the bridge does.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time

from sidecar.room_line import Unreachable, address_of, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

LIMIT_SECONDS = 2.0
MAX_REPORT_BYTES = 1024 * 1024
STARTED_KEY = "pullcept_started_at"
"""As in `pullcept.core.activity`. The clock is the system's monotonic one, the same for every process."""


def main(argv: Sequence[str]) -> int:
    """Post the report on standard input with the time this command started. Exit code 0 whatever happens.

    Does not return: a reader that still waits for a silent input must not hold the end up.
    """
    started = time.monotonic()
    work = threading.Thread(target=_report, args=(os.environ, started), daemon=True)
    work.start()
    work.join(LIMIT_SECONDS)
    os._exit(0)


def _report(environ: Mapping[str, str], started: float) -> None:
    try:
        report = _read_report()
        if report is not None:
            _post(environ, {**report, STARTED_KEY: started})
    except (OSError, Unreachable):
        # The room is closed or busy: the next report comes in a few seconds.
        return


def _read_report() -> dict[str, Any] | None:
    data = b""
    while piece := os.read(0, 65536):
        data += piece
        if len(data) > MAX_REPORT_BYTES:
            return None
    try:
        report = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return report if isinstance(report, dict) else None


def _post(environ: Mapping[str, str], report: dict[str, Any]) -> None:
    secret, room, account = (
        environ.get(name, "") for name in ("PULLCEPT_LAUNCH", "PULLCEPT_ROOM_ID", "PULLCEPT_ACCOUNT_ID")
    )
    if not (secret and secret.isascii() and secret.isprintable() and room and account):
        return
    host, port = address_of(environ.get("PULLCEPT_ROOM_URL", ""))
    body = json.dumps(report, ensure_ascii=True).encode("ascii")
    head = [
        f"POST /hooks/status/{percent(room)}/{percent(account)} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Authorization: Bearer {secret}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
        "",
        "",
    ]
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as door:
        door.settimeout(LIMIT_SECONDS)
        door.connect((host, port))
        door.sendall("\r\n".join(head).encode("ascii") + body)
        door.recv(1024)
