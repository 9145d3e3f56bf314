"""Small manners of a TCP connection."""

import asyncio


def end_writing(transport: asyncio.Transport) -> None:
    """Say that nothing more will come from us, while the other side may still be sending.

    A connection that cannot be closed by halves, or is gone already, is left to its time limit.
    """
    if transport.is_closing() or not transport.can_write_eof():
        return
    try:
        transport.write_eof()
    except OSError:
        transport.abort()
