"""Events reach the Tk thread in order, a bounded number at a time."""

import queue
import threading
import time

import pytest

from pullcept.core.screen import ScreenEvent, StatusSaid
from pullcept.ui.bridge import MOST_EVENTS, Pump
from tests.ui.conftest import Room

pytestmark = pytest.mark.display


def test_a_flood_from_another_thread_arrives_whole_in_order_and_in_bounded_batches(room: Room) -> None:
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    batches: list[list[ScreenEvent]] = []
    pump = Pump(room.window.root, events, batches.append)
    pump.start()
    flood = threading.Thread(target=lambda: [events.put(StatusSaid(str(n))) for n in range(5_000)])
    flood.start()
    room.until(lambda: sum(map(len, batches)) == 5_000)
    flood.join()
    pump.stop()
    said = [event.text for batch in batches for event in batch if isinstance(event, StatusSaid)]
    assert said == [str(n) for n in range(5_000)]
    assert max(map(len, batches)) <= MOST_EVENTS


def test_a_failing_turn_does_not_end_the_pump(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    seen: list[str] = []
    failures: list[object] = []
    monkeypatch.setattr(room.window.root, "report_callback_exception", lambda *details: failures.append(details[1]))

    def take(batch: list[ScreenEvent]) -> None:
        for event in batch:
            assert isinstance(event, StatusSaid)
            if event.text == "bad":
                raise ValueError("no")
            seen.append(event.text)

    pump = Pump(room.window.root, events, take)
    pump.start()
    events.put(StatusSaid("bad"))
    room.until(lambda: failures)
    events.put(StatusSaid("good"))
    room.until(lambda: seen == ["good"])
    pump.stop()


@pytest.mark.expects_logged_errors
def test_one_part_that_fails_does_not_keep_the_others_from_the_screen(
    full_room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError("no accounts today")

    monkeypatch.setattr(full_room.window.accounts, "update_accounts", fail)
    from pullcept.core import screen
    from tests.ui import fakes

    full_room.tell(screen.AccountsListed(fakes.ACCOUNTS), StatusSaid("still here", "error", "x"))
    assert full_room.window.status.label.cget("text") == "still here"


def test_a_busy_queue_leaves_time_to_draw(room: Room) -> None:
    events: queue.SimpleQueue[ScreenEvent] = queue.SimpleQueue()
    for number in range(100_000):
        events.put(StatusSaid(str(number)))
    pump = Pump(room.window.root, events, lambda batch: None)
    pump.start()
    beats: list[float] = []

    def beat() -> None:
        beats.append(time.monotonic())
        if not events.empty():
            room.window.root.after(1, beat)

    beat()
    room.until(events.empty)
    pump.stop()
    assert len(beats) > 100
