"""The scenes of the demo end in time, seen or not."""

import queue
import time
from typing import cast

import pytest

from pullcept import demo
from pullcept.app import App
from pullcept.core.screen import ScreenEvent, StatusSaid


def test_all_scenes_together_have_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PLAY_LIMIT", 0.05)
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    events.put(StatusSaid("nothing to see"))
    begun = time.monotonic()
    with pytest.raises(demo.DemoFailed, match="a topic on screen"):
        demo.Script(events, ()).play(cast("App", None), "hello")
    assert time.monotonic() - begun < demo.STEP_LIMIT / 2
