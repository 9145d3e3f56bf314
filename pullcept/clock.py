"""The time as posts and tags carry it."""

from datetime import UTC, datetime, timedelta

from pullcept.core import tag
from pullcept.core.post import ts_of


def utc_now() -> str:
    """Now: UTC, ISO 8601, milliseconds, `Z`."""
    return ts_of(datetime.now(UTC))


def local_at(ts: str) -> str | None:
    """The time of a post on this computer's clock, as a tag shows it; None when `ts` is no time."""
    return tag.local_at(ts, _local_offset)


def _local_offset(instant: datetime) -> timedelta:
    offset = instant.astimezone().utcoffset()
    return offset if offset is not None else timedelta(0)
