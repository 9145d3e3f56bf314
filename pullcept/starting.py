"""How the start of a session is put together: resume or fresh, launch record, environment, launch line."""

import logging
import os
import secrets
import shutil
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pullcept.cli_versions import CliVersions
from pullcept.core.account import APP_COMMAND, Account
from pullcept.core.cli_version import added_options
from pullcept.core.environment import child_environment
from pullcept.core.kinds import ROOM_SERVER, LaunchLine, LaunchRequest, kind_for
from pullcept.core.launch import Launch, role_line, room_environment, shell_text, statusline_line
from pullcept.core.names import calling_name
from pullcept.core.seat import Seat
from pullcept.pty.profiles import PROFILES, Profile
from pullcept.sessions import Start
from pullcept.store.settings import NotSaved
from pullcept.store.toml_values import toml_value
from pullcept.ui.texts import gettext as _

log = logging.getLogger(__name__)


class StartRefused(Exception):
    """A session cannot be started; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the app's own roles lie: the interpreter or executable, and the script when run from source."""

    executable: str
    script: str | None


@dataclass(slots=True)
class RoomAddress:
    """Where the room can be reached; known once the listener stands."""

    url: str = ""
    token: str = field(default="", repr=False)

    @property
    def hooks_url(self) -> str:
        """Where hooks are posted to, without a path."""
        return self.url.replace("ws://", "http://", 1).removesuffix("/room")


class TopicBook(Protocol):
    """What a start needs to know of topics; writers raise `NotSaved`."""

    def conversation(self, seat: Seat) -> str | None: ...
    def conversation_elsewhere(self, seat: Seat) -> bool: ...
    def session_started(self, seat: Seat) -> None: ...
    def record_conversation(self, seat: Seat, conversation_id: str) -> None: ...
    def drop_conversation(self, seat: Seat, conversation_id: str) -> bool: ...
    def attachments_folder(self, topic_id: str) -> Path: ...
    def has_posts(self, topic_id: str) -> bool: ...


class LaunchFolder(Protocol):
    """Where registration files of launches go; `write` raises `NotSaved`."""

    def registration(self, topic_id: str, account_id: str) -> Path: ...
    def write(self, path: Path, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Resume:
    """The conversation to resume, if any, and a word about it for the status line (with `{name}`)."""

    conversation_id: str | None
    word: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A start that may run. `files`: (path, text) to write first. `word`: for the status line."""

    start: Start
    files: tuple[tuple[str, str], ...]
    word: str


class Starter:
    """Prepares starts; changes nothing outside but the topic's attachment folder."""

    def __init__(
        self,
        topics: TopicBook,
        launches: LaunchFolder,
        programs: Programs,
        environment: Mapping[str, str],
        room: RoomAddress,
        exists: Callable[[Account, str, Mapping[str, str]], bool | None],
        versions: CliVersions,
    ) -> None:
        self._topics = topics
        self._launches = launches
        self._programs = programs
        self._base_environment = environment
        self._room = room
        self._exists = exists
        self._versions = versions

    def prepare(
        self, seat: Seat, account: Account, generation: int, *, missed_posts: bool, columns: int, rows: int
    ) -> Prepared:
        """Everything a start needs. Raises `StartRefused`, `LaunchRefused` or OSError with a text for the person.

        `missed_posts`: posts came while the earlier session of this seat was gone.
        """
        if not account.startable:
            raise StartRefused(_("{name} has no command line to start.").format(name=account.name))
        folder = self._folder(account)
        resume = self._choose_resume(seat, account)
        fresh = resume.conversation_id is None
        unseen = self._topics.has_posts(seat.topic_id) if fresh else missed_posts
        launch = _make_launch(seat, account, generation, unseen_history=unseen)
        environment = self._environment(account, room_environment(launch, self._room.url, self._room.token))
        line = self._launch_line(account, launch, resume, folder)
        kind = kind_for(account.kind)
        argv = self._resolved(self._expanded(line.argv), environment, account, folder)
        self._check_version(account, argv)
        start = Start(
            launch=launch,
            argv=argv,
            cwd=folder,
            env={**environment, **line.env},
            columns=columns,
            rows=rows,
            profile=_profile(account),
            conversation_id=line.conversation_id,
            resumed=line.resumed,
            needs_idle=kind.reports_idle,
            listens=account.listens and account.kind == "cli",
            blind=line.blind,
            sightless=account.sightless,
        )
        goes_on = line.resumed or fresh
        word = (resume.word if goes_on else _("{name} starts a new conversation.")).format(name=launch.name)
        return Prepared(start, line.files, " ".join((word, *line.notes)))

    def _check_version(self, account: Account, argv: tuple[str, ...]) -> None:
        """A version before the measured one that does not know a part of the line is not started."""
        measured, told = kind_for(account.kind).measured, self._versions.known(argv[0])
        if measured is None or told is None or not told.is_older_than(measured):
            return
        if unknown := told.unknown(added_options(argv[1:], account.args)):
            text = _("{name}: {command} {version} does not know {options}. Update it to {measured} or later.")
            options = ", ".join(unknown)
            version, command = told.version, os.path.basename(argv[0])
            raise StartRefused(
                text.format(name=account.name, version=version, command=command, options=options, measured=measured)
            )

    def version_note(self, account: Account, program: str = "") -> str:
        """What the row says about the version of an account's program, "" for nothing. Asks it; may take seconds.

        `program`: its absolute path, when it is known.
        """
        measured = kind_for(account.kind).measured if account.startable else None
        if measured is None:
            return ""
        try:
            environment = self._environment(account, {})
            program = program or self._resolved((account.command,), environment, account, self._folder(account))[0]
        except StartRefused:
            return ""
        told = self._versions.ask(program, measured, environment)
        if not told.is_older_than(measured):
            return ""
        return _("not verified with this version ({version})").format(version=told.version)

    def _choose_resume(self, seat: Seat, account: Account) -> Resume:
        """Resume needs a recorded id, a kind that can, and the conversation on disk."""
        recorded = self._topics.conversation(seat)
        if recorded is None or not kind_for(account.kind).can_resume(account):
            if self._topics.conversation_elsewhere(seat):
                return Resume(None, _("{name}: started fresh, the earlier conversation is on another computer."))
            return Resume(None, _("{name} starts a new conversation."))
        if self._exists(account, recorded, self._environment(account, {})) is False:
            word = _("{name}: started fresh, the earlier conversation is gone.")
            try:
                self._topics.drop_conversation(seat, recorded)
            except NotSaved as error:
                log.warning("a dropped conversation stays on record: %s", error)
            return Resume(None, word)
        return Resume(recorded, _("{name} resumes the earlier conversation."))

    def _environment(self, account: Account, own: Mapping[str, str]) -> dict[str, str]:
        values = {}
        for entry in account.env:
            if entry.value is None:
                text = _("The value of {entry} of {name} cannot be read here. Enter it again.")
                raise StartRefused(text.format(entry=entry.name, name=account.name))
            values[entry.name] = entry.value
        return child_environment(
            self._base_environment,
            account_env=values,
            own=own,
            frozen=self._programs.script is None,
            platform=sys.platform,
        )

    def _launch_line(self, account: Account, launch: Launch, resume: Resume, folder: str) -> LaunchLine:
        attachments = self._topics.attachments_folder(launch.seat.topic_id)
        attachments.mkdir(parents=True, exist_ok=True)
        request = LaunchRequest(
            account=account,
            topic_id=launch.seat.topic_id,
            sidecar=role_line("sidecar", self._programs.executable, self._programs.script),
            entry=launch.entry,
            registration_path=str(self._launches.registration(launch.seat.topic_id, launch.seat.account_id)),
            attachments_dir=str(attachments),
            new_session_id=str(uuid.uuid4()),
            toml_value=toml_value,
            resume_id=resume.conversation_id,
            settings_text=_settings_text(account, folder),
            hooks_url=self._room.hooks_url,
            status_command=shell_text(statusline_line(self._programs.executable, self._programs.script), sys.platform),
        )
        return kind_for(account.kind).launch_line(request)

    def _expanded(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The app's own name in a command stands for its absolute program."""
        if argv[0] != APP_COMMAND or len(argv) < 2:
            return argv
        line = role_line(argv[1], self._programs.executable, self._programs.script)
        return line.with_args(*argv[2:]).argv

    def _resolved(
        self, argv: tuple[str, ...], environment: Mapping[str, str], account: Account, folder: str
    ) -> tuple[str, ...]:
        # A command with a folder in it is meant from where it runs, not from where this app was started.
        command = os.path.join(folder, argv[0]) if os.path.dirname(argv[0]) else argv[0]
        found = shutil.which(command, path=environment.get("PATH"))
        if found is None:
            text = _("The command “{command}” was not found. Install it, or correct the command of {name}.")
            raise StartRefused(text.format(command=argv[0], name=account.name))
        return (os.path.abspath(found), *argv[1:])

    def _folder(self, account: Account) -> str:
        folder = account.cwd or str(Path.home())
        if not os.path.isdir(folder):
            text = _("The working folder “{folder}” does not exist. Make it, or choose another one for {name}.")
            raise StartRefused(text.format(folder=folder, name=account.name))
        return folder


def _make_launch(seat: Seat, account: Account, generation: int, *, unseen_history: bool) -> Launch:
    name = calling_name(account.name, account.nickname)
    return Launch(
        seat=seat,
        generation=generation,
        launch_secret=secrets.token_urlsafe(32),
        control_secret=secrets.token_urlsafe(32),
        name=name,
        full_name=account.name if account.name != name else None,
        hue=account.hue,
        role=account.kind,
        entry=ROOM_SERVER,
        origin=f"launch-{uuid.uuid4()}",
        unseen_history=unseen_history,
    )


def _profile(account: Account) -> Profile:
    name = account.typing_profile or kind_for(account.kind).profile
    profile = PROFILES.get(name)
    if profile is None:
        text = _("{name} names a way of typing that does not exist: {profile}. There are: {known}.")
        raise StartRefused(text.format(name=account.name, profile=name, known=", ".join(PROFILES)))
    return profile


def _settings_text(account: Account, folder: str) -> str | None:
    """The settings file the person's own options name, as text; None when they name none."""
    path = kind_for(account.kind).settings_file(account)
    if path is None:
        return None
    try:
        return (Path(folder) / path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path that no file can have
        text = _("The settings file {path} of {name} cannot be read: {reason}")
        raise StartRefused(text.format(path=path, name=account.name, reason=error)) from error
