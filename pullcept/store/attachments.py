"""Files that belong to posts: copied into their topic's folder when a post is sent, and found there again.

Nothing outside the folder of a topic is read or written through here, whatever a post, a name or a link says.
"""

import contextlib
import itertools
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from pullcept.core.attachment import numbered_name, stored_file, stored_name
from pullcept.store.folder import DataFolder
from pullcept.store.settings import reason_of, retried

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class NotAttached(Exception):
    """A file could not be stored, so none of the post was. The text names it and says why, for people."""


def store_files(folder: DataFolder, topic_id: str, sources: Sequence[str]) -> tuple[Path, ...]:
    """Copy files into the topic's folder; all of them or, with `NotAttached`, none. Sources stay as they are.

    A source that lies there already (of a refused post) is used as it is. Returns absolute paths, in order.
    """
    stored: list[Path] = []
    made: list[Path] = []
    try:
        for source in sources:
            kept = find_attachment(folder, topic_id, source)
            if kept is None or not os.path.samefile(kept, source):
                kept = _store(folder, topic_id, source, made)
            stored.append(kept)
    except (OSError, ValueError) as error:
        for path in made:
            with contextlib.suppress(OSError):
                retried(path.unlink)
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise NotAttached(f"{os.path.basename(source) or source}: {reason}") from error
    return tuple(stored)


def find_attachment(folder: DataFolder, topic_id: str, path: str) -> Path | None:
    """The file of this topic that a path of a post names, wherever the data folder lay when it was written.

    None unless it is a regular file directly in the topic's folder, with no link on the way.
    """
    named = stored_file(path)
    if named is None or named[0] != topic_id:
        return None
    try:
        place = _real_folder(folder, topic_id)
        candidate = place / named[1]
        if not stat.S_ISREG(candidate.lstat().st_mode) or candidate.is_junction():
            return None
        return candidate if candidate.resolve(strict=True).parent == place else None
    except (OSError, ValueError, RuntimeError):
        return None


def _store(folder: DataFolder, topic_id: str, source: str, made: list[Path]) -> Path:
    if not stat.S_ISREG(os.stat(source).st_mode):
        raise ValueError("only a file can be attached; make an archive of a folder first")
    folder.attachments(topic_id).mkdir(parents=True, exist_ok=True)
    place = _real_folder(folder, topic_id)
    name = stored_name(os.path.basename(os.path.abspath(source)))
    with open(source, "rb") as reading:
        for number in itertools.count(1):
            path = place / numbered_name(name, number)
            try:
                descriptor = os.open(path, _NEW, 0o600)
            except FileExistsError:
                continue
            made.append(path)
            with os.fdopen(descriptor, "wb") as writing:
                shutil.copyfileobj(reading, writing, 1024 * 1024)
            return path
    raise AssertionError("there is always a next number")


def _real_folder(folder: DataFolder, topic_id: str) -> Path:
    """The topic's folder with the way to it resolved. Raises OSError when it is missing, ValueError for a link."""
    place = folder.attachments(topic_id)
    real = place.resolve(strict=True)
    if real != folder.root.resolve(strict=True) / place.relative_to(folder.root):
        raise ValueError("the folder for attachments is a link to another place; remove the link and send again")
    return real
