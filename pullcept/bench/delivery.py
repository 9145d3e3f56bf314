"""The row about typing: how soon a post of the person is in twenty terminals, through the whole app."""

import math
import queue
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pullcept.app import App
from pullcept.bench.harness import Bench, Measured
from pullcept.core.account import Account
from pullcept.core.screen import ScreenEvent, SeatChanged, TopicOpened
from pullcept.core.seat import Seat, SeatState
from pullcept.store.folder import DataFolder

SEATS = 20
RUNS = 5
POSTS = 15
LIMIT = 60.0
BETWEEN = 0.35
BODY = "部屋の壁だけを持つ。 The room owns only its walls. " * 8
PERSON = Account("person", "Person", "admin")
ENDS = b"\x1b[201~\r"

# Notes when the last byte of each post was read, on the clock that all processes of this computer share.
_READER = """
import os, sys, time, tty
tty.setraw(0)
notes = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(1, b"\\x1b[?2004h")
held = b""
while data := os.read(0, 65536):
    held += data
    if held.endswith(b"\\x1b[201~\\r"):
        os.write(notes, b"%d\\n" % time.monotonic_ns())
        held = b""
"""


def fanout(bench: Bench) -> list[Measured]:
    """Milliseconds from the person's Enter until the last of twenty programs has read the whole post: p95 of a run."""
    if sys.platform == "win32":
        return [Measured("delivery.fanout", (), skipped="its programs need POSIX terminals")]
    with _seats_of_the_app(bench) as (say, notes):
        runs = [[_until_read(say, notes) for _ in range(POSTS)] for _ in range(RUNS)]
    peer = _median_of_peer(bench)
    detail = f"{POSTS} posts in each of {RUNS} runs; tmux, pasting into as many panes: {peer}"
    return [Measured("delivery.fanout", tuple(map(_p95, runs)), size=SEATS, detail=detail)]


def _p95(milliseconds: list[float]) -> float:
    return sorted(milliseconds)[math.ceil(len(milliseconds) * 0.95) - 1]


def _until_read(say: Callable[[], None], notes: Path) -> float:
    """Say one post; milliseconds until every program has read it whole."""
    before = len(_noted(notes))
    begun = time.monotonic_ns()
    say()
    _wait(lambda: len(_noted(notes)) >= before + SEATS, "a post in every terminal")
    last = max(_noted(notes)[before:])
    # A typist rests after each post; the next one must find all of them waiting.
    time.sleep(BETWEEN)
    return (last - begun) / 1e6


def _noted(notes: Path) -> list[int]:
    return [int(line) for line in notes.read_bytes().split()] if notes.exists() else []


@contextmanager
def _seats_of_the_app(bench: Bench) -> Iterator[tuple[Callable[[], None], Path]]:
    notes, events = bench.folder / "read", queue.SimpleQueue[ScreenEvent]()
    accounts = [
        Account(f"a{number}", f"Seat {number}", "cli", bench.python, ("-S", "-c", _READER, str(notes)),
                str(bench.folder), typing_profile="codex_cli", listens=True)
        for number in range(SEATS)
    ]  # fmt: skip
    with App(DataFolder(bench.folder / "data"), events, accounts=(PERSON, *accounts)) as app:
        topic = _next(events, TopicOpened, lambda event: True).topic_id
        for account in accounts:
            app.start(Seat(account.id, topic), 120, 40)
        for _ in accounts:
            _next(events, SeatChanged, lambda event: event.view.state is SeatState.RUNNING)
        yield lambda: _post(app, topic), notes


def _post(app: App, topic: str) -> None:
    app.post(topic, BODY, None)


def _next[Event: ScreenEvent](
    events: "queue.SimpleQueue[ScreenEvent]", kind: type[Event], wanted: Callable[[Event], bool]
) -> Event:
    while True:
        event = events.get(timeout=LIMIT)
        if isinstance(event, kind) and wanted(event):
            return event


def _wait(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not seen in {LIMIT:g} s: {what}")
        time.sleep(0.002)


# --- the peer ---------------------------------------------------------------------------------------------------


def _median_of_peer(bench: Bench) -> str:
    """What tmux needs for the same, as words; it has no room, no order and no questions to look for."""
    tmux = shutil.which("tmux")
    if tmux is None:
        return "not installed here"
    notes, socket = bench.folder / "peer", str(bench.folder / "tmux")
    reader = shlex.join((bench.python, "-S", "-c", _READER, str(notes)))
    command = [tmux, "-f", "/dev/null", "-S", socket]
    try:
        first = ("new-session", "-d", "-x", "120", "-y", "40", reader)
        more = [(";", "new-window", "-d", reader)] * (SEATS - 1)
        subprocess.run([*command, *first, *(word for words in more for word in words)], check=True, timeout=LIMIT)
        time.sleep(1.0)
        paste = [word for number in range(SEATS) for word in (";", "paste-buffer", "-p", "-t", f":{number}",
                 ";", "send-keys", "-t", f":{number}", "Enter")]  # fmt: skip
        say = [*command, "set-buffer", BODY, *paste]
        taken = [_until_read(lambda: _run(say), notes) for _ in range(POSTS)]
    finally:
        subprocess.run([*command, "kill-server"], check=False, timeout=LIMIT)
    return f"p95 {_p95(taken):.1f} ms"


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=LIMIT)
