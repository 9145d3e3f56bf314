"""What leaves the data folder on request: one topic as a document, or a copy of everything in one zip."""

import contextlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pullcept.core.export import html_lines, markdown_lines
from pullcept.store.attachments import find_attachment
from pullcept.store.folder import DataFolder
from pullcept.store.settings import TEMPORARY, reason_of, retried
from pullcept.store.topic_log import LogUnreadable, TopicLog

MAX_PICTURE = 32 * 1024 * 1024
_BLOCK = 1024 * 1024
_LEFT_OUT = ("lock", "launch", "app.log", "search.db")
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


class NotExported(Exception):
    """Nothing was written; a file of that name is as it was. The text says why, for people."""


def export_topic(folder: DataFolder, topic_id: str, title: str, target: Path) -> None:
    """Write a topic as `.md`, `.html` or `.jsonl`, by the target's ending; replaces the target when it is whole.

    Raises `NotExported`.
    """
    log = TopicLog(folder.log_path(topic_id))
    ending = target.suffix.lower()
    if ending not in {".md", ".html", ".jsonl"}:
        raise NotExported("the name of the file ends in .md, .html or .jsonl")
    with _written(folder, target) as file:
        if ending == ".jsonl":
            copy_lines(log.path, file)
            return
        posts = (post for post in log.posts() if post is not None)
        if ending == ".md":
            pieces = markdown_lines(title, posts)
        else:
            pieces = html_lines(title, posts, lambda path: _picture(folder, topic_id, path))
        for piece in pieces:
            file.write(piece.encode("utf-8", "replace"))


def save_copy(folder: DataFolder, target: Path) -> int:
    """Write everything that was said and set into one zip while the room runs; returns the number of files.

    Logs end with a whole line. What can be made again, and files that are links, are left out. Raises `NotExported`.
    """
    count = 0
    with _written(folder, target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(folder.root):
            with contextlib.suppress(FileNotFoundError), path.open("rb") as reading:
                info = zipfile.ZipInfo.from_file(
                    path, path.relative_to(folder.root).as_posix(), strict_timestamps=False
                )
                info.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(info, "w", force_zip64=True) as writing:
                    _copy_open(reading, writing, whole_lines=path.suffix == ".jsonl")
                count += 1
    return count


@contextlib.contextmanager
def _written(folder: DataFolder, target: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the target's place when all went well."""
    temporary = ""
    try:
        place = target.parent.resolve(strict=True)
        if place.is_relative_to(folder.root.resolve()):
            raise NotExported("that place lies in the data folder; choose another one")
        descriptor, temporary = tempfile.mkstemp(TEMPORARY, ".pullcept-", place)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        retried(lambda: os.replace(temporary, place / target.name))
        temporary = ""
    except (OSError, LogUnreadable, zipfile.LargeZipFile) as error:
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise NotExported(f"{target}: {reason}") from error
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _files(root: Path) -> Iterator[Path]:
    """Every regular file to be copied, in order; links and what is made anew are left out."""
    for place, folders, names in os.walk(root):
        here = Path(place)
        top = here == root
        folders[:] = sorted(
            name
            for name in folders
            if not (top and name in _LEFT_OUT) and not (here / name).is_symlink() and not (here / name).is_junction()
        )
        for name in sorted(names):
            path = here / name
            unwanted = name.endswith(TEMPORARY) or (top and name.startswith(_LEFT_OUT))
            if not unwanted and path.is_file() and not path.is_symlink():
                yield path


def copy_lines(path: Path, writing: IO[bytes]) -> None:
    """Copy a log up to its last whole line; a missing one is empty. Raises OSError."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as reading:
        _copy_open(reading, writing, whole_lines=True)


def _copy_open(reading: IO[bytes], writing: IO[bytes], *, whole_lines: bool) -> None:
    if not whole_lines:
        shutil.copyfileobj(reading, writing, _BLOCK)
        return
    left = _end_of_lines(reading, os.fstat(reading.fileno()).st_size)
    reading.seek(0)
    while left > 0 and (data := reading.read(min(_BLOCK, left))):
        writing.write(data)
        left -= len(data)


def _end_of_lines(reading: IO[bytes], size: int) -> int:
    """The size without a last line that is only partly there."""
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        reading.seek(start)
        found = reading.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _picture(folder: DataFolder, topic_id: str, path: str) -> tuple[str, bytes] | None:
    found = find_attachment(folder, topic_id, path)
    try:
        if found is None or found.stat().st_size > MAX_PICTURE:
            return None
        data = found.read_bytes()
    except OSError:
        return None
    kind = next((kind for magic, kind in _PICTURES if data.startswith(magic)), None)
    return (kind, data) if kind else None
