"""Lines to and from one bridge, over a connection that was upgraded to them."""

import asyncio
import logging
from collections import deque

from pullcept.core.lines import MAX_LINE_BYTES, LineTooLong

log = logging.getLogger(__name__)

READ_AHEAD_BYTES = 1024 * 1024
LINE_WEIGHT = 100
WRITE_HIGH_BYTES = 1024 * 1024
WRITE_SECONDS = 30.0


class BridgeStream:
    """One bridge's connection as lines of bytes. Used on the loop's thread, by one reader."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(high=WRITE_HIGH_BYTES)
        self._partial = bytearray()
        self._searched = 0
        self._dropped = 0
        self._lines: deque[bytes | LineTooLong] = deque()
        self._ahead = 0
        self._ended = False
        self._paused = False
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    @property
    def has_ended(self) -> bool:
        """Nothing more will come from the bridge."""
        return self._ended

    async def read_line(self) -> bytes | None:
        """The next line without its end, or None when the bridge is gone.

        Raises LineTooLong for a line over the limit; the line after it can be read as usual.
        """
        while not self._lines and not self._ended:
            self._arrived.clear()
            await self._arrived.wait()
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._ahead -= _weight(line)
        self._read_on()
        if isinstance(line, LineTooLong):
            raise line
        return line

    async def write_line(self, line: bytes) -> None:
        """Send one line (its end is added). Waits while the bridge does not read, then drops it.

        Raises ConnectionError when the bridge is gone.
        """
        if self._transport.is_closing():
            raise ConnectionResetError("the bridge is gone")
        self._transport.write(line if line.endswith(b"\n") else line + b"\n")
        if self._writable.is_set():
            return
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await self._writable.wait()
        except TimeoutError:
            log.warning("a bridge did not read for %.0f s and was dropped", WRITE_SECONDS)
            self._transport.abort()
            raise ConnectionResetError("the bridge does not read") from None

    def close(self) -> None:
        """End the connection; what was written still goes out."""
        self._transport.close()

    def feed(self, data: bytes) -> None:
        """Take bytes from the connection."""
        self._partial += data
        while (end := self._partial.find(b"\n", self._searched)) >= 0:
            self._take_line(end)
        self._searched = len(self._partial)
        if self._searched > MAX_LINE_BYTES:
            self._dropped += self._searched
            self._partial.clear()
            self._searched = 0
        if self._ahead > READ_AHEAD_BYTES and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def feed_eof(self) -> None:
        """Nothing more will come. A half line is not a message and is thrown away."""
        self._ended = True
        self._arrived.set()

    def lost(self) -> None:
        """The connection is gone."""
        self.feed_eof()
        self._writable.set()

    def pause_writing(self) -> None:
        """The connection's outgoing buffer is full."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """The connection's outgoing buffer has room again."""
        self._writable.set()

    def _take_line(self, end: int) -> None:
        size = self._dropped + end
        if size > MAX_LINE_BYTES:
            self._lines.append(LineTooLong(size))
        else:
            self._lines.append(bytes(self._partial[:end]).removesuffix(b"\r"))
        self._ahead += _weight(self._lines[-1])
        del self._partial[: end + 1]
        self._searched = 0
        self._dropped = 0
        self._arrived.set()

    def _read_on(self) -> None:
        if self._paused and self._ahead <= READ_AHEAD_BYTES and not self._ended:
            self._paused = False
            self._transport.resume_reading()


def _weight(line: bytes | LineTooLong) -> int:
    return LINE_WEIGHT + (0 if isinstance(line, LineTooLong) else len(line))
