"""A house with seats for one test, and the SDK loaded once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sidecar.server import warm_up
from tests.sidecar.seats import SeatHouse


@pytest.fixture(scope="session", autouse=True)
def _sdk() -> None:
    warm_up()


@pytest.fixture
def house() -> Iterator[SeatHouse]:
    live = SeatHouse()
    live.start()
    try:
        yield live
    finally:
        live.stop()
