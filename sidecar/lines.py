"""Bytes in, lines out: both ends of the bridge speak one message a line."""

from __future__ import annotations

from pullcept.core.lines import MAX_LINE_BYTES


class LineReader:
    """Cuts a stream of bytes at its line feeds, wherever the pieces end."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._partial = bytearray()
        self._searched = 0
        self._dropped = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that `data` ends, without their ends. None stands for a line over the limit, which is gone."""
        self._partial += data
        lines: list[bytes | None] = []
        start = 0
        while (end := self._partial.find(b"\n", max(start, self._searched))) >= 0:
            is_long = self._dropped or end - start > self._limit
            lines.append(None if is_long else bytes(self._partial[start:end]).removesuffix(b"\r"))
            self._dropped = False
            start = end + 1
        del self._partial[:start]
        if len(self._partial) > self._limit:
            self._dropped = True
            self._partial.clear()
        self._searched = len(self._partial)
        return lines

    def rest(self) -> list[bytes | None]:
        """What came after the last line feed, once the stream has ended."""
        return self.feed(b"\n") if self._partial else []
