"""Builds the parts of one run, wires them, starts and stops them in order.

The room lives on an asyncio thread of its own; a screen (window, console, demo) talks to it through
`core.screen`: actions in, events out, and neither side ever waits for the other.
"""

import argparse
import asyncio
import logging
import os
import queue
import secrets
import sys
import threading
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from pullcept.accounts import Accounts, user_name
from pullcept.applog import app_log
from pullcept.cli_versions import CliVersions
from pullcept.clock import local_at
from pullcept.core.account import Account, default_accounts
from pullcept.core.folder import BESIDE_NAME, find_data_folder
from pullcept.core.kinds import kind_for
from pullcept.core.launch import Admissions, Launch, role_line
from pullcept.core.protocol import RoomFrame
from pullcept.core.room import Door
from pullcept.core.screen import AppEnded, RaiseAsked, ScreenEvent, StatusSaid
from pullcept.core.seat import Seat
from pullcept.desk import Desk
from pullcept.guarded import GuardedTyping, limit_of
from pullcept.host.hub import Hub
from pullcept.host.server import Callbacks, HostFailed, RoomServer
from pullcept.keeping import Keeping
from pullcept.links import Links, OnAnswer
from pullcept.outside import AppOutside
from pullcept.pty.system import make_terminals
from pullcept.raising import ask_to_raise, watch_for_raise
from pullcept.seats import Parts, Seats
from pullcept.sessions import Recorder
from pullcept.starting import Programs, RoomAddress, Starter
from pullcept.store.config import Config, ConfigFile
from pullcept.store.folder import DataFolder, DataFolderLocked, DataFolderUnusable
from pullcept.store.launch_files import LaunchFiles
from pullcept.store.transcripts import conversation_exists
from pullcept.term.core import TerminalCore
from pullcept.topics import Topics
from pullcept.ui.texts import gettext as _
from pullcept.ui.texts import language_in_use, system_language, use_language
from sidecar import server

log = logging.getLogger(__name__)

START_LIMIT = 20.0
STOP_LIMIT = 30.0
WINDOW = "window"
LIST_PAUSE = 0.1
LANGUAGES = {"ja": "Japanese", "en": "English"}


class EventSink(Protocol):
    """Where events for the screen go; `put` may be called from any thread and never waits."""

    def put(self, event: ScreenEvent, /) -> None: ...


class AppFailed(Exception):
    """The app could not start; the text says why."""


def _no_recorder(seat: Seat, name: str) -> Recorder | None:
    return None


def _no_watch(launch: Launch, frame: RoomFrame) -> None:
    return None


class App:
    """One run of Pullcept on one data folder; implements `core.screen.Actions`. Use it as a context manager.

    `accounts`: used instead of the saved ones (the demo). `recorder` keeps the bytes of terminals.
    `on_answer` is told every answer a seat gets. `screen`: how the room is shown, for later starts on this folder.
    Raises `DataFolderLocked`, `DataFolderUnusable` when made, `AppFailed` when entered.
    """

    room_url = ""

    def __init__(
        self,
        folder: DataFolder,
        events: EventSink,
        *,
        environment: Mapping[str, str] | None = None,
        accounts: Sequence[Account] | None = None,
        recorder: Callable[[Seat, str], Recorder | None] = _no_recorder,
        on_answer: OnAnswer = _no_watch,
        screen: str = "",
    ) -> None:
        self.folder = folder
        self.room_token = secrets.token_urlsafe(32)
        self._events = events
        self._environment = dict(os.environ if environment is None else environment)
        self._fixed_accounts = accounts
        self._recorder = recorder
        self._on_answer = on_answer
        self._started = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run_loop, name="host", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._list_due = False
        self._lock = folder.lock()
        self._lock.describe(screen=screen)

    # -- life -------------------------------------------------------------

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(START_LIMIT) or self._failure is not None:
            self._lock.release()
            raise AppFailed(str(self._failure or "the room did not come up"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.quit()
        self._thread.join(STOP_LIMIT)
        if self._thread.is_alive():
            log.error("the room did not end in time")
        self._lock.release()

    def _run_loop(self) -> None:
        reason = ""
        try:
            asyncio.run(self._live())
        except HostFailed as error:
            self._failure = error
        except Exception as error:
            log.exception("the room ended by an error")
            self._failure = error
            reason = _("The room ended by an error: {reason}").format(reason=error)
        finally:
            self._started.set()
            self._events.put(AppEnded(reason))

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        self._build()
        watch = asyncio.create_task(
            watch_for_raise(self.folder, lambda: self._events.put(RaiseAsked())), name="watch for raise"
        )
        warm_up = asyncio.create_task(asyncio.to_thread(_import_server), name="warm up")
        try:
            port = await self._server.start()
            self.room_url = self._address.url = f"ws://127.0.0.1:{port}/room"
            self._address.token = self.room_token
            self._introduce()
            self._started.set()
            await self._closing.wait()
            await self._keeping.close()
            await self._seats.end_all()
            await self._server.stop()
        finally:
            watch.cancel()
            await asyncio.to_thread(self._terminals.close)
            self._topics.close()
            await warm_up

    def _build(self) -> None:
        self._config = self._load_config()
        self._topics = Topics(self.folder)
        self._keeping = Keeping(self.folder, self._topics.known, self._events.put)
        launches = LaunchFiles(self.folder.launch)
        launches.empty()
        admissions = Admissions()
        self._terminals = make_terminals()
        self._address = RoomAddress()
        self._starter = starter = Starter(
            self._topics,
            launches,
            own_programs(),
            self._environment,
            self._address,
            _conversation_exists,
            CliVersions(),
        )
        parts = Parts(
            terminals=self._terminals,
            admissions=admissions,
            topics=self._topics,
            launches=launches,
            starter=starter,
            account=self._accounts.find,
            save_account=self._accounts.save,
            tell=self._events.put,
            local_at=local_at,
            on_launch_ended=self._on_launch_ended,
            recorder=self._recorder,
        )
        self._seats = Seats(parts)
        self._typing = GuardedTyping(self._seats, self._events.put, self._topics.title, limit_of(self._config.settings))
        outside = AppOutside(self._topics, self._typing, self._events.put, self._on_roster, self._list_soon)
        self._hub = Hub(outside, person=self._person_door, state_of=self._seats.state_words)
        self._desk = Desk(
            self._topics, self._seats, self._hub, self._events.put, lambda: self._accounts.person().name, self._warm
        )
        self._links = Links(
            self._hub,
            on_joined=self._seats.on_joined,
            on_listed=self._seats.on_listed,
            on_conversation=self._seats.on_conversation,
            language=lambda: LANGUAGES.get(language_in_use()),
            on_answer=self._on_answer,
        )
        callbacks = Callbacks(self._links.serve, on_status=self._seats.on_status, on_activity=self._seats.on_activity)
        self._server = RoomServer(self._hub, admissions, self.room_token, callbacks)

    def _load_config(self) -> Config:
        if self._fixed_accounts is not None:
            config, file = Config(tuple(self._fixed_accounts)), None
        else:
            file = ConfigFile(self.folder.config)
            config = file.load(lambda: default_accounts(user_name(), lambda: str(uuid.uuid4())))
        self._accounts = Accounts(config.accounts, file, self._events.put)
        self._accounts.on_renamed = self._on_renamed
        return config

    def _introduce(self) -> None:
        """The first events of a run: problems of the files, the accounts, and a fresh topic."""
        for problem in (*self._config.problems, *self._topics.problems):
            self._events.put(StatusSaid(problem, "error", key=problem))
        self._accounts.list_all()
        fresh = self._topics.new()
        self._keeping.give_back(fresh)
        self._desk.open_topic(fresh)
        self._spawn_task(asyncio.to_thread(self._ask_versions, self._accounts.all))

    def _ask_versions(self, accounts: Sequence[Account]) -> None:
        """Known before anybody presses start, because it takes a CLI a while to tell."""
        for account in accounts:
            self._starter.version_note(account)

    def _on_launch_ended(self, launch: Launch) -> None:
        self._links.forget(launch)
        self._hub.dismiss(launch.seat.topic_id, launch.origin)
        self._server.drop_launch(launch.launch_secret)
        self._list_soon()

    def _warm(self, topic_id: str) -> None:
        self._spawn_task(asyncio.to_thread(self._topics.warm, topic_id))

    def _on_roster(self, topic_id: str) -> None:
        self._desk.tell_roster(topic_id)

    def _list_soon(self) -> None:
        """The list of topics follows a change after a moment, so that a burst of posts costs one list."""
        if not self._list_due:
            self._list_due = True
            self._loop.call_later(LIST_PAUSE, self._list_now)

    def _list_now(self) -> None:
        self._list_due = False
        self._desk.tell_topics()

    # -- who is who ---------------------------------------------------------

    def _on_renamed(self, account: Account) -> None:
        """Sessions that run are called by the new name from the next post on."""
        self._seats.rename(account)
        self._hub.rename(account.id, account.calling_name, account.full_name, account.hue)

    def _person_door(self) -> Door:
        person = self._accounts.person()
        return Door("admin", person.id, person.calling_name, person.full_name, person.hue)

    # -- actions: called on any thread, carried out on the asyncio thread --------------

    def _call(self, function: Callable[..., object], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(self._guarded, function, *arguments)
        except RuntimeError:
            log.info("an action came after the end of the room")

    def _guarded(self, function: Callable[..., object], *arguments: Any) -> None:
        try:
            function(*arguments)
        except Exception as error:
            log.exception("an action failed")
            self._events.put(StatusSaid(_("That did not work: {reason}").format(reason=error), "error"))

    def new_topic(self) -> None:
        """See `Actions`."""
        self._call(lambda: self._desk.new_topic())

    def open_topic(self, topic_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._desk.open_topic(topic_id))

    def read_older(self, topic_id: str, before: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._desk.read_older(topic_id, before))

    def rename_topic(self, topic_id: str, title: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._desk.rename_topic(topic_id, title))

    def delete_topic(self, topic_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._spawn_task(self._desk.delete_topic(topic_id)))

    def post(self, topic_id: str, text: str, last_seen: str | None) -> str:
        """See `Actions`."""
        message_id = str(uuid.uuid4())
        self._call(self._post, topic_id, message_id, text, last_seen)
        return message_id

    def _post(self, topic_id: str, message_id: str, text: str, last_seen: str | None) -> None:
        if self._desk.is_storing(topic_id):
            self._spawn_task(self._desk.post_files(topic_id, message_id, text, (), last_seen))
        else:
            self._desk.post(topic_id, message_id, text, last_seen)

    def post_files(self, topic_id: str, text: str, files: Sequence[str], last_seen: str | None) -> str:
        """See `Actions`."""
        message_id = str(uuid.uuid4())
        kept = tuple(files)
        self._call(lambda: self._spawn_task(self._desk.post_files(topic_id, message_id, text, kept, last_seen)))
        return message_id

    def keep_unsent(self, topic_id: str, text: str, files: tuple[str, ...]) -> None:
        """See `Actions`."""
        self._call(lambda: self._keeping.keep(topic_id, text, files))

    def export_topic(self, topic_id: str, path: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._spawn_task(self._desk.export_topic(topic_id, Path(path))))

    def import_topic(self, path: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._spawn_task(self._desk.import_topic(Path(path))))

    def save_copy(self, path: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._spawn_task(self._desk.save_copy(Path(path))))

    def start(self, seat: Seat, columns: int, rows: int) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.start(seat, columns, rows))

    def stop(self, seat: Seat) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.stop(seat))

    def write_keys(self, seat: Seat, data: bytes) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.write_keys(seat, data))

    def resize(self, seat: Seat, columns: int, rows: int) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.resize(seat, columns, rows))

    def send_anyway(self, seat: Seat) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.send_anyway(seat))

    def decide_sightless(self, seat: Seat, decision: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.decide_sightless(seat, decision))

    def set_nickname(self, account_id: str, nickname: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._accounts.set_nickname(account_id, nickname))

    def discard_held(self, seat: Seat) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.discard_held(seat))

    def press_enter(self, seat: Seat) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.press_enter(seat))

    def send_again(self, seat: Seat, message_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.send_again(seat, message_id))

    def skip(self, seat: Seat, message_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._seats.skip(seat, message_id))

    def go_on(self, topic_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._typing.resume(topic_id))

    def skip_all(self, topic_id: str) -> None:
        """See `Actions`."""
        self._call(lambda: self._typing.skip_all(topic_id))

    def quit(self) -> None:
        """End every session and the room; `AppEnded` follows."""
        self._call(lambda: self._closing.set())

    def screen_of(self, seat: Seat) -> TerminalCore | None:
        """The terminal picture of a seat; may be asked on any thread."""
        return self._seats.screen_of(seat)

    def guest_line(self, topic_id: str, name: str) -> tuple[dict[str, str], tuple[str, ...]]:
        """Environment and argv with which any program can start a sidecar as a guest of a topic."""
        environment = {
            "PULLCEPT_ROOM_URL": self.room_url,
            "PULLCEPT_ROOM_TOKEN": self.room_token,
            "PULLCEPT_ROOM_ID": topic_id,
            "PULLCEPT_AGENT_NAME": name,
        }
        programs = own_programs()
        return environment, role_line("sidecar", programs.executable, programs.script).argv

    def _spawn_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("an action failed", exc_info=error)
            self._events.put(StatusSaid(_("That did not work: {reason}").format(reason=error), "error"))


def own_programs() -> Programs:
    """How to start this program's own roles: the executable when frozen, else interpreter and script."""
    if getattr(sys, "frozen", False):
        return Programs(os.path.abspath(sys.executable), None)
    package = Path(__file__).resolve().parent
    script = package.parent / "pullcept.py"
    # Installed by pip there is no such script, only the package.
    return Programs(os.path.abspath(sys.executable), str(script if script.is_file() else package / "__main__.py"))


def open_data_folder(option: str | None) -> DataFolder:
    """The data folder that option, environment and platform choose; nothing is made yet."""
    beside = Path(sys.executable if getattr(sys, "frozen", False) else __file__).resolve().parent
    if not getattr(sys, "frozen", False):
        beside = beside.parent
    choice = find_data_folder(
        option,
        os.environ,
        platform=sys.platform,
        home=str(Path.home()),
        executable_folder=str(beside),
        beside_exists=(beside / BESIDE_NAME).is_dir(),
    )
    return DataFolder(Path(os.path.abspath(choice.path)))


def _conversation_exists(account: Account, conversation_id: str, environment: Mapping[str, str]) -> bool | None:
    home = environment.get("USERPROFILE" if sys.platform == "win32" else "HOME") or str(Path.home())
    return conversation_exists(kind_for(account.kind).transcript_globs(conversation_id, environment, home))


def _import_server() -> None:
    """The SDK takes a second to import; the first bridge should not wait for it."""
    try:
        server.warm_up()
    except Exception:
        log.exception("the server for sidecars cannot be loaded")


def main_window(argv: Sequence[str]) -> int:
    """The role without a name: the room in a window. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="pullcept", description="The room in a window.")
    parser.add_argument("--data-dir")
    options = parser.parse_args(argv)
    use_language(system_language())
    folder = open_data_folder(options.data_dir)
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    try:
        app = App(folder, events, screen=WINDOW)
    except DataFolderLocked as error:
        return leave_to(error, folder)
    except DataFolderUnusable as error:
        print(error, file=sys.stderr)
        return 1
    with app_log(folder):
        return show_window(app, events)


def leave_to(holder: DataFolderLocked, folder: DataFolder) -> int:
    """Leave the folder to the run that holds it, and say where to look. Returns the exit code."""
    if holder.holder.get("screen") == WINDOW:
        ask_to_raise(folder)
        print(_("Pullcept is already open: {reason}. Its window comes to the front.").format(reason=holder))
        return 0
    print(
        _("{reason}, but not by a window. End that first, or name another folder with --data-dir.").format(
            reason=holder
        ),
        file=sys.stderr,
    )
    return 3


def show_window(app: App, events: "queue.SimpleQueue[ScreenEvent]") -> int:
    """Run an app with a window until it is closed. Returns the exit code."""
    from pullcept.ui.window import run_window

    try:
        with app:
            run_window(app, events, app.screen_of, language=language_in_use())
    except AppFailed as error:
        print(error, file=sys.stderr)
        return 1
    return 0
