"""A fake app behind the window: remembers what was asked, and scenes that fill the screen."""

import queue
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pullcept.core import screen
from pullcept.core.post import Post
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.term.core import TerminalCore
from pullcept.ui.texts import gettext as _

NOW = datetime.now(UTC)
TOPIC = "topic-1"


class FakeActions:
    """Remembers every call as (name, arguments)."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.kept: dict[str, tuple[str, tuple[str, ...]]] = {}

    def new_topic(self) -> None:
        self.calls.append(("new_topic",))

    def open_topic(self, topic_id: str) -> None:
        self.calls.append(("open_topic", topic_id))

    def read_older(self, topic_id: str, before: str) -> None:
        self.calls.append(("read_older", topic_id, before))

    def rename_topic(self, topic_id: str, title: str) -> None:
        self.calls.append(("rename_topic", topic_id, title))

    def delete_topic(self, topic_id: str) -> None:
        self.calls.append(("delete_topic", topic_id))

    def post(self, topic_id: str, text: str, last_seen: str | None) -> str:
        self.calls.append(("post", topic_id, text, last_seen))
        return f"own-{len(self.calls)}"

    def post_files(self, topic_id: str, text: str, files: Sequence[str], last_seen: str | None) -> str:
        self.calls.append(("post_files", topic_id, text, tuple(files), last_seen))
        return f"own-{len(self.calls)}"

    def keep_unsent(self, topic_id: str, text: str, files: tuple[str, ...]) -> None:
        self.kept[topic_id] = (text, files)

    def export_topic(self, topic_id: str, path: str) -> None:
        self.calls.append(("export_topic", topic_id, path))

    def import_topic(self, path: str) -> None:
        self.calls.append(("import_topic", path))

    def save_copy(self, path: str) -> None:
        self.calls.append(("save_copy", path))

    def start(self, seat: Seat, columns: int, rows: int) -> None:
        self.calls.append(("start", seat, columns, rows))

    def stop(self, seat: Seat) -> None:
        self.calls.append(("stop", seat))

    def write_keys(self, seat: Seat, data: bytes) -> None:
        self.calls.append(("write_keys", seat, data))

    def resize(self, seat: Seat, columns: int, rows: int) -> None:
        self.calls.append(("resize", seat, columns, rows))

    def decide_sightless(self, seat: Seat, decision: str) -> None:
        self.calls.append(("decide_sightless", seat, decision))

    def set_nickname(self, account_id: str, nickname: str) -> None:
        self.calls.append(("set_nickname", account_id, nickname))

    def send_anyway(self, seat: Seat) -> None:
        self.calls.append(("send_anyway", seat))

    def discard_held(self, seat: Seat) -> None:
        self.calls.append(("discard_held", seat))

    def go_on(self, topic_id: str) -> None:
        self.calls.append(("go_on", topic_id))

    def skip_all(self, topic_id: str) -> None:
        self.calls.append(("skip_all", topic_id))

    def press_enter(self, seat: Seat) -> None:
        self.calls.append(("press_enter", seat))

    def send_again(self, seat: Seat, message_id: str) -> None:
        self.calls.append(("send_again", seat, message_id))

    def skip(self, seat: Seat, message_id: str) -> None:
        self.calls.append(("skip", seat, message_id))

    def quit(self) -> None:
        self.calls.append(("quit",))

    def named(self, name: str) -> list[tuple[Any, ...]]:
        """The calls of one name."""
        return [call for call in self.calls if call[0] == name]


def stamp(minutes_ago: float = 0) -> str:
    """A stamped time so many minutes before now."""
    return (NOW - timedelta(minutes=minutes_ago)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def post(message_id: str, content: str, speaker: str = "Haru", **more: Any) -> Post:
    """A post as the room stamps it."""
    return Post(message_id, speaker, content, more.pop("ts", stamp(5)), **more)


ACCOUNTS = (
    screen.AccountView("me", "美咲", "admin", 250, False),
    screen.AccountView("haru", "Haru", "claude_code", 55, True),
    screen.AccountView("ren", "Ren", "claude_code", 300, True),
    screen.AccountView("sora", "Sora", "codex_cli", 145, True, "CLI not found"),
    screen.AccountView("demo", "Demo agent", "cli", 95, True),
)
ROSTER = (
    ("Haru", "claude_code", 55),
    ("Ren", "claude_code", 300),
    ("Riku", "guest", None),
    ("Twin", "guest", None),
    ("Twin", "guest", None),
)
FENCE = """Reproduced. `fonts/subset.py` drops everything outside the BMP 🙂

```python
def subset(text: str) -> set[int]:
    return {ord(c) for c in text}  # all of them, also those that stand far outside the basic plane of Unicode
```
"""
TABLE = """| Report | Glyphs | Result |
|---|---|---:|
| Delivery note | same code | to fix |
| Receipt | other code | 12 |

More at https://example.org/a_(b)?q=1, 見てください。"""
LIST = """Read the diff. Two things to check:
- the **file size** after subsetting
- a test with *combining* marks

1. one
2. two

> quoted words
> on two lines"""


def topics(count: int = 6) -> tuple[screen.TopicView, ...]:
    """Topics, the open one first."""
    first = screen.TopicView(TOPIC, "請求書PDFの文字化けを直す / Fix garbled names", stamp(1), running=2)
    rest = [
        screen.TopicView(
            f"topic-{n}", "" if n == 4 else f"Release 2.{n} の準備", stamp(60 * 9 * n), n % 2, n if n == 3 else 0
        )
        for n in range(2, count + 1)
    ]
    return (first, *rest)


def conversation() -> tuple[Post, ...]:
    """One post of every look."""
    return (
        post(
            "m1",
            "請求書のPDFで「𠮷」が四角になります。直してください。",
            "美咲",
            account="me",
            to=("Haru", "Sora"),
            ts=stamp(60 * 26),
        ),
        post("m2", FENCE, "Haru", account="haru", hue=55, ts=stamp(30)),
        post("m3", TABLE, "Sora", account="sora", hue=145, to=("美咲",), ts=stamp(25)),
        post("m4", LIST, "Ren", account="ren", hue=300, to=("Haru",), ts=stamp(20)),
        post(
            "m5",
            "Haru が加わりました。(no reply needed)",
            "Pullcept（自動通知）",
            from_app=True,
            role="app",
            ts=stamp(15),
        ),
        post("m6", "それで進めてください。", "美咲", account="me", ts=stamp(12)),
        post("m7", "納品書も同じ直し方で。", "美咲", account="me", ts=stamp(11)),
        post(
            "m8", "<script>alert(1)</script> <b>not bold</b> &amp; <img src=file:///etc/passwd>", "Guest 1", ts=stamp(8)
        ),
        post("m9", "長い発言は最大の幅で折り返します。" * 6, "美咲", account="me", ts=stamp(2)),
    )


def opened(rows: tuple[Post, ...] | None = None, **more: Any) -> screen.TopicOpened:
    """The open topic with these rows."""
    shown = conversation() if rows is None else rows
    return screen.TopicOpened(
        more.pop("topic_id", TOPIC), more.pop("title", topics()[0].title), shown, more.pop("has_older", False), **more
    )


def full_scene() -> list[screen.ScreenEvent]:
    """A busy room."""
    haru, ren, sora = (Seat(name, TOPIC) for name in ("haru", "ren", "sora"))
    return [
        screen.AccountsListed(ACCOUNTS),
        screen.TopicsListed(topics()),
        opened(),
        screen.RosterListed(TOPIC, ROSTER),
        screen.SeatChanged(screen.SeatView(haru, SeatState.RUNNING)),
        screen.SeatChanged(
            screen.SeatView(ren, SeatState.RUNNING, held=2, hold_reason=_("unsent text in the terminal"))
        ),
        screen.TerminalOpened(haru),
        screen.TerminalOpened(ren),
        screen.DeliveryChanged(haru, "m9", DeliveryState.TYPED),
        screen.DeliveryChanged(ren, "m9", DeliveryState.QUEUED, _("unsent text in the terminal")),
        screen.DeliveryChanged(haru, "m7", DeliveryState.TAKEN),
        screen.DeliveryChanged(ren, "m7", DeliveryState.TAKEN),
        screen.DeliveryChanged(haru, "m4", DeliveryState.TAKEN),
        screen.DeliveryChanged(haru, "m6", DeliveryState.NOT_TAKEN, "not taken"),
        screen.DeliveryChanged(ren, "m6", DeliveryState.TAKEN, _("arrived cut: it can be sent again")),
        screen.DeliveryChanged(ren, "m4", DeliveryState.FAILED, "the terminal does not read"),
        screen.DeliveryChanged(sora, "m3", DeliveryState.QUEUED),
        screen.StatusSaid("Haru: resumed the earlier conversation"),
    ]


def held_scene() -> list[screen.ScreenEvent]:
    """Posts that wait for the person in every way there is."""
    haru, ren = (Seat(name, TOPIC) for name in ("haru", "ren"))
    sightless = _("the session cannot show whether it asks something")
    put_back = _("Escape may have put it back into the input box: it may not have been read")
    return [
        *full_scene(),
        screen.SeatChanged(screen.SeatView(ren, SeatState.RUNNING, held=2, hold_reason=sightless)),
        screen.DeliveryChanged(ren, "m9", DeliveryState.QUEUED, sightless),
        screen.DeliveryChanged(haru, "m9", DeliveryState.TAKEN, put_back),
        screen.DeliveryChanged(haru, "m7", DeliveryState.TYPED, _("probably taken")),
    ]


def empty_scene() -> list[screen.ScreenEvent]:
    """The very first start."""
    return [
        screen.AccountsListed(ACCOUNTS),
        screen.TopicsListed((screen.TopicView(TOPIC, "", stamp(0)),)),
        opened((), title=""),
    ]


def error_scene() -> list[screen.ScreenEvent]:
    """Everything that can go wrong at once."""
    haru, ren, sora = (Seat(name, TOPIC) for name in ("haru", "ren", "sora"))
    return [
        *full_scene(),
        opened(skipped=3),
        screen.SeatChanged(screen.SeatView(haru, SeatState.ENDED, exit_code=137)),
        screen.SeatChanged(screen.SeatView(ren, SeatState.FIRST_SCREEN)),
        screen.SeatChanged(screen.SeatView(sora, SeatState.FAILED, detail="codex: not found on PATH")),
        screen.RowAdded(
            TOPIC,
            post("m10", "This one is not in the log.", "Haru", account="haru", ts=stamp(1)),
            own=False,
            logged=False,
        ),
        screen.PostRefused(
            TOPIC,
            "own-1",
            "元の文をそのまま返します。\nsecond line",
            (post("m11", "I was first.", "Ren", account="ren", ts=stamp(1)),),
        ),
        screen.StatusSaid("Cannot write the log: No space left on device", "error", "log"),
    ]


def feed(events: "queue.SimpleQueue[screen.ScreenEvent]", scene: list[screen.ScreenEvent]) -> None:
    """Put a scene into the queue."""
    for event in scene:
        events.put(event)


SCREEN = (
    '\x1b[2m[pullcept] {"role":"admin","from":"美咲"}\x1b[0m\r\nそれで進めてください。納品書も同じ直し方で。\r\n\r\n'
    "\x1b[36m▶\x1b[0m 納品書の部品を読みます\r\n"
    "  \x1b[32m✓\x1b[0m 読込 src/reports/delivery.py \x1b[2m(212 行)\x1b[0m\r\n"
    "  \x1b[32m✓\x1b[0m 編集 \x1b[4msrc/reports/delivery.py\x1b[0m \x1b[32m+1\x1b[0m \x1b[31m-1\x1b[0m 🙂 |\r\n"
    "\x1b[1;38;2;255;128;0m14 passed\x1b[0m \x1b[7m in 2.31s \x1b[0m \x1b[48;5;24m blue \x1b[0m ⠋ ▁▂▃▄▅▆▇█▌▐\r\n"
    "╭──────────┬───────────────╮\r\n│ 日本語   │ plain         │\r\n"
    "╰──────────┴───────────────╯\r\n"
    "┏━━┓ ╔══╗\r\n┗━━┛ ╚══╝\r\n\x1b[9mgone\x1b[0m \x1b[3mitalic\x1b[0m \x1b[1mbold\x1b[0m\r\n› "
)


def terminals() -> Any:
    """The screen of one running session, the same for all."""
    core = TerminalCore(100, 16)
    core.feed(SCREEN.encode())
    return lambda seat: core
