"""A host that really listens, for one test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.host.live_host import LiveHost


@pytest.fixture
def host() -> Iterator[LiveHost]:
    live = LiveHost()
    live.start()
    try:
        yield live
    finally:
        live.stop()
