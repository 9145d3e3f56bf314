"""The data folder: where each file lies, and the lock that gives it to one process at a time."""

import contextlib
import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from pullcept.core.topic import check_topic_id
from pullcept.store.settings import clean_temporaries, reason_of

_LOCK_BYTE = 1 << 30
"""Windows locks bytes, and locked bytes cannot be read: this one lies behind everything the file says."""


class DataFolderLocked(Exception):
    """Another process holds the data folder. `holder` is what it wrote about itself; `pid` None when unknown."""

    def __init__(self, path: Path, holder: dict[str, Any]) -> None:
        pid = holder.get("pid")
        self.pid = pid if isinstance(pid, int) else None
        self.holder = holder
        super().__init__(f"{path} is in use" + (f" by process {self.pid}" if self.pid else ""))


class DataFolderUnusable(Exception):
    """The data folder cannot be made, locked or written. The text says why."""


class DataFolder:
    """The paths of one data folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "config.json"
        self.servers = root / "mcp-servers.json"
        self.operations = root / "session-operations.json"
        self.state = root / "state.json"
        self.avatars = root / "avatars"
        self.logs = root / "logs" / "main"
        self.old_log = root / "logs" / "main.jsonl"
        self.index = self.logs / "index.json"
        self.launch = root / "launch"
        self.app_log = root / "app.log"
        self.lock_path = root / "lock"

    def log_path(self, topic_id: str) -> Path:
        """The log of a topic. Raises `TopicIdError` for an id that is no plain file name, like the next two."""
        return self.logs / f"{check_topic_id(topic_id)}.jsonl"

    def attachments(self, topic_id: str) -> Path:
        """The attachment folder of a topic."""
        return self.logs / "attachments" / check_topic_id(topic_id)

    def mailbox(self, topic_id: str) -> Path:
        """The file of held posts of a topic."""
        return self.logs / "mailboxes" / f"{check_topic_id(topic_id)}.json"

    def lock(self) -> "FolderLock":
        """Take the folder for this process, before anything in it is read; makes it when it is missing.

        Raises `DataFolderLocked` or `DataFolderUnusable`. A lock file without a living holder means nothing.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise DataFolderUnusable(f"{self.root} cannot be used: {reason_of(error)}") from error
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):
            holder = _read_holder(descriptor)
            os.close(descriptor)
            raise DataFolderLocked(self.root, holder) from None
        except OSError as error:
            os.close(descriptor)
            raise DataFolderUnusable(f"{self.root} cannot be locked: {reason_of(error)}") from error
        lock = FolderLock(descriptor)
        try:
            lock.describe()
            self._make()
        except OSError as error:
            lock.release()
            raise DataFolderUnusable(f"{self.root} cannot be written: {reason_of(error)}") from error
        return lock

    def _make(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        self.launch.mkdir(exist_ok=True)
        for folder in (self.root, self.logs, self.launch):
            clean_temporaries(folder)


class FolderLock:
    """The data folder is ours until `release`; the system releases it when the process ends in any way."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def describe(self, **facts: Any) -> None:
        """Write who holds the folder (and `facts`, such as how to be called to the front). Raises OSError."""
        data = json.dumps({"pid": os.getpid(), **facts}).encode()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, data)

    def release(self) -> None:
        """Give the folder back; a second call does nothing. The file stays: removing it would race with a taker."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
        with contextlib.suppress(OSError):
            _unlock(descriptor)
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


def _read_holder(descriptor: int) -> dict[str, Any]:
    """What the holder wrote; empty when it has not written yet, or not what we know."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        holder = json.loads(os.read(descriptor, 4096))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", holder) if isinstance(holder, dict) else {}


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCK_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCK_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def host_id() -> str:
    """A short hash that stays the same on this computer and says nothing about it."""
    identity = _machine_identity() or platform.node() or "unnamed"
    return hashlib.sha256(f"pullcept host {identity}".encode("utf-8", "replace")).hexdigest()[:16]


def _machine_identity() -> str:
    """The id the system gives this computer; empty where there is none."""
    if sys.platform == "win32":
        return _windows_identity()
    if sys.platform == "darwin":
        return _mac_identity()
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = Path(path).read_text(encoding="utf-8").strip()
            if text and text != "uninitialized":
                return text
    return ""


def _windows_identity() -> str:
    if sys.platform != "win32":
        return ""
    import winreg

    with contextlib.suppress(OSError):
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
            return str(winreg.QueryValueEx(key, "MachineGuid")[0])
    return ""


def _mac_identity() -> str:
    command = ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=5, check=False)
        for line in run.stdout.splitlines():
            if "IOPlatformUUID" in line:
                return line.rpartition("=")[2].strip(' "')
    return ""
