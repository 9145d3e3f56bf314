"""One start of a session: its record with its secrets, who may join by it, its environment and launch lines.

Secrets are made by the caller and compared in constant time. Times are seconds of a monotonic clock.
"""

import hmac
import shlex
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath, PureWindowsPath

from pullcept.core.environment import child_environment
from pullcept.core.post import Role
from pullcept.core.seat import Seat

GONE_SECONDS = 10.0
"""How long a bound instance must have been gone before another one may take its place."""

__all__ = [
    "ROOM_NAMES",
    "Admission",
    "Admissions",
    "Launch",
    "LaunchLineError",
    "SidecarLine",
    "child_environment",
    "role_line",
    "room_environment",
    "same_secret",
    "shell_text",
    "sidecar_line",
    "statusline_line",
]

KEPT_ENDED = 512
"""How many ended launches are remembered, so that a late caller is told why it is refused."""

ROOM_NAMES = (
    "PULLCEPT_ROOM_URL",
    "PULLCEPT_ROOM_TOKEN",
    "PULLCEPT_LAUNCH",
    "PULLCEPT_CONTROL",
    "PULLCEPT_ROOM_ID",
    "PULLCEPT_ACCOUNT_ID",
    "PULLCEPT_AGENT_NAME",
    "PULLCEPT_AGENT_HUE",
    "PULLCEPT_UNSEEN_HISTORY",
)
"""Every name a sidecar may need from the environment of the CLI that starts it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a session. `name` is the calling name, `full_name` the original one behind a nickname.

    `entry`: the name of its registration, which its bridge gives back. `origin`: the roster key that every
    connection of this launch takes over. `unseen_history`: the topic had posts before this session began.
    """

    seat: Seat
    generation: int
    launch_secret: str = field(repr=False)
    control_secret: str = field(repr=False)
    name: str
    full_name: str | None
    hue: int | None
    role: Role
    entry: str
    origin: str
    unseen_history: bool = False


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer to a bridge. With `launch` None it is not admitted and `reason` says why.

    `control`: it also holds the right to ask for starts and stops. `wait`: seconds after which asking again makes
    sense, because the instance before it has gone; 0 when waiting changes nothing.
    """

    launch: Launch | None
    reason: str = ""
    control: bool = False
    wait: float = 0.0


@dataclass(slots=True)
class _Record:
    """A launch and the instance bound to it. `gone_since` is None while the instance is connected."""

    launch: Launch
    ended: bool = False
    instance: str | None = None
    connections: int = 0
    gone_since: float | None = None


class Admissions:
    """The launches of this run of the app, and which bridge may speak for each."""

    def __init__(self) -> None:
        self._records: list[_Record] = []

    def add(self, launch: Launch) -> None:
        """Take up a launch. An older launch of the same seat has ended by that."""
        for record in self._live(launch.seat):
            record.ended = True
        self._records.append(_Record(launch))
        self._forget_old()

    def end(self, seat: Seat, generation: int) -> None:
        """Mark exactly this launch as ended; an unknown or older generation changes nothing else."""
        for record in self._live(seat):
            if record.launch.generation == generation:
                record.ended = True

    def rename(self, account_id: str, name: str, full_name: str | None, hue: int | None) -> None:
        """Give the running launches of an account its present name and colour."""
        for record in self._records:
            if record.launch.seat.account_id == account_id and not record.ended:
                record.launch = replace(record.launch, name=name, full_name=full_name, hue=hue)

    def current(self, seat: Seat) -> Launch | None:
        """The launch of this seat that has not ended."""
        return next((record.launch for record in self._live(seat)), None)

    def find(self, launch_secret: str) -> tuple[Launch, bool] | None:
        """The launch of a secret and whether it has ended; None when no launch of this run has it."""
        record = self._find(launch_secret)
        return None if record is None else (record.launch, record.ended)

    def admit(
        self, launch_secret: str | None, control_secret: str | None, entry: str | None, instance: str | None, now: float
    ) -> Admission:
        """Decide about one bridge. An admitted instance counts as connected until `instance_gone`."""
        record = self._find(launch_secret or "")
        if record is None:
            return Admission(None, "no launch of this run of the app has this secret")
        reason = _refusal(record, entry, instance, now)
        if reason:
            return Admission(None, reason, wait=_wait(record, entry, instance, now))
        if record.instance != instance:
            record.instance, record.connections = instance, 0
        record.connections += 1
        record.gone_since = None
        return Admission(record.launch, control=same_secret(control_secret or "", record.launch.control_secret))

    def instance_gone(self, instance: str, now: float) -> None:
        """One connection of an admitted instance has closed. An instance that is not bound changes nothing."""
        for record in self._records:
            if record.instance != instance or not record.connections:
                continue
            record.connections -= 1
            if not record.connections:
                record.gone_since = now

    def unbind(self, launch_secret: str, instance: str) -> None:
        """Forget a bound instance that only asked what there is: the CLI's real process comes after it.

        Clients of the newer protocol first ask in a process of its own, which they end.
        """
        record = self._find(launch_secret)
        if record is not None and record.instance == instance and record.connections <= 1:
            record.instance, record.connections, record.gone_since = None, 0, None

    def _find(self, launch_secret: str) -> _Record | None:
        """Compares with every record, so that the time taken says nothing about a secret."""
        found = None
        for record in self._records:
            if same_secret(launch_secret, record.launch.launch_secret):
                found = record
        return found

    def _live(self, seat: Seat) -> list[_Record]:
        return [record for record in self._records if record.launch.seat == seat and not record.ended]

    def _forget_old(self) -> None:
        ended = [record for record in self._records if record.ended]
        for record in ended[: max(0, len(ended) - KEPT_ENDED)]:
            self._records.remove(record)


def _refusal(record: _Record, entry: str | None, instance: str | None, now: float) -> str:
    """Why this instance may not speak for the launch; empty when it may."""
    if record.ended:
        return "this session has ended"
    if not instance:
        return "the bridge gave no instance id"
    if not same_secret(entry or "", record.launch.entry):
        return "started from another registration than the one of this session"
    if record.instance is None or record.instance == instance:
        return ""
    if record.gone_since is not None and now - record.gone_since >= GONE_SECONDS:
        return ""
    return "another bridge already speaks for this session"


def _wait(record: _Record, entry: str | None, instance: str | None, now: float) -> float:
    """How long a refused instance would have to wait for the place of the one that has gone; 0: for ever."""
    if record.ended or not instance or not same_secret(entry or "", record.launch.entry) or record.gone_since is None:
        return 0.0
    return max(0.0, GONE_SECONDS - (now - record.gone_since))


def same_secret(given: str, expected: str) -> bool:
    """Compare without telling by the time taken how much was right. An empty secret is never right."""
    equal = hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))
    return equal and bool(expected)


def room_environment(launch: Launch, url: str, token: str) -> dict[str, str]:
    """The names of `ROOM_NAMES` for one launch; the optional ones are left out when they say nothing."""
    values = {
        "PULLCEPT_ROOM_URL": url,
        "PULLCEPT_ROOM_TOKEN": token,
        "PULLCEPT_LAUNCH": launch.launch_secret,
        "PULLCEPT_CONTROL": launch.control_secret,
        "PULLCEPT_ROOM_ID": launch.seat.topic_id,
        "PULLCEPT_ACCOUNT_ID": launch.seat.account_id,
        "PULLCEPT_AGENT_NAME": launch.name,
    }
    if launch.hue is not None:
        values["PULLCEPT_AGENT_HUE"] = str(launch.hue)
    if launch.unseen_history:
        values["PULLCEPT_UNSEEN_HISTORY"] = "1"
    return values


BARE_ROLES = frozenset({"sidecar", "statusline"})
BARE_START = ("-I", "-S")
"""The interpreter reads no PYTHON... value of the CLI's environment and looks for no packages: 30 ms instead of 50."""


class LaunchLineError(ValueError):
    """A launch line that could not be found again by the CLI that starts it."""


@dataclass(frozen=True, slots=True)
class SidecarLine:
    """A command of the app itself: an absolute program and its arguments, never a shell text."""

    command: str
    args: tuple[str, ...]

    def with_args(self, *more: str) -> "SidecarLine":
        """The same line with arguments behind it."""
        return SidecarLine(self.command, (*self.args, *more))

    def with_entry(self, entry: str) -> "SidecarLine":
        """The line of one registration: it ends in the registration's own name."""
        return self.with_args("--entry", entry)

    @property
    def argv(self) -> tuple[str, ...]:
        """Program and arguments in one."""
        return (self.command, *self.args)


def role_line(role: str, executable: str, script: str | None) -> SidecarLine:
    """How to start one role of the app: `executable` is the frozen app, or the interpreter that runs `script`.

    Raises `LaunchLineError` when a path is not absolute.
    """
    for path in (executable, script):
        if path is not None and not _is_absolute(path):
            raise LaunchLineError(f"not an absolute path: {path}")
    if script is None:
        return SidecarLine(executable, (role,))
    return SidecarLine(executable, (*(BARE_START if role in BARE_ROLES else ()), script, role))


def sidecar_line(executable: str, script: str | None) -> SidecarLine:
    """How a CLI starts the sidecar; a registration adds its entry with `with_entry`."""
    return role_line("sidecar", executable, script)


def statusline_line(executable: str, script: str | None) -> SidecarLine:
    """How a CLI starts the status line role."""
    return role_line("statusline", executable, script)


def shell_text(line: SidecarLine, platform: str) -> str:
    """A line as the text a CLI gives to a shell. `platform` is `sys.platform`.

    On Windows the shell may be any: slashes and double quotes mean the same in all of them.
    """
    if platform != "win32":
        return shlex.join(line.argv)
    return " ".join(f'"{word}"' for word in (each.replace("\\", "/") for each in line.argv))


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
