"""The room in text, in the terminal it was started from: for SSH and for machines without a display.

Lines are posts; lines that begin with `/` are commands. Events print as they come.
"""

import argparse
import json
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TextIO

from pullcept.app import App, AppFailed, open_data_folder
from pullcept.applog import app_log
from pullcept.core.account import BY_HAND, TYPE_ANYWAY
from pullcept.core.post import Post
from pullcept.core.screen import (
    AccountsListed,
    AccountView,
    Actions,
    AppEnded,
    DeliveryChanged,
    OlderRows,
    PostAccepted,
    PostRefused,
    RaiseAsked,
    RosterListed,
    RowAdded,
    ScreenEvent,
    SeatChanged,
    SeatView,
    StatusSaid,
    TopicOpened,
    TopicsListed,
    TopicView,
)
from pullcept.core.seat import DeliveryState, Seat, SeatState
from pullcept.core.tag import clean_body
from pullcept.store.folder import DataFolderLocked, DataFolderUnusable
from pullcept.term.core import TerminalCore
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import system_language, use_language

COLUMNS, ROWS = 120, 40
SET_IN = " " * 6


def help_text() -> str:
    """Every command, in the language of the screen."""
    return _("""\
A line without / is a post; @name addresses it.
/topics  /new  /open N  /older  /rename TITLE  /delete
/accounts  /start NAME  /stop NAME  /seats
/nick NAME NICKNAME  calls an account otherwise, /nick NAME  by its own name again
/look NAME  shows a terminal   /keys NAME TEXT  types TEXT and Enter into it
/key NAME KEY  presses enter, esc, up, down, tab or ctrl-c in it
/anyway NAME  types the held posts behind unsent text   /discard NAME  drops them
/typeanyway NAME  types posts into an account that cannot show its questions   /byhand NAME  leaves them to you
/press NAME  presses Enter for a post that was not taken
/resend NAME [ID]  types a post once more   /skip NAME [ID]  gives one up
/continue  types on where sessions talked without you for long   /skipall  drops what waits there
/attach FILE  sends a copy of the file with your next line
/export FILE  writes the topic as .md, .html or .jsonl   /copy FILE  saves a copy of everything as a zip
/import FILE  makes a topic of a log (.jsonl)
/again  sends the refused post   /marks  prints how far each post has come
/guest NAME  prints how another program can join this topic as a guest
/help  /quit""")


KEYS = {
    "enter": b"\r",
    "esc": b"\x1b",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "tab": b"\t",
    "ctrl-c": b"\x03",
}


@dataclass(slots=True)
class View:
    """What the console knows, from events alone."""

    topic_id: str = ""
    title: str = ""
    topics: tuple[TopicView, ...] = ()
    accounts: tuple[AccountView, ...] = ()
    seats: dict[Seat, SeatView] = field(default_factory=dict)
    roster: tuple[tuple[str, str, int | None], ...] = ()
    oldest: str | None = None
    last_seen: str | None = None
    refused: str = ""
    files: list[str] = field(default_factory=list)
    refused_files: tuple[str, ...] = ()


class Console:
    """Prints events and carries out typed lines. Events and lines come from two threads; one lock."""

    def __init__(
        self,
        actions: Actions,
        screen_of: Callable[[Seat], TerminalCore | None],
        guest_line: Callable[[str, str], tuple[dict[str, str], tuple[str, ...]]],
        out: TextIO,
    ) -> None:
        self._actions = actions
        self._screen_of = screen_of
        self._guest_line = guest_line
        self._out = out
        self._lock = threading.Lock()
        self._marks = False
        self._told = ""
        self.view = View()
        self.ended = threading.Event()

    # -- events -----------------------------------------------------------

    def on_event(self, event: ScreenEvent) -> None:
        """Take one event of the app."""
        with self._lock:
            self._on_event(event)

    def _on_event(self, event: ScreenEvent) -> None:
        view = self.view
        match event:
            case TopicsListed(topics):
                view.topics = topics
            case AccountsListed(accounts):
                view.accounts = accounts
            case RosterListed(topic_id, names) if topic_id == view.topic_id:
                view.roster = names
            case SeatChanged(seat_view):
                self._on_seat(seat_view)
            case StatusSaid(text, level):
                self._on_status(text, level)
            case RaiseAsked():
                self._say("* " + _("Pullcept was started again on this data folder; it is open here."))
            case AppEnded(reason):
                self._on_app_ended(reason)
            case _:
                self._on_post_event(event)

    def _on_post_event(self, event: ScreenEvent) -> None:
        match event:
            case TopicOpened():
                self._on_opened(event)
            case OlderRows(topic_id, rows, has_older) if topic_id == self.view.topic_id:
                self._print_rows(rows, has_older)
                if not rows:
                    self._say("! " + _("There are no earlier posts."))
            case RowAdded():
                self._on_row(event)
            case PostAccepted(notes=notes, paused=paused):
                for note in (*notes, *paused):
                    self._say(f"  ({note})")
            case PostRefused():
                self._on_refused(event)
            case DeliveryChanged():
                self._on_delivery(event)

    def _on_status(self, text: str, level: str) -> None:
        """Print what the app says; the reason of a failed start was printed with the seat already."""
        told, self._told = self._told, ""
        if text and text != told:
            self._say(f"* {text}" if level == "info" else f"! {text}")

    def _on_app_ended(self, reason: str) -> None:
        if reason:
            self._say(f"! {reason}")
        self.ended.set()

    def _on_opened(self, event: TopicOpened) -> None:
        self.view.topic_id, self.view.title = event.topic_id, event.title
        self.view.seats.clear()
        self.view.last_seen = None
        self._say(f"== {event.title or _('untitled')} ==")
        if event.skipped:
            self._say(
                "! " + _("{count} lines of the log could not be read and were skipped.").format(count=event.skipped)
            )
        self.view.oldest = event.rows[0].message_id if event.rows else None
        self._print_rows(event.rows, event.has_older)
        if event.rows:
            self.view.last_seen = event.rows[-1].message_id

    def _print_rows(self, rows: Sequence[Post], has_older: bool) -> None:
        if has_older:
            self._say("  " + _("(/older shows more)"))
        for post in rows:
            self._say(post_line(post))
        if rows:
            self.view.oldest = rows[0].message_id

    def _on_row(self, event: RowAdded) -> None:
        if event.topic_id != self.view.topic_id:
            return
        self._say(post_line(event.post))
        if not event.logged:
            self._say("! " + _("This post is not written to the log."))
        self.view.last_seen = event.post.message_id

    def _on_refused(self, event: PostRefused) -> None:
        self.view.refused, self.view.refused_files = event.text, event.files
        if event.reason:
            self._say("! " + _("Not sent: {reason}").format(reason=event.reason))
        else:
            for post in event.missed:
                self._say(post_line(post))
            if event.missed:
                self.view.last_seen = event.missed[-1].message_id
            self._say("! " + _("{n} posts came first (shown above). Not sent yet.").format(n=len(event.missed)))
        self._say("  " + _("(/again sends it)"))

    def _on_seat(self, seat_view: SeatView) -> None:
        before = self.view.seats.get(seat_view.seat)
        self.view.seats[seat_view.seat] = seat_view
        if seat_view.seat.topic_id != self.view.topic_id:
            return
        if before is None or before.state != seat_view.state:
            self._say(f"* {self._name(seat_view.seat)}: {state_words(seat_view)}")
            self._told = seat_view.detail if seat_view.state is SeatState.FAILED else ""

    def _on_delivery(self, event: DeliveryChanged) -> None:
        if self._marks or event.state in (DeliveryState.NOT_TAKEN, DeliveryState.FAILED):
            self._say(f"  [{event.message_id[:8]} → {self._name(event.seat)}: {event.state} {event.reason}]")

    def _name(self, seat: Seat) -> str:
        return next((each.name for each in self.view.accounts if each.account_id == seat.account_id), "?")

    def _say(self, text: str) -> None:
        # What others wrote must not act on the terminal it is printed in.
        print(clean_body(text), file=self._out, flush=True)

    # -- lines ------------------------------------------------------------

    def on_line(self, line: str) -> bool:
        """Carry out one typed line; False when the person wants to leave."""
        if not line.strip():
            return True
        if not line.startswith("/"):
            self._post(line)
            return True
        word, _blank, rest = line[1:].partition(" ")
        if word in ("quit", "q"):
            return False
        command = getattr(self, f"do_{word}", None)
        with self._lock:
            if command is None:
                self._say("! " + _("Unknown command /{word}. /help lists them.").format(word=word))
            else:
                command(rest.strip())
        return True

    def _post(self, text: str) -> None:
        with self._lock:
            topic_id, last_seen = self.view.topic_id, self.view.last_seen
            files, self.view.files = tuple(self.view.files), []
        self._send(topic_id, text, files, last_seen)

    def _send(self, topic_id: str, text: str, files: Sequence[str], last_seen: str | None) -> None:
        if files:
            self._actions.post_files(topic_id, text, files, last_seen)
        else:
            self._actions.post(topic_id, text, last_seen)

    def do_help(self, _rest: str) -> None:
        self._say(help_text())

    def do_topics(self, _rest: str) -> None:
        if not self.view.topics:
            self._say("! " + _("There are no topics yet. A line makes one."))
        for number, topic in enumerate(self.view.topics, 1):
            running = f"  ●{topic.running}" if topic.running else ""
            self._say(f"{number:3} {topic.ts[:10]} {topic.title or _('untitled')}{running}")

    def do_new(self, _rest: str) -> None:
        self._actions.new_topic()

    def do_open(self, rest: str) -> None:
        if not rest.isdecimal() or not 1 <= int(rest) <= len(self.view.topics):
            self._say("! " + _("/open takes a number from /topics."))
            return
        self._actions.open_topic(self.view.topics[int(rest) - 1].topic_id)

    def do_attach(self, rest: str) -> None:
        path = Path(rest).expanduser()
        if not rest:
            self._say(
                "! " + _("/attach takes the path of a file, “drop” to attach nothing, “send” to send without text.")
            )
        elif rest == "drop":
            self.view.files.clear()
        elif rest == "send" and self.view.files:
            files, self.view.files = tuple(self.view.files), []
            self._send(self.view.topic_id, "", files, self.view.last_seen)
        elif path.is_file():
            self.view.files.append(str(path.absolute()))
            self._say("* " + _("Goes with the next line: {names}").format(names=", ".join(self.view.files)))
        else:
            self._say("! " + _("There is no file {path}.").format(path=rest))

    def do_export(self, rest: str) -> None:
        if target := self._new_file(rest, _("/export takes a file name that ends in .md, .html or .jsonl.")):
            self._actions.export_topic(self.view.topic_id, target)

    def do_import(self, rest: str) -> None:
        if rest:
            self._actions.import_topic(str(Path(rest).expanduser().absolute()))
        else:
            self._say("! " + _("/import takes the path of a log (.jsonl)."))

    def do_copy(self, rest: str) -> None:
        if target := self._new_file(rest, _("/copy takes the name of a new zip file.")):
            self._actions.save_copy(target)

    def _new_file(self, rest: str, usage: str) -> str | None:
        """The absolute path of a file that is to be made; None, with a word, when there is one already."""
        path = Path(rest).expanduser().absolute()
        if rest and not path.exists():
            return str(path)
        self._say("! " + (_("{path} exists already. Name a new file.").format(path=rest) if rest else usage))
        return None

    def do_older(self, _rest: str) -> None:
        if self.view.oldest:
            self._actions.read_older(self.view.topic_id, self.view.oldest)
        else:
            self._say("! " + _("There are no earlier posts."))

    def do_rename(self, rest: str) -> None:
        if rest:
            self._actions.rename_topic(self.view.topic_id, rest)
        else:
            self._say("! " + _("/rename takes the new title."))

    def do_delete(self, rest: str) -> None:
        if rest != "yes":
            self._say("! " + _("This deletes the topic and ends its sessions. Type “/delete yes” to do it."))
            return
        self._actions.delete_topic(self.view.topic_id)

    def do_accounts(self, _rest: str) -> None:
        for account in self.view.accounts:
            self._say(f"  {account.name} ({account.kind}) {account.problem}".rstrip())

    def do_seats(self, _rest: str) -> None:
        here = [view for seat, view in self.view.seats.items() if seat.topic_id == self.view.topic_id]
        if not here:
            self._say("! " + _("Nothing has been started in this topic. /start NAME starts a session."))
        for view in here:
            held = f", {view.held} held: {view.hold_reason}" if view.held else ""
            self._say(f"  {self._name(view.seat)}: {state_words(view)}{held}")

    def do_start(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.start(seat, COLUMNS, ROWS)

    def do_stop(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.stop(seat)

    def do_look(self, rest: str) -> None:
        seat = self._seat(rest)
        screen = self._screen_of(seat) if seat else None
        if screen is not None:
            self._say(screen.text().rstrip())
        elif seat:
            self._say("! " + _("This account has no terminal here yet. /start {name}").format(name=rest))

    def do_keys(self, rest: str) -> None:
        name, text = self._split_name(rest)
        if seat := self._seat(name):
            self._actions.write_keys(seat, text.encode())
            self._actions.write_keys(seat, b"\r")

    def do_key(self, rest: str) -> None:
        name, key = self._split_name(rest)
        if key not in KEYS:
            self._say("! " + _("/key takes one of: {keys}").format(keys=" ".join(KEYS)))
        elif seat := self._seat(name):
            self._actions.write_keys(seat, KEYS[key])

    def do_anyway(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.send_anyway(seat)

    def do_typeanyway(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.decide_sightless(seat, TYPE_ANYWAY)

    def do_byhand(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.decide_sightless(seat, BY_HAND)

    def do_nick(self, rest: str) -> None:
        names = [each.name.casefold() for each in self.view.accounts]
        name, nickname = (rest, "") if rest.casefold() in names else self._split_name(rest)
        if seat := self._seat(name):
            self._actions.set_nickname(seat.account_id, nickname)

    def do_discard(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.discard_held(seat)

    def do_press(self, rest: str) -> None:
        if seat := self._seat(rest):
            self._actions.press_enter(seat)

    def do_resend(self, rest: str) -> None:
        self._on_post_of(rest, self._actions.send_again)

    def do_skip(self, rest: str) -> None:
        self._on_post_of(rest, self._actions.skip)

    def _on_post_of(self, rest: str, act: Callable[[Seat, str], None]) -> None:
        names = [each.name.casefold() for each in self.view.accounts]
        name, message_id = (rest, "") if rest.casefold() in names else self._split_name(rest)
        if seat := self._seat(name):
            act(seat, message_id)

    def do_continue(self, _rest: str) -> None:
        self._actions.go_on(self.view.topic_id)

    def do_skipall(self, _rest: str) -> None:
        self._actions.skip_all(self.view.topic_id)

    def do_marks(self, _rest: str) -> None:
        self._marks = not self._marks
        self._say("* " + (_("Delivery is printed.") if self._marks else _("Delivery is no longer printed.")))

    def do_guest(self, rest: str) -> None:
        if not rest:
            self._say("! " + _("/guest takes the name the guest shall have."))
            return
        environment, argv = self._guest_line(self.view.topic_id, rest)
        self._say(_("Start this command with this environment; the token is good until Pullcept ends:"))
        self._say(json.dumps({"env": environment, "argv": argv}, ensure_ascii=False))

    def do_again(self, _rest: str) -> None:
        text, self.view.refused = self.view.refused, ""
        files, self.view.refused_files = self.view.refused_files, ()
        if text or files:
            self._send(self.view.topic_id, text, files, self.view.last_seen)
        else:
            self._say("! " + _("No post waits to be sent again."))

    def _split_name(self, rest: str) -> tuple[str, str]:
        """The longest account name that `rest` begins with, and what follows it."""
        names = sorted((account.name for account in self.view.accounts), key=len, reverse=True)
        for name in names:
            if rest.casefold().startswith(name.casefold() + " "):
                return name, rest[len(name) + 1 :]
        head, _blank, tail = rest.partition(" ")
        return head, tail

    def _seat(self, name: str) -> Seat | None:
        found = [each for each in self.view.accounts if each.startable and each.name.casefold() == name.casefold()]
        if not found:
            names = ", ".join(each.name for each in self.view.accounts if each.startable)
            self._say("! " + _("No account “{name}”. There are: {names}").format(name=name, names=names))
            return None
        return Seat(found[0].account_id, self.view.topic_id)


def post_line(post: Post) -> str:
    """One post as text: local time, speaker, addressees, body. Its further lines are set in, so none looks like a post.

    Control characters are left out.
    """
    to = f" → {', '.join(post.to)}" if post.to else ""
    head = " ".join(clean_body(f"{_clock(post.ts)} {post.speaker}{to}:").split("\n"))
    return f"{head} {clean_body(post.content)}".replace("\n", f"\n{SET_IN}")


def _clock(ts: str) -> str:
    try:
        return datetime.fromisoformat(ts).astimezone().strftime("%H:%M")
    except (ValueError, OverflowError):
        return "--:--"


def state_words(view: SeatView) -> str:
    """What a seat is doing, in words."""
    words = {
        SeatState.NOT_STARTED: _("Not started"),
        SeatState.STARTING: _("Starting"),
        SeatState.FIRST_SCREEN: _("First screen: needs you"),
        SeatState.RUNNING: view.detail or _("Running"),
        SeatState.STOPPING: _("Stopping"),
        SeatState.ENDED: _("Stopped") if view.asked else _("Exited by itself ({n})").format(n=view.detail),
        SeatState.FAILED: _("Failed: {reason}").format(reason=view.detail),
    }
    return words[view.state]


def _drain(events: "queue.SimpleQueue[ScreenEvent]", console: Console) -> None:
    while not console.ended.is_set():
        console.on_event(events.get())


def main(argv: Sequence[str]) -> int:
    """Role `console`. Returns the exit code; 3 when another Pullcept holds the data folder."""
    parser = argparse.ArgumentParser(prog="pullcept console", description="The room in this terminal.")
    parser.add_argument("--data-dir")
    options = parser.parse_args(argv)
    use_language(system_language())
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    try:
        app = App(open_data_folder(options.data_dir), events)
    except DataFolderLocked as error:
        print(error, file=sys.stderr)
        return 3
    except DataFolderUnusable as error:
        print(error, file=sys.stderr)
        return 1
    try:
        return _run(app, events)
    except AppFailed as error:
        print(error, file=sys.stderr)
        return 1


def _run(app: App, events: "queue.SimpleQueue[ScreenEvent]") -> int:
    console = Console(app, app.screen_of, app.guest_line, sys.stdout)
    printer = threading.Thread(target=_drain, args=(events, console), name="console events", daemon=True)
    with app_log(app.folder), app:
        _show_waiting(events, console)
        printer.start()
        console.on_event(StatusSaid(_("/help lists the commands.")))
        _read_lines(console)
    printer.join(5)
    return 0


def _show_waiting(events: "queue.SimpleQueue[ScreenEvent]", console: Console) -> None:
    """What the room said at its start, so that the first line that is typed already knows topics and accounts."""
    while not events.empty():
        console.on_event(events.get())


def _read_lines(console: Console) -> None:
    try:
        for line in sys.stdin:
            if not console.on_line(line.rstrip("\r\n")):
                return
    except KeyboardInterrupt:
        return
