"""Posts too long to be typed: saved beside the attachments of their topic, so that a CLI can read them there."""

import hashlib
import itertools
import re
import threading
from pathlib import Path

from pullcept.store.settings import NotSaved, atomic_write

_SAFE = re.compile(r"[A-Za-z0-9_-]{8}")
_ONE_AT_A_TIME = threading.Lock()


def save_long_post(folder: Path, message_id: str, text: str) -> Path:
    """Save a text as `post-<8 of id>.txt` in `folder`, which is made; returns the path. Raises OSError.

    A file that holds this text already is used again; one that holds another text is never overwritten.
    """
    data = text.encode("utf-8")
    with _ONE_AT_A_TIME:
        folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            path = folder / _name(message_id, number)
            if not path.exists():
                _write(path, data)
                return path
            if path.read_bytes() == data:
                return path
    raise AssertionError("unreachable")


def _name(message_id: str, number: int) -> str:
    # Clients choose the ids of their posts: one that is no plain file name must not lead out of the folder.
    part = message_id[:8]
    if not _SAFE.fullmatch(part):
        part = hashlib.sha256(message_id.encode("utf-8", "replace")).hexdigest()[:8]
    return f"post-{part}.txt" if number == 1 else f"post-{part} ({number}).txt"


def _write(path: Path, data: bytes) -> None:
    try:
        atomic_write(path, data)
    except NotSaved as error:
        raise OSError(str(error)) from error
