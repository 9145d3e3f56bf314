"""Follows files that a CLI writes: the lines that are added to one, and the new rollouts of a Codex.

Nothing here waits; reading blocks for as long as the file system does, so it belongs on a worker thread.
"""

import contextlib
import glob
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

from pullcept.core.cli_queue import LINE_LIMIT

READ_BYTES = 8 * 1024 * 1024
_ROLLOUT = re.compile(r"rollout-.*-([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl")


class LineTail:
    """The lines added to one file. `find` gives its path, or None while there is none.

    A file that is there at the first look is read from its end on, one that appears later from its beginning;
    `whole`: from its beginning in any case. A line over `LINE_LIMIT` bytes is left out.
    """

    def __init__(self, find: Callable[[], str | None], *, whole: bool = False) -> None:
        self._find = find
        self._path: str | None = None
        self._at = 0
        self._half = bytearray()
        self._drop_line = False
        self._from_end = not whole

    @property
    def path(self) -> str | None:
        """The file, once it was found."""
        return self._path

    def read(self) -> list[bytes]:
        """The whole lines that were added since the last call, without their line ends."""
        first, self._from_end = self._from_end, False
        if self._path is None:
            self._path = self._find()
        if self._path is None:
            return []
        try:
            if not stat.S_ISREG(os.stat(self._path).st_mode):
                return []
            with open(self._path, "rb", buffering=0) as file:
                return self._read(file.fileno(), skip=first)
        except OSError:
            return []

    def _read(self, file: int, *, skip: bool) -> list[bytes]:
        size = os.fstat(file).st_size
        if skip:
            self._at = size
            if size:
                os.lseek(file, size - 1, os.SEEK_SET)
                self._drop_line = os.read(file, 1) != b"\n"
        if size < self._at:
            self._at, self._drop_line = 0, False
            self._half.clear()
        os.lseek(file, self._at, os.SEEK_SET)
        data = os.read(file, READ_BYTES)
        self._at += len(data)
        return list(self._lines(data))

    def _lines(self, data: bytes) -> Iterator[bytes]:
        *ended, half = data.split(b"\n")
        for piece in ended:
            line, drop = bytes(self._half) + piece, self._drop_line
            self._half.clear()
            self._drop_line = False
            if not drop and len(line) <= LINE_LIMIT:
                yield line
        if not self._drop_line:
            self._half += half
        if len(self._half) > LINE_LIMIT:
            self._half.clear()
            self._drop_line = True


class NewRollouts:
    """The lines of every Codex conversation that was begun after `since` (seconds of the wall clock)."""

    def __init__(self, codex_home: str, since: float, now: Callable[[], float]) -> None:
        self._sessions = os.path.join(codex_home, "sessions")
        self._since, self._now = since, now
        self._tails: dict[str, LineTail] = {}

    def read(self) -> list[tuple[str, bytes]]:
        """(conversation id, line) for what was added since the last call."""
        for conversation_id, path in self._found():
            if conversation_id not in self._tails:
                self._tails[conversation_id] = LineTail(lambda path=path: path, whole=True)  # type: ignore[misc]
        return [(conversation_id, line) for conversation_id, tail in self._tails.items() for line in tail.read()]

    def tail(self, conversation_id: str) -> LineTail | None:
        """The tail of one of these conversations, to go on with where this stands."""
        return self._tails.get(conversation_id)

    def _found(self) -> Iterator[tuple[str, str]]:
        for folder in self._folders():
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    found = _ROLLOUT.fullmatch(entry.name)
                    if found and begun_at(found[1]) >= self._since:
                        yield found[1], entry.path

    def _folders(self) -> Iterator[str]:
        """The folders of the days around now: a conversation lies under the day it was begun, in whatever zone."""
        day, last = datetime.fromtimestamp(self._since, UTC) - timedelta(1), datetime.fromtimestamp(self._now(), UTC)
        while day <= last + timedelta(1):
            yield os.path.join(self._sessions, day.strftime("%Y"), day.strftime("%m"), day.strftime("%d"))
            day += timedelta(1)


def begun_at(conversation_id: str) -> float:
    """When a conversation was begun, in seconds of the wall clock: its id (a UUID of version 7) tells."""
    return int(conversation_id.replace("-", "")[:12], 16) / 1000


def find_file(places: Iterable[tuple[str, str]]) -> str | None:
    """The first file that fits one of these (folder, pattern) pairs."""
    for root, pattern in places:
        if found := glob.glob(pattern, root_dir=root, recursive=True):
            return os.path.join(root, max(found))
    return None
