"""Small JSON files that a person may also edit: read whole, written by replacing, left alone when broken."""

import contextlib
import json
import logging
import os
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

log = logging.getLogger(__name__)

SHARING_ERRORS = frozenset({5, 32, 33})
"""Windows: access denied, sharing violation, lock violation. Scanners and sync clients cause them for a moment."""

RETRY_SECONDS = 3.0
TEMPORARY = ".pullcept-tmp"

Sleep = Callable[[float], None]
Replace = Callable[[str, str], None]


class NotSaved(Exception):
    """A file could not be written; what was there before is still there. The text names file and reason."""


class FileBroken(NotSaved):
    """A file that could not be read is not written either, until the person decides."""


def retried[T](action: Callable[[], T], *, sleep: Sleep = time.sleep) -> T:
    """Run `action`, again for about 3 s while Windows says that somebody else holds the file. Raises OSError."""
    waited, pause = 0.0, 0.01
    while True:
        try:
            return action()
        except OSError as error:
            if getattr(error, "winerror", None) not in SHARING_ERRORS or waited >= RETRY_SECONDS:
                raise
        sleep(pause)
        waited += pause
        pause = min(pause * 2, 0.25)


def atomic_write(path: Path, data: bytes, *, replace: Replace = os.replace, sleep: Sleep = time.sleep) -> None:
    """Replace the file by `data`: after a crash at any moment it holds either the old or the new bytes.

    A link is followed, so that the file it names is replaced. The rights of an old file stay; a new one is for its
    owner only. Raises `NotSaved`; the old file is intact then.
    """
    target = os.path.realpath(path)
    try:
        temporary = _write_temporary(target, data)
        try:
            retried(lambda: replace(temporary, target), sleep=sleep)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise NotSaved(f"{path.name} could not be saved: {reason_of(error)}") from error
    _sync_folder(os.path.dirname(target))


def _write_temporary(target: str, data: bytes) -> str:
    folder, name = os.path.split(target)
    descriptor, temporary = tempfile.mkstemp(TEMPORARY, f".{name[:40]}.", folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return temporary


def _sync_folder(folder: str) -> None:
    """Make the replacement itself durable where the platform has a way; never a reason to fail."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def clean_temporaries(folder: Path) -> None:
    """Remove what a killed `atomic_write` left behind. Only for the holder of the data folder."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.endswith(TEMPORARY) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def reason_of(error: OSError) -> str:
    """The system's words for an error, without the path."""
    return error.strerror or type(error).__name__


def json_bytes(obj: object) -> bytes:
    """Readable UTF-8 JSON that ends in LF; texts that UTF-8 cannot hold are written as escapes."""
    try:
        return (json.dumps(obj, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:
        return (json.dumps(obj, indent=2, allow_nan=False) + "\n").encode("utf-8")


def read_json(data: bytes) -> Any:
    """Read UTF-8 JSON, a byte order mark tolerated. Raises ValueError with a short reason, and nothing else."""
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None


def _refuse_number(text: str) -> None:
    raise ValueError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise ValueError(f"{text[:20]} is too large a number")
    return value


class JsonFile:
    """One JSON object on disk.

    After `load`, `broken` is empty or says why the file cannot be used; while it is not empty, `save` refuses and
    the file keeps its bytes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = ""
        self.missing = True

    def load(self) -> dict[str, Any]:
        """The object in the file; empty when there is no file or it is broken."""
        self.broken, self.missing = "", False
        try:
            return self._read()
        except FileNotFoundError:
            self.missing = True
        except OSError as error:
            self.refuse(reason_of(error))
        except ValueError as error:
            self.refuse(str(error))
        return {}

    def _read(self) -> dict[str, Any]:
        obj = read_json(retried(self.path.read_bytes))
        if not isinstance(obj, dict):
            raise ValueError("is not a JSON object")
        return cast("dict[str, Any]", obj)

    def refuse(self, reason: str) -> None:
        """Call the file broken, for a reason found in its content."""
        self.broken = f"{self.path.name} cannot be used: {reason}"
        log.warning("%s", self.broken)

    def save(self, obj: dict[str, Any], *, sleep: Sleep = time.sleep) -> None:
        """Write the object. Raises `FileBroken` while the file is broken, `NotSaved` when writing fails."""
        if self.broken:
            raise FileBroken(self.broken)
        try:
            data = json_bytes(obj)
        except (ValueError, RecursionError) as error:
            raise NotSaved(f"{self.path.name} could not be saved: {error}") from error
        atomic_write(self.path, data, sleep=sleep)
        self.missing = False

    def set_aside(self) -> Path:
        """Give a broken file another name, so that a new one can be written. Raises `NotSaved`."""
        for number in range(1, 1000):
            aside = self.path.with_name(f"{self.path.stem}.broken-{number}{self.path.suffix}")
            if aside.exists():
                continue
            try:
                retried(lambda target=aside: self.path.rename(target))  # type: ignore[misc]
            except OSError as error:
                raise NotSaved(f"{self.path.name} could not be set aside: {reason_of(error)}") from error
            self.broken, self.missing = "", True
            return aside
        raise NotSaved(f"{self.path.name} was set aside too often")
