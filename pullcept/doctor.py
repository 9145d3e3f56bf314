"""Role `doctor`: checks what Pullcept needs on this computer, one line each, with the cure of what is broken."""

from __future__ import annotations

import argparse
import importlib.metadata
import logging
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pullcept.cli_versions import printed
from pullcept.core.account import APP_COMMAND, Account, default_accounts
from pullcept.core.environment import child_environment
from pullcept.core.folder import BESIDE_NAME
from pullcept.core.launch import role_line
from pullcept.find_python import LEAST, tk_advice
from pullcept.roles import no_window_reason
from pullcept.store.config import ConfigFile
from pullcept.store.folder import DataFolder, DataFolderLocked, DataFolderUnusable

log = logging.getLogger(__name__)

VERSION_LIMIT = 30.0
LOCK = Path(__file__).resolve().parents[1] / "requirements.lock"
ASKS_VERSION = ("claude_code", "codex_cli")


type Check = Callable[[], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check saw. A `cure` means that it is broken; a `note` is worth knowing and breaks nothing."""

    check: str
    text: str
    cure: str = ""
    note: bool = False

    @property
    def line(self) -> str:
        word = "BROKEN" if self.cure else "note" if self.note else "ok"
        cure = f" -> {self.cure}" if self.cure else ""
        return f"{word:<7} {self.check}: {self.text}{cure}"


def main(argv: Sequence[str]) -> int:
    """Print one line for each check. 0: nothing is broken. 1: something is."""
    parser = argparse.ArgumentParser(
        prog="pullcept doctor", description="What works here, and what to do about the rest."
    )
    parser.add_argument("--data-dir")
    options = parser.parse_args(argv)
    broken = 0
    for finding in findings(options.data_dir):
        print(finding.line, flush=True)
        broken += bool(finding.cure)
    return 1 if broken else 0


def findings(data_dir: str | None) -> Iterator[Finding]:
    """Every check in turn; one that fails in an unforeseen way is a finding too."""
    environment = dict(os.environ)
    basic: list[tuple[str, Check]] = [
        ("python", lambda: [check_python(sys.version_info[:3], _tk_version())]),
        ("packages", lambda: [check_packages(wanted_packages(), installed_version)]),
        ("display", lambda: [check_display(no_window_reason(sys.platform, environment))]),
        ("loopback port", lambda: [check_loopback(_loopback_answer)]),
    ]
    yield from _run(basic)
    try:
        from pullcept.app import open_data_folder
    except ImportError as error:
        yield Finding("app", f"cannot be loaded: {error}", "see the packages above")
        return
    folder = open_data_folder(data_dir)
    yield from _run(
        [
            ("data folder", lambda: [check_data_folder(folder)]),
            ("portable", lambda: [check_portable(folder.root)]),
            ("sidecar", lambda: [check_sidecar(_sidecar_says)]),
            ("accounts", lambda: check_accounts(folder, environment)),
        ]
    )


def _run(checks: Sequence[tuple[str, Check]]) -> Iterator[Finding]:
    for name, check in checks:
        try:
            yield from check()
        except Exception as error:
            log.exception("the check %s ended by an error", name)
            yield Finding(name, f"the check itself failed: {type(error).__name__}: {error}", "report this")


# -- Python ----------------------------------------------------------------


def check_python(version: tuple[int, ...], tk: str) -> Finding:
    """Python is new enough, and Tk is there (`tk`: its patch level, empty when it cannot be imported)."""
    shown = ".".join(map(str, version))
    if version[:2] < LEAST:
        return Finding("python", f"Python {shown} is too old", "start pullcept.py, which looks for 3.13 or later")
    if not tk:
        return Finding("python", f"Python {shown} has no tkinter, so there is no window", tk_advice())
    if tuple(int(part) for part in re.findall(r"\d+", tk)[:2]) < (8, 6):
        return Finding("python", f"Tk {tk} is too old", "use a Python with Tk 8.6 or later")
    return Finding("python", f"Python {shown} with Tk {tk} at {sys.executable}")


def _tk_version() -> str:
    try:
        import tkinter as tk

        return str(tk.Tcl().eval("info patchlevel"))
    except ImportError:
        return ""


def check_packages(wanted: Mapping[str, str], installed: Callable[[str], str | None]) -> Finding:
    """Each package of the lock is installed in its pinned version."""
    missing = [name for name in wanted if installed(name) is None]
    other = [
        f"{name} {installed(name)} instead of {pin}"
        for name, pin in wanted.items()
        if installed(name) not in (None, pin)
    ]
    if missing:
        cure = f"remove {sys.prefix} and start again: it is made anew"
        return Finding("packages", f"not installed: {', '.join(missing)}", cure)
    if other:
        return Finding("packages", f"other versions than tested: {', '.join(other)}", note=True)
    return Finding("packages", f"{len(wanted)} as locked")


def wanted_packages() -> dict[str, str]:
    """Name and version of each package this platform needs, read from the lock; none for an installed Pullcept."""
    if not LOCK.is_file():
        return {}
    lines = re.findall(r"^([\w.-]+)==([\w.]+)(?: ; (.+?))? \\$", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    here = {"win32": "'win32'", "linux": "'linux'", "darwin": "'darwin'"}.get(sys.platform, "")
    return {name: version for name, version, marker in lines if _applies(marker, here)}


def _applies(marker: str, here: str) -> bool:
    """Whether a marker of the lock holds here, judged by the platform it names. Others are left unchecked."""
    if not marker:
        return True
    found = re.fullmatch(r"sys_platform (==|!=) ('\w+')", marker)
    return found is not None and (found[2] == here) == (found[1] == "==")


def installed_version(name: str) -> str | None:
    """The version of an installed package, None when there is none."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def check_display(reason: str | None) -> Finding:
    """A window can open here. None does not break anything: the room then opens in the terminal."""
    if reason is None:
        return Finding("display", "a window can open here")
    return Finding("display", f"{reason}; the room opens in the terminal", note=True)


# -- this computer -----------------------------------------------------------


def check_data_folder(folder: DataFolder) -> Finding:
    """The data folder can be made, locked and written, or a running Pullcept holds it."""
    try:
        folder.lock().release()
    except DataFolderLocked as error:
        return Finding("data folder", f"{error} (a running Pullcept)", note=True)
    except DataFolderUnusable as error:
        return Finding("data folder", str(error), "make it writable, or choose another with --data-dir")
    config = ConfigFile(folder.config)
    config.load(lambda: ())
    if config.broken:
        return Finding("data folder", config.broken, "correct that file, or give it another name and start anew")
    return Finding("data folder", str(folder.root))


def check_portable(root: Path) -> Finding:
    """Where the data is tied to: a folder beside the program moves with it, and must be writable."""
    if root.name != BESIDE_NAME:
        return Finding("portable", "no: the data belongs to this user on this computer")
    if not os.access(root, os.W_OK):
        return Finding("portable", f"{root} cannot be written", "remove the write protection, or use --data-dir")
    return Finding("portable", f"yes: the data moves with {root.parent}")


def check_loopback(answer: Callable[[bytes], bytes]) -> Finding:
    """A port on 127.0.0.1 can be opened and reached; some firewalls and proxies prevent it."""
    try:
        got = answer(b"pullcept")
    except OSError as error:
        cure = "let programs of this computer reach 127.0.0.1 (firewall, security software)"
        return Finding("loopback port", f"127.0.0.1 cannot be used: {error}", cure)
    if got != b"pullcept":
        return Finding("loopback port", "something changes what is sent over 127.0.0.1", "switch that proxy off")
    return Finding("loopback port", "127.0.0.1 carries messages")


def _loopback_answer(sent: bytes) -> bytes:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        with socket.create_connection(listener.getsockname(), timeout=5) as near:
            far, _ = listener.accept()
            with far:
                far.settimeout(5)
                near.sendall(sent)
                return far.recv(len(sent))


def check_sidecar(says: Callable[[str], str]) -> Finding:
    """A sidecar of our own reaches a room of our own, and what it says there is seen. `says` returns what was seen."""
    text = "A word from the doctor."
    try:
        seen = says(text)
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        cure = "look at the other lines first; then at docs/troubleshooting.md, under Sidecar"
        return Finding("sidecar", f"no round trip: {error}", cure)
    if seen != text:
        return Finding("sidecar", f"the room saw {seen!r}", "report this")
    return Finding("sidecar", f"a sidecar joined a room and was heard there; its command: {sidecar_command()}")


def sidecar_command() -> str:
    """The line that starts a sidecar, as a shell of this system reads it."""
    from pullcept.app import own_programs

    programs = own_programs()
    argv = role_line("sidecar", programs.executable, programs.script).argv
    return subprocess.list2cmdline(argv) if sys.platform == "win32" else shlex.join(argv)


def _sidecar_says(text: str) -> str:
    from pullcept.round_trip import say_as_guest

    with tempfile.TemporaryDirectory(prefix="pullcept-doctor-", ignore_cleanup_errors=True) as scratch:
        return say_as_guest(DataFolder(Path(scratch)), text)


# -- accounts ----------------------------------------------------------------


def check_accounts(folder: DataFolder, environment: Mapping[str, str]) -> Iterator[Finding]:
    """The CLI of each account. One that every first start offers may be absent: that is only a note."""
    config = ConfigFile(folder.config).load(lambda: ())
    saved = [account for account in config.accounts if account.startable]
    offered = [account for account in default_accounts("doctor", lambda: "doctor") if account.startable]
    commands = {(account.kind, account.command) for account in offered}
    for account in saved or offered:
        is_offered = (account.kind, account.command) in commands
        yield check_account(account, environment, ask_version, may_be_absent=is_offered)
    for problem in config.problems:
        yield Finding("accounts", problem, "correct it there while Pullcept is closed")


def check_account(
    account: Account,
    environment: Mapping[str, str],
    version_of: Callable[[str, Mapping[str, str]], str],
    *,
    may_be_absent: bool = False,
) -> Finding:
    """The command of one account is there and answers; so is its working folder."""
    check = f"account {account.calling_name}"
    if account.cwd and not os.path.isdir(account.cwd):
        return Finding(check, f"its working folder {account.cwd} is missing", "make it, or choose another")
    if account.command == APP_COMMAND:
        return Finding(check, "bundled")
    own = child_environment(
        environment,
        account_env={entry.name: entry.value for entry in account.env if entry.value is not None},
        own={},
        frozen=bool(getattr(sys, "frozen", False)),
        platform=sys.platform,
    )
    found = shutil.which(account.command, path=own.get("PATH")) if account.command else None
    if found is None:
        text = f"{account.command or 'its command'} was not found"
        cure = "install it, or correct the account's command"
        if may_be_absent:
            return Finding(check, f"{text}; to use this account, {cure}", note=True)
        return Finding(check, text, cure)
    if account.kind not in ASKS_VERSION:
        return Finding(check, found)
    try:
        return Finding(check, f"{version_of(found, own)} at {found}")
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            check, f"{found} does not answer --version: {error}", "start it by hand once, or install it again"
        )


def ask_version(command: str, environment: Mapping[str, str]) -> str:
    """What a CLI prints for `--version`, its first line. Raises OSError or SubprocessError."""
    told = printed(command, "--version", environment, VERSION_LIMIT)
    first = (told.strip().splitlines() or ["no version"])[0]
    return first[:80]
