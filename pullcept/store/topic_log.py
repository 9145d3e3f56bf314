"""The log of one topic: posts, append only, one JSON object for each line.

Lines are written whole by one call and never rewritten. Reading is strict line by line: what is no valid row is
skipped and counted. Appends come from one thread; reading may happen on any.
"""

import contextlib
import errno
import json
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pullcept.core.post import Post
from pullcept.core.row import RowError, parse_row, row_line
from pullcept.store.lines import MAX_LINE, Line, lines_backward, lines_forward
from pullcept.store.settings import reason_of, retried

_ID = re.compile(rb'"message_id"[ \t]*:[ \t]*"([^"\\\n]{0,64}(?:\\.[^"\\\n]{0,64}){0,64})"')
_SCAN_BLOCK = 4 * 1024 * 1024
PAGE_BYTES = 4 * 1024 * 1024
"""A page ends early where it would reach further back than this: a log of huge posts is read in more pages."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)


class LogFailed(Exception):
    """A post could not be written. The text is a reason for people; the next append tries again."""


class LogUnreadable(Exception):
    """The log is there and cannot be read. The text is a reason for people."""


class UnknownPost(LookupError):
    """No row of this log has that message id."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some posts of a log, oldest first.

    `skipped`: unreadable lines between and behind them (and before them, when they begin the log).
    `offset`: where the oldest of them stands; `before(offset, …)` gives the ones before.
    """

    posts: tuple[Post, ...] = ()
    skipped: int = 0
    has_older: bool = False
    offset: int = 0


class TopicLog:
    """One log file. It is made by the first append."""

    def __init__(self, path: Path, *, write: Callable[[int, bytes], int] = os.write) -> None:
        self.path = path
        self._write = write
        self._lock = threading.Lock()
        self._descriptor = -1
        self._identity: os.stat_result | None = None
        self._clean_end = -1
        self._places: dict[bytes, int] | None = None
        self._deleted = False

    def append(self, post: Post) -> None:
        """Hand the post's line to the operating system in one write. Raises `LogFailed`.

        A line that fits only in part is taken back; where that fails too, the next append closes it with LF.
        """
        line = row_line(post)
        with self._lock:
            try:
                place = self._append_line(line)
            except OSError as error:
                self._close()
                raise LogFailed(f"{self.path.name}: {reason_of(error)}") from error
            if place == 0:
                self._places = {}
            if self._places is not None:
                self._places[post.message_id.encode("utf-8", "replace")] = place

    def tail(self, count: int) -> Rows:
        """The newest `count` posts, fewer huge ones. Reads from the end of the file only. Raises `LogUnreadable`."""
        return self._page(None, count)

    def before(self, where: int | str, count: int) -> Rows:
        """The same before an offset or a message id. Raises `UnknownPost`, `LogUnreadable`."""
        return self._page(self._place_of(where) if isinstance(where, str) else where, count)

    def contains(self, message_id: str) -> bool:
        """Whether a readable row has this id. The first call reads the ids of the whole file (see `warm`)."""
        try:
            self._place_of(message_id)
        except UnknownPost:
            return False
        return True

    def warm(self) -> None:
        """Read the ids ahead of the first `contains`; for a worker thread. Raises `LogUnreadable`."""
        if self._places is not None:
            return
        with self._reading() as (file, end):
            places = _scan_ids(file, 0, end)
            with self._lock:
                if self._places is None:
                    places.update(_scan_ids(file, end, _size(file)))
                    self._places = places

    def posts(self) -> Iterator[Post | None]:
        """Every line, oldest first; None for a line that is no row. Raises `LogUnreadable`."""
        with self._reading() as (file, end):
            yield from (post for _, post in _parsed(lines_forward(file, 0, end)))

    def close(self) -> None:
        """Let go of the file; the next append opens it again."""
        with self._lock:
            self._close()

    def delete(self) -> None:
        """Remove the file for good: every later append fails. A file that is not there is no error.

        Raises OSError; the log can be used then as before.
        """
        with self._lock:
            self._close()
            self._deleted = True
        try:
            with contextlib.suppress(FileNotFoundError):
                retried(self.path.unlink)
        except OSError:
            self._deleted = False
            raise
        self._places = {}

    def _append_line(self, line: bytes) -> int:
        """Write one line at the end; returns its offset. Raises OSError."""
        descriptor = self._open()
        start = os.fstat(descriptor).st_size
        torn = start > 0 and start != self._clean_end and _last_byte(descriptor) != b"\n"
        data = b"\n" + line if torn else line
        written = self._write(descriptor, data)
        if written != len(data):
            _take_back(descriptor, start, written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._clean_end = start + len(data)
        return start + torn

    def _open(self) -> int:
        """The descriptor of the file that bears the name now; another one when it was moved or removed."""
        if self._deleted:
            raise OSError(errno.ENOENT, "the topic was deleted")
        if self._descriptor >= 0:
            with contextlib.suppress(FileNotFoundError):
                if self._identity is not None and os.path.samestat(os.stat(self.path), self._identity):
                    return self._descriptor
            self._close()
            self._places = None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(self.path, _FLAGS, 0o600)
        self._identity = os.fstat(self._descriptor)
        self._clean_end = -1
        return self._descriptor

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _page(self, end: int | None, count: int) -> Rows:
        with self._reading() as (file, size):
            start = size if end is None else min(end, size)
            return _collect(_parsed(lines_backward(file, start)), count, start - PAGE_BYTES)

    def _place_of(self, message_id: str) -> int:
        """The offset of the row with this id. Raises `UnknownPost`, `LogUnreadable`."""
        self.warm()
        with self._lock:
            place = None if self._places is None else self._places.get(message_id.encode("utf-8", "replace"))
        if place is None:
            raise UnknownPost(message_id)
        with self._reading() as (file, end):
            if _has_id(next(_parsed(lines_forward(file, place, end)), None), message_id):
                return place
            # The newest line with this id is torn; an older one may be whole.
            found = (row[0] for row in _parsed(lines_backward(file, place)) if _has_id(row, message_id))
            place = next(found, None)
        if place is None:
            raise UnknownPost(message_id)
        return place

    @contextlib.contextmanager
    def _reading(self) -> Iterator[tuple[BinaryIO, int]]:
        """The open file and its size between two appends, so that no line is seen half-written."""
        with self._opened_for_reading() as file:
            with self._lock:
                size = _size(file)
            try:
                yield file, size
            except OSError as error:
                raise LogUnreadable(f"{self.path.name}: {reason_of(error)}") from error

    def _opened_for_reading(self) -> BinaryIO:
        try:
            return open(self.path, "rb")
        except FileNotFoundError:
            return open(os.devnull, "rb")
        except OSError as error:
            raise LogUnreadable(f"{self.path.name}: {reason_of(error)}") from error


def first_post(path: Path, limit: int = 4 * 1024 * 1024) -> Post | None:
    """The first readable post within `limit` bytes; None when there is none. Raises OSError."""
    with path.open("rb") as file:
        lines = lines_forward(file, 0, min(limit, _size(file)))
        return next((post for _, post in _parsed(lines) if post is not None), None)


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _last_byte(descriptor: int) -> bytes:
    os.lseek(descriptor, -1, os.SEEK_END)
    return os.read(descriptor, 1)


def _take_back(descriptor: int, start: int, written: int) -> None:
    """Cut a half-written line off, unless somebody else has written behind it."""
    with contextlib.suppress(OSError):
        if os.fstat(descriptor).st_size == start + written:
            os.ftruncate(descriptor, start)


def _parsed(lines: Iterable[Line]) -> Iterator[tuple[int, Post | None]]:
    """Rows with their offsets; None for what is no row. Blank lines are nothing."""
    for offset, line in lines:
        if line is not None and not line.strip(b" \t\r"):
            continue
        try:
            yield offset, None if line is None else parse_row(line)
        except RowError:
            yield offset, None


def _collect(rows: Iterable[tuple[int, Post | None]], count: int, floor: int) -> Rows:
    """Take `count` posts from rows that come newest first, and look whether there is one more.

    Behind the first post, rows before the offset `floor` are left for another page.
    """
    posts: list[Post] = []
    skipped, unplaced, oldest = 0, 0, 0
    for offset, post in rows:
        if post is None:
            unplaced += 1
        elif len(posts) >= count or (posts and offset < floor):
            return Rows(tuple(reversed(posts)), skipped, True, oldest)
        else:
            posts.append(post)
            skipped, unplaced, oldest = skipped + unplaced, 0, offset
    return Rows(tuple(reversed(posts)), skipped + unplaced, False, oldest)


def _has_id(row: tuple[int, Post | None] | None, message_id: str) -> bool:
    return row is not None and row[1] is not None and row[1].message_id == message_id


def _scan_ids(file: BinaryIO, start: int, end: int) -> dict[bytes, int]:
    """Ids and offsets of the lines that look like rows: fast, so a hit must be read again to be sure."""
    places: dict[bytes, int] = {}
    rest, position = b"", start
    file.seek(start)
    while position < end and (block := file.read(min(_SCAN_BLOCK, end - position))):
        data, base = rest + block, position - len(rest)
        position += len(block)
        cut = len(data) if position >= end else data.rfind(b"\n") + 1
        for match in _ID.finditer(data, 0, cut):
            raw = match[1]
            message_id = raw if b"\\" not in raw else _unescaped(raw)
            places[message_id] = base + data.rfind(b"\n", 0, match.start()) + 1
        rest = data[cut:] if len(data) - cut <= MAX_LINE else b""
    return places


def _unescaped(raw: bytes) -> bytes:
    """The id in its own bytes; an escape that is none leaves it as written, for nobody to find."""
    try:
        return str(json.loads(b'"%b"' % raw)).encode("utf-8", "replace")
    except ValueError:
        return raw
