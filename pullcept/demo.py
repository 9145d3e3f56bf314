"""A room that shows itself: two bundled agents in real terminals, a refusal by the floor, an addressed post.

Exit code 0 means that all of it was seen; what was missing is named otherwise.
"""

import argparse
import queue
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from pullcept.app import App, open_data_folder
from pullcept.applog import app_log
from pullcept.console import post_line
from pullcept.core.account import APP_COMMAND, Account
from pullcept.core.launch import Launch
from pullcept.core.post import Post
from pullcept.core.protocol import PostResult, RoomFrame
from pullcept.core.screen import (
    CloseUnlessUsed,
    PostRefused,
    RowAdded,
    ScreenEvent,
    SeatChanged,
    StatusSaid,
    TopicOpened,
)
from pullcept.core.seat import Seat, SeatState
from pullcept.store.folder import DataFolder, DataFolderLocked, DataFolderUnusable
from pullcept.ui.texts import gettext as _

NAMES = ("Aki", "Ren")
HUES = (145, 300)
GREETING = "Hello, both of you. Who is here?"
STEP_LIMIT = 30.0
PLAY_LIMIT = 60.0
"""All scenes together: whoever waits for the demo knows when it has ended, on a busy machine too."""
LINGER = 15.0
COLUMNS, ROWS = 100, 30


@dataclass(slots=True)
class Seen:
    """What the demo has seen so far."""

    topic_id: str = ""
    rows: list[Post] = field(default_factory=list)
    states: dict[Seat, SeatState] = field(default_factory=dict)
    refusals: list[tuple[str, PostResult]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class DemoFailed(Exception):
    """A step of the demo was not seen in time; the text says which."""


class Recording:
    """The bytes typed into and printed by one terminal, in one file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=0)
        self._lock = threading.Lock()

    def typed(self, data: bytes) -> None:
        """Bytes written into the terminal."""
        with self._lock:
            self._file.write(data)

    def printed(self, data: bytes) -> None:
        """Bytes that came out of it."""
        with self._lock:
            self._file.write(data)


class Fork:
    """Events for two readers: the script, and a window if there is one."""

    def __init__(self, *readers: "queue.SimpleQueue[ScreenEvent]") -> None:
        self._readers = readers

    def put(self, event: ScreenEvent) -> None:
        """Hand an event to every reader."""
        for reader in self._readers:
            reader.put(event)


class Script:
    """The scenes of the demo, played against a running app."""

    def __init__(self, events: "queue.SimpleQueue[ScreenEvent]", accounts: Sequence[Account]) -> None:
        self._events = events
        self._accounts = accounts
        self._curtain = float("inf")
        self.seen = Seen()

    def note_answer(self, launch: Launch, frame: RoomFrame) -> None:
        """Called by the app with every answer a seat gets."""
        if isinstance(frame, PostResult) and not frame.delivered and frame.missed:
            self.seen.refusals.append((launch.name, frame))

    def play(self, app: App, text: str) -> None:
        """Play every scene; raises `DemoFailed` when one is not seen in time."""
        self._app = app
        self._curtain = time.monotonic() + PLAY_LIMIT
        seen = self.seen
        self._wait("a topic on screen", lambda: bool(seen.topic_id))
        for account in self._accounts:
            self._app.start(Seat(account.id, seen.topic_id), COLUMNS, ROWS)
        self._wait("both agents in the room", self._all_running)
        self._say(text)
        self._wait("an answer by each agent", lambda: {*NAMES} <= {row.speaker for row in seen.rows})
        self._wait("a refusal by the floor", lambda: bool(seen.refusals))
        before = len(seen.rows)
        self._say(f"@{NAMES[0]} what did {NAMES[1]} say?")
        self._wait(f"{NAMES[0]}'s answer", lambda: any(row.speaker == NAMES[0] for row in seen.rows[before + 1 :]))

    def _say(self, text: str) -> None:
        last = self.seen.rows[-1].message_id if self.seen.rows else None
        self._app.post(self.seen.topic_id, text, last)

    def _all_running(self) -> bool:
        seats = [Seat(account.id, self.seen.topic_id) for account in self._accounts]
        return all(self.seen.states.get(seat) is SeatState.RUNNING for seat in seats)

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        begun = time.monotonic()
        deadline = min(begun + STEP_LIMIT, self._curtain)
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                raise DemoFailed(f"not seen within {max(0.0, deadline - begun):.0f} s: {what}")
            try:
                self._take(self._events.get(timeout=min(left, 0.5)))
            except queue.Empty:
                continue

    def _take(self, event: ScreenEvent) -> None:
        seen = self.seen
        match event:
            case TopicOpened(topic_id=topic_id):
                seen.topic_id = topic_id
            case RowAdded(post=post):
                seen.rows.append(post)
            case SeatChanged(view):
                seen.states[view.seat] = view.state
                if view.state in (SeatState.FAILED, SeatState.ENDED):
                    raise DemoFailed(f"an agent did not stay: {view.detail}")
            case StatusSaid(text, level="error"):
                seen.problems.append(text)
            case PostRefused(reason=reason):
                raise DemoFailed(f"the room refused the demo's own post: {reason or 'a post came first'}")


def demo_accounts() -> tuple[Account, ...]:
    """The person and two agents that run this program's own `demo-agent` role."""
    person = Account(id=str(uuid.uuid4()), name="You", kind="admin", hue=250)
    agents = tuple(
        Account(
            id=str(uuid.uuid4()),
            name=name,
            kind="cli",
            command=APP_COMMAND,
            args=("demo-agent", "--sidecar", "{sidecar}"),
            hue=hue,
        )
        for name, hue in zip(NAMES, HUES, strict=True)
    )
    return (person, *agents)


def print_story(seen: Seen, out: TextIO) -> None:
    """The conversation with its refusals, as text."""
    for post in seen.rows:
        for name, result in seen.refusals:
            if name == post.speaker and result.missed and _comes_before(seen.rows, result, post):
                missed = ", ".join(f"“{_short(item.content)}” by {item.speaker}" for item in result.missed)
                print(f"      the floor refused {name} once: it had not seen {missed}.", file=out)
                print(f"      {name} kept its draft, read, and sent it again:", file=out)
        print(post_line(post), file=out)


def _comes_before(rows: Sequence[Post], result: PostResult, post: Post) -> bool:
    """Whether `post` is the speaker's first row behind the newest post it had missed."""
    ids = [row.message_id for row in rows]
    newest = ids.index(result.missed[-1].message_id) if result.missed[-1].message_id in ids else -1
    own = [at for at, row in enumerate(rows) if row.speaker == post.speaker and at > newest]
    return bool(own) and rows[own[0]] is post


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


@contextmanager
def demo_folder(data_dir: str | None) -> Iterator[DataFolder]:
    """The folder given, or a throw-away one."""
    if data_dir is not None:
        yield open_data_folder(data_dir)
        return
    with tempfile.TemporaryDirectory(prefix="pullcept-demo-", ignore_cleanup_errors=True) as made:
        yield DataFolder(Path(made))


def main(argv: Sequence[str]) -> int:
    """Role `demo`. Returns 0 when every scene was seen, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="pullcept demo", description="Show the room with two bundled agents.")
    parser.add_argument("--window", action="store_true", help="show it in the window")
    parser.add_argument("--data-dir", help="use this data folder and leave it")
    parser.add_argument("--say", default=GREETING, help="what is said to the agents")
    options = parser.parse_args(argv)
    try:
        with demo_folder(options.data_dir) as folder:
            return _run(folder, options.say, window=options.window)
    except (DataFolderLocked, DataFolderUnusable) as error:
        print(error, file=sys.stderr)
        return 3


def _run(folder: DataFolder, text: str, *, window: bool) -> int:
    accounts = demo_accounts()
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    shown: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    recordings = folder.root / "demo"
    script = Script(events, accounts[1:])
    app = App(
        folder,
        Fork(events, shown) if window else events,
        accounts=accounts,
        recorder=lambda seat, name: Recording(recordings / f"{name}.pty"),
        on_answer=script.note_answer,
    )
    with app_log(folder), app:
        if window:
            return _run_in_window(app, shown, script, text)
        return _play(app, script, text)


def _play(app: App, script: Script, text: str) -> int:
    try:
        script.play(app, text)
    except DemoFailed as error:
        print_story(script.seen, sys.stdout)
        for problem in script.seen.problems:
            print(problem, file=sys.stderr)
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print_story(script.seen, sys.stdout)
    print("demo: the round trip, an addressed post and a floor refusal were seen.", flush=True)
    return 0


def _run_in_window(app: App, shown: "queue.SimpleQueue[ScreenEvent]", script: Script, text: str) -> int:
    from pullcept.ui.window import run_window

    codes: list[int] = []

    def play() -> None:
        codes.append(_play(app, script, text))
        shown.put(StatusSaid(_("That was the demo. The window closes soon; press a key or click to keep it.")))
        shown.put(CloseUnlessUsed(LINGER))

    player = threading.Thread(target=play, name="demo script", daemon=True)
    player.start()
    run_window(app, shown, app.screen_of)
    player.join(1)
    return codes[0] if codes else 1
