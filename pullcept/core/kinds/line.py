"""What every kind of CLI shares: the request for a launch line, the line, and why there is none."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pullcept.core.account import Account
from pullcept.core.launch import SidecarLine

ROOM_SERVER = "pullcept-room"
"""The name under which a session registers the room: `mcp__pullcept-room__say_to_room`."""

ROOM_TOOLS = (
    "say_to_room",
    "read_room_history",
    "my_usage",
    "list_account_sessions",
    "control_account_session",
    "account_session_status",
)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

TomlValue = str | bool | int | Sequence[str]


class LaunchRefused(ValueError):
    """The account cannot be started like this; the text names what clashes with what."""


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """All a kind needs to write a launch line.

    `entry`: letters, digits, `-` and `_`; the name of the room's server for this session.
    `registration_path`: absolute path where a registration file may be written.
    `new_session_id`: a fresh UUID, used when the session begins anew. `resume_id`: the recorded
    conversation to go on with. `settings_text`: content of the file `Kind.settings_file` named.
    `toml_value`: writes one value as TOML, on one line. `hooks_url`: where hooks are posted to, without a path;
    `status_command`: the shell text of our status line. Without them the CLI is asked to report nothing.
    """

    account: Account
    topic_id: str
    sidecar: SidecarLine
    entry: str
    registration_path: str
    attachments_dir: str
    new_session_id: str
    toml_value: Callable[[TomlValue], str]
    resume_id: str | None = None
    settings_text: str | None = None
    hooks_url: str = ""
    status_command: str = ""


@dataclass(frozen=True, slots=True)
class LaunchLine:
    """What will run. `files`: (absolute path, text) to write before the start, free of secrets.

    `env`: additions for the session's environment. `conversation_id`: known before the start, else
    None. `resumed`: the line goes on with `LaunchRequest.resume_id`. `notes`: what the person's own
    options change about the room's part of the line. `blind`: their settings keep the hooks from reporting.
    """

    argv: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    conversation_id: str | None = None
    resumed: bool = False
    notes: tuple[str, ...] = ()
    blind: bool = False


class Kind(Protocol):
    """One kind of CLI. `profile`: how it is typed to. `measured`: the CLI version this was measured with.

    `reports_idle`: it says in its terminal when it takes input, and nothing is typed before that.
    `tells_conversation`: its conversation id is learned from its first tool call.
    """

    @property
    def name(self) -> str: ...
    @property
    def profile(self) -> str: ...
    @property
    def measured(self) -> str | None: ...
    @property
    def reports_idle(self) -> bool: ...
    @property
    def tells_conversation(self) -> bool: ...

    def can_resume(self, account: Account) -> bool:
        """Whether a recorded conversation of this account can be gone on with."""
        ...

    def settings_file(self, account: Account) -> str | None:
        """The settings file the person's options name; its text belongs into the request."""
        ...

    def launch_line(self, request: LaunchRequest) -> LaunchLine:
        """The line that runs. Raises `LaunchRefused`."""
        ...

    def transcript_globs(self, conversation_id: str, env: Mapping[str, str], home: str) -> tuple[tuple[str, str], ...]:
        """(folder, pattern) pairs that find the transcript; empty when this kind keeps none we know."""
        ...


def command_of(account: Account) -> str:
    """The program of an account; raises `LaunchRefused` when there is none."""
    if not account.command:
        raise LaunchRefused(f"the account {account.name} has no command")
    return account.command


def check_id(conversation_id: str) -> str:
    """A recorded conversation id that can stand on a line; raises `LaunchRefused` for one that could be an option."""
    if not _ID.fullmatch(conversation_id):
        raise LaunchRefused(f"the recorded conversation {conversation_id[:60]!r} is no conversation id")
    return conversation_id


def is_uuid(text: str | None) -> bool:
    """Whether a text is a UUID, as the ids of conversations are."""
    return bool(text and _UUID.fullmatch(text))


def config_folder(env: Mapping[str, str], variable: str, home: str, default: str) -> str:
    """The CLI's own folder: what the variable says, else `default` below the home folder."""
    return env.get(variable) or f"{home}/{default}"


def literal_pattern(text: str) -> str:
    """`text` as a file name pattern that matches only itself."""
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in text)
