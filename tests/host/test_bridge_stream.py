"""Lines of a bridge: cut anywhere, too long, too many, and a bridge that does not read."""

import asyncio
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pullcept.core.lines import MAX_LINE_BYTES, LineTooLong
from pullcept.host import bridge_stream
from pullcept.host.bridge_stream import READ_AHEAD_BYTES, BridgeStream


class RecordingTransport(asyncio.Transport):
    """Keeps what was written and what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reading = True
        self.closed = False
        self.aborted = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def stream_of(*chunks: bytes) -> tuple[BridgeStream, RecordingTransport]:
    transport = RecordingTransport()
    stream = BridgeStream(transport)
    for chunk in chunks:
        stream.feed(chunk)
    return stream, transport


def read_all(stream: BridgeStream) -> list[bytes | int]:
    """Every line; an oversized one as its size."""

    async def read() -> list[bytes | int]:
        lines: list[bytes | int] = []
        while True:
            try:
                line = await asyncio.wait_for(stream.read_line(), 5)
            except LineTooLong as error:
                lines.append(error.size)
                continue
            if line is None:
                return lines
            lines.append(line)

    return asyncio.run(read())


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b""))), st.data())
def test_lines_arrive_whole_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    wire = b"".join(line + data.draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=8)))
    stream, _ = stream_of(*(wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)))
    stream.feed_eof()
    assert read_all(stream) == lines


def test_half_a_line_at_the_end_is_not_a_message() -> None:
    stream, _ = stream_of(b"one\nhal")
    stream.feed_eof()
    assert read_all(stream) == [b"one"]


def test_a_ten_megabyte_line_passes() -> None:
    line = b"x" * (10 * 1024 * 1024)
    stream, _ = stream_of(line[:5_000_000], line[5_000_000:], b"\nafter\n")
    stream.feed_eof()
    assert read_all(stream) == [line, b"after"]


def test_a_line_over_the_limit_is_told_and_the_next_one_is_whole() -> None:
    chunk = b"x" * (1024 * 1024)
    stream, _ = stream_of(*[chunk] * 40, b"tail\nafter\n")
    stream.feed_eof()
    assert read_all(stream) == [40 * len(chunk) + 4, b"after"]


def test_a_line_exactly_at_the_limit_passes_and_one_byte_more_does_not() -> None:
    stream, _ = stream_of(b"x" * MAX_LINE_BYTES + b"\n", b"x" * MAX_LINE_BYTES, b"x\n")
    stream.feed_eof()
    assert [len(line) if isinstance(line, bytes) else -line for line in read_all(stream)] == [
        MAX_LINE_BYTES,
        -MAX_LINE_BYTES - 1,
    ]


@pytest.mark.parametrize("chunk", [b"\n" * 4096, b"x" * 4095 + b"\n"])
def test_a_bridge_that_sends_faster_than_it_is_served_is_held_back(chunk: bytes) -> None:
    stream, transport = stream_of()
    fed = 0
    while transport.reading and fed <= READ_AHEAD_BYTES:
        stream.feed(chunk)
        fed += len(chunk)
    assert not transport.reading

    async def read_some() -> None:
        while not transport.reading:
            await asyncio.wait_for(stream.read_line(), 5)

    asyncio.run(read_some())


def test_written_lines_end_in_one_line_end() -> None:
    stream, transport = stream_of()

    async def write() -> None:
        await stream.write_line(b"one")
        await stream.write_line(b"two\n")

    asyncio.run(write())
    assert transport.written == b"one\ntwo\n"


def test_a_bridge_that_never_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge_stream, "WRITE_SECONDS", 0.05)
    stream, transport = stream_of()
    stream.pause_writing()
    with pytest.raises(ConnectionError):
        asyncio.run(stream.write_line(b"one"))
    assert transport.aborted


def test_writing_to_a_bridge_that_left_is_a_connection_error() -> None:
    stream, transport = stream_of()
    transport.closed = True
    with pytest.raises(ConnectionError):
        asyncio.run(stream.write_line(b"one"))


def test_an_endless_line_takes_no_more_memory_than_the_limit() -> None:
    stream, _ = stream_of()
    chunk = b"x" * (1024 * 1024)
    tracemalloc.start()
    try:
        for _ in range(100):
            stream.feed(chunk)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 3 * MAX_LINE_BYTES
