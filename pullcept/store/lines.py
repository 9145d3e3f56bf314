"""Lines of a file, read in blocks in either direction. A line ends at byte 0x0A and nowhere else.

Lines over `MAX_LINE` bytes are given as None, so that a file without line ends costs no memory.
"""

from collections.abc import Iterator
from typing import BinaryIO

FIRST_BLOCK = 4 * 1024
"""Read first from the end: often only the last line is wanted."""

BLOCK = 64 * 1024
LARGE_BLOCK = 1024 * 1024
MAX_LINE = 16 * 1024 * 1024

Line = tuple[int, bytes | None]
"""The offset of a line's first byte, and its bytes without the LF."""


class _Pieces:
    """A line being put together from blocks; keeps its length, and drops its bytes when it gets too long."""

    def __init__(self, piece: bytes = b"") -> None:
        self.length = len(piece)
        self._pieces = [piece]

    def add(self, piece: bytes) -> None:
        self.length += len(piece)
        if self.length > MAX_LINE:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def whole(self, *, backward: bool = False) -> bytes | None:
        if self.length > MAX_LINE:
            return None
        return b"".join(reversed(self._pieces) if backward else self._pieces)


def lines_forward(file: BinaryIO, start: int, end: int) -> Iterator[Line]:
    """Lines from `start`, where a line begins, up to `end`; a last line without LF counts as one."""
    offset, position, line = start, start, _Pieces()
    file.seek(start)
    while position < end and (data := file.read(min(LARGE_BLOCK, end - position))):
        position += len(data)
        first, *others = data.split(b"\n")
        line.add(first)
        for following in others:
            yield offset, line.whole()
            offset += line.length + 1
            line = _Pieces(following)
    if line.length:
        yield offset, line.whole()


def lines_backward(file: BinaryIO, end: int) -> Iterator[Line]:
    """Lines before `end`, the last one first. `end` is the file's end or the offset of a line."""
    position, line, line_end = end, _Pieces(), end
    block = min(FIRST_BLOCK, BLOCK)
    while position > 0:
        size = min(block, position)
        block = min(block * 4, BLOCK)
        file.seek(position - size)
        data = file.read(size)
        if len(data) < size:
            return
        if position == end and data.endswith(b"\n"):
            data, line_end = data[:-1], end - 1
        position -= size
        *others, last = data.split(b"\n")
        line.add(last)
        for preceding in reversed(others):
            yield line_end - line.length, line.whole(backward=True)
            line_end -= line.length + 1
            line = _Pieces(preceding)
    if end > 0:
        yield 0, line.whole(backward=True)
